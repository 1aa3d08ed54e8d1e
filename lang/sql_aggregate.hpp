// Aggregates and window functions that are known by name.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lang/context.hpp"
#include "lang/type.hpp"

namespace satura::lang {

// Whether a call of that (unqualified, lower-case) name makes one value of many rows.
bool is_aggregate_name(std::string_view name, Dialect dialect);

// The type of an aggregate's or window function's value in the dialect; "?" where it is not known.
Type aggregate_type(std::string_view name, std::span<const Type> arguments, Context& context);

// Whether its value is never NULL, not even without rows.
bool is_never_null(std::string_view name);

}  // namespace satura::lang
