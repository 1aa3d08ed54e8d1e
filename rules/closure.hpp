// What follows from a set of facts about a row: the closure of its equalities, constants, ranges and NULL tests, and on it
// the abstract evaluator `possible(e | F)`.
//
// One evaluator decides null-rejection ("with these columns NULL, can p be true?"), contradictions, and which conjuncts are
// implied. It never samples: what it leaves out is impossible. Members of a class are equal values, so what any of them
// says holds for the class; a class met again while it is being worked out says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "egraph/egraph.hpp"
#include "rules/term_classes.hpp"

namespace satura::rules {

class Closure {
  public:
    // Equal values, none NULL. Members are classes; constants are members too.
    struct Bound {
        lang::LiteralId literal{};
        std::uint32_t cls = 0;  // of the literal
        bool inclusive = false;
    };
    struct Group {
        std::vector<std::uint32_t> members;
        std::optional<lang::LiteralId> constant;
        std::optional<Bound> low;
        std::optional<Bound> high;
    };

    // Refers to both; there may be more terms but no unions while the closure is used.
    Closure(const TermClasses& classes, SqlOps& ops);

    void assume(const Facts& facts);

    // Whether the facts exclude each other: no such row.
    bool is_contradictory();
    // Which values an expression can have in such a row.
    Possible possible(egraph::ClassId value);
    // The same, where the columns of a set are NULL too.
    Possible possible_where_null(egraph::ClassId value, std::uint32_t null_columns);
    // Whether the truth holds in every such row, and whether it can hold in any.
    bool implies(egraph::ClassId truth);
    bool allows(egraph::ClassId truth) { return allows_where_null(truth, 0); }
    bool allows_where_null(egraph::ClassId truth, std::uint32_t null_columns);

    // The conjuncts of the facts by class, in the order in which they were assumed, each once.
    const std::vector<egraph::ClassId>& atoms() const { return atoms_; }
    // Whether the groups say all that the atom says.
    bool is_in_groups(egraph::ClassId atom) const;
    // Whether the value is equal to itself where it is not NULL.
    bool equals_itself(std::uint32_t value) const;
    // Whether a conjunct says just that: IS NOT NULL.
    bool says_not_null(egraph::ClassId value) const;
    // Emptied groups (merged into others) have no members.
    const std::vector<Group>& groups();
    const Group* group_of(egraph::ClassId value);

  private:
    using Memo = std::unordered_map<std::uint32_t, Possible>;

    void assume_atom(egraph::ClassId truth);
    void assume_true(egraph::ClassId value, bool& in_groups);
    bool assume_comparison(const egraph::NodeView& node);
    void assume_bound(lang::Op op, std::uint32_t side, std::uint32_t literal_class);
    bool agree(std::uint32_t a, std::uint32_t b) const;
    bool may_unite(std::uint32_t a, std::uint32_t b) const;
    void know(std::uint32_t value, std::uint8_t mask);
    std::uint32_t group(std::uint32_t value);
    void unite(std::uint32_t a, std::uint32_t b);
    void tighten(Group& group, lang::Op op, const Bound& bound);
    void close();
    void find_constants();
    void find_equal();
    void find_non_null();
    bool is_consistent(const Group& group) const;
    std::optional<int> compare(lang::LiteralId a, lang::LiteralId b) const;
    std::optional<lang::LiteralId> literal_of(std::uint32_t cls) const;

    Possible evaluate(egraph::ClassId value, std::uint32_t null_columns, Memo& memo);
    Possible compute(std::uint32_t cls, std::uint32_t null_columns, const Memo& memo);
    Possible of_node(const egraph::NodeView& node, lang::Type type, const Memo& memo);
    Possible of_subquery(const egraph::NodeView& node, std::uint32_t null_columns,
                         const Memo& memo);
    std::uint8_t compare_by_groups(lang::Op op, std::uint32_t a, std::uint32_t b);
    // Answers about truths in truths, by class. A class may hold a set over itself: while it is being worked out, it says
    // nothing.
    using Answers = std::unordered_map<std::uint32_t, bool>;
    bool implies(egraph::ClassId truth, Answers& answers, int depth);
    bool allows(egraph::ClassId truth, std::uint32_t null_columns, Answers& answers, int depth);
    bool same_is_implied(const egraph::NodeView& node);

    const TermClasses& classes_;
    SqlOps& ops_;
    std::vector<egraph::ClassId> atoms_;
    std::unordered_map<std::uint32_t, bool> atom_known_;  // by class; whether the groups say all
    // Conjuncts x <=> y of which neither side is known to be NULL or not.
    struct NullSafe {
        std::uint32_t atom = 0;
        std::uint32_t a = 0;
        std::uint32_t b = 0;
    };
    std::vector<NullSafe> null_safe_;
    std::vector<Group> groups_;
    std::unordered_map<std::uint32_t, std::uint32_t> group_of_;
    std::unordered_map<std::uint32_t, std::uint8_t> known_;  // masks of values
    std::uint32_t null_columns_ = 0;
    std::vector<std::uint32_t> open_subqueries_;  // for whose rows this closure was made
    bool contradictory_ = false;
    bool closed_ = true;
    Memo memo_;
};

// Whether equal values of the type are identical, so that one may stand for the other anywhere. Not so for -0.0 and 0.0,
// numeric 1.0 and 1.00, texts of a collation that ignores case.
bool has_identical_equals(lang::Type type);

// The conjuncts of a truth: those of its smallest `all`, or itself.
std::vector<egraph::ClassId> conjuncts(const TermClasses& classes, const SqlOps& ops,
                                       egraph::ClassId truth);
std::vector<egraph::ClassId> conjuncts(const egraph::EGraph& graph, const SqlOps& ops,
                                       egraph::ClassId truth);

}  // namespace satura::rules
