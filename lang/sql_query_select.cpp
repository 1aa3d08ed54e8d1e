// One SELECT: its list, WHERE, DISTINCT, ORDER BY; and the relations that they make.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

// The parts of `t.*` before the star; nothing for any other node.
std::optional<std::vector<std::string_view>> star_parts(const PgQuery__Node& node) {
    if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return std::nullopt;
    const PgQuery__ColumnRef& column = *node.column_ref;
    if (column.fields[column.n_fields - 1]->node_case != PG_QUERY__NODE__NODE_A_STAR)
        return std::nullopt;
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i + 1 < column.n_fields; ++i)
        parts.push_back(string_of(*column.fields[i]));
    return parts;
}

std::optional<std::string_view> bare_name(const PgQuery__Node& node) {
    if (node.node_case != PG_QUERY__NODE__NODE_COLUMN_REF || node.column_ref->n_fields != 1)
        return std::nullopt;
    const PgQuery__Node& field = *node.column_ref->fields[0];
    if (field.node_case != PG_QUERY__NODE__NODE_STRING) return std::nullopt;
    return field.string->sval;
}

std::optional<std::int32_t> ordinal(const PgQuery__Node& node) {
    const bool number = node.node_case == PG_QUERY__NODE__NODE_A_CONST && !node.a_const->isnull &&
                        node.a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
    return number ? std::optional(node.a_const->ival->ival) : std::nullopt;
}

}  // namespace

BoundQuery QueryBinder::simple(const PgQuery__SelectStmt& statement, Level& level) {
    Simple simple;
    simple.statement = &statement;
    from(simple, level);
    level.phase = Level::Phase::where;
    if (!error_ && statement.where_clause != nullptr) {
        Relation filter{RelOp::filter};
        filter.payload =
            static_cast<std::uint32_t>(bind(*statement.where_clause, level, Wanted::condition));
        if (!error_) simple.relation = plan_.add(filter, std::array{simple.relation});
    }
    for (std::size_t i = 0; i < statement.n_window_clause; ++i) {
        const PgQuery__WindowDef& window = *statement.window_clause[i]->window_def;
        level.windows.emplace(window.name, &window);
    }
    if (!error_) collect_targets(simple, level);
    level.phase = Level::Phase::group;
    if (!error_) group_keys(simple, level);
    if (!error_) name_keys(simple, level);
    level.phase = Level::Phase::output;
    if (!error_) bind_targets(simple, level);
    if (!error_ && statement.having_clause != nullptr) {
        simple.having = bind(*statement.having_clause, level, Wanted::condition);
    }
    if (!error_)
        simple.order = orderings({statement.sort_clause, statement.n_sort_clause}, simple, level);
    // SELECT DISTINCT without ON is a list of one node that is not set.
    const bool on = statement.n_distinct_clause > 0 && statement.distinct_clause[0]->node_case != 0;
    if (!error_ && on) {
        simple.distinct_on =
            orderings({statement.distinct_clause, statement.n_distinct_clause}, simple, level);
    }
    return error_ ? BoundQuery{} : build(simple, level);
}

void QueryBinder::collect_targets(Simple& simple, Level& level) {
    const PgQuery__SelectStmt& statement = *simple.statement;
    for (std::size_t i = 0; i < statement.n_target_list && !error_; ++i) {
        const PgQuery__ResTarget& item = *statement.target_list[i]->res_target;
        if (const auto parts = star_parts(*item.val)) {
            expand_star(*parts, item.val->column_ref->location, simple, level);
            continue;
        }
        Target target;
        target.node = item.val;
        target.named = item.name != nullptr && item.name[0] != '\0';
        target.name = target.named ? item.name : result_name(*item.val);
        target.position = sql_.offset(item.location);
        target.constant = constant_of(*item.val);
        simple.targets.push_back(std::move(target));
    }
}

