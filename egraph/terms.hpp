// Terms outside of an e-graph, each once. Sets and bags are in normal form: nested ones of the same operator opened, units
// dropped, sorted, in a set nothing twice; one element is itself, the zero is all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "egraph/signature.hpp"

namespace satura::egraph {

enum class TermId : std::uint32_t {};

struct Term {
    OpId op{};
    Payload payload = 0;
    std::span<const std::uint32_t> children;  // ids of terms
};

class Terms {
  public:
    // The signature must outlive the terms.
    explicit Terms(const Signature& signature) : signature_(&signature) {}

    // Adds a term or finds it. Children have smaller ids than their term. Cost: linear in the children but for sorting.
    TermId add(OpId op, Payload payload, std::vector<TermId> children);
    // The term of an operator that is no set or bag, or one in normal form, if it is there.
    std::optional<TermId> find(OpId op, Payload payload, std::span<const TermId> children) const;
    Term operator[](TermId id) const;
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
    const Signature& signature() const { return *signature_; }
    // "(+ x (f y))"; what would be longer than `length_max` is cut and ends with "…". Cost: O(length).
    std::string text(TermId id, std::size_t length_max = 1'000'000) const;

    // The normal form of a set's or bag's children; a term where it comes down to one. `leaf` is asked for the unit and zero.
    struct Normal {
        std::vector<std::uint32_t> children;
        std::optional<std::uint32_t> came_down_to;
    };
    // `unit` and `zero` as they appear among the children, if at all.
    static Normal normal(const Operator& op, std::vector<std::uint32_t> children,
                         std::optional<std::uint32_t> unit, std::optional<std::uint32_t> zero);

  private:
    struct Node {
        OpId op;
        Payload payload;
        std::uint32_t begin, count;
    };
    const Signature* signature_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> children_;
    std::unordered_multimap<std::uint64_t, TermId> by_hash_;
};

}  // namespace satura::egraph
