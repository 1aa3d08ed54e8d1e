// What a proof has shown so far: which terms are equal, and what follows for their values.
//
// A congruence closure over the terms (Downey, Sethi and Tarjan, "Variations on the common subexpression problem", JACM 1980),
// with sets and bags up to their normal form, and for each class of equal terms its type, possible values, and whether it is
// stable and some form of it cannot raise: what any member of a class says holds for all. It is written without the e-graph,
// so that a fault of the one is not one of the other.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "proof/terms.hpp"
#include "rules/analyses.hpp"
#include "rules/words.hpp"

namespace satura::proof {

class Known {
  public:
    // All must outlive this object. What no node says, the types of columns and opaque pieces, is in `scope`. Terms that are
    // there already are known as terms.
    Known(Terms& terms, rules::SqlOps& ops, const rules::Scope& scope)
        : terms_(terms), ops_(ops), scope_(scope) {
        enter_new();
    }

    // Adds a term or finds it.
    TermId add(egraph::OpId op, egraph::Payload payload, std::vector<TermId> children);
    bool equal(TermId a, TermId b) { return find(index(a)) == find(index(b)); }
    // Makes two terms equal, and what follows by congruence. Cost: in proportion to the terms over merged classes.
    void merge(TermId a, TermId b);

    // What the words of rules are told of a term.
    rules::Operand operand(TermId term);
    const Terms& terms() const { return terms_; }
    rules::SqlOps& ops() { return ops_; }

  private:
    struct Facts {
        std::optional<lang::Type> type;
        rules::Possible possible;
        bool stable = false;
        bool total = false;
    };
    using Key = std::vector<std::uint32_t>;
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };

    std::uint32_t find(std::uint32_t id);
    void enter_new();
    void enter_keys(std::uint32_t term);
    void add_key(std::uint32_t term, Key key);
    std::optional<std::uint32_t> known_leaf(const std::optional<egraph::Operator::Leaf>& leaf);
    Key opened(const Term& term);
    void settle();
    void learn(std::uint32_t term);
    Facts facts_of(TermId id);
    std::optional<lang::Type> type_of(const Term& term, std::span<const lang::Type> operands);
    std::vector<TermId> operands_of(const Term& term) const;
    lang::Type type(TermId id);

    Terms& terms_;
    rules::SqlOps& ops_;
    const rules::Scope& scope_;
    std::vector<std::uint32_t> parent_;
    std::vector<std::vector<std::uint32_t>> members_, users_;  // by representative
    std::vector<Facts> facts_;                                 // by representative
    std::unordered_map<Key, std::uint32_t, Hash> by_key_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> equal_;  // still to be merged
    std::vector<std::uint32_t> stale_;                            // terms to be looked at again
};

}  // namespace satura::proof
