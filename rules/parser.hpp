// Text to syntax tree. docs/rules.md has the grammar.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "rules/syntax.hpp"

namespace satura::rules {

// How deep terms may nest.
inline constexpr std::uint32_t nesting_max = 200;

struct Parsed {
    SyntaxFile file;                       // the statements without errors
    std::vector<lang::Diagnostic> errors;  // at most one for each statement, in order
};

// Reads a whole file. Cost: linear.
Parsed parse_file(std::string_view text);

// Reads one term, for tests and for terms that a user types; the answer is its index in `file`.
lang::Result<std::uint32_t> parse_term(std::string_view text, SyntaxFile& file);

}  // namespace satura::rules
