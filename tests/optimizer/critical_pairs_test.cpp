// tests/data/critical_pairs/*.test: which terms two `~>` rules rewrite to different ones that do not meet again.
#include <doctest/doctest.h>

#include "optimizer/critical_pairs.hpp"
#include "rules/loader.hpp"
#include "tests/golden.hpp"

using namespace satura;

namespace {

// `pairs`: of the rules in the input with each other and with the built-in ones; of the built-in ones where there is none.
std::string answer(const test::Block& block) {
    std::vector<rules::Source> more;
    if (!block.input.empty()) more.push_back({"input.rules", block.input});
    RuleEngine engine(lang::Semantics::of(lang::Dialect::postgres), more, RuleEngine::Use::plans);
    std::string out;
    for (const std::string& error : engine.errors) out += error;
    const std::size_t first = more.empty() ? 0 : rules::built_in_sources().size();
    return out + describe(find_critical_pairs(engine, static_cast<std::uint32_t>(first)));
}

}  // namespace

TEST_CASE("golden critical pairs") {
    const auto files = test::golden_files("tests/data/critical_pairs");
    CHECK(files.size() >= 2);
    for (const auto& path : files) test::run_golden(path, answer);
}
