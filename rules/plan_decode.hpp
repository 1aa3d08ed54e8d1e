// Chosen relations of the e-graph as a plan.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lang/plan.hpp"
#include "rules/decode.hpp"
#include "rules/plan_encode.hpp"

namespace satura::rules {

struct PlanDecoding {
    // Which node stands for a class of relations; acyclic.
    std::function<egraph::NodeId(egraph::ClassId)> relation;
    Decoding exprs;
};

struct DecodedPlan {
    lang::Plan plan;  // the original's relations, and behind them the new ones
    // By RelationId and ExprId: the e-graph node of what is new; none for the rest.
    std::vector<egraph::NodeId> relations;
    std::vector<egraph::NodeId> exprs;
};

// The plan of the chosen terms; subqueries and CTEs as they are chosen too. Columns keep their ids. `empty(C)` becomes a
// projection of NULLs that no row passes, `pad` one of NULLs beside its input. Keys of grouping and order that came down to a
// constant stay as they were written, since a number there would mean a column. Cost: linear in what is chosen.
DecodedPlan decode_plan(const TermClasses& classes, SqlOps& ops, const EncodedPlan& input,
                        const PlanDecoding& decoding);

// Relations of the e-graph by nodes of their classes, their inputs as they are chosen: for checks that compare all members of
// a class. The inputs are shared.
struct DecodedMembers {
    DecodedPlan decoded;
    std::vector<lang::RelationId> roots;  // of each member
};
DecodedMembers decode_members(const TermClasses& classes, SqlOps& ops, const EncodedPlan& input,
                              const PlanDecoding& decoding,
                              std::span<const egraph::NodeId> members);

}  // namespace satura::rules
