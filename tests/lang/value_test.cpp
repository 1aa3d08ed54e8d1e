#include <doctest/doctest.h>

#include <cmath>

#include "lang/boundary.hpp"
#include "lang/diagnostic.hpp"
#include "lang/evaluate.hpp"
#include "lang/expr.hpp"
#include "lang/number.hpp"
#include "tests/lang/values.hpp"

using namespace satura::lang;
using namespace satura::test;

TEST_CASE("values are identical by representation, not by SQL's equality") {
    const Semantics s = Semantics::of(Dialect::postgres);
    const Type numeric(TypeKind::numeric);
    const Value one = Number::decimal(1, 0);
    const Value one_point_zero = Number::decimal(10, 1);
    CHECK_FALSE(identical(one, one_point_zero));
    CHECK(compare(one, one_point_zero, numeric, s) == 0);
    CHECK_FALSE(identical(Value::double_(0.0), Value::double_(-0.0)));
    CHECK(compare(Value::double_(0.0), Value::double_(-0.0), Type(TypeKind::double_), s) == 0);
    CHECK(identical(Value::double_(std::nan("1")), Value::double_(-std::nan("2"))));
    CHECK(identical(Number::decimal_nan(), Number::decimal_nan()));
    CHECK_FALSE(identical(Value::integer(1), Value::boolean(true)));
    CHECK_FALSE(identical(Value::null(), Value::integer(0)));
    CHECK(identical(Value::text("ab"), Value::text("ab")));
}

TEST_CASE("wide integers are inline exactly when they fit") {
    const Wide limit = Wide(1) << 63;
    CHECK(Number::integer(limit - 1).is_small());
    CHECK(Number::integer(-limit).is_small());
    CHECK_FALSE(Number::integer(limit).is_small());
    CHECK_FALSE(Number::integer(-limit - 1).is_small());
    CHECK(identical(Number::integer(limit), Number::integer(limit)));
    CHECK(hash_value(Number::integer(limit)) == hash_value(Number::integer(limit)));
    CHECK(Number::int128(Number::integer(-limit - 1)) == -(Int128{1} << 63) - 1);
    CHECK_FALSE(Number::int128(Number::integer(Wide(1) << 127)).has_value());
}

TEST_CASE("identical values have equal hashes and one literal") {
    Literals literals;
    for (const Type type : all_types()) {
        for (const Value& value : sample(type, Semantics::of(Dialect::postgres), 20, 1)) {
            const LiteralId id = literals.intern(type, value);
            CHECK(literals.intern(type, value) == id);
            CHECK(identical(literals[id].value, value));
        }
    }
    CHECK(literals.intern(Type(TypeKind::integer), Value::integer(1)) !=
          literals.intern(Type(TypeKind::bigint), Value::integer(1)));
}

TEST_CASE("roundings") {
    struct Row {
        int n, half_away, half_even, half_up, floor, trunc;
    };
    // n tenths
    for (const Row& r : {Row{25, 3, 2, 3, 2, 2}, Row{-25, -3, -2, -2, -3, -2},
                         Row{35, 4, 4, 4, 3, 3}, Row{-5, -1, 0, 0, -1, 0}, Row{26, 3, 3, 3, 2, 2},
                         Row{-24, -2, -2, -2, -3, -2}, Row{20, 2, 2, 2, 2, 2}}) {
        CAPTURE(r.n);
        CHECK(divide_rounded(r.n, 10, Rounding::half_away) == r.half_away);
        CHECK(divide_rounded(r.n, 10, Rounding::half_even) == r.half_even);
        CHECK(divide_rounded(r.n, 10, Rounding::half_up) == r.half_up);
        CHECK(divide_rounded(r.n, 10, Rounding::floor) == r.floor);
        CHECK(divide_rounded(r.n, 10, Rounding::trunc) == r.trunc);
        if (r.n % 5 != 0) continue;
        for (const Rounding rounding : {Rounding::half_away, Rounding::half_even, Rounding::half_up,
                                        Rounding::floor, Rounding::trunc}) {
            CHECK(round_to_integer(r.n / 10.0, rounding) == divide_rounded(r.n, 10, rounding));
        }
    }
}

TEST_CASE("the nearest float is found in one rounding") {
    CHECK(nearest_float(16777217, 1) == 16777216.0F);
    CHECK(nearest_float(16777219, 1) == 16777220.0F);
    // By way of double this would be a tie, and wrong.
    CHECK(nearest_float((Wide(1) << 54) + (Wide(1) << 30) + 1, 1) == 0x1.000002p54F);
    CHECK(nearest_double((Wide(1) << 53) + 1, 1) == 9007199254740992.0);
    CHECK(nearest_double(1, 10) == 0.1);
    CHECK(nearest_double(-1, 3) == -1.0 / 3);
    CHECK(nearest_float(1, 10) == 0.1F);
    CHECK(std::isinf(nearest_float(Wide(1) << 128, 1)));
    CHECK(std::isinf(nearest_double(Wide(1) << 1024, 1)));
    CHECK(nearest_double(1, Wide(1) << 1074) == 0x1p-1074);
    CHECK(nearest_double(1, Wide(1) << 1075) == 0.0);
    CHECK(nearest_double(3, Wide(1) << 1075) == 0x1p-1073);
    CHECK(nearest_float(1, Wide(1) << 149) == 0x1p-149F);
}

