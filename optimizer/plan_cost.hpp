// What a plan costs, in rows touched.
//
// A relation pays for each row of its inputs, for evaluating its expressions on them, for the rows that come out, and for
// reading the tables that are its inputs. A filter over a table may read an index instead, which serves a bare column compared with a constant: what a cast hides. A
// join on an equality hashes its right input or, where that has an index on the column, looks up; any other compares all pairs.
#pragma once

#include <unordered_set>

#include "optimizer/cardinality.hpp"
#include "optimizer/cost.hpp"

namespace satura {

class PlanCost : public egraph::CostModel {
  public:
    PlanCost(const rules::SqlOps& ops, const Cardinality& cardinality,
             const rules::PlanKnowledge& knowledge, const lang::Catalog& catalog)
        : ops_(ops),
          cardinality_(cardinality),
          knowledge_(knowledge),
          catalog_(catalog),
          expressions_(ops) {}

    // Variants as in ExpressionCost; truths and relations have one.
    std::uint32_t variants() const override { return expressions_.variants(); }
    std::uint32_t child_variant(const egraph::EGraph& graph, const egraph::NodeView& node,
                                std::size_t i, std::uint32_t variant) const override;
    bool admits(const egraph::EGraph& graph, const egraph::NodeView& node,
                std::uint32_t variant) const override;
    double cost(const egraph::EGraph& graph, const egraph::NodeView& node, std::uint32_t variant,
                std::span<const double> children) const override;

    std::unordered_set<std::uint32_t> banned;   // nodes that must not be chosen
    std::unordered_set<std::uint32_t> raising;  // nodes that may raise: dearer than any that cannot

  private:
    double own_cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                    double expressions) const;
    double filter_cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                       double expressions) const;
    double join_cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                     double expressions) const;
    // Reading an input that is a table: what a scan itself does not pay, since an index may be read in its place.
    double reading(const egraph::EGraph& graph, egraph::ClassId relation) const;
    struct Access {
        double share = 1;  // of the table's rows
        double rows = 0;   // of the table
    };
    std::optional<Access> index_access(const egraph::EGraph& graph, egraph::ClassId truth,
                                       egraph::ClassId relation, bool by_constant) const;

    const rules::SqlOps& ops_;
    const Cardinality& cardinality_;
    const rules::PlanKnowledge& knowledge_;
    const lang::Catalog& catalog_;
    ExpressionCost expressions_;
};

}  // namespace satura
