// How deep JSON text is nested. The JSON library writes and frees nested values by recursion: a text that is nested deeper than
// this is refused before it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace satura::app {

inline constexpr std::uint32_t json_depth_max = 500;

// The place of the first bracket that is nested too deeply.
std::optional<std::uint32_t> first_too_deep(std::string_view text);

}  // namespace satura::app
