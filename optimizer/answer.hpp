// What every answer says, be it of an expression or of a query.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egraph/runner.hpp"
#include "lang/diagnostic.hpp"
#include "proof/proof.hpp"

namespace satura {

struct Answer {
    std::string result;      // SQL
    double cost_before = 0;  // of the input and of the result, by the same model
    double cost_after = 0;
    std::uint32_t opaque = 0;  // pieces of the input that no rule looks into
    egraph::StopReason stop = egraph::StopReason::saturated;
    std::uint32_t iterations = 0;
    std::uint32_t nodes = 0;
    std::uint32_t classes = 0;
    std::vector<std::pair<std::string, std::uint64_t>> rules;  // applied, by name, with how often
    double time_us = 0;
    std::vector<std::string> warnings;
    std::optional<proof::Proof> proof;  // where it was asked for and found
    std::string unproved;               // where it was asked for: why there is none
};

// What became of a term that a rule's `example` or `keep` gives.
struct RuleTrial {
    bool fired = false;  // the rule was applied, in one of its instances
    // Left and right are one class in the end; of queries: right is what came out, but for line breaks.
    bool equal = false;
    std::string result;  // of queries: the SQL that came out
};

// A mistake in a request, and in which part of it.
struct RequestError {
    lang::Diagnostic diagnostic;
    std::string in;  // "columns" or "expr", "schema" or "sql"
};

}  // namespace satura
