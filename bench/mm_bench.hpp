// The mm workload: symbolic differentiation and integration from a rule file, counts that are known, and times.
#pragma once

#include <cstdint>
#include <string>

namespace satura::bench {

inline constexpr std::uint32_t mm_iterations_max = 11;

// Runs the rules of the file for 1 to k_max iterations, each time from the start terms, and prints one JSON object a line:
// nodes, classes, whether they are the known ones, times. Returns an exit status: 1 where a count is not right, 2 where the
// file cannot be loaded. Requires k_max <= mm_iterations_max.
int run_mm(const std::string& path, std::uint32_t k_max);

}  // namespace satura::bench
