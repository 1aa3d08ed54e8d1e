// Exact SQL values. A Value carries no SQL type of its own beyond its representation: an `integer` is an integer of any
// width, a date (days since 1970-01-01), or a time, timestamp or timestamptz (ticks of its type's precision since
// midnight or since 1970-01-01 00:00:00 UTC); the lang::Type beside it says which. Compare with Domain, which numbers the
// values that a *type* can hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace satura::lang {

// Months, days and the rest, as PostgreSQL and DuckDB keep an interval. Two intervals of different parts can be equal.
struct Interval {
    std::int32_t months = 0;
    std::int32_t days = 0;
    std::int64_t micros = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
};

class Number;  // lang/number.hpp: wide exact numbers over Boost.Multiprecision, for .cpp files only

class Value {
  public:
    enum class Kind : std::uint8_t {
        null,
        boolean,
        integer,
        decimal,
        real,
        double_,
        text,
        interval
    };

    Value() = default;  // NULL
    static Value null() { return {}; }
    static Value boolean(bool b);
    static Value integer(std::int64_t n);
    static Value real(float f);
    static Value double_(double d);
    static Value text(std::string_view s);
    static Value interval(std::int32_t months, std::int32_t days, std::int64_t micros);
    // Wide integers and decimals are made by lang/number.hpp. An integer that fits 64 bits is always stored inline, so
    // equal numbers have one representation; a decimal keeps its scale (1.0 and 1.00 are equal and not identical).
    // A decimal may also be NaN (PostgreSQL's numeric); see lang/number.hpp.

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::null; }
    bool is_true() const { return kind_ == Kind::boolean && small_ != 0; }
    bool is_false() const { return kind_ == Kind::boolean && small_ == 0; }
    bool as_boolean() const { return small_ != 0; }
    // An integer or decimal whose digits fit 64 bits; false for a decimal NaN.
    bool is_small() const { return !heap_; }
    std::int64_t small() const { return small_; }  // the integer, or the decimal's unscaled digits
    int scale() const { return scale_; }           // of a decimal: value = digits / 10^scale
    float as_real() const { return static_cast<float>(double_bits()); }
    double as_double() const { return double_bits(); }  // of a real or a double
    std::string_view as_text() const;
    Interval as_interval() const;

    // The same representation: kind, digits, scale, the sign of zero; every NaN is identical to every other NaN.
    // It is not SQL's `=`, which is compare() in lang/evaluate.hpp.
    friend bool identical(const Value& a, const Value& b);
    friend std::uint64_t hash_value(const Value& v);

  private:
    friend class Number;
    struct Heap;
    double double_bits() const;

    Kind kind_ = Kind::null;
    std::int16_t scale_ = 0;
    std::int64_t small_ = 0;
    std::shared_ptr<const Heap> heap_;
};

bool identical(const Value& a, const Value& b);
std::uint64_t hash_value(const Value& v);

}  // namespace satura::lang
