// Which terms are equal by congruence once some of them are said to be equal: what an e-graph finds too, written without it so
// that the one can check the other.
//
//   TermClosure closure(terms);
//   closure.merge(a, b);
//   closure.equal(closure.add(f, 0, {a}), closure.add(f, 0, {b}));   // true
//
// Sets and bags are equal by their normal forms: nested ones are opened, one level of equal terms, and units dropped. Source:
// Downey, Sethi and Tarjan, "Variations on the common subexpression problem" (JACM 1980).
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egraph/terms.hpp"

namespace satura::egraph {

class TermClosure {
  public:
    // The terms must outlive the closure. Those that are there already take part.
    explicit TermClosure(Terms& terms) : terms_(terms) { enter_new(); }

    TermId add(OpId op, Payload payload, std::vector<TermId> children);
    bool equal(TermId a, TermId b) const { return find(raw(a)) == find(raw(b)); }
    // Cost: in proportion to the terms over merged classes.
    void merge(TermId a, TermId b);
    // Lets take part what others have added to the terms.
    void enter_new();
    const Terms& terms() const { return terms_; }

    // A class is named by one of its terms. Cost: O(log n).
    std::uint32_t find(std::uint32_t id) const;
    std::span<const std::uint32_t> members(std::uint32_t cls) const {
        return classes_[find(cls)].members;
    }
    // The terms that have a member of the class among their children.
    std::span<const std::uint32_t> users(std::uint32_t cls) const {
        return classes_[find(cls)].users;
    }
    // A term of that operator over those classes, if there is one.
    std::optional<TermId> lookup(OpId op, Payload payload,
                                 std::span<const std::uint32_t> children) const;
    // The classes that took in others since the last call.
    std::vector<std::uint32_t> take_grown() { return std::exchange(grown_, {}); }

  private:
    using Key = std::vector<std::uint32_t>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    struct Class {
        std::vector<std::uint32_t> members;
        std::vector<std::uint32_t> users;  // terms with a member as a child
        std::vector<std::uint32_t> sets;   // members that are sets or bags
        bool is_special = false;           // a member is the unit or zero of an operator
    };

    void settle();
    void unite(std::uint32_t a, std::uint32_t b);
    void renew(std::uint32_t term);
    void enter_keys(std::uint32_t term);
    void add_key(std::uint32_t term, Key key);
    Key opened(const Term& term);
    std::optional<std::uint32_t> known_leaf(const std::optional<Operator::Leaf>& leaf);
    bool is_set(std::uint32_t term) const;

    Terms& terms_;
    std::vector<std::uint32_t> parent_;
    std::vector<Class> classes_;  // by representative
    std::unordered_map<Key, std::uint32_t, Hash> by_key_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equal_;  // still to be merged
    std::vector<std::uint32_t> grown_;
};

}  // namespace satura::egraph
