#include "lang/arithmetic.hpp"

#include <cmath>

#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace mp = boost::multiprecision;

namespace {

constexpr std::string_view out_of_range = "number out of range";
constexpr std::string_view by_zero = "division by zero";

int scale_of(const Value& value) {
    return value.kind() == Value::Kind::decimal ? value.scale() : 0;
}

bool is_exact(const Value& value) {
    return value.kind() == Value::Kind::integer || value.kind() == Value::Kind::decimal;
}

bool too_wide(const Wide& n) { return n != 0 && mp::msb(n < 0 ? Wide(-n) : n) > Number::bits_max; }

// Division by zero: NULL as total extension, and NULL in the engines that do not raise.
Outcome divided_by_zero(const Semantics& semantics, Mode mode) {
    const bool raises =
        semantics.dialect == Dialect::postgres || semantics.dialect == Dialect::spark;
    return checked_outcome(Value::null(), !raises, mode, by_zero);
}

Outcome integer_result(Value value, Type type, Mode mode) {
    const bool fits = mode == Mode::total || !is_integer(type) || fits_integer(value, type);
    return checked_outcome(std::move(value), fits, mode, out_of_range);
}

Outcome wide_integers(Op op, Type type, const Value& a, const Value& b, Mode mode) {
    const Wide x = Number::digits(a);
    const Wide y = Number::digits(b);
    Wide result;
    switch (op) {
        case Op::add:
            result = x + y;
            break;
        case Op::sub:
            result = x - y;
            break;
        case Op::mul:
            result = x * y;
            break;
        case Op::div:
            result = x / y;
            break;
        default:
            result = x % y;
            break;
    }
    if (too_wide(result)) return unknown_outcome();
    return integer_result(Number::integer(result), type, mode);
}

Outcome integers(Op op, Type type, const Value& a, const Value& b, const Semantics& semantics,
                 Mode mode) {
    const bool divides = op == Op::div || op == Op::mod;
    if (divides && Number::is_zero(b)) return divided_by_zero(semantics, mode);
    if (!a.is_small() || !b.is_small()) return wide_integers(op, type, a, b, mode);
    const std::int64_t x = a.small();
    const std::int64_t y = b.small();
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
        case Op::add:
            overflow = __builtin_add_overflow(x, y, &result);
            break;
        case Op::sub:
            overflow = __builtin_sub_overflow(x, y, &result);
            break;
        case Op::mul:
            overflow = __builtin_mul_overflow(x, y, &result);
            break;
        default:
            if (y == -1) {
                // DuckDB raises for the remainder too where the quotient overflows.
                const bool least =
                    is_integer(type) && is_signed_integer(type) && Wide(x) == integer_min(type);
                if (op == Op::mod) {
                    const bool raises = least && semantics.dialect == Dialect::duckdb;
                    return checked_outcome(Value::integer(0), !raises, mode, out_of_range);
                }
                return wide_integers(op, type, a, b, mode);
            }
            result = op == Op::div ? x / y : x % y;
            break;
    }
    if (overflow) return wide_integers(op, type, a, b, mode);
    return integer_result(Value::integer(result), type, mode);
}

// Weight and value of the first base-10000 digit, as PostgreSQL stores a numeric.
struct FirstDigit {
    int weight = 0;
    Wide digit = 0;
};

FirstDigit first_digit(const Wide& digits, int scale) {
    if (digits == 0) return {};
    const Wide magnitude = digits < 0 ? Wide(-digits) : digits;
    const int exponent = decimal_digits(magnitude) - 1 - scale;
    const int weight = exponent >= 0 ? exponent / 4 : -((3 - exponent) / 4);
    const int shift = scale + 4 * weight;
    const Wide digit =
        shift >= 0 ? Wide(magnitude / power_of_ten(shift)) : Wide(magnitude * power_of_ten(-shift));
    return {weight, digit};
}

