// Damaged rule files give errors, never a crash, and the same ones each time.
#include <doctest/doctest.h>

#include <random>

#include "tests/golden.hpp"
#include "tests/rules/toy_language.hpp"

namespace satura::rules {

namespace {

// All inputs of the golden errors and the built-in files, cut into lines.
std::vector<std::string> lines() {
    std::string text;
    for (const auto& block : satura::test::parse_golden(satura::test::read_file(
             satura::test::source_root() / "tests/data/rules/errors.test"))) {
        text += block.input;
    }
    for (const Source& source : built_in_sources()) text += source.text;
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string damaged(const std::vector<std::string>& lines, std::mt19937& random) {
    auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    std::string text =
        "operator f/1\noperator h/2\noperator </2\noperator and set\n"
        "operator list sequence\noperator a\n";
    for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t first = below(lines.size());
        for (std::size_t l = first; l < lines.size() && l < first + 4; ++l) text += lines[l] + "\n";
    }
    static const std::string pieces[] = {"(",   ")", "?x", "...?xs", "each ", "~>",
                                         "<=>", "'", "-",  "{",      "}",     ",",
                                         ";",   ":", "\n", "not ",   "?",     "\xff"};
    for (std::size_t i = below(4); i > 0; --i) {
        const std::size_t at = below(text.size());
        if (below(2) == 0) {
            text.erase(at, 1 + below(8));
        } else {
            text.insert(at, pieces[below(std::size(pieces))]);
        }
    }
    return text;
}

}  // namespace

TEST_CASE("damaged files give errors and no crash") {
    const std::vector<std::string> all = lines();
    std::mt19937 random(7);
    std::size_t with_errors = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = damaged(all, random);
        const std::string errors = test::errors_of(text);
        with_errors += errors.empty() ? 0 : 1;
        if (i % 100 == 0) CHECK(errors == test::errors_of(text));
    }
    CHECK(with_errors > 1000);
}

}  // namespace satura::rules
