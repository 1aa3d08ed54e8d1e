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

// Where nodes go: an e-graph, or terms of another kind. Ids are the taker's own.
class NodeTaker {
  public:
    virtual ~NodeTaker() = default;
    virtual std::uint32_t add(egraph::OpId op, egraph::Payload payload,
                              std::span<const std::uint32_t> children) = 0;
};

class GraphTaker : public NodeTaker {
  public:
    explicit GraphTaker(egraph::EGraph& graph) : graph_(graph) {}
    std::uint32_t add(egraph::OpId op, egraph::Payload payload,
                      std::span<const std::uint32_t> children) override {
        return egraph::raw(graph_.add_node(op, payload, children));
    }

  private:
    egraph::EGraph& graph_;
};

// Adds the expressions below the roots, each part once; what was added for each expression node, by ExprId, none for a
// conjunction or disjunction that became part of the one around it.
std::vector<std::uint32_t> encode_to(NodeTaker& taker, const lang::Exprs& exprs,
                                     std::span<const lang::ExprId> roots, SqlOps& ops,
                                     Scope& scope);

// The expression as a filter sees it: IS TRUE of what is neither a conjunction nor a disjunction, and of those its parts. `made`
// is what encode_to gave for the root. Cost: linear.
std::uint32_t filter_form(NodeTaker& taker, const lang::Exprs& exprs, lang::ExprId root,
                          const std::vector<std::uint32_t>& made, const SqlOps& ops);

// The same for several expressions at once, each part once; the e-graph node of each expression node below a root, by ExprId.
// Cost: linear in the whole.
std::vector<egraph::NodeId> encode_all(const lang::Exprs& exprs,
                                       std::span<const lang::ExprId> roots, egraph::EGraph& graph,
                                       SqlOps& ops, Scope& scope);

}  // namespace satura::rules
