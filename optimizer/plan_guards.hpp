// What a chosen plan must not do: read a column where it is not, or raise where the input does not.
#pragma once

#include <vector>

#include "egraph/egraph.hpp"
#include "lang/plan.hpp"
#include "rules/plan_steps.hpp"

namespace satura {

// A plan and the e-graph node of each of its relations and expressions' nodes (by id; none where there is none).
struct PlacedPlan {
    const lang::Plan& plan;
    const std::vector<egraph::NodeId>& relations;
    const std::vector<egraph::NodeId>& exprs;
};

// Whether every relation finds the columns that it reads below it, in the query around it, or to the left of a lateral join, as
// the input does. A class may hold values that read different columns, and the cheapest of them may read one too many.
bool reads_only_what_is_there(const lang::Plan& chosen, const lang::Plan& input);

// The chosen plan's raising nodes that stand under too weak a guard: each expression that may raise must be one of the input's,
// under guards at least as strong (guards.hpp); what all rows below it fulfil guards as well. Empty if all is well. Cost: expressions that raise, squared.
std::vector<egraph::NodeId> find_unguarded(const egraph::EGraph& graph, const rules::SqlOps& ops,
                                           rules::PlanSteps& steps, const PlacedPlan& input,
                                           const PlacedPlan& chosen);

}  // namespace satura
