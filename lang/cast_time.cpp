// Casts among dates and timestamps.
#include "lang/calendar.hpp"
#include "lang/cast.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

constexpr std::string_view out_of_range = "date or time out of range";
constexpr Int128 days_limit = Int128{1}
                              << 60;  // beyond it lie only values that total arithmetic made

bool is_stamp(Type type) {
    return type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz;
}

Int128 floor_div(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

// DuckDB has four types of timestamps, and casts of the other three to and from the one in
// microseconds only; their infinities are not treated as such.
bool is_duckdb_side_type(Type type) { return is_stamp(type) && type.digits() != 6; }

bool is_known_duckdb_cast(Type from, Type to, Int128 n) {
    if (!is_duckdb_side_type(from) && !is_duckdb_side_type(to)) return true;
    if (is_infinite_time(n) || (is_stamp(from) && from.digits() > 6))
        return false;  // nanoseconds are cut, not rounded
    const bool one_side =
        is_stamp(from) && is_stamp(to) && (from.digits() == 6 || to.digits() == 6);
    return one_side && from.digits() % 3 == 0 && to.digits() % 3 == 0;
}

Int128 zero_point(int digits, const Semantics& semantics) {
    const bool from_2000 =
        semantics.dialect == Dialect::postgres && semantics.ts_round == Rounding::half_away;
    return from_2000 ? Int128{days_from_civil({2000, 1, 1})} * ticks_per_day(digits) : Int128{0};
}

Int128 change_digits(Int128 ticks, int from, int to, const Semantics& semantics) {
    if (to >= from) return ticks * ticks_per_second(to - from);
    const Wide shifted(ticks - zero_point(from, semantics));
    const Wide rounded =
        divide_rounded(shifted, Wide(ticks_per_second(from - to)), semantics.ts_round);
    return *Number::int128(Number::integer(rounded)) + zero_point(to, semantics);
}

Outcome date_to_stamp(Int128 days, Type to, const Semantics& semantics, Mode mode) {
    const Int128 ticks = days * ticks_per_day(to.digits());
    // Every engine here goes through microseconds.
    const TemporalRange micros = temporal_range(Type::with_digits(to.kind(), 6), semantics);
    const bool fits =
        micros.holds(days * ticks_per_day(6)) && temporal_range(to, semantics).holds(ticks);
    return checked_outcome(Number::integer(ticks), fits, mode, out_of_range);
}

Outcome stamp_to_stamp(Int128 ticks, Type from, Type to, const Semantics& semantics, Mode mode) {
    const Int128 changed = change_digits(ticks, from.digits(), to.digits(), semantics);
    // PostgreSQL does not look at the range again.
    const bool fits =
        semantics.dialect == Dialect::postgres || temporal_range(to, semantics).holds(changed);
    return checked_outcome(Number::integer(changed), fits, mode, out_of_range);
}

}  // namespace

Outcome cast_time(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode) {
    const bool from_date = from.kind() == TypeKind::date;
    const bool zones_differ = from.kind() != to.kind() && (from.kind() == TypeKind::timestamptz ||
                                                           to.kind() == TypeKind::timestamptz);
    if (zones_differ && semantics.zone != "UTC") return unknown_outcome();
    const std::optional<Int128> n = Number::int128(value);
    if (!n) return unknown_outcome();
    if (semantics.dialect == Dialect::duckdb && !is_known_duckdb_cast(from, to, *n))
        return unknown_outcome();
    if (is_infinite_time(*n) && !(from.kind() == TypeKind::time || to.kind() == TypeKind::time)) {
        const bool fits = temporal_range(to, semantics).infinite;
        return checked_outcome(value, fits, mode, out_of_range);
    }
    if (from_date && is_stamp(to)) {
        if (*n > days_limit || *n < -days_limit) return unknown_outcome();
        return date_to_stamp(*n, to, semantics, mode);
    }
    if (is_stamp(from) && to.kind() == TypeKind::date) {
        return value_outcome(Number::integer(floor_div(*n, ticks_per_day(from.digits()))));
    }
    if (is_stamp(from) && is_stamp(to)) {
        if (*n > temporal_infinity || *n < -temporal_infinity) return unknown_outcome();
        return stamp_to_stamp(*n, from, to, semantics, mode);
    }
    return unknown_outcome();
}

}  // namespace satura::lang
