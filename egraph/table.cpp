#include "egraph/table.hpp"

#include <algorithm>
#include <cassert>

#include "egraph/hash.hpp"
#include "egraph/ids.hpp"

namespace satura::egraph {

std::size_t Index::bytes_for(std::size_t pairs, std::uint32_t ids) const {
    std::size_t keys = is_dense(pairs, ids) ? 0 : pairs;
    std::size_t offsets = is_dense(pairs, ids) ? std::size_t{ids} + 2 : pairs + 1;
    auto bytes = [](const Buffer<std::uint32_t>& buffer, std::size_t count) {
        return count <= buffer.size() ? buffer.bytes() : buffer.bytes_with(count - buffer.size());
    };
    return bytes(keys_, keys) + bytes(offsets_, offsets) + bytes(rows_, pairs);
}

void Index::build_sparse(std::span<Pair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.key < b.key; });
    offsets_.clear();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (i == 0 || pairs[i].key != pairs[i - 1].key) {
            keys_.push_back(pairs[i].key);
            offsets_.push_back(static_cast<std::uint32_t>(i));
        }
        rows_[i] = pairs[i].row;
    }
    offsets_.push_back(static_cast<std::uint32_t>(pairs.size()));
}

bool Table::has_key(std::uint32_t row, Payload payload,
                    std::span<const std::uint32_t> children) const {
    if (this->payload(row) != payload) return false;
    if (shape_ != Shape::fixed && cell(row, 5) != children.size()) return false;
    const std::uint32_t* own = children_data(row);
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (own[i] != children[i]) return false;
    }
    return true;
}

std::uint32_t Table::lookup(Payload payload, std::span<const std::uint32_t> children,
                            std::uint32_t hash) const {
    std::uint32_t row = lookup_in(entries_, payload, children, hash);
    return row != none || old_.empty() ? row : lookup_in(old_, payload, children, hash);
}

std::uint32_t Table::lookup_in(const Buffer<Entry>& entries, Payload payload,
                               std::span<const std::uint32_t> children, std::uint32_t hash) const {
    if (entries.empty()) return none;
    std::size_t mask = entries.size() - 1;
    for (std::size_t i = hash & mask; entries[i].row_after != 0; i = (i + 1) & mask) {
        const Entry& e = entries[i];
        std::uint32_t row = e.row_after - 1;
        if (e.hash == hash && !is_dead(row) && has_key(row, payload, children)) return row;
    }
    return none;
}

std::uint32_t Table::append(std::uint32_t node, std::uint32_t cls, std::uint32_t stamp,
                            Payload payload, std::span<const std::uint32_t> children,
                            std::uint32_t hash) {
    std::uint32_t row = size();
    std::uint32_t* r = cells_.extend(stride_);
    r[0] = node, r[1] = cls, r[2] = stamp, r[3] = payload;
    if (shape_ == Shape::fixed) {
        assert(children.size() == arity_);
        std::copy(children.begin(), children.end(), r + 4);
    } else {
        r[4] = static_cast<std::uint32_t>(arena_.size());
        r[5] = static_cast<std::uint32_t>(children.size());
        arena_.append(children);
    }
    ++version_, ++live_, ++matchable_;
    enter(row, hash);
    return row;
}

void Table::rekey(std::uint32_t row, std::span<const std::uint32_t> children) {
    std::uint32_t* r = cells_.data() + std::size_t{row} * stride_;
    if (shape_ == Shape::fixed) {
        std::copy(children.begin(), children.end(), r + 4);
    } else {
        assert(children.size() <= r[5]);
        std::copy(children.begin(), children.end(), arena_.begin() + r[4]);
        r[5] = static_cast<std::uint32_t>(children.size());
    }
    ++version_;
}

void Table::enter(std::uint32_t row, std::uint32_t hash) {
    if ((used_ + 1) * 4 > entries_.size() * 3) rehash();
    place({hash, row + 1});
    if (!old_.empty()) move_entries(rows_moved_by_enter);
}

void Table::place(const Entry& entry) {
    std::size_t mask = entries_.size() - 1;
    std::size_t i = entry.hash & mask;
    while (entries_[i].row_after != 0) {
        if (entries_[i].row_after == entry.row_after && entries_[i].hash == entry.hash) return;
        i = (i + 1) & mask;
    }
    entries_[i] = entry;
    ++used_;
}

// Begins a hash-cons for the live rows, which drops entries of keys that rows no longer have. Rows
// move over while others are entered: all at once would take longer than a time limit may wait.
void Table::rehash() {
    if (!old_.empty()) move_entries(size());
    old_.swap(entries_);
    entries_.assign_zero(entries_wanted(live_));
    used_ = 0;
    moved_ = 0;
    if (size() <= rows_moved_at_once) move_entries(size());
}

