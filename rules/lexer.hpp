// Tokens of a rule file. Lines and indentation matter only in that a statement starts in the first column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace satura::rules {

enum class TokenKind : std::uint8_t {
    name,      // letters, digits and _, no digit first
    variable,  // ?x
    rest,      // ...?x
    number,    // 12, 1.5, 1e9
    string,    // '…' with '' for a quote inside
    quoted,    // "…", an operator's name
    symbol,    // operators and punctuation, the longest that fits
    invalid,   // an unclosed string, a lone "?" or "..."
    end
};

struct Token {
    TokenKind kind = TokenKind::end;
    bool first_column = false;
    bool first_on_line = false;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t line = 1;
};

// From the dashes to the end of the line.
struct CommentToken {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t line = 1;
    bool own_line = false;  // nothing stands before it
};

struct Tokens {
    std::vector<Token> tokens;  // the last one is `end`
    std::vector<CommentToken> comments;
    std::vector<std::uint32_t> blank_lines;  // numbers of empty lines, ascending
};

// Cost: linear. Never fails: what is wrong becomes an `invalid` token.
Tokens tokenize(std::string_view text);

}  // namespace satura::rules
