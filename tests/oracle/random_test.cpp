// Random expressions through simplify, judged by real engines: in every row the answer has the input's value, and raises only
// where the input does. SATURA_RANDOM_CASES sets the number of expressions of each kind for each engine.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "lang/sql_expr.hpp"
#include "optimizer/simplifier.hpp"
#include "tests/lang/random_expr.hpp"
#include "tests/oracle/engine.hpp"
#include "tests/oracle/random_sql.hpp"
#include "tests/oracle/samples.hpp"

using namespace satura;
using test::Engine;
using test::Samples;
using test::Tried;

namespace {

enum class Kind : std::uint8_t { bound, mixed };

struct Count {
    std::size_t tried = 0;
    std::size_t changed = 0;               // by more than its spelling
    std::size_t compared = 0, raised = 0;  // rows
    std::size_t refused = 0;               // though the engine takes it
    std::size_t wrong = 0;
};

// The first of two kinds of inputs: what the binder makes, written out, with explicit casts between types.
std::string bound_text(std::uint64_t seed, bool predicate, const std::vector<lang::Column>& columns,
                       lang::Context& context) {
    lang::Exprs exprs;
    test::RandomExpr random(seed, columns, exprs, context);
    const int depth = 2 + static_cast<int>(seed % 3);
    const lang::ExprId root = predicate
                                  ? random.boolean(depth)
                                  : random.value(columns[seed / 4 % columns.size()].type, depth);
    return lang::write_expr(exprs, root, columns, context);
}

// The second: what people write, of which the binder and the engine have to think the same.
std::string mixed_text(std::uint64_t seed, bool predicate) {
    test::RandomSql random(seed);
    const int depth = 2 + static_cast<int>(seed % 2);
    return predicate ? random.predicate(depth) : random.value(depth);
}

// An expression as we write it.
std::string spelled(const std::string& text, const std::vector<lang::Column>& columns,
                    lang::Context& context) {
    lang::Exprs exprs;
    const auto root = lang::parse_expr(text, columns, exprs, context);
    return root ? lang::write_expr(exprs, *root, columns, context) : text;
}

bool is_taken(Engine& engine, const std::string& expression) {
    const std::vector<Tried> rows = engine.evaluate(expression, Samples::rows);
    return std::ranges::any_of(rows, [](const Tried& t) { return t.state != Tried::State::error; });
}

std::string shown(const Tried& tried) {
    switch (tried.state) {
        case Tried::State::null:
            return "NULL";
        case Tried::State::error:
            return "raises: " + tried.text;
        default:
            return fmt::format("{} (type {})", tried.text, tried.type);
    }
}

// The first row in which the answer is not what the input is, in words; empty if there is none.
std::string difference(Engine& engine, const Samples& samples, std::string input,
                       std::string answer, bool filter, Count& count) {
    if (filter) {
        input = "(" + input + ") is true";
        answer = "(" + answer + ") is true";
    }
    const std::vector<Tried> before = engine.evaluate(input, Samples::rows);
    const std::vector<Tried> after = engine.evaluate(answer, Samples::rows);
    for (std::size_t row = 0; row < Samples::rows; ++row) {
        if (before[row].state == Tried::State::error) {
            ++count.raised;
            continue;
        }
        ++count.compared;
        if (before[row] == after[row]) continue;
        // DuckDB changes the order in which it looks at conjuncts from one row to the next.
        const bool raises = after[row].state == Tried::State::error;
        if (raises && engine.evaluate_row(input, row).state == Tried::State::error) continue;
        return fmt::format("{}, not {}, at{}", shown(after[row]), shown(before[row]),
                           samples.describe(row));
    }
    return {};
}

// Stops at the first difference where a wrong rule is being looked for.
Count run(Engine& engine, Kind kind, std::size_t cases,
          std::vector<rules::Source> wrong_rule = {}) {
    constexpr std::size_t cases_per_table = 500;
    const bool hunting = !wrong_rule.empty();
    lang::Context context;
    context.semantics = lang::Semantics::of(engine.dialect());
    const std::vector<lang::Column> columns = test::sample_columns(engine.dialect());
    engine.run("drop table if exists samples");
    Samples samples(engine, columns, context);
    REQUIRE(samples.error() == "");
    if (!hunting)
        std::cout << fmt::format("{} boundary values are none of the engine's\n",
                                 samples.refused());
    Simplifier simplifier(context.semantics, std::move(wrong_rule));
    REQUIRE(simplifier.rule_errors().empty());
    SimplifyRequest request;
    request.columns = test::columns_text(columns, context);
    request.limits.nodes = 20'000;
    Count count;
    for (std::uint64_t seed = 1; count.tried < cases; ++seed) {
        if (count.tried++ % cases_per_table == 0) {
            samples.fill(seed);
            REQUIRE(samples.error() == "");
        }
        const bool filter = seed % 2 == 1;
        request.context =
            filter ? SimplifyRequest::Context::filter : SimplifyRequest::Context::value;
        const bool predicate = filter || seed % 4 == 0;
        request.expr = kind == Kind::bound ? bound_text(seed, predicate, columns, context)
                                           : mixed_text(seed, predicate);
        const auto result = simplifier.simplify(request);
        if (const auto* error = std::get_if<RequestError>(&result)) {
            if (!is_taken(engine, request.expr)) continue;
            ++count.refused;
            CHECK_MESSAGE(false, "seed " << seed << ": " << request.expr << ": "
                                         << error->diagnostic.message);
            continue;
        }
        const std::string& answer = std::get<Answer>(result).result;
        if (answer == request.expr) continue;
        count.changed += answer != spelled(request.expr, columns, context);
        const std::string found = difference(engine, samples, request.expr, answer, filter, count);
        if (found.empty()) continue;
        ++count.wrong;
        if (hunting) break;
        const std::string place = fmt::format("seed {}{}", seed, filter ? " as a filter" : "");
        CHECK_MESSAGE(false,
                      place << "\n  " << request.expr << "\n  " << answer << "\n  " << found);
        if (count.wrong > 20) break;
    }
    return count;
}

void check_wrong_rules_are_found(Engine& engine) {
    for (const char* text : {"rule null-or:\n    null or ?p   =>   null\n",
                             "rule turned:\n    ?a < ?b   =>   ?b < ?a\n",
                             "rule dropped:\n    coalesce(?a, ...?rest)   =>   ?a\n"}) {
        const Count count = run(engine, Kind::bound, 5'000, {{"wrong.rules", text}});
        CHECK_MESSAGE(count.wrong > 0, "not found: " << std::string(text));
    }
}

void check_random_expressions(Engine& engine, std::string_view name, std::size_t cases) {
    if (const char* asked = std::getenv("SATURA_RANDOM_CASES"))
        cases = std::strtoull(asked, nullptr, 10);
    for (const Kind kind : {Kind::bound, Kind::mixed}) {
        const Count count = run(engine, kind, cases);
        std::cout << fmt::format(
            "{} random expressions on {}: {} changed ({} %), {} rows compared, {} raised, {} "
            "refused, {} wrong\n",
            count.tried, name, count.changed, count.changed * 100 / std::max<std::size_t>(cases, 1),
            count.compared, count.raised, count.refused, count.wrong);
        CHECK(count.wrong == 0);
        CHECK(count.changed * 10 > cases);     // a test of nothing is no test
        CHECK(count.compared > count.raised);  // nor is one in which all raises
    }
}

}  // namespace

TEST_CASE("PostgreSQL agrees with what is made of random expressions") {
    const test::Found found = test::find_postgres();
    if (!found.engine) {
        MESSAGE("skipped, no PostgreSQL: " << found.why_not);
        return;
    }
    check_wrong_rules_are_found(*found.engine);
    check_random_expressions(*found.engine, "PostgreSQL", 2'500);
}

TEST_CASE("DuckDB agrees with what is made of random expressions") {
    const test::Found found = test::find_duckdb();
    if (!found.engine) {
        MESSAGE("skipped, no DuckDB: " << found.why_not);
        return;
    }
    check_wrong_rules_are_found(*found.engine);
    check_random_expressions(*found.engine, "DuckDB", 1'000);
}