void Table::move_entries(std::uint32_t count) {
    std::uint32_t end = count < size() - moved_ ? moved_ + count : size();
    for (; moved_ < end; ++moved_) {
        if (!is_dead(moved_)) place({hash_key(payload(moved_), children(moved_)), moved_ + 1});
    }
    if (moved_ == size()) old_ = {};
}

std::size_t Table::entries_wanted(std::size_t live) {
    std::size_t capacity = 16;
    while (capacity < live * 2 + 16) capacity *= 2;
    return capacity;
}

// The number of (key, row) pairs of an index. One over elements may have fewer.
std::size_t Table::pair_count(std::uint32_t which) const {
    if (which == 0 || shape_ == Shape::fixed) return matchable_;
    std::size_t count = 0;
    for (std::uint32_t row = 0; row < size(); ++row) {
        if (is_matchable(row)) count += cell(row, 5);
    }
    return count;
}

std::size_t Table::index_growth(std::uint32_t which, std::uint32_t ids) const {
    if (is_indexed(which)) return 0;
    if (caches_.indexes.empty()) return Index().bytes_for(pair_count(which), ids);
    const Index& index = caches_.indexes[which].index;
    std::size_t after = index.bytes_for(pair_count(which), ids);
    return after > index.bytes() ? after - index.bytes() : 0;
}

const Index& Table::index(std::uint32_t which, std::uint32_t ids) const {
    if (is_indexed(which)) return caches_.indexes[which].index;
    if (caches_.indexes.empty()) caches_.indexes.resize(2 + (shape_ == Shape::fixed ? arity_ : 1));
    CachedIndex& cached = caches_.indexes[which];
    build_index(which, cached.index, ids);
    cached.version = version_;
    return cached.index;
}

void Table::build_index(std::uint32_t which, Index& index, std::uint32_t ids) const {
    if (which == 0 || shape_ == Shape::fixed) {
        std::uint32_t field = which == 0 ? 1 : 3 + which;
        index.build(size(), matchable_, ids, [&](std::uint32_t row, auto&& give) {
            if (is_matchable(row)) give(cell(row, field));
        });
        return;
    }
    std::vector<std::uint32_t> elements;
    auto distinct = [&](std::uint32_t row, auto&& give) {
        if (!is_matchable(row)) return;
        elements.assign(children_data(row), children_data(row) + children(row).size());
        if (shape_ == Shape::sequence) std::sort(elements.begin(), elements.end());
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (i == 0 || elements[i] != elements[i - 1]) give(elements[i]);
        }
    };
    std::size_t pairs = 0;
    for (std::uint32_t row = 0; row < size(); ++row) distinct(row, [&](std::uint32_t) { ++pairs; });
    index.build(size(), pairs, ids, distinct);
}

const Buffer<std::uint32_t>& Table::recent(std::uint32_t since) const {
    if (!knows_recent(since)) {
        caches_.recent.clear();
        for (std::uint32_t row = 0; row < size(); ++row) {
            if (is_matchable(row) && stamp(row) >= since) caches_.recent.push_back(row);
        }
        caches_.recent_version = version_;
        caches_.recent_since = since;
    }
    return caches_.recent;
}

std::size_t Table::bytes() const {
    std::size_t total =
        cells_.bytes() + arena_.bytes() + entries_.bytes() + old_.bytes() + caches_.recent.bytes();
    for (const CachedIndex& cached : caches_.indexes) total += cached.index.bytes();
    return total;
}

std::size_t Table::growth_with(std::size_t rows, std::size_t keys) const {
    auto doubled = [](const auto& buffer, std::size_t count) {
        return buffer.size() + count > buffer.capacity() ? buffer.bytes() : 0;
    };
    std::size_t growth = doubled(cells_, rows * stride_);
    if (shape_ != Shape::fixed) growth += doubled(arena_, rows);
    bool is_in_use = live_ != 0 || rows != 0;
    if (is_in_use && (used_ + std::max(rows, keys)) * 4 > entries_.size() * 3) {
        std::size_t after = entries_wanted(live_) * sizeof(Entry);
        if (size() > rows_moved_at_once) {
            growth += after;
        } else if (after > entries_.bytes()) {
            growth += after - entries_.bytes();
        }
    }
    return growth;
}

void Table::clear() {
    cells_.clear();
    arena_.clear();
    std::fill(entries_.begin(), entries_.end(), Entry{0, 0});
    old_ = {};
    moved_ = 0;
    used_ = live_ = matchable_ = 0;
    ++version_;
}

}  // namespace satura::egraph
