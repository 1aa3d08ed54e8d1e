// The state of writing one plan as SQL; see sql_plan_write.hpp.
//
// A block is one SELECT. Its relations are peeled off from above in the order in which SELECT evaluates its clauses
// backwards: WITH, LIMIT and ORDER BY, DISTINCT, the select list, windows, HAVING, GROUP BY, WHERE, FROM. A relation
// that comes out of this order is a derived table in FROM. Then the clauses are written from below, so that each column
// has a meaning (define) before it is read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lang/sql_plan_write.hpp"

namespace satura::lang {

inline bool is_set_operation(RelOp op) {
    return op == RelOp::set_union || op == RelOp::set_intersect || op == RelOp::set_except;
}

class PlanWriter {
  public:
    PlanWriter(const Plan& plan, const Context& context);

    std::string statement(const std::vector<ResultColumn>& result);
    bool exact() const { return exact_; }

  private:
    // A column of a query that is written, and its name there.
    struct Output {
        ColumnId column{};
        std::string name;
        bool named = true;       // the name matters; else the shortest text is right
        bool bare = false;       // without the implicit cast that its context brings about
        bool bare_null = false;  // a NULL, to which the context gives its type
    };
    using Outputs = std::vector<Output>;

    struct QueryText {
        std::string text;
        bool plain =
            true;  // a side of a set operation without parentheses: no WITH, ORDER BY, LIMIT
    };

    // A condition on its way to WHERE or ON: an expression, or a semi or anti join with what it joins.
    struct Conjunct {
        ExprId expr = no_expr;
        RelationId join{no_index};
    };

    // FROM as a tree: an item, or a join of two trees.
    struct FromNode {
        RelationId relation{};
        bool is_join = false;
        JoinKind kind = JoinKind::inner;
        std::uint32_t left = no_index;
        std::uint32_t right = no_index;
        std::vector<Conjunct> on{};
        bool comma = false;  // both sides stand in the list of FROM
    };
    struct From {
        std::vector<FromNode> nodes;  // children first
        std::uint32_t root = no_index;
        std::vector<Conjunct> where;
    };

    // One SELECT.
    struct Block {
        std::uint32_t id = 0;
        bool qualify = false;  // names of its columns need their table
        std::unordered_set<std::string> aliases;
        const TopN* topn = nullptr;
        const DistinctOn* distinct_on = nullptr;
        bool distinct = false;
        bool exists = false;                                    // only whether it has rows matters
        std::vector<const std::vector<ProjectItem>*> projects;  // from above
        std::vector<const std::vector<WindowCall>*> windows;
        std::vector<ExprId> having;
        const Aggregate* aggregate = nullptr;
        From from;
    };

    // What stands for a column or a call in an expression.
    struct Name {
        std::string bare;
        std::string qualified;
        std::string alias;  // of the item of FROM
        std::uint32_t block = 0;
        bool is_call = false;  // an aggregate
    };

    // --- sql_plan_query.cpp: blocks ---
    QueryText query(RelationId relation, const Outputs& outputs,
                    const std::vector<Conjunct>& extra = {}, bool exists = false);
    QueryText select(RelationId relation, const Outputs& outputs,
                     const std::vector<Conjunct>& extra, bool exists, std::string with,
                     const TopN* topn);
    RelationId peel(RelationId relation, const Outputs& outputs, Block& block);
    RelationId peel_lists(RelationId relation, Block& block);
    RelationId peel_grouping(RelationId relation, Block& block);
    bool merges(const std::vector<ProjectItem>& above, const std::vector<ProjectItem>& below) const;
    bool holds_outputs(RelationId relation, const Outputs& outputs) const;
    bool orders_outputs(const TopN* topn, const Outputs& outputs) const;
    std::string with_clause(RelationId& relation);
    std::string cte_text(CteId cte);
    void name_cte(CteId cte, RelationId body, bool any_recursive);

    // --- sql_plan_select.cpp: clauses ---
    std::string select_list(const Outputs& outputs, const Block& block);
    void note_star(const std::vector<ColumnId>& columns);
    std::size_t star_at(const Outputs& outputs, std::size_t i) const;
    std::string item_text(const Output& output, const Block& block);
    std::string default_name(const std::string& item) const;
    void define_projects(const Block& block);
    std::string group_by(const Block& block);
    std::string order_by(const std::vector<SortKey>& keys, const Outputs& outputs,
                         const Block& block, bool names_only);
    std::string order_key(const SortKey& key, const Outputs& outputs, const Block& block,
                          bool names_only);
    bool shows_name(const Output& output, const Block& block);
    std::string order_words(const SortKey& key) const;
    std::string limits(const TopN& topn, const Block& block);

