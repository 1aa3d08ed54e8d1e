#include "app/json_depth.hpp"

namespace satura::app {

std::optional<std::uint32_t> first_too_deep(std::string_view text) {
    std::uint32_t depth = 0;
    bool in_string = false;
    for (std::uint32_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > json_depth_max) return i;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        }
    }
    return std::nullopt;
}

}  // namespace satura::app
