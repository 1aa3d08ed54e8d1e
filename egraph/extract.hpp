// Choosing one node per class: the cheapest term by tree cost, bottom-up with a heap, in one or
// several variants.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "egraph/egraph.hpp"

namespace satura::egraph {

// What a choice costs. A *variant* is a demand on a class's term ("no raising node", "sorted by
// k"); variants are numbered from 0. Costs are doubles and monotone: a node never costs less than
// its dearest child, or cycles could be extracted; such a node is refused.
class CostModel {
  public:
    virtual ~CostModel() = default;
    virtual std::uint32_t variants() const { return 1; }
    // Whether the node may stand for its class in that variant.
    virtual bool admits(const EGraph&, const NodeView&, std::uint32_t /*variant*/) const {
        return true;
    }
    // The variant in which child number i of the node is wanted.
    virtual std::uint32_t child_variant(const EGraph&, const NodeView&, std::size_t /*i*/,
                                        std::uint32_t variant) const {
        return variant;
    }
    // Cost of the node with its children at these costs.
    virtual double cost(const EGraph& graph, const NodeView& node, std::uint32_t variant,
                        std::span<const double> children) const = 0;
};

// 1 + the sum over the children: the number of nodes of the term.
class TermSize : public CostModel {
  public:
    double cost(const EGraph&, const NodeView&, std::uint32_t,
                std::span<const double> children) const override {
        double sum = 1;
        for (double c : children) sum += c;
        return sum;
    }
};

// The choices for all classes. Ties go by the structure of the chosen terms, never by ids. Where the
// e-graph is not clean the choices are terms of their classes all the same; what rebuild would find
// equal is not made use of. The e-graph must not change while the extraction is used.
// Source: Knuth, "A generalization of Dijkstra's algorithm", 1977. Cost: O((nodes + uses) log
// classes) for each variant.
class Extraction {
  public:
    static constexpr double infinite = std::numeric_limits<double>::infinity();

    // The model is asked during construction only.
    Extraction(const EGraph& graph, const CostModel& model);

    bool has_choice(ClassId cls, std::uint32_t variant = 0) const {
        return cost(cls, variant) < infinite;
    }
    double cost(ClassId cls, std::uint32_t variant = 0) const {
        return states_[index(cls, variant)].cost;
    }
    // The chosen node. Requires has_choice.
    NodeId choice(ClassId cls, std::uint32_t variant = 0) const {
        return NodeId{states_[index(cls, variant)].node};
    }
    // The chosen node's operands, in its order, with the variants in which they are chosen. Requires has_choice.
    struct Operand {
        ClassId cls;
        std::uint32_t variant;
    };
    std::vector<Operand> choice_operands(ClassId cls, std::uint32_t variant = 0) const;
    // A number that depends on the chosen term's structure alone.
    std::uint64_t key(ClassId cls, std::uint32_t variant = 0) const {
        return states_[index(cls, variant)].key;
    }

    // The chosen term as text, "(+ x (f y))", operands of sets and bags in structural order. A term
    // may be far larger than the e-graph: what would be longer than `length_max` is cut and ends
    // with "…". Requires has_choice. Cost: O(length).
    std::string text(ClassId cls, std::size_t length_max = 1'000'000,
                     std::uint32_t variant = 0) const;
    // As that, each shared part once: lines such as "#2 = (+ #0 #1)", operands before what uses
    // them, the term itself last. Cost: O(distinct parts).
    std::string shared_text(ClassId cls, std::uint32_t variant = 0) const;

  private:
    struct State {
        double cost = infinite;
        std::uint64_t key = 0;
        std::uint32_t node = none;
        bool final = false;
        std::size_t operands = 0;  // where they begin in operands_
    };
    std::size_t index(ClassId cls, std::uint32_t variant) const {
        return std::size_t{raw(graph_.find(cls))} * variants_ + variant;
    }
    std::uint64_t key_of(const CostModel& model, const NodeView& node, std::uint32_t variant) const;
    std::vector<std::size_t> operands(std::size_t state) const;
    std::string operator_text(std::size_t state) const;
    void run(const CostModel& model);

    const EGraph& graph_;
    std::uint32_t variants_;
    std::vector<State> states_;
    std::vector<std::size_t> operands_;  // of the chosen nodes: states
};

}  // namespace satura::egraph
