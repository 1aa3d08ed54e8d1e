// Plans as people read them, with estimates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/plan.hpp"
#include "optimizer/optimizer.hpp"

namespace satura {

struct Estimate {
    double rows = 0;
    double cost = 0;
};
using Estimates = std::function<Estimate(lang::RelationId)>;

// The tree of a plan with estimated rows beside each relation. Subqueries' relations are in the tree, and not among the nodes.
PlanText plan_text(const lang::Plan& plan, const lang::Context& context,
                   const Estimates& estimates);

// The kinds of the plan's joins, those of subqueries too: inner ones first, "cross" for each that connects components of its
// block's join graph. A test for (not) being in a subquery's result counts as semi or anti join.
std::vector<std::string> join_kinds(const lang::Plan& plan);

}  // namespace satura
