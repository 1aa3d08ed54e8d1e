// The values of a type at which mistakes show: the ground of rule checking and of property tests.
#pragma once

#include <vector>

#include "lang/semantics.hpp"
#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::lang {

// NULL first, then the type's minimum and maximum, their neighbours, zero, ±1, -0.0, NaN,
// ±infinity, fractions and ties of roundings, each identical value once, in a fixed order. Opaque
// and unknown types have NULL alone.
std::vector<Value> boundary_values(Type type, const Semantics& semantics);

}  // namespace satura::lang
