// The state of binding one statement's query; see sql_select.hpp.
//
// A mistake is kept in error_ and every step returns at once when there is one; what it returns
// then means nothing. The code "unsupported" is no mistake: the whole statement then becomes an
// opaque query.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/expr_numbers.hpp"
#include "lang/sql_bind.hpp"
#include "lang/sql_level.hpp"
#include "lang/sql_opaque.hpp"
#include "lang/sql_select.hpp"
#include "lang/sql_tree.hpp"

struct PgQuery__Alias;
struct PgQuery__CommonTableExpr;
struct PgQuery__FuncCall;
struct PgQuery__GroupingSet;
struct PgQuery__JoinExpr;
struct PgQuery__RangeFunction;
struct PgQuery__RangeSubselect;
struct PgQuery__RangeVar;
struct PgQuery__SelectStmt;
struct PgQuery__WindowDef;

namespace satura::lang {

// One column of a query's result.
struct OutputColumn {
    std::string name;
    ColumnId column{};
    // A bare NULL, 'abc' or 5 in the select list: a set operation may still give it another type.
    std::optional<Operand> constant;
    bool whole_row = false;
    std::uint32_t position = no_position;
};

struct BoundQuery {
    RelationId relation{};
    std::vector<OutputColumn> columns;
    std::vector<ColumnId> outer;
};

class QueryBinder {
  public:
    using Nodes = std::span<PgQuery__Node* const>;

    QueryBinder(const ParsedSql& sql, const Catalog& catalog, Context& context, Plan& plan);

    // Binds a top-level query and sets the plan's root.
    Result<BoundQuery> run(const PgQuery__SelectStmt& select);

    // --- for QueryScope (sql_query_scope.cpp) ---
    Result<Scope::Found> resolve(Level& level, TableRange range,
                                 std::span<const std::string_view> parts);
    std::optional<Result<Scope::Found>> take(Level& level, const PgQuery__Node& node);
    bool takes(const PgQuery__Node& node) const;
    std::optional<Result<Scope::Query>> query(Level& level, const PgQuery__SubLink& link,
                                              std::span<const Operand> operands,
                                              std::string_view row_operator);

  private:
    // An item of FROM while its joins are built.
    struct FromItem {
        RelationId relation{};
        TableRange range;
        std::vector<ColumnId> lateral;  // columns of items to the left that it reads
        // What * stands for, where a USING has changed it; else the tables' columns in order.
        std::optional<std::vector<ColumnPlace>> star;
    };
    struct Target {
        const PgQuery__Node* node = nullptr;  // null: a column of a star
        std::string name;
        bool named = false;  // by AS
        ExprId expr{};
        std::optional<Operand> constant;
        bool whole_row = false;
        std::uint32_t position = no_position;
        ColumnId column{};  // in the projection
    };
    struct Ordering {
        SortKey key;
        std::optional<std::size_t> target;  // the one that it names or equals
    };
    // A SELECT without its set operations while it is bound.
    struct Simple {
        const PgQuery__SelectStmt* statement = nullptr;
        RelationId relation{};
        std::vector<FromItem> items;
        std::vector<Target> targets;
        std::vector<ProjectItem> keys;
        std::vector<std::vector<std::uint32_t>> sets;
        ExprId having = no_expr;
        std::vector<Ordering> order;
        std::vector<Ordering> distinct_on;
        bool grouped = false;
    };
    struct CteBinding {
        std::string name;
        CteId cte{};
        std::uint32_t outside = no_index;
    };

    // --- sql_query.cpp ---
    BoundQuery select(const PgQuery__SelectStmt& select, Level* parent, std::uint32_t ctes);
    BoundQuery select_body(const PgQuery__SelectStmt& select, Level& level);
    BoundQuery values(const PgQuery__SelectStmt& select, Level& level);
    BoundQuery leaf(const PgQuery__SelectStmt& select, Level& level);
    void absorb(Level& level, const std::vector<ColumnId>& outer,
                std::vector<ColumnId>* own = nullptr);

    // --- sql_query_set.cpp ---
    BoundQuery set_operation(const PgQuery__SelectStmt& select, Level& level);
    BoundQuery combine(const PgQuery__SelectStmt& select, BoundQuery left, BoundQuery right);
    // Brings column i of a side to a type.
    void bring(BoundQuery& side, const std::vector<Type>& types);
    void order_output(const PgQuery__SelectStmt& select, BoundQuery& query, Level& level);

