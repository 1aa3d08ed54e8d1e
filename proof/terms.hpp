// Terms of a proof, each once. Sets and bags are in normal form: nested ones of the same operator opened, units dropped, sorted,
// in a set nothing twice; one element is itself, the zero is all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "egraph/signature.hpp"

namespace satura::proof {

enum class TermId : std::uint32_t {};
constexpr std::uint32_t index(TermId id) { return static_cast<std::uint32_t>(id); }

struct Term {
    egraph::OpId op{};
    egraph::Payload payload = 0;
    std::span<const std::uint32_t> children;  // ids of terms
};

class Terms {
  public:
    // The signature must outlive the terms.
    explicit Terms(const egraph::Signature& signature) : signature_(&signature) {}

    // Adds a term or finds it. Children have smaller ids than their term. Cost: linear in the children but for sorting.
    TermId add(egraph::OpId op, egraph::Payload payload, std::vector<TermId> children);
    // The term of an operator that is no set or bag, or one in normal form, if it is there.
    std::optional<TermId> find(egraph::OpId op, egraph::Payload payload,
                               std::span<const TermId> children) const;
    Term operator[](TermId id) const;
    std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
    const egraph::Signature& signature() const { return *signature_; }

    // The normal form of a set's or bag's children; a term where it comes down to one. `leaf` is asked for the unit and zero.
    struct Normal {
        std::vector<std::uint32_t> children;
        std::optional<std::uint32_t> came_down_to;
    };
    // `unit` and `zero` as they appear among the children, if at all.
    static Normal normal(const egraph::Operator& op, std::vector<std::uint32_t> children,
                         std::optional<std::uint32_t> unit, std::optional<std::uint32_t> zero);

  private:
    struct Node {
        egraph::OpId op;
        egraph::Payload payload;
        std::uint32_t begin, count;
    };
    const egraph::Signature* signature_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> children_;
    std::unordered_multimap<std::uint64_t, TermId> by_hash_;
};

}  // namespace satura::proof
