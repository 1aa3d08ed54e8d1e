// Small databases on which plans are compared: random ones, and all of a tiny size.
//
//     TableMaker maker(catalog, plans, context);
//     const std::optional<Database> database = maker.random({.seed = 7});
//
// Values are drawn where mistakes show: the literals that a plan compares a column with and their neighbours, and small
// domains shared by columns that are compared with each other, so that joins meet and filters keep some rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lang/bag.hpp"
#include "lang/catalog.hpp"
#include "lang/context.hpp"
#include "lang/plan.hpp"

namespace satura::lang {

struct RandomTables {
    std::uint64_t seed = 1;      // the same seed makes the same database, on every machine
    std::uint32_t rows_max = 6;  // of one table
    double null_share = 0.25;    // of the values of a nullable column, 0 to 1
    double empty_share = 0.08;   // of the tables
};

struct AllTables {
    std::uint32_t rows_max = 2;             // of one table
    std::uint32_t values_max = 2;           // of one column, beside NULL
    std::uint64_t databases_max = 1000000;  // to visit
};

// Fills the tables that some plans scan, and those that foreign keys of these refer to. Types, NOT NULL, PRIMARY KEY,
// UNIQUE, FOREIGN KEY hold, and each CHECK that is bound and that can be evaluated. Refers to the catalog and the context.
class TableMaker {
  public:
    TableMaker(const Catalog& catalog, std::span<const Plan* const> plans, const Context& context);

    // Nothing when a NOT NULL column has a type without values (an opaque one).
    std::optional<Database> random(const RandomTables& options) const;

    // Calls `visit` with each database of that size until it says false. True when all were visited, false when `visit`
    // or databases_max ended it. Columns that no expression of the plans reads and no key holds have one value.
    bool all(const AllTables& options, const std::function<bool(const Database&)>& visit) const;

  private:
    struct ColumnPlace {
        std::uint32_t table = 0;
        std::uint32_t ordinal = 0;
    };
    class Draw;

    std::uint32_t place_of(std::uint32_t table, std::uint32_t ordinal) const {
        return first_[table] + ordinal;
    }
    void gather(const Plan& plan, std::vector<std::uint32_t>& parents);
    void join_columns(std::vector<std::uint32_t>& parents);
    void fill_pools(std::vector<std::uint32_t>& parents);
    std::vector<std::uint32_t> order_of_tables() const;
    std::optional<std::uint32_t> referenced_table(const ForeignKey& key) const;
    std::vector<std::uint32_t> referenced_columns(const ForeignKey& key, std::uint32_t table) const;
    bool keeps_rules(std::uint32_t table, const Row& row, const Database& database) const;
    bool refers_well(std::uint32_t table, const Row& row, const Database& database) const;
    std::vector<Row> all_rows(std::uint32_t table, const AllTables& options) const;

    const Catalog& catalog_;
    const Context& context_;
    std::vector<std::uint32_t> first_;    // by table: the place of its first column
    std::vector<bool> used_;              // by table
    std::vector<bool> read_;              // by place: an expression reads it
    std::vector<std::uint32_t> classes_;  // by place: columns that are compared share one
    std::vector<std::vector<Value>>
        pools_;                             // by place: values of its type, those of the plan first
    std::vector<std::uint32_t> from_plan_;  // by place: how many are of the plan
    struct Mention {
        std::uint32_t place = 0;
        std::uint32_t literal = 0;
    };
    std::vector<Mention> mentions_;
};

}  // namespace satura::lang
