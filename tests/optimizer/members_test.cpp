// Every member of every class of relations is run on small databases, and so are the chosen plan and its SQL: the rules on plans
// are sound. SATURA_RANDOM_CASES makes the number of random queries (2,000) a tenth of what it says: each is run many times.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "lang/plan_tree.hpp"
#include "lang/sql_plan_write.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/plan_check.hpp"
#include "optimizer/plan_search.hpp"
#include "tests/golden.hpp"
#include "tests/optimizer/random_query.hpp"

using namespace satura;

namespace {

struct Databases {
    std::uint64_t seed = 1;
    std::uint32_t random = 10;
    std::uint32_t rows_max = 5;
    std::uint64_t all_max = 0;  // of all databases with tables of up to two rows
};

// Optimizes queries and compares all that is equal.
class Trial {
  public:
    explicit Trial(lang::Semantics semantics, std::vector<rules::Source> more = {})
        : semantics_(std::move(semantics)), more_(std::move(more)) {
        renew();
    }

    void set_schema(const std::string& ddl) {
        schema_ = ddl;
        catalog_ = {};
        if (!catalog_.read(schema_, engine_->context)) FAIL("the schema is not read: " << schema_);
    }

    // What differs, or an error; empty if all is well.
    std::string run(const std::string& sql, const Databases& databases) {
        if (engine_->is_bloated()) {
            renew();
            set_schema(schema_);
        }
        auto statements = lang::parse_statements(sql, catalog_, engine_->context);
        if (!statements) {
            ++refused;
            last_refusal = statements.error().message;
            return {};
        }
        ++queries;
        lang::Statement& statement = statements->front();
        make_half_joins(statement.plan);
        engine_->reset();
        PlanSearch search(*engine_, catalog_, statement.plan);
        egraph::Limits limits;
        limits.nodes = 20'000;
        limits.time_ms = 5'000;
        if (search.saturate(limits).stop != egraph::StopReason::saturated) ++unsaturated;
        for (const auto& [rule, times] : engine_->applied_rules()) fired.insert(rule);
        std::string fault = compare_members(search, databases);
        if (fault.empty()) fault = compare_chosen(search, statement, databases);
        if (fault.empty()) return fault;
        return sql + "\n" +
               lang::write_plan_tree(statement.plan, statement.plan.root, engine_->context) + fault;
    }

    RuleEngine& engine() { return *engine_; }

    std::size_t queries = 0, refused = 0, unsaturated = 0, changed = 0;
    std::string last_refusal;
    std::string last_rule;  // of the last difference
    PlanCheckCounts counts;
    std::uint64_t chosen_compared = 0, chosen_unknown = 0;
    std::set<std::string> fired;

  private:
    void renew() {
        engine_ = std::make_unique<RuleEngine>(semantics_, more_, RuleEngine::Use::plans);
        for (const std::string& error : engine_->errors) FAIL(error);
    }

    // Inner joins with a table under an alias that begins with hs or ha: see RandomQuery.
    static void make_half_joins(lang::Plan& plan) {
        for (std::uint32_t i = 0; i < plan.size(); ++i) {
            lang::Relation& join = plan[lang::RelationId{i}];
            if (join.op != lang::RelOp::join || join.join != lang::JoinKind::inner) continue;
            const lang::Relation& right = plan[plan.children(lang::RelationId{i})[1]];
            if (right.op != lang::RelOp::scan) continue;
            const std::string& alias = plan[lang::InstanceId{right.payload}].alias;
            if (alias.starts_with("hs")) join.join = lang::JoinKind::semi;
            if (alias.starts_with("ha")) join.join = lang::JoinKind::anti;
        }
    }

    std::string compare_members(PlanSearch& search, const Databases& databases) {
        PlanCheck check(*engine_, catalog_, search.input());
        check.run_random({.seed = databases.seed, .rows_max = databases.rows_max},
                         databases.random);
        if (databases.all_max > 0) check.run_all({}, databases.all_max);
        const PlanCheckCounts& more = check.counts();
        counts.classes += more.classes;
        counts.members += more.members;
        counts.facts += more.facts;
        counts.databases += more.databases;
        counts.compared += more.compared;
        counts.unknown += more.unknown;
        if (!check.difference()) return {};
        last_rule = check.difference()->rule;
        return check.difference()->text;
    }

