// Random expressions through simplify: the answer has the same value in every row, and raises only where the input does.
// SATURA_RANDOM_CASES sets the number of expressions (100,000).
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "lang/boundary.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"
#include "optimizer/simplifier.hpp"
#include "tests/lang/random_expr.hpp"

using namespace satura;
using lang::Outcome;

namespace {

std::vector<std::vector<lang::Value>> rows_of(const std::vector<lang::Column>& columns,
                                              const lang::Context& context, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::vector<std::vector<lang::Value>> rows(12);
    for (auto& row : rows) {
        for (const lang::Column& c : columns) {
            auto values = lang::boundary_values(c.type, context.semantics);
            if (!c.nullable)
                std::erase_if(values, [](const lang::Value& v) { return v.is_null(); });
            row.push_back(values[engine() % values.size()]);
        }
    }
    return rows;
}

// What differs between the input and its answer, or nothing.
std::string difference(const std::string& input, const std::string& result, bool filter,
                       const std::vector<lang::Column>& columns, lang::Context& context,
                       std::uint64_t seed) {
    lang::Exprs exprs;
    auto a = lang::parse_expr(input, columns, exprs, context);
    auto b = lang::parse_expr(result, columns, exprs, context);
    if (!a || !b) return "does not parse: " + (a ? b.error() : a.error()).message;
    for (const auto& row : rows_of(columns, context, seed)) {
        for (lang::Mode mode : {lang::Mode::total, lang::Mode::raising}) {
            Outcome x = lang::evaluate(exprs, *a, row, context, mode);
            Outcome y = lang::evaluate(exprs, *b, row, context, mode);
            if (x.state != Outcome::State::value || y.state == Outcome::State::unknown) continue;
            if (y.state == Outcome::State::error) return "the answer raises: " + y.error;
            bool same =
                filter ? x.value.is_true() == y.value.is_true() : identical(x.value, y.value);
            if (same) continue;
            std::string text;
            for (std::size_t i = 0; i < row.size(); ++i) {
                text += fmt::format(
                    " {}={}", columns[i].name,
                    row[i].is_null() ? "NULL" : lang::value_text(row[i], columns[i].type));
            }
            return "values differ at" + text;
        }
    }
    return {};
}

struct Count {
    std::size_t changed = 0, refused = 0, wrong = 0;
};

// Stops at the first difference where a wrong rule is being looked for.
void run(lang::Dialect dialect, std::size_t cases, std::uint64_t first_seed, Count& count,
         std::vector<rules::Source> wrong_rule = {}) {
    bool hunting = !wrong_rule.empty();
    lang::Context context;
    context.semantics = lang::Semantics::of(dialect);
    std::vector<lang::Column> columns = test::sample_columns(dialect);
    Simplifier simplifier(context.semantics, std::move(wrong_rule));
    REQUIRE(simplifier.rule_errors().empty());
    SimplifyRequest request;
    request.columns = test::columns_text(columns, context);
    request.limits.nodes = 20'000;
    for (std::size_t i = 0; i < cases; ++i) {
        std::uint64_t seed = first_seed + i;
        lang::Exprs exprs;
        test::RandomExpr random(seed, columns, exprs, context);
        lang::ExprId root = random.boolean(2 + static_cast<int>(seed % 3));
        request.expr = lang::write_expr(exprs, root, columns, context);
        bool filter = seed % 2 == 1;
        request.context =
            filter ? SimplifyRequest::Context::filter : SimplifyRequest::Context::value;
        auto result = simplifier.simplify(request);
        if (const auto* error = std::get_if<RequestError>(&result)) {
            ++count.refused;
            CHECK_MESSAGE(false, "seed " << seed << ": " << request.expr << ": "
                                         << error->diagnostic.message);
            continue;
        }
        const std::string& answer = std::get<Answer>(result).result;
        count.changed += answer != request.expr;
        std::string found = difference(request.expr, answer, filter, columns, context, seed);
        if (found.empty()) continue;
        ++count.wrong;
        if (hunting) return;
        CHECK_MESSAGE(false, "seed " << seed << (filter ? " as a filter" : "") << ", dialect "
                                     << lang::dialect_name(dialect) << "\n  " << request.expr
                                     << "\n  " << answer << "\n  " << found);
        if (count.wrong > 10) return;
    }
}

}  // namespace

TEST_CASE("the random test finds wrong rules") {
    for (const char* text : {"rule null-or:\n    null or ?p   =>   null\n",
                             "rule turned:\n    ?a < ?b   =>   ?b < ?a\n",
                             "rule dropped:\n    coalesce(?a, ...?rest)   =>   ?a\n",
                             "rule arms:\n    case(when(?p, ?a), ?b)   =>   ?b\n"}) {
        Count count;
        run(lang::Dialect::postgres, 20'000, 1, count, {{"wrong.rules", text}});
        CHECK_MESSAGE(count.wrong > 0, "not found: " << std::string(text));
    }
}

TEST_CASE("random expressions keep their values and get no new errors") {
    const char* asked = std::getenv("SATURA_RANDOM_CASES");
    std::size_t cases = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 100'000;
    Count count;
    run(lang::Dialect::postgres, cases / 2, 1, count);
    run(lang::Dialect::duckdb, cases - cases / 2, 1'000'001, count);
    std::cout << fmt::format("random expressions: {} tried, {} changed, {} wrong\n", cases,
                             count.changed, count.wrong);
    CHECK(count.wrong == 0);
    CHECK(count.changed * 10 > cases);  // a test of nothing is no test
}
