// How long one simplify takes, over the expressions of a case file.
#pragma once

#include <cstdint>
#include <string>

namespace satura::bench {

// Simplifies each case of a JSON Lines file ("col_type", "nullable", "context", "expr", "sem")
// `rounds` times after a first round that does not count, in process: columns and expression are
// parsed each time, rules are loaded once. Prints one JSON object a line for each dialect: cases,
// those refused, median and 99th percentile in µs, of the clock and of the processor. Returns an
// exit status, 2 where the file cannot be read.
int run_simplify(const std::string& path, std::uint32_t rounds);

}  // namespace satura::bench
