// Rests of AND, OR and their like: any number of truth values, seen only through what AND or OR makes of them all, or of `each f(?q)`
// of them all. These folds take only some values together: of no elements each is its operator's unit, and each further element, one of
// TRUE, FALSE and NULL, takes them on. So the values that they take for any number of elements are found by going through them, and
// nothing is lost or assumed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "prove/sql_value.hpp"
#include "rules/sema.hpp"

namespace satura::prove {

class RestFolds {
  public:
    // What `each` makes of an element, by the term under it; nothing where that depends on more than the element.
    using Each = std::function<std::optional<Truth>(std::uint32_t term, Truth element)>;

    RestFolds(Formulas& formulas, SqlValues& values) : f_(formulas), values_(values) {}

    // Which elements the rest may have; all, if not said.
    void set_elements(std::uint32_t rest, std::vector<Truth> elements) {
        elements_[rest] = std::move(elements);
    }
    // All elements, or what the term makes of each, joined by OR or AND.
    SqlValue fold(std::uint32_t rest, bool is_or, std::optional<std::uint32_t> each);

    // Which values the folds can take together. False where an `each` depends on other variables: then its fold may be anything.
    bool add_axioms(const Each& each, std::vector<Formula>& out);

    // Elements for which the folds have the values that the solver gave them, after add_axioms; nothing where the rest is not folded.
    std::optional<std::vector<Truth>> elements_of(
        std::uint32_t rest, const std::function<Truth(const SqlValue&)>& value) const;

  private:
    struct Fold {
        bool is_or = false;
        std::optional<std::uint32_t> each;
        SqlValue value;
    };
    using Values = std::vector<Truth>;  // of a rest's folds
    // Each tuple of values, with elements that lead to it.
    using Reached = std::map<Values, std::vector<Truth>>;

    std::vector<Truth> elements(std::uint32_t rest) const;
    std::optional<Reached> reach(std::uint32_t rest, const std::vector<Fold>& folds,
                                 const Each& each) const;

    Formulas& f_;
    SqlValues& values_;
    std::map<std::uint32_t, std::vector<Fold>> folds_;  // by rest
    std::map<std::uint32_t, std::vector<Truth>> elements_;
    std::map<std::uint32_t, Reached> reached_;
};

}  // namespace satura::prove
