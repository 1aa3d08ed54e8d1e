#include "lang/cast.hpp"

#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

bool is_scalar_number(Type type) { return is_numeric(type) || type.kind() == TypeKind::boolean; }

bool is_text_like(Type type) { return is_string(type) || type.kind() == TypeKind::unknown; }

}  // namespace

Outcome cast_value(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode) {
    if (to.kind() == TypeKind::opaque || to.kind() == TypeKind::unknown) {
        return from == to ? value_outcome(value) : unknown_outcome();
    }
    if (value.is_null()) return null_outcome();
    if (from == to && !is_string(to)) return value_outcome(value);
    if (is_scalar_number(from) && is_scalar_number(to))
        return cast_number(value, from, to, semantics, mode);
    if (is_string(to)) return cast_to_text(value, from, to, semantics, mode);
    if (is_text_like(from)) return cast_from_text(value, to, semantics, mode);
    if (is_temporal(from) && is_temporal(to)) return cast_time(value, from, to, semantics, mode);
    return unknown_outcome();
}

}  // namespace satura::lang
