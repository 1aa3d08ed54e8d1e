// Applying the matches of a rule: building right sides, merging, subsuming.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "egraph/match.hpp"

namespace satura::egraph {

class Applier {
  public:
    // `go_on` is asked every few applications; false stops in the middle, leaving a consistent,
    // unrebuilt e-graph.
    Applier(EGraph& graph, const Rule& rule, RuleId id, const Query& query,
            std::function<bool()> go_on)
        : graph_(graph),
          rule_(rule),
          id_(id),
          query_(query),
          go_on_(std::move(go_on)),
          match_(graph, query, {}) {}

    // Applies the matches. A `=>` rule applies all. A `~>` rule applies at most one a row, the
    // first in structural order of what it matched, and subsumes the row. Where left and right are
    // one set or bag with the same rest, matches in one row that pick disjoint elements apply
    // together, as one new node, unless a condition looked at the rest: what it saw there may be
    // what another match takes away. Returns the number of matches applied.
    std::size_t apply(MatchList& matches);

  private:
    using Order = std::vector<std::uint32_t>;

    bool is_applicable(std::span<std::uint32_t> slots);
    bool prepare(std::span<std::uint32_t> slots);
    bool apply_one(std::span<std::uint32_t> slots);
    std::size_t apply_row(MatchList& matches, std::span<const std::uint32_t> group, bool jointly);
    std::size_t apply_jointly(MatchList& matches, std::span<const std::uint32_t> group);
    void join_disjoint(MatchList& matches, Order& left_over, Order& chosen,
                       std::vector<std::uint32_t>& rest);
    const std::vector<std::uint32_t>& root_members() const;
    void sort_structurally(MatchList& matches, Order& group) const;
    // Merges, keeps the slots of the matches in the log and subsumes; true if that changed
    // anything.
    template <class Kept>
    bool finish(std::span<const std::uint32_t> slots, EGraph::Added made, std::uint32_t match_count,
                Kept&& slots_of);
    bool subsume_all(const std::vector<NodeId>& nodes);
    EGraph::Added build(std::uint32_t index);
    void build_child(std::uint32_t index, std::vector<std::uint32_t>& out);
    Payload payload_of(const PatternNode& node) const;

    EGraph& graph_;
    const Rule& rule_;
    RuleId id_;
    const Query& query_;
    std::function<bool()> go_on_;
    Match match_;
};

}  // namespace satura::egraph
