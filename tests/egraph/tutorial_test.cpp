// The tutorial's code stands in a program, and what it shows is what that prints.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/golden.hpp"

using namespace satura::test;

namespace {

// The fenced blocks of a Markdown text with that word behind the fence.
std::vector<std::string> fenced(const std::string& text, const std::string& word) {
    const std::string open = "```" + word + "\n", close = "```\n";
    std::vector<std::string> blocks;
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        const std::size_t begin = at + open.size();
        at = text.find(close, begin);
        blocks.push_back(text.substr(begin, at - begin));
    }
    return blocks;
}

std::string output_of(const char* program) {
    std::string text;
    std::array<char, 4096> part{};
    FILE* pipe = popen(program, "r");
    if (pipe == nullptr) return text;
    while (const std::size_t n = fread(part.data(), 1, part.size(), pipe))
        text.append(part.data(), n);
    pclose(pipe);
    return text;
}

}  // namespace

TEST_CASE("the tutorial's code stands in examples/egraph_tutorial.cpp, which prints its output") {
    const std::string page = read_file(source_root() / "docs/egraph-tutorial.md");
    const std::string program = read_file(source_root() / "examples/egraph_tutorial.cpp");
    const std::vector<std::string> code = fenced(page, "cpp");
    CHECK(code.size() > 5);
    for (const std::string& block : code) {
        const bool is_there = program.find(block) != std::string::npos;
        CHECK_MESSAGE(is_there, "not in the program:\n" << block);
    }
    const char* path = std::getenv("SATURA_TUTORIAL");
    if (path == nullptr) {
        MESSAGE("skipped: $SATURA_TUTORIAL does not name the program");
        return;
    }
    std::string shown;
    for (const std::string& block : fenced(page, "text")) shown += block;
    CHECK(shown == output_of(path));
}
