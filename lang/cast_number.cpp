// Casts among booleans and numbers.
#include <cmath>
#include <cstdio>

#include "lang/cast.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

constexpr std::string_view out_of_range = "number out of range";

bool is_binary(const Value& value) {
    return value.kind() == Value::Kind::real || value.kind() == Value::Kind::double_;
}

int scale_of(const Value& value) {
    return value.kind() == Value::Kind::decimal ? value.scale() : 0;
}

Wide with_sign(const Wide& magnitude, double sign) {
    return sign < 0 ? Wide(-magnitude) : magnitude;
}

// What NaN and infinity become where the target has no such number. Under IEEE order a float's NaN
// has no place, so it is NULL; that of decimals is always above all.
std::optional<Wide> beyond_numbers(const Value& value, const Semantics& semantics) {
    if (!Number::is_nan(value)) return with_sign(beyond_infinity(), value.as_double());
    if (is_binary(value) && semantics.nan == NanOrder::ieee) return std::nullopt;
    return beyond_nan();
}

bool is_finite_number(const Value& value) {
    return is_binary(value) ? std::isfinite(value.as_double()) : !Number::is_decimal_nan(value);
}

Outcome to_boolean(const Value& value) {
    if (is_binary(value)) return boolean_outcome(value.as_double() != 0.0);
    return boolean_outcome(Number::is_decimal_nan(value) || !Number::is_zero(value));
}

// Whether the engine accepts the double itself. PostgreSQL looks at the rounded number, as the
// check of the result does. DuckDB looks at the number before rounding, and then wraps round for
// [max + 1/2, max + 1): that part is no success either, since no total extension could agree with
// it.
bool in_range_before_rounding(double d, Type to, const Semantics& semantics) {
    if (semantics.dialect != Dialect::duckdb) return true;
    if (to.kind() == TypeKind::uhugeint) return true;
    return d >= integer_min(to).convert_to<double>();
}

Outcome to_integer(const Value& value, Type to, const Semantics& semantics, Mode mode) {
    if (value.kind() == Value::Kind::integer) {
        return checked_outcome(value, mode == Mode::total || fits_integer(value, to), mode,
                               out_of_range);
    }
    if (!is_finite_number(value)) {
        if (mode == Mode::raising) return error_outcome(out_of_range);
        const std::optional<Wide> beyond = beyond_numbers(value, semantics);
        return beyond ? value_outcome(Number::integer(*beyond)) : null_outcome();
    }
    if (is_binary(value)) {
        const Value rounded =
            Number::integer(round_to_integer(value.as_double(), semantics.fint_round));
        const bool fits =
            fits_integer(rounded, to) && in_range_before_rounding(value.as_double(), to, semantics);
        return checked_outcome(rounded, fits, mode, out_of_range);
    }
    Value rounded = value.is_small() && value.scale() == 0
                        ? Value::integer(value.small())
                        : Number::integer(rescale(Number::digits(value), value.scale(), 0,
                                                  semantics.int_round));
    const bool fits = mode == Mode::total || fits_integer(rounded, to);
    return checked_outcome(std::move(rounded), fits, mode, out_of_range);
}

struct Scaled {
    Wide digits;
    int scale = 0;
};

// PostgreSQL reads a double through its 15 (a real: 6) significant digits. Requires a finite
// number.
Scaled postgres_digits(double d, bool is_real) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.*e", is_real ? 5 : 14, d);  // d.ddddde±xx
    std::string digits;
    int exponent = 0;
    for (const char* c = buffer; *c != '\0'; ++c) {
        if (*c == 'e') {
            exponent = std::atoi(c + 1);
            break;
        }
        if (*c != '.') digits += *c;
    }
    Scaled scaled{Wide(digits), (is_real ? 5 : 14) - exponent};
    while (scaled.scale > 0 && scaled.digits % 10 == 0) {
        scaled.digits /= 10;
        --scaled.scale;
    }
    if (scaled.scale < 0) return {scaled.digits * power_of_ten(-scaled.scale), 0};
    return scaled;
}

// DuckDB multiplies in double, nudges away from zero, and rounds ties away from zero.
// A real's product becomes a real again before the rounding.
Wide duckdb_digits(double d, bool is_real, int scale) {
    double product = d * std::pow(10.0, scale);
    product += 1e-9 * ((product > 0) - (product < 0));
    if (is_real) product = static_cast<double>(static_cast<float>(product));
    return std::isfinite(product) ? round_to_integer(product, Rounding::half_away)
                                  : with_sign(beyond_infinity(), product);
}

