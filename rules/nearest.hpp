// "Did you mean …": the known name nearest to one that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace satura::rules {

// The name with the fewest edits (insert, delete, replace, swap of neighbours), the first of equal ones; empty where it
// takes more than one edit for each three letters. Cost: the product of the lengths, for each known name.
std::string nearest(std::string_view word, std::span<const std::string> known);

// `did you mean "x"?`, or `otherwise` where nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view otherwise = "");

// "a, b or c"
std::string enumerate(std::span<const std::string> words);

}  // namespace satura::rules