// PostgreSQL keeps at least 16 significant digits in a quotient, and no fewer places than either
// operand has. Source: select_div_scale() in PostgreSQL's numeric.c.
int quotient_scale(const Wide& n, int n_scale, const Wide& d, int d_scale) {
    const FirstDigit top = first_digit(n, n_scale);
    const FirstDigit bottom = first_digit(d, d_scale);
    int weight = top.weight - bottom.weight;
    if (top.digit <= bottom.digit) --weight;
    const int scale = std::max({16 - weight * 4, n_scale, d_scale, 0});
    return std::min(scale, 1000);
}

Wide scaled_quotient(const Wide& n, int n_scale, const Wide& d, int d_scale, int scale,
                     Rounding rounding) {
    const int shift = scale + d_scale - n_scale;
    Wide numerator = shift >= 0 ? Wide(n * power_of_ten(shift)) : n;
    Wide denominator = shift >= 0 ? d : Wide(d * power_of_ten(-shift));
    if (denominator < 0) {
        numerator = -numerator;
        denominator = -denominator;
    }
    return divide_rounded(numerator, denominator, rounding);
}

Outcome decimal_result(const Wide& digits, int scale, Type type, const Semantics& semantics,
                       Mode mode) {
    if (too_wide(digits) || scale > Number::scale_max) return unknown_outcome();
    if (type.kind() != TypeKind::decimal) return value_outcome(Number::decimal(digits, scale));
    const Wide fitted = rescale(digits, scale, type.scale(), semantics.dec_round);
    const Wide limit = power_of_ten(type.precision());
    const bool fits = fitted < limit && fitted > -limit;
    return checked_outcome(Number::decimal(fitted, type.scale()), fits, mode, out_of_range);
}

// An operand at a scale of at least 0: what PostgreSQL keeps for a decimal of negative scale.
struct Scaled {
    Wide digits;
    int scale = 0;
};

Scaled scaled(const Value& value) {
    const int scale = scale_of(value);
    if (scale < 0) return {Number::digits(value) * power_of_ten(-scale), 0};
    return {Number::digits(value), scale};
}

Outcome decimal_division(Type type, const Scaled& a, const Scaled& b, const Semantics& semantics,
                         Mode mode) {
    const int scale = type.kind() == TypeKind::decimal
                          ? type.scale()
                          : quotient_scale(a.digits, a.scale, b.digits, b.scale);
    const Wide digits =
        scaled_quotient(a.digits, a.scale, b.digits, b.scale, scale, Rounding::half_away);
    return decimal_result(digits, scale, type, semantics, mode);
}

Outcome decimals(Op op, Type type, const Value& a, const Value& b, const Semantics& semantics,
                 Mode mode) {
    if (Number::is_decimal_nan(a) || Number::is_decimal_nan(b))
        return value_outcome(Number::decimal_nan());
    const bool divides = op == Op::div || op == Op::mod;
    if (divides && Number::is_zero(b)) return divided_by_zero(semantics, mode);
    const Scaled left = scaled(a);
    const Scaled right = scaled(b);
    if (op == Op::div) return decimal_division(type, left, right, semantics, mode);
    if (op == Op::mul) {
        return decimal_result(left.digits * right.digits, left.scale + right.scale, type, semantics,
                              mode);
    }
    const int scale = std::max(left.scale, right.scale);
    const Wide x = rescale(left.digits, left.scale, scale, Rounding::trunc);
    const Wide y = rescale(right.digits, right.scale, scale, Rounding::trunc);
    const Wide digits = op == Op::add ? Wide(x + y) : (op == Op::sub ? Wide(x - y) : Wide(x % y));
    return decimal_result(digits, scale, type, semantics, mode);
}

template <class Float>
Float float_operation(Op op, Float x, Float y) {
    switch (op) {
        case Op::add:
            return x + y;
        case Op::sub:
            return x - y;
        case Op::mul:
            return x * y;
        case Op::div:
            return x / y;
        default:
            return std::fmod(x, y);
    }
}

// PostgreSQL raises where finite operands give infinity, or where a product or quotient of non-zero
// ones is zero.
bool postgres_accepts(Op op, double x, double y, double result) {
    if (std::isinf(result) && !std::isinf(x) && !std::isinf(y)) return false;
    const bool may_vanish = op == Op::mul || op == Op::div;
    return !(may_vanish && result == 0.0 && x != 0.0 && y != 0.0 &&
             !(op == Op::div && std::isinf(y)));
}

