// The words over truths and relations; see PlanSteps for what they compute.
#pragma once

#include <vector>

#include "rules/words.hpp"

namespace satura::rules {

const std::vector<ConditionWord>& plan_condition_words();
const std::vector<ComputedWord>& plan_computed_words();

}  // namespace satura::rules
