// What the e-graph's relations say only by a number: the plan they came from, sets of columns, and what the schema promises.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/plan.hpp"

namespace satura::rules {

// Interned sets of columns; 0 is the empty set.
class ColumnSets {
  public:
    using Columns = std::vector<lang::ColumnId>;  // ascending, each once

    ColumnSets() { intern({}); }
    std::uint32_t intern(Columns columns);  // in any order
    const Columns& operator[](std::uint32_t set) const { return *sets_[set]; }
    std::uint32_t unite(std::uint32_t a, std::uint32_t b);
    bool contains(std::uint32_t set, lang::ColumnId column) const;
    bool is_subset(std::uint32_t a, std::uint32_t b) const;
    bool meets(std::uint32_t a, std::uint32_t b) const;
    std::uint32_t intersect(std::uint32_t a, std::uint32_t b);

  private:
    std::vector<const Columns*> sets_;
    std::map<Columns, std::uint32_t> numbers_;
};

// Of one plan in one e-graph. Requires the plan to outlive it.
struct PlanScope {
    const lang::Plan* plan = nullptr;
    ColumnSets column_sets;
    std::vector<std::uint32_t> shape_columns;  // by RelationId: the set of its columns
    // By SubqueryId: the outer columns that its relation reads, and the relation.
    std::vector<std::uint32_t> subquery_reads;
    std::vector<egraph::NodeId> subquery_relations;
    // Columns of queries around others, and of left sides of lateral joins: what a relation below may read and not make.
    std::uint32_t outer_columns = 0;
    // By RelationId: its expressions hold a volatile call, so they are not in the e-graph but stay as the plan has them.
    std::vector<bool> frozen;
    std::vector<bool> is_stable;  // by RelationId: no volatile call in it or below
    // By InstanceId: sets of columns in which no two rows are equal, where none is NULL.
    std::vector<std::vector<std::uint32_t>> scan_keys;
    // By InstanceId: truths that hold for each of its rows.
    std::vector<std::vector<egraph::ClassId>> scan_truths;
};

}  // namespace satura::rules
