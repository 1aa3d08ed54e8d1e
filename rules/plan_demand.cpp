// What PlanSteps says of consumers that do not count rows; see dedup.rules.
#include <algorithm>

#include "rules/plan_items.hpp"
#include "rules/plan_steps.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeView;
using lang::RelOp;

bool PlanSteps::is_loose(ClassId relation) const {
    bool is_demand = false;
    graph_.for_each_node(graph_.find(relation), [&](const NodeView& node) {
        is_demand = is_demand || node.op == ops_.plan().dedup;
    });
    return !is_demand && plan_.is_loose(graph_, relation);
}

bool PlanSteps::ignores_repeats(ClassId shape) const {
    const NodeView node = graph_.node(graph_.first_node(graph_.find(shape)));
    if (node.op != ops_.plan().shape || plan_.scope().frozen[node.payload]) return false;
    return rules::ignores_repeats(*plan_.scope().plan, lang::RelationId{node.payload});
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
