// An expression as an S-expression with the types that the text leaves out, for golden files.
#pragma once

#include <string>

#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::test {

// "(> [integer x] integer '5')": implicit casts in square brackets, literals typed.
std::string dump_expr(const lang::Exprs& exprs, lang::ExprId root,
                      std::span<const lang::Column> columns, const lang::Context& context);

}  // namespace satura::test
