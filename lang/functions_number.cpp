// Functions of numbers.
#include <array>
#include <cmath>

#include "lang/arithmetic.hpp"
#include "lang/cast.hpp"
#include "lang/function_tables.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using Types = Function::Types;
using Constants = Function::Constants;

// --- Result types

std::optional<Type> same_number(Types types, const Semantics& semantics) {
    if (!is_numeric(types[0])) return std::nullopt;
    if (types[0].kind() == TypeKind::decimal && is_postgres(semantics))
        return Type(TypeKind::numeric);
    return types[0];
}

// ceil, floor, round, sign: double stays double, decimals become whole ones, integers are double in PostgreSQL. DuckDB takes
// them as double in ceil and floor only. Other engines' rules are left to them.
std::optional<Type> whole_number(Types types, const Semantics& semantics) {
    const bool postgres = is_postgres(semantics);
    if (!postgres && !is_duckdb(semantics)) return std::nullopt;
    switch (types[0].kind()) {
        case TypeKind::double_:
            return types[0];
        case TypeKind::real:
            return postgres ? Type(TypeKind::double_) : types[0];
        case TypeKind::numeric:
            return types[0];
        case TypeKind::decimal:
            if (postgres) return Type(TypeKind::numeric);
            return Type::decimal(types[0].precision(), 0);
        default:
            if (is_integer(types[0]) && postgres) return Type(TypeKind::double_);
            return std::nullopt;
    }
}

std::optional<Type> whole_or_double(Types types, const Semantics& semantics) {
    if (is_duckdb(semantics) && is_integer(types[0])) return Type(TypeKind::double_);
    return whole_number(types, semantics);
}

// PostgreSQL rounds to places in numeric only; DuckDB's decimals depend on the number of places.
std::optional<Type> rounded_number(Types types, const Semantics& semantics) {
    if (types.size() == 1) {
        return is_duckdb(semantics) && is_integer(types[0]) ? std::optional(types[0])
                                                            : whole_number(types, semantics);
    }
    if (!is_small_integer(types[1])) return std::nullopt;
    if (is_postgres(semantics)) {
        if (!is_exact_numeric(types[0])) return std::nullopt;
        return Type(TypeKind::numeric);
    }
    if (is_duckdb(semantics) && is_float(types[0])) return types[0];
    return std::nullopt;
}

std::optional<Type> sign_number(Types types, const Semantics& semantics) {
    if (is_duckdb(semantics) && is_numeric(types[0])) return Type(TypeKind::tinyint);
    return whole_number(types, semantics);
}

// PostgreSQL has such functions of numeric too, with places of their own.
std::optional<Type> double_number(Types types, const Semantics&) {
    if (!std::ranges::all_of(types, is_numeric)) return std::nullopt;
    return Type(TypeKind::double_);
}

std::optional<Type> double_or_numeric(Types types, const Semantics& semantics) {
    if (!std::ranges::all_of(types, is_numeric)) return std::nullopt;
    const bool exact =
        !std::ranges::any_of(types, is_float) && std::ranges::any_of(types, has_decimal_digits);
    return Type(exact && is_postgres(semantics) ? TypeKind::numeric : TypeKind::double_);
}

// log(b, x) of PostgreSQL is one of numeric alone.
std::optional<Type> logarithm(Types types, const Semantics& semantics) {
    if (types.size() == 1) return double_or_numeric(types, semantics);
    if (is_postgres(semantics) && std::ranges::any_of(types, is_float)) return std::nullopt;
    if (!std::ranges::all_of(types, is_numeric)) return std::nullopt;
    return Type(is_postgres(semantics) ? TypeKind::numeric : TypeKind::double_);
}

std::optional<Type> wider_integer(Types types, const Semantics&) {
    for (const Type type : types) {
        if (!is_signed_integer(type)) return std::nullopt;
    }
    return integer_bits(types[0]) < integer_bits(types[1]) ? types[1] : types[0];
}

std::optional<Type> shifted_integer(Types types, const Semantics& semantics) {
    const bool known =
        is_postgres(semantics) && is_signed_integer(types[0]) && is_small_integer(types[1]);
    return known ? std::optional(types[0]) : std::nullopt;
}

