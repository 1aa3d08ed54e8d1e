// What names mean, level by level; subqueries in expressions.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lang/sql_names.hpp"
#include "lang/sql_query.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

// Columns that each stored table of PostgreSQL has.
bool is_system_column(std::string_view name) {
    constexpr std::array<std::string_view, 7> names{"cmax",     "cmin", "ctid", "oid",
                                                    "tableoid", "xmax", "xmin"};
    return std::ranges::binary_search(names, name);
}

std::string dotted(std::span<const std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) {
        if (!out.empty()) out += '.';
        out += part;
    }
    return out;
}

std::optional<Op> comparison(const PgQuery__SubLink& link, std::string_view row_operator) {
    if (link.n_oper_name == 0 && row_operator.empty()) return Op::eq;
    if (link.n_oper_name > 1) return std::nullopt;
    const std::string_view name =
        row_operator.empty() ? string_of(*link.oper_name[0]) : row_operator;
    if (name == "=") return Op::eq;
    if (name == "<>" || name == "!=") return Op::ne;
    if (name == "<") return Op::lt;
    if (name == "<=") return Op::le;
    if (name == ">") return Op::gt;
    if (name == ">=") return Op::ge;
    return std::nullopt;
}

std::optional<SubqueryKind> kind_of(const PgQuery__SubLink& link) {
    switch (link.sub_link_type) {
        case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK:
            return SubqueryKind::exists;
        case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
            return SubqueryKind::any;
        case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
            return SubqueryKind::all;
        case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK:
            return SubqueryKind::scalar;
        case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK:
            return SubqueryKind::array;
        case PG_QUERY__SUB_LINK_TYPE__ROWCOMPARE_SUBLINK:
            return SubqueryKind::row;
        default:
            return std::nullopt;
    }
}

}  // namespace

ExprId QueryBinder::bind(const PgQuery__Node& node, Level& level, Wanted wanted, TableRange range) {
    if (error_) return no_expr;
    const TableRange outside = std::exchange(level.seen, range);
    const auto expr =
        bind_expr(node, sql_, QueryScope(*this, level, range), plan_.exprs, context_, wanted);
    level.seen = outside;
    if (expr) return *expr;
    if (!error_) error_ = expr.error();
    return no_expr;
}

Scope::Found QueryBinder::found_column(const VisibleColumn& column) const {
    if (column.expr != no_expr) return {0, column.type, column.expr};
    return {static_cast<std::uint32_t>(column.column), column.type};
}

std::vector<ColumnId> QueryBinder::columns_below(ExprId root) const {
    std::vector<ColumnId> columns;
    std::vector<ExprId> open{root};
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        if (plan_.exprs[id].op == Op::column) columns.push_back(ColumnId{plan_.exprs[id].payload});
        for (const ExprId child : plan_.exprs.children(id)) open.push_back(child);
    }
    return columns;
}

Result<Scope::Found> QueryBinder::resolve(Level& level, TableRange range,
                                          std::span<const std::string_view> parts) {
    for (Level* at = &level; at != nullptr; at = at->parent) {
        const TableRange seen = at == &level ? range : at->seen;
        const Level::Match match = at->find(parts, seen);
        std::optional<Scope::Found> found;
        switch (match.state) {
            case Level::Match::State::ambiguous:
                return Diagnostic{"ambiguous-column",
                                  {},
                                  fmt::format("column \"{}\" is ambiguous", parts.back()),
                                  "name its table: t." + std::string(parts.back())};
            case Level::Match::State::ambiguous_table:
                return Diagnostic{"ambiguous-table",
                                  {},
                                  fmt::format("table \"{}\" is ambiguous", parts[parts.size() - 2]),
                                  ""};
            case Level::Match::State::column:
                found = found_column(at->tables()[match.place.table].columns[match.place.column]);
                break;
            default:
                found = open_column(*at, seen, parts, match);
        }
        if (!found && match.state == Level::Match::State::table)
            return unknown_name(*at, seen, parts);
        if (!found) continue;
        if (at == &level) return *found;
        const auto mapped = at->key_columns.find(found->index);
        if (!found->expr && !at->in_aggregate && mapped != at->key_columns.end()) {
            found->index = static_cast<std::uint32_t>(mapped->second);
        }
        if (!found->expr) level.note_outer(ColumnId{found->index});
        if (found->expr) {
            for (const ColumnId column : columns_below(*found->expr)) level.note_outer(column);
        }
        return *found;
    }
    return unknown_name(level, range, parts);
}