    // --- sql_query_cte.cpp ---
    std::vector<CteId> define_ctes(const PgQuery__SelectStmt& select, Level& level);
    std::optional<CteId> define_cte(const PgQuery__CommonTableExpr& cte, bool recursive,
                                    Level& level);
    void recursive_cte(const PgQuery__CommonTableExpr& cte, Cte& out, Level& level);
    const CteBinding* find_cte(const Level& level, std::string_view name) const;
    FromItem cte_scan(const PgQuery__RangeVar& name, CteId cte, Level& level);
    void name_columns(const PgQuery__Alias* alias, std::vector<VisibleColumn>& columns,
                      std::int64_t location);

    // --- sql_query_from.cpp ---
    void from(Simple& simple, Level& level);
    FromItem join_tree(const PgQuery__Node& node, Level& level);
    FromItem from_leaf(const PgQuery__Node& node, Level& level);
    FromItem table(const PgQuery__RangeVar& name, Level& level);
    FromItem derived_table(const PgQuery__RangeSubselect& derived, Level& level);
    FromItem table_function(const PgQuery__RangeFunction& function, Level& level);
    FromItem add_item(Level& level, RelationId relation, VisibleTable table, std::int64_t location);

    // --- sql_query_join.cpp ---
    FromItem join(const PgQuery__JoinExpr& join, FromItem left, FromItem right, Level& level);
    FromItem cross(FromItem left, FromItem right, Level& level);
    RelationId add_join(JoinKind kind, ExprId condition, FromItem& left, FromItem& right,
                        const Level& level);
    std::vector<ColumnPlace> star_of(const FromItem& item, const Level& level) const;
    std::vector<std::string> common_names(const FromItem& left, const FromItem& right,
                                          const Level& level);
    std::optional<ColumnPlace> using_column(const std::string& name, const FromItem& item,
                                            Level& level);
    ExprId column_expr(const VisibleColumn& column);
    ExprId join_using(const std::vector<std::string>& names, JoinKind kind, const FromItem& left,
                      const FromItem& right, FromItem& item, Level& level);
    VisibleColumn merged(JoinKind kind, const VisibleColumn& left, const VisibleColumn& right);
    void join_alias(const PgQuery__Alias& alias, FromItem& item, Level& level);

    // --- sql_query_select.cpp ---
    BoundQuery simple(const PgQuery__SelectStmt& select, Level& level);
    void collect_targets(Simple& simple, Level& level);
    void expand_star(std::span<const std::string_view> table, std::int64_t location, Simple& simple,
                     Level& level);
    void add_star(const std::vector<ColumnPlace>& places, std::int64_t location, Simple& simple,
                  const Level& level);
    void bind_targets(Simple& simple, Level& level);
    std::vector<Ordering> orderings(Nodes nodes, Simple& simple, Level& level);
    std::optional<std::size_t> named_target(const PgQuery__Node& node, const Simple& simple);
    void match_targets(std::vector<Ordering>& orderings, const Simple& simple);
    BoundQuery build(Simple& simple, Level& level);
    void project(Simple& simple, const Level& level);
    void distinct(Simple& simple);

    // --- sql_query_order.cpp ---
    SortKey sort_key(const PgQuery__Node& sort, ExprId expr);
    std::vector<SortKey> sort_keys(Nodes nodes, const Scope& scope);
    void add_topn(const PgQuery__SelectStmt& select, std::vector<SortKey> keys,
                  RelationId& relation, Level& level);
    ExprId limit_expr(const PgQuery__Node* node, Level& level);

    // --- sql_query_group.cpp ---
    void group_keys(Simple& simple, Level& level);
    ExprId group_expr(const PgQuery__Node& node, Simple& simple, Level& level);
    void grouping_sets(Simple& simple, Level& level);
    using Sets = std::vector<std::vector<std::uint32_t>>;
    Sets sets_of(const PgQuery__Node& node, Simple& simple, Level& level, std::uint32_t depth);
    std::vector<std::uint32_t> keys_of(const PgQuery__Node& node, Simple& simple, Level& level);
    std::uint32_t key_index(ExprId expr, Simple& simple);
    void name_keys(Simple& simple, Level& level);
    void regroup(Simple& simple, Level& level);
    ExprId regrouped(ExprId root, Level& level);
    void regroup_call(AggregateCall& call, Level& level);

