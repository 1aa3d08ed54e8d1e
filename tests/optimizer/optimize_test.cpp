// tests/data/optimize/*.test: the SQL and the plan that optimize answers, and which rules were used.
#include <doctest/doctest.h>

#include <algorithm>

#include "optimizer/example_check.hpp"
#include "optimizer/optimizer.hpp"
#include "tests/golden.hpp"

using namespace satura;

namespace {

// `optimize`, with these arguments: schema=(create table …), added to that of the rules' examples;
// expect=RULE and expect-not=RULE, which rules must be applied and which must not.
std::string answer(Optimizer& optimizer, const test::Block& block) {
    const std::string schema = example_schema + block.value("schema").value_or(std::string());
    if (auto error = optimizer.set_schema(schema)) return lang::render(*error, "schema", schema);
    const auto result = optimizer.optimize({.sql = block.input, .limits = {}});
    if (const auto* error = std::get_if<RequestError>(&result))
        return lang::render(error->diagnostic, error->in, block.input);
    const OptimizeAnswer& got = std::get<OptimizeAnswer>(result);
    std::string out = got.result + "\n" + got.after.tree;
    if (got.stop != egraph::StopReason::saturated)
        out += "stopped early: " + std::string(egraph::stop_name(got.stop)) + "\n";
    for (const test::Argument& argument : block.arguments) {
        const bool is_used = std::ranges::any_of(
            got.rules, [&](const auto& rule) { return rule.first == argument.value; });
        if (argument.name == "expect" && !is_used)
            out += "rule " + argument.value + " was not used\n";
        if (argument.name == "expect-not" && is_used)
            out += "rule " + argument.value + " was used\n";
    }
    return out;
}

}  // namespace

TEST_CASE("golden answers of optimize") {
    Optimizer optimizer(lang::Semantics::of(lang::Dialect::postgres));
    REQUIRE(optimizer.rule_errors().empty());
    const auto files = test::golden_files("tests/data/optimize");
    CHECK(files.size() >= 4);
    for (const auto& path : files)
        test::run_golden(path, [&](const test::Block& block) { return answer(optimizer, block); });
}
