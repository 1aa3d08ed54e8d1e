#include "lang/domain.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "lang/calendar.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

// Ordinals are wide integers with one meaning per type: the integer itself, the unscaled digits,
// the days, the ticks, or a float's bits read as sign and magnitude. What a type holds beyond that
// (NaN, ±infinity of dates) is one step outside.
struct Domain {
    Wide low;
    Wide high;
};

bool orders_nan(const Semantics& semantics) { return semantics.nan == NanOrder::total; }

std::int64_t float_infinity(Type type) {
    return type.kind() == TypeKind::real ? std::int64_t{0x7F800000}
                                         : std::int64_t{0x7FF0000000000000};
}

Domain domain_of(Type type, const Semantics& semantics) {
    assert(has_domain(type));
    if (is_integer(type)) return {integer_min(type), integer_max(type)};
    if (is_float(type)) {
        const std::int64_t infinity = float_infinity(type);
        return {Wide(-infinity), Wide(infinity) + (orders_nan(semantics) ? 1 : 0)};
    }
    if (type.kind() == TypeKind::boolean) return {0, 1};
    if (type.kind() == TypeKind::decimal) {
        const Wide most = power_of_ten(type.precision()) - 1;
        return {-most, semantics.decimal_nan ? Wide(most + 1) : most};
    }
    const TemporalRange range = temporal_range(type, semantics);
    const int step = range.infinite ? 1 : 0;
    return {Wide(range.min) - step, Wide(range.max) + step};
}

Wide float_ordinal(const Value& value, Type type) {
    if (Number::is_nan(value)) return Wide(float_infinity(type)) + 1;
    const double d = value.as_double();
    const double magnitude = std::abs(d);
    const std::int64_t bits =
        type.kind() == TypeKind::real
            ? std::int64_t{std::bit_cast<std::uint32_t>(static_cast<float>(magnitude))}
            : std::bit_cast<std::int64_t>(magnitude);
    return Wide(std::signbit(d) ? -bits : bits);
}

Value float_at(const Wide& ordinal, Type type) {
    const auto n = ordinal.convert_to<std::int64_t>();
    const bool nan = n > float_infinity(type);
    const std::int64_t bits = n < 0 ? -n : n;
    if (type.kind() == TypeKind::real) {
        if (nan) return Value::real(std::nanf(""));
        const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return Value::real(n < 0 ? -f : f);
    }
    if (nan) return Value::double_(std::nan(""));
    const auto d = std::bit_cast<double>(bits);
    return Value::double_(n < 0 ? -d : d);
}

Wide temporal_ordinal(const Value& value, const Domain& domain) {
    const std::optional<Int128> n = Number::int128(value);
    if (n && is_infinite_time(*n)) return *n < 0 ? domain.low : domain.high;
    return Number::digits(value);
}

// The place of a value; a value that a total cast made may lie outside of the domain.
Wide ordinal_of(const Value& value, Type type, const Domain& domain) {
    if (is_float(type)) return float_ordinal(value, type);
    if (type.kind() == TypeKind::boolean) return value.as_boolean() ? 1 : 0;
    if (type.kind() == TypeKind::decimal) {
        if (Number::is_decimal_nan(value)) return power_of_ten(type.precision());
        const int scale = value.kind() == Value::Kind::decimal ? value.scale() : 0;
        return rescale(Number::digits(value), scale, type.scale(), Rounding::floor);
    }
    if (is_temporal(type)) return temporal_ordinal(value, domain);
    return Number::digits(value);
}

Value value_at(const Wide& ordinal, Type type, const Domain& domain, const Semantics& semantics) {
    if (is_float(type)) return float_at(ordinal, type);
    if (type.kind() == TypeKind::boolean) return Value::boolean(ordinal != 0);
    if (type.kind() == TypeKind::decimal) {
        if (semantics.decimal_nan && ordinal == domain.high) return Number::decimal_nan();
        return Number::decimal(ordinal, type.scale());
    }
    if (is_temporal(type) && temporal_range(type, semantics).infinite) {
        if (ordinal == domain.low) return Number::integer(-temporal_infinity);
        if (ordinal == domain.high) return Number::integer(temporal_infinity);
    }
    return Number::integer(ordinal);
}

// The least ordinal in [low, high] for which `holds`, which must not turn false again; nothing when
// there is none. Gallops from the guess, which is nearly always within a few steps.
template <class Predicate>
std::optional<Wide> least_where(const Wide& low, const Wide& high, const Wide& guess,
                                const Predicate& holds) {
    Wide no = low - 1;  // the greatest ordinal known not to hold
    Wide yes = high + 1;
    Wide at = guess < low ? low : (guess > high ? high : guess);
    Wide step = 1;
    const bool down = holds(at);
    (down ? yes : no) = at;
    for (;;) {
        at += down ? Wide(-step) : step;
        step *= 4;
        if (at < low || at > high) break;
        const bool here = holds(at);
        (here ? yes : no) = at;
        if (here != down) break;
    }
    while (yes - no > 1) {
        const Wide middle = (yes + no) >> 1;
        (holds(middle) ? yes : no) = middle;
    }
    if (yes > high) return std::nullopt;
    return yes;
}

Wide guess_of(Type from, Type to, const Value& c, const Domain& domain,
              const Semantics& semantics) {
    const Outcome back = cast_value(c, to, from, semantics, Mode::total);
    if (back.state != Outcome::State::value || back.value.is_null())
        return (domain.low + domain.high) >> 1;
    return ordinal_of(back.value, from, domain);
}

