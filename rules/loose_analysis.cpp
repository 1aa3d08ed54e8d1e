#include "rules/loose_analysis.hpp"

#include <algorithm>

namespace satura::rules {

using egraph::ClassId;
using lang::JoinKind;
using lang::RelOp;

egraph::Analysis::Value LooseAnalysis::make(const egraph::EGraph& graph, egraph::AnalysisId self,
                                            const egraph::NodeView& node) {
    const PlanOps& plan = ops_.plan();
    if (ops_.meaning(node.op).sort != Sort::relation || node.op == plan.dedup) return 0;
    const auto shaped = ops_.shaped(node.op);
    const bool counts = shaped == RelOp::topn || shaped == RelOp::aggregate ||
                        shaped == RelOp::window || shaped == RelOp::distinct_on;
    if (counts) return 0;
    // The others may become left joins; that is not waited for.
    const auto kind = ops_.join_kind(node.op);
    const bool pads = kind == JoinKind::left || kind == JoinKind::right || kind == JoinKind::full;
    if (pads || shaped == RelOp::distinct) return 1;
    const bool is_below = std::ranges::any_of(
        node.children, [&](std::uint32_t child) { return graph.value(self, ClassId{child}) != 0; });
    return is_below ? 1 : 0;
}

}  // namespace satura::rules
