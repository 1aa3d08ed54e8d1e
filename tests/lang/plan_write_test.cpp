// Plans to SQL: golden files, plans that no query binds to, and queries that people wrote.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lang/sql_plan_write.hpp"
#include "tests/golden.hpp"
#include "tests/lang/plan_test.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

Dialect dialect_of(const Block& block) {
    bool found = true;
    const Dialect dialect = dialect_from_name(block.value("dialect").value_or("postgres"), found);
    return found ? dialect : Dialect::postgres;
}

// The text of a query's plan; a second line where the text of that is another.
std::string write_command(const std::string& schema, const std::string& sql, Dialect dialect) {
    BoundText first;
    bind_text(schema, sql, dialect, first);
    if (!first.error.empty()) return first.error;
    std::string out;
    for (const Statement& statement : first.statements) {
        const Written written = write_statement(statement, first.catalog, first.context);
        out += written.text + (written.exact ? "\n" : "  -- not exact\n");
        if (statement.kind == Statement::Kind::other) continue;
        BoundText second;
        bind_text(schema, written.text, dialect, second);
        if (!second.error.empty()) {
            out += second.error;
            continue;
        }
        const Written again =
            write_statement(second.statements.at(0), second.catalog, second.context);
        if (again.text != written.text) out += "and then: " + again.text + '\n';
    }
    return out;
}

// Builds plans over t1, t2 and t3 of the schema below that the reader of SQL does not make.
struct Made {
    Context context;
    Catalog catalog;
    Plan plan;

    Made() {
        REQUIRE(catalog.read(
            "create table t1(id int, a int, b int); create table t2(id int, a int, b int);"
            "create table t3(id int, a int, b int);",
            context));
    }
    RelationId scan(const std::string& table, const std::string& alias = "") {
        TableInstance instance;
        instance.table = catalog.find("", table, Dialect::postgres);
        instance.name = table;
        instance.alias = alias;
        const auto id = static_cast<std::uint32_t>(plan.instances.size());
        for (std::uint32_t i = 0; i < 3; ++i) {
            const Column& column = catalog[*instance.table].columns[i];
            instance.columns.push_back(
                plan.add_column({column.name, column.type, true, id, i, false}));
        }
        plan.instances.push_back(instance);
        Relation relation{RelOp::scan};
        relation.payload = id;
        return plan.add(relation, {});
    }
    ExprId column(RelationId scan, std::uint32_t ordinal) {
        const ColumnId id = plan.instances[plan[scan].payload].columns[ordinal];
        return plan.exprs.add(Op::column, plan[id].type, static_cast<std::uint32_t>(id), {});
    }
    ExprId number(int value) {
        const Type type(TypeKind::integer);
        const LiteralId id = context.literals.intern(type, Value::integer(value));
        return plan.exprs.add(Op::literal, type, static_cast<std::uint32_t>(id), {});
    }
    ExprId compare(Op op, ExprId a, ExprId b) {
        return plan.exprs.add(op, Type(TypeKind::boolean), 0, std::array{a, b});
    }
    RelationId filter(RelationId input, ExprId predicate) {
        Relation relation{RelOp::filter};
        relation.payload = static_cast<std::uint32_t>(predicate);
        return plan.add(relation, std::array{input});
    }
    RelationId join(JoinKind kind, RelationId left, RelationId right, ExprId condition) {
        Relation relation{RelOp::join};
        relation.join = kind;
        relation.payload = static_cast<std::uint32_t>(condition);
        return plan.add(relation, std::array{left, right});
    }
    std::string text(RelationId root, std::initializer_list<ExprId> columns) {
        plan.root = root;
        std::vector<ResultColumn> result;
        for (const ExprId column : columns) {
            const ColumnId id{plan.exprs[column].payload};
            result.push_back({plan[id].name, id});
        }
        const Written written = write_query(plan, result, catalog, context);
        CHECK(written.exact);
        return written.text;
    }
};

}  // namespace

TEST_CASE("golden files of plans as SQL") {
    for (const auto& path : golden_files("tests/data/plan_write")) {
        std::string schema;
        run_golden(path, [&](const Block& block) -> std::string {
            if (block.command == "with-schema") {
                schema = block.input;
                return "ok";
            }
            if (block.command != "write") return "unknown command";
            return write_command(block.has("open") ? "" : schema, block.input, dialect_of(block));
        });
    }
}