    // --- sql_query_call.cpp ---
    ColumnId aggregate(Level& level, const PgQuery__FuncCall& call);
    ColumnId window(Level& level, const PgQuery__FuncCall& call);
    ColumnId grouping(Level& level, const PgQuery__Node& node);
    AggregateCall bind_call(Level& level, const PgQuery__FuncCall& call);
    Frame frame_of(const PgQuery__WindowDef& window, Level& level);
    Level& level_of_aggregate(Level& level, const PgQuery__Node& node);
    std::string function_name(const PgQuery__FuncCall& call) const;

    // --- sql_query_scope.cpp ---
    ExprId bind(const PgQuery__Node& node, Level& level, Wanted wanted = Wanted::any,
                TableRange range = {});
    std::optional<Scope::Found> open_column(Level& level, TableRange range,
                                            std::span<const std::string_view> parts,
                                            const Level::Match& match);
    Scope::Found opaque_name(std::span<const std::string_view> parts, const Level& level,
                             std::span<const std::uint32_t> tables);
    Diagnostic unknown_name(Level& level, TableRange range,
                            std::span<const std::string_view> parts) const;
    Scope::Found found_column(const VisibleColumn& column) const;
    std::vector<ColumnId> columns_below(ExprId expr) const;
    std::optional<Diagnostic> compare_rows(Op op, SubqueryKind kind, const PgQuery__SubLink& link,
                                           std::span<const Operand> operands, BoundQuery& bound,
                                           Scope::Query& query);

    // --- sql_query.cpp: small things ---
    ExprId column_node(ColumnId column, std::uint32_t position = no_position);
    ExprId cast_to(ExprId expr, Type type);
    ExprId constant_as_expr(const Operand& operand, ExprId expr, Type type);
    bool may_be_null(ExprId expr) const;
    std::optional<Operand> constant_of(const PgQuery__Node& node) const;
    std::uint32_t add_label(std::string alias, const std::vector<VisibleColumn>& columns);
    ColumnId add_computed(std::string name, Type type, bool nullable);
    void fail(std::string code, std::int64_t location, std::string message, std::string help = {});
    void fail_at(std::string code, std::uint32_t position, std::string message,
                 std::string help = {});
    void unsupported() { fail("unsupported", -1, "this query has no plan"); }

    const ParsedSql& sql_;
    const Catalog& catalog_;
    Context& context_;
    Plan& plan_;
    Dialect dialect_;
    Type unknown_;
    Type boolean_{TypeKind::boolean};
    ExprNumbers numbers_;
    Cutter cutter_;
    std::uint32_t depth_ = 0;
    std::vector<CteBinding> cte_bindings_;
    std::unordered_map<const PgQuery__SubLink*, Scope::Query> queries_;
    std::unordered_map<const PgQuery__Node*, ColumnId> taken_;
    // Of the query that is grouped now: its keys by number, and expressions that are rewritten.
    struct Grouping {
        std::unordered_map<std::uint32_t, ColumnId> keys;
        std::unordered_map<std::uint32_t, ExprId> done;
        std::vector<ColumnId> dependents;
        std::unordered_map<std::uint32_t, bool> is_dependent;
        std::unordered_map<std::uint32_t, bool> is_key;
    };
    Grouping grouping_;
    std::optional<Diagnostic> error_;
};

// The Scope of expressions of one level.
class QueryScope : public Scope {
  public:
    QueryScope(QueryBinder& binder, Level& level, TableRange range = {})
        : binder_(binder), level_(level), range_(range) {}

    Result<Found> column(std::span<const std::string_view> parts) const override {
        return binder_.resolve(level_, range_, parts);
    }
    std::optional<Result<Found>> take(const PgQuery__Node& node) const override {
        return binder_.take(level_, node);
    }
    bool takes(const PgQuery__Node& node) const override { return binder_.takes(node); }
    bool binds_queries() const override { return true; }
    std::optional<Result<Query>> query(const PgQuery__SubLink& link,
                                       std::span<const Operand> operands,
                                       std::string_view row_operator) const override {
        return binder_.query(level_, link, operands, row_operator);
    }
    bool is_whole_text() const override { return false; }

  private:
    QueryBinder& binder_;
    Level& level_;
    TableRange range_;
};

// The name of a column of the result that has no alias, as PostgreSQL forms it.
std::string result_name(const PgQuery__Node& node);

}  // namespace satura::lang
