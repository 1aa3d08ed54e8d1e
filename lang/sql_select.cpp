#include "lang/sql_select.hpp"

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_parse.hpp"
#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

// The tokens of a statement, without the semicolon.
Span place_of(const ParsedSql& sql, const PgQuery__RawStmt& raw) {
    const auto& tokens = sql.tokens();
    const std::size_t first =
        sql.token_at(static_cast<std::uint32_t>(std::max(0, raw.stmt_location)));
    if (first >= tokens.size()) return {};
    const std::uint32_t end = raw.stmt_len > 0
                                  ? static_cast<std::uint32_t>(raw.stmt_location + raw.stmt_len)
                                  : sql.user_end();
    std::size_t last = sql.token_at(end);
    while (last > first && (last == tokens.size() || tokens[last].end > end ||
                            tokens[last].kind == PG_QUERY__TOKEN__ASCII_59)) {
        --last;
    }
    return {sql.offset(tokens[first].begin), sql.offset(tokens[last].end)};
}

// The query as it stands.
void keep_whole(Statement& statement) {
    statement.plan = Plan();
    statement.result.clear();
    OpaqueRelation opaque;
    append_escaped(opaque.text, statement.text);
    opaque.is_query = true;
    opaque.columns_known = false;
    Relation relation{RelOp::opaque};
    relation.payload = 0;
    statement.plan.opaques.push_back(std::move(opaque));
    statement.plan.root = statement.plan.add(relation, {});
}

std::optional<Diagnostic> bind_statement(const PgQuery__RawStmt& raw, const ParsedSql& sql,
                                         const Catalog& catalog, Context& context,
                                         Statement& statement) {
    statement.span = place_of(sql, raw);
    const std::string_view user = sql.written().substr(sql.user_begin());
    statement.text = user.substr(statement.span.begin, statement.span.end - statement.span.begin);
    const bool query = raw.stmt->node_case == PG_QUERY__NODE__NODE_SELECT_STMT &&
                       raw.stmt->select_stmt->into_clause == nullptr;
    if (!query) return std::nullopt;
    statement.kind = Statement::Kind::query;
    QueryBinder binder(sql, catalog, context, statement.plan);
    auto bound = binder.run(*raw.stmt->select_stmt);
    if (!bound && bound.error().code == "unsupported") {
        keep_whole(statement);
        statement.warnings.push_back(
            {"opaque-query", statement.span,
             "this query uses a construct that has no plan and is kept as it is", ""});
        return std::nullopt;
    }
    if (!bound) return bound.error();
    for (OutputColumn& column : bound->columns)
        statement.result.push_back({std::move(column.name), column.column});
    return std::nullopt;
}

}  // namespace

Result<Statements> parse_statements(std::string_view text, const Catalog& catalog,
                                    Context& context) {
    const auto sql = parse_sql(text, context.semantics.dialect);
    if (!sql) return sql.error();
    Statements statements;
    for (std::size_t i = 0; i < sql->tree().n_stmts; ++i) {
        Statement& statement = statements.emplace_back();
        if (auto error = bind_statement(*sql->tree().stmts[i], *sql, catalog, context, statement))
            return *error;
    }
    return statements;
}

}  // namespace satura::lang
