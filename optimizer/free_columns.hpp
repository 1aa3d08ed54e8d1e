// Columns that a plan's relations read and nothing below makes: those of the query around a subquery, or of the left side of a
// lateral join.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>

#include "lang/plan.hpp"

namespace satura {

// Of each relation that some roots reach. Requires the plan to outlive it. Cost: linear in the plan times its free columns.
class FreeColumns {
  public:
    using Columns = std::unordered_set<std::uint32_t>;  // ColumnIds

    FreeColumns(const lang::Plan& plan, std::span<const lang::RelationId> roots);
    const Columns& of(lang::RelationId id) const {
        return free_.at(static_cast<std::uint32_t>(id));
    }

  private:
    void add(lang::RelationId id);

    const lang::Plan& plan_;
    std::unordered_map<std::uint32_t, Columns> free_;
};

}  // namespace satura
