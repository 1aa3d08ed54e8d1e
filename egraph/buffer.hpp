// A growing array of plain values that grows by realloc: the system moves the pages of a large
// block instead of copying it, where std::vector allocates anew, copies, and touches each page once
// more. The e-graph's arrays are such blocks.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace satura::egraph {

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
    ~Buffer() { std::free(data_); }
    void swap(Buffer& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(capacity_, o.capacity_);
    }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
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
    void clear() { size_ = 0; }

  private:
    void grow(std::size_t wanted) {
        std::size_t capacity = std::max({wanted, capacity_ * 2, std::size_t{16}});
        void* data = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
        if (data == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(data);
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace satura::egraph
