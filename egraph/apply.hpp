// Applying the matches of a rule: building right sides, merging, subsuming.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egraph/budget.hpp"
#include "egraph/match.hpp"

namespace satura::egraph {

class Applier {
  public:
    // Stops between two applications where the budget is spent or the next one would not fit,
    // leaving a consistent e-graph that waits for rebuild. What one application adds is known
    // beforehand, but for what computations add.
    Applier(EGraph& graph, const Rule& rule, RuleId id, const Query& query, Budget& budget);

    // Applies the matches. A `=>` rule applies all. A `~>` rule applies at most one a row, the
    // first in structural order of what it matched, and subsumes the row. Where left and right are
    // one set or bag with the same rest, matches in one row that pick disjoint elements apply
    // together, as one new node, unless a condition looked at the rest: what it saw there may be
    // what another match takes away. Returns the number of matches applied.
    std::size_t apply(MatchList& matches);

  private:
    using Order = std::vector<std::uint32_t>;
    static constexpr std::uint32_t weight = 32;  // of one application, in steps of the budget

    bool fits(std::span<const std::uint32_t> slots);
    bool fits_jointly(MatchList& matches, const Order& chosen);
    std::size_t growth_of(std::span<const std::uint32_t> slots) const;
    std::optional<ClassId> seek(std::uint32_t index, std::uint32_t& missing);
    bool seek_child(std::uint32_t index, std::vector<ClassId>& out, std::uint32_t& missing);
    std::size_t apply_all(MatchList& matches);
    bool sort_by_row(MatchList& matches, std::vector<std::uint64_t>& keys);

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
    Budget& budget_;
    Match match_;
    std::size_t growth_ = 0;             // by one application (EGraph::growth), but for rests
    std::size_t growth_of_element_ = 0;  // and for each element of a rest
};

}  // namespace satura::egraph
