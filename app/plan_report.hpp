// What became of a query, for people.
#pragma once

#include <string>
#include <string_view>

#include "optimizer/optimizer.hpp"

namespace satura::app {

// The query as it was written, its plan before and after with their costs, and the SQL of the
// result:
//
//     select * from t where id = 5.0;
//     before, cost 10010:
//       filter t.id = 5.0  10 rows
//       └─ scan t  10000 rows
//     after, cost 4:
//       filter t.id = 5  1 rows
//       └─ index scan t  1 rows
//     select * from t where id = 5;
std::string plan_report(std::string_view written, const OptimizeAnswer& answer);

// The rules that led to the result, each in one line that is an SQL comment:
// "-- rule at where: reason".
std::string explanation_comments(const OptimizeAnswer& answer);

}  // namespace satura::app
