// Rows of a table grouped by a key (a class id), as one counting-sorted array: dense offsets for
// large tables, sorted keys for tables that are small beside the number of ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "egraph/buffer.hpp"

namespace satura::egraph {

class Index {
  public:
    // Groups the rows from 0 to `count` that `key` gives keys: it is called with (row, f), twice
    // for each row, and calls f(key) for each key of the row. Rows of one key keep their order.
    // `pairs` is how often f is called in all, `ids` bounds the keys.
    template <class Keys>
    void build(std::uint32_t count, std::size_t pairs, std::uint32_t ids, Keys&& key);
    // As bytes would be after building it anew with so many pairs.
    std::size_t bytes_for(std::size_t pairs, std::uint32_t ids) const;

    std::span<const std::uint32_t> rows(std::uint32_t key) const {
        if (dense_) {
            if (key + 1 >= offsets_.size()) return {};
            return {rows_.data() + offsets_[key], offsets_[key + 1] - offsets_[key]};
        }
        auto it = std::lower_bound(keys_.begin(), keys_.end(), key);
        if (it == keys_.end() || *it != key) return {};
        auto at = static_cast<std::size_t>(it - keys_.begin());
        return {rows_.data() + offsets_[at], offsets_[at + 1] - offsets_[at]};
    }
    std::size_t bytes() const { return keys_.bytes() + offsets_.bytes() + rows_.bytes(); }

  private:
    struct Pair {
        std::uint32_t key;
        std::uint32_t row;
    };
    static bool is_dense(std::size_t pairs, std::uint32_t ids) { return pairs * 4 >= ids; }
    void build_sparse(std::span<Pair> pairs);

    bool dense_ = true;
    Buffer<std::uint32_t> keys_;
    Buffer<std::uint32_t> offsets_;
    Buffer<std::uint32_t> rows_;
};

template <class Keys>
void Index::build(std::uint32_t count, std::size_t pairs, std::uint32_t ids, Keys&& key) {
    keys_.clear();
    rows_.resize(pairs);
    dense_ = is_dense(pairs, ids);
    if (dense_) {
        offsets_.assign(std::size_t{ids} + 2, 0);
        for (std::uint32_t row = 0; row < count; ++row) {
            key(row, [this](std::uint32_t k) { ++offsets_[k + 2]; });
        }
        for (std::size_t i = 2; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
        for (std::uint32_t row = 0; row < count; ++row) {
            key(row, [this, row](std::uint32_t k) { rows_[offsets_[k + 1]++] = row; });
        }
        offsets_.resize(std::size_t{ids} + 1);
        return;
    }
    std::vector<Pair> sorted;
    sorted.reserve(pairs);
    for (std::uint32_t row = 0; row < count; ++row) {
        key(row, [&sorted, row](std::uint32_t k) { sorted.push_back({k, row}); });
    }
    build_sparse(sorted);
}

}  // namespace satura::egraph
