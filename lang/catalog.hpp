// The tables that a query may name: columns, keys, checks and indexes, read from DDL.
//
// A catalog without any table is *open*: every table name is accepted, and a table has the columns
// that the query names (see Plan in lang/plan.hpp). With one table, unknown names are errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/context.hpp"
#include "lang/diagnostic.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

enum class TableId : std::uint32_t {};

// Columns of a table by ordinal that have no two equal rows, at any time: a DEFERRABLE constraint is none.
struct Key {
    std::vector<std::uint32_t> columns;  // ascending
    bool primary = false;
    // UNIQUE: rows with a NULL in a column never clash, so the columns are a key of the rows
    // without NULLs only.
    bool nulls_distinct = true;
};

// Each row's columns, where none of them is NULL, are those of a row of the other table.
struct ForeignKey {
    std::vector<std::uint32_t> columns;
    std::string schema;  // as written; empty when not
    std::string table;
    // as many as columns; empty: the other table's primary key
    std::vector<std::string> referenced;
};

// A condition that no row makes false (NULL passes).
struct Check {
    std::optional<ExprId>
        // in Table::check_exprs, column payloads being ordinals; nothing when it did not bind
        root;
    std::string text;
    bool no_inherit = false;  // says nothing of tables that inherit from this one
};

struct Index {
    std::string name;
    // in the index's order; empty when it begins with an expression
    std::vector<std::uint32_t> columns;
    bool unique = false;
    bool partial = false;  // has a WHERE: it is no key
};

// What is known of the values of a column. Negative or absent: not known.
struct ColumnStatistics {
    double distinct = -1;       // number of distinct non-NULL values
    double null_fraction = -1;  // 0 to 1
    std::optional<Value> minimum;
    std::optional<Value> maximum;
};

struct Table {
    std::string schema;  // as written; empty when not
    std::string name;
    std::vector<Column> columns;
    // the primary key, UNIQUE constraints, unique indexes that are not partial
    std::vector<Key> keys;
    std::vector<ForeignKey> foreign_keys;
    std::vector<Check> checks;
    Exprs check_exprs;
    std::vector<Index> indexes;  // of CREATE INDEX, and one for each key
    // Others inherit from it (INHERITS): a scan without ONLY reads their rows too, among which its keys do not hold.
    bool has_heirs = false;
    double rows = -1;
    std::vector<ColumnStatistics> statistics;  // by ordinal; may be shorter than columns

    std::optional<std::uint32_t> find_column(std::string_view column) const;
};

class Catalog {
  public:
    // Adds the tables of CREATE TABLE, and what CREATE INDEX and ALTER TABLE … ADD say of them.
    // Types of every dialect are read. Other statements are skipped; each gives a warning with its
    // place. A later CREATE TABLE of the same name is an error, unless it says IF NOT EXISTS.
    // Literals and names of CHECK constraints are interned in `context`, with which the catalog is
    // used from then on.
    Result<std::vector<Diagnostic>> read(std::string_view ddl, Context& context);

    bool is_open() const { return tables_.empty(); }
    std::size_t size() const { return tables_.size(); }
    const Table& operator[](TableId id) const { return tables_[static_cast<std::uint32_t>(id)]; }
    Table& operator[](TableId id) { return tables_[static_cast<std::uint32_t>(id)]; }

    // The table of that name. Without a schema, the first of that name; with a schema, that of the
    // schema, or the one that was created without any.
    std::optional<TableId> find(std::string_view schema, std::string_view name,
                                Dialect dialect) const;

    // The table's name that looks most like this one; empty when none does.
    std::string nearest(std::string_view name) const;

  private:
    friend class CatalogReader;
    std::vector<Table> tables_;
};

// Names are compared exactly in PostgreSQL, whose grammar has folded them; other dialects ignore
// ASCII case.
bool same_name(std::string_view a, std::string_view b, Dialect dialect);

// The candidate with the fewest edits from `name`, if they are at most a third of its length; the
// first of equals.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace satura::lang
