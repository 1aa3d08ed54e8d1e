// GROUP BY: its keys and sets, and what the expressions above a grouping become.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

constexpr std::size_t grouping_sets_max = 4096;  // as many as PostgreSQL allows

const PgQuery__GroupingSet* grouping_set(const PgQuery__Node& node) {
    return node.node_case == PG_QUERY__NODE__NODE_GROUPING_SET ? node.grouping_set : nullptr;
}

std::vector<std::uint32_t> united(const std::vector<std::uint32_t>& a,
                                  const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> out = a;
    for (const std::uint32_t key : b) {
        if (std::ranges::find(out, key) == out.end()) out.push_back(key);
    }
    return out;
}

}  // namespace

void QueryBinder::group_keys(Simple& simple, Level& level) {
    const Nodes nodes(simple.statement->group_clause, simple.statement->n_group_clause);
    const bool sets = std::ranges::any_of(
        nodes, [](const PgQuery__Node* n) { return grouping_set(*n) != nullptr; });
    if (sets) return grouping_sets(simple, level);
    for (const PgQuery__Node* node : nodes) {
        if (error_) return;
        keys_of(*node, simple, level);
    }
}

// A list of keys in parentheses is a row.
std::vector<std::uint32_t> QueryBinder::keys_of(const PgQuery__Node& node, Simple& simple,
                                                Level& level) {
    std::vector<std::uint32_t> keys;
    const bool row = node.node_case == PG_QUERY__NODE__NODE_ROW_EXPR;
    const Nodes items = row ? Nodes(node.row_expr->args, node.row_expr->n_args) : Nodes();
    const PgQuery__Node* single = &node;
    const auto add = [&](const PgQuery__Node& item) {
        if (error_) return;
        const ExprId expr = group_expr(item, simple, level);
        if (!error_) keys.push_back(key_index(expr, simple));
    };
    if (row) {
        for (const PgQuery__Node* item : items) add(*item);
    } else {
        add(*single);
    }
    return keys;
}

std::uint32_t QueryBinder::key_index(ExprId expr, Simple& simple) {
    const std::uint32_t number = numbers_(expr);
    for (std::uint32_t i = 0; i < simple.keys.size(); ++i) {
        if (numbers_(simple.keys[i].expr) == number) return i;
    }
    ColumnId column{no_index};
    if (plan_.exprs[expr].op == Op::column) column = ColumnId{plan_.exprs[expr].payload};
    simple.keys.push_back({column, expr});
    return static_cast<std::uint32_t>(simple.keys.size() - 1);
}

// A name is a column of the input where there is one, else one of the result; a number is a column
// of the result.
ExprId QueryBinder::group_expr(const PgQuery__Node& node, Simple& simple, Level& level) {
    const bool bare = node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
                      node.column_ref->n_fields == 1 &&
                      node.column_ref->fields[0]->node_case == PG_QUERY__NODE__NODE_STRING;
    if (bare) {
        const std::array<std::string_view, 1> parts{node.column_ref->fields[0]->string->sval};
        if (level.find(parts, {}).state != Level::Match::State::none) return bind(node, level);
    }
    const bool number = node.node_case == PG_QUERY__NODE__NODE_A_CONST && !node.a_const->isnull &&
                        node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
    if (!bare && !number) return bind(node, level);
    // Targets are bound later, after the keys: two of one name are told apart by their text alone.
    std::optional<std::size_t> target;
    if (number) {
        target = named_target(node, simple);
        if (error_) return no_expr;
    } else {
        const std::string_view name = node.column_ref->fields[0]->string->sval;
        for (std::size_t i = 0; i < simple.targets.size() && !target; ++i) {
            const Target& candidate = simple.targets[i];
            if (candidate.node != nullptr && same_name(candidate.name, name, dialect_)) target = i;
        }
    }
    if (!target) return bind(node, level);
    const Target& found = simple.targets[*target];
    return found.node == nullptr ? found.expr : bind(*found.node, level);
}

// The items of GROUP BY multiply: a plain key is in every set.
void QueryBinder::grouping_sets(Simple& simple, Level& level) {
    Sets all{{}};
    for (std::size_t i = 0; i < simple.statement->n_group_clause && !error_; ++i) {
        const Sets some = sets_of(*simple.statement->group_clause[i], simple, level, 0);
        Sets product;
        for (const auto& a : all) {
            for (const auto& b : some) product.push_back(united(a, b));
            if (product.size() > grouping_sets_max)
                return fail("too-many-sets", -1, "too many grouping sets");
        }
        all = std::move(product);
    }
    simple.sets = std::move(all);
}

