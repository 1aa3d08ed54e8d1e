// The computed steps of rules on plans: what follows for the columns of one input, which conjuncts are implied, what a
// predicate is below a projection. Each makes a whole set of predicates at once; see closure.hpp for what follows from what.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>

#include "rules/closure.hpp"

namespace satura::rules {

class PlanSteps {
  public:
    PlanSteps(egraph::EGraph& graph, SqlOps& ops, const Knowledge& knowledge,
              const PlanKnowledge& plan)
        : graph_(graph),
          ops_(ops),
          knowledge_(knowledge),
          plan_(plan),
          classes_(graph, knowledge, &plan) {}

    // Facts, by a number that stays valid until reset(): of a truth that holds, of a relation's rows, that all columns of a
    // relation are NULL; and their union.
    using FactsId = std::uint32_t;
    FactsId facts_of(egraph::ClassId truth_or_relation);
    FactsId nulls_of(egraph::ClassId relation);
    FactsId unite(FactsId a, FactsId b);

    bool is_yes(egraph::ClassId truth) const { return is_one(truth, graph_.add(ops_.plan().yes)); }
    bool is_one(egraph::ClassId a, egraph::ClassId b) const {
        return graph_.find(a) == graph_.find(b);
    }
    // Which values an expression can have where the facts hold.
    Possible possible(egraph::ClassId value, FactsId facts) {
        return closure(facts).possible(value);
    }
    bool is_contradictory(FactsId facts) { return closure(facts).is_contradictory(); }
    // Whether all that `wanted` says holds where the facts do.
    bool implies(FactsId facts, FactsId wanted);

    // What the facts say about columns of `relation` (and outer ones) and not of `other`, beyond what the relation's own
    // facts say. Only of what is free of volatile calls and cannot raise, since it will stand where it did not before.
    egraph::ClassId within(FactsId facts, egraph::ClassId relation,
                           std::optional<egraph::ClassId> other);
    // The conjuncts of the truth that the facts do not imply; of equalities what is left of them.
    egraph::ClassId beyond(egraph::ClassId truth, FactsId facts);
    // The truth in its least form over a relation: constants and ranges together, nothing twice, nothing that the facts
    // imply.
    egraph::ClassId tidied(egraph::ClassId truth, FactsId facts);
    egraph::ClassId merged(egraph::ClassId a, egraph::ClassId b) {
        return graph_.add(ops_.plan().all, 0, {a, b});
    }
    // The conjuncts that cannot raise. What may raise stays under the predicates that were below it: under them no more rows
    // reach it than in the input.
    egraph::ClassId total(egraph::ClassId truth);
    // The conjuncts that are not among those of another truth.
    egraph::ClassId except(egraph::ClassId truth, egraph::ClassId other);
    // The truth with NULL in place of columns; nothing where that could raise, or the truth reads them in a subquery.
    std::optional<egraph::ClassId> under_nulls(egraph::ClassId truth, egraph::ClassId columns);
    // The columns that a relation with a shape reads of its input; nothing where its expressions are not in the e-graph.
    std::optional<egraph::ClassId> read_by(egraph::ClassId shape, egraph::ClassId input,
                                           std::span<const egraph::ClassId> items);
    // Of the relation's columns those in a set and those that a predicate reads.
    egraph::ClassId demand(egraph::ClassId columns, egraph::ClassId truth,
                           egraph::ClassId relation);
    // Whether it helps to know that only these columns are read: others are there, and an outer join is below.
    bool is_less(egraph::ClassId columns, egraph::ClassId relation) const;
    bool is_unread(egraph::ClassId columns, egraph::ClassId relation) const;
    // For consumers that do not count rows, in plan_demand.cpp: whether an outer join or a DISTINCT in the relation may fall for
    // them; whether a set operation or grouping is such a consumer; whether equal values of the columns are identical; whether
    // no two rows of the relation are equal.
    bool is_loose(egraph::ClassId relation) const;
    bool ignores_repeats(egraph::ClassId shape) const;
    bool are_identical(egraph::ClassId columns) const;
    bool has_no_repeats(egraph::ClassId relation);
    bool are_none(egraph::ClassId columns_leaf) const { return columns(columns_leaf) == 0; }
    // Whether each row of `left` has at most one partner: a key of `right` is bound by equalities to what `right` does not read.
    bool has_one_partner(egraph::ClassId truth, egraph::ClassId left, egraph::ClassId right);
    // The leaf that names the columns of relations together.
    // Nothing where one of them has no known type or stands for an open table's columns: NULLs cannot be written for it.
    std::optional<egraph::ClassId> columns_of(std::span<const egraph::ClassId> relations);
    // The truth with a projection's columns replaced by what they are made of, so that it can stand below; nothing where
    // that could raise, or a replaced column cannot be (a plan's subquery reads it).
    std::optional<egraph::ClassId> below(egraph::ClassId truth, egraph::ClassId shape,
                                         std::span<const egraph::ClassId> items);
    // The same as a fact about the rows below: what could raise may be in it, what cannot be replaced is left out.
    std::optional<egraph::ClassId> seen_below(egraph::ClassId truth, egraph::ClassId shape,
                                              std::span<const egraph::ClassId> items);
    // The conjuncts that say something of a grouping's keys alone, as they are below it; nothing where there is none.
    std::optional<egraph::ClassId> below_groups(egraph::ClassId truth, egraph::ClassId shape,
                                                std::span<const egraph::ClassId> items);
    // The truth without the conjuncts of which `below`, what below_groups made, takes care.
    egraph::ClassId above_groups(egraph::ClassId truth, egraph::ClassId below,
                                 egraph::ClassId shape, std::span<const egraph::ClassId> items);

