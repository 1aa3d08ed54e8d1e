// Calls that the grouping or the windows of a query answer: aggregates, window functions,
// grouping().
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_aggregate.hpp"
#include "lang/sql_names.hpp"
#include "lang/sql_query.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

std::string_view last_name(const PgQuery__FuncCall& call) {
    return call.n_funcname == 0 ? std::string_view()
                                : string_of(*call.funcname[call.n_funcname - 1]);
}

bool is_aggregate(const PgQuery__FuncCall& call, Dialect dialect) {
    return call.agg_star || call.agg_distinct || call.n_agg_order > 0 ||
           call.agg_filter != nullptr || call.agg_within_group ||
           is_aggregate_name(last_name(call), dialect);
}

std::string_view clause_of(Level::Phase phase) {
    switch (phase) {
        case Level::Phase::from:
            return "a join's condition";
        case Level::Phase::where:
            return "WHERE";
        case Level::Phase::group:
            return "GROUP BY";
        case Level::Phase::output:
            break;
    }
    return "this place";
}

// PostgreSQL's bits of a frame.
enum FrameBit : std::uint32_t {
    frame_written = 0x1,
    frame_rows = 0x4,
    frame_groups = 0x8,
    start_unbounded_preceding = 0x20,
    end_unbounded_following = 0x100,
    start_current_row = 0x200,
    end_current_row = 0x400,
    start_preceding = 0x800,
    end_preceding = 0x1000,
    start_following = 0x2000,
    end_following = 0x4000,
    exclude_current_row = 0x8000,
    exclude_group = 0x10000,
    exclude_ties = 0x20000,
};

}  // namespace

