// What is known of casts without evaluating them. Every "yes" has its reason beside it.
#include <algorithm>

#include "lang/cast.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

bool is_boolean(Type type) { return type.kind() == TypeKind::boolean; }
bool is_decimal(Type type) { return type.kind() == TypeKind::decimal; }
bool is_stamp(Type type) {
    return type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz;
}
bool is_date(Type type) { return type.kind() == TypeKind::date; }
bool is_unpadded_text(Type type) {
    return type.kind() == TypeKind::varchar || type.kind() == TypeKind::text;
}

// DuckDB's other three timestamp types have their own ways with infinity and with ranges.
bool has_known_digits(Type type, const Semantics& semantics) {
    return !is_stamp(type) || semantics.dialect != Dialect::duckdb || type.digits() == 6;
}

// Whether the two stamps have a common zone: a wall clock and an instant agree only where the
// session is in UTC.
bool is_timed_pair(Type from, Type to, const Semantics& semantics) {
    if (!has_known_digits(from, semantics) || !has_known_digits(to, semantics)) return false;
    const bool zoned_from = from.kind() == TypeKind::timestamptz;
    const bool zoned_to = to.kind() == TypeKind::timestamptz;
    if (zoned_from != zoned_to && semantics.zone != "UTC") return false;
    return (is_stamp(from) || is_date(from)) && (is_stamp(to) || is_date(to));
}

int mantissa_bits(Type type) { return type.kind() == TypeKind::real ? 24 : 53; }

// Bits of the largest magnitude of an integer type, without the sign.
int magnitude_bits(Type type) {
    return is_signed_integer(type) ? integer_bits(type) - 1 : integer_bits(type);
}

// Every integer up to 2^m has its own float where m is the width of the mantissa (the minimum
// -2^(n-1) is a power of two).
bool integer_fits_float(Type from, Type to) { return magnitude_bits(from) <= mantissa_bits(to); }

// Decimals of at most 15 digits (6 for real) meet different doubles: two of them differ by at least
// 10^-15 relatively, more than twice the 2^-53 by which a double misses. That needs normal numbers:
// hence the bound of the exponents.
bool decimal_fits_float(Type from, Type to) {
    const bool real = to.kind() == TypeKind::real;
    const int digits = real ? 6 : 15;
    const int exponent = real ? 30 : 290;
    return from.precision() <= digits && from.scale() <= exponent &&
           from.scale() >= -exponent + digits;
}

// DuckDB's way through whole part and fraction is rounded more than once. It is one division of
// exact operands, and so correctly rounded, where all digits fit the mantissa and the power of ten
// is exact.
bool decimal_is_monotone_to_float(Type from, Type to, const Semantics& semantics) {
    if (semantics.dialect != Dialect::duckdb || from.scale() == 0) return true;
    return from.precision() <= (to.kind() == TypeKind::real ? 7 : 15);
}

// A decimal's NaN is above all numbers, a float's only if the semantics say so.
bool nan_keeps_place(const Semantics& semantics) {
    return !semantics.decimal_nan || semantics.nan == NanOrder::total;
}

// NaN has no place among exact numbers unless it is ordered.
bool float_is_monotone_to_exact(Type to, const Semantics& semantics) {
    if (semantics.nan == NanOrder::ieee || to.kind() == TypeKind::numeric) return false;
    // A monotone rounding (PostgreSQL: first to 15 digits), the infinities and NaN beyond all.
    return true;
}

bool numbers_are_monotone(Type from, Type to, const Semantics& semantics) {
    if (is_boolean(to)) return is_boolean(from);
    if (is_boolean(from)) return !is_decimal(to) || to.precision() > to.scale();
    if (is_integer(from)) return true;  // exact, or a correctly rounded float
    if (is_float(from)) return is_float(to) || float_is_monotone_to_exact(to, semantics);
    if (from.kind() == TypeKind::numeric) {
        // Its infinity (PostgreSQL) has no exact value to become.
        return is_float(to) && semantics.dialect != Dialect::duckdb && nan_keeps_place(semantics);
    }
    if (is_float(to))
        return nan_keeps_place(semantics) && decimal_is_monotone_to_float(from, to, semantics);
    return true;  // a rounding, and NaN stays above
}

bool numbers_are_injective(Type from, Type to) {
    if (is_boolean(to)) return is_boolean(from);
    if (is_boolean(from))
        return !is_decimal(to) || (to.scale() >= 0 && to.precision() > to.scale());
    if (is_float(from))
        return is_float(to) && !(from.kind() == TypeKind::double_ && to.kind() == TypeKind::real);
    if (is_integer(from)) {
        if (is_float(to)) return integer_fits_float(from, to);
        return !is_decimal(to) || to.scale() >= 0;
    }
    if (from.kind() == TypeKind::numeric) return to.kind() == TypeKind::numeric;
    if (is_float(to)) return decimal_fits_float(from, to);
    if (is_integer(to)) return from.scale() <= 0;
    return to.kind() == TypeKind::numeric || to.scale() >= from.scale();
}

// Whether every text of the one type survives in the other.
bool text_keeps_all(Type from, Type to, const Semantics& semantics) {
    if (!enforces_length(semantics)) return true;
    const bool unlimited_to = to.kind() == TypeKind::text || to.length() == 0;
    const bool unlimited_from = from.kind() == TypeKind::text || from.length() == 0;
    return unlimited_to || (!unlimited_from && from.length() <= to.length());
}