    std::string compare_chosen(PlanSearch& search, const lang::Statement& statement,
                               const Databases& databases) {
        const ChosenPlan chosen = search.choose();
        if (chosen.is_input) return {};
        ++changed;
        const lang::Plan& plan = chosen.decoded.plan;
        const std::string text =
            lang::write_query(plan, statement.result, catalog_, engine_->context).text;
        auto written = lang::parse_statements(text, catalog_, engine_->context);
        if (!written) return "the SQL does not bind: " + text + "\n" + written.error().message;
        const lang::Statement& again = written->front();
        const lang::Plan* plans[] = {&statement.plan, &plan, &again.plan};
        const lang::TableMaker maker(catalog_, plans, engine_->context);
        for (std::uint32_t i = 0; i < databases.random; ++i) {
            const auto database = maker.random({.seed = databases.seed + 1'000 + i});
            if (!database) continue;
            const auto before = rows(statement.plan, statement.result, *database);
            for (const bool is_text : {false, true}) {
                const auto after = is_text ? rows(again.plan, again.result, *database)
                                           : rows(plan, statement.result, *database);
                ++chosen_compared;
                if (!before || !after) {
                    ++chosen_unknown;
                } else if (!lang::same_rows(*before, *after)) {
                    last_rule = is_text ? "the writer" : "the choice";
                    return fmt::format("{} differs\n{}\n{}", last_rule, text,
                                       lang::write_plan_tree(plan, plan.root, engine_->context));
                }
            }
        }
        return {};
    }

    std::optional<std::vector<lang::Row>> rows(const lang::Plan& plan,
                                               const std::vector<lang::ResultColumn>& result,
                                               const lang::Database& database) {
        const lang::RunOutcome outcome =
            lang::run(plan, plan.root, database, engine_->context, lang::Mode::total);
        if (outcome.state != lang::Outcome::State::value) return std::nullopt;
        std::vector<lang::ColumnId> columns;
        for (const lang::ResultColumn& column : result) columns.push_back(column.column);
        return lang::rows_over(outcome.bag, columns);
    }

    lang::Semantics semantics_;
    std::vector<rules::Source> more_;
    std::unique_ptr<RuleEngine> engine_;
    std::string schema_;
    lang::Catalog catalog_;
};

lang::Semantics postgres(lang::NanOrder nan = lang::NanOrder::total) {
    lang::Semantics semantics = lang::Semantics::of(lang::Dialect::postgres);
    semantics.nan = nan;
    return semantics;
}

std::string summary(const std::string& what, const Trial& trial) {
    return fmt::format(
        "{}: {} queries ({} refused, {} changed, {} at a limit), {} members of {} classes, {} "
        "facts, "
        "{} comparisons on {} databases, {} unknown; {} of chosen plans, {} unknown\n",
        what, trial.queries, trial.refused, trial.changed, trial.unsaturated, trial.counts.members,
        trial.counts.classes, trial.counts.facts, trial.counts.compared, trial.counts.databases,
        trial.counts.unknown, trial.chosen_compared, trial.chosen_unknown);
}

std::size_t random_cases() {
    const char* asked = std::getenv("SATURA_RANDOM_CASES");
    return asked != nullptr ? std::strtoull(asked, nullptr, 10) / 10 : 2'000;
}

void run_random_queries(lang::Semantics semantics, std::uint64_t first_seed, std::size_t cases) {
    Trial trial(std::move(semantics));
    trial.set_schema(test::random_query_schema);
    int wrong = 0;
    for (std::size_t i = 0; i < cases && wrong < 5; ++i) {
        const std::uint64_t seed = first_seed + i;
        const std::string fault = trial.run(test::RandomQuery(seed).sql(), {.seed = seed});
        if (fault.empty()) continue;
        ++wrong;
        CHECK_MESSAGE(false, "seed " << seed << ": " << fault);
    }
    std::cout << summary("random queries", trial);
    CHECK(trial.refused * 10 < cases);
    CHECK(trial.changed * 2 > cases);
    CHECK(trial.counts.unknown * 10 < trial.counts.compared);
}

}  // namespace

TEST_CASE("all members of the classes of random queries have the same rows") {
    const char* seed = std::getenv("SATURA_RANDOM_SEED");
    run_random_queries(postgres(), seed != nullptr ? std::strtoull(seed, nullptr, 10) : 1,
                       random_cases());
}

TEST_CASE("all members of the classes of the cases of joins have the same rows") {
    const auto shared = test::shared_folder();
    if (!shared) {
        MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
        return;
    }
    Trial trial(postgres());
    std::ifstream in(*shared / "cases" / "joins.jsonl");
    for (std::string line; std::getline(in, line);) {
        const auto fields = nlohmann::json::parse(line);
        trial.set_schema(fields.at("schema"));
        for (const char* field : {"sql", "expected_sql"}) {
            if (!fields.contains(field) || !fields[field].is_string()) continue;
            const std::string fault = trial.run(fields[field], {.seed = 1, .random = 4});
            CHECK_MESSAGE(fault.empty(), fields.at("id").get<std::string>() << ": " << fault);
        }
    }
    std::cout << summary("cases of joins", trial);
    CHECK(trial.queries > 500);
}