// A name of a column that only the engine knows, or that stands for a whole row.
std::optional<Scope::Found> QueryBinder::open_column(Level& level, TableRange range,
                                                     std::span<const std::string_view> parts,
                                                     const Level::Match& match) {
    std::vector<std::uint32_t> candidates;
    const std::string name(parts.back());
    if (match.state == Level::Match::State::table) {
        const VisibleTable& table = level.tables()[match.place.table];
        const bool whole_row = std::ranges::any_of(table.columns, &VisibleColumn::whole_row);
        const bool system = table.instance.has_value() && is_system_column(name);
        if (!table.is_open && !whole_row && !system) return std::nullopt;
        candidates.push_back(match.place.table);
    } else if (parts.size() == 1) {
        candidates = level.open_tables(range);
        if (candidates.empty() && is_system_column(name)) {
            for (std::uint32_t i = range.begin; i < range.end && i < level.tables().size(); ++i) {
                if (level.tables()[i].instance && level.tables()[i].unqualified)
                    candidates.push_back(i);
            }
            if (candidates.size() > 1) candidates.clear();
        }
        if (candidates.empty()) {
            // A table's name alone is its row.
            for (std::uint32_t i = range.begin; i < range.end && i < level.tables().size(); ++i) {
                const VisibleTable& table = level.tables()[i];
                if (table.qualified && same_name(table.name, name, dialect_)) {
                    return opaque_name(parts, level, std::array{i});
                }
            }
        }
    }
    if (candidates.empty()) return std::nullopt;
    const VisibleTable& table = level.tables()[candidates[0]];
    if (candidates.size() > 1 || (!table.instance && table.opaque == no_index)) {
        return opaque_name(parts, level, candidates);
    }
    PlanColumn column{name, unknown_, true, no_index, no_index, false};
    if (table.instance) column.instance = static_cast<std::uint32_t>(*table.instance);
    const ColumnId id = plan_.add_column(column);
    auto& columns = table.instance ? plan_.instances[column.instance].columns
                                   : plan_.opaques[table.opaque].columns;
    columns.push_back(id);
    level.add_column(candidates[0], {name, id, no_expr, unknown_});
    return Scope::Found{static_cast<std::uint32_t>(id), unknown_};
}

// The name as it stands, over all columns of the tables that it may be of.
Scope::Found QueryBinder::opaque_name(std::span<const std::string_view> parts, const Level& level,
                                      std::span<const std::uint32_t> tables) {
    std::vector<ExprId> children;
    for (const std::uint32_t table : tables) {
        const VisibleTable& visible = level.tables()[table];
        for (const VisibleColumn& column : visible.columns) {
            children.push_back(column.expr == no_expr ? column_node(column.column) : column.expr);
        }
    }
    std::string text;
    for (const std::string_view part : parts) {
        if (!text.empty()) text += '.';
        append_escaped(text, is_plain_word(part) ? std::string(part) : quoted_name(part, dialect_));
    }
    const auto payload = static_cast<std::uint32_t>(context_.opaques.size());
    context_.opaques.push_back({std::move(text)});
    return {0, unknown_, plan_.exprs.add(Op::opaque, unknown_, payload, children)};
}

Diagnostic QueryBinder::unknown_name(Level& level, TableRange range,
                                     std::span<const std::string_view> parts) const {
    if (parts.size() == 1) {
        std::string nearest = nearest_name(parts[0], level.column_names(range));
        for (Level* at = level.parent; nearest.empty() && at != nullptr; at = at->parent) {
            nearest = nearest_name(parts[0], at->column_names(at->seen));
        }
        bool elsewhere = false;
        for (const Level* at = &level; !elsewhere && at != nullptr; at = at->parent) {
            elsewhere = at->find(parts, {}).state == Level::Match::State::column;
        }
        std::string help = elsewhere ? "there is a column of this name, but it cannot be named "
                                       "from this part of the query"
                           : nearest.empty() ? ""
                                             : fmt::format("did you mean \"{}\"?", nearest);
        return {"unknown-column",
                {},
                fmt::format("column \"{}\" does not exist", parts[0]),
                std::move(help)};
    }
    const std::string_view table = parts[parts.size() - 2];
    for (Level* at = &level; at != nullptr; at = at->parent) {
        const Level::Match match = at->find(parts, {});
        if (match.state == Level::Match::State::none) continue;
        if (match.state != Level::Match::State::table) {
            return {"unknown-table",
                    {},
                    fmt::format("table \"{}\" cannot be named from this part of the query", table),
                    ""};
        }
        const std::string nearest = nearest_name(
            parts.back(), at->column_names({match.place.table, match.place.table + 1}));
        return {"unknown-column",
                {},
                fmt::format("column \"{}\" does not exist", dotted(parts)),
                nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)};
    }
    std::string nearest;
    for (Level* at = &level; nearest.empty() && at != nullptr; at = at->parent) {
        nearest = nearest_name(table, at->table_names());
    }
    return {"unknown-table",
            {},
            fmt::format("there is no table \"{}\" in the FROM clause", table),
            nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest)};
}

