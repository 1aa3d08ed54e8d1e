#include "lang/type.hpp"

#include <cassert>

namespace satura::lang {

bool is_integer(Type type) {
    return type.kind() >= TypeKind::tinyint && type.kind() <= TypeKind::uhugeint;
}

bool is_signed_integer(Type type) {
    return type.kind() >= TypeKind::tinyint && type.kind() <= TypeKind::hugeint;
}

int integer_bits(Type type) {
    assert(is_integer(type));
    const TypeKind first = is_signed_integer(type) ? TypeKind::tinyint : TypeKind::utinyint;
    return 8 << (static_cast<int>(type.kind()) - static_cast<int>(first));
}

bool is_exact_numeric(Type type) {
    return is_integer(type) || type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric;
}

bool is_float(Type type) {
    return type.kind() == TypeKind::real || type.kind() == TypeKind::double_;
}

bool is_numeric(Type type) { return is_exact_numeric(type) || is_float(type); }

bool is_string(Type type) {
    return type.kind() >= TypeKind::char_ && type.kind() <= TypeKind::text;
}

bool is_temporal(Type type) {
    return type.kind() >= TypeKind::date && type.kind() <= TypeKind::timestamptz;
}

}  // namespace satura::lang