std::optional<Type> remainder(Types types, const Semantics& semantics) {
    if (is_integer(types[0]) && is_integer(types[1])) return wider_integer(types, semantics);
    const bool exact = std::ranges::all_of(types, is_exact_numeric);
    return exact && is_postgres(semantics) ? std::optional(Type(TypeKind::numeric)) : std::nullopt;
}

// --- Errors

// The least integer has no counterpart.
bool integers_may_raise(Types types, Constants, const Semantics&) {
    return !is_float(types[0]) && !has_decimal_digits(types[0]);
}

// Decimals only grow by a digit, where PostgreSQL has room; a number without bounds may have none.
bool rounding_may_raise(Types types, Constants constants, const Semantics& semantics) {
    if (types.size() == 1) return false;
    const bool places_known = constants.size() > 1 && constants[1] != nullptr;
    return !places_known || (is_postgres(semantics) && types[0].kind() == TypeKind::numeric);
}

// --- Values

bool is_binary(const Value& v) {
    return v.kind() == Value::Kind::real || v.kind() == Value::Kind::double_;
}

Outcome float_value(double d, Type result) {
    return value_outcome(result.kind() == TypeKind::real ? Value::real(static_cast<float>(d))
                                                         : Value::double_(d));
}

Outcome absolute(const Call& call) {
    const Value& v = call[0];
    if (is_binary(v)) return float_value(std::abs(v.as_double()), call.result);
    if (Number::is_decimal_nan(v) || Number::sign(v) >= 0) return value_outcome(v);
    const Type type = is_integer(call.types[0]) ? call.types[0] : call.result;
    return negate(v, type, call.semantics, call.mode);
}

// A decimal or integer as a whole number of the result type.
Outcome whole_of(const Value& v, const Call& call, Rounding rounding) {
    if (Number::is_decimal_nan(v)) return value_outcome(v);
    if (v.kind() == Value::Kind::integer)
        return cast_value(v, call.types[0], call.result, call.semantics, call.mode);
    const Wide digits = rescale(Number::digits(v), v.scale(), 0, rounding);
    const Value whole = Number::decimal(digits, 0);
    if (call.result.kind() != TypeKind::decimal) return value_outcome(whole);
    return cast_value(whole, Type(TypeKind::numeric), call.result, call.semantics, call.mode);
}

Outcome floor_of(const Call& call) {
    if (is_binary(call[0])) return float_value(std::floor(call[0].as_double()), call.result);
    return whole_of(call[0], call, Rounding::floor);
}

Outcome ceil_of(const Call& call) {
    const Value& v = call[0];
    if (is_binary(v)) return float_value(std::ceil(v.as_double()), call.result);
    if (v.kind() != Value::Kind::decimal || Number::is_decimal_nan(v))
        return whole_of(v, call, Rounding::floor);
    const Value mirrored = Number::decimal(-Number::digits(v), v.scale());
    const Outcome floor = whole_of(mirrored, call, Rounding::floor);
    if (floor.state != Outcome::State::value) return floor;
    return value_outcome(Number::decimal(-Number::digits(floor.value), floor.value.scale()));
}

// To places behind the point, or before it where they are negative; the result shows as many.
Outcome to_places(const Call& call, Rounding rounding) {
    constexpr std::int64_t places_max = 1000;
    const Value& v = call[0];
    const bool known = !is_binary(v) && !Number::is_decimal_nan(v) && is_postgres(call.semantics) &&
                       call[1].kind() == Value::Kind::integer && call[1].is_small() &&
                       std::abs(call[1].small()) <= places_max;
    if (!known) return unknown_outcome();
    const int places = static_cast<int>(call[1].small());
    Wide digits = rescale(Number::digits(v), v.scale(), places, rounding);
    if (places < 0) digits *= power_of_ten(-places);
    return value_outcome(Number::decimal(digits, std::max(places, 0)));
}

Outcome trunc_of(const Call& call) {
    if (call.arguments.size() > 1) return to_places(call, Rounding::trunc);
    if (is_binary(call[0])) return float_value(std::trunc(call[0].as_double()), call.result);
    return whole_of(call[0], call, Rounding::trunc);
}

// PostgreSQL rounds a double's ties to even, DuckDB away from zero.
Outcome round_of(const Call& call) {
    if (call.arguments.size() > 1) return to_places(call, Rounding::half_away);
    if (!is_binary(call[0])) return whole_of(call[0], call, Rounding::half_away);
    const double d = call[0].as_double();
    return float_value(is_postgres(call.semantics) ? std::nearbyint(d) : std::round(d),
                       call.result);
}

