// Casts to and from text.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "lang/calendar.hpp"
#include "lang/cast.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A text that is the same in every engine, or nothing.
std::optional<std::string> plain_text(const Value& value, Type from, const Semantics& semantics) {
    const bool postgres = semantics.dialect == Dialect::postgres;
    if (from.kind() == TypeKind::boolean) {
        const bool number =
            semantics.dialect == Dialect::mysql || semantics.dialect == Dialect::sqlite;
        if (number) return value.as_boolean() ? "1" : "0";
        return value.as_boolean() ? "true" : "false";
    }
    if (is_integer(from)) return value_text(value, from);
    if (from.kind() == TypeKind::decimal || from.kind() == TypeKind::numeric) {
        // DuckDB leaves out the zero before the point of decimal(p,p).
        if (from.kind() == TypeKind::decimal && from.scale() >= from.precision() && !postgres)
            return std::nullopt;
        return value_text(value, from);
    }
    if (is_float(from)) {
        if (!postgres) return std::nullopt;
        return float_text(value.as_double(), from.kind() == TypeKind::real);
    }
    if (from.kind() == TypeKind::date || from.kind() == TypeKind::timestamp) {
        std::string text = value_text(value, from);
        if (!postgres && text.ends_with(" BC")) return std::nullopt;
        return text;
    }
    return std::nullopt;
}

Outcome fit_length(std::string_view text, Type to, const Semantics& semantics, Mode mode) {
    const std::size_t limit = to.length();
    const bool limited = to.kind() != TypeKind::text && limit != 0 && enforces_length(semantics);
    if (!limited) return value_outcome(Value::text(text));
    const std::size_t count = character_count(text);
    if (count > limit && semantics.dialect == Dialect::spark) return unknown_outcome();
    (void)mode;
    if (to.kind() == TypeKind::char_ && semantics.chars_are_padded && count < limit) {
        return value_outcome(Value::text(std::string(text) + std::string(limit - count, ' ')));
    }
    return value_outcome(Value::text(first_characters(text, limit)));
}

std::string lower_trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return lower;
}

// PostgreSQL takes any beginning of these words that is not ambiguous.
std::optional<bool> postgres_boolean(std::string_view text) {
    const std::string word = lower_trimmed(text);
    if (word.empty()) return std::nullopt;
    const auto begins = [&](std::string_view whole) { return whole.starts_with(word); };
    if (begins("true") || begins("yes") || word == "on" || word == "1") return true;
    if (begins("false") || begins("no") || word == "of" || word == "off" || word == "0")
        return false;
    return std::nullopt;
}

Outcome text_to_boolean(std::string_view text, const Semantics& semantics, Mode mode) {
    if (semantics.dialect == Dialect::postgres) {
        const std::optional<bool> b = postgres_boolean(text);
        if (b) return boolean_outcome(*b);
        return checked_outcome(Value::null(), false, mode, "invalid input syntax for type boolean");
    }
    if (semantics.dialect == Dialect::mysql || semantics.dialect == Dialect::sqlite)
        return unknown_outcome();
    const std::string word = lower_trimmed(text);
    if (word == "true") return boolean_outcome(true);
    if (word == "false") return boolean_outcome(false);
    return unknown_outcome();
}

// Whether the text is a number half way between the value and a neighbour: it reads back as the
// value by the rule of ties only, and PostgreSQL takes a digit more then.
bool is_half_way(const std::string& text, double value, bool is_real) {
    const std::size_t e = text.find('e');
    std::string digits;
    int scale = -std::atoi(text.c_str() + e + 1);
    for (std::size_t i = 0; i < e; ++i) {
        if (text[i] >= '0' && text[i] <= '9') digits += text[i];
        if (text[i] == '.') scale += static_cast<int>(e - i) - 1;
    }
    const Wide shown(digits);
    const Fraction exact = exact_fraction(std::abs(value));
    // Twice the distance to the value against the distance of the neighbours, both times 10^scale *
    // denominator.
    const Wide numerator = exact.numerator * power_of_ten(std::max(scale, 0));
    const Wide off = shown * power_of_ten(std::max(-scale, 0)) * exact.denominator - numerator;
    const double magnitude = std::abs(value);
    const double away = off > 0 ? HUGE_VAL : 0.0;
    const double neighbour = is_real ? static_cast<double>(std::nextafter(
                                           static_cast<float>(magnitude), static_cast<float>(away)))
                                     : std::nextafter(magnitude, away);
    if (!std::isfinite(neighbour) || off == 0) return false;
    const Fraction gap = exact_fraction(std::abs(neighbour - magnitude));
    return (off < 0 ? Wide(-off) : off) * 2 * gap.denominator ==
           gap.numerator * power_of_ten(std::max(scale, 0)) * exact.denominator;
}

