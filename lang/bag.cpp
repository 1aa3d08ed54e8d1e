#include "lang/bag.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::lang {
namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t hash) {
    return (seed ^ hash) * 0x9E3779B97F4A7C15ULL + (seed >> 29);
}

// The same for any two values that SQL takes as equal, whatever their representation.
std::uint64_t hash_of_equals(const Value& value) {
    const Value::Kind kind = value.kind();
    if (Number::is_nan(value)) return 7;
    if (kind == Value::Kind::interval) return 11;
    if (kind == Value::Kind::text) {
        std::string_view text = value.as_text();
        while (text.ends_with(' ')) text.remove_suffix(1);
        return std::hash<std::string_view>{}(text);
    }
    const bool exact = kind == Value::Kind::integer || kind == Value::Kind::decimal;
    const bool binary = kind == Value::Kind::real || kind == Value::Kind::double_;
    if (!exact && !binary) return hash_value(value);
    double number = value.as_double();
    if (exact)
        number = decimal_to_double(
            kind == Value::Kind::decimal ? value : Number::decimal(Number::digits(value), 0));
    return std::bit_cast<std::uint64_t>(number + 0.0);  // -0.0 becomes 0.0
}

std::uint64_t hash_of_equals(const Row& key) {
    std::uint64_t hash = 17;
    for (const Value& value : key) hash = mixed(hash, hash_of_equals(value));
    return hash;
}

// The rows, without doubles, with how often each is there.
using Counts = std::unordered_multimap<std::uint64_t, std::pair<const Row*, std::int64_t>>;

std::int64_t* count_of(Counts& counts, const Row& row, std::uint64_t hash) {
    const auto [first, last] = counts.equal_range(hash);
    for (auto at = first; at != last; ++at) {
        if (identical_rows(*at->second.first, row)) return &at->second.second;
    }
    return nullptr;
}

}  // namespace

bool identical_rows(std::span<const Value> a, std::span<const Value> b) {
    return std::ranges::equal(a, b, [](const Value& x, const Value& y) { return identical(x, y); });
}

std::uint64_t hash_row(std::span<const Value> row) {
    std::uint64_t hash = 17;
    for (const Value& value : row) hash = mixed(hash, hash_value(value));
    return hash;
}

bool same_rows(std::span<const Row> a, std::span<const Row> b) {
    if (a.size() != b.size()) return false;
    Counts counts;
    for (const Row& row : a) {
        const std::uint64_t hash = hash_row(row);
        if (std::int64_t* count = count_of(counts, row, hash)) {
            ++*count;
        } else {
            counts.emplace(hash, std::pair{&row, 1});
        }
    }
    return std::ranges::all_of(b, [&](const Row& row) {
        std::int64_t* count = count_of(counts, row, hash_row(row));
        return count != nullptr && --*count >= 0;
    });
}

bool same_bag(const Bag& a, const Bag& b) {
    if (a.columns.size() != b.columns.size()) return false;
    std::vector<ColumnId> sorted = a.columns;
    std::vector<ColumnId> other = b.columns;
    std::ranges::sort(sorted);
    std::ranges::sort(other);
    return sorted == other && same_rows(rows_over(a, sorted), rows_over(b, sorted));
}

std::vector<std::uint32_t> places_of(const Bag& bag, std::span<const ColumnId> columns) {
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    for (std::uint32_t i = 0; i < bag.columns.size(); ++i)
        places.emplace(static_cast<std::uint32_t>(bag.columns[i]), i);
    std::vector<std::uint32_t> out;
    for (const ColumnId column : columns) {
        const auto found = places.find(static_cast<std::uint32_t>(column));
        out.push_back(found == places.end() ? no_index : found->second);
    }
    return out;
}

std::vector<Row> rows_over(const Bag& bag, std::span<const ColumnId> columns) {
    const std::vector<std::uint32_t> places = places_of(bag, columns);
    std::vector<Row> rows;
    rows.reserve(bag.rows.size());
    for (const Row& row : bag.rows) {
        Row& out = rows.emplace_back();
        for (const std::uint32_t place : places) out.push_back(row[place]);
    }
    return rows;
}

bool Groups::equal(const Row& a, const Row& b) const {
    for (std::size_t i = 0; i < types_.size(); ++i) {
        if (identical(a[i], b[i])) continue;
        if (a[i].is_null() || b[i].is_null()) return false;
        if (compare(a[i], b[i], types_[i], *semantics_) != 0) return false;
    }
    return true;
}

std::uint32_t Groups::find(const Row& key) const {
    const auto [first, last] = by_hash_.equal_range(hash_of_equals(key));
    for (auto at = first; at != last; ++at) {
        if (equal(keys_[at->second], key)) return at->second;
    }
    return no_index;
}

std::uint32_t Groups::add(const Row& key) {
    const std::uint32_t known = find(key);
    if (known != no_index) {
        if (!identical_rows(keys_[known], key)) uniform_[known] = false;
        return known;
    }
    const auto group = static_cast<std::uint32_t>(keys_.size());
    keys_.push_back(key);
    uniform_.push_back(true);
    by_hash_.emplace(hash_of_equals(key), group);
    return group;
}

std::string bag_text(const Bag& bag, const Plan& plan) {
    std::vector<std::string> lines;
    for (const Row& row : bag.rows) {
        std::string line = "(";
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i > 0) line += ", ";
            line += row[i].is_null() ? "NULL" : value_text(row[i], plan[bag.columns[i]].type);
        }
        lines.push_back(line + ")\n");
    }
    std::ranges::sort(lines);
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
}

}  // namespace satura::lang
