#include "lang/catalog.hpp"

#include <algorithm>
#include <numeric>

namespace satura::lang {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Levenshtein's distance, ignoring ASCII case; gives up (limit + 1) where it is above the limit.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (difference > limit) return limit + 1;
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

bool same_name(std::string_view a, std::string_view b, Dialect dialect) {
    return dialect == Dialect::postgres ? a == b : std::ranges::equal(a, b, {}, lower, lower);
}

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t name_bytes_max = 63;
    if (name.size() > name_bytes_max) return {};
    std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
    std::string_view nearest;
    for (const std::string_view candidate : candidates) {
        const std::size_t distance = edit_distance(name, candidate, best);
        if (distance >= best) continue;
        best = distance;
        nearest = candidate;
    }
    return std::string(nearest);
}

std::optional<std::uint32_t> Table::find_column(std::string_view column) const {
    const auto at = std::ranges::find(columns, column, &Column::name);
    if (at == columns.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - columns.begin());
}

std::optional<TableId> Catalog::find(std::string_view schema, std::string_view name,
                                     Dialect dialect) const {
    std::optional<TableId> without_schema;
    for (std::uint32_t i = 0; i < tables_.size(); ++i) {
        const Table& table = tables_[i];
        if (!same_name(table.name, name, dialect)) continue;
        if (schema.empty() || same_name(table.schema, schema, dialect)) return TableId{i};
        if (table.schema.empty() && !without_schema) without_schema = TableId{i};
    }
    return without_schema;
}

std::string Catalog::nearest(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Table& table : tables_) names.push_back(table.name);
    return nearest_name(name, names);
}

}  // namespace satura::lang
