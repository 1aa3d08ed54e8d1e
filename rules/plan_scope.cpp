#include "rules/plan_scope.hpp"

#include <algorithm>

namespace satura::rules {

std::uint32_t ColumnSets::intern(Columns columns) {
    std::ranges::sort(columns);
    const auto repeated = std::ranges::unique(columns);
    columns.erase(repeated.begin(), repeated.end());
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(columns), static_cast<std::uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(&it->first);
    return it->second;
}

std::uint32_t ColumnSets::unite(std::uint32_t a, std::uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    Columns both = *sets_[a];
    both.insert(both.end(), sets_[b]->begin(), sets_[b]->end());
    return intern(std::move(both));
}

std::uint32_t ColumnSets::intersect(std::uint32_t a, std::uint32_t b) {
    if (a == b) return a;
    Columns common;
    std::ranges::set_intersection(*sets_[a], *sets_[b], std::back_inserter(common));
    return intern(std::move(common));
}

bool ColumnSets::contains(std::uint32_t set, lang::ColumnId column) const {
    return std::ranges::binary_search(*sets_[set], column);
}

bool ColumnSets::is_subset(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::includes(*sets_[b], *sets_[a]);
}

bool ColumnSets::meets(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::any_of(*sets_[a], [&](lang::ColumnId c) { return contains(b, c); });
}

}  // namespace satura::rules
