#include "lang/sql_level.hpp"

#include <algorithm>

#include "lang/catalog.hpp"

namespace satura::lang {

std::string Level::key(std::string_view name) const {
    std::string out(name);
    if (dialect_ == Dialect::postgres) return out;
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
}

std::uint32_t Level::add_table(VisibleTable table) {
    const auto index = static_cast<std::uint32_t>(tables_.size());
    by_table_.emplace(key(table.name), index);
    std::vector<VisibleColumn> columns = std::move(table.columns);
    table.columns.clear();
    tables_.push_back(std::move(table));
    for (VisibleColumn& column : columns) add_column(index, std::move(column));
    return index;
}

void Level::add_column(std::uint32_t table, VisibleColumn column) {
    const auto place = static_cast<std::uint32_t>(tables_[table].columns.size());
    if (column.expr == no_expr) {
        owners_.emplace(static_cast<std::uint32_t>(column.column), table);
        made.insert(static_cast<std::uint32_t>(column.column));
    }
    if (!column.whole_row) by_column_.emplace(key(column.name), ColumnPlace{table, place});
    tables_[table].columns.push_back(std::move(column));
}

void Level::retire(TableRange range) {
    for (std::uint32_t i = range.begin; i < range.end && i < tables_.size(); ++i) {
        tables_[i].qualified = tables_[i].unqualified = tables_[i].in_star = false;
    }
}

bool Level::has_table(const VisibleTable& table) const {
    const auto [first, last] = by_table_.equal_range(key(table.name));
    return std::any_of(first, last, [&](const auto& entry) {
        const VisibleTable& other = tables_[entry.second];
        const bool both_plain = !table.has_alias && !other.has_alias;
        return other.qualified && !(both_plain && table.schema != other.schema);
    });
}

bool Level::matches(const VisibleTable& table, std::span<const std::string_view> parts) const {
    if (!table.qualified) return false;
    if (parts.size() < 3) return true;
    return !table.has_alias &&
           (table.schema.empty() || same_name(table.schema, parts[parts.size() - 3], dialect_));
}

std::optional<std::uint32_t> Level::column_in(std::uint32_t table, std::string_view name) const {
    const std::vector<VisibleColumn>& columns = tables_[table].columns;
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
        if (!columns[i].whole_row && same_name(columns[i].name, name, dialect_)) return i;
    }
    return std::nullopt;
}

Level::Match Level::find_qualified(std::span<const std::string_view> parts,
                                   TableRange range) const {
    std::optional<std::uint32_t> found;
    const auto [first, last] = by_table_.equal_range(key(parts[parts.size() - 2]));
    for (auto at = first; at != last; ++at) {
        const std::uint32_t table = at->second;
        if (table < range.begin || table >= range.end || !matches(tables_[table], parts)) continue;
        if (found) return {Match::State::ambiguous_table, {table, 0}};
        found = table;
    }
    if (!found) return {};
    const auto column = column_in(*found, parts.back());
    if (!column) return {Match::State::table, {*found, 0}};
    return {Match::State::column, {*found, *column}};
}

Level::Match Level::find(std::span<const std::string_view> parts, TableRange range) const {
    if (parts.size() > 1) return find_qualified(parts, range);
    Match match;
    const auto [first, last] = by_column_.equal_range(key(parts[0]));
    for (auto at = first; at != last; ++at) {
        const ColumnPlace place = at->second;
        const VisibleTable& table = tables_[place.table];
        const bool visible = place.table >= range.begin && place.table < range.end &&
                             table.unqualified && table.columns[place.column].unqualified;
        if (!visible) continue;
        if (match.state == Match::State::column) return {Match::State::ambiguous, place};
        match = {Match::State::column, place};
    }
    return match;
}

std::vector<std::uint32_t> Level::open_tables(TableRange range) const {
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = range.begin; i < range.end && i < tables_.size(); ++i) {
        const bool whole_row = std::ranges::any_of(tables_[i].columns, &VisibleColumn::whole_row);
        if (tables_[i].unqualified && (tables_[i].is_open || whole_row)) open.push_back(i);
    }
    return open;
}

std::vector<std::string_view> Level::column_names(TableRange range) const {
    std::vector<std::string_view> names;
    for (std::uint32_t i = range.begin; i < range.end && i < tables_.size(); ++i) {
        for (const VisibleColumn& column : tables_[i].columns) names.push_back(column.name);
    }
    return names;
}

std::vector<std::string_view> Level::table_names() const {
    std::vector<std::string_view> names;
    for (const VisibleTable& table : tables_) {
        if (table.qualified) names.push_back(table.name);
    }
    return names;
}

std::optional<std::uint32_t> Level::owner_of(ColumnId column) const {
    const auto at = owners_.find(static_cast<std::uint32_t>(column));
    return at == owners_.end() ? std::nullopt : std::optional(at->second);
}

void Level::note_outer(ColumnId column) {
    if (outer_set_.insert(static_cast<std::uint32_t>(column)).second) outer.push_back(column);
}

}  // namespace satura::lang
