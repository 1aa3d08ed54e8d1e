// WITH, and mentions of what it defines.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_query.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

Cte::Materialized materialized(const PgQuery__CommonTableExpr& cte) {
    switch (cte.ctematerialized) {
        case PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways:
            return Cte::Materialized::always;
        case PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever:
            return Cte::Materialized::never;
        default:
            return Cte::Materialized::unsaid;
    }
}

bool mentions(const std::vector<std::string_view>& tables, std::string_view name) {
    return std::ranges::find(tables, name) != tables.end();
}

// The text between the parentheses after AS.
std::optional<Span> body_of(const ParsedSql& sql, std::int32_t location) {
    const auto& tokens = sql.tokens();
    std::size_t i = sql.token_at(static_cast<std::uint32_t>(std::max(0, location)));
    while (i < tokens.size() && tokens[i].kind != PG_QUERY__TOKEN__AS) ++i;
    while (i < tokens.size() && tokens[i].kind != PG_QUERY__TOKEN__ASCII_40) ++i;
    std::size_t depth = 0;
    for (std::size_t k = i; k < tokens.size(); ++k) {
        if (tokens[k].kind == PG_QUERY__TOKEN__ASCII_40) ++depth;
        if (tokens[k].kind == PG_QUERY__TOKEN__ASCII_41 && --depth == 0)
            return Span{tokens[i].end, tokens[k].begin};
    }
    return std::nullopt;
}

}  // namespace

std::vector<CteId> QueryBinder::define_ctes(const PgQuery__SelectStmt& statement, Level& level) {
    std::vector<CteId> defined;
    if (statement.with_clause == nullptr) return defined;
    const PgQuery__WithClause& with = *statement.with_clause;
    for (std::size_t i = 0; i < with.n_ctes && !error_; ++i) {
        const PgQuery__CommonTableExpr& cte = *with.ctes[i]->common_table_expr;
        for (const CteId other : defined) {
            if (plan_[other].name != cte.ctename) continue;
            fail("duplicate-name", cte.location,
                 fmt::format("WITH names \"{}\" twice", cte.ctename));
            return defined;
        }
        const auto id = define_cte(cte, with.recursive != 0, level);
        if (!id || error_) break;
        defined.push_back(*id);
        cte_bindings_.push_back({cte.ctename, *id, level.ctes});
        level.ctes = static_cast<std::uint32_t>(cte_bindings_.size() - 1);
    }
    return defined;
}

std::optional<CteId> QueryBinder::define_cte(const PgQuery__CommonTableExpr& cte, bool recursive,
                                             Level& level) {
    if (cte.ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
        cte.search_clause != nullptr || cte.cycle_clause != nullptr) {
        unsupported();  // it changes data
        return std::nullopt;
    }
    Cte out;
    out.name = cte.ctename;
    out.materialized = materialized(cte);
    if (recursive && mentions(table_names(cte.ctequery->base), cte.ctename)) {
        recursive_cte(cte, out, level);
    } else {
        BoundQuery query = select(*cte.ctequery->select_stmt, level.parent, level.ctes);
        absorb(level, query.outer);
        out.definition = query.relation;
        for (OutputColumn& column : query.columns) {
            if (column.whole_row && cte.n_aliascolnames > 0) unsupported();
            out.columns.push_back(column.column);
            out.column_names.push_back(std::move(column.name));
        }
    }
    if (error_) return std::nullopt;
    if (cte.n_aliascolnames > out.columns.size()) {
        fail("column-count", cte.location,
             fmt::format("\"{}\" has {} columns and {} names", cte.ctename, out.columns.size(),
                         cte.n_aliascolnames));
        return std::nullopt;
    }
    for (std::size_t i = 0; i < cte.n_aliascolnames; ++i) {
        out.column_names[i] = string_of(*cte.aliascolnames[i]);
    }
    plan_.ctes.push_back(std::move(out));
    return CteId{static_cast<std::uint32_t>(plan_.ctes.size() - 1)};
}

