// Replaying a proof: each step is checked by the rules, the evaluator and what the steps before it showed; no e-graph, no
// optimizer.
//
//   Verifier verifier(proof.semantics);
//   Verdict verdict = verifier.verify(proof);
//   if (!verdict.refusal.empty()) …   // at step verdict.step
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/expr.hpp"
#include "proof/known.hpp"
#include "proof/proof.hpp"
#include "proof/step_check.hpp"
#include "proof/written.hpp"
#include "rules/encode.hpp"
#include "rules/loader.hpp"

namespace satura::proof {

struct Verdict {
    std::string refusal;  // why the proof does not hold; empty: it holds
    std::uint32_t step =
        0;  // the step that is refused, from 1; 0: the terms, or what the steps come to
};

// Adds terms to what is known; ids are those of the terms.
class KnownTaker : public rules::NodeTaker {
  public:
    explicit KnownTaker(Known& known) : known_(known) {}
    std::uint32_t add(egraph::OpId op, egraph::Payload payload,
                      std::span<const std::uint32_t> children) override;

  private:
    Known& known_;
};

// Whether the expression, of which `made` was added, is equal to the start. A filter may be so as a whole or in its parts, for IS
// TRUE of a conjunction is the conjunction of IS TRUE of each part, and likewise of a disjunction.
bool is_shown(Known& known, KnownTaker& taker, TermId start, const lang::Exprs& exprs,
              lang::ExprId root, const std::vector<std::uint32_t>& made, bool as_filter);

using RuleNamed = std::function<const rules::ResolvedRule*(std::string_view)>;

// Sees a replay's steps, with the ids of its terms.
class StepWatcher {
  public:
    virtual ~StepWatcher() = default;
    // Before the step, numbered from 0, is taken: whether to take it.
    virtual bool begins(std::uint32_t step) = 0;
    // After it: whether to go on as if it held, where it was refused.
    virtual bool ended(std::uint32_t number, const Step& step, const StepCheck& check, bool holds,
                       const Known& known) = 0;
};

// Adds the proof's terms, of which `made` gets the ids, and then takes its steps, as far as they hold.
Verdict replay_steps(const Proof& proof, std::span<const Piece> pieces, Known& known,
                     const RuleNamed& rule_named, std::vector<TermId>& made,
                     StepWatcher* watcher = nullptr);

// What a proof is about, bound: pieces of the result carry the payloads of the input's.
struct Statement {
    const lang::Exprs& before;
    lang::ExprId before_root;
    const lang::Exprs& after;
    lang::ExprId after_root;
};
// Replays the proof's terms and steps for that statement. `rule_named` gives a rule on values, or null.
Verdict replay(const Proof& proof, const Statement& statement, rules::SqlOps& ops,
               rules::Scope& scope, const RuleNamed& rule_named, StepWatcher* watcher = nullptr);

class Verifier {
  public:
    // Loads the built-in rules and `more`. Errors in those are in rule_errors(); such rules are left out.
    explicit Verifier(lang::Semantics semantics, const std::vector<rules::Source>& more = {});
    ~Verifier();

    const std::vector<std::string>& rule_errors() const;
    // Cost: about linear in the proof's terms and steps.
    Verdict verify(const Proof& proof, StepWatcher* watcher = nullptr);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace satura::proof
