// The one type that values of several types are brought to, as the dialects choose it.
#pragma once

#include <cstdint>
#include <optional>

#include "lang/semantics.hpp"
#include "lang/type.hpp"

namespace satura::lang {

enum class Purpose : std::uint8_t {
    compare,     // operands of a comparison: only the values matter
    arithmetic,  // operands of + - * / %
    result,      // branches whose value is handed on: CASE, COALESCE, GREATEST, LEAST
};

// The common type of two types; nothing when the dialect has none, which is a type error. An opaque type has no common
// type but with itself: ask for it first. Lossless where the engine's own choice is: two decimals meet in one that holds
// both (up to 38 digits, then numeric).
std::optional<Type> common_type(Type a, Type b, Purpose purpose, Dialect dialect);

// The smallest decimal type that holds every value of an integer type, or of two decimal or integer types; numeric where
// more than 38 digits are needed and the dialect has numeric, else 38 digits.
Type decimal_of_integer(Type integer);
Type common_decimal(Type a, Type b, Dialect dialect);

}  // namespace satura::lang
