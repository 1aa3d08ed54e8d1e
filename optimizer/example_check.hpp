// The soundness of one rule on relations: its examples are optimized with all rules, and every member of every class is run on
// all tables of up to two rows and on random ones of three (plan_check.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "optimizer/rule_engine.hpp"

namespace satura {

// The tables of the queries in the examples of rules on plans.
extern const char* const example_schema;

struct ExampleCheckLimits {
    std::uint64_t databases_max = 2'000;  // of those with tables of up to two rows, for one example
    std::uint32_t random = 200;           // databases, for one example
};

struct ExampleCheck {
    std::uint64_t examples = 0;  // that bind and in which the rule fires
    std::uint64_t cases = 0;     // members and facts compared, on each database
    std::string counterexample;
    std::string mistake;  // an example that does not bind, or in which the rule does not fire
};

// Whether the sides of a rule are relations.
bool is_on_relations(const rules::ResolvedRule& rule, const rules::SqlOps& ops);

// Checks a rule of the engine's book. The engine is for plans and is reset.
ExampleCheck check_examples(RuleEngine& engine, const rules::BookRule& rule,
                            const ExampleCheckLimits& limits = {});

}  // namespace satura
