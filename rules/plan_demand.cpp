// What PlanSteps says of consumers that do not count rows; see dedup.rules.
#include <algorithm>
#include <unordered_set>

#include "rules/plan_steps.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeView;
using lang::JoinKind;
using lang::RelOp;

namespace {

constexpr std::size_t classes_max = 1'000;  // that is_loose looks at; beyond them there is none

// Aggregates for which a value that comes again changes nothing.
bool call_ignores_repeats(const lang::AggregateCall& call) {
    if (call.within_group || !call.order.empty() || call.star) return false;
    if (call.distinct)
        return call.function == "count" || call.function == "sum" || call.function == "avg";
    static constexpr std::string_view names[] = {"bool_and", "bool_or", "every", "max", "min"};
    return std::ranges::find(names, call.function) != std::end(names);
}

}  // namespace

bool PlanSteps::is_loose(ClassId relation) const {
    std::vector<std::uint32_t> todo{graph_.find(egraph::raw(relation))};
    std::unordered_set<std::uint32_t> seen(todo.begin(), todo.end());
    bool is_demand = false, found = false;
    graph_.for_each_node(ClassId{todo[0]}, [&](const NodeView& node) {
        is_demand = is_demand || node.op == ops_.plan().dedup;
    });
    if (is_demand) return false;
    while (!todo.empty() && !found && seen.size() < classes_max) {
        const ClassId cls{todo.back()};
        todo.pop_back();
        graph_.for_each_node(cls, [&](const NodeView& node) {
            const auto shaped = ops_.shaped(node.op);
            const bool counts = shaped == RelOp::topn || shaped == RelOp::aggregate ||
                                shaped == RelOp::window || shaped == RelOp::distinct_on;
            if (counts || node.op == ops_.plan().dedup) return;
            found = found || ops_.join_kind(node.op) == JoinKind::left || shaped == RelOp::distinct;
            for (std::uint32_t child : node.children) {
                const std::uint32_t below = graph_.find(child);
                const NodeView first = graph_.node(graph_.first_node(ClassId{below}));
                const bool is_relation = ops_.meaning(first.op).sort == Sort::relation;
                if (is_relation && seen.insert(below).second) todo.push_back(below);
            }
        });
    }
    return found;
}

bool PlanSteps::ignores_repeats(ClassId shape) const {
    const NodeView node = graph_.node(graph_.first_node(graph_.find(shape)));
    if (node.op != ops_.plan().shape || plan_.scope().frozen[node.payload]) return false;
    return rules::ignores_repeats(*plan_.scope().plan, lang::RelationId{node.payload});
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

bool PlanSteps::are_identical(ClassId columns_leaf) const {
    return std::ranges::all_of(sets()[columns(columns_leaf)], [&](lang::ColumnId column) {
        return has_identical_equals((*plan_.scope().plan)[column].type);
    });
}

bool PlanSteps::has_no_repeats(ClassId relation) {
    Closure& known = closure(facts_of(relation));
    const auto is_never_null = [&](lang::ColumnId column) {
        const auto value = graph_.add(ops_[lang::Op::column], static_cast<std::uint32_t>(column));
        return known.possible(value).never_null();
    };
    const auto keys = plan_.keys(graph_, relation);
    return std::ranges::any_of(keys, [&](std::uint32_t key) {
        return std::ranges::all_of(ColumnSets::Columns(sets()[key]), is_never_null);
    });
}

}  // namespace satura::rules
