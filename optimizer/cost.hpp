// What an expression costs: the tokens of its text, with a penalty for a cast, which hides its operand from indexes and
// statistics.
//
// Variant 0 is the value. Variant 1 is a filter, in which only TRUE or not matters: `p is true` is then p itself, and so are
// the parts of a conjunction or disjunction. So e stands for a class as a filter if `e is true` and `class is true` agree.
#pragma once

#include <vector>

#include "egraph/extract.hpp"
#include "lang/expr.hpp"
#include "rules/sql_ops.hpp"

namespace satura {

class ExpressionCost : public egraph::CostModel {
  public:
    explicit ExpressionCost(const rules::SqlOps& ops) : ops_(ops) {}

    static constexpr std::uint32_t value = 0, filter = 1;
    std::uint32_t variants() const override { return 2; }
    std::uint32_t child_variant(const egraph::EGraph& graph, const egraph::NodeView& node,
                                std::size_t i, std::uint32_t variant) const override;
    bool admits(const egraph::EGraph& graph, const egraph::NodeView& node,
                std::uint32_t variant) const override;
    double cost(const egraph::EGraph& graph, const egraph::NodeView& node, std::uint32_t variant,
                std::span<const double> children) const override;

    // Nodes that must not be chosen (by the id of the live node).
    std::vector<egraph::NodeId> banned;

  private:
    double own_cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                    std::uint32_t variant) const;
    bool is_literal(const egraph::EGraph& graph, std::uint32_t cls) const;

    const rules::SqlOps& ops_;
};

// What the nodes of an expression cost as they are written, by ExprId, each with its own operands: 0 for those that are not in
// the e-graph but as part of the conjunction around them. `nodes` is what encode() gives.
std::vector<double> costs_as_written(const egraph::EGraph& graph, const egraph::CostModel& model,
                                     const lang::Exprs& exprs,
                                     const std::vector<egraph::NodeId>& nodes);

}  // namespace satura
