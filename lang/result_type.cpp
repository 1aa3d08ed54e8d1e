// Result types of operators, per dialect.
#include <algorithm>

#include "lang/evaluate.hpp"
#include "lang/function.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {

namespace {

using Types = std::span<const Type>;

constexpr int precision_max = 38;  // of every dialect but PostgreSQL
constexpr int precision_of_64_bits = 18;

const Type boolean_type(TypeKind::boolean);
const Type double_type(TypeKind::double_);
const Type numeric_type(TypeKind::numeric);

bool is_untyped(Type type) { return type.kind() == TypeKind::unknown; }
bool is_truth(Type type) { return type.kind() == TypeKind::boolean || is_untyped(type); }
bool is_stamp(Type type) {
    return type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz;
}

// Decimal digits that an integer type needs, as DuckDB and Spark count them.
int integer_digits(Type type) {
    switch (integer_bits(type)) {
        case 8:
            return 3;
        case 16:
            return 5;
        case 32:
            return 10;
        case 64:
            return is_signed_integer(type) ? 19 : 20;
        default:
            return precision_max;
    }
}

Type as_decimal(Type type) {
    return is_integer(type) ? Type::decimal(integer_digits(type), 0) : type;
}

// The least integer type that holds both; double beside uhugeint and a signed type, where there is
// none.
Type wider_integer(Type a, Type b) {
    if (is_signed_integer(a) == is_signed_integer(b))
        return integer_bits(a) >= integer_bits(b) ? a : b;
    const Type with_sign = is_signed_integer(a) ? a : b;
    const Type without = is_signed_integer(a) ? b : a;
    if (integer_bits(with_sign) > integer_bits(without)) return with_sign;
    switch (integer_bits(without)) {
        case 8:
            return Type(TypeKind::smallint);
        case 16:
            return Type(TypeKind::integer);
        case 32:
            return Type(TypeKind::bigint);
        case 64:
            return Type(TypeKind::hugeint);
        default:
            return double_type;
    }
}

// One more than the operands need, unless that would leave the width in which DuckDB computes.
int limited_precision(int wanted, int widest, const Semantics& semantics) {
    const bool stays_64 = semantics.dialect == Dialect::duckdb && wanted > precision_of_64_bits &&
                          widest <= precision_of_64_bits;
    if (stays_64) return precision_of_64_bits;
    return std::min(wanted, precision_max);
}

Type decimal_sum(Type a, Type b, const Semantics& semantics) {
    const int scale = std::max(a.scale(), b.scale());
    const int whole = std::max(a.precision() - a.scale(), b.precision() - b.scale());
    const int widest = std::max(a.precision(), b.precision());
    const int wanted = std::max(scale + whole, widest) + 1;
    return Type::decimal(limited_precision(wanted, widest, semantics), scale);
}

std::optional<Type> decimal_product(Type a, Type b, const Semantics& semantics) {
    const int scale = a.scale() + b.scale();
    if (scale > precision_max) return std::nullopt;
    const int widest = std::max(a.precision(), b.precision());
    int precision = a.precision() + b.precision();
    if (semantics.dialect == Dialect::spark) ++precision;
    if (scale < precision_of_64_bits)
        return Type::decimal(limited_precision(precision, widest, semantics), scale);
    return Type::decimal(std::min(precision, precision_max), scale);
}

// Spark keeps at least 6 places of a quotient; MySQL adds 4 to the dividend's.
std::optional<Type> decimal_quotient(Type a, Type b, const Semantics& semantics) {
    if (semantics.dialect == Dialect::duckdb) return double_type;
    if (semantics.dialect == Dialect::mysql) {
        const int precision = std::min(65, a.precision() + b.scale() + 4);
        return Type::decimal(std::max(precision, a.scale() + 4), std::min(30, a.scale() + 4));
    }
    const int whole = a.precision() - a.scale() + b.scale();
    const int scale = std::max(6, a.scale() + b.precision() + 1);
    if (whole + scale <= precision_max) return Type::decimal(whole + scale, scale);
    return Type::decimal(precision_max, std::max(precision_max - whole, std::min(scale, 6)));
}

Type common_decimal(Type a, Type b) {
    const int scale = std::max(a.scale(), b.scale());
    const int whole = std::max(a.precision() - a.scale(), b.precision() - b.scale());
    return Type::decimal(std::min(whole + scale, precision_max), std::min(scale, precision_max));
}

// PostgreSQL has an operator for two reals, and brings every other mix with a float to double.
// DuckDB brings a real and an exact number to real, Spark a real and an integer.
Type common_float(Type a, Type b, const Semantics& semantics) {
    if (a == b) return a;
    const bool has_double = a.kind() == TypeKind::double_ || b.kind() == TypeKind::double_;
    const bool both_short = !has_double && (is_integer(a) || is_integer(b));
    const bool stays_real = (semantics.dialect == Dialect::duckdb && !has_double) ||
                            (semantics.dialect == Dialect::spark && both_short);
    if (stays_real) return Type(TypeKind::real);
    return double_type;
}

std::optional<Type> common_number(Type a, Type b, const Semantics& semantics) {
    if (is_float(a) || is_float(b)) return common_float(a, b, semantics);
    if (is_integer(a) && is_integer(b)) return wider_integer(a, b);
    if (a == b) return a;
    const bool unbounded = a.kind() == TypeKind::numeric || b.kind() == TypeKind::numeric;
    if (unbounded || semantics.dialect == Dialect::postgres) return numeric_type;
    return common_decimal(as_decimal(a), as_decimal(b));
}

std::optional<Type> integer_arithmetic(Op op, Type wide, const Semantics& semantics) {
    if (op == Op::div && !semantics.integer_division_truncates) {
        if (semantics.dialect == Dialect::mysql)
            return decimal_quotient(as_decimal(wide), as_decimal(wide), semantics);
        return double_type;
    }
    const bool widens = semantics.dialect == Dialect::mysql || semantics.dialect == Dialect::sqlite;
    if (widens && is_integer(wide) && integer_bits(wide) <= 64) {
        return is_signed_integer(wide) ? Type(TypeKind::bigint) : Type(TypeKind::ubigint);
    }
    return wide;
}

std::optional<Type> decimal_arithmetic(Op op, Type a, Type b, const Semantics& semantics) {
    if (op == Op::div) return decimal_quotient(a, b, semantics);
    if (op == Op::mul) return decimal_product(a, b, semantics);
    if (op == Op::mod) {
        // DuckDB leaves the decimals where no decimal holds both operands.
        const int whole = std::max(a.precision() - a.scale(), b.precision() - b.scale());
        const bool fits = whole + std::max(a.scale(), b.scale()) <= precision_max;
        return fits ? common_decimal(a, b) : double_type;
    }
    return decimal_sum(a, b, semantics);
}

std::optional<Type> number_arithmetic(Op op, Type a, Type b, const Semantics& semantics) {
    const std::optional<Type> common = common_number(a, b, semantics);
    if (!common) return std::nullopt;
    if (is_float(*common)) {
        // PostgreSQL has no % of floats.
        if (op == Op::mod && semantics.dialect == Dialect::postgres) return std::nullopt;
        return common;
    }
    if (is_integer(*common)) {
        // DuckDB likes bigint best where it has to cast both operands.
        const bool both_cast = *common != a && *common != b && integer_bits(*common) < 64;
        if (both_cast && semantics.dialect == Dialect::duckdb)
            return integer_arithmetic(op, Type(TypeKind::bigint), semantics);
        return integer_arithmetic(op, *common, semantics);
    }
    const bool unbounded =
        common->kind() == TypeKind::numeric || semantics.dialect == Dialect::postgres;
    if (unbounded) return numeric_type;
    return decimal_arithmetic(op, as_decimal(a), as_decimal(b), semantics);
}

std::optional<Type> moved_time(Type stamp) {
    if (stamp.kind() == TypeKind::date) return Type::with_digits(TypeKind::timestamp, 6);
    if (is_stamp(stamp)) return Type::with_digits(stamp.kind(), 6);
    if (stamp.kind() == TypeKind::time) return stamp;
    return std::nullopt;
}

std::optional<Type> time_arithmetic_type(Op op, Type a, Type b, const Semantics& semantics) {
    const bool a_interval = a.kind() == TypeKind::interval;
    const bool b_interval = b.kind() == TypeKind::interval;
    const bool sum = op == Op::add || op == Op::sub;
    if (a_interval && b_interval) return sum ? std::optional(a) : std::nullopt;
    if ((op == Op::mul || op == Op::div) && a_interval && is_numeric(b)) return a;
    if (op == Op::mul && b_interval && is_numeric(a)) return b;
    if (!sum) return std::nullopt;
    if (b_interval) return moved_time(a);
    if (a_interval && op == Op::add) return moved_time(b);
    if (a.kind() == TypeKind::date && is_integer(b)) return a;
    if (op == Op::add && is_integer(a) && b.kind() == TypeKind::date) return b;
    if (op == Op::add && a.kind() == TypeKind::date && b.kind() == TypeKind::time)
        return moved_time(a);
    if (op != Op::sub) return std::nullopt;
    if (a.kind() == TypeKind::date && b.kind() == TypeKind::date) {
        return Type(semantics.dialect == Dialect::duckdb ? TypeKind::bigint : TypeKind::integer);
    }
    const bool points =
        (is_stamp(a) || a.kind() == TypeKind::date) && (is_stamp(b) || b.kind() == TypeKind::date);
    if (points || (a.kind() == TypeKind::time && b.kind() == TypeKind::time))
        return Type(TypeKind::interval);
    return std::nullopt;
}

std::optional<Type> arithmetic_type(Op op, Types types, const Semantics& semantics) {
    Type a = types[0];
    Type b = types[1];
    if (is_untyped(a) && is_untyped(b)) return std::nullopt;
    if (is_untyped(a)) a = b;
    if (is_untyped(b)) b = a;
    if (is_numeric(a) && is_numeric(b)) return number_arithmetic(op, a, b, semantics);
    return time_arithmetic_type(op, a, b, semantics);
}

std::optional<Type> negation_type(Type type, const Semantics& semantics) {
    if (type.kind() == TypeKind::decimal && semantics.dialect == Dialect::postgres)
        return numeric_type;
    if (is_numeric(type) || type.kind() == TypeKind::interval) return type;
    return std::nullopt;
}

// The type to which the operands of a comparison, CASE, IN and the like are brought; one of unknown
// type takes the other's.
std::optional<Type> met_type(Type a, Type b, const Semantics& semantics) {
    if (a == b || is_untyped(b)) return a;
    if (is_untyped(a)) return b;
    if (is_numeric(a) && is_numeric(b)) return common_number(a, b, semantics);
    if (is_string(a) && is_string(b)) {
        if (a.kind() == b.kind())
            return Type(a.kind() == TypeKind::char_ ? TypeKind::text : a.kind());
        return Type(TypeKind::text);
    }
    if (a.kind() == b.kind() && is_temporal(a) && a.kind() != TypeKind::date) {
        return a.digits() >= b.digits() ? a : b;
    }
    const bool a_day = a.kind() == TypeKind::date;
    const bool b_day = b.kind() == TypeKind::date;
    if (a_day && is_stamp(b)) return b;
    if (b_day && is_stamp(a)) return a;
    if (is_stamp(a) && is_stamp(b)) {
        return Type::with_digits(TypeKind::timestamptz, std::max(a.digits(), b.digits()));
    }
    return std::nullopt;
}

// The common type of every `step`-th operand from `begin` on; unknown when all are untyped.
std::optional<Type> common_of(Types types, std::size_t begin, std::size_t step,
                              const Semantics& semantics) {
    Type result;
    for (std::size_t i = begin; i < types.size(); i += step) {
        const std::optional<Type> common = met_type(result, types[i], semantics);
        if (!common) return std::nullopt;
        result = *common;
    }
    return result;
}

std::optional<Type> case_type(Types types, const Semantics& semantics) {
    for (std::size_t i = 0; i + 1 < types.size(); i += 2) {
        if (!is_truth(types[i])) return std::nullopt;
    }
    const std::optional<Type> arms = common_of(types.first(types.size() - 1), 1, 2, semantics);
    if (!arms) return std::nullopt;
    return met_type(*arms, types.back(), semantics);
}

std::optional<Type> truth_if(bool applies) {
    return applies ? std::optional(boolean_type) : std::nullopt;
}

bool all_truths(Types types) { return std::all_of(types.begin(), types.end(), is_truth); }

bool is_like_text(Type type) { return is_string(type) || is_untyped(type); }

}  // namespace

