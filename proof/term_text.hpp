// Terms of a proof for people: values as SQL, truths and relations as rules write them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/plan.hpp"
#include "proof/known.hpp"

namespace satura::proof {

class TermText {
  public:
    // Refers to `known`, which may get more terms.
    explicit TermText(const Known& known);

    // `t1.b > 2`, `same{t1.b, 2}`, `filter(holds(t1.b > 2), left(same{t1.a, t2.a}, t1, t2))`; long parts as …. Cost: linear
    // in the terms that are written for the first time.
    const std::string& of(TermId term);

  private:
    std::string value(TermId term);
    std::string made(TermId term) const;
    std::string columns(const rules::ColumnSets::Columns& columns) const;
    std::string part(std::uint32_t term) const;

    const Known& known_;
    lang::Plan plan_;  // for its expressions, subqueries and tables
    std::vector<std::string> names_;
    std::map<std::uint32_t, std::string> done_;
};

}  // namespace satura::proof
