// The built-in rule files, kept inside the library.
#pragma once

#include <span>
#include <string_view>

namespace satura::rules {

struct EmbeddedFile {
    std::string_view name;  // without its folder: "boolean.rules"
    std::string_view text;
};

// In the order in which rules/meson.build lists them. The source is made by tools/embed.py.
std::span<const EmbeddedFile> embedded_rules();

}  // namespace satura::rules
