// SQL's order of values.
#include <cmath>

#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

int three_way(std::int64_t a, std::int64_t b) { return (a > b) - (a < b); }

// An interval's length in microseconds, a month counting 30 days and a day 24 hours.
Int128 interval_span(const Interval& interval) {
    constexpr Int128 day = Int128{86400} * 1000000;
    return (Int128{interval.months} * 30 + interval.days) * day + interval.micros;
}

std::optional<int> compare_floats(double a, double b, const Semantics& semantics) {
    const bool a_nan = std::isnan(a);
    const bool b_nan = std::isnan(b);
    if (a_nan || b_nan) {
        if (semantics.nan == NanOrder::ieee) return std::nullopt;
        return static_cast<int>(a_nan) - static_cast<int>(b_nan);
    }
    return (a > b) - (a < b);
}

// Integers and decimals of any width and scale; the NaN of decimals is above all and equal to
// itself.
int compare_exact(const Value& a, const Value& b) {
    const int a_scale = a.kind() == Value::Kind::decimal ? a.scale() : 0;
    const int b_scale = b.kind() == Value::Kind::decimal ? b.scale() : 0;
    if (a.is_small() && b.is_small() && a_scale == b_scale) return three_way(a.small(), b.small());
    const bool a_nan = Number::is_decimal_nan(a);
    const bool b_nan = Number::is_decimal_nan(b);
    if (a_nan || b_nan) return static_cast<int>(a_nan) - static_cast<int>(b_nan);
    return compare_scaled(Number::digits(a), a_scale, Number::digits(b), b_scale);
}

int compare_text(std::string_view a, std::string_view b, bool padded) {
    if (padded) {
        while (a.ends_with(' ')) a.remove_suffix(1);
        while (b.ends_with(' ')) b.remove_suffix(1);
    }
    const int order = a.compare(b);
    return (order > 0) - (order < 0);
}

bool is_exact(Value::Kind kind) {
    return kind == Value::Kind::integer || kind == Value::Kind::decimal;
}
bool is_binary(Value::Kind kind) {
    return kind == Value::Kind::real || kind == Value::Kind::double_;
}

// A double against an exact number: only after a total cast whose value left the double's world.
std::optional<int> compare_mixed(const Value& exact, const Value& binary,
                                 const Semantics& semantics) {
    const double d = binary.as_double();
    if (std::isnan(d) && semantics.nan == NanOrder::ieee) return std::nullopt;
    if (Number::is_decimal_nan(exact)) return std::isnan(d) ? 0 : 1;
    if (std::isnan(d)) return -1;
    if (std::isinf(d)) return d > 0 ? -1 : 1;
    const Fraction fraction = exact_fraction(d);
    const int scale = exact.kind() == Value::Kind::decimal ? exact.scale() : 0;
    const Wide left =
        scale >= 0 ? Number::digits(exact) : Wide(Number::digits(exact) * power_of_ten(-scale));
    const Wide right =
        scale >= 0 ? Wide(fraction.numerator * power_of_ten(scale)) : fraction.numerator;
    return Wide(left * fraction.denominator).compare(right);
}

}  // namespace

std::optional<int> compare(const Value& a, const Value& b, Type type, const Semantics& semantics) {
    const Value::Kind kind = a.kind();
    if (is_exact(kind) && is_exact(b.kind())) return compare_exact(a, b);
    if (is_binary(kind) && is_binary(b.kind()))
        return compare_floats(a.as_double(), b.as_double(), semantics);
    if (is_exact(kind) && is_binary(b.kind())) return compare_mixed(a, b, semantics);
    if (is_binary(kind) && is_exact(b.kind())) {
        const std::optional<int> order = compare_mixed(b, a, semantics);
        return order ? std::optional<int>(-*order) : std::nullopt;
    }
    if (kind != b.kind()) return std::nullopt;
    if (kind == Value::Kind::boolean)
        return three_way(a.as_boolean() ? 1 : 0, b.as_boolean() ? 1 : 0);
    if (kind == Value::Kind::text) {
        const bool padded = type.kind() == TypeKind::char_ && semantics.chars_are_padded;
        return compare_text(a.as_text(), b.as_text(), padded);
    }
    if (kind == Value::Kind::interval) {
        const Int128 x = interval_span(a.as_interval());
        const Int128 y = interval_span(b.as_interval());
        return (x > y) - (x < y);
    }
    return std::nullopt;
}

}  // namespace satura::lang
