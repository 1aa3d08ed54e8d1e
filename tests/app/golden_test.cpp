// tests/data/app/*.test: the program's output, its messages and its exit status.
//
//     run simplify --columns "x smallint" 'cast(x as int) > 40000'
//     (standard input, where there is some)
//     ----
//     what it prints; lines of standard error begin with "! "
//     status 0
//
// `bytes` is `run` with \n, \r and \xHH in its input, which ends where its last line ends. `embed`
// runs examples/embed.cpp. Times and counts are masked, and bytes that are no text are shown as
// \xHH. Files are named as seen from tests/data/app.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/app/program.hpp"
#include "tests/golden.hpp"

using namespace satura::test;

namespace {

// Control characters, and bytes that never stand in UTF-8.
std::string printable(const std::string& text) {
    constexpr unsigned char first_printable = 0x20, never_from = 0xF8;
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < first_printable && c != '\n') || byte >= never_from) {
            out += fmt::format("\\x{:02x}", byte);
        } else {
            out += c;
        }
    }
    return out;
}

std::string shown(const ProgramResult& result) {
    std::string text = masked(result.output);
    if (!text.empty() && text.back() != '\n') text += "(no line end)\n";
    std::string_view rest = result.errors;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        text += fmt::format("! {}\n", line);
        // Blanks at the end of a line would be lost in an editor.
        while (text.ends_with(" \n")) text.erase(text.size() - 2, 1);
    }
    return printable(text) + fmt::format("status {}\n", result.status);
}

std::string answer(const Block& block) {
    const std::string folder = (source_root() / "tests/data/app").string();
    if (block.command == "embed") {
        const char* example = std::getenv("SATURA_EMBED");
        return shown(run_program(example == nullptr ? "" : example, {}, "", folder));
    }
    std::string input = block.input;
    if (block.command == "bytes") {
        if (input.ends_with('\n')) input.pop_back();
        input = unescape(input);
    }
    return shown(run_satura(split_words(block.argument_text), input, folder));
}

bool has_z3() {
    const char* set = std::getenv("SATURA_Z3");
    return set != nullptr && std::string_view(set) == "1";
}

}  // namespace

TEST_CASE("the program answers as the golden files say") {
    const auto files = golden_files("tests/data/app");
    REQUIRE(!files.empty());
    for (const auto& file : files) {
        CAPTURE(file.string());
        if (file.filename() == "prove.test" && !has_z3()) {
            MESSAGE("skipped: built without Z3");
            continue;
        }
        run_golden(file, answer);
    }
}
