// Whether truths follow from facts about a row: closures of the facts, one disjunction after the other taken apart.
#pragma once

#include <cstdint>
#include <vector>

#include "proof/known.hpp"
#include "rules/closure.hpp"

namespace satura::proof {

class Follows {
  public:
    explicit Follows(Known& known) : known_(known) {}

    // No row has all these facts.
    bool is_contradictory(const rules::Facts& facts);
    // Each row that has the facts fulfils the truth. May say no where it is so.
    bool holds(const rules::Facts& facts, TermId truth);

  private:
    using Split = std::vector<rules::Facts>;

    bool holds_in(rules::Closure& closure, const rules::Facts& facts, egraph::ClassId atom);
    bool is_compared(rules::Closure& closure, egraph::ClassId atom);
    bool is_same_comparison(rules::Closure& closure, const egraph::NodeView& a,
                            const egraph::NodeView& b);
    bool is_refuted_by_nulls(const rules::Facts& facts, egraph::ClassId atom);
    std::vector<Split> splits(rules::Closure& closure, const rules::Facts& facts);

    Known& known_;
};

}  // namespace satura::proof