// The shortest digits that give the number back, as d.ddde±xx.
std::string scientific_text(double value, bool is_real) {
    char buffer[64];
    const auto end =
        is_real
            ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value),
                            std::chars_format::scientific)
            : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
    const std::string text(buffer, end.ptr);
    if (value == 0.0 || !is_half_way(text, value, is_real)) return text;
    const std::size_t e = text.find('e');
    const std::size_t point = text.find('.');
    for (int places = point == std::string::npos ? 1 : static_cast<int>(e - point); places < 17;
         ++places) {
        std::snprintf(buffer, sizeof buffer, "%.*e", places, value);
        const double back = is_real ? static_cast<double>(std::strtof(buffer, nullptr))
                                    : std::strtod(buffer, nullptr);
        if (back == value && !is_half_way(buffer, value, is_real)) break;
    }
    return buffer;
}

}  // namespace

bool enforces_length(const Semantics& semantics) {
    return semantics.dialect != Dialect::duckdb && semantics.dialect != Dialect::sqlite;
}

std::size_t character_count(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) count += starts_character(c) ? 1 : 0;
    return count;
}

std::string_view first_characters(std::string_view text, std::size_t n) {
    std::size_t end = 0;
    std::size_t count = 0;
    while (end < text.size()) {
        if (starts_character(text[end]) && count++ == n) break;
        ++end;
    }
    return text.substr(0, end);
}

std::string_view without_trailing_blanks(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::string float_text(double value, bool is_real) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    const std::string text = scientific_text(value, is_real);
    const std::size_t e = text.find('e');
    const int exponent = std::atoi(text.c_str() + e + 1);
    if (exponent < -4 || exponent >= (is_real ? 6 : 15)) return text;
    std::string digits;
    for (const char c : text.substr(0, e)) {
        if (c >= '0' && c <= '9') digits += c;
    }
    const std::string sign = text.front() == '-' ? "-" : "";
    if (exponent < 0)
        return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
    return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

Outcome cast_to_text(const Value& value, Type from, Type to, const Semantics& semantics,
                     Mode mode) {
    if (is_string(from) || from.kind() == TypeKind::unknown) {
        if (value.kind() != Value::Kind::text) return unknown_outcome();
        std::string_view text = value.as_text();
        const bool loses_blanks = from.kind() == TypeKind::char_ && semantics.chars_are_padded;
        if (loses_blanks) text = without_trailing_blanks(text);
        return fit_length(text, to, semantics, mode);
    }
    const std::optional<std::string> text = plain_text(value, from, semantics);
    if (!text) return unknown_outcome();
    return fit_length(*text, to, semantics, mode);
}

Outcome cast_from_text(const Value& value, Type to, const Semantics& semantics, Mode mode) {
    if (value.kind() != Value::Kind::text) return unknown_outcome();
    const std::string_view text = value.as_text();
    if (to.kind() == TypeKind::boolean) return text_to_boolean(text, semantics, mode);
    const bool mangles =
        semantics.dialect == Dialect::mysql || semantics.dialect == Dialect::sqlite;
    if (mangles) return unknown_outcome();  // they read as much of a number as they can
    // DuckDB's decimals do not take every exponent.
    const bool exponent =
        to.kind() == TypeKind::decimal && text.find_first_of("eE") != std::string_view::npos;
    if (exponent && semantics.dialect != Dialect::postgres) return unknown_outcome();
    if (const std::optional<Value> parsed = parse_value(text, to, semantics))
        return value_outcome(*parsed);
    // Only PostgreSQL's numbers are known so well that nothing else can be one. A number out of
    // range does not parse.
    const bool certain = semantics.dialect == Dialect::postgres && is_integer(to);
    if (!certain) return unknown_outcome();
    return checked_outcome(Value::null(), false, mode, "invalid input syntax for type integer");
}

}  // namespace satura::lang
