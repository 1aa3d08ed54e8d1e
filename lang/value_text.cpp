// Texts of values, and values of texts.
#include <charconv>
#include <cmath>

#include "lang/calendar.hpp"
#include "lang/cast.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
        if (c != lower[i]) return false;
    }
    return true;
}

// A decimal number as written: sign, digits without the point, and how many of them stand behind
// it.
struct Written {
    std::string digits;
    int scale = 0;
    bool negative = false;
    bool plain = true;  // digits only: no point, no exponent
};

std::optional<Written> read_number(std::string_view text) {
    Written w;
    if (text.starts_with('-') || text.starts_with('+')) {
        w.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    std::size_t i = 0;
    for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && w.plain)); ++i) {
        if (text[i] == '.') {
            w.plain = false;
        } else {
            w.digits += text[i];
            if (!w.plain) ++w.scale;
        }
    }
    if (w.digits.empty() || w.digits.size() > 20000) return std::nullopt;
    if (i == text.size()) return w;
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    std::string_view exponent = text.substr(i + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int power = 0;
    const auto [end, error] =
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    if (exponent.empty() || error != std::errc() || end != exponent.data() + exponent.size())
        return std::nullopt;
    if (power > Number::scale_max || power < -Number::scale_max) return std::nullopt;
    w.plain = false;
    w.scale -= power;
    return w;
}

// Leading zeros would make Boost read octal.
Wide wide_of(const Written& w) {
    const std::size_t first = w.digits.find_first_not_of('0');
    if (first == std::string::npos) return Wide(0);
    const Wide n(w.digits.substr(first));
    return w.negative ? Wide(-n) : n;
}

std::optional<Value> parse_integer(std::string_view text, Type type) {
    const std::optional<Written> w = read_number(trimmed(text));
    if (!w || !w->plain) return std::nullopt;
    Value value = Number::integer(wide_of(*w));
    if (!fits_integer(value, type)) return std::nullopt;
    return value;
}

std::optional<Value> parse_decimal(std::string_view text, Type type, const Semantics& semantics) {
    text = trimmed(text);
    if (equals_ignoring_case(text, "nan") && semantics.decimal_nan) return Number::decimal_nan();
    const std::optional<Written> w = read_number(text);
    if (!w || w->scale > Number::scale_max) return std::nullopt;
    Wide digits = wide_of(*w);
    int scale = w->scale;
    if (scale < 0) {
        digits *= power_of_ten(-scale);
        scale = 0;
    }
    const Value value = Number::decimal(digits, scale);
    if (type.kind() == TypeKind::numeric) return value;
    const Outcome fitted =
        cast_value(value, Type(TypeKind::numeric), type, semantics, Mode::raising);
    if (fitted.state != Outcome::State::value) return std::nullopt;
    return fitted.value;
}

std::optional<Value> parse_float(std::string_view text, Type type) {
    text = trimmed(text);
    const bool real = type.kind() == TypeKind::real;
    const auto make = [&](double d) {
        return real ? Value::real(static_cast<float>(d)) : Value::double_(d);
    };
    if (equals_ignoring_case(text, "nan")) return make(std::nan(""));
    std::string_view word = text;
    const bool negative = word.starts_with('-');
    if (negative || word.starts_with('+')) word.remove_prefix(1);
    if (equals_ignoring_case(word, "infinity") || equals_ignoring_case(word, "inf")) {
        return make(negative ? -HUGE_VAL : HUGE_VAL);
    }
    if (!read_number(text)) return std::nullopt;
    if (text.starts_with('+')) text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    // from_chars reports numbers that become 0 or infinity, as PostgreSQL rejects them.
    if (real) {
        float f = 0;
        const auto result = std::from_chars(text.data(), end, f);
        if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
        return Value::real(f);
    }
    double d = 0;
    const auto result = std::from_chars(text.data(), end, d);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    return Value::double_(d);
}

std::optional<Value> parse_boolean(std::string_view text, const Semantics& semantics) {
    if (equals_ignoring_case(text, "true")) return Value::boolean(true);
    if (equals_ignoring_case(text, "false")) return Value::boolean(false);
    const Outcome cast =
        cast_from_text(Value::text(text), Type(TypeKind::boolean), semantics, Mode::raising);
    if (cast.state != Outcome::State::value) return std::nullopt;
    return cast.value;
}

