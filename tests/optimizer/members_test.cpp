// Every member of every class of relations is run on small databases, and so are the chosen plan and its SQL: the rules on plans
// are sound. SATURA_RANDOM_CASES makes the number of random queries (2,000) a tenth of what it says: each is run many times.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "lang/plan_tree.hpp"
#include "lang/sql_plan_write.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/example_check.hpp"
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
        for (std::size_t i = 0; i < engine_->runner->rules().size(); ++i) {
            if (engine_->runner->statistics()[i].applied > 0)
                fired.insert(engine_->runner->rules()[i].name);
        }
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
    std::set<std::string> fired;  // with their operators: join-push[semi]

  private:
    void renew() {
        engine_ = std::make_unique<RuleEngine>(semantics_, more_, RuleEngine::Use::plans);
        for (const std::string& error : engine_->errors) FAIL(error);
    }

    // The alias of the first table in a relation; empty where there is none.
    static std::string first_alias(const lang::Plan& plan, lang::RelationId id) {
        while (plan[id].op != lang::RelOp::scan) {
            if (plan[id].count == 0) return {};
            id = plan.children(id)[0];
        }
        return plan[lang::InstanceId{plan[id].payload}].alias;
    }

    // Inner joins whose right side begins with an alias hs… or ha…: see RandomQuery.
    static void make_half_joins(lang::Plan& plan) {
        for (std::uint32_t i = 0; i < plan.size(); ++i) {
            lang::Relation& join = plan[lang::RelationId{i}];
            if (join.op != lang::RelOp::join || join.join != lang::JoinKind::inner) continue;
            const std::string alias = first_alias(plan, plan.children(lang::RelationId{i})[1]);
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
            if (raises(plan, *database) && !raises(statement.plan, *database)) {
                last_rule = "the choice";
                return fmt::format("an error appears\n{}\n{}", text,
                                   lang::write_plan_tree(plan, plan.root, engine_->context));
            }
        }
        return {};
    }

    bool raises(const lang::Plan& plan, const lang::Database& database) {
        return lang::run(plan, plan.root, database, engine_->context, lang::Mode::raising).state ==
               lang::Outcome::State::error;
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
    int wrong = 0;
    for (std::size_t i = 0; i < cases && wrong < 5; ++i) {
        const std::uint64_t seed = first_seed + i;
        trial.set_schema(seed % 2 == 0 ? test::RandomQuery(~seed).schema_with_checks()
                                       : test::random_query_schema);
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
    const char* asked = std::getenv("SATURA_RANDOM_SEED");
    const std::uint64_t seed = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 1;
    const std::size_t cases = random_cases(), part = cases / 5;
    run_random_queries(postgres(), seed, cases - 2 * part);
    run_random_queries(postgres(lang::NanOrder::ieee), seed + 1'000'000, part);
    run_random_queries(lang::Semantics::of(lang::Dialect::duckdb), seed + 2'000'000, part);
}

TEST_CASE("faults that were found before stay away") {
    const auto run = [](lang::NanOrder nan, std::initializer_list<const char*> queries) {
        Trial trial(postgres(nan));
        trial.set_schema(test::random_query_schema);
        for (const char* sql : queries) {
            const std::string fault = trial.run(sql, {.seed = 1, .random = 200});
            CHECK_MESSAGE(fault.empty(), fault);
        }
        CHECK_MESSAGE(trial.refused == 0, trial.last_refusal);
    };
    run(lang::NanOrder::total,
        {
            // Two texts that one column is equal to: their order being unknown, neither makes the other wrong.
            "select a from t1 where s = '' and s = 'ab'",
            "select t1.a from t1 join t2 on t1.s = t2.s where t1.s = 'a' and t2.s = 'ab'",
            // Below a projection, a text beside a text: no column is left to say both of.
            "select k from (select a as k, '' as s from t1) r where s = 'b'",
            "select r.k from (select a as k, 'a' as s from t1) r join t2 on t2.s = r.s where t2.s "
            "= 'b'",
            // A key that is equal to a column which a projection hides has as many values as there are rows.
            "select t1.a from t1 left join (select id from t2 where id = a) r on true",
            "select t1.a from t1 left join (select id as k from t2 where id = a) r on r.k > 0",
            "select t1.a from t1 left join (select r.k from (select id as k, a as h from t2) r "
            "where r.k = r.h) q on q.k > 0",
            // A column in a class with a CASE over a query that reads the column.
            "select r1.id from t2 r1 where r1.n = case when exists (select 1 from t4 r2 where "
            "r2.id = r1.b) then r1.b else r1.b end",
            // A fact about a column that a projection hides is no predicate above it.
            "select r5.k from (select n as k, id as x from t1 where nullif(id, a) <=> n) r5 right "
            "join t3 r7 on r5.k = r7.a"
            " where (r7.a + 1) = r7.a",
            // A NULL that a side of a set operation came down to has its column's type.
            "select r4.b as x from t3 r4 where r4.id > 1 union all select r3.n as x from t4 r2 "
            "left join t3 r3 on false",
            "select a from t1 where a in (select t3.n from t4 r2 left join t3 on false)",
            // Where a comparison is NULL, AND would still ask what raises.
            "select r1.n from t2 r1 join t3 r2 on r1.a is not distinct from r2.n "
            "where (r1.a / r1.b) = r1.b",
            "select id from (select id, b from t1 where a = 1) x where 1 / b = 2",
            // A column of the query around, handed on by a derived table, is NULL in a padded row.
            "select a from t1 where exists (select 1 from t2 left join (select t1.b as k, a from "
            "t3) w "
            "on w.a = t2.b where w.k is null and t1.b = 5)",
            "select a from t1 where exists (select 1 from t2 left join (select t1.b, count(*) from "
            "t3 "
            "group by t1.b) w on w.b = t2.b where w.b is null and t1.b = 2)",
        });
    run(lang::NanOrder::ieee,
        {
            // NaN is not equal to itself.
            "select x.id from t3 x join t4 y on x.a = y.a where x.n is not null and (x.n = x.n or "
            "y.a = 1)",
            "select id from t4 where (n = n) is true or a = 1",
            // NaN <=> NaN holds.
            "select x.a from t4 x join t4 y on x.n <=> y.n",
            "select id from t3 where n is not null and n::real <=> n",
            "select n from t4 where n is not null and n::real <=> n and (f = f) is null",
            "select x.a from t4 x left join t3 y on x.n <=> y.n where y.n is not null",
            // Nothing is before or after NaN, so it is no bound that another makes needless.
            "select id from t3 where n > 1 and n > 'NaN'::double precision",
            "select id from t3 where n between 0 and 'NaN'::double precision and n < 5",
        });
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

TEST_CASE("all members of the classes of the golden queries have the same rows") {
    Trial trial(postgres());
    for (const auto& path : test::golden_files("tests/data/optimize")) {
        for (const test::Block& block : test::parse_golden(test::read_file(path))) {
            trial.set_schema(example_schema + block.value("schema").value_or(std::string()));
            const std::string fault = trial.run(block.input, {.seed = 1, .random = 20});
            CHECK_MESSAGE(fault.empty(), path.filename().string() << ": " << fault);
        }
    }
    std::cout << summary("golden queries", trial);
    CHECK(trial.queries > 300);
}

namespace {

// Together they make every rule on relations fire.
const std::vector<std::string> small_queries = {
    // pushdown
    "select a from t1 where b = b",
    "select a from t1 where a = 1 and a = 2",
    "select a from t1 where a > 1 and a > 3",
    "select k from (select a as k, b from t1 where b > 1) r where k > 2 and b < 3",
    "select k from (select a + 1 as k, b from t1) r where k > 2",
    "select t1.a from t1 join t2 on t1.a = t2.a where t1.b > 1 and t2.b < t1.id",
    "select t1.a, t2.b from t1 left join t2 on t1.a = t2.a where t1.b > 1",
    "select t1.a from (t1 left join t2 on t1.a = t2.a) join t3 on t1.b = t3.b"
    " where 10 / t2.id > t3.b",
    "select t1.a from t1 join t2 hs1 on t1.a = hs1.a where t1.b > 1",
    "select t1.a from t1 join t2 ha1 on t1.a = ha1.a where t1.b > 1",
    "select t1.a, t2.b, t3.b from (t1 left join t2 on t1.a = t2.a) left join t3 on t1.b = t3.b"
    " where t2.a = t3.a",
    "select t1.a from (t1 left join t2 on t1.a = t2.a) join t3 hs1 on t1.b = hs1.b"
    " where 10 / t2.id > t1.b",
    "select t1.a from (t1 left join t2 on t1.a = t2.a) join t3 ha1 on t1.b = ha1.b"
    " where 10 / t2.id > t1.b",
    "select k from (select t2.a as k, t1.a as l from t1 left join t2 on t1.a = t2.a) r"
    " where 10 / k > l",
    "select a, count(*) as c from t1 group by a having a > 1 and count(*) > 1",
    "select t1.a, t2.a from t1 left join t2 on t2.a = 1 and t2.a = 2 where t2.b is null or t2.f",
    "select t1.a, t2.a from t1 left join t2 on t2.a = 1 and t2.a = 2 where coalesce(t2.a, t1.b) > "
    "1",
    // outer_join
    "select t1.a, t2.b from t1 right join t2 on t1.a = t2.a",
    "select t1.a, t2.b from t1 left join t2 on t1.a = t2.a where t2.b > t1.id",
    "select t1.a, t2.b from t1 left join t2 on t1.a = t2.a where t2.id is null",
    "select t1.a, t2.b from t1 full join t2 on t1.a = t2.a where t1.b > 0",
    "select t1.a, t2.b from t1 full join t2 on t1.a = t2.a where t2.b > 0",
    "select t1.a, t2.b from t1 left join t2 on t1.a < t1.a",
    "select t1.a, t2.b from t1 join t2 on t1.a = 1 and t2.a = 2 and t1.a = t2.a",
    "select t1.a from t1 join t2 hs1 on t1.a = hs1.a and hs1.a = 1 and t1.a = 2",
    "select t1.a from t1 join t2 ha1 on t1.a = ha1.a and ha1.a = 1 and t1.a = 2",
    "select a + 1 as k from (select a from t1 where a = 1 and a > 2 limit 5) r",
    "select x.a, t2.b from (select id, a from t1 where false) x left join t2 on x.a = t2.a",
    "select t1.a, t2.b from (select a from t1 where false) t1 full join t2 on t1.a = t2.a",
    "select t1.a, t2.b from t2 full join (select a from t1 where false) t1 on t1.a = t2.a",
    // constant_propagation
    "select t1.a, t2.b from t1 join t2 on t1.a = t2.a and t1.a > 1 and t1.a > 0",
    "select t1.a from t1 join t2 hs1 on t1.a = hs1.a and t1.a > 1 and t1.a > 0",
    "select t1.a, t2.b from t1 left join t2 on t1.a = t2.a and t1.a > 1 and t1.a > 0",
    "select t1.a from t1 join t2 ha1 on t1.a = ha1.a and t1.a > 1 and t1.a > 0",
    "select t1.a from t1 left join t2 on t1.a = t2.id join t3 on t2.a = t3.b",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) join t3 hs1 on t2.a = hs1.b",
    "select t3.id from t3 join (t1 left join t2 on t1.a = t2.id) on t2.a = t3.b",
    "select t3.id from t3 left join (t1 left join t2 on t1.a = t2.id) on t2.a = t3.b",
    "select t3.id from t3 join (t1 hs1 left join t2 on hs1.a = t2.id) on t2.a = t3.b",
    "select t3.id from t3 join (t1 ha1 left join t2 on ha1.a = t2.id) on t2.a = t3.b",
    "select t1.a, t2.b from (t1 join t2 on t1.a = t2.a and t1.b = 1) join t3 on t1.b = t3.b"
    " and t3.b = 1",
    "select t1.a, t2.b from t3 join (t1 join t2 on t1.a = t2.a and t1.b = t2.b) on t1.b = t3.b"
    " and t2.b = t3.b",
    "select t1.a, t2.b from (t1 join t2 on t1.a = t2.a and t1.b = t2.b) join t3 on t1.b = t3.b"
    " and t2.b = t3.b",
    "select t1.a, t2.b from t3 left join (t1 join t2 on t1.a = t2.a and t1.b = t2.b) on"
    " t1.b = t3.b and t2.b = t3.b",
    "select t3.a from t3 join (t1 hs1 join t2 on hs1.a = t2.a and hs1.b = t2.b) on"
    " hs1.b = t3.b and t2.b = t3.b",
    "select t3.a from t3 join (t1 ha1 join t2 on ha1.a = t2.a and ha1.b = t2.b) on"
    " ha1.b = t3.b and t2.b = t3.b",
    "select t1.a from t1 join t2 hs1 on t1.a = hs1.a and t1.a = 1",
    "select t1.a from t1 join t2 ha1 on t1.a = ha1.a and ha1.a = 1",
    // narrow
    "select t1.a from t1 left join t2 on t1.a = t2.id",
    "select count(*) as c from t1 left join t2 on t1.a = t2.id",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) left join t3 on t1.b = t3.id",
    "select t1.a from t1 left join t2 on t1.a = t2.id where 1 / t1.b = 1",
    "select t1.a, t3.id from (t1 left join t2 on t1.a = t2.id) left join t3 on t1.b = t3.a",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) join t3 on t1.b <> t3.b",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) full join t3 on t1.b = t3.b",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) join t3 hs1 on t1.b = hs1.b",
    "select t1.a from (t1 left join t2 on t1.a = t2.id) join t3 ha1 on t1.b = ha1.b",
    // dedup
    "select distinct id, a from t1",
    "select distinct t1.a from t1 left join t2 on t1.b = t2.b",
    "select distinct t1.a from t1 left join t2 on t1.b = t2.b where t1.b > 1",
    "select t1.a from t1 left join t2 on t1.b = t2.b union select a from t3",
    "select t1.a from t1 left join t2 on t1.b = t2.b intersect select a from t3",
    "select t1.a from t1 left join t2 on t1.b = t2.b except select a from t3",
    "select t1.a, max(t1.b) as m from t1 left join t2 on t1.b = t2.b group by t1.a",
    "select t1.a from t1 join (t2 hs1 left join t3 on hs1.b = t3.b) on t1.a = hs1.a",
    "select t1.a from t1 join (t2 ha1 left join t3 on ha1.b = t3.b) on t1.a = ha1.a",
    "select a from t1 where exists (select 1 from t2 left join t3 on t2.b = t3.b where t2.a = "
    "t1.a)",
    "select a from t1 where a in (select distinct b from t2)",
    "select a from t1 where a in (select t2.a + 1 from t2 left join t3 on t2.b = t3.b)",
    "select distinct x.a from (t1 x left join t2 on x.b = t2.b) join t3 on x.id = t3.a",
    "select distinct x.a from (t1 x left join t2 on x.b = t2.b) left join t3 on x.id = t3.a"
    " where t3.a is null or t3.b = 1",
    "select distinct x.a from (t1 x left join t2 on x.b = t2.b) full join t3 on x.id = t3.a",
    "select distinct x.a from (t1 x left join t2 on x.b = t2.b) join t3 hs1 on x.id = hs1.a",
    "select distinct x.a from (t1 x left join t2 on x.b = t2.b) join t3 ha1 on x.id = ha1.a",
    "select t1.a, count(*) as c from t1 left join t2 on t1.b = t2.b group by t1.a",
    "select a from t1 where a in (select x.a from t1 x left join t2 on x.b <> t2.b order by x.a"
    " limit 2)",
    // other operators, which no rule takes apart
    "select distinct t1.a from t1 left join t2 on t1.a = t2.a where t2.b > 0",
    "select a from t1 where b > 0 union select a from t2 where b = b",
    "select t1.a, r.x from t1, lateral (select t2.b as x from t2 where t2.a = t1.a and t2.b > 0) r",
    "with c as (select a, b from t1 where b > 0) select x.a, y.b from c x full join c y on x.a = "
    "y.b",
    "select a from t1 where exists (select 1 from t2 left join t3 on t2.a = t3.a where t2.b = t1.b"
    " and t3.b > 0)",
    "select a from t1 order by a limit 1",
};

