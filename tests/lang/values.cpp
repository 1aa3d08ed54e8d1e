#include "tests/lang/values.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "lang/boundary.hpp"
#include "lang/calendar.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

using namespace satura::lang;

namespace satura::test {

namespace {

struct NamedKind {
    std::string_view name;
    TypeKind kind;
};

constexpr NamedKind kinds[] = {{"unknown", TypeKind::unknown},
                               {"boolean", TypeKind::boolean},
                               {"tinyint", TypeKind::tinyint},
                               {"smallint", TypeKind::smallint},
                               {"integer", TypeKind::integer},
                               {"bigint", TypeKind::bigint},
                               {"hugeint", TypeKind::hugeint},
                               {"utinyint", TypeKind::utinyint},
                               {"usmallint", TypeKind::usmallint},
                               {"uinteger", TypeKind::uinteger},
                               {"ubigint", TypeKind::ubigint},
                               {"uhugeint", TypeKind::uhugeint},
                               {"decimal", TypeKind::decimal},
                               {"numeric", TypeKind::numeric},
                               {"real", TypeKind::real},
                               {"double", TypeKind::double_},
                               {"char", TypeKind::char_},
                               {"varchar", TypeKind::varchar},
                               {"text", TypeKind::text},
                               {"date", TypeKind::date},
                               {"time", TypeKind::time},
                               {"timestamp", TypeKind::timestamp},
                               {"timestamptz", TypeKind::timestamptz},
                               {"interval", TypeKind::interval}};

std::int64_t random_bits(std::mt19937_64& random) { return static_cast<std::int64_t>(random()); }

double random_double(std::mt19937_64& random, int i) {
    if (i % 3 == 0) return std::bit_cast<double>(random());
    if (i % 3 == 1)
        return std::ldexp(static_cast<double>(random_bits(random)),
                          static_cast<int>(random() % 80) - 70);
    return static_cast<double>(static_cast<std::int64_t>(random() % 20001) - 10000) / 8;
}

Value random_value(Type type, std::mt19937_64& random, int i) {
    if (type.kind() == TypeKind::double_) return Value::double_(random_double(random, i));
    if (type.kind() == TypeKind::real) {
        if (i % 2 == 0)
            return Value::real(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
        return Value::real(static_cast<float>(random_double(random, i)));
    }
    if (is_integer(type) || type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric) {
        const int bits = is_integer(type) ? integer_bits(type) : 130;
        const Wide digits = (Wide(random()) << 64 | random()) >> static_cast<int>(random() % 127);
        const Wide n = random() % 2 == 0 ? digits : Wide(-digits);
        if (type.kind() == TypeKind::decimal)
            return Number::decimal(n % power_of_ten(type.precision()), type.scale());
        if (type.kind() == TypeKind::numeric)
            return Number::decimal(n, static_cast<int>(random() % 12));
        const Wide low = integer_min(type);
        const Wide span = Wide(1) << bits;
        Wide in = (n - low) % span;
        if (in < 0) in += span;
        return Number::integer(in + low);
    }
    if (type.kind() == TypeKind::date)
        return Value::integer(static_cast<std::int64_t>(random() % 800000) - 700000);
    if (type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz) {
        const Int128 day = ticks_per_day(type.digits());
        return Number::integer(Int128{static_cast<std::int64_t>(random() % 100000) - 50000} * day +
                               static_cast<Int128>(random()) % day);
    }
    return Value::null();
}

}  // namespace

std::vector<Semantics> all_semantics() {
    std::vector<Semantics> all;
    for (const Dialect dialect :
         {Dialect::postgres, Dialect::duckdb, Dialect::spark, Dialect::mysql, Dialect::sqlite}) {
        all.push_back(Semantics::of(dialect));
    }
    for (const Dialect dialect : {Dialect::postgres, Dialect::duckdb}) {
        for (const Rounding rounding : {Rounding::half_away, Rounding::half_even, Rounding::half_up,
                                        Rounding::floor, Rounding::trunc}) {
            Semantics s = Semantics::of(dialect);
            s.int_round = s.fint_round = s.dec_round = s.ts_round = rounding;
            if (rounding == Rounding::floor) s.nan = NanOrder::ieee;
            if (rounding == Rounding::trunc) s.float_overflow_raises = false;
            if (rounding == Rounding::half_up) s.zone = "UTC";
            all.push_back(s);
        }
    }
    return all;
}

std::vector<Type> all_types() {
    std::vector<Type> all;
    for (const char* text :
         {"boolean",      "tinyint",       "smallint",       "integer",        "bigint",
          "hugeint",      "utinyint",      "usmallint",      "uinteger",       "ubigint",
          "uhugeint",     "decimal(1,0)",  "decimal(3,1)",   "decimal(5,2)",   "decimal(6,3)",
          "decimal(4,4)", "decimal(10,0)", "decimal(15,5)",  "decimal(18,0)",  "decimal(38,10)",
          "numeric",      "real",          "double",         "char(3)",        "varchar(3)",
          "varchar(5)",   "text",          "date",           "time(6)",        "timestamp(0)",
          "timestamp(3)", "timestamp(6)",  "timestamptz(3)", "timestamptz(6)", "interval"}) {
        all.push_back(type_of(text));
    }
    return all;
}

std::vector<Type> domain_types() {
    std::vector<Type> all = all_types();
    std::erase_if(all, [](Type t) { return !has_domain(t); });
    return all;
}

Type type_of(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::string_view name = text.substr(0, open);
    int numbers[2] = {0, 0};
    if (open != std::string_view::npos) {
        const std::string rest(text.substr(open + 1));
        numbers[0] = std::stoi(rest);
        if (const std::size_t comma = rest.find(','); comma != std::string::npos) {
            numbers[1] = std::stoi(rest.substr(comma + 1));
        }
    }
    for (const NamedKind& k : kinds) {
        if (k.name != name) continue;
        if (k.kind == TypeKind::decimal) return Type::decimal(numbers[0], numbers[1]);
        if (open == std::string_view::npos) return Type(k.kind);
        return Type::with_length(k.kind, static_cast<std::uint32_t>(numbers[0]));
    }
    FAIL("no such type: ", std::string(text));
    return {};
}

std::string text_of(Type type) {
    for (const NamedKind& k : kinds) {
        if (k.kind != type.kind()) continue;
        std::string text(k.name);
        if (k.kind == TypeKind::decimal) {
            return text + "(" + std::to_string(type.precision()) + "," +
                   std::to_string(type.scale()) + ")";
        }
        return type == Type(k.kind) ? text : text + "(" + std::to_string(type.length()) + ")";
    }
    return "?";
}

Value value_of(std::string_view text, Type type, const Semantics& semantics) {
    if (text == "null") return Value::null();
    const std::optional<Value> value = parse_value(text, type, semantics);
    REQUIRE_MESSAGE(value.has_value(), std::string(text), " is no ", text_of(type));
    return *value;
}

std::vector<Value> sample(Type type, const Semantics& semantics, int count, std::uint64_t seed) {
    std::vector<Value> values = boundary_values(type, semantics);
    std::erase_if(values, [](const Value& v) { return v.is_null(); });
    std::mt19937_64 random(seed);
    for (int i = 0; i < count; ++i) {
        const Value value = random_value(type, random, i);
        if (!value.is_null()) values.push_back(value);
    }
    return values;
}

std::string show(const Semantics& semantics) {
    return std::string(dialect_name(semantics.dialect)) + " rounding " +
           std::to_string(static_cast<int>(semantics.int_round)) +
           (semantics.nan == NanOrder::ieee ? " ieee" : "");
}

}  // namespace satura::test
