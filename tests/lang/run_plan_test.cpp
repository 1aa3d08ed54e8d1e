// The evaluator of plans: golden cases, laws of the operators on random tables, and pairs of queries that must be alike
// or must not.
#include "lang/run_plan.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lang/random_tables.hpp"
#include "tests/golden.hpp"
#include "tests/lang/plan_test.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

using State = Outcome::State;

// The rows of the statement's result, by position.
std::optional<std::vector<Row>> result_rows(const Statement& statement, const Database& database,
                                            const Context& context) {
    const RunOutcome out = run(statement.plan, statement.plan.root, database, context);
    if (out.state != State::value) return std::nullopt;
    std::vector<ColumnId> columns;
    for (const ResultColumn& column : statement.result) columns.push_back(column.column);
    return rows_over(out.bag, columns);
}

struct World {
    std::string schema;
    std::map<std::string, std::string> rows;  // VALUES lists by table
};

Database load(const World& world, const BoundText& bound) {
    Database database;
    database.tables.resize(bound.catalog.size());
    for (const auto& [name, list] : world.rows) {
        BoundText values;
        bind_text("", "values " + list, Dialect::postgres, values);
        REQUIRE(values.error == "");
        const auto id = bound.catalog.find("", name, Dialect::postgres);
        REQUIRE(id.has_value());
        auto rows = result_rows(values.statements[0], {}, values.context);
        REQUIRE(rows.has_value());
        const auto& columns = bound.catalog[*id].columns;
        for (Row& row : *rows) {
            for (std::size_t c = 0; c < row.size(); ++c) {
                const Type from =
                    values.statements[0].plan[values.statements[0].result[c].column].type;
                row[c] =
                    cast_value(row[c], from, columns[c].type, bound.context.semantics, Mode::total)
                        .value;
            }
        }
        database.tables[static_cast<std::uint32_t>(*id)] = std::move(*rows);
    }
    return database;
}

std::string run_command(const Block& block, const World& world) {
    BoundText bound;
    bind_text(world.schema, block.input, Dialect::postgres, bound);
    if (!bound.error.empty()) return bound.error;
    const Statement& statement = bound.statements.at(0);
    const Database database = load(world, bound);
    const Mode mode = block.has("raising") ? Mode::raising : Mode::total;
    RunOutcome out = run(statement.plan, statement.plan.root, database, bound.context, mode);
    if (out.state == State::unknown) return "cannot say: " + out.reason;
    if (out.state == State::error) return "error: " + out.reason;
    Bag result;
    for (const ResultColumn& column : statement.result) result.columns.push_back(column.column);
    result.rows = rows_over(out.bag, result.columns);
    return result.rows.empty() ? "no rows" : bag_text(result, statement.plan);
}

// Two queries over one schema.
struct Pair {
    BoundText bound;
    const Statement& left() const { return bound.statements[0]; }
    const Statement& right() const { return bound.statements[1]; }
};

bool bind_pair(const std::string& schema, const std::string& left, const std::string& right,
               Pair& out) {
    bind_text(schema, left + "\n;\n" + right, Dialect::postgres, out.bound);
    return out.bound.error.empty() && out.bound.statements.size() == 2;
}

struct Compared {
    int said = 0;       // databases on which both have a result
    int with_rows = 0;  // among them, those with a row
    int different = 0;
    std::uint64_t first_different = 0;  // its seed
};

Compared compare_on(const Pair& pair, int databases, bool until_different, std::uint64_t seed = 1) {
    const std::array plans{&pair.left().plan, &pair.right().plan};
    const TableMaker maker(pair.bound.catalog, plans, pair.bound.context);
    Compared out;
    for (int i = 0; i < databases && !(until_different && out.different > 0); ++i) {
        RandomTables options;
        options.seed = seed + static_cast<std::uint64_t>(i);
        const auto database = maker.random(options);
        if (!database) continue;
        const auto left = result_rows(pair.left(), *database, pair.bound.context);
        const auto right = result_rows(pair.right(), *database, pair.bound.context);
        if (!left || !right) continue;
        ++out.said;
        if (!left->empty() || !right->empty()) ++out.with_rows;
        if (same_rows(*left, *right)) continue;
        if (out.different++ == 0) out.first_different = options.seed;
    }
    return out;
}