// Requires a finite real or double, and a decimal target.
Wide float_digits(const Value& value, Type to, const Semantics& semantics) {
    const double d = value.as_double();
    const bool is_real = value.kind() == Value::Kind::real;
    if (semantics.dialect == Dialect::duckdb && to.scale() >= 0)
        return duckdb_digits(d, is_real, to.scale());
    if (semantics.dialect == Dialect::postgres) {
        const Scaled scaled = postgres_digits(d, is_real);
        return rescale(scaled.digits, scaled.scale, to.scale(), semantics.dec_round);
    }
    const Fraction exact = exact_fraction(d);
    if (to.scale() < 0) {
        return divide_rounded(exact.numerator, exact.denominator * power_of_ten(-to.scale()),
                              semantics.dec_round);
    }
    return divide_rounded(exact.numerator * power_of_ten(to.scale()), exact.denominator,
                          semantics.dec_round);
}

bool fits_decimal(const Wide& digits, Type to) {
    const Wide limit = power_of_ten(to.precision());
    return digits < limit && digits > -limit;
}

Outcome to_decimal(const Value& value, Type to, const Semantics& semantics, Mode mode) {
    if (!is_finite_number(value)) {
        const bool nan = Number::is_nan(value);
        if (nan && semantics.decimal_nan) return value_outcome(Number::decimal_nan());
        if (mode == Mode::raising) return error_outcome(out_of_range);
        const std::optional<Wide> beyond = beyond_numbers(value, semantics);
        if (!beyond) return null_outcome();
        return value_outcome(
            Number::decimal(rescale(*beyond, 0, to.scale(), Rounding::trunc), to.scale()));
    }
    if (!is_binary(value) && value.is_small() && scale_of(value) == to.scale() &&
        to.precision() >= 19) {
        return value_outcome(Number::small_decimal(value.small(), to.scale()));
    }
    const Wide digits = is_binary(value) ? float_digits(value, to, semantics)
                                         : rescale(Number::digits(value), scale_of(value),
                                                   to.scale(), semantics.dec_round);
    const bool fits = mode == Mode::total || fits_decimal(digits, to);
    return checked_outcome(Number::decimal(digits, to.scale()), fits, mode, out_of_range);
}

// The unbounded numeric exists in PostgreSQL only; its infinity has no Value here.
Outcome to_numeric(const Value& value, const Semantics& semantics) {
    if (Number::is_nan(value)) {
        return semantics.decimal_nan ? value_outcome(Number::decimal_nan()) : unknown_outcome();
    }
    if (value.kind() == Value::Kind::decimal) {
        if (value.scale() >= 0) return value_outcome(value);
        return value_outcome(
            Number::decimal(Number::digits(value) * power_of_ten(-value.scale()), 0));
    }
    if (value.kind() == Value::Kind::integer)
        return value_outcome(Number::decimal(Number::digits(value), 0));
    if (semantics.dialect != Dialect::postgres || !std::isfinite(value.as_double()))
        return unknown_outcome();
    const Scaled scaled = postgres_digits(value.as_double(), value.kind() == Value::Kind::real);
    return value_outcome(Number::decimal(scaled.digits, scaled.scale));
}

// DuckDB adds the two halves of a 128-bit integer, each rounded.
template <class Float>
Float duckdb_wide_to_float(const Wide& n) {
    const Wide word = Wide(1) << 64;
    Wide upper = n / word;
    Wide lower = n % word;
    if (lower < 0) {
        lower += word;
        upper -= 1;
    }
    const auto low = static_cast<std::uint64_t>(lower);
    if (upper == -1) return -static_cast<Float>(~std::uint64_t{0} - low) - Float{1};
    const auto high = upper < 0 ? static_cast<Float>(upper.convert_to<std::int64_t>())
                                : static_cast<Float>(upper.convert_to<std::uint64_t>());
    return static_cast<Float>(low) + high * static_cast<Float>(~std::uint64_t{0});
}

// `wide`: DuckDB keeps the number in 128 bits, however small it is.
template <class Float>
Float duckdb_integer_to_float(const Wide& n, bool wide) {
    if (wide) return duckdb_wide_to_float<Float>(n);
    const Value value = Number::integer(n);
    if (value.is_small()) return static_cast<Float>(value.small());
    if (n > 0 && n < (Wide(1) << 64)) return static_cast<Float>(n.convert_to<std::uint64_t>());
    return duckdb_wide_to_float<Float>(n);
}