std::optional<Type> result_type(Op op, std::uint32_t payload, Types types, const Context& context) {
    const Semantics& semantics = context.semantics;
    switch (op) {
        case Op::literal:
            return context.literals[LiteralId{payload}].type;
        case Op::cast:
        case Op::try_cast:
            return Type::from_bits(payload);
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::null_safe_eq:
        case Op::in:
        case Op::between:
            return truth_if(common_of(types, 0, 1, semantics).has_value());
        case Op::and_:
        case Op::or_:
        case Op::not_:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
            return truth_if(all_truths(types));
        case Op::is_null:
            return boolean_type;
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
            return arithmetic_type(op, types, semantics);
        case Op::neg:
            return negation_type(types[0], semantics);
        case Op::case_:
            return case_type(types, semantics);
        case Op::coalesce:
        case Op::greatest:
        case Op::least:
            return common_of(types, 0, 1, semantics);
        case Op::nullif:
            if (!common_of(types, 0, 1, semantics)) return std::nullopt;
            return types[0];
        case Op::like:
            return truth_if(std::all_of(types.begin(), types.end(), is_like_text));
        case Op::call: {
            const Function* function = find_function(context.names[payload], semantics.dialect);
            if (function == nullptr || !function->takes(types.size())) return std::nullopt;
            const auto type = function->result_type(types, semantics);
            if (!type) return std::nullopt;
            return dialect_type(*type, semantics.dialect);
        }
        case Op::column:
        case Op::opaque:
        case Op::exists:
        case Op::in_subquery:
        case Op::scalar_subquery:
            break;
    }
    return std::nullopt;
}

}  // namespace satura::lang