void QueryBinder::expand_star(std::span<const std::string_view> parts, std::int64_t location,
                              Simple& simple, Level& level) {
    if (parts.empty()) {
        if (simple.items.empty()) fail("syntax-error", location, "* needs a FROM clause");
        for (const FromItem& item : simple.items)
            add_star(star_of(item, level), location, simple, level);
        return;
    }
    std::vector<std::string_view> name(parts.begin(), parts.end());
    name.emplace_back();  // any column
    bool elsewhere = false;
    for (Level* at = &level; at != nullptr; at = at->parent) {
        const Level::Match match = at->find(name, at->seen);
        if (match.state == Level::Match::State::none) {
            elsewhere = elsewhere || at->find(name, {}).state != Level::Match::State::none;
            continue;
        }
        FromItem item;
        item.range = {match.place.table, match.place.table + 1};
        std::vector<ColumnPlace> places;
        const VisibleTable& table = at->tables()[match.place.table];
        for (std::uint32_t i = 0; i < table.columns.size(); ++i) {
            if (!table.is_open || table.columns[i].whole_row)
                places.push_back({match.place.table, i});
        }
        if (at != &level) return unsupported();
        return add_star(places, location, simple, level);
    }
    if (elsewhere) {
        return fail(
            "unknown-table", location,
            fmt::format("table \"{}\" cannot be named from this part of the query", parts.back()));
    }
    const std::string nearest = nearest_name(parts.back(), level.table_names());
    fail("unknown-table", location,
         fmt::format("there is no table \"{}\" in the FROM clause", parts.back()),
         nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
}

void QueryBinder::add_star(const std::vector<ColumnPlace>& places, std::int64_t location,
                           Simple& simple, const Level& level) {
    for (const ColumnPlace place : places) {
        const VisibleColumn& column = level.tables()[place.table].columns[place.column];
        Target target;
        target.name = column.name;
        target.whole_row = column.whole_row;
        target.position = sql_.offset(location);
        target.expr =
            column.expr == no_expr ? column_node(column.column, target.position) : column.expr;
        simple.targets.push_back(std::move(target));
    }
}

void QueryBinder::bind_targets(Simple& simple, Level& level) {
    for (Target& target : simple.targets) {
        if (target.node != nullptr) target.expr = bind(*target.node, level);
        if (error_) return;
    }
}

// What ORDER BY and DISTINCT ON name: a number or a name of the result, else an expression over the
// input.
std::vector<QueryBinder::Ordering> QueryBinder::orderings(Nodes nodes, Simple& simple,
                                                          Level& level) {
    std::vector<Ordering> out;
    for (const PgQuery__Node* node : nodes) {
        if (error_) break;
        const bool sorts = node->node_case == PG_QUERY__NODE__NODE_SORT_BY;
        const PgQuery__Node& value = sorts ? *node->sort_by->node : *node;
        Ordering ordering;
        ordering.target = named_target(value, simple);
        const ExprId expr =
            ordering.target ? simple.targets[*ordering.target].expr : bind(value, level);
        if (error_) break;
        ordering.key = sorts ? sort_key(*node, expr) : SortKey{expr, false, false, {}};
        out.push_back(std::move(ordering));
    }
    return out;
}

std::optional<std::size_t> QueryBinder::named_target(const PgQuery__Node& node,
                                                     const Simple& simple) {
    if (const auto number = ordinal(node)) {
        const auto wanted = static_cast<std::size_t>(std::max(*number, 0));
        // The star of an open table is any number of columns: no position from there on is known.
        const auto open = static_cast<std::size_t>(
            std::ranges::find_if(simple.targets, &Target::whole_row) - simple.targets.begin());
        if (wanted >= 1 && wanted <= open && wanted <= simple.targets.size()) return wanted - 1;
        if (open < simple.targets.size()) {
            unsupported();
        } else {
            fail("bad-ordinal", node.a_const->location,
                 fmt::format("position {} is not in the select list, which has {} columns", *number,
                             simple.targets.size()));
        }
        return std::nullopt;
    }
    const auto name = bare_name(node);
    std::optional<std::size_t> found;
    for (std::size_t i = 0; name && i < simple.targets.size(); ++i) {
        if (simple.targets[i].whole_row || !same_name(simple.targets[i].name, *name, dialect_))
            continue;
        if (found && numbers_(simple.targets[i].expr) != numbers_(simple.targets[*found].expr)) {
            fail("ambiguous-column", node.column_ref->location,
                 fmt::format("\"{}\" is ambiguous: two columns of the result have this name",
                             *name));
            return std::nullopt;
        }
        if (!found) found = i;
    }
    return found;
}

// An ordering by an expression of the select list is one by its column.
void QueryBinder::match_targets(std::vector<Ordering>& orderings, const Simple& simple) {
    if (orderings.empty()) return;
    std::unordered_map<std::uint32_t, std::size_t> by_number;
    for (std::size_t i = 0; i < simple.targets.size(); ++i)
        by_number.emplace(numbers_(simple.targets[i].expr), i);
    for (Ordering& ordering : orderings) {
        if (ordering.target) continue;
        const auto same = by_number.find(numbers_(ordering.key.expr));
        if (same != by_number.end()) ordering.target = same->second;
    }
}

BoundQuery QueryBinder::build(Simple& simple, Level& level) {
    simple.grouped =
        simple.statement->n_group_clause > 0 || simple.having != no_expr || !level.calls.empty();
    if (simple.grouped) regroup(simple, level);
    if (simple.having != no_expr) {
        Relation filter{RelOp::filter};
        filter.payload = static_cast<std::uint32_t>(simple.having);
        simple.relation = plan_.add(filter, std::array{simple.relation});
    }
    if (!level.window_calls.empty()) {
        Relation window{RelOp::window};
        window.payload = static_cast<std::uint32_t>(plan_.windows.size());
        plan_.windows.push_back(std::move(level.window_calls));
        simple.relation = plan_.add(window, std::array{simple.relation});
    }
    match_targets(simple.order, simple);
    match_targets(simple.distinct_on, simple);
    project(simple, level);
    distinct(simple);
    if (error_) return {};
    std::vector<SortKey> keys;
    for (const Ordering& ordering : simple.order) keys.push_back(ordering.key);
    add_topn(*simple.statement, std::move(keys), simple.relation, level);
    BoundQuery query;
    query.relation = simple.relation;
    for (Target& target : simple.targets) {
        query.columns.push_back({std::move(target.name), target.column, std::move(target.constant),
                                 target.whole_row, target.position});
    }
    return query;
}

// The select list, and after it what only ORDER BY and DISTINCT ON need. A column of the query around is handed on as a column of
// its own: above an outer join it may be NULL where that one is not.
void QueryBinder::project(Simple& simple, const Level& level) {
    std::vector<ProjectItem> items;
    std::unordered_map<std::uint32_t, bool> handed_on;
    const auto add = [&](ExprId expr, const std::string& name) {
        const ExprNode node = plan_.exprs[expr];
        if (node.op != Op::column || level.is_outer(ColumnId{node.payload})) {
            items.push_back({add_computed(name, node.type, may_be_null(expr)), expr});
            return items.back().column;
        }
        const ColumnId column{node.payload};
        if (handed_on.emplace(node.payload, true).second) items.push_back({column, expr});
        return column;
    };
    for (Target& target : simple.targets) target.column = add(target.expr, target.name);
    const bool distinct = simple.statement->n_distinct_clause > 0 && simple.distinct_on.empty();
    for (std::vector<Ordering>* orderings : {&simple.order, &simple.distinct_on}) {
        for (Ordering& ordering : *orderings) {
            const std::uint32_t position = plan_.exprs[ordering.key.expr].position;
            if (distinct && !ordering.target) {
                return fail_at("order-by-not-selected", position,
                               "with SELECT DISTINCT, ORDER BY can name only what is selected");
            }
            const ColumnId column = ordering.target ? simple.targets[*ordering.target].column
                                                    : add(ordering.key.expr, "");
            ordering.key.expr = column_node(column, position);
        }
    }
    Relation relation{RelOp::project};
    relation.payload = static_cast<std::uint32_t>(plan_.projects.size());
    plan_.projects.push_back(std::move(items));
    simple.relation = plan_.add(relation, std::array{simple.relation});
}

void QueryBinder::distinct(Simple& simple) {
    if (error_ || simple.statement->n_distinct_clause == 0) return;
    if (simple.distinct_on.empty()) {
        simple.relation = plan_.add({RelOp::distinct}, std::array{simple.relation});
        return;
    }
    DistinctOn on;
    for (const Ordering& ordering : simple.distinct_on) on.keys.push_back(ordering.key.expr);
    for (const Ordering& ordering : simple.order) on.order.push_back(ordering.key);
    Relation relation{RelOp::distinct_on};
    relation.payload = static_cast<std::uint32_t>(plan_.distinct_ons.size());
    plan_.distinct_ons.push_back(std::move(on));
    simple.relation = plan_.add(relation, std::array{simple.relation});
}

}  // namespace satura::lang
