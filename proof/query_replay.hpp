// Replaying the proof of a query.
#pragma once

#include "lang/sql_select.hpp"
#include "proof/replay.hpp"
#include "rules/plan_encode.hpp"

namespace satura::proof {

// A query, bound, and where it is bound.
struct QueryStatement {
    const lang::Statement& before;
    const lang::Catalog& catalog;
};

// Replays the proof's terms and steps over the query's relations, writes the relation that they lead to as SQL, and compares that
// with the proof's result.
Verdict replay_query(const Proof& proof, const QueryStatement& statement, rules::SqlOps& ops,
                     rules::Scope& scope, const RuleNamed& rule_named,
                     StepWatcher* watcher = nullptr);

// The expressions of the query that rules see, for pieces_of().
std::vector<lang::ExprId> expressions_of(const lang::Plan& plan);

}  // namespace satura::proof
