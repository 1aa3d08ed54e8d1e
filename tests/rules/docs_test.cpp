// docs/rules.md: its list of errors is complete, its rules are read.
#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "rules/parser.hpp"
#include "tests/golden.hpp"

namespace satura::rules {

namespace {

// The blocks between ``` lines behind a heading.
std::vector<std::string> code_blocks(const std::string& text, const std::string& heading) {
    std::vector<std::string> blocks;
    std::size_t at = text.find(heading);
    while (at != std::string::npos) {
        const std::size_t begin = text.find("```\n", at);
        if (begin == std::string::npos) break;
        const std::size_t end = text.find("```", begin + 4);
        blocks.push_back(text.substr(begin + 4, end - begin - 4));
        at = end + 3;
    }
    return blocks;
}

}  // namespace

TEST_CASE("the documentation lists every error code that has a golden case") {
    const std::string docs = test::read_file(test::source_root() / "docs/rules.md");
    const std::string golden =
        test::read_file(test::source_root() / "tests/data/rules/errors.test");
    const std::regex code("(?:^|\\n)([a-z-]+): [a-z]+\\.rules:[0-9]");
    std::set<std::string> codes;
    for (std::sregex_iterator i(golden.begin(), golden.end(), code), end; i != end; ++i) {
        codes.insert((*i)[1]);
    }
    CHECK(codes.size() > 40);
    for (const std::string& c : codes) {
        CAPTURE(c);
        CHECK(docs.find("`" + c + "`") != std::string::npos);
    }
}

TEST_CASE("the rules of the documentation are read") {
    const auto blocks = code_blocks(test::read_file(test::source_root() / "docs/rules.md"),
                                    "## How to write a rule");
    REQUIRE(blocks.size() == 3);
    for (const std::string& block : blocks) {
        for (const auto& e : parse_file(block).errors) {
            FAIL_CHECK(lang::render(e, "docs/rules.md", block));
        }
    }
}

}  // namespace satura::rules
