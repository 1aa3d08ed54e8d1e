// No new errors: a node that may raise stands in the output only where the input evaluates the same node under a guard that
// is no weaker.
//
// A guard is what must have come out for a position to be evaluated at all: the conjuncts before it were not false, the
// disjuncts before it not true, the conditions of CASE so and so, the operands of COALESCE before it NULL. Equal classes are
// equal guards.
//
// PostgreSQL computes what is constant before it looks at any row, and raises then, whatever the guard. So a constant that
// raises stands in the output only where the input has it as one: `case when q then 0 else cast(case when p then 40000 else
// 40000 end as smallint) end` stays as it is.
#pragma once

#include <functional>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/expr.hpp"
#include "rules/sql_ops.hpp"

namespace satura {

// An expression and the e-graph node of each of its nodes (by ExprId; none where a set came down to a class).
struct Placed {
    const lang::Exprs& exprs;
    lang::ExprId root;
    const std::vector<egraph::NodeId>& nodes;
};

// What must have come out of a class's expression: it was not false, not true, true, or NULL; or the position is reached at all.
enum class GuardOutcome : std::uint8_t { not_false, not_true, is_true, is_null, reached };

// Whether the class comes out like that in any case where the output stands.
using KnownGuard = std::function<bool(egraph::ClassId, GuardOutcome)>;

// The output's raising nodes (live e-graph nodes) that stand under too weak a guard; empty if all is well. Cost: in
// proportion to the paths to raising nodes.
std::vector<egraph::NodeId> find_unguarded(const egraph::EGraph& graph, const rules::SqlOps& ops,
                                           const Placed& input, const Placed& output,
                                           const KnownGuard& known = {});

// Whether both expressions evaluate the same volatile calls, each the same number of times.
bool has_same_volatile_calls(const lang::Context& context, const Placed& input,
                             const Placed& output);

}  // namespace satura
