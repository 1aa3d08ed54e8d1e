#include "lang/plan.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace satura::lang {
namespace {

constexpr std::array<std::string_view, 17> rel_op_names{
    "one row",   "scan",     "values",      "filter",   "project", "join",
    "aggregate", "distinct", "distinct on", "topn",     "union",   "intersect",
    "except",    "window",   "with",        "cte scan", "opaque"};
static_assert(rel_op_names.size() == static_cast<std::size_t>(RelOp::opaque) + 1);

constexpr std::array<std::string_view, 6> join_kind_names{"inner", "left", "right",
                                                          "full",  "semi", "anti"};

// Whether the relation's columns are those of its (left) child and perhaps more.
bool hands_on(RelOp op) {
    switch (op) {
        case RelOp::filter:
        case RelOp::join:
        case RelOp::distinct:
        case RelOp::distinct_on:
        case RelOp::topn:
        case RelOp::window:
            return true;
        default:
            return false;
    }
}

void append_items(std::vector<ColumnId>& out, const std::vector<ProjectItem>& items) {
    for (const ProjectItem& item : items) out.push_back(item.column);
}

// The columns that the relation makes itself.
void append_own_columns(const Plan& plan, RelationId id, std::vector<ColumnId>& out) {
    const Relation& r = plan[id];
    const auto append = [&](const std::vector<ColumnId>& columns) {
        out.insert(out.end(), columns.begin(), columns.end());
    };
    switch (r.op) {
        case RelOp::scan:
            append(plan.instances[r.payload].columns);
            break;
        case RelOp::values:
            append(plan.values[r.payload].columns);
            break;
        case RelOp::project:
            append_items(out, plan.projects[r.payload]);
            break;
        case RelOp::aggregate: {
            const Aggregate& aggregate = plan.aggregates[r.payload];
            append_items(out, aggregate.keys);
            append(aggregate.dependents);
            for (const AggregateCall& call : aggregate.calls) out.push_back(call.column);
            break;
        }
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            append(plan.set_operations[r.payload].columns);
            break;
        case RelOp::window:
            for (const WindowCall& call : plan.windows[r.payload]) out.push_back(call.call.column);
            break;
        case RelOp::cte_scan:
            append(plan.cte_scans[r.payload].columns);
            break;
        case RelOp::opaque:
            append(plan.opaques[r.payload].columns);
            break;
        default:
            break;
    }
}

void append_keys(std::vector<ExprId>& out, const std::vector<SortKey>& keys) {
    for (const SortKey& key : keys) out.push_back(key.expr);
}

void append_call(std::vector<ExprId>& out, const AggregateCall& call) {
    out.insert(out.end(), call.arguments.begin(), call.arguments.end());
    out.push_back(call.filter);
    append_keys(out, call.order);
}

}  // namespace

std::string_view rel_op_name(RelOp op) { return rel_op_names[static_cast<std::size_t>(op)]; }

std::string_view join_kind_name(JoinKind kind) {
    return join_kind_names[static_cast<std::size_t>(kind)];
}

RelationId Plan::add(Relation relation, std::span<const RelationId> children) {
    const RelationId id{static_cast<std::uint32_t>(relations_.size())};
    relation.first = static_cast<std::uint32_t>(children_.size());
    relation.count = static_cast<std::uint32_t>(children.size());
    for (const RelationId child : children) {
        assert(child < id);
        children_.push_back(child);
    }
    relations_.push_back(relation);
    return id;
}

ColumnId Plan::add_column(PlanColumn column) {
    columns.push_back(std::move(column));
    return ColumnId{static_cast<std::uint32_t>(columns.size() - 1)};
}

std::vector<ColumnId> output_columns(const Plan& plan, RelationId relation) {
    struct Task {
        RelationId id;
        bool own;
    };
    std::vector<ColumnId> out;
    std::vector<Task> stack{{relation, false}};
    while (!stack.empty()) {
        const Task task = stack.back();
        stack.pop_back();
        const Relation& r = plan[task.id];
        if (task.own || (!hands_on(r.op) && r.op != RelOp::with)) {
            append_own_columns(plan, task.id, out);
            continue;
        }
        const auto children = plan.children(task.id);
        if (r.op == RelOp::with) {
            stack.push_back({children[1], false});
            continue;
        }
        stack.push_back({task.id, true});
        const bool both =
            r.op == RelOp::join && r.join != JoinKind::semi && r.join != JoinKind::anti;
        if (both) stack.push_back({children[1], false});
        stack.push_back({children[0], false});
    }
    return out;
}

std::vector<ExprId> own_expressions(const Plan& plan, RelationId relation) {
    const Relation& r = plan[relation];
    std::vector<ExprId> out;
    switch (r.op) {
        case RelOp::filter:
        case RelOp::join:
            out.push_back(ExprId{r.payload});
            break;
        case RelOp::values:
            out = plan.values[r.payload].cells;
            break;
        case RelOp::project:
            for (const ProjectItem& item : plan.projects[r.payload]) out.push_back(item.expr);
            break;
        case RelOp::aggregate:
            for (const ProjectItem& key : plan.aggregates[r.payload].keys) out.push_back(key.expr);
            for (const AggregateCall& call : plan.aggregates[r.payload].calls)
                append_call(out, call);
            break;
        case RelOp::distinct_on:
            out = plan.distinct_ons[r.payload].keys;
            append_keys(out, plan.distinct_ons[r.payload].order);
            break;
        case RelOp::topn:
            append_keys(out, plan.topns[r.payload].keys);
            out.push_back(plan.topns[r.payload].limit);
            out.push_back(plan.topns[r.payload].offset);
            break;
        case RelOp::window:
            for (const WindowCall& call : plan.windows[r.payload]) {
                append_call(out, call.call);
                out.insert(out.end(), call.partition.begin(), call.partition.end());
                append_keys(out, call.order);
                out.push_back(call.frame.start_offset);
                out.push_back(call.frame.end_offset);
            }
            break;
        case RelOp::opaque:
            out = plan.opaques[r.payload].arguments;
            break;
        default:
            break;
    }
    std::erase(out, no_expr);
    return out;
}

std::vector<RelationId> reachable(const Plan& plan, RelationId root) {
    std::vector<bool> seen(plan.size(), false);
    std::vector<bool> seen_expr(plan.exprs.size(), false);
    std::vector<RelationId> found;
    std::vector<RelationId> open{root};
    std::vector<ExprId> exprs;
    while (!open.empty()) {
        const RelationId id = open.back();
        open.pop_back();
        if (seen[static_cast<std::uint32_t>(id)]) continue;
        seen[static_cast<std::uint32_t>(id)] = true;
        found.push_back(id);
        for (const RelationId child : plan.children(id)) open.push_back(child);
        exprs = own_expressions(plan, id);
        while (!exprs.empty()) {
            const ExprId expr = exprs.back();
            exprs.pop_back();
            if (seen_expr[static_cast<std::uint32_t>(expr)]) continue;
            seen_expr[static_cast<std::uint32_t>(expr)] = true;
            const ExprNode& node = plan.exprs[expr];
            if (node.op >= Op::exists) open.push_back(plan[SubqueryId{node.payload}].relation);
            for (const ExprId child : plan.exprs.children(expr)) exprs.push_back(child);
        }
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace satura::lang
