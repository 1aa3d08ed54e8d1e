// Relational algebra over flat arrays: a relation's children have smaller ids, so every pass is a
// loop.
//
// Columns are numbered across the whole query. A column keeps its id from where it is made (a scan,
// a computed item of a projection, an aggregate's result, an output of a set operation) to every
// place that reads it, through filters, joins and projections that hand it on; two scans of one
// table have different columns. So an expression of the plan, whose Op::column payloads are
// ColumnIds, means the same wherever it stands, and names are needed by the writer only.
//
// Columns that a relation reads and does not make are *outer*: those of the query around a
// subquery, or of the left side of a lateral join.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/catalog.hpp"
#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

enum class ColumnId : std::uint32_t {};
enum class RelationId : std::uint32_t {};
constexpr std::uint32_t index(ColumnId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(RelationId id) { return static_cast<std::uint32_t>(id); }
enum class InstanceId : std::uint32_t {};  // one mention of a table
// the payload of Op::exists, Op::in_subquery, Op::scalar_subquery
enum class SubqueryId : std::uint32_t {};
enum class CteId : std::uint32_t {};
constexpr std::uint32_t index(InstanceId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(SubqueryId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t index(CteId id) { return static_cast<std::uint32_t>(id); }
inline constexpr std::uint32_t no_index = 0xFFFFFFFFU;
inline constexpr ExprId no_expr{no_index};

struct PlanColumn {
    // in its table, or the alias or name that the query gives to the computed value
    std::string name;
    Type type;
    // Where it is made. Above the null-extended side of an outer join, or in a grouping set, it may
    // be NULL whatever this says.
    bool nullable = true;
    std::uint32_t instance = no_index;  // InstanceId of a scanned column
    // In the table; no_index for a computed column, for one of an open table, and for a system
    // column (ctid).
    std::uint32_t ordinal = no_index;
    bool whole_row = false;  // stands for all columns of an open table: its "*"
};

struct TableInstance {
    std::optional<TableId> table;  // nothing: open
    std::string schema;            // as written
    std::string name;
    std::string alias;  // empty: none
    bool only = false;  // ONLY t: without the tables that inherit from it
    // by ordinal; of an open table those that the query names, in order of appearance
    std::vector<ColumnId> columns;
};

enum class RelOp : std::uint8_t {
    one_row,  // one row without columns: SELECT without FROM
    scan,     // a TableInstance
    values,
    filter,  // keeps the rows for which the predicate is true
    project,
    join,
    aggregate,
    distinct,
    distinct_on,
    // ORDER BY, LIMIT, OFFSET; without limits it only orders, which has a meaning at the root alone
    topn,
    set_union,
    set_intersect,
    set_except,
    window,    // the input's columns and one for each call
    with,      // children: definition of a CTE, and the relation in which it is known
    cte_scan,  // a mention of a CTE: fresh columns, by position those of the definition
    opaque,
};
std::string_view rel_op_name(RelOp op);  // "scan", "union", …

enum class JoinKind : std::uint8_t { inner, left, right, full, semi, anti };
std::string_view join_kind_name(JoinKind kind);

// A column := an expression over the input's columns. A column that is handed on is `c := c`.
struct ProjectItem {
    ColumnId column{};
    ExprId expr{};
};

struct SortKey {
    ExprId expr{};
    bool descending = false;
    bool nulls_first = false;
    // ORDER BY x USING <: its spelling; then `descending` means nothing
    std::string using_operator;
};

// sum(DISTINCT x) FILTER (WHERE p), percentile_cont(0.5) WITHIN GROUP (ORDER BY x), grouping(a, b).
struct AggregateCall {
    ColumnId column{};
    std::string function;  // as it is called: quoted where needed
    std::vector<ExprId> arguments;
    bool star = false;
    bool distinct = false;
    bool variadic = false;
    bool within_group = false;  // `order` is that of WITHIN GROUP
    ExprId filter = no_expr;
    std::vector<SortKey> order;
};

struct Aggregate {
    std::vector<ProjectItem> keys;
    std::vector<AggregateCall> calls;
    // Columns of the input that are read above though they are no keys: the keys determine them, or
    // any value of the group will do. They keep their ids.
    std::vector<ColumnId> dependents;
    // GROUPING SETS, ROLLUP, CUBE: each set's keys by index; empty for one group by all keys. All
    // keys are then columns of their own, since they are NULL in the sets that lack them.
    std::vector<std::vector<std::uint32_t>> sets;
    bool distinct_sets = false;  // GROUP BY DISTINCT
};

enum class FrameMode : std::uint8_t { range, rows, groups };
enum class FrameBound : std::uint8_t {
    unbounded_preceding,
    preceding,
    current_row,
    following,
    unbounded_following
};
enum class FrameExclusion : std::uint8_t { none, current_row, group, ties };

struct Frame {
    bool written = false;  // else the default, which the other fields then are
    FrameMode mode = FrameMode::range;
    FrameBound start = FrameBound::unbounded_preceding;
    FrameBound end = FrameBound::current_row;
    FrameExclusion exclusion = FrameExclusion::none;
    ExprId start_offset = no_expr;
    ExprId end_offset = no_expr;
};

struct WindowCall {
    AggregateCall call;
    std::vector<ExprId> partition;
    std::vector<SortKey> order;
    Frame frame;
};

struct Values {
    std::vector<ColumnId> columns;
    std::vector<ExprId> cells;  // row by row
    std::uint32_t rows = 0;
};

struct DistinctOn {
    std::vector<ExprId> keys;
    std::vector<SortKey> order;  // decides which row of a group stays
};

struct TopN {
    std::vector<SortKey> keys;
    ExprId limit = no_expr;
    ExprId offset = no_expr;
    bool with_ties = false;
};

// Column i is made of column inputs[i] of the left child and inputs[width + i] of the right one.
struct SetOperation {
    std::vector<ColumnId> columns;
    std::vector<ColumnId> inputs;
};

struct Cte {
    std::string name;
    std::vector<std::string> column_names;
    std::vector<ColumnId> columns;  // of the definition, by position
    RelationId definition{};
    enum class Materialized : std::uint8_t {
        unsaid,
        always,
        never
    } materialized = Materialized::unsaid;
    bool pinned = false;     // an opaque text names it: it must be written, under this name
    bool recursive = false;  // its definition is opaque and reads it
};

struct CteScan {
    CteId cte{};
    std::string alias;
    std::vector<ColumnId> columns;
};

// A relation that no rule looks into: a table function, a sampled table, a recursive CTE, or a
// whole query.
struct OpaqueRelation {
    // with $1 … for `arguments` and $$ for a dollar sign; an item of FROM or a query
    std::string text;
    std::vector<ExprId> arguments;
    std::vector<ColumnId> columns;  // those that are known
    bool is_query = false;          // a query: as an item of FROM it needs parentheses and an alias
    bool columns_known = true;
    std::string alias;  // names it where it has columns; empty for a whole statement
};

// A derived table's name and its columns' names, kept so that the writer can use the user's.
struct Label {
    std::string alias;
    std::vector<std::string> names;
    std::vector<ColumnId> columns;
};

struct Relation {
    RelOp op = RelOp::one_row;
    JoinKind join = JoinKind::inner;
    bool all = false;      // UNION ALL, INTERSECT ALL, EXCEPT ALL
    bool lateral = false;  // a join whose right side reads columns of the left
    // ExprId of a filter's predicate or a join's condition (no_index: none, which is true),
    // InstanceId of a scan, CteId of a with, else an index into the operator's table in Plan.
    std::uint32_t payload = no_index;
    std::uint32_t first = 0;  // of its children in Plan's child array
    std::uint32_t count = 0;
    std::uint32_t label = no_index;        // in Plan::labels
    std::uint32_t position = no_position;  // in the source text
};

enum class SubqueryKind : std::uint8_t { exists, any, all, scalar, array, row };

// EXISTS (…), x IN (…), x < ALL (…), (SELECT …), ARRAY(…), (a, b) = (SELECT …). The children of the
// expression are its operands and then, each once, the outer columns that the relation reads.
struct Subquery {
    SubqueryKind kind = SubqueryKind::exists;
    Op comparison = Op::eq;  // of any, all, row
    std::uint32_t operands = 0;
    RelationId relation{};
    // of the relation, compared with the operands; the value of scalar and array
    std::vector<ColumnId> columns;
};

// A query. Ids are indexes into its arrays; nothing is ever removed, so a plan may hold relations
// that the root does not reach.
class Plan {
  public:
    Exprs exprs;
    std::vector<PlanColumn> columns;
    std::vector<TableInstance> instances;
    std::vector<Subquery> subqueries;
    std::vector<Cte> ctes;
    std::vector<Label> labels;
    RelationId root{};

    std::vector<Values> values;
    std::vector<std::vector<ProjectItem>> projects;
    std::vector<Aggregate> aggregates;
    std::vector<DistinctOn> distinct_ons;
    std::vector<TopN> topns;
    std::vector<SetOperation> set_operations;
    std::vector<std::vector<WindowCall>> windows;
    std::vector<CteScan> cte_scans;
    std::vector<OpaqueRelation> opaques;

    // Adds a relation over existing ones.
    RelationId add(Relation relation, std::span<const RelationId> children);
    ColumnId add_column(PlanColumn column);

    const Relation& operator[](RelationId id) const {
        return relations_[static_cast<std::uint32_t>(id)];
    }
    Relation& operator[](RelationId id) { return relations_[static_cast<std::uint32_t>(id)]; }
    const PlanColumn& operator[](ColumnId id) const {
        return columns[static_cast<std::uint32_t>(id)];
    }
    const TableInstance& operator[](InstanceId id) const {
        return instances[static_cast<std::uint32_t>(id)];
    }
    const Subquery& operator[](SubqueryId id) const {
        return subqueries[static_cast<std::uint32_t>(id)];
    }
    const Cte& operator[](CteId id) const { return ctes[static_cast<std::uint32_t>(id)]; }
    std::size_t size() const { return relations_.size(); }
    std::span<const RelationId> children(RelationId id) const {
        const Relation& r = (*this)[id];
        return {children_.data() + r.first, r.count};
    }

  private:
    std::vector<Relation> relations_;
    std::vector<RelationId> children_;
};

// The columns of a relation, in order, each once. Linear in the relations that hand columns on from
// below.
std::vector<ColumnId> output_columns(const Plan& plan, RelationId relation);

// The expressions that a relation itself holds, not those of its children: predicates, items,
// arguments, keys.
std::vector<ExprId> own_expressions(const Plan& plan, RelationId relation);

// The relations below `root`, itself included, children first: ascending ids. Those of subqueries
// in expressions too.
std::vector<RelationId> reachable(const Plan& plan, RelationId root);

}  // namespace satura::lang
