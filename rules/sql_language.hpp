// SQL expressions as a Language of rules: operators by their spelling, literals, types, and what the analyses know of a match.
#pragma once

#include <memory>

#include "rules/analyses.hpp"
#include "rules/language.hpp"
#include "rules/plan_steps.hpp"
#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

class SqlLanguage : public Language {
  public:
    // `ops` must outlive this object. Knowledge is given later: rules are compiled before there is an e-graph, and closures
    // look at it when they run.
    explicit SqlLanguage(SqlOps& ops) : ops_(ops) {}
    void set_knowledge(const Knowledge* knowledge) { knowledge_ = knowledge; }
    // For rules on plans; without it, they do not apply.
    void set_plan(PlanSteps* steps) { steps_ = steps; }

    const egraph::Signature& signature() const override { return ops_.signature(); }
    lang::Context& context() override { return ops_.context(); }
    std::optional<OperatorUse> operator_named(std::string_view name,
                                              std::uint32_t operands) override;
    std::vector<std::string> operator_names() const override;
    egraph::OpId literal_operator() override { return ops_[lang::Op::literal]; }
    std::optional<egraph::Payload> literal(std::string_view text, LiteralText how) override;
    std::string literal_help() const override;
    std::optional<egraph::Payload> parse_type(std::string_view text) override;
    std::optional<std::string> declare(const OperatorSyntax& declaration) override;
    const std::vector<ConditionWord>& conditions() const override { return condition_words(); }
    const std::vector<ComputedWord>& computations() const override { return computed_words(); }
    std::vector<Setting> settings() const override;
    bool is_unstable(const ConditionWord& word, bool negated) const override;
    Argument resolve(const egraph::Match& match, ParameterKind as, Place place) override;
    void reads(std::string_view word, ParameterKind as, Place place,
               std::vector<egraph::Read>& out) override;
    bool store(egraph::Match& match, Place place, const Computed& value) override;
    bool share_subject(const egraph::Match& match, Place a, Place b) override;
    bool holds(const ConditionWord& word, const egraph::Match& match,
               std::span<const Argument> arguments) override;
    std::optional<Computed> compute(const ComputedWord& word, egraph::Match& match,
                                    std::span<const Argument> arguments) override;
    std::optional<Argument> constant(std::string_view text, ArgumentSyntax::Kind how,
                                     ParameterKind as) override;

    // What is known of a class; also used by the checker.
    Operand operand(const egraph::EGraph& graph, egraph::ClassId cls) const;

  private:
    Operand literal_operand(const egraph::EGraph& graph, lang::LiteralId literal) const;

    SqlOps& ops_;
    const Knowledge* knowledge_ = nullptr;
    PlanSteps* steps_ = nullptr;
};

// What a rule is about: the sort of its left side; of its right side where the left is a variable.
Sort sort_of(const ResolvedRule& rule, const SqlOps& ops);

// Whether a rule with these settings (`when nan total`) is on under the semantics.
bool is_enabled(const std::vector<SettingSyntax>& settings, const lang::Semantics& semantics);

}  // namespace satura::rules
