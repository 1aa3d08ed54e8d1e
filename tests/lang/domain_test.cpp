#include <doctest/doctest.h>

#include "lang/boundary.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"
#include "tests/lang/values.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

// All values from the first to the last, by successor().
std::vector<Value> every_value(Type type, const Semantics& s) {
    std::vector<Value> values = {domain_min(type, s)};
    while (const std::optional<Value> next = successor(type, values.back(), s))
        values.push_back(*next);
    return values;
}

Value cast_total(const Value& x, Type from, Type to, const Semantics& s) {
    const Outcome o = cast_value(x, from, to, s, Mode::total);
    REQUIRE(o.state == Outcome::State::value);
    return o.value;
}

bool same(const std::optional<Value>& a, const std::optional<Value>& b) {
    return a.has_value() == b.has_value() && (!a || identical(*a, *b));
}

// The first of the values for which f(x) is at least (or, strictly, above) c.
std::optional<Value> first_at(std::span<const Value> values, std::span<const Value> images,
                              const Value& c, Type to, const Semantics& s, bool strictly) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int order = compare(images[i], c, to, s).value();
        if (strictly ? order > 0 : order >= 0) return values[i];
    }
    return std::nullopt;
}

// Targets for which PostgreSQL's and DuckDB's casts from a small type are tried.
std::vector<Type> targets() {
    std::vector<Type> all;
    for (const char* text :
         {"boolean", "tinyint", "smallint", "integer", "utinyint", "decimal(1,0)", "decimal(3,1)",
          "decimal(5,2)", "decimal(4,4)", "real", "double", "numeric"}) {
        all.push_back(type_of(text));
    }
    return all;
}

void check_locally(Type from, Type to, const Value& c, const Semantics& s) {
    const Preimage p = preimage(from, to, c, s);
    const auto order = [&](const Value& x) {
        return compare(cast_total(x, from, to, s), c, to, s).value();
    };
    const auto check_bound = [&](const std::optional<Value>& bound, int least) {
        const std::optional<Value> below =
            bound ? predecessor(from, *bound, s) : domain_max(from, s);
        if (bound) CHECK(order(*bound) >= least);
        if (below) CHECK(order(*below) < least);
    };
    check_bound(p.lo, 0);
    check_bound(p.hi, 1);
}

std::string bounds(const char* from, const char* to, const char* c, const Semantics& s) {
    const Type f = type_of(from);
    const Preimage p = preimage(f, type_of(to), value_of(c, type_of(to), s), s);
    return (p.lo ? value_text(*p.lo, f) : "past max") + " .. " +
           (p.hi ? value_text(*p.hi, f) : "past max");
}

}  // namespace

TEST_CASE("successor and predecessor undo each other and go up") {
    for (const Semantics& s : all_semantics()) {
        for (const Type type : domain_types()) {
            CAPTURE(show(s));
            CAPTURE(text_of(type));
            const Value low = domain_min(type, s);
            const Value high = domain_max(type, s);
            CHECK_FALSE(predecessor(type, low, s).has_value());
            CHECK_FALSE(successor(type, high, s).has_value());
            for (const Value& value : sample(type, s, 20, 5)) {
                if (s.nan == NanOrder::ieee && Number::is_nan(value)) continue;
                CAPTURE(value_text(value, type));
                CHECK(compare(low, value, type, s).value() <= 0);
                CHECK(compare(value, high, type, s).value() <= 0);
                if (const std::optional<Value> next = successor(type, value, s)) {
                    CHECK(compare(value, *next, type, s) == -1);
                    CHECK(compare(predecessor(type, *next, s).value(), value, type, s) == 0);
                } else {
                    CHECK(compare(value, high, type, s) == 0);
                }
            }
        }
    }
}

TEST_CASE("small domains have all their values") {
    const Semantics postgres = Semantics::of(Dialect::postgres);
    const Semantics duckdb = Semantics::of(Dialect::duckdb);
    CHECK(every_value(type_of("boolean"), postgres).size() == 2);
    CHECK(every_value(type_of("tinyint"), postgres).size() == 256);
    CHECK(every_value(type_of("decimal(3,1)"), duckdb).size() == 1999);
    CHECK(every_value(type_of("decimal(3,1)"), postgres).size() == 2000);
    CHECK(Number::is_decimal_nan(domain_max(type_of("decimal(3,1)"), postgres)));
    CHECK(value_text(domain_min(type_of("date"), postgres), type_of("date")) == "-infinity");
    CHECK(value_text(
              successor(type_of("date"), domain_min(type_of("date"), postgres), postgres).value(),
              type_of("date")) == "4714-11-24 BC");
    CHECK(value_text(domain_max(type_of("timestamp(3)"), Semantics::of(Dialect::spark)),
                     type_of("timestamp(3)")) == "9999-12-31 23:59:59.999");
}

