// Columns that a query makes and nobody reads.
#pragma once

#include "lang/plan.hpp"

namespace satura {

// Takes them out of projections, UNION ALL, groupings (calls, not keys) and windows, from the root down, whose columns stay.
// Requires relations that belong to this plan alone; those that the root does not reach are left alone. Cost: linear.
void prune_columns(lang::Plan& plan);

}  // namespace satura
