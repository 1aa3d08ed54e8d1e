// SQL text to the tree of PostgreSQL's grammar (libpg_query's protobuf messages), for every dialect.
//
// What the grammar lacks and a dialect has is mapped first, always to text of the same length, so that every position in
// the tree is a position in the user's text:
//   TRY_CAST(x AS t)          cast    (x AS t), and ParsedSql::is_try_cast(location) tells it from a plain cast
//   `name`  (mysql, spark, sqlite)   "name"
//   "text"  (mysql, spark)    'text'
// Refused, with a position: NUL bytes, invalid UTF-8, a chain or nesting deeper than sql_depth_max, a backslash in a
// quoted text of mysql and spark (its escapes are not read).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"

struct PgQuery__ParseResult;

namespace satura::lang {

// Operators, casts, joins and set operations that may nest or follow each other in one chain (AND, OR and lists are
// flat and have no limit). The grammar's own stack ends earlier for some: 9,989 parentheses, 9,991 NOTs.
inline constexpr std::uint32_t sql_depth_max = 20'000;

// A token of the user's text. Comments are left out.
struct Token {
    std::uint32_t begin = 0;  // bytes, in ParsedSql::text()
    std::uint32_t end = 0;
    int kind = 0;  // PgQuery__Token
};

// A parsed text: it owns the tree, the text and the tokens. Positions of the tree ("locations") count from the start of
// text(), which is the user's text between two pieces that the caller wrapped it in.
class ParsedSql {
  public:
    ParsedSql();
    ~ParsedSql();
    ParsedSql(ParsedSql&&) noexcept;
    ParsedSql& operator=(ParsedSql&&) noexcept;

    const PgQuery__ParseResult& tree() const { return *tree_; }
    std::string_view text() const { return text_; }        // what the grammar read
    std::string_view written() const { return written_; }  // the same bytes as the user wrote them
    std::uint32_t user_begin() const {
        return user_begin_;
    }  // where the user's text stands in both
    std::uint32_t user_end() const { return user_end_; }
    bool is_try_cast(std::int32_t location) const;
    const std::vector<Token>& tokens() const;  // made at the first call

    // The token at or after a location, as an index; tokens().size() past the last.
    std::size_t token_at(std::uint32_t location) const;
    // The user's offset of a location, kept within the user's text.
    std::uint32_t offset(std::int64_t location) const;
    // The span of the token at a location in the user's text.
    Span span_of_token(std::int64_t location) const;

  private:
    friend class SqlParser;
    class Arena;

    std::unique_ptr<Arena> arena_;
    const PgQuery__ParseResult* tree_ = nullptr;
    std::string text_;
    std::string written_;
    std::uint32_t user_begin_ = 0;
    std::uint32_t user_end_ = 0;
    std::vector<std::uint32_t> try_casts_;  // ascending
    mutable std::vector<Token> tokens_;
    mutable bool scanned_ = false;
};

// Parses `before` + text + `after`. Errors carry spans into `text`. Linear but for chains of operators, where
// the grammar library takes quadratic time (20,000 links: 0.3 s).
Result<ParsedSql> parse_sql(std::string_view text, Dialect dialect, std::string_view before = {},
                            std::string_view after = {});

}  // namespace satura::lang