Outcome float_result(double result, Type type) {
    return value_outcome(type.kind() == TypeKind::real ? Value::real(static_cast<float>(result))
                                                       : Value::double_(result));
}

Outcome floats(Op op, Type type, const Value& a, const Value& b, const Semantics& semantics,
               Mode mode) {
    const double x = a.as_double();
    const double y = b.as_double();
    const bool divides = op == Op::div || op == Op::mod;
    if (divides && y == 0.0 && semantics.dialect != Dialect::duckdb) {
        if (std::isnan(x)) return float_result(x, type);
        return divided_by_zero(semantics, mode);
    }
    if (op == Op::mod && y == 0.0)
        return unknown_outcome();  // DuckDB: NaN or NULL, as the operands were typed
    const double result =
        type.kind() == TypeKind::real
            ? static_cast<double>(float_operation(op, static_cast<float>(x), static_cast<float>(y)))
            : float_operation(op, x, y);
    const bool accepted =
        semantics.dialect != Dialect::postgres || postgres_accepts(op, x, y, result);
    if (mode == Mode::raising && !accepted) return error_outcome("value out of range");
    return float_result(result, type);
}

// The operand as the result's kind of float; nothing where that is not known.
std::optional<Value> as_float(const Value& value, Type from, Type to, const Semantics& semantics) {
    const Value::Kind wanted =
        to.kind() == TypeKind::real ? Value::Kind::real : Value::Kind::double_;
    if (value.kind() == wanted) return value;
    const Outcome cast = cast_value(value, from, to, semantics, Mode::total);
    if (cast.state != Outcome::State::value || cast.value.is_null()) return std::nullopt;
    return cast.value;
}

bool is_time_like(Type type) { return is_temporal(type) || type.kind() == TypeKind::interval; }

}  // namespace

Outcome arithmetic(Op op, Type type, const Value& a, Type a_type, const Value& b, Type b_type,
                   const Semantics& semantics, Mode mode) {
    if (is_time_like(a_type) || is_time_like(b_type)) {
        return time_arithmetic(op, type, a, a_type, b, b_type, semantics, mode);
    }
    if (is_float(type)) {
        const std::optional<Value> x = as_float(a, a_type, type, semantics);
        const std::optional<Value> y = as_float(b, b_type, type, semantics);
        if (!x || !y) return unknown_outcome();
        return floats(op, type, *x, *y, semantics, mode);
    }
    if (!is_exact(a) || !is_exact(b)) return unknown_outcome();
    if (is_integer(type)) {
        if (a.kind() != Value::Kind::integer || b.kind() != Value::Kind::integer)
            return unknown_outcome();
        return integers(op, type, a, b, semantics, mode);
    }
    if (type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric) {
        return decimals(op, type, a, b, semantics, mode);
    }
    return unknown_outcome();
}

Outcome negate(const Value& a, Type type, const Semantics& semantics, Mode mode) {
    switch (a.kind()) {
        case Value::Kind::integer:
            // DuckDB negates unsigned integers in their own width.
            if (!is_integer(type) ||
                (!is_signed_integer(type) && semantics.dialect != Dialect::duckdb)) {
                return unknown_outcome();
            }
            return integer_result(Number::integer(-Number::digits(a)), type, mode);
        case Value::Kind::decimal:
            if (Number::is_decimal_nan(a)) return value_outcome(a);
            return decimal_result(-Number::digits(a), a.scale(), type, semantics, mode);
        case Value::Kind::real:
            return value_outcome(Value::real(-a.as_real()));
        case Value::Kind::double_:
            return value_outcome(Value::double_(-a.as_double()));
        case Value::Kind::interval: {
            const Interval i = a.as_interval();
            Interval out;
            const bool overflow = __builtin_sub_overflow(0, i.months, &out.months) ||
                                  __builtin_sub_overflow(0, i.days, &out.days) ||
                                  __builtin_sub_overflow(std::int64_t{0}, i.micros, &out.micros);
            if (overflow) return unknown_outcome();
            return value_outcome(Value::interval(out.months, out.days, out.micros));
        }
        default:
            return unknown_outcome();
    }
}

}  // namespace satura::lang
