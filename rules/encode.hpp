// Expressions into the e-graph and back.
#pragma once

#include <functional>
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

// How a chosen term becomes an expression.
struct Decoding {
    // Which node stands for a class; acyclic. As a filter only TRUE or not matters: see ExpressionCost.
    std::function<egraph::NodeId(egraph::ClassId, bool as_filter)> choice;
    bool as_filter = false;  // the root's context
    // By canonical class id: when the input first evaluates it (smaller is earlier); what it does not is at the end. May be
    // shorter than the number of classes.
    std::vector<std::uint32_t> input_rank;
};

// The chosen term as an expression; shared classes become shared nodes. `origins`, where given, gets the e-graph node of
// each expression node. Conjuncts and disjuncts that cannot raise come first, by column, operator and structure; raising
// ones after them in input order. Every cast is marked implicit: the writer leaves out what binding gives back.
// Cost: linear but for the sorting.
lang::ExprId decode(const egraph::EGraph& graph, const SqlOps& ops, const Knowledge& knowledge,
                    egraph::ClassId root, const Decoding& decoding, lang::Exprs& exprs,
                    std::vector<egraph::NodeId>* origins = nullptr);

}  // namespace satura::rules
