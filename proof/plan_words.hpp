// The words of rules on plans, checked: whether a condition holds by what a proof has shown, and whether a term can be what a
// computed part made.
//
// An optimizer computes such a part from all that it knows. Here it is only asked whether the part is right: whether what was
// asked of an input follows from the facts, whether predicates say the same where the facts hold, whether a predicate is another
// one with expressions in place of columns. So a proof may know less than the optimizer did.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "proof/follows.hpp"
#include "proof/known.hpp"

namespace satura::proof {

// What a variable stands for: a term, the elements of a rest, or facts.
struct PlanArgument {
    TermId term{};
    std::vector<TermId> elements;
    std::optional<rules::Facts> facts;
};

class PlanWords {
  public:
    // The terms must be known with their plan.
    explicit PlanWords(Known& known) : known_(known), follows_(known) {}

    // Whether the word only says that a step is worth taking, which is no reason why it holds.
    static bool is_about_worth(std::string_view word);
    bool holds(std::string_view word, std::span<const PlanArgument> arguments);
    // What a word that computes facts makes.
    std::optional<rules::Facts> facts(std::string_view word,
                                      std::span<const PlanArgument> arguments) const;
    // Whether the word can have made that of the arguments.
    bool is_made(std::string_view word, std::span<const PlanArgument> arguments, TermId made);

  private:
    using Arguments = std::span<const PlanArgument>;
    using Columns = std::map<lang::ColumnId, TermId>;

    rules::ColumnSets& sets() const { return known_.plan_scope().column_sets; }
    std::uint32_t columns(TermId id) const { return known_.columns(egraph::ClassId{index(id)}); }
    std::vector<TermId> conjuncts(TermId truth) const;
    bool is_stable(TermId truth) const;
    rules::Facts facts_of(const PlanArgument& argument) const;
    rules::Facts together(Arguments arguments) const;
    std::optional<std::uint32_t> columns_leaf(TermId term) const;
    bool says_same(TermId a, TermId b, const rules::Facts& facts);
    bool can_stand(TermId truth, TermId relation, std::optional<TermId> other) const;
    bool has_one_partner(Arguments arguments) const;
    bool has_no_repeats(TermId relation) const;
    bool ignores_repeats(TermId shape) const;
    std::optional<Columns> items_of(TermId shape, std::span<const TermId> items) const;
    bool is_below(TermId truth, Columns columns, TermId made);
    bool is_seen_below(TermId truth, Columns columns, TermId made);
    bool is_of_keys(TermId atom, const Columns& keys) const;
    bool is_below_groups(Arguments arguments, TermId made);
    bool is_above_groups(Arguments arguments, TermId made);
    bool is_demand(std::uint32_t read, TermId relation, TermId made) const;
    bool is_read_by(Arguments arguments, TermId made) const;

    Known& known_;
    Follows follows_;
};

}  // namespace satura::proof
