// Type names of all dialects, and Types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/context.hpp"
#include "lang/sql_parse.hpp"
#include "lang/type.hpp"

struct PgQuery__TypeName;

namespace satura::lang {

// The type that a name in the tree means. A name that no dialect knows is an opaque type; nothing for what a name cannot
// say (SETOF, %TYPE, fields of an interval). Names that two dialects use for different types follow the context's
// dialect: "float" is double in PostgreSQL and SQLite and real elsewhere; bare "decimal" is numeric in PostgreSQL,
// decimal(18,3) in DuckDB, decimal(10,0) in Spark and MySQL; DuckDB's char(n), varchar(n) and text are one type.
std::optional<Type> bind_type(const PgQuery__TypeName& name, const ParsedSql& sql,
                              Context& context);

// The opaque type "?": nothing is known about it.
Type unknown_type(Context& context);
bool is_unknown_type(Type type, const Context& context);

// Types that the dialect does not keep apart, as one: DuckDB's char(n), varchar(n) and text are varchar, SQLite's real is
// double.
Type dialect_type(Type type, Dialect dialect);

}  // namespace satura::lang
