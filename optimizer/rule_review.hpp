// What an author may want to look at again in rules that are right: right sides that grow, and rules that follow from others.
//
// *Grows*: the right side has more nodes than the left, or a variable stands in it more often. Such a rule is no mistake (`?x between ?a and
// ?b` is two comparisons), but it is one that makes e-graphs large.
//
// *Follows*: on instances of the rule (columns and constants of types for which its conditions hold) all other rules make both sides equal
// without it. That was run, so it is so for the instances that were tried; for others it need not be. A rule that follows may still be wanted
// where it saves steps. Looked at are rules on values and truths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimizer/rule_engine.hpp"

namespace satura {

struct RuleReview {
    std::string name;
    struct Growth {
        std::uint32_t left = 0, right = 0;  // nodes, of the instance that grows most
        std::string repeated;               // a variable that stands more often on the right
    };
    std::optional<Growth> growth;
    bool follows = false;
    std::vector<std::string>
        from;  // the least set of other rules that was found, in order of the book
    std::uint32_t instances = 0;  // on which that was tried; 0: not looked at
};

// Of the engine's rules from this source of its book or a later one; `only` one of them, or all if it is empty. Requires an engine for
// plans; leaves it reset.
std::vector<RuleReview> review_rules(RuleEngine& engine, std::uint32_t first_source,
                                     const std::string& only);

// The rules that grow, those that follow, and the counts; ends with a newline.
std::string describe(const std::vector<RuleReview>& reviews);

}  // namespace satura