QueryBinder::Sets QueryBinder::sets_of(const PgQuery__Node& node, Simple& simple, Level& level,
                                       std::uint32_t depth) {
    const PgQuery__GroupingSet* set = grouping_set(node);
    if (set == nullptr) return {keys_of(node, simple, level)};
    if (depth == query_depth_max) {
        fail("too-deep", set->location, "grouping sets are nested too deeply");
        return {};
    }
    const Nodes content(set->content, set->n_content);
    Sets out;
    if (set->kind == PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_EMPTY) return {{}};
    if (set->kind == PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS) {
        for (const PgQuery__Node* item : content) {
            const Sets some = sets_of(*item, simple, level, depth + 1);
            out.insert(out.end(), some.begin(), some.end());
        }
        return out;
    }
    std::vector<std::vector<std::uint32_t>> groups;
    for (const PgQuery__Node* item : content) groups.push_back(keys_of(*item, simple, level));
    if (error_) return {};
    if (set->kind == PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP) {
        for (std::size_t n = groups.size() + 1; n > 0; --n) {
            std::vector<std::uint32_t> keys;
            for (std::size_t i = 0; i + 1 < n; ++i) keys = united(keys, groups[i]);
            out.push_back(std::move(keys));
        }
        return out;
    }
    if (groups.size() > 12) {
        fail("too-many-sets", set->location, "CUBE takes at most 12 elements");
        return {};
    }
    for (std::size_t mask = std::size_t{1} << groups.size(); mask > 0; --mask) {
        std::vector<std::uint32_t> keys;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            if (((mask - 1) >> (groups.size() - 1 - i) & 1) != 0) keys = united(keys, groups[i]);
        }
        out.push_back(std::move(keys));
    }
    return out;
}

// With sets, a key is NULL where its set lacks it: a column of its own, as is one of the query around. Else a bare column
// keeps its id.
void QueryBinder::name_keys(Simple& simple, Level& level) {
    for (ProjectItem& key : simple.keys) {
        const ExprNode node = plan_.exprs[key.expr];
        const bool own =
            !simple.sets.empty() || node.op != Op::column || level.is_outer(ColumnId{node.payload});
        if (own) {
            const std::string name =
                node.op == Op::column ? plan_[ColumnId{node.payload}].name : "";
            key.column =
                add_computed(name, node.type, !simple.sets.empty() || may_be_null(key.expr));
            level.made.insert(static_cast<std::uint32_t>(key.column));
            if (node.op == Op::column) level.key_columns.emplace(node.payload, key.column);
        }
    }
}

void QueryBinder::regroup(Simple& simple, Level& level) {
    grouping_ = {};
    for (const ProjectItem& key : simple.keys) {
        grouping_.keys.emplace(numbers_(key.expr), key.column);
        grouping_.is_key.emplace(static_cast<std::uint32_t>(key.column), true);
    }
    const auto rewrite = [&](ExprId& expr) {
        if (expr != no_expr) expr = regrouped(expr, level);
    };
    for (Target& target : simple.targets) rewrite(target.expr);
    rewrite(simple.having);
    for (Ordering& ordering : simple.order) rewrite(ordering.key.expr);
    for (Ordering& ordering : simple.distinct_on) rewrite(ordering.key.expr);
    for (WindowCall& window : level.window_calls) {
        regroup_call(window.call, level);
        for (ExprId& expr : window.partition) rewrite(expr);
        for (SortKey& key : window.order) rewrite(key.expr);
        rewrite(window.frame.start_offset);
        rewrite(window.frame.end_offset);
    }
    Relation relation{RelOp::aggregate};
    relation.payload = static_cast<std::uint32_t>(plan_.aggregates.size());
    plan_.aggregates.push_back({std::move(simple.keys), std::move(level.calls),
                                std::move(grouping_.dependents), std::move(simple.sets),
                                simple.statement->group_distinct != 0});
    simple.relation = plan_.add(relation, std::array{simple.relation});
}

void QueryBinder::regroup_call(AggregateCall& call, Level& level) {
    for (ExprId& expr : call.arguments) expr = regrouped(expr, level);
    if (call.filter != no_expr) call.filter = regrouped(call.filter, level);
    for (SortKey& key : call.order) key.expr = regrouped(key.expr, level);
}

// The expression over the grouping's columns: keys replaced, other columns of the input noted as
// dependents.
ExprId QueryBinder::regrouped(ExprId root, Level& level) {
    std::vector<std::pair<ExprId, bool>> stack{{root, false}};
    std::vector<ExprId> children;
    const auto done = [&](ExprId id) {
        return grouping_.done.find(static_cast<std::uint32_t>(id));
    };
    while (!stack.empty()) {
        const auto [id, built] = stack.back();
        stack.pop_back();
        if (done(id) != grouping_.done.end()) continue;
        ExprId result = id;
        const ExprNode node = plan_.exprs[id];
        const auto key = grouping_.keys.find(numbers_(id));
        if (key != grouping_.keys.end()) {
            if (node.op != Op::column || ColumnId{node.payload} != key->second) {
                result = column_node(key->second, node.position);
            }
        } else if (node.op == Op::column) {
            const bool input = level.owner_of(ColumnId{node.payload}).has_value();
            if (input && !grouping_.is_key.contains(node.payload) &&
                grouping_.is_dependent.emplace(node.payload, true).second) {
                grouping_.dependents.push_back(ColumnId{node.payload});
            }
        } else if (!built) {
            stack.emplace_back(id, true);
            for (const ExprId child : plan_.exprs.children(id)) stack.emplace_back(child, false);
            continue;
        } else {
            children.clear();
            bool changed = false;
            for (const ExprId child : plan_.exprs.children(id)) {
                children.push_back(done(child)->second);
                changed = changed || children.back() != child;
            }
            if (changed) {
                result = plan_.exprs.add(node.op, node.type, node.payload, children, node.position,
                                         node.implicit);
            }
        }
        grouping_.done.emplace(static_cast<std::uint32_t>(id), result);
    }
    return done(root)->second;
}

}  // namespace satura::lang
