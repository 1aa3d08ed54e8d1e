// Why classes were merged: append-only, by rows. Explanations come from it; nothing in it is ever
// rewritten.
#pragma once

#include <cstdint>
#include <span>

#include "egraph/buffer.hpp"
#include "egraph/ids.hpp"

namespace satura::egraph {

struct UnionReason {
    enum class Kind : std::uint8_t {
        asserted,    // by the user of the engine
        rule,        // `rule` with the slots of `match_count` matches, one after the other
        congruence,  // a and b have the same key once their children are canonical
        collapse,    // a is a set or bag that came down to b: one element, the unit or the zero
    };
    Kind kind = Kind::asserted;
    RuleId rule{none};
    std::uint32_t match_begin = 0;  // into UnionLog::slots
    std::uint32_t match_slots = 0;  // slots of one match
    std::uint32_t match_count = 0;
};

struct UnionEntry {
    NodeId a;
    NodeId b;
    UnionReason reason;
};

class UnionLog {
  public:
    void add(NodeId a, NodeId b, const UnionReason& reason) { entries_.push_back({a, b, reason}); }
    // Keeps the slots of one match and returns where they begin.
    std::uint32_t keep(std::span<const std::uint32_t> slots) {
        auto begin = static_cast<std::uint32_t>(slots_.size());
        slots_.append(slots);
        return begin;
    }
    std::uint32_t slot_count() const { return static_cast<std::uint32_t>(slots_.size()); }
    std::span<const UnionEntry> entries() const { return {entries_.data(), entries_.size()}; }
    std::span<const std::uint32_t> slots(std::uint32_t begin, std::uint32_t count) const {
        return {slots_.data() + begin, count};
    }
    std::size_t bytes() const { return entries_.bytes() + slots_.bytes(); }
    // As bytes would be after so many more entries and slots.
    std::size_t bytes_with(std::size_t count) const {
        return entries_.bytes_with(count) + slots_.bytes_with(count);
    }
    void clear() {
        entries_.clear();
        slots_.clear();
    }

  private:
    Buffer<UnionEntry> entries_;
    Buffer<std::uint32_t> slots_;
};

}  // namespace satura::egraph
