// Plans into the e-graph; plan_decode.hpp is the way back.
#pragma once

#include <span>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/catalog.hpp"
#include "lang/plan.hpp"
#include "rules/analyses.hpp"
#include "rules/encode.hpp"
#include "rules/plan_scope.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

struct EncodedPlan {
    // By RelationId: the relation's e-graph node; none for those that the root does not reach.
    std::vector<egraph::NodeId> relations;
    // By ExprId: the expression's e-graph node; none where it is not in the e-graph.
    std::vector<egraph::NodeId> exprs;
    // By SubqueryId: what stands for its relation, under `dedup` where the subquery does not count rows; none like relations.
    std::vector<egraph::NodeId> subqueries;
};

// Adds every relation that the root reaches, those of subqueries too, and fills the scopes. Predicates become truths. What
// holds a volatile call keeps its expressions out of the e-graph. Requires the e-graph to be empty, with the analyses of
// Knowledge and PlanKnowledge registered, and the plan to outlive it. Cost: linear.
EncodedPlan encode_plan(const lang::Plan& plan, const lang::Catalog& catalog, egraph::EGraph& graph,
                        SqlOps& ops, Scope& scope, PlanScope& plan_scope);

// The same where terms of another kind are made; ids are the taker's.
EncodedPlan encode_plan_to(NodeTaker& taker, const lang::Plan& plan, const lang::Catalog& catalog,
                           SqlOps& ops, Scope& scope, PlanScope& plan_scope);

// The same for several roots. A relation has the shape of shapes[its id], by which it is the same term where its inputs and
// expressions are. Requires relations of one shape to do the same to the same inputs and to make the same columns, and all of
// them to be free of volatile calls.
EncodedPlan encode_plans(const lang::Plan& plan, std::span<const lang::RelationId> roots,
                         std::span<const lang::RelationId> shapes, const lang::Catalog& catalog,
                         egraph::EGraph& graph, SqlOps& ops, Scope& scope, PlanScope& plan_scope);

}  // namespace satura::rules
