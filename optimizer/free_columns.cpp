#include "optimizer/free_columns.hpp"

namespace satura {

using lang::ColumnId;
using lang::ExprId;
using lang::Op;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

FreeColumns::FreeColumns(const lang::Plan& plan, std::span<const RelationId> roots) : plan_(plan) {
    for (RelationId root : roots) {
        if (free_.contains(index(root))) continue;
        for (RelationId id : lang::reachable(plan, root)) {
            if (!free_.contains(index(id))) add(id);
        }
    }
}

void FreeColumns::add(RelationId id) {
    const Relation& r = plan_[id];
    Columns free, made;
    const auto children = plan_.children(id);
    for (std::size_t i = 0; i < children.size(); ++i) {
        for (std::uint32_t c : of(children[i])) {
            const bool is_to_the_left = i > 0 && r.lateral && made.contains(c);
            if (!is_to_the_left) free.insert(c);
        }
        for (ColumnId c : lang::output_columns(plan_, children[i])) made.insert(index(c));
    }
    if (r.op == RelOp::aggregate) {
        for (ColumnId c : plan_.aggregates[r.payload].dependents) {
            if (!made.contains(index(c))) free.insert(index(c));
        }
    }
    for (ExprId root : lang::own_expressions(plan_, id)) {
        for (ExprId e : lang::nodes_below(plan_.exprs, root)) {
            const lang::ExprNode& node = plan_.exprs[e];
            if (node.op == Op::column && !made.contains(node.payload)) free.insert(node.payload);
            if (node.op < Op::exists) continue;
            for (std::uint32_t c : of(plan_[lang::SubqueryId{node.payload}].relation)) {
                if (!made.contains(c)) free.insert(c);
            }
        }
    }
    free_.emplace(index(id), std::move(free));
}

}  // namespace satura
