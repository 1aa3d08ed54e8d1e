// Expressions to SQL text, for callers that name columns in their own way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

// The SQL name of a column payload, quoted where needed ("t.x"); it must be one name, or names with dots.
using ColumnWriter = std::function<std::string(std::uint32_t)>;

struct Written {
    std::string text;
    // False where binding the text again may give another tree: an operator whose operands no spelling leads to (a
    // comparison of two types that the dialect does not compare, say).
    bool exact = true;
};

// See write_expr in sql_expr.hpp. The time is linear in the length of the text: an expression that shares nodes is
// written out as a tree.
Written write_expr(const Exprs& exprs, ExprId root, const ColumnWriter& column_name,
                   const Context& context);

// One expression of two contexts: equal but for the implicit flags of casts, the numbers of volatile calls, and nested
// ANDs and ORs, which mean the same as flat ones.
bool same_expr(const Exprs& a, ExprId root_a, const Context& context_a, const Exprs& b,
               ExprId root_b, const Context& context_b);

}  // namespace satura::lang
