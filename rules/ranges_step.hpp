// Steps: how the value of an expression follows from that of its one operand, and what a predicate on it says of that operand.
#pragma once

#include "rules/ranges.hpp"

namespace satura::rules {

// The step of an operator; nothing for those that are none.
std::optional<Step> step_of(lang::Op op, lang::Type type, std::span<const Subject> operands,
                            lang::Context& context);

// How many tokens the step adds to its operand; a cast counts for more, as in the cost of expressions.
std::uint32_t step_size(const Step& step);

// What `r`, about the result of the step, says of its operand: the preimage of each region. Nothing where it is not known.
std::optional<Ranges> carried_over(const Ranges& r, const Step& step, const Subject& inner,
                                   lang::Context& context);

}  // namespace satura::rules
