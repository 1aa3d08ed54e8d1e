// The names that one SELECT makes visible: the tables of its FROM and their columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/plan.hpp"
#include "lang/semantics.hpp"

struct PgQuery__WindowDef;

namespace satura::lang {

struct VisibleColumn {
    std::string name;
    ColumnId column{};
    ExprId expr =
        // what the name stands for where it is no column: a merged column of FULL JOIN USING
        no_expr;
    Type type;
    bool unqualified = true;  // x alone may mean it; false for what USING has merged
    bool whole_row = false;   // columns without known names
};

struct VisibleTable {
    std::string name;    // alias, or the table's own name; empty for none
    std::string schema;  // where it has no alias
    bool has_alias = false;
    std::vector<VisibleColumn> columns;
    std::optional<InstanceId> instance;  // a scan
    std::uint32_t opaque = no_index;     // in Plan::opaques
    bool is_open = false;                // a name that is not among the columns is one more column
    bool qualified = true;               // t.x may mean a column of it
    bool unqualified = true;
    bool in_star = true;
};

// Tables of a level by index: an ON condition sees those of its join only.
struct TableRange {
    std::uint32_t begin = 0;
    std::uint32_t end = no_index;
};

struct ColumnPlace {
    std::uint32_t table = 0;
    std::uint32_t column = 0;
};

// One SELECT while it is bound. Levels are chained by `parent`: the query around a subquery, which
// is where names are looked for next. (A derived table's parent is the query around the query that
// it stands in, unless it is LATERAL.)
class Level {
  public:
    enum class Phase : std::uint8_t { from, where, group, output };

    Level(Level* parent_level, Dialect dialect) : parent(parent_level), dialect_(dialect) {}
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

    // What a name means at this level alone. `table`: the table is found and has no such column.
    struct Match {
        enum class State : std::uint8_t {
            none,
            column,
            table,
            ambiguous,
            ambiguous_table
        } state = State::none;
        ColumnPlace place;
    };
    Match find(std::span<const std::string_view> parts, TableRange range) const;
    // The tables in the range that may have columns of unknown names.
    std::vector<std::uint32_t> open_tables(TableRange range) const;

    std::uint32_t add_table(VisibleTable table);
    void add_column(std::uint32_t table, VisibleColumn column);
    // Hides all tables of the range behind a join's alias.
    void retire(TableRange range);
    const std::vector<VisibleTable>& tables() const { return tables_; }
    void merge_away(ColumnPlace place) {
        tables_[place.table].columns[place.column].unqualified = false;
    }
    // The table of that name that a FROM may not name again.
    bool has_table(const VisibleTable& table) const;
    std::vector<std::string_view> column_names(TableRange range) const;
    std::vector<std::string_view> table_names() const;
    std::optional<std::uint32_t> owner_of(ColumnId column) const;

    // A column of a query around this one that it reads.
    void note_outer(ColumnId column);
    bool is_outer(ColumnId column) const {
        return outer_set_.contains(static_cast<std::uint32_t>(column));
    }

    Level* parent = nullptr;
    std::uint32_t ctes = no_index;  // the innermost CTE that is visible
    Phase phase = Phase::from;
    TableRange seen;            // tables that the expression bound now, and a query in it, may name
    bool in_aggregate = false;  // binding an aggregate's arguments
    bool in_window = false;
    std::vector<ColumnId> outer;
    // ColumnIds that are not outer to queries within this one
    std::unordered_set<std::uint32_t> made;
    std::vector<AggregateCall> calls;
    std::unordered_map<std::string, ColumnId> call_columns;  // by what the call says
    std::vector<WindowCall> window_calls;
    std::unordered_map<std::string, const PgQuery__WindowDef*> windows;
    // With grouping sets, what a query within the select list reads for a key's column.
    std::unordered_map<std::uint32_t, ColumnId> key_columns;

  private:
    std::string key(std::string_view name) const;
    bool matches(const VisibleTable& table, std::span<const std::string_view> parts) const;
    std::optional<std::uint32_t> column_in(std::uint32_t table, std::string_view name) const;
    Match find_qualified(std::span<const std::string_view> parts, TableRange range) const;

    Dialect dialect_;
    std::vector<VisibleTable> tables_;
    std::unordered_multimap<std::string, ColumnPlace> by_column_;
    std::unordered_multimap<std::string, std::uint32_t> by_table_;
    std::unordered_map<std::uint32_t, std::uint32_t> owners_;  // ColumnId to table
    std::unordered_set<std::uint32_t> outer_set_;
};

}  // namespace satura::lang
