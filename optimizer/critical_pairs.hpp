// Critical pairs of `~>` rules on values and truths: terms that two rules rewrite to different ones, and the two do not meet again.
// Which of the rules comes first then decides what comes out, so equal inputs may get different answers.
//
// An overlap of two left sides (rules/overlap.hpp) is filled with columns and constants of types for which both rules apply. Each
// rule by itself makes its result of it; both results alone go into an e-graph, all `~>` rules run, and they have met where they
// are one class. What is reported was run, so it is so. What is not found may be there all the same: overlaps of more than two
// rules' operands, constants and types that are not tried, a rule with itself at two places, rules on relations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "optimizer/rule_engine.hpp"

namespace satura {

struct CriticalPair {
    std::string first, second;  // the rules, by name without operators
    std::string term;           // the smallest that was found
    std::string left, right;    // what the first rule makes of it, and the second
    // The rules that explore make them one: an answer does not depend on the order unless a limit strikes before.
    bool joins_by_exploring = false;
};

struct CriticalPairs {
    std::vector<CriticalPair> pairs;  // one for each two rules, by name
    std::uint64_t overlaps = 0;       // of two instances of rules
    std::uint64_t exercised = 0;  // for which there were columns and constants such that both apply
    std::uint64_t terms = 0;      // that both rewrote
    std::uint64_t unknown = 0;    // terms for which a limit struck
};

// Of the engine's rules, one of the two from this source of its book or a later one. Requires an engine for plans; leaves it reset.
CriticalPairs find_critical_pairs(RuleEngine& engine, std::uint32_t first_source = 0);

// Each pair with its term and the two results, and the counts; ends with a newline.
std::string describe(const CriticalPairs& found);

}  // namespace satura
