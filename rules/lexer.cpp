#include "rules/lexer.hpp"

#include <array>

namespace satura::rules {

namespace {

constexpr std::array<std::string_view, 9> long_symbols = {
    "<=>", "::", "=>", "~>", "<=", ">=", "<>", "||", "!="};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80U;
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Tokens run() {
        while (at_ < text_.size()) {
            if (text_[at_] == '\n') {
                end_line();
            } else if (is_blank(text_[at_])) {
                ++at_;
            } else if (text_.substr(at_).starts_with("--")) {
                comment();
            } else {
                token();
            }
        }
        if (line_begin_ < text_.size()) end_line();
        add(TokenKind::end, at_);
        return std::move(out_);
    }

  private:
    void end_line() {
        if (is_line_empty_) out_.blank_lines.push_back(line_);
        at_ = std::min(at_ + 1, text_.size());
        line_begin_ = at_;
        ++line_;
        is_line_empty_ = true;
    }

    void comment() {
        std::size_t end = std::min(text_.find('\n', at_), text_.size());
        while (end > at_ && is_blank(text_[end - 1])) --end;
        out_.comments.push_back({static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end),
                                 line_, is_line_empty_});
        is_line_empty_ = false;
        at_ = std::min(text_.find('\n', at_), text_.size());
    }

    void add(TokenKind kind, std::size_t end) {
        out_.tokens.push_back({kind, at_ == line_begin_, is_line_empty_,
                               static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end),
                               line_});
        is_line_empty_ = false;
        at_ = end;
    }

    std::size_t name_end(std::size_t at) const {
        while (at < text_.size() && is_name_part(text_[at])) ++at;
        return at;
    }

    void token() {
        const char c = text_[at_];
        const std::string_view rest = text_.substr(at_);
        if (is_name_start(c)) {
            add(TokenKind::name, name_end(at_));
        } else if (is_digit(c)) {
            add(TokenKind::number, number_end());
        } else if (c == '\'' || c == '"') {
            string(c);
        } else if (c == '?' || rest.starts_with("...?")) {
            const std::size_t begin = at_ + (c == '?' ? 1 : 4);
            const bool has_name = begin < text_.size() && is_name_start(text_[begin]);
            const TokenKind kind = c == '?' ? TokenKind::variable : TokenKind::rest;
            add(has_name ? kind : TokenKind::invalid, name_end(begin));
        } else if (rest.starts_with("...")) {
            add(TokenKind::invalid, at_ + 3);
        } else {
            symbol(rest);
        }
    }

    std::size_t number_end() const {
        auto digit_at = [this](std::size_t i) { return i < text_.size() && is_digit(text_[i]); };
        auto digits = [&](std::size_t i) {
            while (digit_at(i)) ++i;
            return i;
        };
        std::size_t end = digits(at_);
        if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) end = digits(end + 1);
        if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
            const bool has_sign =
                end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+');
            const std::size_t begin = end + (has_sign ? 2 : 1);
            if (digit_at(begin)) end = digits(begin);
        }
        return end;
    }

    void string(char quote) {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != '\n') {
            if (text_[end] != quote) {
                ++end;
            } else if (quote == '\'' && end + 1 < text_.size() && text_[end + 1] == quote) {
                end += 2;
            } else {
                add(quote == '\'' ? TokenKind::string : TokenKind::quoted, end + 1);
                return;
            }
        }
        add(TokenKind::invalid, end);
    }

    void symbol(std::string_view rest) {
        for (std::string_view s : long_symbols) {
            if (rest.starts_with(s)) return add(TokenKind::symbol, at_ + s.size());
        }
        add(TokenKind::symbol, at_ + 1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_begin_ = 0;
    std::uint32_t line_ = 1;
    bool is_line_empty_ = true;
    Tokens out_;
};

}  // namespace

Tokens tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace satura::rules
