// Whether two queries have the same rows on every database, as far as the rules can prove it.
//
// Both go into one e-graph (joint_plan.hpp) and are saturated; they are equal if their roots are one class. What computes a
// column then has the same name in both as far as that is known: at first of table mentions only, which are paired in the
// order in which they are written, then in other orders; and in each round, of what the e-graph has shown to do the same
// (plan_match.hpp).
//
// What equal means is said in equal_answer.hpp. A LIMIT that leaves open which rows it takes, DISTINCT ON, array_agg and the
// like are equal to no other mention of themselves. Whether the time for further tries runs out is the only thing that may
// differ from run to run.
#pragma once

#include "egraph/runner.hpp"
#include "lang/catalog.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/equal_answer.hpp"
#include "optimizer/rule_engine.hpp"

namespace satura {

// Mentions of one table are paired in at most so many ways, and none is begun after so long.
inline constexpr std::uint32_t equality_tries_max = 24;
inline constexpr double equality_tries_time_ms_max = 2000;

// Requires an engine for plans; its e-graph is cleared. Limits hold for the whole. The answer's rules, stop and iterations
// are those of the try that proved it, or of the first one.
EqualAnswer compare_queries(RuleEngine& engine, const lang::Catalog& catalog,
                            const lang::Statement& first, const lang::Statement& second,
                            const egraph::Limits& limits);

}  // namespace satura
