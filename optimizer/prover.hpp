// Proofs from the e-graph's union log.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "egraph/explain.hpp"
#include "optimizer/rule_engine.hpp"
#include "proof/known.hpp"
#include "proof/proof.hpp"
#include "proof/replay.hpp"
#include "proof/written.hpp"

namespace satura {

// What a proof is to show.
struct ProofGoal {
    rules::PlanScope* plan = nullptr;  // of the proof's terms, where some are relations
    // Adds the terms that a proof begins with.
    std::function<void(proof::Known&)> begin;
    // The payload of a term for that of an e-graph's node.
    std::function<egraph::Payload(egraph::OpId, egraph::Payload)> payload;
    // Whether what is known comes to what is to be shown.
    std::function<bool(proof::Known&)> is_reached;
    // The finished proof but for its terms and steps; `numbers` are those of terms in it.
    std::function<void(proof::Proof&, const std::vector<std::uint32_t>& numbers)> write;
    std::vector<proof::Piece> pieces;
    // Terms that write names.
    std::function<std::vector<proof::TermId>()> results;
    std::function<proof::Verdict(const proof::Proof&)> replayed;
};

// Collects the rule applications that make nodes of an e-graph equal, replays them, and asks for more of the log where a
// condition is not shown yet. What it returns has been replayed once.
class Prover {
  public:
    // The e-graph must be saturated as far as is to be proved, and not change.
    Prover(RuleEngine& engine, ProofGoal goal);

    // Asks that those of these nodes that are equal be shown to be so.
    void connect(std::vector<std::uint32_t> ids) {
        explainer_.want_equal(std::move(ids), egraph::none);
    }
    // Nodes, with all that a proof says of their operands: a set that became another one has elements that it was not made of.
    void connect_parts(std::span<const egraph::NodeId> nodes, std::vector<std::uint32_t> ids = {});

    // The proof; nothing where a step cannot be shown (`why` says which). `opened` are nodes of which all forms take part where
    // it does not go otherwise. Cost: some replays.
    std::optional<proof::Proof> prove(std::vector<std::uint32_t> opened);
    const std::string& why() const { return why_; }
    // The term of a node, over those of its first children; while a proof is made.
    proof::TermId term_of(std::uint32_t node);

  private:
    void want_facts(std::uint32_t entry);
    static bool makes_terms(const rules::ResolvedRule& rule);
    void want_parts(std::uint32_t entry);
    void want_computed(std::uint32_t entry);
    void want_witnesses(std::uint32_t entry, std::vector<std::uint32_t> ids);
    void want_members(std::uint32_t entry, std::vector<std::uint32_t> ids);
    std::vector<std::uint32_t> ids_of(std::uint32_t entry) const;
    bool replay_all();
    bool replay(const std::vector<std::uint32_t>& entries);
    bool holds_with(const std::vector<proof::Step>& steps);
    void shorten();
    bool is_replayed(const proof::Proof& proof);
    std::optional<proof::Proof> written();
    bool replay_rule(std::uint32_t entry);
    proof::Step step_of(std::uint32_t entry, std::uint32_t match);
    void drop_picked(std::uint32_t entry, std::uint32_t match, proof::Step& step);
    bool check(proof::Step& step, const rules::ResolvedRule& rule, std::uint32_t entry,
               bool is_last);

    RuleEngine& engine_;
    ProofGoal goal_;
    egraph::Explainer explainer_;
    std::map<std::uint32_t, int>
        levels_;  // how much of the facts an entry needs, where more than nothing
    std::string why_;
    bool may_ask_again_ = false;
    std::size_t failures_ = 0;             // of the last replay
    std::set<std::uint32_t> hints_;        // nodes whose terms say something that a condition needs
    std::set<std::uint32_t> keeps_units_;  // entries: see Explainer::rest
    // Of one replay.
    std::optional<proof::Terms> terms_;
    std::optional<proof::Known> begun_;  // before any step
    std::optional<proof::Known> known_;
    std::vector<std::uint32_t> term_of_;  // by node
    std::vector<proof::Step> steps_;
};

}  // namespace satura
