// What an expression costs: the tokens of its text, with a penalty for a cast, which hides its operand from indexes and
// statistics.
#pragma once

#include <vector>

#include "egraph/extract.hpp"
#include "rules/sql_ops.hpp"

namespace satura {

class ExpressionCost : public egraph::CostModel {
  public:
    explicit ExpressionCost(const rules::SqlOps& ops) : ops_(ops) {}

    bool admits(const egraph::EGraph& graph, const egraph::NodeView& node, std::uint32_t variant) const override;
    double cost(const egraph::EGraph& graph, const egraph::NodeView& node, std::uint32_t variant,
                std::span<const double> children) const override;

    // Nodes that must not be chosen (by the id of the live node).
    std::vector<egraph::NodeId> banned;

  private:
    double own_cost(const egraph::EGraph& graph, const egraph::NodeView& node) const;
    bool is_literal(const egraph::EGraph& graph, std::uint32_t cls) const;

    const rules::SqlOps& ops_;
};

}  // namespace satura