TEST_CASE("preimages of small domains are those of trying every value") {
    for (const Semantics& s : all_semantics()) {
        for (const char* name :
             {"boolean", "tinyint", "utinyint", "decimal(1,0)", "decimal(3,1)"}) {
            const Type from = type_of(name);
            const std::vector<Value> values = every_value(from, s);
            for (const Type to : targets()) {
                if (from == to || !cast_is_monotone(from, to, s)) continue;
                std::vector<Value> images;
                for (const Value& x : values) images.push_back(cast_total(x, from, to, s));
                std::vector<Value> constants = boundary_values(to, s);
                constants.push_back(images[images.size() / 2]);
                constants.push_back(images[images.size() / 3]);
                for (const Value& c : constants) {
                    if (c.is_null() || (s.nan == NanOrder::ieee && Number::is_nan(c))) continue;
                    CAPTURE(show(s));
                    CAPTURE(name);
                    CAPTURE(text_of(to));
                    CAPTURE(value_text(c, to));
                    const Preimage p = preimage(from, to, c, s);
                    CHECK(same(p.lo, first_at(values, images, c, to, s, false)));
                    CHECK(same(p.hi, first_at(values, images, c, to, s, true)));
                }
            }
        }
    }
}

TEST_CASE("preimages of large domains have the right neighbours") {
    for (const Semantics& s : all_semantics()) {
        for (const Type from : domain_types()) {
            for (const Type to : all_types()) {
                if (from == to || !cast_is_monotone(from, to, s)) continue;
                for (const Value& c : sample(to, s, 3, 6)) {
                    if (s.nan == NanOrder::ieee && Number::is_nan(c)) continue;
                    CAPTURE(show(s));
                    CAPTURE(text_of(from));
                    CAPTURE(text_of(to));
                    CAPTURE(value_text(c, to));
                    check_locally(from, to, c, s);
                }
            }
        }
    }
}

TEST_CASE("preimages of constants that others computed") {
    const Semantics s = Semantics::of(Dialect::postgres);
    CHECK(bounds("bigint", "double", "9007199254740992", s) ==
          "9007199254740992 .. 9007199254740994");
    CHECK(bounds("bigint", "double", "9223372036854775808", s) ==
          "9223372036854775296 .. past max");
    CHECK(bounds("bigint", "double", "1e18", s) == "999999999999999936 .. 1000000000000000065");
    CHECK(bounds("integer", "real", "16777216", s) == "16777216 .. 16777218");
    CHECK(bounds("integer", "real", "2147483648", s) == "2147483584 .. past max");
    CHECK(bounds("double", "real", "0.1", s) == "0.09999999776482583 .. 0.10000000521540642");
    CHECK(bounds("smallint", "integer", "40000", s) == "past max .. past max");
    CHECK(bounds("smallint", "integer", "-40000", s) == "-32768 .. -32768");
    CHECK(bounds("decimal(3,1)", "tinyint", "5", s) == "4.5 .. 5.5");
    CHECK(bounds("timestamp(6)", "date", "2024-01-01", s) ==
          "2024-01-01 00:00:00 .. 2024-01-02 00:00:00");
    CHECK(bounds("date", "timestamp(6)", "2024-06-15 12:00:00", s) == "2024-06-16 .. 2024-06-16");
    CHECK(bounds("timestamp(6)", "timestamp(3)", "2024-01-01 00:00:00.123", s) ==
          "2024-01-01 00:00:00.1225 .. 2024-01-01 00:00:00.1235");
}

TEST_CASE("success ranges hold what does not raise") {
    for (const Semantics& s : all_semantics()) {
        for (const Type from : domain_types()) {
            for (const Type to : all_types()) {
                const std::optional<ValueRange> range = success_range(from, to, s);
                if (!range) continue;
                CAPTURE(show(s));
                CAPTURE(text_of(from));
                CAPTURE(text_of(to));
                std::vector<Value> values = sample(from, s, 10, 7);
                values.insert(values.end(), {range->low, range->high});
                for (const auto& beside :
                     {predecessor(from, range->low, s), successor(from, range->high, s)}) {
                    if (beside) values.push_back(*beside);
                }
                for (const Value& x : values) {
                    if (s.nan == NanOrder::ieee && Number::is_nan(x)) continue;
                    CAPTURE(value_text(x, from));
                    const bool inside = compare(range->low, x, from, s).value() <= 0 &&
                                        compare(x, range->high, from, s).value() <= 0;
                    const Outcome o = cast_value(x, from, to, s, Mode::raising);
                    REQUIRE(inside == (o.state == Outcome::State::value));
                }
            }
        }
    }
    const Semantics s = Semantics::of(Dialect::postgres);
    const auto range = success_range(type_of("integer"), type_of("tinyint"), s);
    REQUIRE(range.has_value());
    CHECK(value_text(range->low, type_of("integer")) == "-128");
    CHECK(value_text(range->high, type_of("integer")) == "127");
    CHECK_FALSE(success_range(type_of("double"), type_of("real"), s).has_value());
}
