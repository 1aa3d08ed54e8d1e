// What the pages for users show is what the program does.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/app/program.hpp"
#include "tests/golden.hpp"

using namespace satura::test;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find('\n', i), text.size());
        lines.push_back(text.substr(i, end - i));
        i = end + 1;
    }
    return lines;
}

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? ""
                                      : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string without_blanks(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}

// The fenced blocks of a Markdown text with that word behind the fence.
std::vector<std::string> fenced(const std::string& text, const std::string& word) {
    std::vector<std::string> blocks;
    bool inside = false, wanted = false;
    for (const std::string& line : lines_of(text)) {
        if (line.starts_with("```")) {
            inside = !inside;
            wanted = inside && line == "```" + word;
            if (wanted) blocks.emplace_back();
        } else if (wanted) {
            blocks.back() += line + '\n';
        }
    }
    return blocks;
}

// What `./dev demo` prints for a line of the example file with the remark above it.
std::string demo_entry(const std::string& remark, const std::string& line) {
    const std::size_t first = line.find(';');
    const std::size_t second = line.find(';', first + 1);
    const std::string columns = trimmed(line.substr(0, first));
    const std::string expression = trimmed(line.substr(first + 1, second - first - 1));
    std::vector<std::string> words{"simplify", "--columns", columns};
    if (second != std::string::npos) words.insert(words.end(), {"--context", "filter"});
    words.push_back(expression);
    const ProgramResult result = run_satura(words, "");
    CHECK_MESSAGE(result.status == 0, line, ": ", result.errors);
    return fmt::format("{}\n    columns  {}\n    before   {}\n    after    {}", remark, columns,
                       expression, result.output);
}

std::string demo_output() {
    std::string text, remark;
    for (const std::string& line : lines_of(read_file(source_root() / "examples/simplify.txt"))) {
        if (line.empty()) {
            remark.clear();
        } else if (line.starts_with("# ")) {
            remark = line.substr(2);
        } else {
            text += demo_entry(remark, line);
        }
    }
    return text;
}

bool holds_lines(const std::string& where, const std::string& block) {
    const std::vector<std::string> lines = lines_of(where);
    bool all = true;
    for (const std::string& line : lines_of(block)) {
        const std::string wanted = trimmed(line);
        if (wanted.empty() || wanted == "..." || wanted.starts_with("#include")) continue;
        const bool found = std::any_of(lines.begin(), lines.end(),
                                       [&](const std::string& l) { return trimmed(l) == wanted; });
        CHECK_MESSAGE(found, "not in the source: ", wanted);
        all = all && found;
    }
    return all;
}

}  // namespace

// BLESS=1 rewrites it.
TEST_CASE("README shows what ./dev demo prints") {
    const auto path = source_root() / "README.md";
    std::string readme = read_file(path);
    const std::string open = "<!-- demo output: begin -->\n```\n";
    const std::string close = "```\n<!-- demo output: end -->";
    const std::size_t begin = readme.find(open);
    const std::size_t end = readme.find(close);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    const std::size_t from = begin + open.size();
    const std::string now = demo_output();
    if (const char* bless = std::getenv("BLESS"); bless != nullptr && std::string(bless) == "1") {
        readme.replace(from, end - from, now);
        std::ofstream(path, std::ios::binary) << readme;
        return;
    }
    const std::string shown = readme.substr(from, end - from);
    CHECK_MESSAGE(shown == now, line_diff(shown, now));
}

// In a block, lines from "> " are requests and lines from "< " answers; lines that go on are
// indented. Blanks do not count, nor do counts that each change of a rule changes.
TEST_CASE("the examples of docs/batch.md are what batch answers") {
    const std::vector<std::string> blocks =
        fenced(read_file(source_root() / "docs/batch.md"), "batch");
    REQUIRE(!blocks.empty());
    for (const std::string& block : blocks) {
        std::string requests, answers;
        std::string* last = &requests;
        for (const std::string& line : lines_of(block)) {
            if (line.starts_with("> ")) last = &requests;
            if (line.starts_with("< ")) last = &answers;
            if (!line.starts_with("  ") && !last->empty()) *last += '\n';
            *last += line.size() > 2 ? line.substr(2) : "";
        }
        const ProgramResult result = run_satura({"batch"}, requests + '\n');
        CHECK(result.status == 0);
        answers = masked(answers);
        const std::string got = masked(result.output);
        CHECK_MESSAGE(without_blanks(got) == without_blanks(answers), line_diff(answers, got));
    }
}

TEST_CASE("C++ in the pages stands in examples/embed.cpp, rules stand in the rule files") {
    const std::string example = read_file(source_root() / "examples/embed.cpp");
    for (const char* page : {"README.md", "docs/library.md"}) {
        const std::vector<std::string> blocks = fenced(read_file(source_root() / page), "cpp");
        CHECK_MESSAGE(!blocks.empty(), page);
        for (const std::string& block : blocks) CHECK(holds_lines(example, block));
    }
    const std::string rules = read_file(source_root() / "rules/cast_unwrap.rules");
    const std::vector<std::string> blocks = fenced(read_file(source_root() / "README.md"), "rules");
    REQUIRE(!blocks.empty());
    for (const std::string& block : blocks) CHECK(rules.find(block) != std::string::npos);
}
