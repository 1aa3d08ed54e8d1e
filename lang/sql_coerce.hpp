// What a dialect makes of the operands of an operator: the type of bare literals, and the implicit casts.
//
// The binder asks before it builds a node; the writer asks whether a shorter spelling (a bare literal for a typed one, a
// cast left out) would be bound to the node that it has. Both get the same answer, so what is written is read back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lang/context.hpp"
#include "lang/op.hpp"
#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::lang {

// An operand before the dialect has decided on it. All forms but `typed` are constants without a type of their own.
struct Operand {
    enum class Form : std::uint8_t {
        typed,   // an expression or a typed literal
        null,    // NULL
        text,    // 'abc'
        number,  // 5, 1.5, 1e3: `type` is the dialect's type for it, `value` a value of that type
    };
    Form form = Form::typed;
    Type type;
    Value value;
};

// The type that each operand is brought to, and the type of the result. A target equal to the operand's own type, or an
// opaque one, needs no cast.
struct Coerced {
    std::vector<Type> targets;
    Type result;
    // BETWEEN, IN and NULLIF: the comparisons are made in different types, so that it is no single node. A BETWEEN is
    // `operand >= low and operand <= high` then, the others are opaque. Also DuckDB's branches that are all NULL.
    bool split = false;
};

struct Misfit {
    std::string message;
    std::size_t operand = 0;  // the one that does not fit
};

// Operands of `op` in the order of its children. Requires an operator other than column, literal, cast, try_cast and
// opaque. `unknown` is the opaque type "?".
std::variant<Coerced, Misfit> coerce(Op op, std::uint32_t payload,
                                     std::span<const Operand> operands, Type unknown,
                                     const Context& context);

// The type of a constant that nothing else decides: the number's own, text for 'abc' and NULL.
Type standalone_type(const Operand& operand, const Context& context);

// The literal value of a constant brought to a type. Nothing when it does not convert: a text that the type does not
// read, a number out of range. A NULL converts to every type.
std::optional<Value> constant_as(const Operand& constant, Type type, const Context& context);

}  // namespace satura::lang
