// Sorts of a rule's parts: what is a value and what a truth, and which rules values can check.
#pragma once

#include <string>
#include <vector>

#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

struct RuleSorts {
    // Nothing of the rule is about relations: no such operator, no word that asks a plan. Else the rest is not set.
    bool is_over_values = true;
    std::vector<Sort> variables;  // value or truth; a rest's is that of its elements
    std::string mistake;          // a value where a truth must stand, or the reverse; else empty
};

// Cost: linear in the rule.
RuleSorts sorts_of(const ResolvedRule& rule, const SqlOps& ops);

}  // namespace satura::rules
