#include "tests/lang/plan_test.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <unordered_set>

#include "lang/plan_tree.hpp"
#include "lang/sql_expr.hpp"
#include "tests/golden.hpp"

using namespace satura::lang;

namespace satura::test {

void bind_text(const std::string& schema, const std::string& sql, Dialect dialect, BoundText& out) {
    out.context.semantics = Semantics::of(dialect);
    const auto read = out.catalog.read(schema, out.context);
    if (!read) {
        out.schema_failed = true;
        out.error_code = read.error().code;
        out.error = render(read.error(), "schema", schema);
        return;
    }
    auto statements = parse_statements(sql, out.catalog, out.context);
    if (!statements) {
        out.error_code = statements.error().code;
        out.error = render(statements.error(), "query", sql);
        return;
    }
    out.statements = std::move(*statements);
}

namespace {

using Ids = std::unordered_set<std::uint32_t>;

// Columns that the expressions of a relation read; those that subqueries read are among their
// children.
Ids read_columns(const Plan& plan, RelationId relation) {
    Ids read;
    std::unordered_set<std::uint32_t> seen;
    std::vector<ExprId> open = own_expressions(plan, relation);
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        if (!seen.insert(static_cast<std::uint32_t>(id)).second) continue;
        if (plan.exprs[id].op == Op::column) read.insert(plan.exprs[id].payload);
        for (const ExprId child : plan.exprs.children(id)) open.push_back(child);
    }
    return read;
}

Ids as_set(const std::vector<ColumnId>& columns) {
    Ids out;
    for (const ColumnId column : columns) out.insert(static_cast<std::uint32_t>(column));
    return out;
}

// The free columns of each relation, children first.
std::vector<Ids> free_columns(const Plan& plan, const std::vector<RelationId>& relations) {
    std::vector<Ids> free(plan.size());
    for (const RelationId id : relations) {
        Ids& mine = free[static_cast<std::uint32_t>(id)];
        Ids inputs;
        for (const RelationId child : plan.children(id)) {
            const auto columns = as_set(output_columns(plan, child));
            inputs.insert(columns.begin(), columns.end());
        }
        const bool lateral = plan[id].op == RelOp::join && plan[id].lateral;
        for (const std::uint32_t column : read_columns(plan, id)) {
            if (!inputs.contains(column)) mine.insert(column);
        }
        for (const RelationId child : plan.children(id)) {
            for (const std::uint32_t column : free[static_cast<std::uint32_t>(child)]) {
                if (!(lateral && inputs.contains(column))) mine.insert(column);
            }
        }
    }
    return free;
}

}  // namespace

std::string plan_fault(const Statement& statement) {
    const Plan& plan = statement.plan;
    const auto relations = reachable(plan, plan.root);
    const std::vector<Ids> free = free_columns(plan, relations);
    for (const std::uint32_t column : free[static_cast<std::uint32_t>(plan.root)]) {
        return fmt::format("column {} of the root is made nowhere", plan.columns[column].name);
    }
    for (std::size_t i = 0; i < plan.exprs.size(); ++i) {
        const ExprId id{static_cast<std::uint32_t>(i)};
        if (plan.exprs[id].op < Op::exists) continue;
        const Subquery& subquery = plan[SubqueryId{plan.exprs[id].payload}];
        const auto children = plan.exprs.children(id);
        Ids outer;
        for (std::size_t k = subquery.operands; k < children.size(); ++k) {
            outer.insert(plan.exprs[children[k]].payload);
        }
        if (!std::ranges::binary_search(relations, subquery.relation)) continue;
        for (const std::uint32_t column : free[static_cast<std::uint32_t>(subquery.relation)]) {
            if (!outer.contains(column)) {
                return fmt::format("outer column {} of a subquery is no child of it",
                                   plan.columns[column].name);
            }
        }
    }
    const Ids made = as_set(output_columns(plan, plan.root));
    for (const ResultColumn& column : statement.result) {
        if (!made.contains(static_cast<std::uint32_t>(column.column))) {
            return fmt::format("the root has no column {}", column.name);
        }
    }
    return {};
}