bool is_kept_wide(Type type) {
    if (type.kind() == TypeKind::decimal) return type.precision() > 18;
    return type.kind() == TypeKind::hugeint;
}

// DuckDB divides once where the digits are exact in the target; else it adds the whole part and the
// fraction.
template <class Float>
Float duckdb_decimal_to_float(const Value& value, Type from, int mantissa) {
    const bool wide = is_kept_wide(from);
    const Wide digits = Number::digits(value);
    const int scale = scale_of(value);
    const Wide limit = Wide(1) << mantissa;
    const auto power = static_cast<Float>(std::pow(10.0, scale));
    if (scale == 0) return duckdb_integer_to_float<Float>(digits, wide);
    if (digits <= limit && digits >= -limit)
        return duckdb_integer_to_float<Float>(digits, wide) / power;
    const Wide unit = power_of_ten(scale);
    const Wide whole = digits / unit;
    const Wide rest = digits % unit;
    return duckdb_integer_to_float<Float>(whole, wide) +
           duckdb_integer_to_float<Float>(rest, wide) / power;
}

// Beyond 128 bits lies only what total extensions make: there the exact rounding goes on.
bool has_duckdb_width(const Value& value) {
    if (value.is_small()) return true;
    const Wide digits = Number::digits(value);
    return (digits < 0 ? Wide(-digits) : digits) < (Wide(1) << 128);
}

Outcome exact_to_real(const Value& value, Type from, const Semantics& semantics, Mode mode) {
    if (Number::is_decimal_nan(value)) return value_outcome(Value::real(std::nanf("")));
    const bool duckdb = semantics.dialect == Dialect::duckdb && has_duckdb_width(value);
    const float f =
        duckdb ? duckdb_decimal_to_float<float>(value, from, 24) : decimal_to_float(value);
    const bool vanishes =
        f == 0.0F && !Number::is_zero(value) && semantics.dialect == Dialect::postgres;
    // The greatest uhugeints become infinity in DuckDB.
    return checked_outcome(Value::real(f), duckdb || (std::isfinite(f) && !vanishes), mode,
                           out_of_range);
}

Outcome exact_to_double(const Value& value, Type from, const Semantics& semantics, Mode mode) {
    if (Number::is_decimal_nan(value)) return value_outcome(Value::double_(std::nan("")));
    const bool duckdb = semantics.dialect == Dialect::duckdb && has_duckdb_width(value);
    const double d =
        duckdb ? duckdb_decimal_to_float<double>(value, from, 53) : decimal_to_double(value);
    const bool vanishes =
        d == 0.0 && !Number::is_zero(value) && semantics.dialect == Dialect::postgres;
    return checked_outcome(Value::double_(d), std::isfinite(d) && !vanishes, mode, out_of_range);
}

// PostgreSQL raises for overflow and for underflow to zero; DuckDB for overflow only.
Outcome double_to_real(double d, const Semantics& semantics, Mode mode) {
    const auto f = static_cast<float>(d);
    const bool overflow = std::isinf(f) && !std::isinf(d);
    const bool underflow = f == 0.0F && d != 0.0 && semantics.dialect == Dialect::postgres;
    return checked_outcome(Value::real(f),
                           !semantics.float_overflow_raises || !(overflow || underflow), mode,
                           out_of_range);
}

}  // namespace

Outcome cast_number(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode) {
    if (value.kind() == Value::Kind::boolean) {
        // DuckDB stores the digit 1 as it is, whatever the scale.
        const bool no_room = to.kind() == TypeKind::decimal && to.precision() <= to.scale();
        if (no_room && semantics.dialect == Dialect::duckdb) return unknown_outcome();
        return cast_number(Value::integer(value.as_boolean() ? 1 : 0), Type(TypeKind::integer), to,
                           semantics, mode);
    }
    switch (to.kind()) {
        case TypeKind::boolean:
            return to_boolean(value);
        case TypeKind::decimal:
            return to_decimal(value, to, semantics, mode);
        case TypeKind::numeric:
            return to_numeric(value, semantics);
        case TypeKind::real:
            if (!is_binary(value)) return exact_to_real(value, from, semantics, mode);
            return double_to_real(value.as_double(), semantics, mode);
        case TypeKind::double_:
            if (!is_binary(value)) return exact_to_double(value, from, semantics, mode);
            return value_outcome(Value::double_(value.as_double()));
        default:
            return to_integer(value, to, semantics, mode);
    }
}

}  // namespace satura::lang
