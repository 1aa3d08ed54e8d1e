// Types, semantics and values that the tests of the evaluator walk through.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/semantics.hpp"
#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::test {

// Every dialect, and PostgreSQL and DuckDB with other orders of NaN and other roundings.
std::vector<lang::Semantics> all_semantics();

// Every kind of type but opaque, with several parameters.
std::vector<lang::Type> all_types();
// Those with a numbered domain.
std::vector<lang::Type> domain_types();

// "smallint", "decimal(3,1)", "timestamp(3)": as tests write types.
lang::Type type_of(std::string_view text);
std::string text_of(lang::Type type);

// The value of a text, which must be one; "null" is NULL.
lang::Value value_of(std::string_view text, lang::Type type, const lang::Semantics& semantics);

// boundary_values and `count` more from a generator with that seed, all non-NULL.
std::vector<lang::Value> sample(lang::Type type, const lang::Semantics& semantics, int count,
                                std::uint64_t seed);

std::string show(const lang::Semantics& semantics);

}  // namespace satura::test
