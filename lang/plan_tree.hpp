// A plan as a tree, for people.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/plan.hpp"

namespace satura::lang {

// Text that stands after a relation's line ("  10000 rows"); empty for none.
using PlanNote = std::function<std::string(RelationId)>;

// One line for each relation, children under their parent with ├─ └─ │, in the order of evaluation
// from below; the relations of subqueries stand under the relation whose expressions hold them, as
// "subquery 1". Ends with a newline.
//
//     project t1.id, x := t2.b + 1
//     └─ left join on t1.a = t2.a
//        ├─ filter t1.b > 1
//        │  └─ scan t1
//        └─ scan t2
std::string write_plan_tree(const Plan& plan, RelationId root, const Context& context,
                            const PlanNote& note = {});

// The lines of some relations alone, without what is below them.
std::vector<std::string> describe_relations(const Plan& plan, std::span<const RelationId> relations,
                                            const Context& context);

// How the tree names columns, by ColumnId: t.x for a table's, the name for a computed one; the id
// after a # where another column of the plan would have the same name ("sum#12").
std::vector<std::string> plan_column_names(const Plan& plan, Dialect dialect);

// An expression of the plan as SQL text with these names; subqueries are written as "subquery 1".
std::string write_plan_expr(const Plan& plan, ExprId expr, const std::vector<std::string>& names,
                            const Context& context);

}  // namespace satura::lang
