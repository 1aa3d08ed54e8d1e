#include "lang/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lang/calendar.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

class Collector {
  public:
    explicit Collector(std::vector<Value>& out) : out_(out) {}
    void add(const Value& value) {
        const auto same = [&](const Value& v) { return identical(v, value); };
        if (std::none_of(out_.begin(), out_.end(), same)) out_.push_back(value);
    }
    void add(const std::optional<Value>& value) {
        if (value) add(*value);
    }

  private:
    std::vector<Value>& out_;
};

void add_ends(Collector& out, Type type, const Semantics& semantics) {
    Value low = domain_min(type, semantics);
    Value high = domain_max(type, semantics);
    for (int i = 0; i < 3; ++i) {
        out.add(low);
        out.add(high);
        const std::optional<Value> above = successor(type, low, semantics);
        const std::optional<Value> below = predecessor(type, high, semantics);
        if (!above || !below) return;
        low = *above;
        high = *below;
    }
}

void add_integers(Collector& out, Type type) {
    constexpr std::int64_t interesting[] = {0,   1,     -1,    2,        -2,         3,
                                            7,   10,    100,   127,      128,        255,
                                            256, 32767, 32768, 16777217, 2147483647, 2147483648};
    for (const std::int64_t n : interesting) {
        if (fits_integer(Value::integer(n), type)) out.add(Value::integer(n));
    }
    const Value past_double = Value::integer((std::int64_t{1} << 53) + 1);
    if (fits_integer(past_double, type)) out.add(past_double);
}

void add_decimals(Collector& out, Type type, const Semantics& semantics) {
    for (const char* text : {"0", "1", "-1", "0.5", "-0.5", "1.5", "2.5", "-1.5", "-2.5", "0.05",
                             "0.25", "-0.05", "0.1", "9.99", "0.49", "0.51", "100"}) {
        out.add(parse_value(text, type, semantics));
    }
}

void add_float(Collector& out, double d, Type type) {
    if (type.kind() == TypeKind::real) {
        out.add(Value::real(static_cast<float>(d)));
    } else {
        out.add(Value::double_(d));
    }
}

void add_floats(Collector& out, Type type) {
    using Limits = std::numeric_limits<double>;
    using Small = std::numeric_limits<float>;
    for (const double d :
         {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3.0, 1e10, 16777217.0, 1e-7}) {
        add_float(out, d, type);
    }
    add_float(out, Limits::infinity(), type);
    add_float(out, -Limits::infinity(), type);
    add_float(out, Limits::quiet_NaN(), type);
    add_float(out, static_cast<double>(Small::max()), type);
    add_float(out, static_cast<double>(Small::denorm_min()), type);
    if (type.kind() == TypeKind::real) return;
    for (const double d :
         {Limits::max(), -Limits::max(), Limits::denorm_min(), Limits::min(), 9007199254740993.0,
          9223372036854775808.0, -9223372036854775808.0, 2147483647.5, 3.4028235677973366e38}) {
        out.add(Value::double_(d));
    }
}

void add_dates(Collector& out) {
    for (const CivilDate& date :
         {CivilDate{1970, 1, 1}, CivilDate{1969, 12, 31}, CivilDate{2000, 1, 1},
          CivilDate{1999, 12, 31}, CivilDate{2024, 2, 29}, CivilDate{9999, 12, 31}}) {
        out.add(Value::integer(days_from_civil(date)));
    }
}

void add_timestamps(Collector& out, Type type) {
    const Int128 second = ticks_per_second(type.digits());
    for (const CivilDate& date :
         {CivilDate{1970, 1, 1}, CivilDate{2000, 1, 1}, CivilDate{2024, 2, 29}}) {
        const Int128 midnight = Int128{days_from_civil(date)} * ticks_per_day(type.digits());
        for (const Int128 offset :
             {Int128{0}, Int128{1}, Int128{-1}, second / 2, -second / 2, second * 43200}) {
            out.add(Number::integer(midnight + offset));
        }
    }
}

void add_times(Collector& out, Type type) {
    const Int128 day = ticks_per_day(type.digits());
    for (const Int128 n : {Int128{0}, Int128{1}, day / 2, day - 1, day})
        out.add(Number::integer(n));
}

void add_texts(Collector& out, Type type, const Semantics& semantics) {
    for (const char* text :
         {"",    " ",   "a",    "A",   "b",          "ab",       "abc", "abcd", "a ",
          "a\t", "B",   "%",    "a%",  "_",          "\\",       "0",   "1",    "-1",
          "01",  "1.5", "true", "NaN", "2024-01-31", "\xC3\xA9", "z"}) {
        out.add(parse_value(text, type, semantics));
    }
}

void add_intervals(Collector& out) {
    constexpr std::int64_t day = 86400000000;
    out.add(Value::interval(0, 0, 0));
    out.add(Value::interval(1, 0, 0));
    out.add(Value::interval(0, 30, 0));
    out.add(Value::interval(0, 1, 0));
    out.add(Value::interval(0, 0, day));
    out.add(Value::interval(-1, 1, 1));
    out.add(Value::interval(0, 0, -1));
}

}  // namespace

std::vector<Value> boundary_values(Type type, const Semantics& semantics) {
    std::vector<Value> values = {Value::null()};
    Collector out(values);
    if (is_float(type)) add_floats(out, type);
    if (has_domain(type)) add_ends(out, type, semantics);
    if (is_integer(type)) add_integers(out, type);
    if (is_string(type)) add_texts(out, type, semantics);
    switch (type.kind()) {
        case TypeKind::decimal:
        case TypeKind::numeric:
            add_decimals(out, type, semantics);
            if (semantics.decimal_nan) out.add(Number::decimal_nan());
            if (type.kind() == TypeKind::numeric) {
                out.add(Number::decimal(power_of_ten(40), 0));
                out.add(Number::decimal(-power_of_ten(40) - 1, 20));
                out.add(Number::decimal(Wide(100), 2));  // equal to 1 and not identical
            }
            break;
        case TypeKind::date:
            add_dates(out);
            break;
        case TypeKind::time:
            add_times(out, type);
            break;
        case TypeKind::timestamp:
        case TypeKind::timestamptz:
            add_timestamps(out, type);
            break;
        case TypeKind::interval:
            add_intervals(out);
            break;
        default:
            break;
    }
    return values;
}

}  // namespace satura::lang
