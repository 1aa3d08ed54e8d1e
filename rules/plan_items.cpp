#include "rules/plan_items.hpp"

#include <algorithm>

#include "rules/closure.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeView;
using lang::Op;
using lang::RelOp;

namespace {

// Aggregates for which a value that comes again changes nothing.
bool call_ignores_repeats(const lang::AggregateCall& call) {
    if (call.within_group || !call.order.empty() || call.star) return false;
    if (call.distinct)
        return call.function == "count" || call.function == "sum" || call.function == "avg";
    static constexpr std::string_view names[] = {"bool_and", "bool_or", "every", "max", "min"};
    return std::ranges::find(names, call.function) != std::end(names);
}

}  // namespace

const std::vector<lang::ProjectItem>* items_made(const lang::Plan& plan, lang::RelationId id) {
    const lang::Relation& relation = plan[id];
    if (relation.op == RelOp::project) return &plan.projects[relation.payload];
    const bool is_grouping =
        relation.op == RelOp::aggregate && plan.aggregates[relation.payload].sets.empty();
    return is_grouping ? &plan.aggregates[relation.payload].keys : nullptr;
}

bool ignores_repeats(const lang::Plan& plan, lang::RelationId id) {
    const lang::Relation& relation = plan[id];
    switch (relation.op) {
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return !relation.all;
        case RelOp::aggregate:
            return std::ranges::all_of(plan.aggregates[relation.payload].calls,
                                       call_ignores_repeats);
        default:
            return false;
    }
}

bool is_about_groups(const TermClasses& classes, const SqlOps& ops, ClassId conjunct,
                     const std::function<bool(lang::ColumnId)>& is_key) {
    const PlanScope& scope = classes.plan_scope();
    const ColumnSets::Columns& read = scope.column_sets[classes.columns(conjunct)];
    if (read.empty() || !std::ranges::all_of(read, is_key)) return false;
    const bool are_identical = std::ranges::all_of(read, [&](lang::ColumnId column) {
        return has_identical_equals((*scope.plan)[column].type);
    });
    if (are_identical) return true;
    const auto is_bare = [&](std::uint32_t cls) {
        bool found = classes.columns(ClassId{cls}) == 0;
        classes.for_each_node(ClassId{cls}, [&](const NodeView& node) {
            found = found || ops.meaning(node.op).op == Op::column;
        });
        return found;
    };
    bool compares = false;
    classes.for_each_node(conjunct, [&](const NodeView& node) {
        if (node.op == ops.plan().same)
            compares = compares || std::ranges::all_of(node.children, is_bare);
        if (node.op != ops.plan().holds) return;
        classes.for_each_node(ClassId{node.children[0]}, [&](const NodeView& value) {
            const Op op = ops.meaning(value.op).op;
            const bool is_comparison =
                lang::is_comparison(op) || op == Op::in || op == Op::between || op == Op::is_null;
            compares = compares || (is_comparison && std::ranges::all_of(value.children, is_bare));
        });
    });
    return compares;
}

}  // namespace satura::rules
