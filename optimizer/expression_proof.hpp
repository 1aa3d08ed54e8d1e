// Proofs of simplifications.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "optimizer/rule_engine.hpp"
#include "proof/proof.hpp"

namespace satura {

// An expression, and nodes of the e-graph that stand for its parts.
struct ProvedSide {
    const lang::Exprs& exprs;
    lang::ExprId root;
    std::vector<egraph::NodeId> nodes;
};

// The proof's terms and steps from the term of `start` to the result, or its form as a filter; nothing where a step cannot be
// shown (`why` says which). The e-graph must be saturated with both sides in it. Cost: some replays.
std::optional<proof::Proof> prove_expression(RuleEngine& engine, const ProvedSide& before,
                                             egraph::NodeId start, const ProvedSide& after,
                                             bool as_filter, std::string& why);

}  // namespace satura
