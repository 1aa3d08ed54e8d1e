#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"
#include "tests/lang/values.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

using State = Outcome::State;

// What a cast gives, as text: "error", "unknown", "null", or the value.
std::string shown(const Outcome& o, Type to) {
    if (o.state == State::error) return "error";
    if (o.state == State::unknown) return "unknown";
    return value_text(o.value, to);
}

struct Row {
    const char* value;
    const char* from;
    const char* to;
    const char* raising;
    const char* total;  // null: the same
};

void check_rows(std::span<const Row> rows, const Semantics& s) {
    for (const Row& row : rows) {
        CAPTURE(row.value);
        CAPTURE(row.from);
        CAPTURE(row.to);
        const Type from = type_of(row.from);
        const Type to = type_of(row.to);
        const Value value = value_of(row.value, from, s);
        CHECK(shown(cast_value(value, from, to, s, Mode::raising), to) == row.raising);
        CHECK(shown(cast_value(value, from, to, s, Mode::total), to) ==
              (row.total ? row.total : row.raising));
    }
}

}  // namespace

TEST_CASE("casts as PostgreSQL does them") {
    const Row rows[] = {
        {"null", "integer", "text", "null", nullptr},
        {"300", "smallint", "tinyint", "error", "300"},
        {"-1", "integer", "utinyint", "error", "-1"},
        {"true", "boolean", "integer", "1", nullptr},
        {"7", "integer", "boolean", "true", nullptr},
        {"2.5", "decimal(3,1)", "integer", "3", nullptr},
        {"-2.5", "decimal(3,1)", "integer", "-3", nullptr},
        {"2.5", "double", "integer", "2", nullptr},
        {"3.5", "double", "integer", "4", nullptr},
        {"2147483647.5", "double", "integer", "error", "2147483648"},
        {"99.95", "decimal(5,2)", "decimal(3,1)", "error", "100.0"},
        {"99.94", "decimal(5,2)", "decimal(3,1)", "99.9", nullptr},
        {"NaN", "double", "decimal(3,1)", "NaN", nullptr},
        {"NaN", "decimal(3,1)", "double", "NaN", nullptr},
        {"0.1", "real", "double", "0.10000000149011612", nullptr},
        {"0.1", "real", "numeric", "0.1", nullptr},
        {"0.1000000000000000055", "double", "numeric", "0.1", nullptr},
        {"123456789012345678", "double", "numeric", "123456789012346000", nullptr},
        {"1e300", "double", "real", "error", "Infinity"},
        {"1e-300", "double", "real", "error", "0"},
        {"Infinity", "double", "real", "Infinity", nullptr},
        {"Infinity", "double", "numeric", "unknown", nullptr},
        {"16777217", "integer", "real", "1.6777216e+07", nullptr},
        {"9007199254740993", "bigint", "double", "9.007199254740992e+15", nullptr},
        {"84298496", "integer", "real", "8.4298496e+07", nullptr},
        {"1e10", "real", "text", "1e+10", nullptr},
        {"100000", "double", "text", "100000", nullptr},
        {"1e15", "double", "text", "1e+15", nullptr},
        {"0.0001", "double", "text", "0.0001", nullptr},
        {"0.00001", "double", "text", "1e-05", nullptr},
        {"-0", "double", "text", "-0", nullptr},
        {"12345", "integer", "varchar(3)", "123", nullptr},
        {"a", "text", "char(3)", "a  ", nullptr},
        {"a", "char(3)", "text", "a", nullptr},
        {"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", "text", "varchar(3)", "\xC3\xA9\xC3\xA9\xC3\xA9",
         nullptr},
        {" 12 ", "text", "integer", "12", nullptr},
        {"1.5", "text", "integer", "error", "null"},
        {"300000", "text", "smallint", "error", "null"},
        {"1e3", "text", "numeric", "1000", nullptr},
        {" tRu", "text", "boolean", "true", nullptr},
        {"o", "text", "boolean", "error", "null"},
        {"2024-01-31", "text", "date", "2024-01-31", nullptr},
        {"today", "text", "date", "unknown", nullptr},
        {"2024-01-31", "date", "timestamp(3)", "2024-01-31 00:00:00", nullptr},
        {"300000-01-01", "date", "timestamp(6)", "error", "300000-01-01 00:00:00"},
        {"infinity", "date", "timestamp(6)", "infinity", nullptr},
        {"1969-12-31 23:59:59.999999", "timestamp(6)", "date", "1969-12-31", nullptr},
        // Halves go away from the first instant of 2000.
        {"1999-12-31 23:59:59.9995", "timestamp(6)", "timestamp(3)", "1999-12-31 23:59:59.999",
         nullptr},
        {"2000-01-01 00:00:00.0005", "timestamp(6)", "timestamp(3)", "2000-01-01 00:00:00.001",
         nullptr},
        {"2024-01-31 10:00:00+00", "timestamptz(6)", "timestamp(6)", "unknown", nullptr},
        {"2024-01-31 10:00:00.0005+00", "timestamptz(6)", "timestamptz(3)",
         "2024-01-31 10:00:00.001+00", nullptr},
        {"1 day", "interval", "text", "unknown", nullptr},
    };
    check_rows(rows, Semantics::of(Dialect::postgres));
}

