// What rules on plans ask of a plan's projections and groupings, for an e-graph's relations and for those of a proof alike.
#pragma once

#include <functional>
#include <vector>

#include "lang/plan.hpp"
#include "rules/term_classes.hpp"

namespace satura::rules {

// What a projection makes of its input, or a grouping by one set of keys of it; null for anything else.
const std::vector<lang::ProjectItem>* items_made(const lang::Plan& plan, lang::RelationId relation);

// Whether to a set operation or grouping it is one how often a row comes in.
bool ignores_repeats(const lang::Plan& plan, lang::RelationId relation);

// Whether a conjunct reads keys of a grouping alone and comes out the same for all rows of a group. A key stands for equal values
// that need not be identical: then only what compares keys and constants does.
bool is_about_groups(const TermClasses& classes, const SqlOps& ops, egraph::ClassId conjunct,
                     const std::function<bool(lang::ColumnId)>& is_key);

}  // namespace satura::rules
