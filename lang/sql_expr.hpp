// Scalar SQL expressions: text to Exprs and back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/context.hpp"
#include "lang/diagnostic.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

// "x smallint, y int not null": the columns that an expression may name.
Result<std::vector<Column>> parse_columns(std::string_view text, Context& context);

// Parses and binds one scalar expression over the columns: resolves names, types literals, inserts the dialect's implicit
// casts (ExprNode::implicit). What has no operator here becomes Op::opaque with its columns as children; nothing valid is
// refused. Errors carry spans into `text`.
Result<ExprId> parse_expr(std::string_view text, std::span<const Column> columns, Exprs& exprs,
                          Context& context);

// A type name as the dialect or any other dialect spells it: "int", "double precision", "decimal(5,2)", "utinyint".
Result<Type> parse_type(std::string_view text, Context& context);

// SQL text of an expression in the context's dialect, with the fewest parentheses that the grammar allows; binding it
// again gives the same expression, implicit casts included.
std::string write_expr(const Exprs& exprs, ExprId root, std::span<const Column> columns,
                       const Context& context);
std::string write_type(Type type, const Context& context);

// Name as the dialect needs it: quoted where it is not a plain lower-case identifier or is a reserved word.
std::string write_name(std::string_view name, Dialect dialect);

}  // namespace satura::lang
