// From a tree of the grammar to expressions: names, types, literals, implicit casts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lang/context.hpp"
#include "lang/diagnostic.hpp"
#include "lang/expr.hpp"
#include "lang/sql_coerce.hpp"
#include "lang/sql_parse.hpp"

struct PgQuery__Node;
struct PgQuery__SubLink;

namespace satura::lang {

// What an expression may name. A query's binder makes one per FROM clause; parse_expr has a list of columns.
class Scope {
  public:
    // A column: its index is the payload of Op::column. Or the expression that a name stands for.
    struct Found {
        std::uint32_t index = 0;
        Type type;
        std::optional<ExprId> expr = std::nullopt;
    };

    // A bound query within an expression: the node that stands for it, the types that its operands are brought to, and
    // the outer columns that it reads.
    struct Query {
        Op op = Op::exists;
        std::uint32_t index = 0;
        Type type;
        std::vector<Type> operand_types;
        std::vector<ExprId> outer;
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
    // Whether take() answers for that node.
    virtual bool takes(const PgQuery__Node& node) const {
        static_cast<void>(node);
        return false;
    }

    // Whether queries within the expression are bound: query() is asked, with the operands on the left of IN, ANY and
    // ALL, or those of a row that is compared with the one row there is by `row_operator`. Otherwise, and where it
    // answers nothing, they are opaque.
    virtual bool binds_queries() const { return false; }
    virtual std::optional<Result<Query>> query(const PgQuery__SubLink& link,
                                               std::span<const Operand> operands,
                                               std::string_view row_operator) const {
        static_cast<void>(link);
        static_cast<void>(operands);
        static_cast<void>(row_operator);
        return std::nullopt;
    }

    // Whether the user's text is the expression and nothing else, so that it can be kept as a whole. Otherwise an
    // expression that cannot be cut out is an error of code "unsupported".
    virtual bool is_whole_text() const { return true; }
};

// What the place of an expression asks of it.
enum class Wanted : std::uint8_t {
    any,        // a bare literal gets its own type: 5 is an integer, 'abc' and NULL are texts
    condition,  // WHERE, ON, HAVING: boolean, or a type error
};

// Binds one expression of a parsed text. Linear in its size; no recursion. What has no operator is Op::opaque.
Result<ExprId> bind_expr(const PgQuery__Node& node, const ParsedSql& sql, const Scope& scope,
                         Exprs& exprs, Context& context, Wanted wanted = Wanted::any);

}  // namespace satura::lang
