#include "lang/function.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lang/arithmetic.hpp"
#include "lang/cast.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using Types = std::span<const Type>;

bool is_postgres_or_duckdb(const Semantics& s) {
    return s.dialect == Dialect::postgres || s.dialect == Dialect::duckdb;
}

bool is_text_like(Type type) { return is_string(type) || type.kind() == TypeKind::unknown; }

// --- Result types

std::optional<Type> same_number(Types types, const Semantics& semantics) {
    if (!is_numeric(types[0])) return std::nullopt;
    if (types[0].kind() == TypeKind::decimal && semantics.dialect == Dialect::postgres)
        return Type(TypeKind::numeric);
    return types[0];
}

std::optional<Type> text_of_text(Types types, const Semantics&) {
    if (!std::all_of(types.begin(), types.end(), is_text_like)) return std::nullopt;
    return Type(TypeKind::text);
}

std::optional<Type> count_of_text(Types types, const Semantics& semantics) {
    if (!is_text_like(types[0])) return std::nullopt;
    return Type(semantics.dialect == Dialect::duckdb ? TypeKind::bigint : TypeKind::integer);
}

// ceil, floor, round, sign: double stays double, decimals become whole ones. Other engines' rules
// are left to them.
std::optional<Type> whole_number(Types types, const Semantics& semantics) {
    if (!is_postgres_or_duckdb(semantics)) return std::nullopt;
    const bool postgres = semantics.dialect == Dialect::postgres;
    switch (types[0].kind()) {
        case TypeKind::double_:
            return types[0];
        case TypeKind::real:
            return postgres ? Type(TypeKind::double_) : types[0];
        case TypeKind::numeric:
            return types[0];
        case TypeKind::decimal:
            if (postgres) return Type(TypeKind::numeric);
            return Type::decimal(types[0].precision(), 0);
        default:
            if (is_integer(types[0]) && postgres) return Type(TypeKind::double_);
            return std::nullopt;
    }
}

std::optional<Type> sign_number(Types types, const Semantics& semantics) {
    if (semantics.dialect == Dialect::duckdb && is_numeric(types[0]))
        return Type(TypeKind::tinyint);
    return whole_number(types, semantics);
}

std::optional<Type> double_result(Types, const Semantics&) { return Type(TypeKind::double_); }

// PostgreSQL has a sqrt of numeric too, with places of its own.
std::optional<Type> root_of_number(Types types, const Semantics& semantics) {
    if (!is_numeric(types[0])) return std::nullopt;
    const bool exact = types[0].kind() == TypeKind::decimal || types[0].kind() == TypeKind::numeric;
    if (exact && semantics.dialect == Dialect::postgres) return std::nullopt;
    return Type(TypeKind::double_);
}

std::optional<Type> bigint_result(Types, const Semantics&) { return Type(TypeKind::bigint); }
std::optional<Type> date_result(Types, const Semantics&) { return Type(TypeKind::date); }
std::optional<Type> instant_result(Types, const Semantics&) {
    return Type::with_digits(TypeKind::timestamptz, 6);
}

// --- Numbers

bool is_binary(const Value& v) {
    return v.kind() == Value::Kind::real || v.kind() == Value::Kind::double_;
}

Outcome float_value(double d, Type result) {
    return value_outcome(result.kind() == TypeKind::real ? Value::real(static_cast<float>(d))
                                                         : Value::double_(d));
}

Outcome absolute(const Value& v, Type type, Type result, const Semantics& semantics, Mode mode) {
    if (is_binary(v)) return float_value(std::abs(v.as_double()), result);
    if (Number::is_decimal_nan(v) || Number::sign(v) >= 0) return value_outcome(v);
    return negate(v, is_integer(type) ? type : result, semantics, mode);
}

