// Pieces of SQL that are carried through as they were written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"
#include "lang/sql_parse.hpp"

struct PgQuery__Node;
struct PgQuery__ColumnRef;

namespace satura::lang {

// Cuts pieces out of one parsed text. A node of the tree knows a position within it and not its extent, so a cut is a
// guess by brackets and tokens that is parsed again and compared with the tree.
class Cutter {
  public:
    explicit Cutter(const ParsedSql& sql) : sql_(sql) {}

    // The bytes of ParsedSql::text() that are the expression `node` and nothing else; nothing when no cut is.
    std::optional<Span> cut(const PgQuery__Node& node);

    // The bytes of a column's name that starts at a location.
    Span name_at(const PgQuery__ColumnRef& column) const;

  private:
    void pair_brackets();
    // Widens [begin, end] (token indexes) until its brackets are closed within it.
    void balance(std::size_t& begin, std::size_t& end) const;
    bool is_same(Span piece, const std::string& wanted) const;

    static constexpr std::size_t extra_tokens_max =
        12;  // that a piece may have after its last known position
    static constexpr std::uint32_t no_partner = 0xFFFFFFFFU;

    const ParsedSql& sql_;
    std::vector<std::uint32_t>
        partners_;  // per token: the index of the bracket that it opens or closes
};

// Text with places: $1 … for children, $$ for a dollar sign of the text itself.
void append_escaped(std::string& out, std::string_view text);

// The text with its places filled. Requires that each place has a text; none is quoted or parenthesised here.
std::string fill_places(std::string_view text, const std::vector<std::string>& children);

// Whether the text stands alone beside any operator: one token, a call, or something in brackets as a whole.
bool is_enclosed(std::string_view text);

}  // namespace satura::lang
