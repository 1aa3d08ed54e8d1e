// ORDER BY, LIMIT, OFFSET, FETCH.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <array>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

bool nulls_first_by_default(Dialect dialect, bool descending) {
    switch (dialect) {
        case Dialect::postgres:
            return descending;
        case Dialect::duckdb:
            return false;
        default:
            return !descending;
    }
}

}  // namespace

SortKey QueryBinder::sort_key(const PgQuery__Node& node, ExprId expr) {
    const PgQuery__SortBy& sort = *node.sort_by;
    SortKey key;
    key.expr = expr;
    key.descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    if (sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING) {
        for (std::size_t i = 0; i < sort.n_use_op; ++i) {
            if (i > 0) key.using_operator += '.';
            key.using_operator += string_of(*sort.use_op[i]);
        }
        key.descending = key.using_operator == ">";
    }
    switch (sort.sortby_nulls) {
        case PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST:
            key.nulls_first = true;
            break;
        case PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST:
            key.nulls_first = false;
            break;
        default:
            key.nulls_first = nulls_first_by_default(dialect_, key.descending);
    }
    return key;
}

// The keys within an aggregate or a window: expressions, never names or numbers of the result.
std::vector<SortKey> QueryBinder::sort_keys(Nodes nodes, const Scope& scope) {
    std::vector<SortKey> keys;
    for (const PgQuery__Node* node : nodes) {
        if (error_) break;
        const auto expr = bind_expr(*node->sort_by->node, sql_, scope, plan_.exprs, context_);
        if (expr) {
            keys.push_back(sort_key(*node, *expr));
        } else if (!error_) {
            error_ = expr.error();
        }
    }
    return keys;
}

// A limit sees no columns of its own query. LIMIT ALL and LIMIT NULL are none.
ExprId QueryBinder::limit_expr(const PgQuery__Node* node, Level& level) {
    if (node == nullptr || error_) return no_expr;
    if (node->node_case == PG_QUERY__NODE__NODE_A_CONST && node->a_const->isnull) return no_expr;
    Level bare(level.parent, dialect_);
    bare.ctes = level.ctes;
    bare.phase = Level::Phase::where;
    const ExprId expr = bind(*node, bare);
    absorb(level, bare.outer);
    return expr;
}

void QueryBinder::add_topn(const PgQuery__SelectStmt& statement, std::vector<SortKey> keys,
                           RelationId& relation, Level& level) {
    TopN topn;
    topn.keys = std::move(keys);
    topn.limit = limit_expr(statement.limit_count, level);
    topn.offset = limit_expr(statement.limit_offset, level);
    topn.with_ties = statement.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
    if (error_ || (topn.keys.empty() && topn.limit == no_expr && topn.offset == no_expr)) return;
    Relation node{RelOp::topn};
    node.payload = static_cast<std::uint32_t>(plan_.topns.size());
    plan_.topns.push_back(std::move(topn));
    relation = plan_.add(node, std::array{relation});
}

}  // namespace satura::lang