    // --- sql_plan_from.cpp ---
    // `own`: the relation is the block's own, so that its label says nothing here.
    From from_tree(RelationId relation, bool own);
    void add_join(From& from, RelationId relation, std::vector<std::vector<Conjunct>>& pending,
                  std::vector<std::uint32_t>& done);
    bool only_hands_on(RelationId relation) const;
    bool is_from_leaf(RelationId relation) const;
    std::string from_text(Block& block);
    std::string leaf(RelationId relation, Block& block);
    std::string scan(RelationId relation, Block& block);
    std::string cte_scan(const CteScan& scan, Block& block);
    std::string table_function(const OpaqueRelation& opaque, RelationId relation, Block& block);
    std::string derived(RelationId relation, Block& block);
    std::string conditions(const std::vector<Conjunct>& conjuncts, const Block& block);
    std::string semi_join(const Conjunct& conjunct, const Block& block);

    // --- sql_plan_set.cpp ---
    QueryText set_query(RelationId relation, const Outputs& outputs, const TopN* topn,
                        std::string with);
    Outputs side_outputs(RelationId operation, bool right, const Outputs& outputs) const;
    std::string values_rows(const Values& values, const Block& block);
    bool casts_itself(std::span<const ExprId> exprs, Type type) const;
    ExprId without_implicit_cast(ExprId expr) const;
    bool is_null(ExprId expr) const;
    std::optional<ExprId> output_expr(RelationId relation, ColumnId column) const;

    // --- sql_plan_names.cpp ---
    void define(ColumnId column, std::string alias, const std::string& name, const Block& block,
                bool whole_row = false);
    std::uint32_t add_name(Name name);
    std::string take_alias(const std::string& wanted, Block& block);
    std::string made_up_alias(Block& block);
    void avoid_outer_aliases(RelationId relation, const std::vector<Conjunct>& extra, Block& block);
    std::vector<std::uint32_t> free_columns(RelationId relation) const;
    std::string name_text(std::string_view name) const;
    Outputs derived_outputs(RelationId relation) const;
    std::string column_list(const std::vector<std::string>& names) const;

    // --- sql_plan_expr.cpp ---
    ExprId translate(ExprId expr, const Block& block);
    ExprId subquery_node(ExprId expr, bool negated, bool loose, const std::vector<ExprId>& operands,
                         const Block& block);
    std::string subquery_text(ExprId expr, bool negated, const std::vector<ExprId>& operands,
                              const Block& block);
    std::string operand_text(ExprId translated, const Block& block);
    std::string text_of(ExprId translated, const Block& block, bool qualified = false);
    std::string expr_text(ExprId expr, const Block& block, bool qualified = false);
    std::string key_text(ExprId expr, const Block& block);
    std::string list_text(const std::vector<ExprId>& exprs, const Block& block,
                          bool qualified = false);
    std::string call_text(const AggregateCall& call, const Block& block, bool qualified);
    std::string window_text(const WindowCall& window, const Block& block, bool qualified);
    std::string frame_text(const Frame& frame, const Block& block, bool qualified);
    std::string bound_text(FrameBound bound, ExprId offset, const Block& block, bool qualified);
    std::string sort_text(const std::vector<SortKey>& keys, const Block& block, bool qualified);
    void define_call(ColumnId column, std::string bare, std::string qualified, const Block& block,
                     bool aggregate);
    bool is_volatile(ExprId expr) const;
    bool has_subquery(ExprId expr) const;

    const Plan& plan_;
    const Context& context_;
    Dialect dialect_;
    Type unknown_;
    Exprs scratch_;                       // over names_: what the plan's columns stand for
    std::vector<ExprId> defined_;         // by ColumnId; no_expr: nothing
    std::vector<Name> names_;             // payloads of scratch_'s columns
    std::vector<std::string> cte_names_;  // by CteId
    std::vector<std::vector<std::string>> cte_columns_;  // by CteId
    static constexpr std::uint32_t first_block =
        1;  // the whole query's, where no CTE is written before
    std::uint32_t blocks_ = 0;
    bool used_call_ = false;  // an aggregate has been written
    // Columns of derived tables and CTEs with an open table's `*` among them: the star covers them all. By column, the list.
    std::vector<std::vector<ColumnId>> stars_;
    std::unordered_map<std::uint32_t, std::uint32_t> star_of_;
    bool exact_ = true;
};

}  // namespace satura::lang
