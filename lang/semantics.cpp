#include "lang/semantics.hpp"

#include <array>

namespace satura::lang {

namespace {

constexpr std::array<std::string_view, 5> names = {"postgres", "duckdb", "spark", "mysql",
                                                   "sqlite"};

}  // namespace

Semantics Semantics::of(Dialect dialect) {
    Semantics s;
    s.dialect = dialect;
    switch (dialect) {
        case Dialect::postgres:
            break;  // the defaults of the struct are PostgreSQL's
        case Dialect::duckdb:
            s.decimal_nan = false;
            s.integer_division_truncates = false;
            s.chars_are_padded = false;
            break;
        case Dialect::spark:
            s.int_round = Rounding::trunc;
            s.fint_round = Rounding::trunc;
            s.ts_round = Rounding::floor;
            s.decimal_nan = false;
            s.float_overflow_raises = false;
            s.integer_division_truncates = false;
            break;
        case Dialect::mysql:
            s.ts_round = Rounding::half_up;
            s.decimal_nan = false;
            s.integer_division_truncates = false;
            s.greatest_ignores_null = false;
            break;
        case Dialect::sqlite:
            s.int_round = Rounding::trunc;
            s.fint_round = Rounding::trunc;
            s.ts_round = Rounding::trunc;
            s.decimal_nan = false;
            s.float_overflow_raises = false;
            s.greatest_ignores_null = false;
            s.chars_are_padded = false;
            break;
    }
    return s;
}

Dialect dialect_from_name(std::string_view name, bool& found) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) {
            found = true;
            return static_cast<Dialect>(i);
        }
    }
    found = name == "postgresql";
    return Dialect::postgres;
}

std::string_view dialect_name(Dialect dialect) { return names[static_cast<std::size_t>(dialect)]; }

}  // namespace satura::lang
