// One step of a proof, checked: the rule's left side with what its variables stand for is the step's left term, its conditions
// hold by what was shown before, and its right side is the step's right term.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/known.hpp"
#include "proof/plan_words.hpp"
#include "proof/proof.hpp"
#include "rules/sema.hpp"

namespace satura::proof {

class StepCheck {
  public:
    StepCheck(Known& known, const rules::ResolvedRule& rule, const Step& step)
        : known_(known), rule_(rule), step_(step) {}

    // Why the step is refused; nothing if it holds, and then its sides are equal in `known`.
    std::optional<std::string> run();
    // Whether it was a condition or a computed part that failed: more may have to be known of the terms.
    bool lacks_facts() const { return lacks_facts_; }
    // The right side as it was built.
    TermId built() const { return built_; }

    // The step's conditions, and what each was told of: for people.
    struct Reason {
        std::string condition;
        std::vector<TermId> terms;
    };
    std::vector<Reason> reasons() const { return reasons_; }

  private:
    struct Value {
        bool is_bound = false;
        TermId term{};
        std::vector<TermId> elements;
        lang::Type type;
        std::optional<rules::Facts> facts;
    };
    std::optional<std::string> bind();
    std::optional<std::vector<TermId>> children(const rules::ResolvedTerm& term,
                                                const std::vector<TermId>& made);
    std::optional<TermId> instance(std::uint32_t root);
    std::vector<TermId> each(const rules::ResolvedTerm& term);
    std::optional<rules::Argument> resolve(const rules::ResolvedArgument& argument,
                                           rules::ParameterKind as);
    std::optional<std::vector<rules::Argument>> resolve_all(
        const std::vector<rules::ResolvedArgument>& arguments,
        const std::vector<rules::ParameterKind>& parameters);
    std::optional<std::vector<PlanArgument>> plan_arguments(
        const std::vector<rules::ResolvedArgument>& arguments) const;
    bool holds_in_plan(const rules::ResolvedWord& use);
    bool compute_in_plan(const rules::ResolvedLet& let);
    bool holds(const rules::ResolvedWord& use);
    bool holds(const rules::ResolvedCondition& condition);
    bool compute(const rules::ResolvedLet& let);
    TermId leaf(lang::LiteralId literal);
    TermId add(const rules::Made& made);
    bool is_in_other_words(TermId right);
    std::string refusal(const std::string& why) const;

    Known& known_;
    const rules::ResolvedRule& rule_;
    const Step& step_;
    std::vector<Value> values_;  // by variable
    std::vector<Reason> reasons_;
    TermId built_{};
    bool lacks_facts_ = false;
};

// Whether a step says what the variable stands for though a `let` computes it: parts of plans, which are checked, not computed
// again.
bool is_given(const rules::ResolvedRule& rule, std::uint32_t variable);

}  // namespace satura::proof
