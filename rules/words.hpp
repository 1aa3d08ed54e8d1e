// The words of the rule language: conditions (`where lossless(?x, ?T)`) and computed parts (`let ?d = round_up(?c, ?x)`).
//
// Words over values are pure functions of what is known of their arguments. They see no e-graph: whoever applies a rule, the
// engine, the soundness checker or a proof's checker, resolves the arguments and calls the same function. Words over truths
// and relations (plan_words.hpp) ask the e-graph's facts through PlanSteps. The lists are
// closed: condition_words() and computed_words(); docs/words.md describes each entry.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "egraph/ids.hpp"
#include "lang/context.hpp"
#include "lang/op.hpp"
#include "rules/made.hpp"
#include "rules/ranges.hpp"

namespace satura::rules {

// Which values an expression can take, over all rows: a set over {null, true, false, other non-null}. Over-approximated:
// what is not in the set is impossible. A constant is known where the expression has one value in every row.
struct Possible {
    static constexpr std::uint8_t null = 1, true_ = 2, false_ = 4, other = 8, anything = 15;
    std::uint8_t mask = anything;
    std::optional<lang::LiteralId> constant;

    bool never_null() const { return (mask & null) == 0; }
    bool always_null() const { return mask == null; }
};

// What is known of the expression that a variable stands for.
struct Operand {
    std::uint32_t id = 0;  // equal ids: equal expressions
    lang::Type type;
    Possible possible;
    std::optional<lang::LiteralId> literal;  // it has this one value, in every row
    bool written = false;                    // it is a constant written out already
    bool stable = false;                     // free of volatile calls
    bool bounded = false;                    // its value lies within its type
    // What it says of another operand, if anything is known of that, and which one that is; valid while a word runs.
    const About* about = nullptr;
    std::uint32_t subject = 0;
    bool subject_never_null = false;
};

class PlanSteps;

//   truth, relation, shape   a class of that sort; only Argument::operand.id is set
//   facts                    facts that a `let` made, or a truth or relation, which stands for its own
enum class ParameterKind : std::uint8_t {
    expression,
    literal,
    type,
    rest,
    op,
    truth,
    relation,
    shape,
    facts
};

struct Argument {
    ParameterKind kind = ParameterKind::expression;
    Operand operand;                // expression, literal
    lang::Type type;                // type
    std::vector<Operand> elements;  // rest
    lang::Op op = lang::Op::eq;     // op
    std::uint32_t facts = 0;        // facts: PlanSteps::FactsId
};

struct ConditionWord {
    std::string_view name;
    std::vector<ParameterKind> parameters;
    std::string_view meaning;  // one sentence, for `satura rules --words` and messages
    bool (*holds)(lang::Context&, std::span<const Argument>);
    // Of a word over truths and relations, which has no `holds`.
    bool (*holds_in_plan)(PlanSteps&, std::span<const Argument>) = nullptr;
    bool variadic = false;  // the last parameter stands for one or more
    bool of_one_subject =
        false;  // it does not hold of two predicates that are about different operands
};

// The result of a computed part: a constant, a type, an expression, a list whose elements are ids of operands, constants or
// expressions, a class, or facts.
struct Element {
    std::variant<std::uint32_t, lang::LiteralId, Made> value;
};
struct ComputedFacts {
    std::uint32_t id = 0;
};
using Computed = std::variant<lang::LiteralId, lang::Type, Made, std::vector<Element>,
                              egraph::ClassId, ComputedFacts>;
enum class ResultKind : std::uint8_t { literal, type, expression, rest, truth, facts };

struct ComputedWord {
    std::string_view name;
    std::vector<ParameterKind> parameters;
    ResultKind result;
    std::string_view meaning;
    // Nothing: the rule does not apply.
    std::optional<Computed> (*compute)(lang::Context&, std::span<const Argument>);
    std::optional<Computed> (*compute_in_plan)(PlanSteps&, std::span<const Argument>) = nullptr;
    bool variadic = false;
};

// Whether the word looks at what predicates say of one operand (Operand::about).
bool reads_about(std::string_view word);

const std::vector<ConditionWord>& condition_words();
const std::vector<ComputedWord>& computed_words();
const ConditionWord* find_condition(std::string_view name);
const ComputedWord* find_computed(std::string_view name);

}  // namespace satura::rules
