#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include "lang/sql_expr.hpp"
#include "lang/sql_parse.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

constexpr std::string_view before = "CREATE TABLE t(";

Diagnostic wrong(const ParsedSql& sql, std::int64_t location, std::string message) {
    return {"syntax-error", sql.span_of_token(location), std::move(message), ""};
}

bool is_not_null(const PgQuery__ColumnDef& column) {
    if (column.is_not_null) return true;
    for (std::size_t i = 0; i < column.n_constraints; ++i) {
        if (column.constraints[i]->node_case != PG_QUERY__NODE__NODE_CONSTRAINT) continue;
        const PgQuery__ConstrType kind = column.constraints[i]->constraint->contype;
        if (kind == PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL ||
            kind == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY)
            return true;
    }
    return false;
}

}  // namespace

Result<std::vector<Column>> parse_columns(std::string_view text, Context& context) {
    const auto sql = parse_sql(text, context.semantics.dialect, before, "\n)");
    if (!sql) return sql.error();
    const PgQuery__ParseResult& tree = sql->tree();
    if (tree.n_stmts != 1 || tree.stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_CREATE_STMT) {
        return wrong(*sql, sql->user_end(),
                     "a list of columns is expected: \"x integer, y text not null\"");
    }
    const PgQuery__CreateStmt& create = *tree.stmts[0]->stmt->create_stmt;
    const bool plain = create.n_inh_relations == 0 && create.n_constraints == 0 &&
                       create.n_options == 0 && create.partspec == nullptr &&
                       create.tablespacename[0] == '\0';
    if (!plain)
        return wrong(*sql, sql->user_begin(), "a list of columns is expected and nothing else");
    std::vector<Column> columns;
    for (std::size_t i = 0; i < create.n_table_elts; ++i) {
        if (create.table_elts[i]->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) {
            return wrong(*sql, sql->user_begin(),
                         "a list of columns is expected, without constraints of the table");
        }
        const PgQuery__ColumnDef& definition = *create.table_elts[i]->column_def;
        if (definition.type_name == nullptr)
            return wrong(*sql, definition.location, "a column needs a type");
        const auto type = bind_type(*definition.type_name, *sql, context);
        if (!type) {
            return wrong(
                *sql, definition.type_name->location,
                fmt::format("the type of column \"{}\" cannot be read", definition.colname));
        }
        for (const Column& other : columns) {
            if (other.name == definition.colname) {
                Diagnostic twice =
                    wrong(*sql, definition.location,
                          fmt::format("column \"{}\" is listed twice", definition.colname));
                twice.code = "duplicate-column";
                return twice;
            }
        }
        columns.push_back({definition.colname, *type, !is_not_null(definition)});
    }
    return columns;
}

}  // namespace satura::lang
