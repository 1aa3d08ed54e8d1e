// A proof for people: each step with what it says, why its conditions hold, and the earlier steps that it stands on.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proof/replay.hpp"

namespace satura::proof {

struct ExplainedStep {
    std::string rule;
    std::string left, right;
    std::vector<std::pair<std::string, std::string>> with;     // variables and what they stand for
    std::vector<std::pair<std::string, std::string>> because;  // conditions and what they are about
    std::vector<std::uint32_t> after;  // steps without which it is refused, from 1
};

struct Explanation {
    Verdict verdict;  // where it refuses, the steps before
    std::vector<ExplainedStep> steps;
    std::vector<std::uint32_t> last;  // steps that no other stands on, from 1
};

// Cost: one replay for each step, but for proofs of more than 200 steps, of which it is not said what stands on what.
Explanation explain(Verifier& verifier, const Proof& proof);

// One paragraph a step, in order.
std::string flat_text(const Explanation& explanation);
// The last steps, and under each those that it stands on; one that came before only by its number.
std::string tree_text(const Explanation& explanation);

}  // namespace satura::proof
