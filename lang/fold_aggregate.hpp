// Aggregate functions on the rows of one group.
#pragma once

#include <span>

#include "lang/bag.hpp"
#include "lang/evaluate.hpp"

namespace satura::lang {

// count, sum, min, max, avg, bool_and, bool_or, every, any_value of one group, with DISTINCT: `arguments` holds the
// arguments of each row that FILTER leaves, of the types given. For count(*) the rows count alone. Unknown for any other
// function, and where the order of the rows would matter: sums of floating-point numbers that are not exact.
Outcome fold_aggregate(const AggregateCall& call, std::span<const Row> arguments,
                       std::span<const Type> types, Type result, const Context& context, Mode mode);

}  // namespace satura::lang