// Its names and types are those of the part that does not read itself; its body stays a text.
void QueryBinder::recursive_cte(const PgQuery__CommonTableExpr& cte, Cte& out, Level& level) {
    const PgQuery__SelectStmt& body = *cte.ctequery->select_stmt;
    const auto text = body_of(sql_, cte.location);
    const bool shaped = body.op == PG_QUERY__SET_OPERATION__SETOP_UNION && body.larg != nullptr;
    if (!text || !shaped || level.parent != nullptr || body.with_clause != nullptr)
        return unsupported();
    const BoundQuery first = select(*body.larg, nullptr, level.ctes);
    if (error_) return;
    for (const std::string_view name : table_names(cte.ctequery->base)) {
        if (const CteBinding* known = find_cte(level, name)) {
            plan_.ctes[static_cast<std::uint32_t>(known->cte)].pinned = true;
        }
    }
    OpaqueRelation opaque;
    append_escaped(opaque.text, sql_.written().substr(text->begin, text->end - text->begin));
    opaque.is_query = true;
    for (const OutputColumn& column : first.columns) {
        if (column.whole_row) return unsupported();
        opaque.columns.push_back(add_computed(column.name, plan_[column.column].type, true));
        out.column_names.push_back(column.name);
    }
    out.columns = opaque.columns;
    out.pinned = true;
    out.recursive = true;
    Relation relation{RelOp::opaque};
    relation.payload = static_cast<std::uint32_t>(plan_.opaques.size());
    plan_.opaques.push_back(std::move(opaque));
    out.definition = plan_.add(relation, {});
}

const QueryBinder::CteBinding* QueryBinder::find_cte(const Level& level,
                                                     std::string_view name) const {
    for (std::uint32_t i = level.ctes; i != no_index; i = cte_bindings_[i].outside) {
        if (same_name(cte_bindings_[i].name, name, dialect_)) return &cte_bindings_[i];
    }
    return nullptr;
}

QueryBinder::FromItem QueryBinder::cte_scan(const PgQuery__RangeVar& name, CteId id, Level& level) {
    const Cte& cte = plan_[id];
    CteScan scan{id, name.alias == nullptr ? std::string() : name.alias->aliasname, {}};
    VisibleTable table;
    table.has_alias = name.alias != nullptr;
    table.name = table.has_alias ? scan.alias : cte.name;
    for (std::size_t i = 0; i < cte.columns.size(); ++i) {
        const PlanColumn source = plan_[cte.columns[i]];
        const std::string& column_name = plan_[id].column_names[i];
        const ColumnId column = plan_.add_column(
            {column_name, source.type, true, no_index, no_index, source.whole_row});
        scan.columns.push_back(column);
        table.columns.push_back(
            {column_name, column, no_expr, source.type, true, source.whole_row});
    }
    name_columns(name.alias, table.columns, name.location);
    Relation relation{RelOp::cte_scan};
    relation.payload = static_cast<std::uint32_t>(plan_.cte_scans.size());
    plan_.cte_scans.push_back(std::move(scan));
    return add_item(level, plan_.add(relation, {}), std::move(table), name.location);
}

// t AS a(x, y): names for the first columns.
void QueryBinder::name_columns(const PgQuery__Alias* alias, std::vector<VisibleColumn>& columns,
                               std::int64_t location) {
    if (alias == nullptr || alias->n_colnames == 0) return;
    if (std::ranges::any_of(columns, &VisibleColumn::whole_row)) return unsupported();
    if (alias->n_colnames > columns.size()) {
        return fail("column-count", location,
                    fmt::format("\"{}\" has {} columns and {} names", alias->aliasname,
                                columns.size(), alias->n_colnames));
    }
    for (std::size_t i = 0; i < alias->n_colnames; ++i)
        columns[i].name = string_of(*alias->colnames[i]);
}

}  // namespace satura::lang
