// The parts of the registry of functions, and what they share. For .cpp files that say what holds for operators.
#pragma once

#include <algorithm>

#include "lang/function.hpp"

namespace satura::lang {

std::span<const Function> number_functions();
std::span<const Function> text_functions();
std::span<const Function> time_functions();
std::span<const Function> session_functions();

inline bool may_always_raise(Function::Types, Function::Constants, const Semantics&) {
    return true;
}

// Null where that argument is not known.
inline const Value* constant_at(Function::Constants constants, std::size_t i) {
    return i < constants.size() ? constants[i] : nullptr;
}

// Of LIKE and ILIKE: the pattern, argument 1, may end with the escape character.
bool pattern_may_raise(Function::Types types, Function::Constants constants,
                       const Semantics& semantics);

// A plain call that may raise for some arguments.
constexpr Function raising(std::string_view name, std::uint8_t least, std::uint8_t most,
                           Function::ResultType result_type, Dialects dialects = in_both) {
    return {.name = name,
            .least = least,
            .most = most,
            .dialects = dialects,
            .result_type = result_type,
            .may_raise = may_always_raise};
}

// A result of one type, whatever the arguments.
template <TypeKind kind>
std::optional<Type> always(Function::Types, const Semantics&) {
    return Type(kind);
}

inline std::optional<Type> unsaid(Function::Types, const Semantics&) { return std::nullopt; }

inline bool is_text_like(Type type) { return is_string(type) || type.kind() == TypeKind::unknown; }
inline bool are_text_like(Function::Types types) {
    return std::ranges::all_of(types, is_text_like);
}
// What a parameter of PostgreSQL's type integer takes.
inline bool is_small_integer(Type type) {
    return is_integer(type) && integer_bits(type) <= 32 && type.kind() != TypeKind::uinteger;
}

inline bool has_decimal_digits(Type type) {
    return type.kind() == TypeKind::decimal || type.kind() == TypeKind::numeric;
}

inline bool is_postgres(const Semantics& s) { return s.dialect == Dialect::postgres; }
inline bool is_duckdb(const Semantics& s) { return s.dialect == Dialect::duckdb; }

// The text as functions see it: a padded char loses its blanks when it becomes text.
std::string_view text_argument(const Call& call, std::size_t i);

}  // namespace satura::lang
