#include "lang/literals.hpp"

namespace satura::lang {

LiteralId Literals::intern(Type type, const Value& value) {
    const std::uint64_t hash = hash_value(value) ^ std::hash<Type>{}(type);
    const auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        const Literal& entry = entries_[it->second];
        if (entry.type == type && identical(entry.value, value)) return LiteralId{it->second};
    }
    const auto id = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({type, value});
    by_hash_.emplace(hash, id);
    return LiteralId{id};
}

std::uint32_t Names::intern(std::string_view name) {
    const auto [it, added] =
        by_name_.try_emplace(std::string(name), static_cast<std::uint32_t>(entries_.size()));
    if (added) entries_.emplace_back(name);
    return it->second;
}

}  // namespace satura::lang
