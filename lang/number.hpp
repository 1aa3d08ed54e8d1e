// Wide exact numbers over Boost.Multiprecision, and how they enter and leave a Value. For .cpp
// files only: the header pulls in Boost.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string>
#include <variant>

#include "lang/semantics.hpp"
#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::lang {

using Wide = boost::multiprecision::cpp_int;
__extension__ using Int128 = __int128;

struct NotANumber {};

// What does not fit a Value's 64 bits: text, wide digits, an interval, or the NaN of decimals.
struct Value::Heap {
    std::variant<std::string, Wide, Interval, NotANumber> data;
};

// Makes and reads the Values that need more than 64 bits.
class Number {
  public:
    static Value integer(const Wide& n);
    static Value integer(Int128 n);
    // digits / 10^scale. Requires |scale| <= scale_max.
    static Value decimal(const Wide& digits, int scale);
    static Value small_decimal(std::int64_t digits, int scale);
    static Value decimal_nan();

    // True for the NaN of a decimal, a real or a double.
    static bool is_nan(const Value& value);
    static bool is_decimal_nan(const Value& value);
    // The integer, or the decimal's unscaled digits. Requires one of these, not NaN.
    static Wide digits(const Value& value);
    // The integer where it fits 128 bits.
    static std::optional<Int128> int128(const Value& value);
    // -1, 0, 1 of an integer or decimal; NaN is not allowed.
    static int sign(const Value& value);
    static bool is_zero(const Value& value) { return sign(value) == 0; }

    // Limits that keep evaluation within memory: beyond them an operator's outcome is "unknown".
    static constexpr int scale_max = 16383;
    static constexpr unsigned bits_max = 1U << 17;
};

// 10^n, n >= 0.
Wide power_of_ten(int n);
// Number of decimal digits of |n|; 1 for 0.
int decimal_digits(const Wide& n);
// n / d rounded to an integer. Requires d > 0. half_up rounds ties towards plus infinity, half_away
// away from zero.
Wide divide_rounded(const Wide& n, const Wide& d, Rounding rounding);
// The digits of a decimal at another scale: exact when growing, rounded when shrinking.
Wide rescale(const Wide& digits, int from_scale, int to_scale, Rounding rounding);
// Compares n1/10^s1 with n2/10^s2: negative, 0, positive.
int compare_scaled(const Wide& n1, int s1, const Wide& n2, int s2);

// The IEEE number nearest to n/d, ties to even, correctly rounded in one step; infinity beyond the
// range. Requires d > 0.
double nearest_double(const Wide& n, const Wide& d);
float nearest_float(const Wide& n, const Wide& d);
// The same for digits / 10^scale, with a fast way for small ones.
double decimal_to_double(const Value& value);
float decimal_to_float(const Value& value);

// A finite double as an exact fraction with a power of two below.
struct Fraction {
    Wide numerator;
    Wide denominator;
};
Fraction exact_fraction(double value);
// A finite double rounded to an integer.
Wide round_to_integer(double value, Rounding rounding);

// Whether the integer lies in the type's range. Requires is_integer(type) and an integer value.
bool fits_integer(const Value& value, Type type);
Wide integer_min(Type type);
Wide integer_max(Type type);

// The total extension of casts that have no number to give: what infinity and NaN become as an
// exact number. Both lie beyond every finite number of a type with a domain, in the order -infinity
// < numbers < infinity < NaN, so that such casts stay monotone (docs/semantics.md).
const Wide& beyond_infinity();
const Wide& beyond_nan();

// Decimal text of digits / 10^scale: "-12.50", with exactly max(scale, 0) digits after the point.
std::string decimal_text(const Wide& digits, int scale);

}  // namespace satura::lang
