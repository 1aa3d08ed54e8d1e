// FROM: tables, derived tables, table functions.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_query.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

// Functions whose one column is named like the call: by its alias, else by the function.
bool makes_one_column(std::string_view name) {
    constexpr std::array<std::string_view, 8> names{
        "generate_series", "generate_subscripts",   "json_object_keys", "jsonb_object_keys",
        "regexp_matches",  "regexp_split_to_table", "string_to_table",  "unnest"};
    return std::ranges::binary_search(names, name);
}

// The call of a table function that stands alone, without a list of column definitions.
const PgQuery__Node* single_call(const PgQuery__RangeFunction& function) {
    if (function.n_functions != 1 || function.is_rowsfrom || function.n_coldeflist > 0)
        return nullptr;
    const PgQuery__Node& item = *function.functions[0];
    if (item.node_case != PG_QUERY__NODE__NODE_LIST || item.list->n_items == 0) return nullptr;
    return item.list->items[0];
}

}  // namespace

void QueryBinder::from(Simple& simple, Level& level) {
    const PgQuery__SelectStmt& statement = *simple.statement;
    std::optional<FromItem> all;
    for (std::size_t i = 0; i < statement.n_from_clause && !error_; ++i) {
        FromItem item = join_tree(*statement.from_clause[i], level);
        if (error_) return;
        simple.items.push_back(item);
        all = all ? cross(std::move(*all), std::move(item), level) : std::move(item);
    }
    simple.relation = all ? all->relation : plan_.add({RelOp::one_row}, {});
}

// Joins in post-order, with a stack: a chain of them is as long as the user writes it.
QueryBinder::FromItem QueryBinder::join_tree(const PgQuery__Node& root, Level& level) {
    struct Task {
        const PgQuery__Node* node;
        bool built;
    };
    std::vector<Task> tasks{{&root, false}};
    std::vector<FromItem> done;
    while (!tasks.empty() && !error_) {
        const Task task = tasks.back();
        tasks.pop_back();
        if (task.node->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR) {
            done.push_back(from_leaf(*task.node, level));
        } else if (!task.built) {
            tasks.push_back({task.node, true});
            tasks.push_back({task.node->join_expr->rarg, false});
            tasks.push_back({task.node->join_expr->larg, false});
        } else {
            FromItem right = std::move(done.back());
            done.pop_back();
            FromItem left = std::move(done.back());
            done.pop_back();
            done.push_back(join(*task.node->join_expr, std::move(left), std::move(right), level));
        }
    }
    return error_ ? FromItem{} : std::move(done.back());
}

QueryBinder::FromItem QueryBinder::from_leaf(const PgQuery__Node& node, Level& level) {
    switch (node.node_case) {
        case PG_QUERY__NODE__NODE_RANGE_VAR:
            return table(*node.range_var, level);
        case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
            return derived_table(*node.range_subselect, level);
        case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
            return table_function(*node.range_function, level);
        default:
            unsupported();
            return {};  // TABLESAMPLE, XMLTABLE
    }
}

QueryBinder::FromItem QueryBinder::add_item(Level& level, RelationId relation, VisibleTable table,
                                            std::int64_t location) {
    if (error_) return {};
    if (!table.name.empty() && level.has_table(table)) {
        fail("duplicate-alias", location,
             fmt::format("table \"{}\" is named twice in this FROM", table.name),
             "give one of them another alias");
        return {};
    }
    FromItem item;
    item.relation = relation;
    item.range.begin = level.add_table(std::move(table));
    item.range.end = item.range.begin + 1;
    return item;
}

