// Each message of the rule language's front end, as a user sees it: tests/data/rules/errors.test.
#include <doctest/doctest.h>

#include "tests/golden.hpp"
#include "tests/rules/toy_language.hpp"

namespace satura::rules {

namespace {

// What the blocks may use without declaring it.
constexpr const char* prelude = R"(operator a
operator b
operator f/1
operator g/1
operator h/2
operator not/1
operator =/2
operator </2
operator >/2
operator <=/2
operator >=/2
operator <=>/2
operator +/2
operator cast/1
operator and set unit true zero false
operator or set unit false zero true
operator in sequence
operator list sequence
)";

std::string answer(const satura::test::Block& block) {
    test::Toy toy;
    std::vector<Source> sources{{"prelude.rules", prelude}, {"test.rules", block.input}};
    if (const auto other = block.value("other")) {
        sources.insert(sources.begin() + 1, {"other.rules", *other + "\n"});
    }
    const Loaded loaded = load(std::move(sources), toy);
    std::string out;
    for (const SourceError& e : loaded.errors) {
        out += e.diagnostic.code + ": " + loaded.book.render(e);
    }
    return out.empty() ? "no error" : out;
}

}  // namespace

TEST_CASE("errors in rule files") {
    satura::test::run_golden("tests/data/rules/errors.test", answer);
}

}  // namespace satura::rules
