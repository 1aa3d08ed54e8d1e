// Queries that are claimed to be equal have the same rows on random databases: pairs of a query and a small change of it, and
// of a query and its own answer. SATURA_RANDOM_CASES makes the number of random queries (150) a hundredth of what it says.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "lang/plan_tree.hpp"
#include "lang/random_tables.hpp"
#include "lang/run_plan.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/optimizer.hpp"
#include "tests/golden.hpp"
#include "tests/optimizer/mutate_query.hpp"
#include "tests/optimizer/random_query.hpp"

using namespace satura;

namespace {

// Asks for equality, and runs both queries where it is claimed.
class Judge {
  public:
    explicit Judge(lang::Semantics semantics, std::vector<rules::Source> more = {})
        : optimizer_(semantics, std::move(more)) {
        for (const std::string& error : optimizer_.rule_errors()) FAIL(error);
        context_.semantics = std::move(semantics);
        limits_.nodes = 20'000;
        limits_.time_ms = 300;
    }

    void set_schema(const std::string& ddl) {
        if (const auto error = optimizer_.set_schema(ddl)) FAIL(error->message);
        catalog_ = {};
        if (!catalog_.read(ddl, context_)) FAIL("the schema is not read: " << ddl);
    }

    // What shows that a claim is false; empty if there is none, or all is well.
    std::string compare(const std::string& first, const std::string& second, std::uint64_t seed) {
        const auto result = optimizer_.prove_equal({first, limits_}, second);
        if (!std::holds_alternative<EqualAnswer>(result)) {
            ++refused;
            return {};
        }
        ++asked;
        const bool is_claimed = std::get<EqualAnswer>(result).is_equal;
        claimed += is_claimed;
        if (!is_claimed) return {};
        const auto a = bind(first), b = bind(second);
        const lang::Plan* plans[] = {&a->plan, &b->plan};
        const lang::TableMaker maker(catalog_, plans, context_);
        for (std::uint64_t i = 0; i < databases; ++i) {
            const auto database = maker.random(
                {.seed = seed * 100 + i, .rows_max = static_cast<std::uint32_t>(2 + i % 4)});
            if (!database) continue;
            const auto before = rows(*a, *database), after = rows(*b, *database);
            if (!before || !after) {
                ++unknown;
                continue;
            }
            ++compared;
            if (lang::same_rows(*before, *after)) continue;
            return fmt::format("{}\n{}\n{}{}", first, second, tree(a->plan), tree(b->plan));
        }
        return {};
    }

    std::optional<std::string> optimized(const std::string& sql) {
        const auto result = optimizer_.optimize({sql, limits_});
        if (const auto* answer = std::get_if<OptimizeAnswer>(&result)) return answer->result;
        return std::nullopt;
    }

    bool is_claimed(const std::string& first, const std::string& second) {
        const auto result = optimizer_.prove_equal({first, limits_}, second);
        const auto* answer = std::get_if<EqualAnswer>(&result);
        if (answer == nullptr) {
            const auto& error = std::get<RequestError>(result);
            FAIL(first << "\n" << second << "\n" << error.diagnostic.message);
        }
        return answer->is_equal;
    }

    std::uint64_t databases = 16;
    std::size_t asked = 0, refused = 0, claimed = 0, compared = 0, unknown = 0;

  private:
    std::optional<lang::Statement> bind(const std::string& sql) {
        auto statements = lang::parse_statements(sql, catalog_, context_);
        REQUIRE(bool(statements));
        return std::move(statements->front());
    }

    std::optional<std::vector<lang::Row>> rows(const lang::Statement& statement,
                                               const lang::Database& database) {
        const lang::RunOutcome outcome =
            lang::run(statement.plan, statement.plan.root, database, context_);
        if (outcome.state != lang::Outcome::State::value) return std::nullopt;
        std::vector<lang::ColumnId> columns;
        for (const lang::ResultColumn& column : statement.result) columns.push_back(column.column);
        return lang::rows_over(outcome.bag, columns);
    }

    std::string tree(const lang::Plan& plan) {
        return lang::write_plan_tree(plan, plan.root, context_);
    }

    Optimizer optimizer_;
    lang::Context context_;
    lang::Catalog catalog_;
    egraph::Limits limits_;
};

lang::Semantics postgres() { return lang::Semantics::of(lang::Dialect::postgres); }

std::size_t random_cases() {
    const char* asked = std::getenv("SATURA_RANDOM_CASES");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) / 100 : 150;
}

std::uint64_t first_seed() {
    const char* asked = std::getenv("SATURA_RANDOM_SEED");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
}

std::string summary(const std::string& what, const Judge& judge) {
    return fmt::format("{}: {} pairs ({} refused), {} claimed equal, {} comparisons, {} unknown\n",
                       what, judge.asked, judge.refused, judge.claimed, judge.compared,
                       judge.unknown);
}

