// What the pages for users show is what the program does.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
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

bool is_blessing() {
    const char* bless = std::getenv("BLESS");
    return bless != nullptr && std::string(bless) == "1";
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

// What `./dev demo` prints for the queries of an SQL file.
std::string demo_queries(const std::string& file) {
    const ProgramResult result = run_satura({"optimize", file}, "", source_root().string());
    CHECK_MESSAGE(result.status == 0, file, ": ", result.errors);
    return fmt::format("==== {}\n{}", file, result.output);
}

std::vector<std::string> example_queries() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_root() / "examples")) {
        if (entry.path().extension() == ".sql")
            files.push_back("examples/" + entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string demo_output() {
    std::string text, remark;
    for (const std::string& file : example_queries()) text += demo_queries(file);
    text += "==== examples/simplify.txt\n";
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

// Requests or answers of a page, each in one line and without its mark.
std::string joined(const std::string& block) {
    std::string text;
    for (const std::string& line : lines_of(block)) {
        if (!line.starts_with("  ") && !text.empty()) text += '\n';
        text += line.size() > 2 ? line.substr(2) : "";
    }
    return text + '\n';
}

// Where the piece of JSON that begins at `pos` ends: behind a comma that is in no string.
std::size_t piece_end(const std::string& json, std::size_t pos) {
    bool in_string = false;
    for (; pos < json.size(); ++pos) {
        if (in_string && json[pos] == '\\') {
            ++pos;
        } else if (json[pos] == '"') {
            in_string = !in_string;
        } else if (!in_string && json[pos] == ',') {
            return pos + 1;
        }
    }
    return json.size();
}

// Answers as they stand in the page: broken to its width, and without times.
std::string broken(const std::string& answers) {
    constexpr std::size_t width = 100;
    static const std::regex time(R"re("(time_[a-z_]+)":[^,}]+)re");
    std::string text;
    for (const std::string& answer : lines_of(std::regex_replace(answers, time, "\"$1\":…"))) {
        std::string line = "< ";
        for (std::size_t pos = 0; pos < answer.size();) {
            const std::size_t end = piece_end(answer, pos);
            if (line.size() + end - pos > width && line.size() > 2) {
                text += line + '\n';
                line = "  ";
            }
            line.append(answer, pos, end - pos);
            pos = end;
        }
        text += line + '\n';
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
    if (is_blessing()) {
        readme.replace(from, end - from, now);
        std::ofstream(path, std::ios::binary) << readme;
        return;
    }
    const std::string shown = readme.substr(from, end - from);
    CHECK_MESSAGE(shown == now, line_diff(shown, now));
}

// In a block, lines from "> " are requests and lines from "< " answers, which stand behind them;
// lines that go on are indented. Blanks do not count, nor do counts that each change of a rule
// changes. BLESS=1 rewrites the answers.
TEST_CASE("the examples of docs/batch.md are what batch answers") {
    const auto path = source_root() / "docs/batch.md";
    std::string page = read_file(path);
    const std::vector<std::string> blocks = fenced(page, "batch");
    REQUIRE(!blocks.empty());
    for (const std::string& block : blocks) {
        const std::size_t middle = block.find("\n< ") + 1;
        REQUIRE(middle > 0);
        const ProgramResult result = run_satura({"batch"}, joined(block.substr(0, middle)));
        CHECK(result.status == 0);
        if (is_blessing()) {
            page.replace(page.find(block) + middle, block.size() - middle, broken(result.output));
            continue;
        }
        const std::string answers = masked(joined(block.substr(middle)));
        const std::string got = masked(result.output);
        CHECK_MESSAGE(without_blanks(got) == without_blanks(answers), line_diff(answers, got));
    }
    if (is_blessing()) std::ofstream(path, std::ios::binary) << page;
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
