// A growing array of plain values that grows in place where the system can: it moves the pages of a
// large block instead of copying it, where std::vector allocates anew, copies, and touches each page
// once more. The e-graph's arrays are such blocks.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace satura::egraph {

// Asks for a cache line that is read or written soon. Any address will do.
inline void prefetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

// Blocks of memory; one that has grown to `bytes` is freed as one of `bytes`. They throw
// std::bad_alloc.
void* new_zero_block(std::size_t bytes);
void* grow_block(void* block, std::size_t bytes, std::size_t wanted);
void free_block(void* block, std::size_t bytes);

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  public:
    Buffer() = default;
    Buffer(const Buffer& o) { append({o.data_, o.size_}); }
    Buffer(Buffer&& o) noexcept { swap(o); }
    Buffer& operator=(Buffer o) noexcept {
        swap(o);
        return *this;
    }
    ~Buffer() { free_block(data_, bytes()); }
    void swap(Buffer& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
    }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    // As bytes would be after `count` more values.
    std::size_t bytes_with(std::size_t count) const {
        return capacity_for(size_ + count) * sizeof(T);
    }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }

    void push_back(const T& value) {
        T copy = value;  // may stand in this buffer
        if (size_ == capacity_) grow(size_ + 1);
        data_[size_++] = copy;
    }
    // The values must not stand in this buffer.
    void append(std::span<const T> values) {
        T* at = extend(values.size());
        for (const T& value : values) *at++ = value;  // mostly two or three
    }
    // Room for `count` more values, to be written by the caller.
    T* extend(std::size_t count) {
        if (size_ + count > capacity_) grow(size_ + count);
        T* at = data_ + size_;
        size_ += count;
        return at;
    }
    // Makes it that long; values that are new are not set.
    void resize(std::size_t count) {
        if (count > capacity_) grow(count);
        size_ = count;
    }
    // As many values, all bits zero; of a large block no page is touched yet.
    void assign_zero(std::size_t count) {
        Buffer fresh;
        fresh.data_ = static_cast<T*>(new_zero_block(count * sizeof(T)));
        fresh.size_ = fresh.capacity_ = count;
        swap(fresh);
    }
    void assign(std::size_t count, const T& value) {
        if (count > capacity_) Buffer().swap(*this);  // what it holds need not be moved
        resize(count);
        std::fill(begin(), end(), value);
    }
    // Drops the first values.
    void drop_front(std::size_t count) {
        std::copy(data_ + count, data_ + size_, data_);
        size_ -= count;
    }
    void clear() { size_ = 0; }

  private:
    std::size_t capacity_for(std::size_t wanted) const {
        if (wanted <= capacity_) return capacity_;
        return std::max({wanted, capacity_ * 2, std::size_t{16}});
    }
    void grow(std::size_t wanted) {
        std::size_t capacity = capacity_for(wanted);
        data_ = static_cast<T*>(grow_block(data_, bytes(), capacity * sizeof(T)));
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace satura::egraph
