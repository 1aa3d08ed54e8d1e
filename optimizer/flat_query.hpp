// A query in the form in which it is compared with another one: what computes columns stands as high as it can.
//
//     select x.b from (select a, b + 1 as b from t) x where x.a > 1
//
// becomes one projection of b + 1 over one filter. Projections go up, through filters, joins and the like, into the
// expressions that read them; so a column's name is no part of a plan but where a computed column has to stand: below the
// padded side of an outer join, in a grouping, a set operation or a subquery. Inner joins and the filters between them are
// one join of any number of relations under one filter, EXISTS and IN in a filter are semijoins, a UNION ALL has any number
// of sides. DISTINCT and UNION are groupings by all columns, an order that nothing limits goes, a CTE that is read once
// stands where it is read, and columns that nobody reads are not made.
//
// All of this holds under total semantics (docs/semantics.md): errors may vanish and appear.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lang/context.hpp"
#include "lang/plan.hpp"
#include "lang/sql_select.hpp"

namespace satura {

struct FlatQuery {
    // The source's relations, and behind them the new ones. An inner join or a UNION ALL may have any number of inputs, the
    // join without a condition. The root is a projection: the result's columns by position, then the keys of the order.
    lang::Plan plan;
    std::uint32_t width = 0;           // of the result
    std::vector<lang::SortKey> order;  // their directions; the values are the root's last columns
};

// Nothing where two mentions of the query need not have the same rows: it is no query, its columns are not known, or it
// holds a volatile call or a piece that no rule looks into. Nor where a derived table hands on a column of a query around it:
// the plan has one id for both. Cost: linear, but for nests of derived tables.
std::optional<FlatQuery> flatten(const lang::Statement& statement, const lang::Context& context);

}  // namespace satura
