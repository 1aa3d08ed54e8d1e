// All databases of a tiny size: what a random draw misses.
#include <algorithm>

#include "lang/random_tables.hpp"

namespace satura::lang {
namespace {

// Moves to the next tuple of digits below their sizes; false after the last.
bool advance(std::vector<std::size_t>& digits, const std::vector<std::size_t>& sizes) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (++digits[i] < sizes[i]) return true;
        digits[i] = 0;
    }
    return false;
}

}  // namespace

// The rows of a table over the tiny domains of its columns, its checks not yet asked.
std::vector<Row> TableMaker::all_rows(std::uint32_t t, const AllTables& options) const {
    const Table& table = catalog_[TableId{t}];
    std::vector<std::vector<Value>> domains;
    std::vector<std::size_t> sizes;
    std::size_t product = 1;
    for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
        const auto& pool = pools_[place_of(t, c)];
        const auto holds = [&](const Key& key) {
            return std::ranges::find(key.columns, c) != key.columns.end();
        };
        const bool varies = read_[place_of(t, c)] || std::ranges::any_of(table.keys, holds);
        std::vector<Value>& domain = domains.emplace_back();
        if (table.columns[c].nullable) domain.emplace_back();
        const std::size_t values =
            varies ? options.values_max : (table.columns[c].nullable ? 0 : 1);
        domain.insert(domain.end(), pool.begin(),
                      pool.begin() + static_cast<std::ptrdiff_t>(std::min(values, pool.size())));
        if (domain.empty()) return {};
        sizes.push_back(domain.size());
        product *= domain.size();
        if (product > options.databases_max) return {};
    }
    std::vector<Row> rows;
    std::vector<std::size_t> digits(sizes.size(), 0);
    do {
        Row& row = rows.emplace_back();
        for (std::size_t c = 0; c < digits.size(); ++c) row.push_back(domains[c][digits[c]]);
    } while (advance(digits, sizes));
    return rows;
}

bool TableMaker::all(const AllTables& options,
                     const std::function<bool(const Database&)>& visit) const {
    const std::vector<std::uint32_t> tables = order_of_tables();
    std::vector<std::vector<std::vector<Row>>> contents;  // of each table, as bags of rows
    std::vector<std::size_t> sizes;
    Database database;
    database.tables.resize(catalog_.size());
    for (const std::uint32_t t : tables) {
        const std::vector<Row> rows = all_rows(t, options);
        if (rows.empty()) return false;  // too many, or none
        auto& bags = contents.emplace_back();
        bags.emplace_back();
        std::vector<std::size_t> last{0};  // the greatest row of each bag: rows come in order
        for (std::size_t i = 0; i < bags.size(); ++i) {
            if (bags[i].size() == options.rows_max) break;  // bags grow in size
            for (std::size_t r = last[i]; r < rows.size(); ++r) {
                database.tables[t] = bags[i];
                if (!keeps_rules(t, rows[r], database)) continue;
                auto grown = bags[i];
                grown.push_back(rows[r]);
                bags.push_back(std::move(grown));
                last.push_back(r);
                if (bags.size() > options.databases_max) return false;
            }
        }
        sizes.push_back(bags.size());
    }
    std::vector<std::size_t> digits(sizes.size(), 0);
    std::uint64_t visited = 0;
    do {
        for (std::size_t i = 0; i < tables.size(); ++i)
            database.tables[tables[i]] = contents[i][digits[i]];
        const bool refers = std::ranges::all_of(tables, [&](std::uint32_t t) {
            return std::ranges::all_of(
                database.tables[t], [&](const Row& row) { return refers_well(t, row, database); });
        });
        if (!refers) continue;
        if (++visited > options.databases_max || !visit(database)) return false;
    } while (advance(digits, sizes));
    return true;
}

}  // namespace satura::lang