bool is_on_relations(const rules::RuleBook& book, const rules::BookRule& rule) {
    const std::string& file = book.sources[rule.source].name;
    return rule.phase > 0 || file.find("narrow") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "small queries make every rule on relations fire, and all members agree on all tables of two "
    "rows") {
    Trial trial(postgres());
    trial.set_schema(test::random_query_schema);
    for (const std::string& sql : small_queries) {
        const std::string fault =
            trial.run(sql, {.seed = 3, .random = 60, .rows_max = 3, .all_max = 150});
        CHECK_MESSAGE(fault.empty(), fault);
    }
    CHECK_MESSAGE(trial.refused == 0, trial.last_refusal);
    const RuleEngine& engine = trial.engine();
    for (const egraph::Rule& rule : engine.runner->rules()) {
        const auto index = engine.book.find(rule.name.substr(0, rule.name.find('[')));
        if (!index || !is_on_relations(engine.book, engine.book.rules[*index])) continue;
        CHECK_MESSAGE(trial.fired.contains(rule.name), rule.name << " did not fire");
    }
    std::cout << summary("small queries", trial);
}

TEST_CASE("wrong rules on relations are found") {
    struct Wrong {
        std::string name;
        std::string rule;
    };
    for (const Wrong& wrong : std::vector<Wrong>{
             {"left", "left(?P, ?l, ?r)   =>   inner(?P, ?l, ?r)"},
             {"right", "right(?P, ?l, ?r)   =>   left(?P, ?l, ?r)"},
             {"full", "full(?P, ?l, ?r)   =>   left(?P, ?l, ?r)"},
             {"inner", "inner(?P, ?l, ?r)   =>   left(?P, ?l, ?r)"},
             {"semi", "semi(?P, ?l, ?r)   =>   ?l"},
             {"anti", "anti(?P, ?l, ?r)   =>   semi(?P, ?l, ?r)"},
             {"filter", "filter(?T, ?r)   =>   ?r"},
             {"pad", "pad(?C, ?r)   =>   empty(?D)\n    let ?D = columns(?C, ?r)"},
             {"empty",
              "project(?s, empty(?C), ...?items)   =>   project(?s, pad(?C, one_row), ...?items)"},
             {"project",
              "project(?s, filter(?T, ?r), ...?items)   =>   project(?s, ?r, ...?items)"},
             {"aggregate",
              "aggregate(?s, filter(?T, ?r), ...?items)   =>   aggregate(?s, ?r, ...?items)"},
             {"groups",
              "filter(?T, aggregate(?s, ?r, ...?items))   =>   aggregate(?s, ?r, ...?items)"},
             {"distinct", "distinct(?s, ?r)   =>   ?r"},
             {"union",
              "union(?s, project(?p, filter(?T, ?l), ...?items), ?r)"
              "   =>   union(?s, project(?p, ?l, ...?items), ?r)"},
             {"topn", "topn(?s, ?r, ...?items)   =>   ?r"},
             {"with",
              "with(?s, project(?p, filter(?T, ?l), ...?items), ?r)"
              "   =>   with(?s, project(?p, ?l, ...?items), ?r)"},
             {"lateral", "barrier_join(?s, ?l, ?r, ...?items)   =>   inner(no, ?l, ?r)"},
             {"commuted-left", "left(?P, ?l, ?r)   =>   left(?P, ?r, ?l)"},
             {"on-of-left",
              "filter(?T, left(?P, ?l, ?r))   =>   left(?V, ?l, ?r)\n    let ?V = merged(?T, ?P)"},
             {"preserved",
              "left(?P, ?l, ?r)   =>   left(?P, filter(?in, ?l), ?r)\n    let ?F = close(?P, ?l, "
              "?r)\n"
              "    let ?in = within(?F, ?l, ?r)\n    where says_something(?in)"},
             {"padded",
              "filter(?T, left(?P, ?l, ?r))   =>   filter(?T, pad(?C, ?l))\n    let ?C = "
              "columns(?r)"},
             {"reduced", "filter(?T, full(?P, ?l, ?r))   =>   filter(?T, inner(?P, ?l, ?r))"},
             {"narrow", "narrow(?C, left(?P, ?l, ?r))   =>   narrow(?C, inner(?P, ?l, ?r))"},
             {"dedup",
              "dedup(?C, inner(?P, ?l, ?r))   =>   dedup(?C, ?l)\n    where unread(?C, ?r)"},
             {"dedup-counted",
              "aggregate(?s, ?r, ...?items)   =>   aggregate(?s, dedup(?C, ?r), ...?items)\n"
              "    let ?C = read_by(?s, ?r, ...?items)\n    where loose(?r)"},
             {"dedup-left-out", "dedup(?C, ?r)   =>   ?r"},
             {"dedup-limit",
              "dedup(?C, topn(?s, ?r, ...?items))   =>   dedup(?C, topn(?s, dedup(?C, ?r), "
              "...?items))\n    where loose(?r)"},
         }) {
        Trial trial(postgres(),
                    {{"wrong.rules", "rule wrong-" + wrong.name + ":\n    " + wrong.rule + "\n"}});
        trial.set_schema(test::random_query_schema);
        bool is_found = false;
        for (const std::string& sql : small_queries) {
            const std::string fault = trial.run(sql, {.seed = 3, .random = 30, .rows_max = 3});
            if (fault.empty()) continue;
            is_found = true;
            CHECK_MESSAGE(trial.last_rule.starts_with("wrong-"),
                          wrong.name << " is blamed on " << trial.last_rule << "\n"
                                     << fault);
            break;
        }
        CHECK_MESSAGE(is_found, wrong.name << " is not found");
    }
}

