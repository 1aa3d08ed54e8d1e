#include "lang/sql_constant.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "lang/number.hpp"
#include "lang/sql_common_type.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

std::optional<Value> cast_constant(const Value& value, Type from, Type to, const Context& context) {
    if (from == to) return value;
    const Outcome outcome = cast_value(value, from, to, context.semantics, Mode::raising);
    if (outcome.state != Outcome::State::value || outcome.value.is_null()) return std::nullopt;
    return outcome.value;
}

// A decimal text may have more digits than the type, and is rounded to it as a number is.
std::optional<Value> text_as(const Value& text, Type type, const Context& context) {
    if (type.kind() == TypeKind::opaque) return text;
    if (is_string(type)) return cast_constant(text, Type(TypeKind::text), type, context);
    if (auto value = parse_value(text.as_text(), type, context.semantics)) return value;
    const Type wide = without_limit(type, Dialect::postgres);
    if (wide == type) return std::nullopt;
    const auto value = parse_value(text.as_text(), wide, context.semantics);
    return value ? cast_constant(*value, wide, type, context) : std::nullopt;
}

// DuckDB counts the digits that are written: 0.5 is a decimal(2,1) there.
Type decimal_of_digits(std::string_view digits) {
    const auto count = [](std::string_view text) {
        return static_cast<int>(
            std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }));
    };
    const std::size_t point = digits.find('.');
    const int scale = point == std::string_view::npos ? 0 : count(digits.substr(point));
    const int precision = count(digits);
    return precision > 38 ? Type(TypeKind::numeric) : Type::decimal(precision, scale);
}

}  // namespace

Type without_limit(Type type, Dialect dialect) {
    switch (type.kind()) {
        case TypeKind::varchar:
        case TypeKind::char_:
            return Type::with_length(type.kind(), 0);
        case TypeKind::decimal:
            return dialect == Dialect::postgres ? Type(TypeKind::numeric) : type;
        case TypeKind::time:
        case TypeKind::timestamp:
        case TypeKind::timestamptz:
            return dialect == Dialect::postgres
                       ? Type::with_digits(type.kind(), std::max(6, type.digits()))
                       : type;
        default:
            return type;
    }
}

Type standalone_type(const Operand& operand, const Context& context) {
    const bool named =
        operand.form == Operand::Form::typed || operand.form == Operand::Form::number;
    return named ? operand.type : dialect_type(Type(TypeKind::text), context.semantics.dialect);
}

std::optional<Value> constant_as(const Operand& constant, Type type, const Context& context) {
    switch (constant.form) {
        case Operand::Form::null:
            return Value::null();
        case Operand::Form::text:
            return text_as(constant.value, type, context);
        default:
            return cast_constant(constant.value, constant.type, type, context);
    }
}

bool fits_exactly(const Operand& constant, Type wide, Type type, const Context& context) {
    const auto exact = constant_as(constant, wide, context);
    const auto value = constant_as(constant, type, context);
    if (!exact || !value) return false;
    const auto back = cast_constant(*value, type, wide, context);
    return back && compare(*exact, *back, wide, context.semantics) == 0;
}

Type decimal_of_value(const Value& value) {
    if (value.kind() == Value::Kind::integer)
        return Type::decimal(decimal_digits(Number::digits(value)), 0);
    if (value.kind() != Value::Kind::decimal || Number::is_nan(value))
        return Type(TypeKind::numeric);
    const int scale = std::max(0, value.scale());
    const int precision =
        std::max(decimal_digits(Number::digits(value)) + scale - value.scale(), std::max(1, scale));
    if (precision > 1000) return Type(TypeKind::numeric);
    return Type::decimal(precision, scale);
}

Operand number_constant(std::string_view digits, const Context& context) {
    const Dialect dialect = context.semantics.dialect;
    const auto as = [&](TypeKind kind) -> std::optional<Operand> {
        const auto value = parse_value(digits, Type(kind), context.semantics);
        if (!value) return std::nullopt;
        return Operand{Operand::Form::number, Type(kind), *value};
    };
    const bool whole = digits.find_first_not_of("-0123456789") == std::string_view::npos;
    if (whole) {
        // DuckDB sees the minus after the digits: -2147483648 is a bigint there.
        const bool is_negated_bigint = dialect == Dialect::duckdb && digits == "-2147483648";
        for (const TypeKind kind : {TypeKind::integer, TypeKind::bigint}) {
            if (is_negated_bigint && kind == TypeKind::integer) continue;
            if (auto operand = as(kind)) return *operand;
        }
        if (dialect == Dialect::duckdb) {
            for (const TypeKind kind : {TypeKind::hugeint, TypeKind::uhugeint, TypeKind::double_}) {
                if (auto operand = as(kind)) return *operand;
            }
        }
    }
    const bool exponent = digits.find_first_of("eE") != std::string_view::npos;
    if (dialect != Dialect::postgres && exponent) return as(TypeKind::double_).value_or(Operand{});
    auto operand = as(TypeKind::numeric).value_or(Operand{});
    if (dialect == Dialect::postgres || operand.form != Operand::Form::number) return operand;
    const Type type =
        dialect == Dialect::duckdb ? decimal_of_digits(digits) : decimal_of_value(operand.value);
    if (type.kind() != TypeKind::decimal || type.precision() > 38) {
        return as(TypeKind::double_).value_or(Operand{});
    }
    operand.type = type;
    operand.value = cast_constant(operand.value, Type(TypeKind::numeric), type, context)
                        .value_or(operand.value);
    return operand;
}

std::optional<Operand> bare_form(Type type, const Value& value, const Context& context) {
    if (value.is_null()) return Operand{Operand::Form::null, Type(), Value::null()};
    if (is_integer(type) || type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric) {
        if (Number::is_nan(value)) return std::nullopt;
        Operand operand = number_constant(value_text(value, type), context);
        if (operand.form != Operand::Form::number) return std::nullopt;
        return operand;
    }
    if (is_float(type)) {
        // Infinity and NaN are no numbers in SQL text; what does not come back as the same value is sorted out later.
        const std::string text = value_text(value, type);
        if (text.find_first_not_of("-+.0123456789eE") != std::string::npos) return std::nullopt;
        Operand operand = number_constant(text, context);
        if (operand.form != Operand::Form::number) return std::nullopt;
        return operand;
    }
    if (is_string(type) || is_temporal(type) || type.kind() == TypeKind::opaque) {
        return Operand{Operand::Form::text, Type(), Value::text(value_text(value, type))};
    }
    return std::nullopt;
}

}  // namespace satura::lang
