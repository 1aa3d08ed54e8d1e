#include "lang/calendar.hpp"

#include <array>
#include <cassert>

namespace satura::lang {

namespace {

constexpr std::int64_t days_per_era = 146097;  // 400 years
constexpr std::int64_t march_0000 = -719468;   // days from 1970-01-01 to 0000-03-01

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

Int128 power10(int n) {
    Int128 p = 1;
    for (int i = 0; i < n; ++i) p *= 10;
    return p;
}

TemporalRange four_digit_years(Type type) {
    const Int128 first = days_from_civil({1, 1, 1});
    const Int128 end = days_from_civil({10000, 1, 1});
    if (type.kind() == TypeKind::date) return {first, end - 1, false};
    const Int128 day = ticks_per_day(type.digits());
    return {first * day, end * day - 1, false};
}

TemporalRange postgres_range(Type type) {
    const Int128 first = days_from_civil({-4713, 11, 24});
    if (type.kind() == TypeKind::date) return {first, days_from_civil({5874897, 12, 31}), true};
    const Int128 day = ticks_per_day(type.digits());
    // Rounding the last microseconds to fewer digits gives the first instant of 294277, which
    // PostgreSQL computes with but does not read: it is left out, since it cannot be written as a
    // literal.
    return {first * day, Int128{days_from_civil({294277, 1, 1})} * day - 1, true};
}

TemporalRange duckdb_range(Type type) {
    if (type.kind() == TypeKind::date) return {-2147483646, 2147483646, true};
    const Int128 most = (Int128{1} << 63) - 2;
    if (type.digits() <= 3) return {-most, most, true};
    if (type.digits() <= 6) return {Int128{-9223372022400000000}, most, true};
    return {Int128{-9223286400000000000}, most, true};
}

}  // namespace

std::int64_t days_from_civil(const CivilDate& date) {
    // Years begin in March, so that the leap day is the last day of a year.
    const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    const int month = date.month <= 2 ? date.month + 9 : date.month - 3;
    const std::int64_t leaps = floor_div(year, 4) - floor_div(year, 100) + floor_div(year, 400);
    return 365 * year + leaps + (153 * month + 2) / 5 + date.day - 1 + march_0000;
}

CivilDate civil_from_days(std::int64_t days) {
    const std::int64_t shifted = days - march_0000;
    const std::int64_t era = floor_div(shifted, days_per_era);
    const std::int64_t in_era = shifted - era * days_per_era;
    const std::int64_t year_in_era =
        (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const std::int64_t in_year = in_era - (365 * year_in_era + year_in_era / 4 - year_in_era / 100);
    const auto month = static_cast<int>((5 * in_year + 2) / 153);  // 0 is March
    const auto day = static_cast<int>(in_year - (153 * month + 2) / 5 + 1);
    const std::int64_t year = era * 400 + year_in_era + (month >= 10 ? 1 : 0);
    return {year, month >= 10 ? month - 9 : month + 3, day};
}

int days_in_month(std::int64_t year, int month) {
    constexpr std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : lengths[static_cast<std::size_t>(month - 1)];
}

std::int64_t ticks_per_second(int digits) { return static_cast<std::int64_t>(power10(digits)); }

Int128 ticks_per_day(int digits) { return power10(digits) * 86400; }

TemporalRange temporal_range(Type type, const Semantics& semantics) {
    assert(type.kind() == TypeKind::date || type.kind() == TypeKind::timestamp ||
           type.kind() == TypeKind::timestamptz);
    switch (semantics.dialect) {
        case Dialect::postgres:
            return postgres_range(type);
        case Dialect::duckdb:
            return duckdb_range(type);
        default:
            return four_digit_years(type);
    }
}

}  // namespace satura::lang
