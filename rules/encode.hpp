// Expressions into the e-graph; decode.hpp is the way back.
#pragma once

#include <span>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/expr.hpp"
#include "rules/analyses.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

// Adds the expression and returns its class. Types of opaque pieces and unknown calls go into `scope`. `nodes`, where given,
// gets the e-graph node (or class, where a set came down to one) of each expression node below root, by ExprId. Nested
// conjunctions and disjunctions become one set. Cost: linear.
egraph::ClassId encode(const lang::Exprs& exprs, lang::ExprId root, egraph::EGraph& graph,
                       SqlOps& ops, Scope& scope, std::vector<egraph::NodeId>* nodes = nullptr);

// The same for several expressions at once, each part once; the e-graph node of each expression node below a root, by ExprId.
// Cost: linear in the whole.
std::vector<egraph::NodeId> encode_all(const lang::Exprs& exprs,
                                       std::span<const lang::ExprId> roots, egraph::EGraph& graph,
                                       SqlOps& ops, Scope& scope);

}  // namespace satura::rules
