// A plan as JSON text.
#pragma once

#include <cstdint>
#include <string>

#include "optimizer/optimizer.hpp"

namespace satura::app {

// Many programs read JSON by recursion, Python's no deeper than 1,000 levels; a relation takes two.
inline constexpr std::uint32_t plan_levels_max = 200;

// Objects of op, detail, rows, cost and children, the root outermost; null for a plan without
// relations. What lies deeper than plan_levels_max is left out, and "omitted" says how many
// relations that are.
std::string plan_json(const PlanText& plan);

}  // namespace satura::app
