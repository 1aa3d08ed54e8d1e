// How PostgreSQL names a column of the result that the user has not named.
#include <pg_query/pg_query.pb-c.h>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

constexpr std::string_view nothing = "?column?";

std::string_view last_string(PgQuery__Node* const* nodes, std::size_t count) {
    for (std::size_t i = count; i > 0; --i) {
        if (nodes[i - 1] != nullptr && !string_of(*nodes[i - 1]).empty())
            return string_of(*nodes[i - 1]);
    }
    return {};
}

// The one column of a query's select list, if there is one.
const PgQuery__ResTarget* single_target(const PgQuery__SubLink& link) {
    if (link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return nullptr;
    const PgQuery__SelectStmt* select = link.subselect->select_stmt;
    while (select->larg != nullptr) select = select->larg;
    return select->n_target_list == 0 ? nullptr : select->target_list[0]->res_target;
}

}  // namespace

// A cast and a CASE are named by what is in them where that has a name of its own (a column, a
// function), else by themselves; the loop goes inwards and keeps the best name so far.
std::string result_name(const PgQuery__Node& root) {
    std::string_view weak = nothing;
    const PgQuery__Node* node = &root;
    while (node != nullptr) {
        switch (node->node_case) {
            case PG_QUERY__NODE__NODE_COLUMN_REF: {
                const auto name = last_string(node->column_ref->fields, node->column_ref->n_fields);
                return std::string(name.empty() ? weak : name);
            }
            case PG_QUERY__NODE__NODE_A_INDIRECTION: {
                const auto name = last_string(node->a_indirection->indirection,
                                              node->a_indirection->n_indirection);
                if (!name.empty()) return std::string(name);
                node = node->a_indirection->arg;
                continue;
            }
            case PG_QUERY__NODE__NODE_FUNC_CALL:
                return std::string(
                    last_string(node->func_call->funcname, node->func_call->n_funcname));
            case PG_QUERY__NODE__NODE_A_EXPR:
                return std::string(
                    node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? "nullif" : weak);
            case PG_QUERY__NODE__NODE_TYPE_CAST: {
                const PgQuery__TypeName& type = *node->type_cast->type_name;
                const auto name = last_string(type.names, type.n_names);
                if (!name.empty() && weak == nothing) weak = name;
                node = node->type_cast->arg;
                continue;
            }
            case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
                node = node->collate_clause->arg;
                continue;
            case PG_QUERY__NODE__NODE_CASE_EXPR:
                if (weak == nothing) weak = "case";
                node = node->case_expr->defresult;
                continue;
            case PG_QUERY__NODE__NODE_GROUPING_FUNC:
                return "grouping";
            case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
                return "array";
            case PG_QUERY__NODE__NODE_ROW_EXPR:
                return "row";
            case PG_QUERY__NODE__NODE_COALESCE_EXPR:
                return "coalesce";
            case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
                return node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest"
                                                                                   : "least";
            case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
                return std::string(value_function_name(*node->sqlvalue_function));
            case PG_QUERY__NODE__NODE_SUB_LINK: {
                const PgQuery__SubLink& link = *node->sub_link;
                if (link.sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK) return "exists";
                if (link.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK) return "array";
                const bool scalar = link.sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
                const PgQuery__ResTarget* target = scalar ? single_target(link) : nullptr;
                if (target == nullptr) return std::string(weak);
                if (target->name != nullptr && target->name[0] != '\0') return target->name;
                node = target->val;
                continue;
            }
            default:
                return std::string(weak);
        }
    }
    return std::string(weak);
}

}  // namespace satura::lang
