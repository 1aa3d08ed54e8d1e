// How long one optimize takes, over the queries of an SQL file.
#pragma once

#include <cstdint>
#include <string>

namespace satura::bench {

// Optimizes each query of the file, over the DDL in it, `rounds` times after a first round that
// does not count, in process: the query is parsed each time, rules and schema are loaded once.
// Prints one JSON object a line for each query and one for all together: median and 99th percentile
// in µs, of the clock and of the processor. Returns an exit status, 2 where the file cannot be read
// or has a mistake.
int run_optimize(const std::string& path, std::uint32_t rounds);

}  // namespace satura::bench