namespace {

Dialect dialect_of(const Block& block) {
    bool found = true;
    const Dialect dialect = dialect_from_name(block.value("dialect").value_or("postgres"), found);
    return found ? dialect : Dialect::postgres;
}

std::string plan_command(const Block& block, const std::string& schema) {
    BoundText bound;
    bind_text(block.has("open") ? "" : schema, block.input, dialect_of(block), bound);
    if (!bound.error.empty()) return bound.error;
    std::string out;
    for (const Statement& statement : bound.statements) {
        if (statement.kind == Statement::Kind::other) {
            out += "kept: " + statement.text + '\n';
            continue;
        }
        out += write_plan_tree(statement.plan, statement.plan.root, bound.context);
        if (block.has("result")) {
            const auto names = plan_column_names(statement.plan, dialect_of(block));
            out += "result:";
            for (const ResultColumn& column : statement.result) {
                out += fmt::format(" {}={}", column.name,
                                   names[static_cast<std::uint32_t>(column.column)]);
                out += ':' + write_type(statement.plan[column.column].type, bound.context);
            }
            out += '\n';
        }
        for (const Diagnostic& warning : statement.warnings)
            out += "warning: " + warning.message + '\n';
        if (const std::string fault = plan_fault(statement); !fault.empty())
            out += "FAULT: " + fault + '\n';
    }
    return out;
}

std::string names_of(const Table& table, const std::vector<std::uint32_t>& columns) {
    std::string out;
    for (const std::uint32_t column : columns)
        out += (out.empty() ? "" : ", ") + table.columns[column].name;
    return '(' + out + ')';
}

std::string describe(const Table& table, const Context& context) {
    std::string out = (table.schema.empty() ? "" : table.schema + '.') + table.name + '\n';
    std::vector<Column> columns = table.columns;
    for (const Column& column : columns) {
        out += fmt::format("  {} {}{}\n", column.name, write_type(column.type, context),
                           column.nullable ? "" : " not null");
    }
    for (const Key& key : table.keys) {
        out +=
            fmt::format("  {} {}{}\n", key.primary ? "primary key" : "key",
                        names_of(table, key.columns), key.nulls_distinct ? " where not null" : "");
    }
    for (const ForeignKey& key : table.foreign_keys) {
        out += "  foreign key " + names_of(table, key.columns) + " to " + key.table + '(';
        for (std::size_t i = 0; i < key.referenced.size(); ++i)
            out += (i == 0 ? "" : ", ") + key.referenced[i];
        out += ")\n";
    }
    for (const Check& check : table.checks) {
        out += "  check " +
               (check.root ? write_expr(table.check_exprs, *check.root, columns, context)
                           : "unbound " + check.text) +
               '\n';
    }
    for (const Index& index : table.indexes) {
        out += fmt::format("  {}index {} {}{}\n", index.unique ? "unique " : "", index.name,
                           names_of(table, index.columns), index.partial ? " partial" : "");
    }
    return out;
}

std::string schema_command(const Block& block) {
    Context context;
    context.semantics = Semantics::of(dialect_of(block));
    Catalog catalog;
    const auto warnings = catalog.read(block.input, context);
    if (!warnings) return render(warnings.error(), "schema", block.input);
    std::string out;
    for (std::uint32_t i = 0; i < catalog.size(); ++i)
        out += describe(catalog[TableId{i}], context);
    for (const Diagnostic& warning : *warnings) {
        const Place place = place_of(block.input, warning.span.begin);
        out += fmt::format("warning at {}:{}: {}\n", place.line, place.column, warning.message);
    }
    return out;
}

std::string repeated(const std::string& first, const std::string& more, int times) {
    std::string text = first;
    for (int i = 0; i < times; ++i) text += more;
    return text;
}

}  // namespace
}  // namespace satura::test

using namespace satura::test;

TEST_CASE("golden files of catalogs and plans") {
    for (const auto& path : golden_files("tests/data/plan")) {
        std::string schema;
        run_golden(path, [&](const Block& block) -> std::string {
            if (block.command == "schema") return schema_command(block);
            if (block.command == "with-schema") {
                schema = block.input;
                return "ok";
            }
            return block.command == "plan" ? plan_command(block, schema) : "unknown command";
        });
    }
}

TEST_CASE("long chains of a query are bound in about linear time") {
    constexpr int links = 10'000;
    const std::string schema = "create table t(a int, b int)";
    struct Chain {
        std::string first;
        std::string more;
    };
    for (const Chain& chain : {Chain{"select a from t", " union select b from t"},
                               Chain{"select null", " union all select 1"},
                               Chain{"select a from t where a > 0", " and b > 1"},
                               Chain{"select a from t where a = 1", " or b in (1, 2)"},
                               Chain{"select a", ", a + b from t order by b, a" + std::string()},
                               Chain{"values (1, 'x')", ", (2, null)"}}) {
        CAPTURE(chain.first);
        const bool list = chain.more.find("order by") != std::string::npos;
        const std::string text =
            list ? repeated("select a", ", a + b", links) + " from t group by a, b order by 1"
                 : repeated(chain.first, chain.more, links);
        const auto start = std::chrono::steady_clock::now();
        BoundText bound;
        bind_text(schema, text, Dialect::postgres, bound);
        CHECK(bound.error.substr(bound.error.rfind("error") == std::string::npos
                                     ? 0
                                     : bound.error.rfind("error")) == "");
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        CHECK(seconds.count() < 60);
    }
}

TEST_CASE("nested queries are bound or refused with a position") {
    const std::string schema = "create table t(a int, b int)";
    for (const int levels : {50, 99, 500, 3'000}) {
        CAPTURE(levels);
        for (const auto& [open, close] :
             {std::pair{"select * from (", ") s"}, std::pair{"select a from t where exists (", ")"},
              std::pair{"select a from t where a in (", ")"},
              std::pair{"select a from t where a between (", ") and 2.5"}}) {
            const std::string text =
                repeated("", open, levels) + "select a from t" + repeated("", close, levels);
            BoundText bound;
            bind_text(schema, text, Dialect::postgres, bound);
            if (levels < 100) CHECK(bound.error == "");
            if (levels > 100)
                CHECK((bound.error_code == "too-deep" || bound.error_code == "syntax-error"));
        }
    }
}
