// Joins: conditions, USING, NATURAL, aliases.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

JoinKind kind_of(PgQuery__JoinType type) {
    switch (type) {
        case PG_QUERY__JOIN_TYPE__JOIN_LEFT:
            return JoinKind::left;
        case PG_QUERY__JOIN_TYPE__JOIN_RIGHT:
            return JoinKind::right;
        case PG_QUERY__JOIN_TYPE__JOIN_FULL:
            return JoinKind::full;
        default:
            return JoinKind::inner;
    }
}

bool same_place(ColumnPlace a, ColumnPlace b) { return a.table == b.table && a.column == b.column; }

}  // namespace

RelationId QueryBinder::add_join(JoinKind kind, ExprId condition, FromItem& left, FromItem& right,
                                 const Level& level) {
    Relation relation{RelOp::join};
    relation.join = kind;
    relation.payload = static_cast<std::uint32_t>(condition);
    // What the left side has, the right side reads row by row; the rest is read by a join further
    // out.
    const auto is_left = [&](ColumnId column) {
        const auto table = level.owner_of(column);
        return table && *table >= left.range.begin && *table < left.range.end;
    };
    relation.lateral = std::erase_if(right.lateral, is_left) > 0;
    return plan_.add(relation, std::array{left.relation, right.relation});
}

QueryBinder::FromItem QueryBinder::cross(FromItem left, FromItem right, Level& level) {
    FromItem item;
    item.relation = add_join(JoinKind::inner, no_expr, left, right, level);
    item.range = {left.range.begin, right.range.end};
    item.lateral = std::move(left.lateral);
    item.lateral.insert(item.lateral.end(), right.lateral.begin(), right.lateral.end());
    if (left.star || right.star) {
        item.star = star_of(left, level);
        const auto more = star_of(right, level);
        item.star->insert(item.star->end(), more.begin(), more.end());
    }
    return item;
}

QueryBinder::FromItem QueryBinder::join(const PgQuery__JoinExpr& join, FromItem left,
                                        FromItem right, Level& level) {
    const JoinKind kind = kind_of(join.jointype);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < join.n_using_clause; ++i)
        names.emplace_back(string_of(*join.using_clause[i]));
    if (join.is_natural) names = common_names(left, right, level);
    FromItem item;
    item.range = {left.range.begin, right.range.end};
    ExprId condition = no_expr;
    if (!names.empty()) {
        condition = join_using(names, kind, left, right, item, level);
        // JOIN … USING (x) AS u is seldom enough.
    } else if (join.quals != nullptr) {
        condition = bind(*join.quals, level, Wanted::condition, item.range);
    }
    if (error_) return {};
    if (join.join_using_alias != nullptr) {
        unsupported();
        return {};
    }
    if (names.empty() && (left.star || right.star)) {
        item.star = star_of(left, level);
        const auto more = star_of(right, level);
        item.star->insert(item.star->end(), more.begin(), more.end());
    }
    item.relation = add_join(kind, condition, left, right, level);
    item.lateral = std::move(left.lateral);
    item.lateral.insert(item.lateral.end(), right.lateral.begin(), right.lateral.end());
    if (join.alias != nullptr) join_alias(*join.alias, item, level);
    return item;
}

std::vector<ColumnPlace> QueryBinder::star_of(const FromItem& item, const Level& level) const {
    if (item.star) return *item.star;
    std::vector<ColumnPlace> places;
    for (std::uint32_t table = item.range.begin; table < item.range.end; ++table) {
        const VisibleTable& visible = level.tables()[table];
        if (!visible.in_star) continue;
        for (std::uint32_t column = 0; column < visible.columns.size(); ++column) {
            // A column that the query has named of an open table is within its row.
            const bool named_later = (visible.is_open) && !visible.columns[column].whole_row;
            if (!named_later) places.push_back({table, column});
        }
    }
    return places;
}

// NATURAL joins by all names that both sides have.
std::vector<std::string> QueryBinder::common_names(const FromItem& left, const FromItem& right,
                                                   const Level& level) {
    std::vector<std::string> names;
    if (!level.open_tables(left.range).empty() || !level.open_tables(right.range).empty()) {
        unsupported();
        return names;
    }
    const auto theirs = star_of(right, level);
    for (const ColumnPlace place : star_of(left, level)) {
        const std::string& name = level.tables()[place.table].columns[place.column].name;
        const bool both = std::ranges::any_of(theirs, [&](ColumnPlace other) {
            return same_name(level.tables()[other.table].columns[other.column].name, name,
                             dialect_);
        });
        if (both) names.push_back(name);
    }
    return names;
}