Outcome sign_of(const Call& call) {
    const Value& v = call[0];
    if (Number::is_nan(v))
        return is_postgres(call.semantics) ? value_outcome(v) : unknown_outcome();
    const int sign = is_binary(v) ? (v.as_double() > 0) - (v.as_double() < 0) : Number::sign(v);
    return cast_value(Value::integer(sign), Type(TypeKind::integer), call.result, call.semantics,
                      call.mode);
}

Outcome sqrt_of(const Call& call) {
    const Value& v = call[0];
    if (v.kind() != Value::Kind::double_) return unknown_outcome();
    const double d = v.as_double();
    if (d < 0)
        return checked_outcome(Value::null(), false, call.mode, "square root of a negative number");
    return value_outcome(Value::double_(std::sqrt(d)));
}

constexpr Function of_one_double(std::string_view name) {
    return raising(name, 1, 1, double_number, in_both);
}

constexpr Function of_bits(std::string_view name) {
    return {.name = name,
            .least = 2,
            .most = 2,
            .dialects = in_both,
            .gives_value = true,
            .syntax = Function::Syntax::infix,
            .result_type = wider_integer};
}

constexpr Function shift(std::string_view name) {
    return {.name = name,
            .least = 2,
            .most = 2,
            .dialects = in_both,
            .syntax = Function::Syntax::infix,
            .result_type = shifted_integer,
            .may_raise = may_always_raise};
}

constexpr std::array functions = {
    Function{.name = "abs",
             .gives_value = true,
             .result_type = same_number,
             .may_raise = integers_may_raise,
             .evaluate = absolute},
    Function{
        .name = "ceil", .gives_value = true, .result_type = whole_or_double, .evaluate = ceil_of},
    Function{.name = "ceiling",
             .gives_value = true,
             .result_type = whole_or_double,
             .evaluate = ceil_of},
    Function{
        .name = "floor", .gives_value = true, .result_type = whole_or_double, .evaluate = floor_of},
    Function{.name = "round",
             .most = 2,
             .gives_value = true,
             .result_type = rounded_number,
             .may_raise = rounding_may_raise,
             .evaluate = round_of},
    Function{.name = "trunc",
             .most = 2,
             .dialects = in_both,
             .gives_value = true,
             .result_type = rounded_number,
             .may_raise = rounding_may_raise,
             .evaluate = trunc_of},
    Function{.name = "sign", .gives_value = true, .result_type = sign_number, .evaluate = sign_of},
    Function{.name = "sqrt",
             .result_type = double_or_numeric,
             .may_raise = may_always_raise,
             .evaluate = sqrt_of},
    raising("exp", 1, 1, double_or_numeric, everywhere),
    raising("ln", 1, 1, double_or_numeric, everywhere),
    raising("log", 1, 2, logarithm, in_both),
    raising("log10", 1, 1, double_or_numeric, in_both),
    raising("log2", 1, 1, double_number, in_duckdb),
    raising("power", 2, 2, double_or_numeric, in_both),
    raising("pow", 2, 2, double_or_numeric, in_both),
    raising("mod", 2, 2, remainder, in_both),
    raising("div", 2, 2, always<TypeKind::numeric>, in_postgres),
    raising("gcd", 2, 2, remainder, in_postgres),
    raising("lcm", 2, 2, remainder, in_postgres),
    raising("atan2", 2, 2, double_number, in_both),
    raising("width_bucket", 4, 4, always<TypeKind::integer>, in_postgres),
    Function{.name = "pi",
             .least = 0,
             .most = 0,
             .dialects = in_both,
             .gives_value = true,
             .result_type = always<TypeKind::double_>},
    of_one_double("cbrt"),
    of_one_double("degrees"),
    of_one_double("radians"),
    of_one_double("sin"),
    of_one_double("cos"),
    of_one_double("tan"),
    of_one_double("cot"),
    of_one_double("asin"),
    of_one_double("acos"),
    of_one_double("atan"),
    of_one_double("sinh"),
    of_one_double("cosh"),
    of_one_double("tanh"),
    of_bits("&"),
    of_bits("|"),
    shift("<<"),
    shift(">>"),
};

}  // namespace

std::span<const Function> number_functions() { return functions; }

}  // namespace satura::lang
