// Rows of a table grouped by a key (a class id), as one counting-sorted array: dense offsets for
// large tables, sorted keys for tables that are small beside the number of ids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace satura::egraph {

class Index {
  public:
    struct Pair {
        std::uint32_t key;
        std::uint32_t row;
    };
    // Groups the pairs; rows of one key keep their order. `ids` bounds the keys.
    void build(std::span<const Pair> pairs, std::uint32_t ids);

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
    std::size_t bytes() const {
        return (keys_.capacity() + offsets_.capacity() + rows_.capacity()) * 4;
    }

  private:
    bool dense_ = true;
    std::vector<std::uint32_t> keys_;
    std::vector<std::uint32_t> offsets_;
    std::vector<std::uint32_t> rows_;
};

}  // namespace satura::egraph
