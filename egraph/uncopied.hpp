// A member that a copy of its owner begins without: caches, snapshots.
#pragma once

#include <utility>

namespace satura::egraph {

template <class T>
struct Uncopied : T {
    Uncopied() = default;
    Uncopied(const Uncopied&) : T() {}
    Uncopied(Uncopied&&) noexcept = default;
    Uncopied& operator=(const Uncopied& o) { return this == &o ? *this : *this = Uncopied(); }
    Uncopied& operator=(Uncopied&&) noexcept = default;
    ~Uncopied() = default;
};

}  // namespace satura::egraph
