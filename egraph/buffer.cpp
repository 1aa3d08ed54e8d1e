#include "egraph/buffer.hpp"

#include <cstring>
#include <limits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace satura::egraph {

namespace {

// The allocator may keep large blocks in its heap, where growing copies them, so those are mapped
// by themselves; not under AddressSanitizer, which looks at the allocator's blocks only.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
constexpr std::size_t mapped_bytes_min = std::size_t{1} << 20;

void* checked_map(void* block) {
    if (block == MAP_FAILED) throw std::bad_alloc();
    return block;
}
void* map_block(std::size_t bytes) {
    return checked_map(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}
void* grow_mapped(void* block, std::size_t bytes, std::size_t wanted) {
    return checked_map(mremap(block, bytes, wanted, MREMAP_MAYMOVE));
}
void unmap_block(void* block, std::size_t bytes) { munmap(block, bytes); }
#else
constexpr std::size_t mapped_bytes_min = std::numeric_limits<std::size_t>::max();

void* map_block(std::size_t) { throw std::bad_alloc(); }
void* grow_mapped(void*, std::size_t, std::size_t) { throw std::bad_alloc(); }
void unmap_block(void*, std::size_t) {}
#endif

void* checked(void* block) {
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

}  // namespace

void* new_zero_block(std::size_t bytes) {
    return bytes >= mapped_bytes_min ? map_block(bytes) : checked(std::calloc(bytes, 1));
}

void* grow_block(void* block, std::size_t bytes, std::size_t wanted) {
    if (bytes >= mapped_bytes_min) return grow_mapped(block, bytes, wanted);
    if (wanted < mapped_bytes_min) return checked(std::realloc(block, wanted));
    void* grown = map_block(wanted);
    if (bytes != 0) std::memcpy(grown, block, bytes);
    std::free(block);
    return grown;
}

void free_block(void* block, std::size_t bytes) {
    if (bytes >= mapped_bytes_min) {
        unmap_block(block, bytes);
    } else {
        std::free(block);
    }
}

}  // namespace satura::egraph