std::optional<ColumnPlace> QueryBinder::using_column(const std::string& name, const FromItem& item,
                                                     Level& level) {
    const std::array<std::string_view, 1> parts{name};
    Level::Match match = level.find(parts, item.range);
    if (match.state == Level::Match::State::none && open_column(level, item.range, parts, match)) {
        match = level.find(parts, item.range);
    }
    if (match.state == Level::Match::State::column) return match.place;
    if (match.state == Level::Match::State::ambiguous) {
        fail("ambiguous-column", -1,
             fmt::format("column \"{}\" of USING is ambiguous on one side of the join", name));
    } else if (!level.open_tables(item.range).empty()) {
        unsupported();
    } else {
        fail("unknown-column", -1,
             fmt::format("column \"{}\" of USING does not exist on both sides of the join", name));
    }
    return std::nullopt;
}

ExprId QueryBinder::column_expr(const VisibleColumn& column) {
    return column.expr == no_expr ? column_node(column.column) : column.expr;
}

// The condition; the merged columns become a table without a name, and the sides' own columns need
// a qualifier.
ExprId QueryBinder::join_using(const std::vector<std::string>& names, JoinKind kind,
                               const FromItem& left, const FromItem& right, FromItem& item,
                               Level& level) {
    VisibleTable merged_table;
    std::vector<ColumnPlace> hidden;
    std::vector<ExprId> conditions;
    for (const std::string& name : names) {
        const auto mine = using_column(name, left, level);
        const auto theirs = error_ ? std::nullopt : using_column(name, right, level);
        if (error_) return no_expr;
        const VisibleColumn a = level.tables()[mine->table].columns[mine->column];
        const VisibleColumn b = level.tables()[theirs->table].columns[theirs->column];
        hidden.push_back(*mine);
        hidden.push_back(*theirs);
        const std::array operands{Operand{Operand::Form::typed, a.type, Value()},
                                  Operand{Operand::Form::typed, b.type, Value()}};
        const auto answer = coerce(Op::eq, 0, operands, unknown_, context_);
        if (const auto* misfit = std::get_if<Misfit>(&answer)) {
            fail("type-error", -1, fmt::format("USING ({}): {}", name, misfit->message));
            return no_expr;
        }
        const Coerced& coerced = std::get<Coerced>(answer);
        const std::array pair{cast_to(column_expr(a), coerced.targets[0]),
                              cast_to(column_expr(b), coerced.targets[1])};
        conditions.push_back(plan_.exprs.add(Op::eq, boolean_, 0, pair));
        merged_table.columns.push_back(merged(kind, a, b));
        merged_table.columns.back().name = name;
    }
    std::vector<ColumnPlace> rest = star_of(left, level);
    const auto more = star_of(right, level);
    rest.insert(rest.end(), more.begin(), more.end());
    std::erase_if(rest, [&](ColumnPlace place) {
        return std::ranges::any_of(hidden,
                                   [&](ColumnPlace other) { return same_place(place, other); });
    });
    for (const ColumnPlace place : hidden) level.merge_away(place);
    merged_table.qualified = false;
    merged_table.has_alias = true;
    const std::uint32_t table = level.add_table(std::move(merged_table));
    item.range.end = table + 1;
    item.star.emplace();
    for (std::uint32_t i = 0; i < names.size(); ++i) item.star->push_back({table, i});
    item.star->insert(item.star->end(), rest.begin(), rest.end());
    return conditions.size() == 1 ? conditions[0]
                                  : plan_.exprs.add(Op::and_, boolean_, 0, conditions);
}

// The left column of an inner or left join, the right one of a right join, whichever is there of a
// full join; in the common type of both.
VisibleColumn QueryBinder::merged(JoinKind kind, const VisibleColumn& left,
                                  const VisibleColumn& right) {
    VisibleColumn out = kind == JoinKind::right ? right : left;
    out.unqualified = true;
    const std::array operands{Operand{Operand::Form::typed, left.type, Value()},
                              Operand{Operand::Form::typed, right.type, Value()}};
    const auto answer = coerce(Op::coalesce, 0, operands, unknown_, context_);
    if (std::holds_alternative<Misfit>(answer)) return out;
    const Type type = std::get<Coerced>(answer).result;
    if (kind == JoinKind::full) {
        const std::array both{cast_to(column_expr(left), type), cast_to(column_expr(right), type)};
        out.expr = plan_.exprs.add(Op::coalesce, type, 0, both);
    } else if (out.type != type) {
        const ExprId own = column_expr(out);
        const ExprId cast = cast_to(own, type);
        if (cast != own) out.expr = cast;
    }
    out.type = out.expr == no_expr ? out.type : plan_.exprs[out.expr].type;
    return out;
}

// (a JOIN b ON …) AS j(x, y): the names within are hidden.
void QueryBinder::join_alias(const PgQuery__Alias& alias, FromItem& item, Level& level) {
    VisibleTable table;
    table.has_alias = true;
    table.name = alias.aliasname;
    for (const ColumnPlace place : star_of(item, level)) {
        VisibleColumn column = level.tables()[place.table].columns[place.column];
        column.unqualified = true;
        table.columns.push_back(std::move(column));
    }
    name_columns(&alias, table.columns, -1);
    if (error_) return;
    level.retire(item.range);
    item.range.end = level.add_table(std::move(table)) + 1;
    item.star.reset();
}

}  // namespace satura::lang
