// CHECK constraints as facts: what each of them says of every row of its table.
//
// A row is refused where the condition is FALSE, so one that is there makes it TRUE or NULL: check (a > 0) says that a > 0 or a is
// NULL, and a > 0 only where a is NOT NULL. Below the junctions each comparison gets its own NULL: a > 0 or b > 0 may hold by a
// alone.
#pragma once

#include <vector>

#include "lang/catalog.hpp"
#include "lang/plan.hpp"
#include "rules/encode.hpp"

namespace satura::rules {

// The truths that the table's checks make of each of the instance's rows. Left out are those that another statement may see
// differently than the one that stored the row (now(), time zones, formats of dates), that may raise or that are not modelled.
std::vector<egraph::ClassId> facts_of_checks(const lang::Plan& plan,
                                             const lang::TableInstance& instance,
                                             const lang::Table& table, NodeTaker& taker,
                                             SqlOps& ops, Scope& scope);

}  // namespace satura::rules
