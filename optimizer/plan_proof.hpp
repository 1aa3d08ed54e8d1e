// Proofs of optimized queries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/sql_select.hpp"
#include "optimizer/rule_engine.hpp"
#include "proof/proof.hpp"
#include "rules/plan_decode.hpp"

namespace satura {

// The proof that the statement's query is what was chosen for it, whose text is `after`; nothing where a step cannot be shown
// (`why` says which). The e-graph must be saturated, `input` what is in it for the statement, and `chosen` the terms that were
// taken out. Cost: some replays.
std::optional<proof::Proof> prove_plan(RuleEngine& engine, const lang::Statement& statement,
                                       const lang::Catalog& catalog,
                                       const rules::EncodedPlan& input,
                                       const rules::PlanDecoding& chosen, const std::string& after,
                                       std::string& why);

}  // namespace satura
