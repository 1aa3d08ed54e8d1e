// From a tree of the grammar to expressions: names, types, literals, implicit casts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "lang/context.hpp"
#include "lang/diagnostic.hpp"
#include "lang/expr.hpp"
#include "lang/sql_parse.hpp"

struct PgQuery__Node;

namespace satura::lang {

// What an expression may name. A query's binder makes one per FROM clause; parse_expr has a list of columns.
class Scope {
  public:
    // A column: its index is the payload of Op::column.
    struct Found {
        std::uint32_t index = 0;
        Type type;
    };

    virtual ~Scope() = default;

    // The column of a name such as x, t.x or s.t.x (the parts as the grammar folded them). An error needs no span.
    virtual Result<Found> column(std::span<const std::string_view> parts) const = 0;

    // Asked first for each node of the tree: a scope may take one as a column of its own (an aggregate's result, a
    // subquery), and the binder does not look below it.
    virtual std::optional<Result<Found>> take(const PgQuery__Node& node) const {
        static_cast<void>(node);
        return std::nullopt;
    }
};

// What the place of an expression asks of it.
enum class Wanted : std::uint8_t {
    any,        // a bare literal gets its own type: 5 is an integer, 'abc' and NULL are texts
    condition,  // WHERE, ON, HAVING: boolean, or a type error
};

// Binds one expression of a parsed text. Linear in its size; no recursion. What has no operator is Op::opaque.
Result<ExprId> bind_expr(const PgQuery__Node& node, const ParsedSql& sql, const Scope& scope, Exprs& exprs,
                         Context& context, Wanted wanted = Wanted::any);

}  // namespace satura::lang
