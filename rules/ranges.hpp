// What a predicate says of one operand, its subject: for which values it is TRUE, FALSE or NULL.
//
// `x > 5 and x < 9`, `x in (1, null)`, `cast(x as date) = date '2024-01-01'` and `x is null` are each a function of x alone that
// has few steps: the values in their order fall into regions, divided by cuts, and in each region the answer is one. All
// operators of truth values work on such functions point by point, so one representation serves intersection,
// contradiction, absorption, IN lists and the preimages of casts alike.
//
// A predicate on cast(x) or x + 1 is carried down to x where the preimage of every region is known exactly: a *step* says
// how the value of an expression follows from the value of its one operand that is not constant.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lang/context.hpp"
#include "lang/op.hpp"

namespace satura::rules {

struct Possible;

enum class Answer : std::uint8_t { no, yes, unknown };

// A place in the order of the subject's values: just before the value, or just after it.
struct Cut {
    lang::LiteralId value{};
    bool after = false;
};

struct Ranges {
    std::uint32_t subject = 0;                // id of an operand
    lang::Type type;                          // the subject's
    std::vector<Cut> cuts;                    // ascending
    std::vector<Answer> answers{Answer::no};  // one more than cuts
    Answer at_null = Answer::unknown;
    Answer at_nan = Answer::no;  // of a float where NaN has no place in the order
    std::uint32_t size = 0;      // of the shortest known predicate that says this
    bool has_ends = false;       // no value lies beyond the least and the greatest of the type
};

// An expression as a function of one operand: `constant` is the other one of an arithmetic operator.
struct Step {
    lang::Op op = lang::Op::cast;
    std::uint32_t inner = 0;  // id of an operand
    std::optional<lang::LiteralId> constant;
    bool constant_first = false;
    lang::Type type;  // of the result
};

// What is known of an expression: either, or neither; and of a conjunction or disjunction its operands.
struct About {
    std::optional<Ranges> ranges;
    std::optional<Step> step;
    bool is_leaf = false;  // a column: made of nothing else, whatever it is equal to
    lang::Op junction = lang::Op::column;
    std::vector<std::uint32_t> parts;
};

// What is known of an operand, as whoever keeps the knowledge hands it out.
struct Subject {
    std::uint32_t id = 0;
    lang::Type type;
    bool bounded = false;  // its value lies within its type
    std::optional<lang::LiteralId> constant;
    const About* about = nullptr;
};
using SubjectOf = std::function<Subject(std::uint32_t id)>;

// Whether about_of() has anything to say of an operator.
bool may_be_about(lang::Op op);

// What is known of an operator's result; nothing where it is no function of one operand, or none with few steps.
std::optional<About> about_of(lang::Op op, lang::Type type, std::span<const Subject> operands,
                              const SubjectOf& subject, lang::Context& context);

// What an expression of type boolean says of itself.
Ranges itself(std::uint32_t id, lang::Context& context);

// Whether `a` is worth more than `b`, of one and the same expression.
bool is_better(const About& a, const About& b);

// Their conjunction or disjunction; nothing where it has too many steps. Requires one subject.
std::optional<Ranges> together(lang::Op op, std::span<const Ranges* const> parts, bool bounded,
                               lang::Context& context);
// Whether, wherever p is something else than `except`, q is `always`. Requires one subject.
bool wherever_not(const Ranges& p, Answer except, const Ranges& q, Answer always, bool never_null,
                  lang::Context& context);

// The order of cuts: negative, 0, positive. The cut after a value and the one before the next are equal.
int compare_cuts(const Cut& a, const Cut& b, lang::Type type, lang::Context& context);

}  // namespace satura::rules