TEST_CASE("filters below joins go where they mean the same") {
    for (const auto& [kind, text] :
         {std::pair{JoinKind::inner,
                    "select t1.b, t2.b from t1 join t2 on t1.a = t2.a where t1.b > 1 and t2.b > 2"},
          std::pair{
              JoinKind::left,
              "select t1.b, t2.b from t1 left join t2 on t1.a = t2.a and t2.b > 2 where t1.b > 1"},
          std::pair{
              JoinKind::right,
              "select t1.b, t2.b from t1 right join t2 on t1.a = t2.a and t1.b > 1 where t2.b > 2"},
          std::pair{JoinKind::full,
                    "select t1.b, t2.b from (select id, a, b from t1 where b > 1) as t1 full join "
                    "(select id, a, b "
                    "from t2 where b > 2) as t2 on t1.a = t2.a"}}) {
        Made made;
        const RelationId t1 = made.scan("t1");
        const RelationId t2 = made.scan("t2");
        const RelationId left =
            made.filter(t1, made.compare(Op::gt, made.column(t1, 2), made.number(1)));
        const RelationId right =
            made.filter(t2, made.compare(Op::gt, made.column(t2, 2), made.number(2)));
        const ExprId on = made.compare(Op::eq, made.column(t1, 1), made.column(t2, 1));
        CHECK(made.text(made.join(kind, left, right, on),
                        {made.column(t1, 2), made.column(t2, 2)}) == text);
    }
}

TEST_CASE("semi and anti joins are EXISTS, and two tables of one name are told apart") {
    Made made;
    const RelationId t1 = made.scan("t1");
    const RelationId t2 = made.scan("t2");
    const RelationId again = made.scan("t1");
    const RelationId some =
        made.filter(t2, made.compare(Op::gt, made.column(t2, 2), made.number(2)));
    const RelationId semi = made.join(JoinKind::semi, t1, some,
                                      made.compare(Op::eq, made.column(t1, 1), made.column(t2, 1)));
    const RelationId anti =
        made.join(JoinKind::anti, semi, again,
                  made.compare(Op::eq, made.column(t1, 0), made.column(again, 0)));
    CHECK(made.text(anti, {made.column(t1, 0)}) ==
          "select id from t1 where exists (select 1 from t2 where b > 2 and t1.a = a) and not "
          "exists (select 1 from t1 "
          "as t1_2 where t1.id = id)");
    const RelationId t3 = made.scan("t3");
    const RelationId twice = made.scan("t3");
    CHECK(made.text(made.join(JoinKind::left, t3, made.join(JoinKind::inner, twice, semi, no_expr),
                              made.compare(Op::eq, made.column(t3, 0), made.column(twice, 0))),
                    {made.column(t3, 0), made.column(twice, 0)})
              .starts_with("select t3.id, q1.id from t3 left join (select"));
}

namespace {

struct Count {
    int all = 0;
    int bound = 0;
    int same = 0;
    std::vector<std::string> faults;
};

void check_round_trip(const std::string& id, const std::string& schema, const std::string& sql,
                      Count& count) {
    CAPTURE(id);
    ++count.all;
    BoundText first;
    bind_text(schema, sql, Dialect::postgres, first);
    if (!first.error.empty()) return;
    ++count.bound;
    const std::string out = write_command(schema, sql, Dialect::postgres);
    const bool same =
        out.find("and then: ") == std::string::npos && out.find("error: ") == std::string::npos;
    if (same) {
        ++count.same;
    } else {
        count.faults.push_back(id + ": " + out);
    }
}

void report(const std::string& name, const Count& count) {
    MESSAGE(name << ": " << count.same << " of " << count.bound
                 << " bound queries come back the same");
    if (std::getenv("SATURA_VERBOSE") == nullptr) return;
    for (const std::string& fault : count.faults) MESSAGE(fault);
}

}  // namespace

TEST_CASE("queries come back from their text as the same text") {
    const auto folder = shared_folder();
    if (!folder) {
        MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
        return;
    }
    Count joins;
    std::ifstream cases(*folder / "cases" / "joins.jsonl");
    for (std::string line; std::getline(cases, line);) {
        const auto body = nlohmann::json::parse(line);
        for (const char* field : {"sql", "expected_sql"}) {
            if (!body.contains(field) || !body[field].is_string()) continue;
            check_round_trip(body.at("id").get<std::string>() + '/' + field, body.at("schema"),
                             body[field], joins);
        }
    }
    report("cases of joins", joins);
    CHECK(joins.same == joins.bound);
    for (const char* name : {"tpch", "tpcds", "job", "ssb"}) {
        const auto place = *folder / "corpora" / name;
        if (!std::filesystem::exists(place / "schema.sql")) continue;
        const std::string schema = read_file(place / "schema.sql");
        Count count;
        for (const auto& entry : std::filesystem::directory_iterator(place / "queries")) {
            check_round_trip(entry.path().filename().string(), schema, read_file(entry.path()),
                             count);
        }
        report(name, count);
        CHECK(count.same * 100 >= count.bound * 95);
    }
}