// Ticks of 10^-9 seconds at the type's digits: by way of microseconds, as the engines read them.
std::optional<Value> stamp_of(Int128 nanos, Type type, const Semantics& semantics) {
    if (is_infinite_time(nanos)) {
        if (!temporal_range(type, semantics).infinite) return std::nullopt;
        return Number::integer(nanos);
    }
    constexpr Int128 per_micro = 1000;
    if (type.digits() > 6) {
        const Int128 unit = ticks_per_second(9 - type.digits());
        if (nanos % unit != 0) return std::nullopt;
        const Int128 ticks = nanos / unit;
        if (!temporal_range(type, semantics).holds(ticks)) return std::nullopt;
        return Number::integer(ticks);
    }
    if (nanos % per_micro != 0) return std::nullopt;  // how an engine rounds these differs
    const Type micros = Type::with_digits(type.kind(), 6);
    const Value value = Number::integer(nanos / per_micro);
    if (!temporal_range(micros, semantics).holds(nanos / per_micro)) return std::nullopt;
    const Outcome fitted = cast_value(value, micros, type, semantics, Mode::raising);
    if (fitted.state != Outcome::State::value) return std::nullopt;
    return fitted.value;
}

std::optional<Value> parse_temporal(std::string_view text, Type type, const Semantics& semantics) {
    if (type.kind() == TypeKind::date) {
        const std::optional<Int128> days = parse_date(text);
        if (!days || !temporal_range(type, semantics).holds(*days)) return std::nullopt;
        return Number::integer(*days);
    }
    if (type.kind() == TypeKind::time) {
        const std::optional<Int128> nanos = parse_time(text);
        const Int128 unit = ticks_per_second(9 - type.digits());
        if (!nanos || *nanos % unit != 0) return std::nullopt;
        return Number::integer(*nanos / unit);
    }
    const bool zoned = type.kind() == TypeKind::timestamptz;
    const std::optional<Int128> nanos = parse_timestamp(text, zoned, semantics.zone == "UTC");
    if (!nanos) return std::nullopt;
    return stamp_of(*nanos, type, semantics);
}

std::string temporal_text(const Value& value, Type type) {
    const std::optional<Int128> n = Number::int128(value);
    if (!n) return Number::digits(value).str();
    if (type.kind() == TypeKind::date) return date_text(*n);
    if (type.kind() == TypeKind::time) return time_text(*n, type.digits());
    std::string text = timestamp_text(*n, type.digits());
    if (type.kind() == TypeKind::timestamp || is_infinite_time(*n)) return text;
    const bool before_christ = text.ends_with(" BC");
    if (before_christ) text.resize(text.size() - 3);
    return text + "+00" + (before_christ ? " BC" : "");
}

}  // namespace

std::string value_text(const Value& value, Type type) {
    switch (value.kind()) {
        case Value::Kind::null:
            return "null";
        case Value::Kind::boolean:
            return value.as_boolean() ? "true" : "false";
        case Value::Kind::integer:
            if (is_temporal(type)) return temporal_text(value, type);
            return value.is_small() ? std::to_string(value.small()) : Number::digits(value).str();
        case Value::Kind::decimal:
            if (Number::is_decimal_nan(value)) return "NaN";
            return decimal_text(Number::digits(value), value.scale());
        case Value::Kind::real:
            return float_text(value.as_double(), true);
        case Value::Kind::double_:
            return float_text(value.as_double(), false);
        case Value::Kind::text:
            return std::string(value.as_text());
        case Value::Kind::interval:
            return interval_text(value.as_interval());
    }
    return {};
}

std::optional<Value> parse_value(std::string_view text, Type type, const Semantics& semantics) {
    if (is_integer(type)) return parse_integer(text, type);
    if (is_float(type)) return parse_float(text, type);
    if (is_temporal(type)) return parse_temporal(text, type, semantics);
    switch (type.kind()) {
        case TypeKind::boolean:
            return parse_boolean(text, semantics);
        case TypeKind::decimal:
        case TypeKind::numeric:
            return parse_decimal(text, type, semantics);
        case TypeKind::unknown:
            return Value::text(text);
        case TypeKind::char_:
        case TypeKind::varchar:
        case TypeKind::text: {
            const Outcome fitted = cast_to_text(Value::text(text), Type(TypeKind::text), type,
                                                semantics, Mode::raising);
            if (fitted.state != Outcome::State::value) return std::nullopt;
            return fitted.value;
        }
        case TypeKind::interval: {
            const std::optional<Interval> interval = parse_interval(text);
            if (!interval) return std::nullopt;
            return Value::interval(interval->months, interval->days, interval->micros);
        }
        default:
            return std::nullopt;
    }
}

}  // namespace satura::lang
