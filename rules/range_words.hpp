// The words about what predicates say of one operand (ranges.hpp).
#pragma once

#include <vector>

#include "rules/words.hpp"

namespace satura::rules {

const std::vector<ConditionWord>& range_condition_words();
const std::vector<ComputedWord>& range_computed_words();

}  // namespace satura::rules