    const TermClasses& classes() const { return classes_; }
    void reset();

  private:
    Closure& closure(FactsId facts);
    egraph::ClassId all_of(std::vector<egraph::ClassId> truths);
    egraph::ClassId same_of(std::vector<std::uint32_t> values);
    std::uint32_t first_of(const std::vector<std::uint32_t>& values) const;
    std::vector<std::uint32_t> different(std::vector<std::uint32_t> constants) const;
    bool may_move(egraph::ClassId truth_or_value) const;
    std::uint32_t columns(egraph::ClassId cls) const { return plan_.columns(graph_, cls); }
    ColumnSets& sets() const { return plan_.scope().column_sets; }

    // Where a predicate may read: `wanted` or outer columns, none of `forbidden`.
    struct Place {
        std::uint32_t wanted = 0;
        std::uint32_t forbidden = 0;
        std::uint32_t padded = 0;  // where it is news that a column is not NULL
    };
    bool fits(egraph::ClassId cls, const Place& place) const;
    void add_groups(Closure& known, const Place& place, std::vector<egraph::ClassId>& out);
    void add_bounds(const Closure::Group& group, std::uint32_t value,
                    std::vector<egraph::ClassId>& out);
    std::optional<egraph::ClassId> moved(Closure& known, egraph::ClassId atom, const Place& place);
    std::optional<std::uint32_t> stand_in(Closure& known, std::uint32_t value, const Place& place);
    std::optional<egraph::ClassId> weakened(Closure& known, egraph::ClassId atom,
                                            const Place& place);
    std::optional<egraph::ClassId> not_all_null(Closure& known, egraph::ClassId atom,
                                                const Place& place);
    std::optional<egraph::ClassId> trimmed(egraph::ClassId atom, Closure& known);
    // What a computed column is made of.
    using Replacement = std::map<lang::ColumnId, egraph::ClassId>;
    std::optional<Replacement> items_of(egraph::ClassId shape,
                                        std::span<const egraph::ClassId> items) const;
    std::optional<egraph::ClassId> substitute(egraph::ClassId root, const Replacement& items);
    std::optional<egraph::ClassId> replaced(egraph::ClassId truth, const Replacement& items);
    std::optional<egraph::ClassId> key_conjunct(egraph::ClassId atom, const Replacement& keys);
    egraph::ClassId with_plain_equalities(egraph::ClassId truth, FactsId facts);
    egraph::ClassId beyond_closure(const std::vector<egraph::ClassId>& atoms, Closure& known);

    egraph::EGraph& graph_;
    SqlOps& ops_;
    const Knowledge& knowledge_;
    const PlanKnowledge& plan_;
    GraphClasses classes_;
    std::map<Facts, FactsId> numbers_;
    std::vector<const Facts*> facts_;
    // Closures hold while no classes are united: until the stamp moves on.
    std::map<FactsId, std::unique_ptr<Closure>> closures_;
    std::uint32_t stamp_ = 0;
};

}  // namespace satura::rules
