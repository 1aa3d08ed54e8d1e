// The parameters in which engines differ. A dialect fixes them all; a request may override single ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace satura::lang {

enum class Dialect : std::uint8_t { postgres, duckdb, spark, mysql, sqlite };
enum class NanOrder : std::uint8_t { total, ieee };  // total: NaN = NaN, above every number
enum class Rounding : std::uint8_t { half_away, half_even, half_up, floor, trunc };

struct Semantics {
    Dialect dialect = Dialect::postgres;
    NanOrder nan = NanOrder::total;
    Rounding int_round = Rounding::half_away;   // decimal to integer
    Rounding fint_round = Rounding::half_even;  // real, double to integer
    Rounding dec_round = Rounding::half_away;   // decimal to a smaller scale
    // timestamp to fewer digits, seen from the dialect's zero: 2000-01-01 in PostgreSQL, 1970-01-01 elsewhere
    Rounding ts_round = Rounding::half_away;
    bool decimal_nan = true;  // decimal(p,s) and numeric columns may hold NaN (PostgreSQL)
    bool float_overflow_raises =
        true;  // double to real beyond its range raises (PostgreSQL), else gives infinity
    bool integer_division_truncates = true;  // 7/2 is 3; else it is a decimal or double
    bool greatest_ignores_null = true;
    bool chars_are_padded = true;  // char(n) compares without trailing blanks
    std::string zone;              // session time zone; empty: unknown

    static Semantics of(Dialect dialect);
};

// The dialect of that name, or false in `found`.
Dialect dialect_from_name(std::string_view name, bool& found);
std::string_view dialect_name(Dialect dialect);

}  // namespace satura::lang