QueryBinder::FromItem QueryBinder::table(const PgQuery__RangeVar& name, Level& level) {
    const std::string_view schema = name.schemaname;
    if (schema.empty()) {
        if (const CteBinding* cte = find_cte(level, name.relname))
            return cte_scan(name, cte->cte, level);
    }
    TableInstance instance;
    instance.table = catalog_.find(schema, name.relname, dialect_);
    if (!instance.table && !catalog_.is_open()) {
        const std::string nearest = catalog_.nearest(name.relname);
        fail("unknown-table", name.location,
             fmt::format("table \"{}\" does not exist", name.relname),
             nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
        return {};
    }
    instance.schema = schema;
    instance.name = name.relname;
    instance.alias = name.alias == nullptr ? "" : name.alias->aliasname;
    instance.only = name.inh == 0;
    const auto id = static_cast<std::uint32_t>(plan_.instances.size());
    VisibleTable visible;
    visible.has_alias = name.alias != nullptr;
    visible.name = visible.has_alias ? instance.alias : instance.name;
    visible.schema = instance.schema;
    visible.instance = InstanceId{id};
    visible.is_open = !instance.table;
    if (instance.table) {
        const Table& table = catalog_[*instance.table];
        for (std::uint32_t i = 0; i < table.columns.size(); ++i) {
            const Column& column = table.columns[i];
            instance.columns.push_back(
                plan_.add_column({column.name, column.type, column.nullable, id, i, false}));
            visible.columns.push_back({column.name, instance.columns.back(), no_expr, column.type});
        }
    } else {
        instance.columns.push_back(plan_.add_column({"*", unknown_, true, id, no_index, true}));
        visible.columns.push_back({"*", instance.columns.back(), no_expr, unknown_, true, true});
    }
    const bool named = name.alias != nullptr && name.alias->n_colnames > 0;
    if (named && visible.is_open) {
        unsupported();  // which columns it names is not known
        return {};
    }
    name_columns(name.alias, visible.columns, name.location);
    Relation relation{RelOp::scan};
    relation.payload = id;
    relation.position = sql_.offset(name.location);
    if (named) relation.label = add_label(instance.alias, visible.columns);
    plan_.instances.push_back(std::move(instance));
    return add_item(level, plan_.add(relation, {}), std::move(visible), name.location);
}

QueryBinder::FromItem QueryBinder::derived_table(const PgQuery__RangeSubselect& derived,
                                                 Level& level) {
    BoundQuery query =
        select(*derived.subquery->select_stmt, derived.lateral ? &level : level.parent, level.ctes);
    if (error_) return {};
    VisibleTable table;
    table.has_alias = true;
    table.name = derived.alias == nullptr ? "" : derived.alias->aliasname;
    for (OutputColumn& column : query.columns) {
        const Type type = plan_[column.column].type;
        table.columns.push_back(
            {std::move(column.name), column.column, no_expr, type, true, column.whole_row});
    }
    const std::int32_t location = tree_facts(derived.base).first;
    name_columns(derived.alias, table.columns, location);
    if (error_) return {};
    plan_[query.relation].label = add_label(table.name, table.columns);
    std::vector<ColumnId> lateral;
    absorb(level, query.outer, &lateral);
    FromItem item = add_item(level, query.relation, std::move(table), location);
    item.lateral = std::move(lateral);
    return item;
}

QueryBinder::FromItem QueryBinder::table_function(const PgQuery__RangeFunction& function,
                                                  Level& level) {
    const PgQuery__Node* call = single_call(function);
    if (call == nullptr) {
        unsupported();
        return {};
    }
    // Its arguments see the items to the left, as if it were LATERAL.
    Level inside(&level, dialect_);
    inside.ctes = level.ctes;
    inside.phase = Level::Phase::where;
    OpaqueRelation opaque;
    opaque.arguments.push_back(bind(*call, inside));
    if (error_) return {};
    opaque.text = function.ordinality ? "$1 WITH ORDINALITY" : "$1";
    std::string own_name = result_name(*call);
    opaque.alias = function.alias == nullptr ? own_name : function.alias->aliasname;
    const std::size_t names = function.alias == nullptr ? 0 : function.alias->n_colnames;
    VisibleTable table;
    table.has_alias = true;
    table.name = opaque.alias;
    const auto add = [&](std::string name, Type type) {
        opaque.columns.push_back(add_computed(name, type, true));
        table.columns.push_back({std::move(name), opaque.columns.back(), no_expr, type});
    };
    for (std::size_t i = 0; i < names; ++i)
        add(std::string(string_of(*function.alias->colnames[i])), unknown_);
    if (names == 0 && makes_one_column(own_name)) {
        add(opaque.alias, unknown_);
        if (function.ordinality) add("ordinality", Type(TypeKind::bigint));
    }
    opaque.columns_known = !table.columns.empty();
    table.is_open = !opaque.columns_known;
    if (table.is_open) {
        const ColumnId row = plan_.add_column({"*", unknown_, true, no_index, no_index, true});
        opaque.columns.push_back(row);
        table.columns.push_back({"*", row, no_expr, unknown_, true, true});
    }
    table.opaque = static_cast<std::uint32_t>(plan_.opaques.size());
    Relation relation{RelOp::opaque};
    relation.payload = table.opaque;
    plan_.opaques.push_back(std::move(opaque));
    std::vector<ColumnId> lateral;
    absorb(level, inside.outer, &lateral);
    const std::int32_t location = tree_facts(function.base).first;
    FromItem item = add_item(level, plan_.add(relation, {}), std::move(table), location);
    item.lateral = std::move(lateral);
    return item;
}

}  // namespace satura::lang
