// Finding the matches of a rule: a join over the operators' tables, only for what changed since a
// stamp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "egraph/budget.hpp"
#include "egraph/buffer.hpp"
#include "egraph/egraph.hpp"
#include "egraph/query.hpp"

namespace satura::egraph {

// One match of a rule, as conditions and computations see it.
class Match {
  public:
    Match(const EGraph& graph, const Query& query, std::span<std::uint32_t> slots)
        : graph_(&graph), query_(&query), slots_(slots) {}

    const EGraph& graph() const { return *graph_; }
    ClassId cls(std::uint32_t slot) const { return graph_->find(ClassId{slots_[slot]}); }
    Payload payload(std::uint32_t slot) const { return slots_[slot]; }
    NodeId node(std::uint32_t slot) const { return NodeId{slots_[slot]}; }
    std::span<const std::uint32_t> slots() const { return slots_; }
    // The classes that a rest slot stands for. Valid until the next call of set_sequence or reset.
    const std::vector<std::uint32_t>& sequence(std::uint32_t slot) const;

    void set_class(std::uint32_t slot, ClassId cls) { slots_[slot] = raw(cls); }
    void set_payload(std::uint32_t slot, Payload payload) { slots_[slot] = payload; }
    void set_sequence(std::uint32_t slot, std::vector<std::uint32_t> classes);
    EGraph& mutable_graph() { return const_cast<EGraph&>(*graph_); }  // computations may add nodes

    // Whether the elements of some rest were asked for since the last reset.
    bool looked_at_rests() const {
        return std::any_of(sequences_.begin(), sequences_.end(),
                           [](const Sequence& s) { return s.known; });
    }

    void reset(std::span<std::uint32_t> slots) {
        slots_ = slots;
        for (Sequence& s : sequences_) s.known = false;
    }

  private:
    struct Sequence {
        bool known = false;
        std::vector<std::uint32_t> classes;
    };
    const EGraph* graph_;
    const Query* query_;
    std::span<std::uint32_t> slots_;
    mutable std::vector<Sequence> sequences_;
};

// Matches of one rule, one after the other, each `width` slots.
struct MatchList {
    std::uint32_t width = 0;
    Buffer<std::uint32_t> slots;
    bool stopped = false;         // more than the limit were found, or the budget is spent
    bool looks_at_rests = false;  // a condition looked at the elements of a rest

    std::size_t size() const { return width == 0 ? 0 : slots.size() / width; }
    std::span<std::uint32_t> operator[](std::size_t i) { return {slots.data() + i * width, width}; }
};

// Finds the matches that use at least one row or analysis value whose stamp is at least `since` (0:
// all), conditions included, at most `limit`. Requires a clean e-graph. Where the budget is spent
// it stops in the middle: `out` then has some of the matches, which says nothing of the others.
// Source of the scheme: semi-naive evaluation, one pass per atom in which that atom is new and the
// atoms before it are old; within a pass the next atom is the one with the fewest candidates.
// Returns false at once where an operator of the pattern has no node.
bool find_matches(const EGraph& graph, const Rule& rule, const Query& query, std::uint32_t since,
                  std::size_t limit, MatchList& out, Budget& budget);
void find_matches(const EGraph& graph, const Rule& rule, const Query& query, std::uint32_t since,
                  std::size_t limit, MatchList& out);

}  // namespace satura::egraph