TEST_CASE("texts of values are read back") {
    for (const Semantics& s : all_semantics()) {
        if (s.dialect == Dialect::mysql || s.dialect == Dialect::sqlite)
            continue;  // no NaN to read
        for (const Type type : all_types()) {
            for (const Value& value : sample(type, s, 40, 2)) {
                const std::string text = value_text(value, type);
                CAPTURE(show(s));
                CAPTURE(text_of(type));
                CAPTURE(text);
                const std::optional<Value> back = parse_value(text, type, s);
                // What a timestamp of another number of digits cannot hold is not in the text
                // either.
                if (!back &&
                    (type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz))
                    continue;
                REQUIRE(back.has_value());
                CHECK(identical(*back, value));
            }
        }
    }
}

TEST_CASE("texts that are no value of the type") {
    const Semantics s = Semantics::of(Dialect::postgres);
    for (const auto& [type, text] : {std::pair{"integer", "5.5"},
                                     {"tinyint", "300"},
                                     {"integer", ""},
                                     {"integer", "1e3"},
                                     {"integer", "- 1"},
                                     {"utinyint", "-1"},
                                     {"decimal(3,1)", "100"},
                                     {"decimal(3,1)", "99.95"},
                                     {"decimal(3,1)", "abc"},
                                     {"double", "1e400"},
                                     {"real", "1e-60"},
                                     {"double", "1e"},
                                     {"date", "2024-02-30"},
                                     {"date", "2023-02-29"},
                                     {"date", "0000-01-01"},
                                     {"date", "24-01-01"},
                                     {"timestamp(6)", "2024-01-01 25:00"},
                                     {"boolean", "maybe"},
                                     {"boolean", "o"},
                                     {"interval", "5 parsecs"},
                                     {"time(6)", "24:00:01"}}) {
        CAPTURE(type);
        CAPTURE(text);
        CHECK_FALSE(parse_value(text, type_of(type), s).has_value());
    }
    CHECK(parse_value("NaN", type_of("decimal(3,1)"), s).has_value());
    CHECK_FALSE(
        parse_value("NaN", type_of("decimal(3,1)"), Semantics::of(Dialect::duckdb)).has_value());
    CHECK_FALSE(
        parse_value("10000-01-01", type_of("date"), Semantics::of(Dialect::spark)).has_value());
}

TEST_CASE("boundary values begin with NULL and hold no value twice") {
    for (const Semantics& s : all_semantics()) {
        for (const Type type : all_types()) {
            const std::vector<Value> values = boundary_values(type, s);
            REQUIRE_FALSE(values.empty());
            CHECK(values[0].is_null());
            for (std::size_t i = 0; i < values.size(); ++i) {
                for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(identical(values[i], values[j]));
            }
        }
    }
}

TEST_CASE("places count Unicode characters") {
    const std::string_view text = "select\n  \xC3\xA9t\xC3\xA9 + x";
    CHECK(place_of(text, 0).line == 1);
    CHECK(place_of(text, 0).column == 1);
    const Place place = place_of(text, static_cast<std::uint32_t>(text.find('+')));
    CHECK(place.line == 2);
    CHECK(place.column == 7);
    CHECK(place_of(text, 1000).line == 2);
}

TEST_CASE("a diagnostic shows the line with a caret") {
    const std::string_view text = "select a,\n\t\xC3\xA9t\xC3\xA9 + bcd\nfrom t";
    const auto begin = static_cast<std::uint32_t>(text.find("bcd"));
    const Diagnostic unknown{
        "unknown-column", {begin, begin + 3}, "there is no column bcd", "the columns are a and b"};
    CHECK(render(unknown, "q.sql", text) ==
          "q.sql:2:8: error: there is no column bcd\n"
          "  \t\xC3\xA9t\xC3\xA9 + bcd\n"
          "  \t      ^~~\n"
          "help: the columns are a and b\n");
    const Diagnostic at_end{"syntax-error", {1000, 1000}, "the query ends too early", ""};
    CHECK(render(at_end, "-", "select").ends_with("  select\n        ^\n"));
    CHECK(render(at_end, "-", "") == "-:1:1: error: the query ends too early\n  \n  ^\n");
}
