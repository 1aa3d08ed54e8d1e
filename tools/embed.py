#!/usr/bin/env python3
"""Turns text files into one C++ source of string literals: the built-in rules travel inside the library.

Usage: embed.py OUTPUT.cpp INPUT...

OUTPUT defines satura::rules::embedded_rules(), declared in rules/embedded.hpp: one {name, text} per
INPUT, in that order, with the file's name without its folder. In rules/meson.build:

    embedded_rules_cpp = custom_target('embedded_rules',
      input: rule_files,
      output: 'embedded_rules.cpp',
      command: [embed, '@OUTPUT@', '@INPUT@'])

and embedded_rules_cpp is a source of the library. `embed` is set in the root's meson.build.
"""

import os
import sys

HEAD = """// Made by tools/embed.py.
#include "rules/embedded.hpp"

namespace satura::rules {
"""


def literal(line: bytes) -> str:
    """One line as a C++ string literal. A '?' is escaped, since '??(' may be a trigraph; every byte
    outside of ASCII is octal with all three digits, so that a digit behind it stays a digit."""
    plain = {ord("\n"): "\\n", ord("\t"): "\\t", ord('"'): '\\"', ord("\\"): "\\\\", ord("?"): "\\?"}
    parts = (plain.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in line)
    return '"' + "".join(parts) + '"'


def entry(path: str) -> str:
    with open(path, "rb") as file:
        text = file.read()
    name = literal(os.path.basename(path).encode())
    lines = [f"        {literal(line)}" for line in text.splitlines(keepends=True)] or ['        ""']
    # With its length: a text may hold a NUL.
    return "    {%s, {\n%s,\n        %d}},\n" % (name, "\n".join(lines), len(text))


def main() -> None:
    output, inputs = sys.argv[1], sys.argv[2:]
    parts = [HEAD]
    if inputs:
        parts += ["namespace {\n\nconstexpr EmbeddedFile kFiles[] = {\n"]
        parts += [entry(path) for path in inputs]
        parts += ["};\n\n}  // namespace\n\n"]
    answer = "kFiles" if inputs else "{}"
    parts += [f"std::span<const EmbeddedFile> embedded_rules() {{ return {answer}; }}\n\n"]
    parts += ["}  // namespace satura::rules\n"]
    with open(output, "w", encoding="ascii") as file:
        file.write("".join(parts))


main()
