// From checked rules to the engine's: patterns, conditions and computations as closures over words.
#pragma once

#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/pattern.hpp"
#include "rules/language.hpp"
#include "rules/sema.hpp"

namespace satura::rules {

// The engine's rule. The language must outlive it; the resolved rule need not. Variables come first among the slots, in the
// order of ResolvedRule::variables, so a match's slot i is variable i.
egraph::Rule compile_rule(const ResolvedRule& rule, Language& language);

// Adds a term without variables (resolve_ground) and returns its class.
egraph::ClassId add_term(egraph::EGraph& graph, const std::vector<ResolvedTerm>& terms);

}  // namespace satura::rules
