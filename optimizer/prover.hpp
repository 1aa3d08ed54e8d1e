// Proofs of simplifications, from the e-graph's union log.
#pragma once

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

// An expression, and nodes of the e-graph that stand for its parts.
struct ProvedSide {
    const lang::Exprs& exprs;
    lang::ExprId root;
    std::vector<egraph::NodeId> nodes;
};

// Collects the rule applications that lead from one side to the other, replays them, and asks for more of the log where a
// condition is not shown yet. What it returns has been replayed once.
class Prover {
  public:
    // The e-graph must be saturated as far as the sides are proved, and not change.
    explicit Prover(RuleEngine& engine);

    // The proof's terms and steps from the term of `start` to the result, or its form as a filter; nothing where a step cannot
    // be shown (`why` says which). Cost: some replays.
    std::optional<proof::Proof> prove(const ProvedSide& before, egraph::NodeId start,
                                      const ProvedSide& after, bool as_filter);
    const std::string& why() const { return why_; }

  private:
    void want_result(egraph::NodeId start, const ProvedSide& after);
    void want_facts(std::uint32_t entry);
    void want_computed(std::uint32_t entry);
    void want_witnesses(std::uint32_t entry, std::vector<std::uint32_t> ids);
    void want_members(std::uint32_t entry, std::vector<std::uint32_t> ids);
    std::vector<std::uint32_t> ids_of(std::uint32_t entry) const;
    bool replay_all(egraph::NodeId start);
    bool replay(const std::vector<std::uint32_t>& entries, egraph::NodeId start);
    bool leads_to(const ProvedSide& after, egraph::NodeId start, bool as_filter);
    bool holds_with(const std::vector<proof::Step>& steps, const ProvedSide& after,
                    egraph::NodeId start, bool as_filter);
    void shorten(const ProvedSide& after, egraph::NodeId start, bool as_filter);
    bool is_replayed(const proof::Proof& proof, const ProvedSide& before, const ProvedSide& after);
    std::optional<proof::Proof> written(const ProvedSide& before, bool as_filter);
    bool replay_rule(std::uint32_t entry);
    proof::Step step_of(std::uint32_t entry, std::uint32_t match);
    void drop_picked(std::uint32_t entry, std::uint32_t match, proof::Step& step);
    bool check(proof::Step& step, const rules::ResolvedRule& rule, std::uint32_t entry,
               bool is_last);
    proof::TermId term_of(std::uint32_t node);

    RuleEngine& engine_;
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
    std::optional<proof::Known> known_;
    std::vector<std::uint32_t> term_of_;  // by node
    std::vector<proof::Step> steps_;
};

}  // namespace satura
