#include "lang/like.hpp"

#include <algorithm>

namespace satura::lang {

namespace {

// Bytes of the character that starts at `at`, never beyond the end.
std::size_t character_size(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    return end - at;
}

// Takes a pattern apart, one element at a time.
class Pattern {
  public:
    Pattern(std::string_view pattern, std::string_view escape)
        : pattern_(pattern), escape_(escape) {}

    bool done(std::size_t at) const { return at >= pattern_.size(); }
    bool is_any(std::size_t at) const { return !is_escape(at) && pattern_[at] == '%'; }
    bool ends_in_escape() const {
        std::size_t at = 0;
        while (at < pattern_.size()) {
            if (is_escape(at)) {
                at += escape_.size();
                if (at >= pattern_.size()) return true;
            }
            at += character_size(pattern_, at);
        }
        return false;
    }
    // Matches the element at `at` with the character of the text; the pattern's next position, or
    // nothing.
    std::optional<std::size_t> step(std::size_t at, std::string_view character) const {
        const bool escaped = is_escape(at);
        if (escaped) at += escape_.size();
        const std::size_t size = character_size(pattern_, at);
        if (!escaped && pattern_[at] == '_') return at + 1;
        if (pattern_.substr(at, size) != character) return std::nullopt;
        return at + size;
    }

  private:
    bool is_escape(std::size_t at) const {
        return !escape_.empty() && pattern_.substr(at).starts_with(escape_);
    }

    std::string_view pattern_;
    std::string_view escape_;
};

}  // namespace

std::optional<bool> like_matches(std::string_view text, std::string_view pattern,
                                 std::string_view escape) {
    const Pattern elements(pattern, escape);
    if (elements.ends_in_escape()) return std::nullopt;
    std::size_t t = 0;
    std::size_t p = 0;
    bool star = false;          // a % was seen; only the last one is ever tried again
    std::size_t star_text = 0;  // where the text goes on if that % takes one character more
    std::size_t star_next = 0;  // the pattern behind it
    while (t < text.size()) {
        const std::size_t size = character_size(text, t);
        if (!elements.done(p) && elements.is_any(p)) {
            star = true;
            star_text = t;
            star_next = ++p;
            continue;
        }
        if (!elements.done(p)) {
            if (const auto next = elements.step(p, text.substr(t, size))) {
                p = *next;
                t += size;
                continue;
            }
        }
        if (!star) return false;
        star_text += character_size(text, star_text);
        t = star_text;
        p = star_next;
    }
    while (!elements.done(p) && elements.is_any(p)) ++p;
    return elements.done(p);
}

}  // namespace satura::lang
