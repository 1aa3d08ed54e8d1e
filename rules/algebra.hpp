// The language of a rule file on its own: the operators are those that it declares, numbers, strings, true, false and null
// are leaves, and there are no types, words or settings. A program that wants words derives from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/context.hpp"
#include "rules/language.hpp"

namespace satura::rules {

class Algebra : public Language {
  public:
    Algebra();
    // E-graphs keep the signature's address.
    Algebra(const Algebra&) = delete;
    Algebra& operator=(const Algebra&) = delete;

    const egraph::Signature& signature() const override { return signature_; }
    lang::Context& context() override { return context_; }  // leaves are its names

    std::optional<OperatorUse> operator_named(std::string_view name,
                                              std::uint32_t operands) override;
    std::vector<std::string> operator_names() const override { return names_; }
    std::string operator_help(std::string_view name, std::uint32_t operands) const override;
    egraph::OpId literal_operator() override { return literal_; }
    std::optional<egraph::Payload> literal(std::string_view text, LiteralText how) override;
    std::optional<egraph::Payload> parse_type(std::string_view) override { return std::nullopt; }
    std::optional<std::string> declare(const OperatorSyntax& declaration) override;

    const std::vector<ConditionWord>& conditions() const override { return conditions_; }
    const std::vector<ComputedWord>& computations() const override { return computations_; }

    // An operand's literal is the payload of a leaf: an index into context().names.
    Argument resolve(const egraph::Match& match, ParameterKind as, Place place) override;
    void reads(std::string_view, ParameterKind, Place, std::vector<egraph::Read>&) override {}
    bool store(egraph::Match& match, Place place, const Computed& value) override;
    std::optional<Argument> constant(std::string_view text, ArgumentSyntax::Kind how,
                                     ParameterKind as) override;

  protected:
    std::vector<ConditionWord> conditions_;
    std::vector<ComputedWord> computations_;

  private:
    std::optional<egraph::Operator::Leaf> leaf(const std::string& text);
    Operand operand(const egraph::EGraph& graph, egraph::ClassId cls) const;

    egraph::Signature signature_;
    lang::Context context_;
    egraph::OpId literal_;
    std::vector<std::string> names_;
};

}  // namespace satura::rules
