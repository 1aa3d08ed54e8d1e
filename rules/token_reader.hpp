// A cursor over the tokens of one statement, and the errors that reading it gives.
//
// The first error of a statement sends the cursor to its end, so that whoever reads sees nothing more and returns; further
// errors of the same statement are dropped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "rules/lexer.hpp"
#include "rules/syntax.hpp"

namespace satura::rules {

class TokenReader {
  public:
    TokenReader(std::string_view text, const Tokens& tokens, std::vector<lang::Diagnostic>& errors)
        : text_(text), tokens_(tokens.tokens), errors_(errors) {}

    // Reads the tokens [begin, end) from now on.
    void enter(std::uint32_t begin, std::uint32_t end) {
        at_ = begin_ = begin;
        stop_ = end;
        failed_ = false;
    }

    bool failed() const { return failed_; }
    std::uint32_t position() const { return at_; }
    bool at_end() const { return at_ >= stop_; }
    TokenKind kind(std::uint32_t ahead = 0) const;
    std::string_view text(std::uint32_t ahead = 0) const;  // empty at the end
    const Token& token(std::uint32_t index) const { return tokens_[index]; }
    std::string_view text_of(const Token& token) const {
        return text_.substr(token.begin, token.end - token.begin);
    }
    std::string_view source() const { return text_; }
    Span span(std::uint32_t ahead = 0) const;  // at the end: the place behind the last token
    Span span_from(std::uint32_t first_token) const;
    bool touches_next(std::uint32_t ahead = 0) const;  // no blank between this token and the next

    bool is_symbol(std::string_view symbol, std::uint32_t ahead = 0) const {
        return kind(ahead) == TokenKind::symbol && text(ahead) == symbol;
    }
    bool is_word(std::string_view word, std::uint32_t ahead = 0) const {
        return kind(ahead) == TokenKind::name && text(ahead) == word;
    }
    void rewind(std::uint32_t position) { at_ = position; }
    Span span_before() const {  // of the token before the cursor
        return {tokens_[at_ - 1].begin, tokens_[at_ - 1].end};
    }
    void advance(std::uint32_t count = 1) { at_ = std::min(at_ + count, stop_); }
    bool take_symbol(std::string_view symbol);
    bool take_word(std::string_view word);
    // Takes the symbol or fails: `expected "(" after cast, found …`.
    bool expect_symbol(std::string_view symbol, std::string_view where, std::string_view help = "");

    void fail(std::string code, Span span, std::string message, std::string help = "");
    // What stands at the cursor, for messages.
    std::string found() const;
    // Fails where the cursor is at a token that is none.
    bool fail_if_invalid();

    // A name that may have hyphens: cast-gt-above-max.
    Name hyphenated_name(std::string_view what, std::string_view help);
    // A variable without its "?".
    Name variable_name();
    // An operator in a list: a symbol, a name, `is null` and its like, or any of them in double quotes. Empty text where
    // the cursor is at none.
    Name operator_name();
    // The text of tokens [begin, end) with one blank where there were some.
    std::string one_blank(std::uint32_t begin, std::uint32_t end) const;

  private:
    std::string_view text_;
    const std::vector<Token>& tokens_;
    std::vector<lang::Diagnostic>& errors_;
    std::uint32_t at_ = 0;
    std::uint32_t begin_ = 0;
    std::uint32_t stop_ = 0;
    bool failed_ = false;
};

}  // namespace satura::rules
