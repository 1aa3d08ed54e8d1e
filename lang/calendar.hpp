// Dates, times and timestamps as counts, their texts, and the ranges in which the dialects keep
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lang/number.hpp"
#include "lang/semantics.hpp"
#include "lang/type.hpp"

namespace satura::lang {

// A day of the proleptic Gregorian calendar; year 0 is 1 BC.
struct CivilDate {
    std::int64_t year = 1970;
    int month = 1;
    int day = 1;
};

// Days since 1970-01-01, and back. Any month and day of month that exist.
std::int64_t days_from_civil(const CivilDate& date);
CivilDate civil_from_days(std::int64_t days);
int days_in_month(std::int64_t year, int month);

std::int64_t ticks_per_second(int digits);
Int128 ticks_per_day(int digits);

// What a date 'infinity' or timestamp 'infinity' is as an integer value, whatever its type;
// -infinity is its negative.
inline constexpr Int128 temporal_infinity = Int128{1} << 100;
inline bool is_infinite_time(Int128 n) { return n == temporal_infinity || n == -temporal_infinity; }

// The finite values that a date, timestamp(p) or timestamptz(p) column can hold, and whether
// ±infinity are values too.
struct TemporalRange {
    Int128 min = 0;
    Int128 max = 0;
    bool infinite = false;
    bool holds(Int128 n) const {
        return (n >= min && n <= max) || (infinite && is_infinite_time(n));
    }
};
TemporalRange temporal_range(Type type, const Semantics& semantics);

// "2024-01-31", "0044-03-15 BC", "infinity".
std::string date_text(Int128 days);
// "2024-01-31 10:00:00.5": a fraction only where there is one.
std::string timestamp_text(Int128 ticks, int digits);
std::string time_text(Int128 ticks, int digits);
std::string interval_text(const Interval& interval);

// ISO 8601 texts only: engines read more, so nothing does not mean that the engine rejects the
// text.
std::optional<Int128> parse_date(std::string_view text);
// In ticks of 10^-9 seconds. `zoned` asks for an offset ("+02", "+05:30", "Z") and gives UTC.
std::optional<Int128> parse_timestamp(std::string_view text, bool zoned, bool utc_session);
std::optional<Int128> parse_time(std::string_view text);
std::optional<Interval> parse_interval(std::string_view text);

}  // namespace satura::lang
