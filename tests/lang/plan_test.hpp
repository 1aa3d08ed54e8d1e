// Catalogs and statements for the tests of plans.
#pragma once

#include <string>
#include <string_view>

#include "lang/sql_select.hpp"

namespace satura::test {

// What came of a schema and a query. `error` is empty when the query is bound.
struct BoundText {
    lang::Context context;
    lang::Catalog catalog;
    lang::Statements statements;
    std::string error_code;
    std::string error;  // rendered, with the line and the caret
    bool schema_failed = false;
};
void bind_text(const std::string& schema, const std::string& sql, lang::Dialect dialect,
               BoundText& out);

// The first rule of a plan that does not hold, in words: children have smaller ids, columns are
// read only where they are made or outer, the result's columns are the root's. Empty when all hold.
std::string plan_fault(const lang::Statement& statement);

}  // namespace satura::test
