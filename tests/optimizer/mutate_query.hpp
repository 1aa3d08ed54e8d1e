// A query with one or two small changes, for tests of what tells queries apart.
#pragma once

#include <cstdint>
#include <string>

namespace satura::test {

// Changes a constant, a comparison, a kind of join, AND or OR, a column, an alias, DISTINCT, a set operation; swaps the sides
// of a join, drops a conjunct. What comes out may be no query, or an equal one. The same seed makes the same change.
std::string mutate_query(const std::string& sql, std::uint64_t seed);

}  // namespace satura::test