const std::string law_schema =
    "create table a(k int primary key, x int, y int); create table b(k int primary key, x int, z "
    "int);";

struct Law {
    const char* name;
    const char* left;
    const char* right;
};

// P stands for the predicate between a and b.
constexpr std::array laws{
    Law{"left join is inner join and padded anti join", "select * from a left join b on P",
        "select * from a join b on P union all select *, null::int, null::int, null::int from a "
        "where not exists "
        "(select 1 from b where P)"},
    Law{"full join is left join and the padded rest", "select * from a full join b on P",
        "select * from a left join b on P union all select null::int, null::int, null::int, * from "
        "b where not exists "
        "(select 1 from a where P)"},
    Law{"right join is left join swapped", "select a.*, b.* from a right join b on P",
        "select a.*, b.* from b left join a on P"},
    Law{"a filter over an inner join is its condition", "select * from a cross join b where P",
        "select * from a join b on P"},
    Law{"semi and anti join share the left side",
        "select * from a where exists (select 1 from b where P) union all select * from a where "
        "not exists (select 1 "
        "from b where P)",
        "select * from a"},
    Law{"a lateral side is a join",
        "select a.*, l.* from a left join lateral (select * from b where P) l on true",
        "select * from a left join b on P"},
    Law{"a filter on the left side passes a left join",
        "select * from a left join b on P where a.x > 1",
        "select * from (select * from a where x > 1) a left join b on P"},
    Law{"a condition on the right side of a left join passes below",
        "select * from a left join b on P and b.z > 1",
        "select * from a left join (select * from b where z > 1) b on P"},
    Law{"a rejecting filter makes a left join inner",
        "select * from a left join b on P where b.z > 1",
        "select * from a join b on P where b.z > 1"},
    Law{"distinct is grouping", "select distinct a.x, b.z from a full join b on P",
        "select a.x, b.z from a full join b on P group by a.x, b.z"},
};

constexpr std::array predicates{"a.x = b.x",
                                "a.x = b.x and a.y > b.z",
                                "a.x is not distinct from b.x",
                                "a.x < b.x or a.y = 1",
                                "coalesce(a.x, 1) = b.z",
                                "a.y is null or b.z is null",
                                "not (a.x = b.x)",
                                "a.x in (b.x, b.z, 2)",
                                "case when a.y = 1 then b.x = 2 end"};

std::string with_predicate(std::string text, const std::string& predicate) {
    const std::string written = '(' + predicate + ')';
    for (std::size_t at = text.find('P'); at != std::string::npos;
         at = text.find('P', at + written.size())) {
        text.replace(at, 1, written);
    }
    return text;
}

std::vector<nlohmann::json> join_cases() {
    std::vector<nlohmann::json> lines;
    if (!shared_folder()) return lines;
    std::ifstream in(*shared_folder() / "cases" / "joins.jsonl");
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

}  // namespace

TEST_CASE("golden files of queries and their rows") {
    for (const auto& path : golden_files("tests/data/run_plan")) {
        World world;
        run_golden(path, [&](const Block& block) -> std::string {
            if (block.command == "with-schema") {
                world = {block.input, {}};
                return "ok";
            }
            if (block.command == "rows") {
                world.rows[block.arguments.at(0).name] = block.input;
                return "ok";
            }
            return block.command == "run" ? run_command(block, world) : "unknown command";
        });
    }
}

TEST_CASE("laws of joins hold on random tables") {
    int with_rows = 0;
    int said = 0;
    for (const Law& law : laws) {
        for (const char* predicate : predicates) {
            Pair pair;
            CAPTURE(std::string(law.name));
            CAPTURE(std::string(predicate));
            REQUIRE(bind_pair(law_schema, with_predicate(law.left, predicate),
                              with_predicate(law.right, predicate), pair));
            const Compared compared = compare_on(pair, 30, false);
            CHECK(compared.said == 30);
            CHECK(compared.different == 0);
            said += compared.said;
            with_rows += compared.with_rows;
        }
    }
    MESSAGE("laws: " << with_rows << " of " << said << " comparisons had rows");
    CHECK(with_rows * 10 >= said * 6);
}

