// Two flat queries as one plan, so that what they have in common is one term in the e-graph.
//
// The second query is written with the columns, table instances and subqueries of the first wherever a Renaming says so.
// Any renaming that gives different things different names leaves the query what it was, so which one is taken decides
// whether two equal queries meet, and never whether two that differ do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "optimizer/flat_query.hpp"

namespace satura {

// What of the second query is called as in the first one. By the second's ids; nothing: by a name of its own.
struct Renaming {
    std::vector<std::optional<lang::ColumnId>> columns;
    std::vector<std::optional<lang::InstanceId>> instances;
    std::vector<std::optional<lang::SubqueryId>> subqueries;
    std::vector<std::optional<lang::RelationId>> relations;  // those with a shape
    // By RelationId: where its items, or keys and then calls, go, to stand in the order of the first one's: a place among
    // the items, the keys, the calls. Empty: they stay.
    std::vector<std::vector<std::uint32_t>> places;

    std::vector<bool> taken;  // by the first query's ColumnId: some column is called so

    // Says nothing yet.
    Renaming(const lang::Plan& first, const lang::Plan& second);
    // False, and nothing is changed, if one of the two has another partner or their types differ.
    bool unite(const lang::Plan& first, lang::ColumnId a, const lang::Plan& second,
               lang::ColumnId b);
};

struct JointPlan {
    lang::Plan plan;
    lang::RelationId roots[2];
    // By RelationId: the relation whose shape it has: the same operator, which makes the same columns, over other inputs.
    std::vector<lang::RelationId> shapes;
    // By RelationId of the two queries; no_index for what their roots do not reach.
    std::vector<lang::RelationId> relations[2];
};

// Orders inner joins by the columns of their inputs, so that the same inputs make the same join. `total` has, by RelationId
// of the first query, whether a topn's order leaves nothing open.
JointPlan join_plans(const FlatQuery& first, const FlatQuery& second, const Renaming& renaming,
                     const std::vector<bool>& total);

}  // namespace satura
