// What holds for an operator whatever its arguments' values.
#include "lang/evaluate.hpp"
#include "lang/function_tables.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

using Types = std::span<const Type>;
using Constants = std::span<const Value* const>;

bool any_opaque(Types types) {
    for (const Type type : types) {
        if (type.kind() == TypeKind::opaque) return true;
    }
    return false;
}

bool division_by_zero_raises(Types types, const Semantics& semantics) {
    (void)types;
    return semantics.dialect == Dialect::postgres || semantics.dialect == Dialect::spark;
}

// Whether a constant divisor rules out both zero and the one quotient that overflows, min / -1.
bool is_safe_divisor(const Value* divisor) {
    if (divisor == nullptr || divisor->is_null()) return divisor != nullptr;
    if (divisor->kind() != Value::Kind::integer && divisor->kind() != Value::Kind::decimal)
        return false;
    if (Number::is_decimal_nan(*divisor)) return true;
    return !Number::is_zero(*divisor) && !(divisor->is_small() && divisor->small() == -1);
}

// Results of bounded decimals and of literals are far from the bounds of PostgreSQL's numeric; those
// of numerics without bounds need not be.
bool decimal_overflows(Type type, Types types, Constants constants) {
    if (type.kind() == TypeKind::decimal) return true;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (types[i].kind() == TypeKind::numeric && constant_at(constants, i) == nullptr)
            return true;
    }
    return false;
}

// A literal is cast the same way every time.
bool cast_of_may_raise(const Value* constant, Type from, Type to, const Semantics& semantics) {
    if (constant == nullptr || to.kind() == TypeKind::opaque)
        return cast_may_raise(from, to, semantics);
    return cast_value(*constant, from, to, semantics, Mode::raising).state != Outcome::State::value;
}

bool arithmetic_may_raise(Op op, Type type, Types types, Constants constants,
                          const Semantics& semantics) {
    const bool divides = op == Op::div || op == Op::mod;
    if (is_float(type)) {
        if (op == Op::neg) return false;
        if (semantics.dialect == Dialect::postgres) return true;
        return divides && division_by_zero_raises(types, semantics);
    }
    if (op == Op::neg) {
        // The digits of a decimal are symmetric about zero; an integer's minimum has no
        // counterpart.
        return type.kind() != TypeKind::decimal && type.kind() != TypeKind::numeric;
    }
    if (divides && !is_safe_divisor(constant_at(constants, 1))) return true;
    if (type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric) {
        return decimal_overflows(type, types, constants);
    }
    return !(divides && is_integer(type));
}

const Function* function_named(std::uint32_t name, const Context& context) {
    return find_function(context.names[name], context.semantics.dialect);
}

bool call_may_raise(std::uint32_t payload, Types types, Constants constants,
                    const Context& context) {
    const Function* function = function_named(payload, context);
    if (function == nullptr || !function->takes(types.size()) || any_opaque(types)) return true;
    if (!function->result_type(types, context.semantics)) return true;
    return function->may_raise != nullptr &&
           function->may_raise(types, constants, context.semantics);
}

}  // namespace

bool may_raise(Op op, Type type, std::uint32_t payload, Types argument_types,
               const Context& context) {
    return may_raise(op, type, payload, argument_types, {}, context);
}

bool may_raise(Op op, Type type, std::uint32_t payload, Types argument_types, Constants constants,
               const Context& context) {
    switch (op) {
        case Op::cast:
            return cast_of_may_raise(constant_at(constants, 0), argument_types[0],
                                     Type::from_bits(payload), context.semantics);
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::null_safe_eq:
        case Op::nullif:
        case Op::greatest:
        case Op::least:
        case Op::in:
        case Op::between:
            return any_opaque(argument_types);  // their comparison is the engine's
        case Op::try_cast:
            return any_opaque(argument_types) ||
                   Type::from_bits(payload).kind() == TypeKind::opaque;
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
        case Op::neg:
            return arithmetic_may_raise(op, type, argument_types, constants, context.semantics);
        case Op::like:
            return any_opaque(argument_types) ||
                   pattern_may_raise(argument_types, constants, context.semantics);
        case Op::call:
            return call_may_raise(payload, argument_types, constants, context);
        case Op::opaque:
        case Op::exists:
        case Op::in_subquery:
        case Op::scalar_subquery:
            return true;
        default:
            return false;
    }
}

bool is_strict(Op op, std::uint32_t payload, const Context& context) {
    switch (op) {
        case Op::cast:
        case Op::try_cast:
            return Type::from_bits(payload).kind() != TypeKind::opaque;
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::not_:
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
        case Op::neg:
        case Op::like:
            return true;
        case Op::greatest:
        case Op::least:
            return !context.semantics.greatest_ignores_null;
        case Op::call: {
            const Function* function = function_named(payload, context);
            return function != nullptr && function->is_strict;
        }
        default:
            return false;
    }
}

bool gives_value(std::uint32_t payload, const Context& context) {
    const Function* function = function_named(payload, context);
    return function != nullptr && function->gives_value;
}

bool is_volatile(Op op, std::uint32_t payload, const Context& context) {
    // Of a subquery the plan knows more.
    if (op >= Op::opaque) return true;
    if (op != Op::call) return false;
    const Function* function = function_named(payload, context);
    return function == nullptr || function->is_volatile;
}

}  // namespace satura::lang