TEST_CASE("wrong laws of joins are refuted on all tiny tables") {
    constexpr std::array wrong{
        Law{"", "select a.x from a left join b on a.x = b.x", "select a.x from a"},
        Law{"", "select a.x from a left join b on a.x = b.x and a.y = 1",
            "select a.x from a left join b on a.x = b.x"},
        Law{"", "select x from a where x not in (select x from b)",
            "select x from a where not exists (select 1 from b where a.x = b.x)"},
        Law{"", "select x from a union select x from a", "select x from a"},
    };
    const std::string schema = "create table a(x int, y int); create table b(x int);";
    for (const Law& law : wrong) {
        CAPTURE(std::string(law.left));
        Pair pair;
        REQUIRE(bind_pair(schema, law.left, law.right, pair));
        const std::array plans{&pair.left().plan, &pair.right().plan};
        const TableMaker maker(pair.bound.catalog, plans, pair.bound.context);
        bool refuted = false;
        int visited = 0;
        maker.all({}, [&](const Database& database) {
            ++visited;
            refuted = !same_rows(*result_rows(pair.left(), database, pair.bound.context),
                                 *result_rows(pair.right(), database, pair.bound.context));
            return !refuted;
        });
        CAPTURE(visited);
        CHECK(refuted);
    }
}

TEST_CASE("random tables keep their constraints and repeat") {
    BoundText bound;
    bind_text(
        "create table p(id int primary key, n int not null check (n > 1), u int unique);"
        "create table c(id int primary key, p int not null references p, q int references p(u), t "
        "text);",
        "select * from c left join p on c.p = p.id where p.n > 7 and t like 'ab%'",
        Dialect::postgres, bound);
    REQUIRE(bound.error == "");
    const std::array plans{static_cast<const Plan*>(&bound.statements[0].plan)};
    const TableMaker maker(bound.catalog, plans, bound.context);
    std::size_t children = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto database = maker.random({.seed = seed});
        REQUIRE(database.has_value());
        const auto again = maker.random({.seed = seed});
        for (std::size_t t = 0; t < 2; ++t) CHECK(same_rows(database->tables[t], again->tables[t]));
        for (const Row& row : database->tables[0]) {
            CHECK(!row[0].is_null());
            CHECK(row[1].small() > 1);
        }
        for (const Row& row : database->tables[1]) {
            const auto meets = [&](const Row& p) { return identical(p[0], row[1]); };
            CHECK(std::ranges::any_of(database->tables[0], meets));
        }
        children += database->tables[1].size();
    }
    CHECK(children > 200);
}

TEST_CASE("wrong forms of joins are told apart, right ones are not") {
    const auto cases = join_cases();
    if (cases.empty()) {
        MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
        return;
    }
    int pairs = 0;
    int compared_pairs = 0;
    int with_rows = 0;
    int wrong = 0;
    int refuted = 0;
    int not_said_wrong = 0;
    std::string not_said;
    std::string missed;
    for (const auto& line : cases) {
        const std::string id = line.at("id");
        CAPTURE(id);
        const std::string schema = line.at("schema");
        const std::string sql = line.at("sql");
        if (line.contains("expected_sql") && line["expected_sql"].is_string()) {
            Pair pair;
            REQUIRE(bind_pair(schema, sql, line["expected_sql"], pair));
            const Compared compared = compare_on(pair, 60, false);
            CAPTURE(compared.first_different);
            CHECK(compared.different == 0);
            ++pairs;
            if (compared.said > 0) ++compared_pairs;
            if (compared.said == 0) not_said += ' ' + id;
            if (compared.with_rows > 0) ++with_rows;
        }
        if (line.contains("wrong_sql") && line["wrong_sql"].is_string()) {
            Pair pair;
            REQUIRE(bind_pair(schema, sql, line["wrong_sql"], pair));
            ++wrong;
            const Compared compared = compare_on(pair, 300, true);
            if (compared.different > 0) ++refuted;
            if (compared.with_rows == 0) ++not_said_wrong;
            if (compared.different == 0) missed += ' ' + id;
        }
    }
    MESSAGE("right forms: " << compared_pairs << " of " << pairs << " compared, " << with_rows
                            << " with rows; not:" << not_said);
    MESSAGE("wrong forms: " << refuted << " of " << wrong << " refuted, nothing can be said of "
                            << not_said_wrong << "; not:" << missed);
    CHECK(compared_pairs * 100 >= pairs * 95);
    CHECK(refuted + not_said_wrong == wrong);
    CHECK(not_said_wrong <= 3);
}