TEST_CASE("casts as DuckDB does them") {
    const Row rows[] = {
        {"2.5", "double", "integer", "2", nullptr},
        {"2147483647.5", "double", "integer", "error", "2147483648"},
        {"-2147483648.5", "double", "integer", "error", "-2147483648"},
        {"-0.5", "double", "uhugeint", "0", nullptr},
        {"2.5", "double", "decimal(5,2)", "2.50", nullptr},
        {"0.125", "double", "decimal(5,2)", "0.13", nullptr},
        {"1.5", "real", "decimal(38,10)", "1.5000000512", nullptr},
        {"151.888", "real", "decimal(38,20)", "151.88799570873088475136", nullptr},
        {"-0.5", "real", "decimal(10,0)", "-1", nullptr},
        {"3.650014e-07", "real", "decimal(38,20)", "0.00000036500137836544", nullptr},
        {"-99410799116180344.21281", "decimal(38,5)", "double", "-9.941079911618034e+16", nullptr},
        {"12345", "integer", "varchar(3)", "12345", nullptr},
        {"a", "text", "char(3)", "a", nullptr},
        {"1e300", "double", "real", "error", "Infinity"},
        {"1e-300", "double", "real", "0", nullptr},
        {"340282366920938463463374607431768211455", "uhugeint", "real", "Infinity", nullptr},
        {"1.5", "text", "integer", "unknown", nullptr},
        {"2020-01-01 00:00:00.1235", "timestamp(6)", "timestamp(3)", "2020-01-01 00:00:00.124",
         nullptr},
        {"1960-01-01 00:00:00.5", "timestamp(6)", "timestamp(0)", "1960-01-01 00:00:00", nullptr},
    };
    check_rows(rows, Semantics::of(Dialect::duckdb));
}

TEST_CASE("infinity and NaN become exact numbers beyond all others, in order") {
    Semantics s = Semantics::of(Dialect::duckdb);
    const Type from(TypeKind::double_);
    for (const Type to : {type_of("integer"), type_of("decimal(3,1)")}) {
        const auto total = [&](double d) {
            return cast_value(Value::double_(d), from, to, s, Mode::total).value;
        };
        CHECK(compare(total(-HUGE_VAL), total(-1e308), to, s) == -1);
        CHECK(compare(total(1e308), total(HUGE_VAL), to, s) == -1);
        CHECK(compare(total(HUGE_VAL), total(std::nan("")), to, s) == -1);
        CHECK(cast_value(Value::double_(HUGE_VAL), from, to, s, Mode::raising).state ==
              State::error);
    }
    s.nan = NanOrder::ieee;
    CHECK(cast_value(Value::double_(std::nan("")), from, type_of("integer"), s, Mode::total)
              .value.is_null());
    CHECK_FALSE(cast_is_monotone(from, type_of("integer"), s));
}

TEST_CASE("what does not raise has its total value") {
    for (const Semantics& s : all_semantics()) {
        for (const Type from : all_types()) {
            const std::vector<Value> values = sample(from, s, 12, 3);
            for (const Type to : all_types()) {
                for (const Value& value : values) {
                    const Outcome raising = cast_value(value, from, to, s, Mode::raising);
                    const Outcome total = cast_value(value, from, to, s, Mode::total);
                    CAPTURE(show(s));
                    CAPTURE(text_of(from));
                    CAPTURE(text_of(to));
                    CAPTURE(value_text(value, from));
                    REQUIRE(total.state != State::error);
                    if (raising.state == State::value) {
                        REQUIRE(total.state == State::value);
                        REQUIRE(identical(raising.value, total.value));
                    }
                    if (raising.state == State::error) REQUIRE(cast_may_raise(from, to, s));
                }
            }
        }
    }
}

