// One plan in the e-graph: saturated, costed, taken out again.
#pragma once

#include <memory>
#include <vector>

#include "egraph/extract.hpp"
#include "lang/catalog.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/plan_cost.hpp"
#include "optimizer/plan_text.hpp"
#include "optimizer/rule_engine.hpp"
#include "proof/proof.hpp"
#include "rules/plan_decode.hpp"

namespace satura {

struct ChosenPlan {
    bool is_input = true;  // nothing better was found that is sure to be right
    rules::DecodedPlan decoded;
    double cost = 0;
};

class PlanSearch {
  public:
    // Puts the plan into the engine's e-graph, which must be empty. Refers to all three.
    PlanSearch(RuleEngine& engine, const lang::Catalog& catalog, const lang::Plan& plan);

    egraph::Report saturate(const egraph::Limits& limits) { return engine_.saturate_plans(limits); }

    // The cheapest plan that adds no error. Requires saturate.
    ChosenPlan choose();

    // The proof that the plan, which the statement holds, is the chosen one, written as `after`; see prove_plan.
    std::optional<proof::Proof> prove(const lang::Statement& statement, const std::string& after,
                                      std::string& why) const;

    double cost_of_input() const;
    Estimates estimates_of_input() const;
    Estimates estimates(const ChosenPlan& chosen) const;
    // The rules that made the relations of the chosen plan, by each relation's origin.
    std::vector<AppliedRule> explain(const ChosenPlan& chosen) const;

    const rules::EncodedPlan& input() const { return input_; }

  private:
    void find_raising();
    rules::PlanDecoding decoding() const;
    bool has_all_choices(egraph::ClassId root) const;
    std::vector<std::uint32_t> input_ranks() const;
    Estimate estimate(egraph::NodeId node) const;

    RuleEngine& engine_;
    const lang::Catalog& catalog_;
    const lang::Plan& plan_;
    rules::EncodedPlan input_;
    std::unique_ptr<Cardinality> cardinality_;
    std::unique_ptr<PlanCost> cost_;
    std::unique_ptr<egraph::Extraction> extraction_;
    std::uint32_t input_nodes_ = 0;  // e-graph ids below are of the input
};

}  // namespace satura
