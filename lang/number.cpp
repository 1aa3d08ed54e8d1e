#include "lang/number.hpp"

#include <array>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <limits>

namespace satura::lang {

namespace mp = boost::multiprecision;

namespace {

constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr Int128 one = 1;

// 10^0 … 10^22 are exact doubles, 10^0 … 10^10 exact floats.
constexpr std::array<double, 23> exact_powers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool fits_int64(const Wide& n) {
    return mp::msb(n < 0 ? Wide(-n) : (n == 0 ? Wide(1) : n)) < 63 || n == Wide(int64_min);
}

// The nearest number with `mantissa` bits whose last place is at least 2^lowest, as a double; ties
// to even.
double nearest_binary(const Wide& n, const Wide& d, int mantissa, int lowest) {
    assert(d > 0);
    if (n == 0) return 0.0;
    const bool negative = n < 0;
    Wide numerator = negative ? Wide(-n) : n;
    Wide denominator = d;
    // floor(log2(n/d)) is the difference of the bit lengths, or one less.
    int exponent = static_cast<int>(mp::msb(numerator)) - static_cast<int>(mp::msb(denominator));
    const bool below = exponent >= 0 ? numerator < (denominator << exponent)
                                     : (numerator << -exponent) < denominator;
    if (below) --exponent;
    const int last_place = std::max(exponent - (mantissa - 1), lowest);
    if (last_place > 1100) return negative ? -HUGE_VAL : HUGE_VAL;
    if (last_place >= 0) {
        denominator <<= last_place;
    } else {
        numerator <<= -last_place;
    }
    const Wide digits = divide_rounded(numerator, denominator, Rounding::half_even);
    const double magnitude =
        std::ldexp(static_cast<double>(digits.convert_to<std::int64_t>()), last_place);
    return negative ? -magnitude : magnitude;
}

Wide pow2(int bits) { return Wide(1) << bits; }

}  // namespace

Value Number::integer(const Wide& n) {
    if (fits_int64(n)) return Value::integer(n.convert_to<std::int64_t>());
    Value v;
    v.kind_ = Value::Kind::integer;
    v.heap_ = std::make_shared<const Value::Heap>(Value::Heap{n});
    return v;
}

Value Number::integer(Int128 n) {
    if (n >= int64_min && n <= int64_max) return Value::integer(static_cast<std::int64_t>(n));
    return integer(Wide(n));
}

Value Number::decimal(const Wide& digits, int scale) {
    assert(scale >= -scale_max && scale <= scale_max);
    if (fits_int64(digits)) return small_decimal(digits.convert_to<std::int64_t>(), scale);
    Value v;
    v.kind_ = Value::Kind::decimal;
    v.scale_ = static_cast<std::int16_t>(scale);
    v.heap_ = std::make_shared<const Value::Heap>(Value::Heap{digits});
    return v;
}

Value Number::small_decimal(std::int64_t digits, int scale) {
    Value v;
    v.kind_ = Value::Kind::decimal;
    v.scale_ = static_cast<std::int16_t>(scale);
    v.small_ = digits;
    return v;
}

Value Number::decimal_nan() {
    static const auto shared = std::make_shared<const Value::Heap>(Value::Heap{NotANumber{}});
    Value v;
    v.kind_ = Value::Kind::decimal;
    v.heap_ = shared;
    return v;
}

bool Number::is_nan(const Value& value) {
    if (value.kind_ == Value::Kind::real || value.kind_ == Value::Kind::double_)
        return std::isnan(value.as_double());
    return is_decimal_nan(value);
}

bool Number::is_decimal_nan(const Value& value) {
    return value.kind_ == Value::Kind::decimal && value.heap_ &&
           std::holds_alternative<NotANumber>(value.heap_->data);
}

Wide Number::digits(const Value& value) {
    if (!value.heap_) return Wide(value.small_);
    return std::get<Wide>(value.heap_->data);
}

std::optional<Int128> Number::int128(const Value& value) {
    if (value.is_small()) return Int128{value.small()};
    const Wide& n = std::get<Wide>(value.heap_->data);
    const Wide magnitude = n < 0 ? Wide(-n) : n;
    if (mp::msb(magnitude) >= 127) return std::nullopt;
    const auto low = static_cast<std::uint64_t>(magnitude & Wide(~std::uint64_t{0}));
    const auto high = static_cast<std::uint64_t>(Wide(magnitude >> 64));
    const Int128 result = static_cast<Int128>(high) << 64 | static_cast<Int128>(low);
    return n < 0 ? -result : result;
}

int Number::sign(const Value& value) {
    if (value.is_small()) return (value.small_ > 0) - (value.small_ < 0);
    return std::get<Wide>(value.heap_->data).sign();
}

Wide power_of_ten(int n) {
    assert(n >= 0);
    if (n <= 18) return Wide(static_cast<std::int64_t>(exact_powers[static_cast<std::size_t>(n)]));
    return mp::pow(Wide(10), static_cast<unsigned>(n));
}

int decimal_digits(const Wide& n) {
    if (n == 0) return 1;
    return static_cast<int>(Wide(n < 0 ? Wide(-n) : n).str().size());
}

Wide divide_rounded(const Wide& n, const Wide& d, Rounding rounding) {
    assert(d > 0);
    Wide quotient;
    Wide rest;
    mp::divide_qr(n, d, quotient, rest);  // truncates towards zero
    if (rest == 0 || rounding == Rounding::trunc) return quotient;
    const int direction = n < 0 ? -1 : 1;
    if (rounding == Rounding::floor) return direction < 0 ? Wide(quotient - 1) : quotient;
    const Wide doubled = (rest < 0 ? Wide(-rest) : rest) * 2;
    const int half = doubled < d ? -1 : (doubled > d ? 1 : 0);
    const bool odd = mp::bit_test(quotient < 0 ? Wide(-quotient) : quotient, 0);
    const bool away = half > 0 || (half == 0 && (rounding == Rounding::half_away ||
                                                 (rounding == Rounding::half_even && odd) ||
                                                 (rounding == Rounding::half_up && direction > 0)));
    return away ? Wide(quotient + direction) : quotient;
}

Wide rescale(const Wide& digits, int from_scale, int to_scale, Rounding rounding) {
    if (to_scale >= from_scale) return digits * power_of_ten(to_scale - from_scale);
    return divide_rounded(digits, power_of_ten(from_scale - to_scale), rounding);
}

int compare_scaled(const Wide& n1, int s1, const Wide& n2, int s2) {
    if (s1 == s2) return n1.compare(n2);
    if (s1 < s2) return Wide(n1 * power_of_ten(s2 - s1)).compare(n2);
    return n1.compare(Wide(n2 * power_of_ten(s1 - s2)));
}

double nearest_double(const Wide& n, const Wide& d) { return nearest_binary(n, d, 53, -1074); }

float nearest_float(const Wide& n, const Wide& d) {
    const double wide = nearest_binary(n, d, 24, -149);  // already has a float's precision
    if (std::abs(wide) > static_cast<double>(FLT_MAX)) return wide < 0 ? -HUGE_VALF : HUGE_VALF;
    return static_cast<float>(wide);
}

double decimal_to_double(const Value& value) {
    const int scale = value.kind() == Value::Kind::decimal ? value.scale() : 0;
    if (value.is_small()) {
        if (scale == 0) return static_cast<double>(value.small());
        // Both operands are exact, so the one division rounds correctly.
        constexpr std::int64_t limit = std::int64_t{1} << 53;
        if (scale > 0 && scale <= 22 && value.small() <= limit && value.small() >= -limit) {
            return static_cast<double>(value.small()) /
                   exact_powers[static_cast<std::size_t>(scale)];
        }
    }
    if (scale >= 0) return nearest_double(Number::digits(value), power_of_ten(scale));
    return nearest_double(Number::digits(value) * power_of_ten(-scale), 1);
}

float decimal_to_float(const Value& value) {
    const int scale = value.kind() == Value::Kind::decimal ? value.scale() : 0;
    if (value.is_small()) {
        if (scale == 0) return static_cast<float>(value.small());
        constexpr std::int64_t limit = std::int64_t{1} << 24;
        if (scale > 0 && scale <= 10 && value.small() <= limit && value.small() >= -limit) {
            return static_cast<float>(value.small()) /
                   static_cast<float>(exact_powers[static_cast<std::size_t>(scale)]);
        }
    }
    if (scale >= 0) return nearest_float(Number::digits(value), power_of_ten(scale));
    return nearest_float(Number::digits(value) * power_of_ten(-scale), 1);
}

Fraction exact_fraction(double value) {
    assert(std::isfinite(value));
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    Wide numerator(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
    exponent -= 53;
    if (exponent >= 0) return {numerator << exponent, Wide(1)};
    return {numerator, pow2(-exponent)};
}

Wide round_to_integer(double value, Rounding rounding) {
    double rounded = 0;
    switch (rounding) {
        case Rounding::half_even:
            rounded = std::nearbyint(value);
            break;
        case Rounding::half_away:
            rounded = std::round(value);
            break;
        case Rounding::floor:
            rounded = std::floor(value);
            break;
        case Rounding::trunc:
            rounded = std::trunc(value);
            break;
        case Rounding::half_up: {
            const Fraction exact = exact_fraction(value);
            return divide_rounded(exact.numerator, exact.denominator, rounding);
        }
    }
    if (std::abs(rounded) < 0x1p62) return Wide(static_cast<std::int64_t>(rounded));
    return exact_fraction(rounded).numerator;  // so large a double is an integer
}

bool fits_integer(const Value& value, Type type) {
    const int bits = integer_bits(type);
    if (!value.is_small()) {
        const Wide n = Number::digits(value);
        return n >= integer_min(type) && n <= integer_max(type);
    }
    const std::int64_t n = value.small();
    if (is_signed_integer(type)) {
        if (bits >= 64) return true;
        return n >= -(std::int64_t{1} << (bits - 1)) && n < (std::int64_t{1} << (bits - 1));
    }
    return n >= 0 && (bits >= 64 || n < (std::int64_t{1} << bits));
}

Wide integer_min(Type type) {
    return is_signed_integer(type) ? Wide(-pow2(integer_bits(type) - 1)) : Wide(0);
}

Wide integer_max(Type type) {
    return pow2(is_signed_integer(type) ? integer_bits(type) - 1 : integer_bits(type)) - 1;
}

const Wide& beyond_infinity() {
    static const Wide value = pow2(8192);
    return value;
}

const Wide& beyond_nan() {
    static const Wide value = pow2(8193);
    return value;
}

std::string decimal_text(const Wide& digits, int scale) {
    if (scale <= 0) return Wide(digits * power_of_ten(-scale)).str();
    std::string text = Wide(digits < 0 ? Wide(-digits) : digits).str();
    const auto places = static_cast<std::size_t>(scale);
    if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
    text.insert(text.size() - places, 1, '.');
    return digits < 0 ? "-" + text : text;
}

}  // namespace satura::lang
