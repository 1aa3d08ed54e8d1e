// Plans to SQL text, for PostgreSQL and DuckDB.
#pragma once

#include <vector>

#include "lang/catalog.hpp"
#include "lang/context.hpp"
#include "lang/plan.hpp"
#include "lang/sql_select.hpp"
#include "lang/sql_write.hpp"

namespace satura::lang {

// One query, on one line, without a semicolon: the columns of `result` in their order and under their names. Aliases,
// names of CTEs and of derived tables are the plan's; others are made up only where there are none or two would clash.
//
// Any plan of the algebra has a text, not only what the binder makes: filters below joins go to WHERE or ON where that
// means the same, semi and anti joins become EXISTS, and what does not fit into one SELECT is a derived table.
// `Written::exact` is false where an expression may be bound otherwise (see sql_write.hpp).
//
// Debug builds bind the text again over `catalog`, which must be the one that the plan is bound over.
Written write_query(const Plan& plan, const std::vector<ResultColumn>& result,
                    const Catalog& catalog, const Context& context);

// The statement's query; the text as it came for anything else.
Written write_statement(const Statement& statement, const Catalog& catalog, const Context& context);

}  // namespace satura::lang
