// Golden files: what a command prints for an input, kept as text beside the tests.
//
//     # A comment, between blocks.
//     simplify columns=(x smallint, y int) expect=cast-gt-above-max
//     cast(x as int) > 40000
//     ----
//     x is null and null
//
// A blank line ends a block. An output that has blank lines itself stands between doubled rules
// (it may hold rules too, but no doubled one before a blank line):
//
//     plan
//     select 1
//     ----
//     ----
//     first
//
//     second
//     ----
//     ----
//
// A TEST_CASE calls run_golden with a function that answers each block. A difference fails the test
// case with a diff; with BLESS=1 in the environment the file's outputs are rewritten in place.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace satura::test {

// One word after the command: `flag`, `key=word`, `key=(words, more words)` or `key="words"`.
struct Argument {
    std::string name;
    std::string value;  // without its parentheses or quotes; empty for a flag

    bool operator==(const Argument&) const = default;
};

// One command with its input and the output that is expected.
struct Block {
    std::string command;
    std::vector<Argument> arguments;
    std::string argument_text;  // all that follows the command on its line, as written
    std::string input;          // lines with their ends; may be empty
    std::string expected;       // lines with their ends; may be empty
    std::size_t line = 0;       // 1-based, of the command

    bool has(std::string_view name) const;
    // The value of the first argument of that name.
    std::optional<std::string> value(std::string_view name) const;

    // Where the lines after the first `----` stand in the text, the doubled form's rules included.
    std::size_t output_begin = 0;
    std::size_t output_end = 0;
};

// The blocks of a golden file. Throws std::runtime_error with the line for an unclosed block.
std::vector<Block> parse_golden(std::string_view text);

// The text with its outputs replaced, all else as it was. Requires one output per block.
std::string with_outputs(std::string_view text, const std::vector<Block>& blocks,
                         const std::vector<std::string>& outputs);

// What changed, line by line: "-" expected, "+" got, " " common.
std::string line_diff(std::string_view expected, std::string_view actual);

// Runs all blocks of a file: `path` is absolute or relative to the source root. `answer` returns the
// output of a block; a missing newline at its end is added. An exception from `answer` is an output
// too: "error: what". Must be called inside a TEST_CASE.
void run_golden(const std::filesystem::path& path,
                const std::function<std::string(const Block&)>& answer);

// The *.test files of a folder (absolute or relative to the source root), sorted. Empty when there is
// no such folder.
std::vector<std::filesystem::path> golden_files(const std::filesystem::path& folder);

// The root of the source tree: $SATURA_SOURCE_ROOT, else where the tests were built from.
std::filesystem::path source_root();

// A folder of case files too large for the repository: $SATURA_SHARED, else `shared` beside the
// source root. A test that needs it says so and returns when there is none.
std::optional<std::filesystem::path> shared_folder();

// The content of a file. Throws std::runtime_error when it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace satura::test