// The query with others around it.
std::string dressed(const std::string& sql, std::uint64_t how) {
    switch (how % 12) {
        case 0:
            return "select * from (" + sql + ") z";
        case 1:
            return "with z as (" + sql + ") select z.* from z";
        case 2:
            return "select distinct * from (" + sql + ") z";
        case 3:
            return "select * from (" + sql + " limit 2) z";
        case 4:
            return "select * from (" + sql + ") z order by 1 limit 3";
        case 5:
            return "select id from t1 where exists (" + sql + ")";
        case 6:
            return "select id from t1 where b > 0 and not exists (" + sql + ")";
        case 7:
            return "select x.id, z.* from t1 x left join (" + sql + ") z on x.a = x.b";
        case 8:
            return "select id, (select count(*) from (" + sql + ") z) from t2";
        case 9:
            return "(" + sql + ") union all (" + sql + ")";
        case 10:
            return "select count(*), 1 as one from (" + sql + ") z group by 2";
        default:
            return sql;
    }
}

constexpr std::uint64_t mutants_per_query = 8;

// The first false claim among a query and its mutants.
std::string first_false_claim(Judge& judge, std::uint64_t seed) {
    const std::string sql = test::RandomQuery(seed).sql();
    for (std::uint64_t i = 0; i < mutants_per_query; ++i) {
        const std::uint64_t own = seed * mutants_per_query + i;
        const std::string other = test::mutate_query(sql, own);
        const std::string fault = judge.compare(
            dressed(sql, own / 5), dressed(other, own / (own % 3 == 0 ? 35 : 5)), seed + i);
        if (!fault.empty()) return fault;
    }
    return {};
}

}  // namespace

TEST_CASE("no two queries that differ are claimed to be equal") {
    for (const auto& [dialect, offset] :
         {std::pair{lang::Dialect::postgres, 0}, std::pair{lang::Dialect::duckdb, 1'000'000}}) {
        Judge judge(lang::Semantics::of(dialect));
        judge.set_schema(test::random_query_schema);
        int wrong = 0;
        const std::size_t cases = std::max<std::size_t>(random_cases() / 2, 20);
        for (std::size_t i = 0; i < cases && wrong < 5; ++i) {
            const std::uint64_t seed = first_seed() + static_cast<std::uint64_t>(offset) + i;
            const std::string fault = first_false_claim(judge, seed);
            if (fault.empty()) continue;
            ++wrong;
            CHECK_MESSAGE(false, "seed " << seed << ":\n" << fault);
        }
        std::cout << summary("changed queries", judge);
        CHECK(judge.claimed * 20 > judge.asked);  // a test of nothing is no test
        CHECK(judge.compared > judge.unknown);
    }
}

TEST_CASE("the test of claims finds wrong rules") {
    for (const char* text :
         {"rule wrong:\n    left(?P, ?l, ?r)   =>   inner(?P, ?l, ?r)\n",
          "rule wrong:\n    ?a < ?b   =>   ?a <= ?b\n", "rule wrong:\n    ?p or ?q   =>   ?p\n"}) {
        Judge judge(postgres(), {{"wrong.rules", text}});
        judge.set_schema(test::random_query_schema);
        std::string fault;
        for (std::uint64_t seed = 1; seed <= 400 && fault.empty(); ++seed)
            fault = first_false_claim(judge, seed);
        CHECK_MESSAGE(!fault.empty(), "not found: " << std::string(text));
    }
}

TEST_CASE("a query and its own answer are equal") {
    Judge judge(postgres());
    judge.set_schema(test::random_query_schema);
    for (std::size_t i = 0; i < random_cases(); ++i) {
        const std::uint64_t seed = first_seed() + 2'000'000 + i;
        const std::string sql = test::RandomQuery(seed).sql();
        const auto answer = judge.optimized(sql);
        if (!answer) continue;
        const std::string fault = judge.compare(sql, *answer, seed);
        CHECK_MESSAGE(fault.empty(), "seed " << seed << ":\n" << fault);
    }
    std::cout << summary("random queries and their answers", judge);
    CHECK(judge.claimed * 10 > judge.asked * 7);
}

TEST_CASE("the cases of joins and their answers are equal") {
    const auto shared = test::shared_folder();
    if (!shared) {
        MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
        return;
    }
    Judge judge(postgres());
    std::ifstream in(*shared / "cases" / "joins.jsonl");
    for (std::string line; std::getline(in, line);) {
        const auto fields = nlohmann::json::parse(line);
        judge.set_schema(fields.at("schema"));
        const std::string sql = fields.at("sql");
        const auto answer = judge.optimized(sql);
        if (!answer) continue;
        const std::string fault = judge.compare(sql, *answer, 1);
        CHECK_MESSAGE(fault.empty(), fields.at("id").get<std::string>() << ":\n" << fault);
    }
    std::cout << summary("cases of joins and their answers", judge);
    CHECK(judge.claimed * 10 > judge.asked * 9);
}