// A decimal or integer as a whole number of the result type.
Outcome whole_of(const Value& v, Type type, Type result, Rounding rounding,
                 const Semantics& semantics, Mode mode) {
    if (Number::is_decimal_nan(v)) return value_outcome(v);
    if (v.kind() == Value::Kind::integer) return cast_value(v, type, result, semantics, mode);
    const Wide digits = rescale(Number::digits(v), v.scale(), 0, rounding);
    const Value whole = Number::decimal(digits, 0);
    if (result.kind() != TypeKind::decimal) return value_outcome(whole);
    return cast_value(whole, Type(TypeKind::numeric), result, semantics, mode);
}

Outcome floor_of(const Value& v, Type type, Type result, const Semantics& semantics, Mode mode) {
    if (is_binary(v)) return float_value(std::floor(v.as_double()), result);
    return whole_of(v, type, result, Rounding::floor, semantics, mode);
}

Outcome ceil_of(const Value& v, Type type, Type result, const Semantics& semantics, Mode mode) {
    if (is_binary(v)) return float_value(std::ceil(v.as_double()), result);
    if (v.kind() != Value::Kind::decimal || Number::is_decimal_nan(v)) {
        return whole_of(v, type, result, Rounding::floor, semantics, mode);
    }
    const Value mirrored = Number::decimal(-Number::digits(v), v.scale());
    const Outcome floor = whole_of(mirrored, type, result, Rounding::floor, semantics, mode);
    if (floor.state != Outcome::State::value) return floor;
    return value_outcome(Number::decimal(-Number::digits(floor.value), floor.value.scale()));
}

// PostgreSQL rounds a double's ties to even, DuckDB away from zero.
Outcome round_of(const Value& v, Type type, Type result, const Semantics& semantics, Mode mode) {
    if (is_binary(v)) {
        const double d = v.as_double();
        return float_value(
            semantics.dialect == Dialect::postgres ? std::nearbyint(d) : std::round(d), result);
    }
    return whole_of(v, type, result, Rounding::half_away, semantics, mode);
}

Outcome sign_of(const Value& v, Type, Type result, const Semantics& semantics, Mode mode) {
    if (Number::is_nan(v))
        return semantics.dialect == Dialect::postgres ? value_outcome(v) : unknown_outcome();
    const int sign = is_binary(v) ? (v.as_double() > 0) - (v.as_double() < 0) : Number::sign(v);
    return cast_value(Value::integer(sign), Type(TypeKind::integer), result, semantics, mode);
}

Outcome sqrt_of(const Value& v, Type, Type, const Semantics&, Mode mode) {
    if (v.kind() != Value::Kind::double_) return unknown_outcome();
    const double d = v.as_double();
    if (d < 0)
        return checked_outcome(Value::null(), false, mode, "square root of a negative number");
    return value_outcome(Value::double_(std::sqrt(d)));
}

// --- Texts

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 128; });
}

// The text as functions see it: a padded char loses its blanks when it becomes text.
std::string_view text_of(const Value& v, Type type, const Semantics& semantics) {
    const bool padded = type.kind() == TypeKind::char_ && semantics.chars_are_padded;
    return padded ? without_trailing_blanks(v.as_text()) : v.as_text();
}

template <class Change>
Outcome changed_case(const Value& v, Type type, const Semantics& semantics, Change change) {
    if (v.kind() != Value::Kind::text || !is_ascii(v.as_text()))
        return unknown_outcome();  // needs the locale
    std::string text(text_of(v, type, semantics));
    for (char& c : text) c = change(c);
    return value_outcome(Value::text(text));
}

Outcome upper_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    return changed_case(v, type, semantics, [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
}

Outcome lower_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    return changed_case(v, type, semantics, [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
}

Outcome length_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    // MySQL's length counts bytes.
    if (v.kind() != Value::Kind::text || semantics.dialect == Dialect::mysql)
        return unknown_outcome();
    return value_outcome(
        Value::integer(static_cast<std::int64_t>(character_count(text_of(v, type, semantics)))));
}

Outcome trimmed(const Value& v, Type type, const Semantics& semantics, bool left, bool right) {
    if (v.kind() != Value::Kind::text) return unknown_outcome();
    std::string_view text = text_of(v, type, semantics);
    while (left && text.starts_with(' ')) text.remove_prefix(1);
    if (right) text = without_trailing_blanks(text);
    return value_outcome(Value::text(text));
}

Outcome trim_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    return trimmed(v, type, semantics, true, true);
}
Outcome ltrim_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    return trimmed(v, type, semantics, true, false);
}
Outcome rtrim_of(const Value& v, Type type, Type, const Semantics& semantics, Mode) {
    return trimmed(v, type, semantics, false, true);
}

