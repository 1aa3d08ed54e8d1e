// The e-nodes of one operator as rows of flat cells, with their hash-cons and with indexes for
// matching.
//
// A row is [node, class, stamp, payload, children…] for a fixed shape and [node, class, stamp,
// payload, begin, count] over an arena for the others. Rows are never moved: a row that became
// congruent to another is marked dead and stays, since explanations name it. A subsumed row is
// alive for congruence and extraction and invisible for matching.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egraph/buffer.hpp"
#include "egraph/index.hpp"
#include "egraph/signature.hpp"
#include "egraph/uncopied.hpp"

namespace satura::egraph {

class Table {
  public:
    static constexpr std::uint32_t dead_flag = 1U << 31;
    static constexpr std::uint32_t subsumed_flag = 1U << 30;
    static constexpr std::uint32_t stamp_mask = subsumed_flag - 1;

    Table(Shape shape, std::uint32_t arity)
        : shape_(shape), arity_(arity), stride_(shape == Shape::fixed ? 4 + arity : 6) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(cells_.size() / stride_); }
    std::uint32_t arity() const { return arity_; }
    std::uint32_t stride() const { return stride_; }  // cells of a row
    Shape shape() const { return shape_; }

    std::uint32_t node(std::uint32_t row) const { return cell(row, 0); }
    std::uint32_t cls(std::uint32_t row) const { return cell(row, 1); }
    std::uint32_t stamp(std::uint32_t row) const { return cell(row, 2) & stamp_mask; }
    Payload payload(std::uint32_t row) const { return cell(row, 3); }
    bool is_dead(std::uint32_t row) const { return (cell(row, 2) & dead_flag) != 0; }
    bool is_subsumed(std::uint32_t row) const { return (cell(row, 2) & subsumed_flag) != 0; }
    bool is_matchable(std::uint32_t row) const { return (cell(row, 2) & ~stamp_mask) == 0; }
    const std::uint32_t* children_data(std::uint32_t row) const {
        const std::uint32_t* r = cells_.data() + std::size_t{row} * stride_;
        return shape_ == Shape::fixed ? r + 4 : arena_.data() + r[4];
    }
    std::span<const std::uint32_t> children(std::uint32_t row) const {
        return {children_data(row), shape_ == Shape::fixed ? arity_ : cell(row, 5)};
    }

    // The live row with that key, or none. Children must be canonical (and sorted where the shape
    // is).
    std::uint32_t lookup(Payload payload, std::span<const std::uint32_t> children,
                         std::uint32_t hash) const;
    // Appends a row. Requires that lookup finds none.
    std::uint32_t append(std::uint32_t node, std::uint32_t cls, std::uint32_t stamp,
                         Payload payload, std::span<const std::uint32_t> children,
                         std::uint32_t hash);
    // Gives a row a new key; `children` has at most as many elements as before. The old hash-cons
    // entry stays and is harmless: no canonical key leads to it.
    void rekey(std::uint32_t row, std::span<const std::uint32_t> children);
    void enter(std::uint32_t row, std::uint32_t hash);  // into the hash-cons, after rekey

    void set_class(std::uint32_t row, std::uint32_t cls) { cell(row, 1) = cls, ++version_; }
    void set_stamp(std::uint32_t row, std::uint32_t stamp) {
        cell(row, 2) = (cell(row, 2) & ~stamp_mask) | stamp;
        ++version_;
    }
    void kill(std::uint32_t row) {
        matchable_ -= is_matchable(row);
        --live_, ++version_;
        cell(row, 2) |= dead_flag;
    }
    void subsume(std::uint32_t row) {
        matchable_ -= is_matchable(row);
        ++version_;
        cell(row, 2) |= subsumed_flag;
    }
    // Requires a live row.
    void unsubsume(std::uint32_t row, std::uint32_t stamp) {
        matchable_ += !is_matchable(row);
        ++version_;
        cell(row, 2) = stamp;
    }

    // Indexes over the matchable rows, brought up to date on demand: 0 is by class, 1 + i by child i
    // of a fixed shape, 1 by element of another one (a row once per element). `ids` is the number of
    // class ids.
    const Index& index(std::uint32_t which, std::uint32_t ids) const;
    bool is_indexed(std::uint32_t which) const {
        return !caches_.indexes.empty() && caches_.indexes[which].version == version_;
    }
    // The bytes that bringing it up to date may add.
    std::size_t index_growth(std::uint32_t which, std::uint32_t ids) const;
    // Matchable rows whose stamp is at least `since`, in row order.
    const Buffer<std::uint32_t>& recent(std::uint32_t since) const;
    bool knows_recent(std::uint32_t since) const {
        return caches_.recent_version == version_ && caches_.recent_since == since;
    }

    std::size_t bytes() const;
    // The bytes that so many more rows (or elements) and keys may add by arrays that double; what
    // these must have at least is not in it.
    std::size_t growth_with(std::size_t rows, std::size_t keys) const;
    void clear();

  private:
    struct Entry {
        std::uint32_t hash;
        std::uint32_t row_after;  // the row + 1; 0 marks an empty slot
    };
    struct CachedIndex {
        Index index;
        std::uint64_t version = ~0ULL;
    };
    struct Caches {  // worked out from the rows on demand
        std::vector<CachedIndex> indexes;
        Buffer<std::uint32_t> recent;
        std::uint64_t recent_version = ~0ULL;
        std::uint32_t recent_since = 0;
    };
    std::uint32_t& cell(std::uint32_t row, std::uint32_t field) {
        return cells_[std::size_t{row} * stride_ + field];
    }
    std::uint32_t cell(std::uint32_t row, std::uint32_t field) const {
        return cells_[std::size_t{row} * stride_ + field];
    }
    bool has_key(std::uint32_t row, Payload payload, std::span<const std::uint32_t> children) const;
    std::uint32_t lookup_in(const Buffer<Entry>& entries, Payload payload,
                            std::span<const std::uint32_t> children, std::uint32_t hash) const;
    void rehash();
    void move_entries(std::uint32_t count);
    void place(const Entry& entry);
    static std::size_t entries_wanted(std::size_t live);
    std::size_t pair_count(std::uint32_t which) const;
    void build_index(std::uint32_t which, Index& index, std::uint32_t ids) const;

    Shape shape_;
    std::uint32_t arity_;
    std::uint32_t stride_;
    Buffer<std::uint32_t> cells_;
    Buffer<std::uint32_t> arena_;  // children of the other shapes
    static constexpr std::uint32_t rows_moved_at_once = 4096;
    static constexpr std::uint32_t rows_moved_by_enter = 8;
    Buffer<Entry> entries_;  // open addressing, a power of two
    Buffer<Entry> old_;      // those before, until rows up to the last have moved over
    std::uint32_t moved_ = 0;
    std::size_t used_ = 0;
    std::uint32_t live_ = 0;
    std::uint32_t matchable_ = 0;
    std::uint64_t version_ = 0;
    mutable Uncopied<Caches> caches_;
};

}  // namespace satura::egraph
