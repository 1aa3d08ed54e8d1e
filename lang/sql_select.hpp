// SQL statements to plans.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/catalog.hpp"
#include "lang/context.hpp"
#include "lang/diagnostic.hpp"
#include "lang/plan.hpp"

namespace satura::lang {

// Queries within queries (subqueries, derived tables, CTEs, parenthesised sides of set operations)
// may nest this deep; more is an error. Chains of joins, set operations, conjuncts and the like are
// not nesting.
inline constexpr std::uint32_t query_depth_max = 100;

struct ResultColumn {
    std::string name;  // as PostgreSQL names it: "?column?" where nothing does
    ColumnId column{};
};

struct Statement {
    enum class Kind : std::uint8_t {
        query,  // `plan` is bound
        other,  // anything but SELECT and VALUES: only its text
    };
    Kind kind = Kind::other;
    Span span;         // in the text, without the semicolon
    std::string text;  // as written
    Plan plan;
    // The columns of the result by position: a column may stand twice, and the root may have more
    // columns (those that only ORDER BY needs). Empty when the root is an opaque query whose
    // columns are not known.
    std::vector<ResultColumn> result;
    std::vector<Diagnostic> warnings;
};
using Statements = std::vector<Statement>;

// Reads all statements of a text, separated by semicolons, and binds the queries: resolves names
// over the catalog, inserts the dialect's implicit casts, and gives each column its id. What has no
// operator in the algebra becomes an opaque expression, an opaque item of FROM, or an opaque query;
// nothing valid is refused. The first mistake ends it.
Result<Statements> parse_statements(std::string_view text, const Catalog& catalog,
                                    Context& context);

}  // namespace satura::lang