std::optional<Result<Scope::Query>> QueryBinder::query(Level& level, const PgQuery__SubLink& link,
                                                       std::span<const Operand> operands,
                                                       std::string_view row_operator) {
    if (error_) return *error_;
    if (const auto known = queries_.find(&link); known != queries_.end()) return known->second;
    const auto kind = row_operator.empty() ? kind_of(link) : SubqueryKind::row;
    const auto op = comparison(link, row_operator);
    if (!kind || !op || link.subselect->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return std::nullopt;
    BoundQuery bound = select(*link.subselect->select_stmt, &level, level.ctes);
    if (error_) return *error_;
    absorb(level, bound.outer);
    Scope::Query query;
    query.op = *kind == SubqueryKind::exists                                   ? Op::exists
               : *kind == SubqueryKind::scalar || *kind == SubqueryKind::array ? Op::scalar_subquery
                                                                               : Op::in_subquery;
    query.type = boolean_;
    if (auto wrong = compare_rows(*op, *kind, link, operands, bound, query)) return *wrong;
    Subquery subquery{*kind, *op, static_cast<std::uint32_t>(operands.size()), bound.relation, {}};
    if (*kind != SubqueryKind::exists) {
        for (const OutputColumn& column : bound.columns) subquery.columns.push_back(column.column);
    }
    for (const ColumnId column : bound.outer) query.outer.push_back(column_node(column));
    query.index = static_cast<std::uint32_t>(plan_.subqueries.size());
    plan_.subqueries.push_back(std::move(subquery));
    queries_.emplace(&link, query);
    return query;
}

// The types in which operands and columns are compared; the type of a value.
std::optional<Diagnostic> QueryBinder::compare_rows(Op op, SubqueryKind kind,
                                                    const PgQuery__SubLink& link,
                                                    std::span<const Operand> operands,
                                                    BoundQuery& bound, Scope::Query& query) {
    if (kind == SubqueryKind::exists) return std::nullopt;
    const Span place = sql_.span_of_token(link.location);
    const bool is_value = query.op == Op::scalar_subquery;
    const bool unknown_width = std::ranges::any_of(bound.columns, &OutputColumn::whole_row);
    if (unknown_width) return Diagnostic{"unsupported", place, "this query has no plan", ""};
    const std::size_t wanted = is_value ? 1 : operands.size();
    if (bound.columns.size() != wanted) {
        return Diagnostic{"column-count", place,
                          fmt::format("this subquery must return {} column{} and returns {}",
                                      wanted, wanted == 1 ? "" : "s", bound.columns.size()),
                          ""};
    }
    if (is_value) {
        const Type type = plan_[bound.columns[0].column].type;
        query.type = type;
        if (kind == SubqueryKind::array) query.type = unknown_;
        return std::nullopt;
    }
    std::vector<Type> types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const OutputColumn& column = bound.columns[i];
        const bool bare = column.constant && column.constant->form != Operand::Form::number;
        const std::array pair{
            operands[i], bare ? *column.constant
                              : Operand{Operand::Form::typed, plan_[column.column].type, Value()}};
        const auto answer = coerce(op, 0, pair, unknown_, context_);
        if (const auto* misfit = std::get_if<Misfit>(&answer)) {
            return Diagnostic{"type-error", place, misfit->message, ""};
        }
        query.operand_types.push_back(std::get<Coerced>(answer).targets[0]);
        types.push_back(std::get<Coerced>(answer).targets[1]);
    }
    bring(bound, types);
    return std::nullopt;
}

}  // namespace satura::lang
