#include "egraph/table.hpp"

#include <algorithm>
#include <cassert>

#include "egraph/hash.hpp"
#include "egraph/ids.hpp"

namespace satura::egraph {

void Index::build(std::span<const Pair> pairs, std::uint32_t ids) {
    keys_.clear();
    rows_.resize(pairs.size());
    dense_ = pairs.size() * 4 >= ids;
    if (dense_) {
        offsets_.assign(std::size_t{ids} + 2, 0);
        for (const Pair& p : pairs) ++offsets_[p.key + 2];
        for (std::size_t i = 2; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
        for (const Pair& p : pairs) rows_[offsets_[p.key + 1]++] = p.row;
        offsets_.pop_back();
        return;
    }
    std::vector<Pair> sorted(pairs.begin(), pairs.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Pair& a, const Pair& b) { return a.key < b.key; });
    offsets_.clear();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key) {
            keys_.push_back(sorted[i].key);
            offsets_.push_back(static_cast<std::uint32_t>(i));
        }
        rows_[i] = sorted[i].row;
    }
    offsets_.push_back(static_cast<std::uint32_t>(sorted.size()));
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
    if (entries_.empty()) return none;
    std::size_t mask = entries_.size() - 1;
    for (std::size_t i = hash & mask; entries_[i].row != none; i = (i + 1) & mask) {
        const Entry& e = entries_[i];
        if (e.hash == hash && !is_dead(e.row) && has_key(e.row, payload, children)) return e.row;
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
    ++version_;
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
    std::size_t mask = entries_.size() - 1;
    std::size_t i = hash & mask;
    while (entries_[i].row != none) {
        if (entries_[i].row == row && entries_[i].hash == hash) return;
        i = (i + 1) & mask;
    }
    entries_[i] = {hash, row};
    ++used_;
}

// Makes the hash-cons anew from the live rows, which drops entries of keys that rows no longer
// have.
void Table::rehash() {
    std::size_t live = 0;
    for (std::uint32_t row = 0; row < size(); ++row) live += !is_dead(row);
    std::size_t capacity = 16;
    while (capacity < live * 2 + 16) capacity *= 2;
    entries_.assign(capacity, Entry{0, none});
    used_ = 0;
    for (std::uint32_t row = 0; row < size(); ++row) {
        if (is_dead(row)) continue;
        std::uint32_t hash = hash_key(payload(row), children(row));
        std::size_t i = hash & (capacity - 1);
        while (entries_[i].row != none) i = (i + 1) & (capacity - 1);
        entries_[i] = {hash, row};
        ++used_;
    }
}

namespace {

template <class Keys>
void build_index(Index& index, const Table& table, std::uint32_t ids, Keys&& keys) {
    thread_local std::vector<Index::Pair> pairs;
    pairs.clear();
    for (std::uint32_t row = 0; row < table.size(); ++row) {
        if (table.is_matchable(row)) keys(row, pairs);
    }
    index.build(pairs, ids);
}

}  // namespace

const Index& Table::by_class(std::uint32_t ids) const {
    if (indexes_.empty()) indexes_.resize(2 + (shape_ == Shape::fixed ? arity_ : 1));
    CachedIndex& cached = indexes_[0];
    if (cached.version != version_) {
        build_index(cached.index, *this, ids,
                    [this](std::uint32_t row, auto& out) { out.push_back({cls(row), row}); });
        cached.version = version_;
    }
    return cached.index;
}

const Index& Table::by_child(std::uint32_t position, std::uint32_t ids) const {
    if (indexes_.empty()) indexes_.resize(2 + arity_);
    CachedIndex& cached = indexes_[1 + position];
    if (cached.version != version_) {
        build_index(cached.index, *this, ids, [this, position](std::uint32_t row, auto& out) {
            out.push_back({children_data(row)[position], row});
        });
        cached.version = version_;
    }
    return cached.index;
}

const Index& Table::by_member(std::uint32_t ids) const {
    if (indexes_.empty()) indexes_.resize(2 + 1);
    CachedIndex& cached = indexes_[1];
    if (cached.version != version_) {
        build_index(cached.index, *this, ids, [this](std::uint32_t row, auto& out) {
            thread_local std::vector<std::uint32_t> elements;
            elements.assign(children_data(row), children_data(row) + children(row).size());
            if (shape_ == Shape::sequence) std::sort(elements.begin(), elements.end());
            for (std::size_t i = 0; i < elements.size(); ++i) {
                if (i == 0 || elements[i] != elements[i - 1]) out.push_back({elements[i], row});
            }
        });
        cached.version = version_;
    }
    return cached.index;
}

const std::vector<std::uint32_t>& Table::recent(std::uint32_t since) const {
    if (recent_version_ != version_ || recent_since_ != since) {
        recent_.clear();
        for (std::uint32_t row = 0; row < size(); ++row) {
            if (is_matchable(row) && stamp(row) >= since) recent_.push_back(row);
        }
        recent_version_ = version_;
        recent_since_ = since;
    }
    return recent_;
}

std::size_t Table::bytes() const {
    std::size_t total = cells_.bytes() + arena_.bytes() + entries_.capacity() * sizeof(Entry);
    for (const CachedIndex& cached : indexes_) total += cached.index.bytes();
    return total;
}

void Table::clear() {
    cells_.clear();
    arena_.clear();
    std::fill(entries_.begin(), entries_.end(), Entry{0, none});
    used_ = 0;
    ++version_;
}

}  // namespace satura::egraph
