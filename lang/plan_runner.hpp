// How a plan is run: the parts of run() in lang/run_plan.hpp, for its .cpp files.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "lang/run_plan.hpp"

namespace satura::lang {

class PlanRunner;

// An expression of the plan, made ready to be evaluated for many rows. Remembers the rows of its subqueries, so it must
// not outlive the evaluation of the relation that holds it.
class RowExpr {
  public:
    // no_expr is the predicate that is always true.
    RowExpr(PlanRunner& runner, ExprId root);
    RowExpr(const RowExpr&) = delete;
    RowExpr& operator=(const RowExpr&) = delete;
    RowExpr(RowExpr&&) = default;
    RowExpr& operator=(RowExpr&&) = default;

    // Its outcome where the runner's columns are bound as they are now. Valid until the next call.
    const Outcome& value();

  private:
    struct Step {
        ExprNode node;
        std::uint32_t first = 0;  // of its arguments in arguments_ and types_
    };
    using Arguments = std::span<const Outcome* const>;
    struct Remembered {
        Row outer;
        std::shared_ptr<const Bag> bag;
        Outcome fault;  // where bag is null
    };

    Outcome subquery(const Step& step, Arguments arguments, std::span<const Type> types);
    Remembered rows_of(const Subquery& query, std::uint32_t id, Arguments outer);

    PlanRunner* runner_;
    std::vector<Step> steps_;
    std::vector<Outcome> results_;           // one per step
    std::vector<const Outcome*> arguments_;  // into results_
    std::vector<Type> types_;
    std::map<std::uint32_t, std::unordered_multimap<std::uint64_t, Remembered>> remembered_;
};

// Runs one plan on one database. A member that returns nothing or false has stopped for the reason in fault().
class PlanRunner {
  public:
    PlanRunner(const Plan& plan, const Database& database, const Context& context, Mode mode);

    // Binds a column, for this object's life.
    void bind(ColumnId column, const Value& value);

    // The rows of a relation, null after a stop.
    std::shared_ptr<const Bag> run(RelationId root);
    // The rows of several relations; a fault is that of the relation alone, and of those that read it.
    std::vector<RunOutcome> run_each(std::span<const RelationId> roots);

    const Plan& plan() const { return plan_; }
    const Context& context() const { return context_; }
    Mode mode() const { return mode_; }
    // The bound value of a column, null where it has none.
    const Value* bound(ColumnId column) const;
    // The fault that stopped it, which is forgotten.
    Outcome take_fault();

    // While it lives, columns are bound to the values of a row; afterwards as they were before.
    class Binder {
      public:
        Binder(PlanRunner& runner, const std::vector<ColumnId>& columns);
        ~Binder();
        Binder(const Binder&) = delete;
        Binder& operator=(const Binder&) = delete;
        void bind(const Row& row);

      private:
        PlanRunner& runner_;
        const std::vector<ColumnId>& columns_;
        std::vector<std::optional<Value>> before_;
    };

  private:
    using Shared = std::shared_ptr<const Bag>;
    using Inputs = std::span<const Shared>;

    bool cannot_say(std::string_view reason);
    bool raise(
        std::string_view message);  // an error in Mode::raising; nothing can be said in Mode::total
    // The value of an expression for the bound columns; false when it has none.
    bool value_of(RowExpr& expr, Value& out);
    bool add_row(Bag& bag, Row row);
    std::vector<Type> types_of(std::span<const ColumnId> columns) const;

    // By relation: the CTEs in the frame that it defines. These are forgotten.
    using Definitions = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;
    Definitions definitions_in(std::span<const RelationId> frame);
    Shared rows_of(RelationId id, Inputs inputs, const Definitions& definitions);
    bool evaluate(RelationId id, Inputs inputs, Bag& out);
    bool scan(const Relation& r, Bag& out);
    bool values(const Values& values, Bag& out);
    bool filter(const Relation& r, const Bag& in, Bag& out);
    bool project(const std::vector<ProjectItem>& items, const Bag& in, Bag& out);
    bool cte_scan(const CteScan& scan, Bag& out);
    bool join(const Relation& r, RelationId right_id, Inputs inputs, Bag& out);  // run_join.cpp
    bool lateral_side(const Relation& r, RelationId right_id, const Row& left, RowExpr& condition,
                      Bag& out);
    bool join_row(JoinKind kind, const Row& left, const Bag& right, Binder& right_binder,
                  RowExpr& condition, std::vector<bool>& matched, Bag& out);

    bool distinct(const Bag& in, Bag& out);  // run_set.cpp
    bool set_operation(const Relation& r, const Bag& left, const Bag& right, Bag& out);

    bool order(std::span<const SortKey> keys, const Bag& in, std::vector<std::uint32_t>& places,
               std::vector<std::uint32_t>& ranks);  // run_order.cpp
    bool topn(const TopN& topn, const Bag& in, Bag& out);
    bool count_of(ExprId expr, std::optional<std::uint64_t>& out);
    bool distinct_on(const DistinctOn& on, const Bag& in, Bag& out);

    struct Grouped;
    bool aggregate(const Aggregate& aggregate, const Bag& in, Bag& out);  // run_aggregate.cpp
    bool group(const Aggregate& aggregate, const Grouped& rows,
               const std::vector<std::uint32_t>& set, Bag& out);
    bool evaluate_group_inputs(const Aggregate& aggregate, const Bag& in, Grouped& out);

    const Plan& plan_;
    const Database& database_;
    const Context& context_;
    Mode mode_;
    std::vector<std::optional<Value>> bound_;  // by ColumnId
    std::map<std::uint32_t, Shared> ctes_;     // by CteId, those in whose scope the evaluation is
    std::uint32_t depth_ = 0;
    std::optional<Outcome> fault_;
};

}  // namespace satura::lang
