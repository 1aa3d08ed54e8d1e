#include "lang/sql_expr.hpp"

#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_bind.hpp"
#include "lang/sql_parse.hpp"

namespace satura::lang {
namespace {

// A list of columns without a table. Names are compared as PostgreSQL does, other dialects ignore case.
class ColumnList : public Scope {
  public:
    ColumnList(std::span<const Column> columns, Dialect dialect)
        : columns_(columns), dialect_(dialect) {}

    Result<Found> column(std::span<const std::string_view> parts) const override {
        const std::string_view name = parts.back();
        if (parts.size() > 1) {
            return Diagnostic{"unknown-column",
                              {},
                              fmt::format("there is no table \"{}\"", parts[parts.size() - 2]),
                              "columns of an expression are named without a table"};
        }
        std::optional<std::uint32_t> found;
        for (std::uint32_t i = 0; i < columns_.size(); ++i) {
            if (!same(columns_[i].name, name)) continue;
            if (found)
                return Diagnostic{
                    "ambiguous-column", {}, fmt::format("column \"{}\" is ambiguous", name), ""};
            found = i;
        }
        if (!found)
            return Diagnostic{
                "unknown-column", {}, fmt::format("column \"{}\" does not exist", name), ""};
        return Found{*found, columns_[*found].type};
    }

  private:
    bool same(std::string_view a, std::string_view b) const {
        if (dialect_ == Dialect::postgres) return a == b;
        const auto lower = [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        };
        return std::ranges::equal(a, b, {}, lower, lower);
    }

    std::span<const Column> columns_;
    Dialect dialect_;
};

bool is_extra(int kind) {
    switch (kind) {
        case PG_QUERY__TOKEN__ASCII_44:
        case PG_QUERY__TOKEN__ASCII_59:
        case PG_QUERY__TOKEN__AS:
        case PG_QUERY__TOKEN__FROM:
        case PG_QUERY__TOKEN__WHERE:
        case PG_QUERY__TOKEN__GROUP_P:
        case PG_QUERY__TOKEN__HAVING:
        case PG_QUERY__TOKEN__ORDER:
        case PG_QUERY__TOKEN__LIMIT:
        case PG_QUERY__TOKEN__OFFSET:
        case PG_QUERY__TOKEN__FETCH:
        case PG_QUERY__TOKEN__FOR:
        case PG_QUERY__TOKEN__INTO:
        case PG_QUERY__TOKEN__WINDOW:
        case PG_QUERY__TOKEN__UNION:
        case PG_QUERY__TOKEN__INTERSECT:
        case PG_QUERY__TOKEN__EXCEPT:
            return true;
        default:
            return false;
    }
}

// The first token outside brackets that goes on after an expression; an alias without AS is the last token.
Span place_of_extra(const ParsedSql& sql) {
    int depth = 0;
    Span last;
    for (const Token& token : sql.tokens()) {
        if (token.begin < sql.user_begin() || token.begin >= sql.user_end()) continue;
        last = {sql.offset(token.begin), sql.offset(token.end)};
        if (token.kind == PG_QUERY__TOKEN__ASCII_40 || token.kind == PG_QUERY__TOKEN__ASCII_91)
            ++depth;
        if (token.kind == PG_QUERY__TOKEN__ASCII_41 || token.kind == PG_QUERY__TOKEN__ASCII_93)
            --depth;
        if (depth == 0 && is_extra(token.kind)) return last;
    }
    return last;
}

// The one target of `SELECT text`; nothing when the text is more or less than one expression.
const PgQuery__Node* single_expression(const ParsedSql& sql) {
    const PgQuery__ParseResult& tree = sql.tree();
    if (tree.n_stmts != 1 || tree.stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return nullptr;
    const PgQuery__SelectStmt& s = *tree.stmts[0]->stmt->select_stmt;
    const bool bare =
        s.op == PG_QUERY__SET_OPERATION__SETOP_NONE && s.n_target_list == 1 &&
        s.n_distinct_clause == 0 && s.into_clause == nullptr && s.n_from_clause == 0 &&
        s.where_clause == nullptr && s.n_group_clause == 0 && s.having_clause == nullptr &&
        s.n_window_clause == 0 && s.n_sort_clause == 0 && s.limit_offset == nullptr &&
        s.limit_count == nullptr && s.n_locking_clause == 0 && s.with_clause == nullptr;
    if (!bare) return nullptr;
    const PgQuery__ResTarget& target = *s.target_list[0]->res_target;
    const bool named = target.name != nullptr && target.name[0] != '\0';
    // SELECT ALL x, and a semicolon at the end, leave no trace in the tree.
    const std::size_t first = sql.user_begin();
    const bool all = static_cast<std::size_t>(std::max(0, target.location)) > first &&
                     sql.tokens().size() > 1 && sql.tokens()[1].kind == PG_QUERY__TOKEN__ALL;
    const std::size_t semicolon = sql.text().find(';');
    const bool ends = semicolon != std::string_view::npos && !sql.tokens().empty() &&
                      sql.tokens().back().kind == PG_QUERY__TOKEN__ASCII_59;
    return named || all || ends ? nullptr : target.val;
}

}  // namespace

Result<ExprId> parse_expr(std::string_view text, std::span<const Column> columns, Exprs& exprs,
                          Context& context) {
    const auto sql = parse_sql(text, context.semantics.dialect, "SELECT ");
    if (!sql) return sql.error();
    const PgQuery__Node* expression = single_expression(*sql);
    if (expression == nullptr) {
        return Diagnostic{"syntax-error", place_of_extra(*sql),
                          "one expression is expected here and nothing else", ""};
    }
    return bind_expr(*expression, *sql, ColumnList(columns, context.semantics.dialect), exprs,
                     context);
}

}  // namespace satura::lang
