// tests/data/simplify/*.test: what simplify answers, and which rules it used.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "optimizer/simplifier.hpp"
#include "tests/golden.hpp"

using namespace satura;

namespace {

// Simplifiers by dialect and NaN order, made when first asked for.
class Pool {
  public:
    Simplifier& get(const std::string& dialect, const std::string& nan) {
        auto& made = made_[dialect + nan];
        if (!made) {
            bool found = false;
            lang::Semantics semantics =
                lang::Semantics::of(lang::dialect_from_name(dialect, found));
            if (nan == "ieee") semantics.nan = lang::NanOrder::ieee;
            made = std::make_unique<Simplifier>(semantics);
        }
        return *made;
    }

  private:
    std::map<std::string, std::unique_ptr<Simplifier>> made_;
};

std::string answer(Pool& pool, const test::Block& block) {
    SimplifyRequest request;
    request.columns = block.value("columns").value_or("");
    request.expr = block.input;
    if (block.value("context") == "filter") request.context = SimplifyRequest::Context::filter;
    auto result =
        pool.get(block.value("dialect").value_or("postgres"), block.value("nan").value_or("total"))
            .simplify(request);
    if (const auto* error = std::get_if<RequestError>(&result)) {
        const std::string& text = error->in == "columns" ? request.columns : request.expr;
        return lang::render(error->diagnostic, error->in, text);
    }
    const Answer& got = std::get<Answer>(result);
    std::string out = got.result + "\n";
    for (const test::Argument& argument : block.arguments) {
        bool used = std::any_of(got.rules.begin(), got.rules.end(),
                                [&](const auto& r) { return r.first == argument.value; });
        if (argument.name == "expect" && !used) out += "rule " + argument.value + " was not used\n";
        if (argument.name == "expect-not" && used) out += "rule " + argument.value + " was used\n";
    }
    return out;
}

}  // namespace

TEST_CASE("golden answers of simplify") {
    Pool pool;
    auto files = test::golden_files("tests/data/simplify");
    CHECK(files.size() >= 4);
    for (const auto& path : files) {
        test::run_golden(path, [&](const test::Block& block) { return answer(pool, block); });
    }
}
