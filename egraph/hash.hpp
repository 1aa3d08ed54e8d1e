// Hash functions that give the same numbers on every machine: structural order rests on them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace satura::egraph {

constexpr std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
    h ^= v + 0x9E3779B97F4A7C15ULL + (h << 6) + (h >> 2);
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ULL;
    h ^= h >> 32;
    return h;
}

constexpr std::uint64_t hash_text(std::string_view text) {
    std::uint64_t h = 0xCBF29CE484222325ULL;  // FNV-1a
    for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return mix(h, text.size());
}

// Of a hash-cons key. The empty slot's tag is never produced.
inline std::uint32_t hash_key(std::uint32_t payload, std::span<const std::uint32_t> children) {
    std::uint64_t h = payload * 0xBF58476D1CE4E5B9ULL + 0x2545F4914F6CDD1DULL;
    for (std::uint32_t c : children) {
        h = (h ^ c) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 29;
    }
    h *= 0x94D049BB133111EBULL;
    return static_cast<std::uint32_t>(h >> 32);
}

}  // namespace satura::egraph
