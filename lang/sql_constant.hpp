// Constants without a type of their own, on their way to one.
#pragma once

#include <optional>
#include <string_view>

#include "lang/sql_coerce.hpp"

namespace satura::lang {

// The type without its length, precision or digits of the second, as a text of unknown type is read by PostgreSQL before
// it meets a column; elsewhere only strings lose their length.
Type without_limit(Type type, Dialect dialect);

// Whether the constant brought to `type` is the number or text that it is as a `wide`.
bool fits_exactly(const Operand& constant, Type wide, Type type, const Context& context);

// The smallest decimal(p,s) that holds an integer or decimal; numeric for NaN and beyond 1000 digits.
Type decimal_of_value(const Value& value);

// A number as it is written ("5", "-1.50", "1e3"): integer, bigint, then numeric in PostgreSQL; hugeint, decimal(p,s)
// and double in DuckDB. The form is `typed` when it is no number.
Operand number_constant(std::string_view digits, const Context& context);

// The shortest spelling of a literal: a bare number, a bare text or NULL. Nothing where the type has none (a double).
std::optional<Operand> bare_form(Type type, const Value& value, const Context& context);

}  // namespace satura::lang