// Sorted by name.
constexpr std::array functions = {
    Function{.name = "abs",
             .raises = Function::Raises::on_integers,
             .result_type = same_number,
             .evaluate = absolute},
    Function{.name = "btrim", .result_type = text_of_text, .evaluate = trim_of},
    Function{.name = "ceil", .result_type = whole_number, .evaluate = ceil_of},
    Function{.name = "ceiling", .result_type = whole_number, .evaluate = ceil_of},
    Function{.name = "char_length", .result_type = count_of_text, .evaluate = length_of},
    Function{.name = "character_length", .result_type = count_of_text, .evaluate = length_of},
    Function{
        .name = "clock_timestamp", .arity = 0, .is_volatile = true, .result_type = instant_result},
    Function{.name = "current_date", .arity = 0, .result_type = date_result},
    Function{.name = "current_timestamp", .arity = 0, .result_type = instant_result},
    Function{.name = "floor", .result_type = whole_number, .evaluate = floor_of},
    Function{.name = "length", .result_type = count_of_text, .evaluate = length_of},
    Function{.name = "lower", .result_type = text_of_text, .evaluate = lower_of},
    Function{.name = "ltrim", .result_type = text_of_text, .evaluate = ltrim_of},
    Function{.name = "nextval",
             .is_volatile = true,
             .raises = Function::Raises::always,
             .result_type = bigint_result},
    Function{.name = "now", .arity = 0, .result_type = instant_result},
    Function{.name = "random", .arity = 0, .is_volatile = true, .result_type = double_result},
    Function{.name = "round", .result_type = whole_number, .evaluate = round_of},
    Function{.name = "rtrim", .result_type = text_of_text, .evaluate = rtrim_of},
    Function{.name = "sign", .result_type = sign_number, .evaluate = sign_of},
    Function{.name = "sqrt",
             .raises = Function::Raises::always,
             .result_type = root_of_number,
             .evaluate = sqrt_of},
    Function{.name = "trim", .result_type = text_of_text, .evaluate = trim_of},
    Function{.name = "upper", .result_type = text_of_text, .evaluate = upper_of},
    Function{.name = "||", .arity = 2, .result_type = text_of_text},
};

static_assert(std::is_sorted(functions.begin(), functions.end(),
                             [](const Function& a, const Function& b) { return a.name < b.name; }));

}  // namespace

const Function* find_function(std::string_view name) {
    const auto* const found =
        std::lower_bound(functions.begin(), functions.end(), name,
                         [](const Function& f, std::string_view n) { return f.name < n; });
    return found != functions.end() && found->name == name ? found : nullptr;
}

Outcome call_function(const Function& function, std::span<const Value* const> arguments,
                      std::span<const Type> argument_types, Type result, const Semantics& semantics,
                      Mode mode) {
    // Over types that the function does not take (abs of a text) the engine picks another reading.
    if (function.result_type == nullptr || !function.result_type(argument_types, semantics)) {
        return unknown_outcome();
    }
    if (arguments.size() != function.arity) return unknown_outcome();
    if (function.name == "||") {
        const Value& a = *arguments[0];
        const Value& b = *arguments[1];
        if (a.kind() != Value::Kind::text || b.kind() != Value::Kind::text)
            return unknown_outcome();
        std::string text(text_of(a, argument_types[0], semantics));
        text += text_of(b, argument_types[1], semantics);
        return value_outcome(Value::text(text));
    }
    if (function.evaluate == nullptr) return unknown_outcome();
    return function.evaluate(*arguments[0], argument_types[0], result, semantics, mode);
}

}  // namespace satura::lang
