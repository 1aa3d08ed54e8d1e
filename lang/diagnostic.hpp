// A user's mistake, in words, with its place; and a value or such a mistake.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace satura::lang {

// Byte offsets [begin, end) into the text that was read.
struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

struct Diagnostic {
    std::string code;  // stable, kebab-case: "syntax-error", "unknown-column"
    Span span;
    std::string message;  // one sentence, no full stop
    std::string help;     // how to mend it; may be empty
};

// 1-based line and column of a byte offset, counted in Unicode characters.
struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};
Place place_of(std::string_view text, std::uint32_t offset);

// "file:line:column: error: message", the line, a caret under the span, "help: …".
std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text);

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::move(value)) {}
    Result(Diagnostic diagnostic) : state_(std::move(diagnostic)) {}
    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const T& operator*() const { return std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    const Diagnostic& error() const { return std::get<1>(state_); }

  private:
    std::variant<T, Diagnostic> state_;
};

}  // namespace satura::lang
