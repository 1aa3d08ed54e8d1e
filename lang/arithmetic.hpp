// +, -, *, /, % and unary minus on evaluated, non-NULL operands.
#pragma once

#include "lang/evaluate.hpp"

namespace satura::lang {

// Requires values of the argument types; `type` is the result type.
Outcome arithmetic(Op op, Type type, const Value& a, Type a_type, const Value& b, Type b_type,
                   const Semantics& semantics, Mode mode);
Outcome negate(const Value& a, Type type, const Semantics& semantics, Mode mode);

// The part of arithmetic() that has a date, timestamp or interval as an operand.
Outcome time_arithmetic(Op op, Type type, const Value& a, Type a_type, const Value& b, Type b_type,
                        const Semantics& semantics, Mode mode);

}  // namespace satura::lang