TEST_CASE("casts are monotone and injective where they say so") {
    for (const Semantics& s : all_semantics()) {
        for (const Type from : all_types()) {
            std::vector<Value> values = sample(from, s, 12, 4);
            if (s.nan == NanOrder::ieee)
                std::erase_if(values, [](const Value& v) { return Number::is_nan(v); });
            std::sort(values.begin(), values.end(), [&](const Value& a, const Value& b) {
                return compare(a, b, from, s).value_or(0) < 0;
            });
            for (const Type to : all_types()) {
                const bool monotone = cast_is_monotone(from, to, s);
                if (!monotone && !cast_is_injective(from, to, s)) continue;
                CAPTURE(show(s));
                CAPTURE(text_of(from));
                CAPTURE(text_of(to));
                for (std::size_t i = 1; i < values.size(); ++i) {
                    const Outcome a = cast_value(values[i - 1], from, to, s, Mode::total);
                    const Outcome b = cast_value(values[i], from, to, s, Mode::total);
                    REQUIRE(a.state == State::value);
                    REQUIRE(b.state == State::value);
                    CAPTURE(value_text(values[i - 1], from));
                    CAPTURE(value_text(values[i], from));
                    const std::optional<int> order = compare(a.value, b.value, to, s);
                    REQUIRE(order.has_value());
                    if (monotone) REQUIRE(*order <= 0);
                    const bool apart = compare(values[i - 1], values[i], from, s) != 0;
                    if (apart && cast_is_injective(from, to, s)) REQUIRE(*order != 0);
                }
            }
        }
    }
}

TEST_CASE("lossless casts") {
    const Semantics postgres = Semantics::of(Dialect::postgres);
    const Semantics duckdb = Semantics::of(Dialect::duckdb);
    for (const auto& [from, to] : {std::pair{"boolean", "integer"},
                                   {"boolean", "decimal(1,0)"},
                                   {"boolean", "real"},
                                   {"boolean", "double"},
                                   {"smallint", "integer"},
                                   {"utinyint", "smallint"},
                                   {"uinteger", "bigint"},
                                   {"integer", "decimal(12,2)"},
                                   {"ubigint", "decimal(20,0)"},
                                   {"smallint", "real"},
                                   {"usmallint", "real"},
                                   {"integer", "double"},
                                   {"uinteger", "double"},
                                   {"decimal(3,1)", "decimal(4,2)"},
                                   {"decimal(15,5)", "double"},
                                   {"decimal(6,3)", "real"},
                                   {"real", "double"},
                                   {"varchar(3)", "varchar(5)"},
                                   {"varchar(3)", "text"}}) {
        CAPTURE(from);
        CAPTURE(to);
        CHECK(cast_is_lossless(type_of(from), type_of(to), postgres));
        CHECK(cast_is_lossless(type_of(from), type_of(to), duckdb));
    }
    CHECK(cast_is_lossless(type_of("timestamp(3)"), type_of("timestamp(6)"), postgres));
    CHECK(cast_is_lossless(type_of("decimal(5,2)"), type_of("numeric"), postgres));
    CHECK(cast_is_lossless(type_of("integer"), type_of("numeric"), postgres));
    CHECK(cast_is_lossless(type_of("decimal(9,0)"), type_of("integer"), duckdb));
    CHECK(
        cast_is_lossless(type_of("date"), type_of("timestamp(6)"), Semantics::of(Dialect::spark)));
    // Its NaN raises; its dates go on after the last timestamp.
    CHECK_FALSE(cast_is_lossless(type_of("decimal(9,0)"), type_of("integer"), postgres));
    CHECK(cast_is_monotone(type_of("decimal(9,0)"), type_of("integer"), postgres));
    CHECK_FALSE(cast_is_lossless(type_of("date"), type_of("timestamp(6)"), postgres));
    CHECK(cast_is_injective(type_of("date"), type_of("timestamp(6)"), postgres));
    for (const auto& [from, to] : {std::pair{"boolean", "varchar"},
                                   {"tinyint", "utinyint"},
                                   {"bigint", "double"},
                                   {"integer", "real"},
                                   {"decimal(18,0)", "double"},
                                   {"decimal(5,2)", "decimal(3,1)"},
                                   {"decimal(5,2)", "decimal(5,3)"},
                                   {"double", "real"},
                                   {"double", "numeric"},
                                   {"timestamp(6)", "date"},
                                   {"timestamp(6)", "timestamp(3)"},
                                   {"varchar(5)", "varchar(3)"},
                                   {"varchar(3)", "char(3)"},
                                   {"char(3)", "varchar(3)"},
                                   {"text", "integer"},
                                   {"integer", "boolean"},
                                   {"integer", "decimal(10,1)"},
                                   {"timestamp(6)", "timestamptz(6)"}}) {
        CAPTURE(from);
        CAPTURE(to);
        CHECK_FALSE(cast_is_lossless(type_of(from), type_of(to), postgres));
    }
}
