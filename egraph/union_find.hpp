// Union-find over class ids with path halving. Who wins a union is the caller's choice.
#pragma once

#include <cstdint>
#include "egraph/buffer.hpp"

namespace satura::egraph {

class UnionFind {
  public:
    std::uint32_t add() {
        parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
        return parents_.back();
    }
    std::uint32_t find(std::uint32_t x) {
        while (parents_[x] != x) {
            parents_[x] = parents_[parents_[x]];
            x = parents_[x];
        }
        return x;
    }
    std::uint32_t find(std::uint32_t x) const {
        while (parents_[x] != x) x = parents_[x];
        return x;
    }
    // Requires two roots.
    void hang(std::uint32_t loser, std::uint32_t winner) { parents_[loser] = winner; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
    std::size_t bytes() const { return parents_.bytes(); }
    std::size_t bytes_with(std::size_t count) const { return parents_.bytes_with(count); }
    void clear() { parents_.clear(); }

  private:
    Buffer<std::uint32_t> parents_;
};

}  // namespace satura::egraph
