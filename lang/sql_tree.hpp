// Questions to libpg_query's messages; walks over them of any kind, by reflection and without recursion.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

struct ProtobufCMessage;
struct PgQuery__ColumnRef;
struct PgQuery__Node;
struct PgQuery__SQLValueFunction;

namespace satura::lang {

// The text of a String node; of another one nothing.
std::string_view string_of(const PgQuery__Node& node);

// "current_date", "user": as it is written, and as PostgreSQL names its column.
std::string_view value_function_name(const PgQuery__SQLValueFunction& value);

// A tree as text without the positions: two trees are the same SQL exactly if these texts are the same.
std::string tree_text(const ProtobufCMessage& root);

// What a piece of the tree reads and where it lies.
struct TreeFacts {
    struct Reference {
        const PgQuery__ColumnRef* column = nullptr;
        bool in_subquery = false;  // it may name a column of that subquery
    };
    std::vector<Reference> references;
    std::int32_t first = -1;  // least and greatest position of its nodes; -1 where none has one
    std::int32_t last = -1;
    bool has_subquery = false;
    bool has_star = false;  // x.* or *, outside calls such as count(*)
    std::vector<const PgQuery__Node*>
        holes;  // nodes below the root that `is_hole` took; not looked into
};
TreeFacts tree_facts(const ProtobufCMessage& root,
                     const std::function<bool(const PgQuery__Node&)>& is_hole = {});

// The names without a schema that stand in some FROM below, as often as they do.
std::vector<std::string_view> table_names(const ProtobufCMessage& root);

}  // namespace satura::lang
