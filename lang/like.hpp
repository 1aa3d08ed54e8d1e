// SQL's LIKE.
#pragma once

#include <optional>
#include <string_view>

namespace satura::lang {

// Whether the whole text matches the pattern: % any characters, _ one character, the escape
// character makes the next one plain. `escape` is empty (none) or one character. Nothing where the
// pattern ends with the escape character: an engine raises there, or not, as the text has it. Texts
// are UTF-8. Costs |text| * |pattern| at most.
std::optional<bool> like_matches(std::string_view text, std::string_view pattern,
                                 std::string_view escape);

}  // namespace satura::lang
