// Estimated numbers of rows, one for each class of relations, made once after saturation: equal relations have equally many
// rows, whichever member is chosen.
//
// The estimate is that of the member that needs the fewest guesses (conjuncts whose selectivity nobody knows); ties go by
// structure. So an inferred predicate, which makes no fewer rows come out, does not count as a guess that makes fewer.
// Without statistics a table has 10,000 rows, an equality keeps 1/1,000 of them, a range 1/3, as in TiDB's plans without
// statistics.
#pragma once

#include <vector>

#include "egraph/egraph.hpp"
#include "lang/catalog.hpp"
#include "rules/plan_analyses.hpp"

namespace satura {

class Cardinality {
  public:
    static constexpr double rows_default = 10'000, distinct_default = 1'000;

    // Refers to all that it is given. Cost: that of one extraction.
    Cardinality(const egraph::EGraph& graph, const rules::SqlOps& ops,
                const rules::PlanKnowledge& knowledge, const lang::Catalog& catalog);

    double rows(egraph::ClassId relation) const {
        return rows_[egraph::raw(graph_.find(relation))];
    }
    // The share of rows that fulfil a truth, 0 to 1: conjuncts count as independent.
    double selectivity(egraph::ClassId truth) const;
    // Of one conjunct.
    double rows_of_table(std::uint32_t instance) const;
    // Different values of an expression: of a column that is a key by itself, the rows of its table.
    double distinct(egraph::ClassId value) const;

  private:
    void estimate();
    double rows_of(const egraph::NodeView& node) const;
    double rows_of_shaped(const egraph::NodeView& node, lang::RelOp op) const;
    double rows_of_join(const egraph::NodeView& node, lang::JoinKind kind) const;
    double selectivity_of_atom(egraph::ClassId truth) const;
    double selectivity_of_value(egraph::ClassId value) const;
    double selectivity_of_same(const egraph::NodeView& node) const;

    const egraph::EGraph& graph_;
    const rules::SqlOps& ops_;
    const rules::PlanKnowledge& knowledge_;
    const lang::Catalog& catalog_;
    std::vector<double> rows_;  // by class
};

}  // namespace satura
