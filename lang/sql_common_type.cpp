#include "lang/sql_common_type.hpp"

#include <algorithm>

namespace satura::lang {
namespace {

constexpr int decimal_digits_max = 38;

bool has_numeric(Dialect dialect) {
    return dialect == Dialect::postgres || dialect == Dialect::sqlite;
}

Type signed_of_bits(int bits) {
    switch (bits) {
        case 8:
            return Type(TypeKind::tinyint);
        case 16:
            return Type(TypeKind::smallint);
        case 32:
            return Type(TypeKind::integer);
        case 64:
            return Type(TypeKind::bigint);
        default:
            return Type(TypeKind::hugeint);
    }
}

// Signed and unsigned meet in the signed type that holds both; uhugeint has none above it and meets in hugeint.
Type common_integer(Type a, Type b) {
    if (is_signed_integer(a) == is_signed_integer(b))
        return integer_bits(a) >= integer_bits(b) ? a : b;
    const Type positive = is_signed_integer(a) ? b : a;
    const Type other = is_signed_integer(a) ? a : b;
    return signed_of_bits(std::min(128, std::max(integer_bits(positive) * 2, integer_bits(other))));
}

// DuckDB's branches give up places rather than whole digits where two decimals do not fit together.
Type with_whole_digits(Type a, Type b, Type common) {
    if (is_integer(a) || is_integer(b)) return common;
    const int whole = std::max(a.precision() - a.scale(), b.precision() - b.scale());
    return Type::decimal(common.precision(),
                         std::min(common.scale(), std::max(common.precision() - whole, 0)));
}

std::optional<Type> common_exact(Type a, Type b, Purpose purpose, Dialect dialect) {
    if (is_integer(a) && is_integer(b)) return common_integer(a, b);
    if (a.kind() == TypeKind::numeric || b.kind() == TypeKind::numeric)
        return Type(TypeKind::numeric);
    // PostgreSQL's result has no precision of its own once the branches differ.
    if (purpose == Purpose::result && dialect == Dialect::postgres) return Type(TypeKind::numeric);
    Type common = common_decimal(a, b, dialect);
    if (purpose == Purpose::result && dialect == Dialect::duckdb)
        common = with_whole_digits(a, b, common);
    return common;
}

// PostgreSQL's operators prefer double over real; its branches, and all other engines, take real as the larger type.
Type common_float(Type a, Type b, Purpose purpose, Dialect dialect) {
    const Type real(TypeKind::real);
    const Type wide(TypeKind::double_);
    if (a == wide || b == wide) return wide;
    if (a == real && b == real) return real;
    return purpose == Purpose::result || dialect == Dialect::duckdb ? real : wide;
}

std::optional<Type> common_string(Type a, Type b, Purpose purpose) {
    const Type text(TypeKind::text);
    if (a.kind() != b.kind()) {
        if (a == text || b == text) return text;
        // char and varchar: PostgreSQL compares them as char, and branches take the first one's type.
        const TypeKind kind = purpose == Purpose::result ? a.kind() : TypeKind::char_;
        return Type::with_length(kind, 0);
    }
    if (purpose == Purpose::result || a.length() == 0 || b.length() == 0)
        return Type::with_length(a.kind(), 0);
    return Type::with_length(a.kind(), std::max(a.length(), b.length()));
}

std::optional<Type> common_temporal(Type a, Type b, Purpose purpose) {
    if (a.kind() == TypeKind::time || b.kind() == TypeKind::time) {
        if (a.kind() != b.kind()) return std::nullopt;
        return Type::with_digits(TypeKind::time, std::max(a.digits(), b.digits()));
    }
    const bool zoned = a.kind() == TypeKind::timestamptz || b.kind() == TypeKind::timestamptz;
    const int digits_a = a.kind() == TypeKind::date ? 0 : a.digits();
    const int digits_b = b.kind() == TypeKind::date ? 0 : b.digits();
    const int least = purpose == Purpose::result ? 6 : 0;
    return Type::with_digits(zoned ? TypeKind::timestamptz : TypeKind::timestamp,
                             std::max({digits_a, digits_b, least}));
}

// Engines other than PostgreSQL cast a text to the other side's type, and a boolean to a number.
std::optional<Type> common_mixed(Type a, Type b, Purpose purpose, Dialect dialect) {
    if (dialect == Dialect::postgres) return std::nullopt;
    const auto boolean_and_number = [](Type x, Type y) {
        return x.kind() == TypeKind::boolean && is_numeric(y);
    };
    if (purpose != Purpose::arithmetic || dialect == Dialect::mysql || dialect == Dialect::sqlite) {
        // DuckDB's branches mix a boolean with integers only.
        const bool only_integers = purpose == Purpose::result && dialect == Dialect::duckdb;
        if (boolean_and_number(a, b) && (is_integer(b) || !only_integers)) return b;
        if (boolean_and_number(b, a) && (is_integer(a) || !only_integers)) return a;
    }
    if (purpose == Purpose::result && dialect == Dialect::duckdb) return std::nullopt;
    if (is_string(a) && !is_string(b)) return b;
    if (is_string(b) && !is_string(a)) return a;
    return std::nullopt;
}

}  // namespace

Type decimal_of_integer(Type integer) {
    switch (integer_bits(integer)) {
        case 8:
            return Type::decimal(3, 0);
        case 16:
            return Type::decimal(5, 0);
        case 32:
            return Type::decimal(10, 0);
        case 64:
            return Type::decimal(is_signed_integer(integer) ? 19 : 20, 0);
        default:
            return Type::decimal(39, 0);
    }
}

Type common_decimal(Type a, Type b, Dialect dialect) {
    if (is_integer(a)) a = decimal_of_integer(a);
    if (is_integer(b)) b = decimal_of_integer(b);
    const int scale = std::max({a.scale(), b.scale(), 0});
    const int whole = std::max({a.precision() - a.scale(), b.precision() - b.scale(), 0});
    const int precision = std::max(1, whole + scale);
    if (precision <= decimal_digits_max) return Type::decimal(precision, scale);
    if (has_numeric(dialect)) return Type(TypeKind::numeric);
    return Type::decimal(decimal_digits_max, std::min(scale, decimal_digits_max));
}

std::optional<Type> common_type(Type a, Type b, Purpose purpose, Dialect dialect) {
    if (a == b) return a;
    if (is_numeric(a) && is_numeric(b)) {
        if (is_float(a) || is_float(b)) return common_float(a, b, purpose, dialect);
        return common_exact(a, b, purpose, dialect);
    }
    if (is_string(a) && is_string(b)) return common_string(a, b, purpose);
    if (is_temporal(a) && is_temporal(b)) return common_temporal(a, b, purpose);
    return common_mixed(a, b, purpose, dialect);
}

}  // namespace satura::lang