TEST_CASE("a rule on relations is checked by its examples") {
    const auto check = [](const std::string& text, const std::string& name) {
        RuleEngine engine(postgres(), {{"more.rules", text}}, RuleEngine::Use::plans);
        for (const std::string& error : engine.errors) FAIL(error);
        return check_examples(engine, engine.book.rules[*engine.book.find(name)]);
    };
    const ExampleCheck right = check("", "left-to-inner");
    CHECK(right.examples == 1);
    CHECK(right.cases > 1'000);
    CHECK_MESSAGE(right.counterexample.empty(), right.counterexample);
    const ExampleCheck wrong = check(
        "rule wrong:\n    left(?P, ?l, ?r)   =>   inner(?P, ?l, ?r)\n"
        "    example select t1.id from t1 left join t2 on t1.a = t2.a   =>   select t1.id from "
        "t1\n",
        "wrong");
    CHECK(wrong.counterexample.find("by wrong") != std::string::npos);
    const ExampleCheck idle = check(
        "rule idle:\n    left(?P, ?l, ?r)   =>   inner(?P, ?l, ?r)\n"
        "    example select t1.id from t1   =>   select t1.id from t1\n",
        "idle");
    CHECK(idle.mistake.find("does not fire") != std::string::npos);
    const ExampleCheck bare = check("rule bare:\n    filter(yes, ?r)   =>   ?r\n", "bare");
    CHECK(bare.examples == 0);
}
