// Arithmetic of dates, timestamps and intervals, as PostgreSQL and DuckDB have it.
#include "lang/arithmetic.hpp"
#include "lang/calendar.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

constexpr std::string_view out_of_range = "date or time out of range";
constexpr Int128 micros_per_day = Int128{86400} * 1000000;
constexpr Int128 span_limit = Int128{1}
                              << 80;  // beyond it lie only values that total arithmetic made

const Type timestamp_micros = Type::with_digits(TypeKind::timestamp, 6);

Int128 floor_div(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_moderate(Int128 n) { return n < span_limit && n > -span_limit; }

// A timestamp so many months later, on the last day of the month where its own day does not exist
// there.
Int128 add_months(Int128 micros, std::int32_t months) {
    const Int128 day = floor_div(micros, micros_per_day);
    CivilDate date = civil_from_days(static_cast<std::int64_t>(day));
    const std::int64_t count = date.year * 12 + (date.month - 1) + months;
    date.year = static_cast<std::int64_t>(floor_div(count, 12));
    date.month = static_cast<int>(count - date.year * 12) + 1;
    date.day = std::min(date.day, days_in_month(date.year, date.month));
    return Int128{days_from_civil(date)} * micros_per_day + (micros - day * micros_per_day);
}

// Months first, then days, then the rest; the engines look at the range after each.
Outcome add_interval(Int128 micros, const Interval& interval, int sign, const Semantics& semantics,
                     Mode mode) {
    const TemporalRange range = temporal_range(timestamp_micros, semantics);
    bool fits = range.holds(micros);
    if (interval.months == INT32_MIN || interval.days == INT32_MIN ||
        interval.micros == INT64_MIN) {
        return unknown_outcome();
    }
    if (interval.months != 0) micros = add_months(micros, sign * interval.months);
    fits = fits && range.holds(micros);
    micros += Int128{sign * interval.days} * micros_per_day;
    fits = fits && range.holds(micros);
    micros += Int128{sign} * interval.micros;
    fits = fits && range.holds(micros);
    return checked_outcome(Number::integer(micros), fits, mode, out_of_range);
}

Outcome moved_date(const Value& date, const Value& days, int sign, const Semantics& semantics,
                   Mode mode) {
    const std::optional<Int128> n = Number::int128(date);
    if (n && is_infinite_time(*n)) return value_outcome(date);
    const Value moved = Number::integer(Number::digits(date) + sign * Number::digits(days));
    const std::optional<Int128> m = Number::int128(moved);
    if (m && is_infinite_time(*m)) return unknown_outcome();
    // PostgreSQL takes an integer of 32 bits; the binder has cast it.
    const bool fits = m && temporal_range(Type(TypeKind::date), semantics).holds(*m);
    return checked_outcome(moved, fits, mode, out_of_range);
}

Outcome moved_timestamp(const Value& stamp, Type type, const Value& interval, int sign,
                        const Semantics& semantics, Mode mode) {
    const Outcome micros = cast_value(stamp, type, timestamp_micros, semantics, mode);
    if (micros.state != Outcome::State::value || micros.value.is_null()) return micros;
    const std::optional<Int128> n = Number::int128(micros.value);
    if (n && is_infinite_time(*n)) return micros;
    if (!n || !is_moderate(*n)) return unknown_outcome();
    return add_interval(*n, interval.as_interval(), sign, semantics, mode);
}

Outcome date_difference(const Value& a, const Value& b, Type type, Mode mode) {
    const std::optional<Int128> x = Number::int128(a);
    const std::optional<Int128> y = Number::int128(b);
    if (!x || !y || is_infinite_time(*x) || is_infinite_time(*y)) return unknown_outcome();
    const Value days = Number::integer(*x - *y);
    return checked_outcome(days, !is_integer(type) || fits_integer(days, type), mode, out_of_range);
}

// Whole days of 24 hours and the rest, both with the sign of the difference.
Outcome timestamp_difference(const Value& a, Type a_type, const Value& b, Type b_type) {
    const std::optional<Int128> x = Number::int128(a);
    const std::optional<Int128> y = Number::int128(b);
    const bool finite = x && y && is_moderate(*x) && is_moderate(*y);
    if (!finite || a_type.digits() > 6 || b_type.digits() > 6) return unknown_outcome();
    const Int128 micros =
        *x * ticks_per_second(6 - a_type.digits()) - *y * ticks_per_second(6 - b_type.digits());
    const Int128 days = micros / micros_per_day;
    if (micros > INT64_MAX || micros < INT64_MIN)
        return unknown_outcome();  // PostgreSQL wraps round
    return value_outcome(Value::interval(0, static_cast<std::int32_t>(days),
                                         static_cast<std::int64_t>(micros % micros_per_day)));
}

Outcome interval_sum(const Interval& a, const Interval& b, bool add) {
    Interval out;
    const bool overflow = add ? __builtin_add_overflow(a.months, b.months, &out.months) ||
                                    __builtin_add_overflow(a.days, b.days, &out.days) ||
                                    __builtin_add_overflow(a.micros, b.micros, &out.micros)
                              : __builtin_sub_overflow(a.months, b.months, &out.months) ||
                                    __builtin_sub_overflow(a.days, b.days, &out.days) ||
                                    __builtin_sub_overflow(a.micros, b.micros, &out.micros);
    if (overflow) return unknown_outcome();
    return value_outcome(Value::interval(out.months, out.days, out.micros));
}

}  // namespace

Outcome time_arithmetic(Op op, Type type, const Value& a, Type a_type, const Value& b, Type b_type,
                        const Semantics& semantics, Mode mode) {
    const bool known =
        semantics.dialect == Dialect::postgres || semantics.dialect == Dialect::duckdb;
    if (!known || (op != Op::add && op != Op::sub)) return unknown_outcome();
    const int sign = op == Op::add ? 1 : -1;
    const TypeKind left = a_type.kind();
    const TypeKind right = b_type.kind();
    const bool stamp_left = left == TypeKind::date || left == TypeKind::timestamp;
    const bool stamp_right = right == TypeKind::date || right == TypeKind::timestamp;
    if (left == TypeKind::date && is_integer(b_type))
        return moved_date(a, b, sign, semantics, mode);
    if (op == Op::add && is_integer(a_type) && right == TypeKind::date)
        return moved_date(b, a, 1, semantics, mode);
    if (stamp_left && right == TypeKind::interval)
        return moved_timestamp(a, a_type, b, sign, semantics, mode);
    if (op == Op::add && left == TypeKind::interval && stamp_right) {
        return moved_timestamp(b, b_type, a, 1, semantics, mode);
    }
    if (op == Op::sub && left == TypeKind::date && right == TypeKind::date)
        return date_difference(a, b, type, mode);
    if (op == Op::sub && left == TypeKind::timestamp && right == TypeKind::timestamp) {
        return timestamp_difference(a, a_type, b, b_type);
    }
    if (left == TypeKind::interval && right == TypeKind::interval) {
        return interval_sum(a.as_interval(), b.as_interval(), op == Op::add);
    }
    return unknown_outcome();
}

}  // namespace satura::lang
