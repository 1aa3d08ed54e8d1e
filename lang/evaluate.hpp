// The reference evaluator: the meaning of every operator. Folding, the rule checker, the proof checker and the property
// tests all use it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

enum class Mode : std::uint8_t {
    total,    // every operator that can raise has its declared total extension (docs/semantics.md)
    raising,  // as the engine does it: overflow, division by zero, casts out of range raise
};

// A value, or the error that evaluation raises (never in Mode::total), or "cannot say": an opaque or unknown operator.
struct Outcome {
    enum class State : std::uint8_t { value, error, unknown };
    State state = State::value;
    Value value;
    std::string error;
};

// Evaluates `root` for one row. row[i] is the value of column payload i. AND, OR, CASE, COALESCE short-circuit from left
// to right in Mode::raising. One pass over the nodes below root; no recursion.
Outcome evaluate(const Exprs& exprs, ExprId root, std::span<const Value> row,
                 const Context& context, Mode mode);

// One operator applied to evaluated arguments (their types are needed by casts and arithmetic).
Outcome apply(Op op, Type type, std::uint32_t payload, std::span<const Outcome> arguments,
              std::span<const Type> argument_types, const Context& context, Mode mode);

// SQL's order of two non-NULL values of one type: negative, 0, positive; nothing when unordered (NaN under ieee).
std::optional<int> compare(const Value& a, const Value& b, Type type, const Semantics& semantics);

// The cast of one value.
Outcome cast_value(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode);

// Properties of casts, for all values of `from` (stored ones: within its range). No means no, or not known.
// Monotone: the total cast never decreases, in the order of compare(); so it never makes NULL of a value either (casts to
// or from text excepted, which have no total extension but NULL). Injective: two values that are not equal stay so.
bool cast_is_monotone(Type from, Type to, const Semantics& semantics);
bool cast_is_injective(Type from, Type to, const Semantics& semantics);
bool cast_is_lossless(Type from, Type to,
                      const Semantics& semantics);  // monotone, injective, never raises
bool cast_may_raise(Type from, Type to, const Semantics& semantics);

// Whether a node of that operator can raise for some values of its argument types.
bool may_raise(Op op, Type type, std::uint32_t payload, std::span<const Type> argument_types,
               const Context& context);
// The same where some arguments are known: constants[i] is the value of argument i if it is a literal, else null. A
// division by a literal other than 0 and -1 does not raise for its zero, LIKE with a sound literal pattern never does.
bool may_raise(Op op, Type type, std::uint32_t payload, std::span<const Type> argument_types,
               std::span<const Value* const> constants, const Context& context);
// NULL whenever any argument is NULL.
bool is_strict(Op op, std::uint32_t payload, const Context& context);
// Of a call: NULL only where it is strict and an argument is NULL, or where it may raise.
bool gives_value(std::uint32_t payload, const Context& context);
// Same arguments, same result, in one statement. Unknown functions and opaque pieces are volatile.
bool is_volatile(Op op, std::uint32_t payload, const Context& context);

// Result type of an operator over argument types, as the dialect has it; nothing when it does not apply (a type error),
// or for a call of a function that is not known with such arguments (which is no error: it stays opaque).
std::optional<Type> result_type(Op op, std::uint32_t payload, std::span<const Type> argument_types,
                                const Context& context);

// Text of a value that the dialect reads back as that type, without quotes or type name ("-5", "1.50", "NaN", "abc").
std::string value_text(const Value& value, Type type);
// The value of such a text, nothing when it is none of that type. "5.5" is no integer; "300" is no tinyint. Dates, times
// and intervals are read in ISO form only: for them, nothing may also mean a spelling that only the engine knows.
std::optional<Value> parse_value(std::string_view text, Type type, const Semantics& semantics);

}  // namespace satura::lang
