// Rows, bags of rows, and the tables that a plan is run on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/catalog.hpp"
#include "lang/context.hpp"
#include "lang/plan.hpp"

namespace satura::lang {

using Row = std::vector<Value>;

// Rows over columns, each row as wide as `columns`. Neither the order of the rows nor that of the columns means anything.
struct Bag {
    std::vector<ColumnId> columns;
    std::vector<Row> rows;
};

// The rows of each table of a catalog, by TableId, each as wide as the table. A table beyond the end has no rows.
struct Database {
    std::vector<std::vector<Row>> tables;
};

// Identical values, place by place.
bool identical_rows(std::span<const Value> a, std::span<const Value> b);
std::uint64_t hash_row(std::span<const Value> row);

// Whether two lists hold identical rows equally often. Linear.
bool same_rows(std::span<const Row> a, std::span<const Row> b);

// Whether two bags have the same columns, by id, and identical rows equally often.
bool same_bag(const Bag& a, const Bag& b);

// The bag's rows over some of its columns, in that order; a column may stand twice. Requires columns of the bag.
std::vector<Row> rows_over(const Bag& bag, std::span<const ColumnId> columns);

// Where the columns stand in the bag; no_index for one that it lacks.
std::vector<std::uint32_t> places_of(const Bag& bag, std::span<const ColumnId> columns);

// Numbers the groups of rows that GROUP BY, DISTINCT and set operations take as one: equal by SQL's order of each type,
// NULLs alike, and NaNs alike. Rows of one group need not be identical (1.0 and 1.00).
class Groups {
  public:
    Groups(std::vector<Type> types, const Semantics& semantics)
        : types_(std::move(types)), semantics_(&semantics) {}

    // The group of the key, a new one where there is none yet. Requires as many values as types.
    std::uint32_t add(const Row& key);
    // The group of the key; no_index where there is none.
    std::uint32_t find(const Row& key) const;

    std::size_t size() const { return keys_.size(); }
    const Row& key(std::uint32_t group) const { return keys_[group]; }  // its first row
    bool is_uniform(std::uint32_t group) const {
        return uniform_[group];
    }  // all keys added so far are identical

  private:
    bool equal(const Row& a, const Row& b) const;

    std::vector<Type> types_;
    const Semantics* semantics_;
    std::vector<Row> keys_;
    std::vector<bool> uniform_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// A bag as lines, sorted: one for each row, "(1, NULL, a)".
std::string bag_text(const Bag& bag, const Plan& plan);

}  // namespace satura::lang
