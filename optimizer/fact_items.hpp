// What is computed of rows that fulfil some facts, in terms of other columns: where t1.a = t2.a and t2.a = 5, all three of
// t1.a, t2.a and 5 name one value.
#pragma once

#include "optimizer/rule_engine.hpp"

namespace satura {

// Gives each projection and grouping a second form, in which a column that the facts of the input know to be a constant is
// that constant, one that is NULL in any case is NULL, and of columns that are equal the first one stands for all; and one
// over its input narrowed to the columns that it reads. A filter gets one with the constants that it says itself. Only where
// equal values of the type are identical. The e-graph is clean before and after. True if it grew.
bool add_items_by_facts(RuleEngine& engine);

}  // namespace satura
