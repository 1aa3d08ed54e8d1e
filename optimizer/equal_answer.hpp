// What Simplifier and Optimizer answer when they are asked whether two expressions, or two queries, are equal.
//
// Expressions are equal if they have the same value in every row, and the same type; as filters, if they are true in the same
// rows. Queries are equal if they have the same rows on every database, equally often, with the same values by position and
// of the same types, and where there is an ORDER BY, if they are ordered by the same keys. Names of the result's columns do
// not count, nor which errors are raised.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egraph/runner.hpp"

namespace satura {

struct EqualAnswer {
    bool is_equal = false;  // false: not proved, which does not mean that they differ
    std::string reason;     // of false, where the rules could not even be asked; else empty
    std::vector<std::string> rules;  // that were applied on the way, by name, each once
    egraph::StopReason stop = egraph::StopReason::saturated;
    std::uint32_t iterations = 0;
    std::uint32_t tries = 0;  // ways to pair the mentions of tables of two queries
    double time_us = 0;
};

}  // namespace satura
