// What the rule compiler must be told of an algebra: its operators, leaves, types, words, and how words' arguments are read
// from a match. SQL is one language (sql_language.hpp); a rule file with `operator` declarations makes its own (algebra.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/match.hpp"
#include "egraph/pattern.hpp"
#include "egraph/signature.hpp"
#include "rules/syntax.hpp"
#include "rules/words.hpp"

namespace satura::rules {

// What a variable stands for, and with it what its slot holds:
//   expression  a class
//   literal     a payload of the literal operator
//   type        a payload, the type's bits
//   rest        a rest, or a computed sequence of classes
//   facts       a number that the language gives to facts about rows
//   op          nothing: `for` puts operators in its place before
enum class VariableKind : std::uint8_t { expression, literal, type, rest, facts, op };

struct Place {
    VariableKind kind = VariableKind::expression;
    std::uint32_t slot = 0;
};

struct OperatorUse {
    egraph::OpId op{};
    egraph::Payload payload = 0;
};

// A semantics setting that `when` may name: `when nan total`.
struct Setting {
    std::string_view name;
    std::vector<std::string_view> values;
};

class Language {
  public:
    virtual ~Language() = default;

    virtual const egraph::Signature& signature() const = 0;
    virtual lang::Context& context() = 0;  // handed to the words

    // The operator as rules spell it ("=", "and", "is null", "neg", "upper"). `operands` is the number that is written, for
    // functions that exist with several; rests do not count. An operator whose own number differs is returned all the same:
    // the caller compares. For cast and try_cast the payload does not matter.
    virtual std::optional<OperatorUse> operator_named(std::string_view name,
                                                      std::uint32_t operands) = 0;
    virtual std::vector<std::string> operator_names() const = 0;  // for "did you mean"

    // What to say where operator_named() gives nothing and no name is near.
    virtual std::string operator_help(std::string_view, std::uint32_t) const { return ""; }

    // Leaves. The operator of constants, and the payload of one; nothing where such a text has no meaning by itself.
    virtual egraph::OpId literal_operator() = 0;
    virtual std::optional<egraph::Payload> literal(std::string_view text, LiteralText how) = 0;
    // What to say where literal() gives nothing.
    virtual std::string literal_help() const { return "use a word that computes it"; }

    virtual std::optional<egraph::Payload> parse_type(std::string_view text) = 0;

    // Takes an `operator` declaration; an answer says why it cannot.
    virtual std::optional<std::string> declare(const OperatorSyntax& declaration) = 0;

    // Words and settings.
    virtual const std::vector<ConditionWord>& conditions() const = 0;
    virtual const std::vector<ComputedWord>& computations() const = 0;
    virtual std::vector<Setting> settings() const { return {}; }
    // Whether the condition may turn false while the e-graph learns. By default a negated one over expressions or rests.
    virtual bool is_unstable(const ConditionWord& word, bool negated) const;

    // Arguments of words, resolved from a match; which analyses that looks at; and a result put back into a slot, false
    // where it cannot. Places of kind literal may be asked for as an expression.
    virtual Argument resolve(const egraph::Match& match, ParameterKind as, Place place) = 0;
    virtual void reads(std::string_view word, ParameterKind as, Place place,
                       std::vector<egraph::Read>& out) = 0;
    virtual bool store(egraph::Match& match, Place place, const Computed& value) = 0;
    // Whether two predicates can be about one operand: a quick look, for words that else do not hold.
    virtual bool share_subject(const egraph::Match&, Place, Place) { return true; }
    // Asks or computes a word at a match.
    virtual bool holds(const ConditionWord& word, const egraph::Match&,
                       std::span<const Argument> arguments) {
        return word.holds(context(), arguments);
    }
    virtual std::optional<Computed> compute(const ComputedWord& word, egraph::Match&,
                                            std::span<const Argument> arguments) {
        return word.compute(context(), arguments);
    }
    // An argument that is written out: an operator, a type, a number or a string; nothing where it is none.
    virtual std::optional<Argument> constant(std::string_view text, ArgumentSyntax::Kind how,
                                             ParameterKind as) = 0;
};

}  // namespace satura::rules
