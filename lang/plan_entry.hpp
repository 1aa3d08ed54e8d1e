// What a relation holds in the plan's tables: its expressions and columns, each to be read or replaced where it stands.
#pragma once

#include <vector>

#include "lang/plan.hpp"

namespace satura::lang {

// Appends a copy of the relation's entry in `from`, if its operator has a table, to `to`, and makes the relation's payload
// that copy. `from` and `to` may be one plan. A CTE and a table instance are no entries: their numbers stay.
void copy_entry(const Plan& from, Plan& to, Relation& relation);

// The places of a relation's own expressions, in the order of own_expressions(). Those that are empty are left out. The
// places of a filter and of a join are payloads, so they are written back after `change`.
template <class F>
void for_each_place(std::vector<SortKey>& keys, F&& change) {
    for (SortKey& key : keys) change(key.expr);
}

template <class F>
void for_each_place(AggregateCall& call, F&& change) {
    for (ExprId& argument : call.arguments) change(argument);
    if (call.filter != no_expr) change(call.filter);
    for_each_place(call.order, change);
}

template <class F>
void for_each_place(WindowCall& call, F&& change) {
    for_each_place(call.call, change);
    for (ExprId& key : call.partition) change(key);
    for_each_place(call.order, change);
    if (call.frame.start_offset != no_expr) change(call.frame.start_offset);
    if (call.frame.end_offset != no_expr) change(call.frame.end_offset);
}

template <class F>
void for_each_place(Plan& plan, Relation& relation, F&& change) {
    switch (relation.op) {
        case RelOp::filter:
        case RelOp::join: {
            ExprId condition{relation.payload};
            if (condition != no_expr) change(condition);
            relation.payload = static_cast<std::uint32_t>(condition);
            break;
        }
        case RelOp::values:
            for (ExprId& cell : plan.values[relation.payload].cells) change(cell);
            break;
        case RelOp::project:
            for (ProjectItem& item : plan.projects[relation.payload]) change(item.expr);
            break;
        case RelOp::aggregate:
            for (ProjectItem& key : plan.aggregates[relation.payload].keys) change(key.expr);
            for (AggregateCall& call : plan.aggregates[relation.payload].calls)
                for_each_place(call, change);
            break;
        case RelOp::distinct_on:
            for (ExprId& key : plan.distinct_ons[relation.payload].keys) change(key);
            for_each_place(plan.distinct_ons[relation.payload].order, change);
            break;
        case RelOp::topn: {
            TopN& topn = plan.topns[relation.payload];
            for_each_place(topn.keys, change);
            if (topn.limit != no_expr) change(topn.limit);
            if (topn.offset != no_expr) change(topn.offset);
            break;
        }
        case RelOp::window:
            for (WindowCall& call : plan.windows[relation.payload]) for_each_place(call, change);
            break;
        case RelOp::opaque:
            for (ExprId& argument : plan.opaques[relation.payload].arguments) change(argument);
            break;
        default:
            break;
    }
}

// The places of the columns that a relation names outside of expressions: those that it makes, and those of its inputs.
template <class F>
void for_each_column_place(Plan& plan, const Relation& relation, F&& change) {
    const auto each = [&](std::vector<ColumnId>& columns) {
        for (ColumnId& column : columns) change(column);
    };
    switch (relation.op) {
        case RelOp::values:
            each(plan.values[relation.payload].columns);
            break;
        case RelOp::project:
            for (ProjectItem& item : plan.projects[relation.payload]) change(item.column);
            break;
        case RelOp::aggregate: {
            Aggregate& aggregate = plan.aggregates[relation.payload];
            for (ProjectItem& key : aggregate.keys) change(key.column);
            each(aggregate.dependents);
            for (AggregateCall& call : aggregate.calls) change(call.column);
            break;
        }
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            each(plan.set_operations[relation.payload].columns);
            each(plan.set_operations[relation.payload].inputs);
            break;
        case RelOp::window:
            for (WindowCall& call : plan.windows[relation.payload]) change(call.call.column);
            break;
        case RelOp::cte_scan:
            each(plan.cte_scans[relation.payload].columns);
            break;
        case RelOp::opaque:
            each(plan.opaques[relation.payload].columns);
            break;
        default:
            break;
    }
}

}  // namespace satura::lang