// Longest text of a value, for the types whose texts differ whenever the values do.
std::optional<std::uint32_t> longest_text(Type type) {
    if (is_boolean(type)) return 5;
    if (is_integer(type)) return 40;
    return std::nullopt;
}

bool to_text_is_injective(Type from, Type to, const Semantics& semantics) {
    if (is_unpadded_text(from)) return text_keeps_all(from, to, semantics);
    const std::optional<std::uint32_t> longest = longest_text(from);
    if (!longest) return false;
    return to.kind() == TypeKind::text || to.length() == 0 || to.length() >= *longest ||
           !enforces_length(semantics);
}

bool succeeds(const Value& value, Type from, Type to, const Semantics& semantics) {
    return cast_value(value, from, to, semantics, Mode::raising).state == Outcome::State::value;
}

// For a monotone cast from a type with a domain: raises nowhere if not at the ends nor just inside
// of them (where the numbers begin behind NaN and the infinities).
bool ends_succeed(Type from, Type to, const Semantics& semantics) {
    const Value low = domain_min(from, semantics);
    const Value high = domain_max(from, semantics);
    const std::optional<Value> above = successor(from, low, semantics);
    const std::optional<Value> below = predecessor(from, high, semantics);
    return succeeds(low, from, to, semantics) && succeeds(high, from, to, semantics) && above &&
           below && succeeds(*above, from, to, semantics) && succeeds(*below, from, to, semantics);
}

bool integers_may_raise(Type from, Type to) {
    if (integer_max(from) > integer_max(to)) return true;
    return integer_min(from) < integer_min(to);
}

bool numbers_may_raise(Type from, Type to, const Semantics& semantics) {
    if (is_boolean(to)) return false;
    if (is_boolean(from)) return is_decimal(to) && to.precision() - to.scale() < 1;
    if (is_integer(from) && is_integer(to)) return integers_may_raise(from, to);
    if (is_integer(from) && to.kind() == TypeKind::numeric) return false;
    if (is_float(from)) {
        if (!is_float(to)) return true;
        const bool narrows = from.kind() == TypeKind::double_ && to.kind() == TypeKind::real;
        return narrows && semantics.float_overflow_raises;
    }
    if (from.kind() == TypeKind::numeric) return to.kind() != TypeKind::numeric;
    // A decimal so fine that it may vanish in a float raises in PostgreSQL, in the middle of its
    // domain.
    if (is_decimal(from) && is_float(to) && from.scale() > 37) return true;
    return !ends_succeed(from, to, semantics);
}

bool texts_may_raise(Type from, Type to, const Semantics& semantics) {
    // MySQL and SQLite cut silently too; Spark is not known well enough.
    return semantics.dialect == Dialect::spark && !text_keeps_all(from, to, semantics);
}

bool is_scalar_number(Type type) { return is_numeric(type) || is_boolean(type); }

}  // namespace

bool cast_exists(Type from, Type to, const Semantics& semantics) {
    if (semantics.dialect != Dialect::postgres || is_boolean(from) == is_boolean(to)) return true;
    const Type number = is_boolean(from) ? to : from;
    return !is_numeric(number) || number.kind() == TypeKind::integer;
}

bool cast_is_monotone(Type from, Type to, const Semantics& semantics) {
    if (from.kind() == TypeKind::opaque || from.kind() == TypeKind::unknown) return false;
    if (from == to) return true;
    if (is_scalar_number(from) && is_scalar_number(to))
        return numbers_are_monotone(from, to, semantics);
    if (is_unpadded_text(from) && is_unpadded_text(to)) {
        // The first n characters of the lesser text are never greater. Spark's own rule is not
        // known.
        return semantics.dialect != Dialect::spark || text_keeps_all(from, to, semantics);
    }
    return is_timed_pair(from, to, semantics);
}

bool cast_is_injective(Type from, Type to, const Semantics& semantics) {
    if (from.kind() == TypeKind::opaque || from.kind() == TypeKind::unknown) return false;
    if (from == to) return true;
    if (is_scalar_number(from) && is_scalar_number(to)) return numbers_are_injective(from, to);
    if (is_unpadded_text(to)) return to_text_is_injective(from, to, semantics);
    if (!is_timed_pair(from, to, semantics) || is_date(to)) return false;
    return is_date(from) || to.digits() >= from.digits();
}

bool cast_is_lossless(Type from, Type to, const Semantics& semantics) {
    return cast_is_monotone(from, to, semantics) && cast_is_injective(from, to, semantics) &&
           !cast_may_raise(from, to, semantics);
}

bool cast_may_raise(Type from, Type to, const Semantics& semantics) {
    if (from.kind() == TypeKind::opaque || to.kind() == TypeKind::opaque) return true;
    if (from == to) return false;
    if (is_scalar_number(from) && is_scalar_number(to))
        return numbers_may_raise(from, to, semantics);
    if (is_string(from) && is_string(to)) return texts_may_raise(from, to, semantics);
    if (is_string(to))
        return !is_scalar_number(from) && !is_temporal(from) && from.kind() != TypeKind::interval;
    if (!is_timed_pair(from, to, semantics)) return true;
    if (is_date(to) || semantics.dialect == Dialect::postgres) return is_date(from);
    const bool narrows = is_stamp(from) && to.digits() <= from.digits();
    if (!has_domain(from)) return !narrows;
    return !ends_succeed(from, to, semantics);
}

}  // namespace satura::lang
