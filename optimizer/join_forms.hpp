// One form for all orders in which inner joins, semijoins and antijoins with the filters between them may be written.
#pragma once

#include "optimizer/rule_engine.hpp"

namespace satura {

// Gives each inner join one more form: all conditions and filters above the joins of all inputs, in the order of their
// columns; and so each chain of semijoins and antijoins. The e-graph is clean before and after. True if it grew.
bool add_joins_in_order(RuleEngine& engine);

}  // namespace satura
