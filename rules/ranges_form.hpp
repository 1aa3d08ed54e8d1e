// The tidy form of what a predicate says of its subject.
#pragma once

#include <optional>

#include "rules/made.hpp"
#include "rules/ranges.hpp"

namespace satura::rules {

struct Form {
    Made made;
    std::uint32_t size = 0;  // as Ranges::size
};

// The shortest of the known ways to write it; nothing where none says exactly this. `never_null`: the subject is not NULL.
std::optional<Form> tidy_form(const Ranges& ranges, bool never_null, lang::Context& context);

}  // namespace satura::rules