bool QueryBinder::takes(const PgQuery__Node& node) const {
    if (node.node_case == PG_QUERY__NODE__NODE_GROUPING_FUNC) return true;
    if (node.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return false;
    return node.func_call->over != nullptr || is_aggregate(*node.func_call, dialect_);
}

std::optional<Result<Scope::Found>> QueryBinder::take(Level& level, const PgQuery__Node& node) {
    if (!takes(node)) return std::nullopt;
    const auto found = [&](ColumnId column) -> Result<Scope::Found> {
        if (error_) return *error_;
        return Scope::Found{static_cast<std::uint32_t>(column), plan_[column].type};
    };
    if (error_) return found({});
    if (const auto known = taken_.find(&node); known != taken_.end()) {
        if (!level.made.contains(static_cast<std::uint32_t>(known->second)))
            level.note_outer(known->second);
        return found(known->second);
    }
    ColumnId column{};
    if (node.node_case == PG_QUERY__NODE__NODE_GROUPING_FUNC) {
        column = grouping(level, node);
    } else if (node.func_call->over != nullptr) {
        column = window(level, *node.func_call);
    } else {
        Level& owner = level_of_aggregate(level, node);
        column = aggregate(owner, *node.func_call);
        if (!error_ && &owner != &level) level.note_outer(column);
    }
    if (!error_) taken_.emplace(&node, column);
    return found(column);
}

// An aggregate over columns of an outer query alone is that query's.
Level& QueryBinder::level_of_aggregate(Level& level, const PgQuery__Node& node) {
    std::vector<std::vector<std::string_view>> names;
    for (const TreeFacts::Reference& reference : tree_facts(node.base).references) {
        std::vector<std::string_view> parts;
        for (std::size_t i = 0; i < reference.column->n_fields; ++i)
            parts.push_back(string_of(*reference.column->fields[i]));
        if (!reference.in_subquery && !parts.back().empty()) names.push_back(std::move(parts));
    }
    if (names.empty()) return level;
    for (Level* at = &level; at != nullptr; at = at->parent) {
        for (const auto& parts : names) {
            const bool here = at->find(parts, at->seen).state != Level::Match::State::none ||
                              (parts.size() == 1 && !at->open_tables(at->seen).empty());
            if (here) return *at;
        }
    }
    return level;
}

std::string QueryBinder::function_name(const PgQuery__FuncCall& call) const {
    std::string name;
    for (std::size_t i = 0; i < call.n_funcname; ++i) {
        const std::string_view part = string_of(*call.funcname[i]);
        if (i == 0 && call.n_funcname > 1 && part == "pg_catalog") continue;
        if (!name.empty()) name += '.';
        const bool last = i + 1 == call.n_funcname;
        name += last                  ? write_function_name(part, dialect_)
                : is_plain_word(part) ? std::string(part)
                                      : quoted_name(part, dialect_);
    }
    return name;
}

AggregateCall QueryBinder::bind_call(Level& level, const PgQuery__FuncCall& call) {
    AggregateCall out;
    out.function = function_name(call);
    out.star = call.agg_star;
    out.distinct = call.agg_distinct;
    out.variadic = call.func_variadic;
    out.within_group = call.agg_within_group;
    const QueryScope scope(*this, level);
    std::vector<Type> types;
    for (const PgQuery__Node* argument : Nodes(call.args, call.n_args)) {
        const bool whole_row =
            argument->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR ||
            (argument->node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
             string_of(*argument->column_ref->fields[argument->column_ref->n_fields - 1]).empty());
        if (whole_row) unsupported();
        out.arguments.push_back(bind(*argument, level));
        if (error_) return out;
        types.push_back(plan_.exprs[out.arguments.back()].type);
    }
    out.order = sort_keys({call.agg_order, call.n_agg_order}, scope);
    if (call.agg_within_group && !error_)
        types.insert(types.begin(), plan_.exprs[out.order[0].expr].type);
    if (call.agg_filter != nullptr) out.filter = bind(*call.agg_filter, level, Wanted::condition);
    if (error_) return out;
    const std::string_view name = last_name(call);
    const bool never_null = is_never_null(name) && !call.agg_within_group;
    out.column =
        add_computed(std::string(name), aggregate_type(name, types, context_), !never_null);
    return out;
}

ColumnId QueryBinder::aggregate(Level& level, const PgQuery__FuncCall& call) {
    if (level.phase != Level::Phase::output || level.in_aggregate) {
        fail("misplaced-aggregate", call.location,
             level.in_aggregate
                 ? std::string("aggregates cannot be nested")
                 : fmt::format("an aggregate cannot stand in {}", clause_of(level.phase)),
             level.in_aggregate ? "" : "use HAVING, or a subquery");
        return {};
    }
    level.in_aggregate = true;
    AggregateCall bound = bind_call(level, call);
    level.in_aggregate = false;
    if (error_) return {};
    // Two calls that say the same are one.
    std::string key = bound.function + (bound.star ? "*" : "") +
                      (bound.distinct ? " distinct" : "") + (bound.variadic ? " variadic" : "") +
                      (bound.within_group ? " within group" : "");
    bool is_volatile = false;
    const auto add = [&](ExprId expr, std::string_view what) {
        key += fmt::format(" {} {}", what, expr == no_expr ? no_index : numbers_(expr));
        is_volatile = is_volatile || (expr != no_expr && numbers_.is_volatile(expr));
    };
    for (const ExprId argument : bound.arguments) add(argument, ",");
    add(bound.filter, "filter");
    for (const SortKey& sort : bound.order) {
        add(sort.expr,
            fmt::format("by {}{}{}", sort.descending, sort.nulls_first, sort.using_operator));
    }
    if (!is_volatile) {
        const auto [known, fresh] = level.call_columns.emplace(key, bound.column);
        if (!fresh) return known->second;
    }
    level.made.insert(static_cast<std::uint32_t>(bound.column));
    level.calls.push_back(std::move(bound));
    return level.calls.back().column;
}

ColumnId QueryBinder::grouping(Level& level, const PgQuery__Node& node) {
    const PgQuery__GroupingFunc& call = *node.grouping_func;
    if (level.phase != Level::Phase::output || level.in_aggregate) {
        fail("misplaced-aggregate", call.location,
             "grouping() stands in the select list, HAVING or ORDER BY");
        return {};
    }
    AggregateCall out;
    out.function = "grouping";
    level.in_aggregate = true;
    for (const PgQuery__Node* argument : Nodes(call.args, call.n_args))
        out.arguments.push_back(bind(*argument, level));
    level.in_aggregate = false;
    if (error_) return {};
    out.column = add_computed("grouping", Type(TypeKind::integer), false);
    level.made.insert(static_cast<std::uint32_t>(out.column));
    level.calls.push_back(std::move(out));
    return level.calls.back().column;
}

ColumnId QueryBinder::window(Level& level, const PgQuery__FuncCall& call) {
    if (level.phase != Level::Phase::output || level.in_aggregate || level.in_window) {
        fail("misplaced-window", call.location,
             level.in_window ? std::string("window functions cannot be nested")
             : level.in_aggregate
                 ? std::string("a window function cannot stand within an aggregate")
                 : fmt::format("a window function cannot stand in {}", clause_of(level.phase)));
        return {};
    }
    level.in_window = true;
    WindowCall out;
    out.call = bind_call(level, call);
    const QueryScope scope(*this, level);
    // OVER w takes all of a named window; OVER (w …) its partition and, where it has none, adds an
    // order.
    const PgQuery__WindowDef* definition = call.over;
    const PgQuery__WindowDef* named = nullptr;
    const std::string_view plain = definition->name;
    const std::string_view base = plain.empty() ? std::string_view(definition->refname) : plain;
    if (!base.empty()) {
        const auto at = level.windows.find(std::string(base));
        if (at == level.windows.end()) {
            fail("unknown-window", definition->location,
                 fmt::format("there is no window \"{}\"", base));
            return {};
        }
        named = at->second;
        if (named->refname[0] != '\0') unsupported();  // a window over a window
        if (!plain.empty()) definition = named;
    }
    const PgQuery__WindowDef* partition =
        definition->n_partition_clause == 0 && named ? named : definition;
    const PgQuery__WindowDef* order = definition->n_order_clause == 0 && named ? named : definition;
    for (const PgQuery__Node* node :
         Nodes(partition->partition_clause, partition->n_partition_clause)) {
        out.partition.push_back(bind(*node, level));
    }
    if (!error_) out.order = sort_keys({order->order_clause, order->n_order_clause}, scope);
    if (!error_) out.frame = frame_of(*definition, level);
    level.in_window = false;
    if (error_) return {};
    level.made.insert(static_cast<std::uint32_t>(out.call.column));
    level.window_calls.push_back(std::move(out));
    return level.window_calls.back().call.column;
}

Frame QueryBinder::frame_of(const PgQuery__WindowDef& window, Level& level) {
    Frame frame;
    const auto bits = static_cast<std::uint32_t>(window.frame_options);
    const auto has = [&](FrameBit bit) { return (bits & bit) != 0; };
    frame.written = has(frame_written);
    frame.mode = has(frame_rows)     ? FrameMode::rows
                 : has(frame_groups) ? FrameMode::groups
                                     : FrameMode::range;
    frame.start = has(start_unbounded_preceding) ? FrameBound::unbounded_preceding
                  : has(start_current_row)       ? FrameBound::current_row
                  : has(start_preceding)         ? FrameBound::preceding
                                                 : FrameBound::following;
    frame.end = has(end_unbounded_following) ? FrameBound::unbounded_following
                : has(end_preceding)         ? FrameBound::preceding
                : has(end_following)         ? FrameBound::following
                                             : FrameBound::current_row;
    if (!has(start_unbounded_preceding) && !has(start_current_row) && !has(start_preceding) &&
        !has(start_following)) {
        frame.start = FrameBound::unbounded_preceding;
    }
    frame.exclusion = has(exclude_current_row) ? FrameExclusion::current_row
                      : has(exclude_group)     ? FrameExclusion::group
                      : has(exclude_ties)      ? FrameExclusion::ties
                                               : FrameExclusion::none;
    if (window.start_offset != nullptr) frame.start_offset = bind(*window.start_offset, level);
    if (window.end_offset != nullptr) frame.end_offset = bind(*window.end_offset, level);
    return frame;
}

}  // namespace satura::lang
