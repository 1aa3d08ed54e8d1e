// Chosen terms of the e-graph as expressions.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/expr.hpp"
#include "rules/sql_ops.hpp"
#include "rules/term_classes.hpp"

namespace satura::rules {

// How a chosen term becomes an expression.
struct Decoding {
    // Which node stands for a class; acyclic. As a filter only TRUE or not matters: see ExpressionCost. Truths are filters.
    std::function<egraph::NodeId(egraph::ClassId, bool as_filter)> choice;
    bool as_filter = false;  // the root's context
    // By canonical class id: when the input first evaluates it (smaller is earlier); what it does not is at the end. May be
    // shorter than the number of classes.
    std::vector<std::uint32_t> input_rank;
    // Gets every chosen node, where given: also those that have no expression of their own.
    std::vector<egraph::NodeId>* chosen = nullptr;
};

// What of a filter is a filter itself: of a node that is wanted as a filter or not, its operands.
bool keeps_filter(const SqlOps& ops, bool as_filter, const egraph::NodeView& node);

// Expressions of several classes, one after the other; shared classes become shared nodes. Conjuncts and disjuncts that
// cannot raise come first, by column, operator and structure; raising ones after them in input order. Every cast is marked
// implicit: the writer leaves out what binding gives back. `same{a, b, 2}` becomes a = 2 and b = 2, `same{a, b, c}` becomes
// a = b and a = c, `same{a}` becomes a is not null. Refers to all that it is given.
class Decoder {
  public:
    // `origins`, where given, gets the e-graph node of each expression node.
    Decoder(const TermClasses& classes, const SqlOps& ops, const Decoding& decoding,
            lang::Exprs& exprs, std::vector<egraph::NodeId>* origins = nullptr);
    ~Decoder();

    // The chosen term of a class of values or truths. Cost: linear in what is new but for the sorting.
    lang::ExprId run(egraph::ClassId root, bool as_filter);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

// One expression: the root in the decoding's context.
lang::ExprId decode(const TermClasses& classes, const SqlOps& ops, egraph::ClassId root,
                    const Decoding& decoding, lang::Exprs& exprs,
                    std::vector<egraph::NodeId>* origins = nullptr);

}  // namespace satura::rules
