#include "optimizer/expression_proof.hpp"

#include <algorithm>

#include "optimizer/prover.hpp"

namespace satura {

using egraph::NodeId;
using proof::Known;
using proof::TermId;

std::optional<proof::Proof> prove_expression(RuleEngine& engine, const ProvedSide& before,
                                             NodeId start, const ProvedSide& after, bool as_filter,
                                             std::string& why) {
    ProofGoal goal;
    Prover* self = nullptr;
    goal.begin = [](Known&) {};
    goal.payload = [](egraph::OpId, egraph::Payload payload) { return payload; };
    // The result as it is written is a term that the steps made equal to the start.
    goal.is_reached = [&](Known& known) {
        proof::KnownTaker taker(known);
        const auto made =
            rules::encode_to(taker, after.exprs, {&after.root, 1}, engine.ops, engine.scope);
        return proof::is_shown(known, taker, self->term_of(egraph::raw(start)), after.exprs,
                               after.root, made, as_filter);
    };
    goal.write = [&](proof::Proof& proof, const std::vector<std::uint32_t>&) {
        proof.as_filter = as_filter;
    };
    goal.results = [] { return std::vector<TermId>{}; };
    goal.pieces = proof::pieces_of(before.exprs, {&before.root, 1}, engine.ops);
    goal.replayed = [&](const proof::Proof& proof) {
        return proof::replay(proof, {before.exprs, before.root, after.exprs, after.root},
                             engine.ops, engine.scope, [&](std::string_view name) {
                                 const auto rule = std::ranges::find(engine.resolved, name,
                                                                     &rules::ResolvedRule::name);
                                 return rule == engine.resolved.end() ? nullptr : &*rule;
                             });
    };
    Prover prover(engine, std::move(goal));
    self = &prover;
    // The result's nodes are rows that may have been other terms first: all their parts are connected.
    prover.connect_parts(after.nodes, {egraph::raw(start)});
    // Conjunctions in conjunctions are written as one, which may be new: all forms of the parts may have to take part.
    std::vector<std::uint32_t> opened{egraph::raw(start)};
    for (NodeId node : after.nodes) {
        if (egraph::raw(node) != egraph::none) opened.push_back(egraph::raw(node));
    }
    auto proof = prover.prove(std::move(opened));
    if (!proof) why = prover.why();
    return proof;
}

}  // namespace satura