bool succeeds(const Value& value, Type from, Type to, const Semantics& semantics) {
    return cast_value(value, from, to, semantics, Mode::raising).state == Outcome::State::value;
}

// A value for which the cast succeeds, if a likely place has one.
std::optional<Wide> some_success(Type from, Type to, const Domain& domain,
                                 const Semantics& semantics) {
    const Wide places[] = {0, 1, domain.low, domain.high, domain.low + 1, domain.high - 1};
    for (const Wide& place : places) {
        if (place < domain.low || place > domain.high) continue;
        if (succeeds(value_at(place, from, domain, semantics), from, to, semantics)) return place;
    }
    return std::nullopt;
}

// Casts whose success domain has holes: a real overflows in the middle and takes ±infinity again.
bool has_holes(Type from, Type to, const Semantics& semantics) {
    if (from.kind() == TypeKind::double_ && to.kind() == TypeKind::real)
        return semantics.float_overflow_raises;
    const bool tiny = from.kind() == TypeKind::decimal && is_float(to) && from.scale() > 40;
    return tiny && semantics.dialect == Dialect::postgres;
}

}  // namespace

bool has_domain(Type type) {
    if (is_integer(type) || is_float(type)) return true;
    switch (type.kind()) {
        case TypeKind::boolean:
        case TypeKind::decimal:
        case TypeKind::date:
        case TypeKind::timestamp:
            return true;
        default:
            return false;
    }
}

Value domain_min(Type type, const Semantics& semantics) {
    const Domain domain = domain_of(type, semantics);
    return value_at(domain.low, type, domain, semantics);
}

Value domain_max(Type type, const Semantics& semantics) {
    const Domain domain = domain_of(type, semantics);
    return value_at(domain.high, type, domain, semantics);
}

std::optional<Value> successor(Type type, const Value& value, const Semantics& semantics) {
    const Domain domain = domain_of(type, semantics);
    const Wide next = ordinal_of(value, type, domain) + 1;
    if (next > domain.high || next <= domain.low) return std::nullopt;
    return value_at(next, type, domain, semantics);
}

std::optional<Value> predecessor(Type type, const Value& value, const Semantics& semantics) {
    const Domain domain = domain_of(type, semantics);
    const Wide next = ordinal_of(value, type, domain) - 1;
    if (next < domain.low || next >= domain.high) return std::nullopt;
    return value_at(next, type, domain, semantics);
}

namespace {

// An integer is its own image, whatever the integer type.
Preimage integer_preimage(Type from, const Value& c, const Domain& domain,
                          const Semantics& semantics) {
    const Wide n = Number::digits(c);
    Preimage result;
    if (n <= domain.high)
        result.lo = value_at(n < domain.low ? domain.low : n, from, domain, semantics);
    if (n < domain.high)
        result.hi = value_at(n < domain.low ? domain.low : Wide(n + 1), from, domain, semantics);
    return result;
}

}  // namespace

Preimage preimage(Type from, Type to, const Value& c, const Semantics& semantics) {
    assert(cast_is_monotone(from, to, semantics) && has_domain(from) && !c.is_null());
    const Domain domain = domain_of(from, semantics);
    if (is_integer(from) && is_integer(to)) return integer_preimage(from, c, domain, semantics);
    const auto order_at = [&](const Wide& ordinal) {
        const Value x = value_at(ordinal, from, domain, semantics);
        const Outcome cast = cast_value(x, from, to, semantics, Mode::total);
        assert(cast.state == Outcome::State::value && !cast.value.is_null());
        return compare(cast.value, c, to, semantics).value_or(-1);
    };
    const Wide guess = guess_of(from, to, c, domain, semantics);
    const auto lo = least_where(domain.low, domain.high, guess,
                                [&](const Wide& x) { return order_at(x) >= 0; });
    if (!lo) return {};
    const auto hi =
        least_where(*lo, domain.high, *lo, [&](const Wide& x) { return order_at(x) > 0; });
    Preimage result;
    result.lo = value_at(*lo, from, domain, semantics);
    if (hi) result.hi = value_at(*hi, from, domain, semantics);
    return result;
}

std::optional<Value> least_value(Type type, const Value& guess, const Semantics& semantics,
                                 const std::function<bool(const Value&)>& holds) {
    const Domain domain = domain_of(type, semantics);
    const auto at =
        least_where(domain.low, domain.high, ordinal_of(guess, type, domain),
                    [&](const Wide& x) { return holds(value_at(x, type, domain, semantics)); });
    if (!at) return std::nullopt;
    return value_at(*at, type, domain, semantics);
}

std::optional<ValueRange> success_range(Type from, Type to, const Semantics& semantics) {
    if (!has_domain(from) || !cast_is_monotone(from, to, semantics) ||
        has_holes(from, to, semantics)) {
        return std::nullopt;
    }
    const Domain domain = domain_of(from, semantics);
    const std::optional<Wide> some = some_success(from, to, domain, semantics);
    if (!some) return std::nullopt;
    const auto ok = [&](const Wide& x) {
        return succeeds(value_at(x, from, domain, semantics), from, to, semantics);
    };
    const auto low = least_where(domain.low, *some, *some, ok);
    const auto past = least_where(*some, domain.high, *some, [&](const Wide& x) { return !ok(x); });
    const Wide high = past ? Wide(*past - 1) : domain.high;
    // NaN of a float is a decimal NaN in PostgreSQL while infinity raises: no interval.
    if ((*low > domain.low && ok(domain.low)) || (past && ok(domain.high))) return std::nullopt;
    return ValueRange{value_at(*low, from, domain, semantics),
                      value_at(high, from, domain, semantics)};
}

}  // namespace satura::lang
