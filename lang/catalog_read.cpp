// DDL to a Catalog.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <utility>

#include "lang/catalog.hpp"
#include "lang/sql_bind.hpp"
#include "lang/sql_opaque.hpp"
#include "lang/sql_parse.hpp"
#include "lang/sql_tree.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

// The columns of one table, which its CHECK constraints may name, with or without the table's name.
class TableScope : public Scope {
  public:
    TableScope(const Table& table, Dialect dialect) : table_(table), dialect_(dialect) {}

    Result<Found> column(std::span<const std::string_view> parts) const override {
        for (std::uint32_t i = 0; i < table_.columns.size(); ++i) {
            if (same_name(table_.columns[i].name, parts.back(), dialect_))
                return Found{i, table_.columns[i].type};
        }
        return Diagnostic{
            "unknown-column", {}, fmt::format("column \"{}\" does not exist", parts.back()), ""};
    }
    bool is_whole_text() const override { return false; }

  private:
    const Table& table_;
    Dialect dialect_;
};

std::optional<TypeKind> serial_type(const PgQuery__TypeName& name) {
    const std::string_view last =
        name.n_names == 0 ? std::string_view() : string_of(*name.names[name.n_names - 1]);
    if (last == "serial" || last == "serial4") return TypeKind::integer;
    if (last == "bigserial" || last == "serial8") return TypeKind::bigint;
    if (last == "smallserial" || last == "serial2") return TypeKind::smallint;
    return std::nullopt;
}

using Nodes = std::span<PgQuery__Node* const>;

}  // namespace

// One call of Catalog::read.
class CatalogReader {
  public:
    CatalogReader(Catalog& catalog, const ParsedSql& sql, Context& context)
        : catalog_(catalog), sql_(sql), context_(context), cutter_(sql) {}

    std::optional<Diagnostic> run() {
        for (std::size_t i = 0; i < sql_.tree().n_stmts && !error_; ++i)
            read(*sql_.tree().stmts[i]);
        return std::move(error_);
    }
    std::vector<Diagnostic> warnings;

  private:
    void read(const PgQuery__RawStmt& raw);
    void create_table(const PgQuery__CreateStmt& create, Span place);
    void create_index(const PgQuery__IndexStmt& index, Span place);
    void alter_table(const PgQuery__AlterTableStmt& alter, Span place);
    void add_column(Table& table, const PgQuery__ColumnDef& definition);
    void add_constraint(Table& table, const PgQuery__Constraint& constraint,
                        std::optional<std::uint32_t> column);
    void add_key(Table& table, std::vector<std::uint32_t> columns,
                 const PgQuery__Constraint& constraint);
    void drop_last_promise(Table& table);
    void add_check(Table& table, const PgQuery__Constraint& constraint);
    void copy_columns(Table& table, const PgQuery__RangeVar& other);
    std::vector<std::uint32_t> columns_of(const Table& table, Nodes names, std::int64_t location);
    Table* find(const PgQuery__RangeVar& name);
    Span place_of(const PgQuery__RawStmt& raw) const;

    void warn(std::string code, Span span, std::string message) {
        warnings.push_back({std::move(code), span, std::move(message), ""});
    }
    void fail(std::string code, std::int64_t location, std::string message, std::string help = {}) {
        if (error_) return;
        error_ = Diagnostic{std::move(code), sql_.span_of_token(location), std::move(message),
                            std::move(help)};
    }

    Catalog& catalog_;
    const ParsedSql& sql_;
    Context& context_;
    Cutter cutter_;
    std::optional<Diagnostic> error_;
    // What the constraint read last promises of every moment.
    enum class Promise : std::uint8_t { none, key, foreign_key } last_promise_ = Promise::none;
};

// A statement starts after the semicolon before it: at its first token then.
Span CatalogReader::place_of(const PgQuery__RawStmt& raw) const {
    const std::size_t first =
        sql_.token_at(static_cast<std::uint32_t>(std::max(0, raw.stmt_location)));
    return first < sql_.tokens().size() ? sql_.span_of_token(sql_.tokens()[first].begin) : Span{};
}

void CatalogReader::read(const PgQuery__RawStmt& raw) {
    switch (raw.stmt->node_case) {
        case PG_QUERY__NODE__NODE_CREATE_STMT:
            return create_table(*raw.stmt->create_stmt, place_of(raw));
        case PG_QUERY__NODE__NODE_INDEX_STMT:
            return create_index(*raw.stmt->index_stmt, place_of(raw));
        case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
            return alter_table(*raw.stmt->alter_table_stmt, place_of(raw));
        default:
            warn("skipped-statement", place_of(raw),
                 "this statement says nothing about tables and is skipped");
    }
}

Table* CatalogReader::find(const PgQuery__RangeVar& name) {
    const auto id = catalog_.find(name.schemaname, name.relname, context_.semantics.dialect);
    return id ? &catalog_[*id] : nullptr;
}

void CatalogReader::create_table(const PgQuery__CreateStmt& create, Span place) {
    const PgQuery__RangeVar& name = *create.relation;
    if (find(name) != nullptr) {
        if (create.if_not_exists) return;
        return fail("duplicate-table", name.location,
                    fmt::format("table \"{}\" is created twice", name.relname));
    }
    Table table;
    table.schema = name.schemaname;
    table.name = name.relname;
    if (create.partbound != nullptr || create.of_typename != nullptr) {
        return warn("skipped-statement", place, "partitions and typed tables are skipped");
    }
    for (std::size_t i = 0; i < create.n_inh_relations; ++i) {
        copy_columns(table, *create.inh_relations[i]->range_var);
        if (Table* parent = find(*create.inh_relations[i]->range_var)) parent->has_heirs = true;
    }
    const Nodes elements(create.table_elts, create.n_table_elts);
    for (const PgQuery__Node* element : elements) {
        if (element->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF)
            add_column(table, *element->column_def);
        if (element->node_case == PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE) {
            copy_columns(table, *element->table_like_clause->relation);
        }
    }
    // Constraints may name columns that come later, so they are read when all are known.
    for (const PgQuery__Node* element : elements) {
        if (element->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
            add_constraint(table, *element->constraint, std::nullopt);
        }
        if (element->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) continue;
        const PgQuery__ColumnDef& definition = *element->column_def;
        for (std::size_t i = 0; i < definition.n_constraints && !error_; ++i) {
            add_constraint(table, *definition.constraints[i]->constraint,
                           table.find_column(definition.colname));
        }
    }
    if (!error_) catalog_.tables_.push_back(std::move(table));
}

void CatalogReader::copy_columns(Table& table, const PgQuery__RangeVar& other) {
    const Table* source = find(other);
    if (source == nullptr) {
        return fail("unknown-table", other.location,
                    fmt::format("table \"{}\" does not exist", other.relname));
    }
    table.columns.insert(table.columns.end(), source->columns.begin(), source->columns.end());
}

void CatalogReader::add_column(Table& table, const PgQuery__ColumnDef& definition) {
    if (table.find_column(definition.colname)) {
        return fail("duplicate-column", definition.location,
                    fmt::format("column \"{}\" is listed twice", definition.colname));
    }
    Column column{definition.colname, unknown_type(context_), !definition.is_not_null,
                  definition.coll_clause != nullptr};
    if (definition.type_name != nullptr) {
        const auto serial = serial_type(*definition.type_name);
        const auto type = serial ? Type(*serial) : bind_type(*definition.type_name, sql_, context_);
        if (!type) {
            return fail(
                "unknown-type", definition.type_name->location,
                fmt::format("the type of column \"{}\" cannot be read", definition.colname));
        }
        column.type = *type;
        column.nullable = column.nullable && !serial;
    }
    table.columns.push_back(std::move(column));
}

std::vector<std::uint32_t> CatalogReader::columns_of(const Table& table, Nodes names,
                                                     std::int64_t location) {
    std::vector<std::uint32_t> columns;
    for (const PgQuery__Node* node : names) {
        const std::string_view name = string_of(*node);
        const auto column = table.find_column(name);
        if (column) {
            columns.push_back(*column);
            continue;
        }
        std::vector<std::string_view> candidates;
        for (const Column& c : table.columns) candidates.push_back(c.name);
        const std::string nearest = nearest_name(name, candidates);
        fail("unknown-column", location,
             fmt::format("table \"{}\" has no column \"{}\"", table.name, name),
             nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest));
    }
    return columns;
}

void CatalogReader::add_constraint(Table& table, const PgQuery__Constraint& constraint,
                                   std::optional<std::uint32_t> column) {
    const auto own = [&](PgQuery__Node** names, std::size_t count) {
        return column ? std::vector<std::uint32_t>{*column}
                      : columns_of(table, Nodes(names, count), constraint.location);
    };
    switch (constraint.contype) {
        case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
            if (column) table.columns[*column].nullable = false;
            break;
        case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
            if (column) table.columns[*column].nullable = false;
            break;
        case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
        case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
            add_key(table, own(constraint.keys, constraint.n_keys), constraint);
            break;
        case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK:
            if (!constraint.skip_validation) add_check(table, constraint);
            break;
        // DEFERRABLE stands behind the constraint of a column as one of its own.
        case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
            drop_last_promise(table);
            break;
        case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN: {
            ForeignKey key{own(constraint.fk_attrs, constraint.n_fk_attrs),
                           constraint.pktable->schemaname,
                           constraint.pktable->relname,
                           {}};
            for (const PgQuery__Node* name : Nodes(constraint.pk_attrs, constraint.n_pk_attrs)) {
                key.referenced.emplace_back(string_of(*name));
            }
            const bool holds = !constraint.deferrable && !constraint.skip_validation;
            last_promise_ = holds ? Promise::foreign_key : Promise::none;
            if (holds) table.foreign_keys.push_back(std::move(key));
            break;
        }
        default:
            break;  // defaults, generated values, exclusions
    }
}

void CatalogReader::add_key(Table& table, std::vector<std::uint32_t> columns,
                            const PgQuery__Constraint& constraint) {
    if (error_ || columns.empty()) return;
    table.indexes.push_back({constraint.conname, columns, true, false});
    std::ranges::sort(columns);
    const bool primary = constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
    if (primary) {
        for (const std::uint32_t column : columns) table.columns[column].nullable = false;
    }
    last_promise_ = constraint.deferrable ? Promise::none : Promise::key;
    if (constraint.deferrable) return;
    table.keys.push_back({std::move(columns), primary, !primary && !constraint.nulls_not_distinct});
}

void CatalogReader::drop_last_promise(Table& table) {
    if (last_promise_ == Promise::key) table.keys.pop_back();
    if (last_promise_ == Promise::foreign_key) table.foreign_keys.pop_back();
    last_promise_ = Promise::none;
}

void CatalogReader::add_check(Table& table, const PgQuery__Constraint& constraint) {
    const PgQuery__Node& expr = *constraint.raw_expr;
    Check check;
    check.no_inherit = constraint.is_no_inherit != 0;
    if (const auto piece = cutter_.cut(expr)) {
        check.text = sql_.written().substr(piece->begin, piece->end - piece->begin);
    }
    const TableScope scope(table, context_.semantics.dialect);
    const auto root = bind_expr(expr, sql_, scope, table.check_exprs, context_, Wanted::condition);
    if (root) {
        check.root = *root;
    } else {
        warn("skipped-check", root.error().span,
             fmt::format("this CHECK is not used: {}", root.error().message));
    }
    table.checks.push_back(std::move(check));
}

void CatalogReader::create_index(const PgQuery__IndexStmt& statement, Span place) {
    Table* table = find(*statement.relation);
    if (table == nullptr) {
        return warn("skipped-statement", place,
                    fmt::format("the index is skipped: there is no table \"{}\"",
                                statement.relation->relname));
    }
    Index index{statement.idxname, {}, statement.unique != 0, statement.where_clause != nullptr};
    bool whole = true;
    for (const PgQuery__Node* node : Nodes(statement.index_params, statement.n_index_params)) {
        const std::string_view name = node->index_elem->name;
        const auto column = name.empty() ? std::nullopt : table->find_column(name);
        whole = whole && column;
        if (!whole) break;
        index.columns.push_back(*column);
    }
    if (index.unique && !index.partial && whole && !index.columns.empty()) {
        Key key{index.columns, false, !statement.nulls_not_distinct};
        std::ranges::sort(key.columns);
        table->keys.push_back(std::move(key));
    }
    table->indexes.push_back(std::move(index));
}

void CatalogReader::alter_table(const PgQuery__AlterTableStmt& alter, Span place) {
    Table* table = find(*alter.relation);
    if (table == nullptr) {
        return warn(
            "skipped-statement", place,
            fmt::format("it is skipped: there is no table \"{}\"", alter.relation->relname));
    }
    for (const PgQuery__Node* node : Nodes(alter.cmds, alter.n_cmds)) {
        const PgQuery__AlterTableCmd& command = *node->alter_table_cmd;
        const auto column = table->find_column(command.name);
        if (command.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint) {
            add_constraint(*table, *command.def->constraint, std::nullopt);
        } else if (command.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn) {
            const PgQuery__ColumnDef& definition = *command.def->column_def;
            add_column(*table, definition);
            for (std::size_t i = 0; i < definition.n_constraints && !error_; ++i) {
                add_constraint(*table, *definition.constraints[i]->constraint,
                               table->find_column(definition.colname));
            }
        } else if (command.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull && column) {
            table->columns[*column].nullable = false;
        } else if (command.subtype != PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault) {
            warn("skipped-statement", place, "this change of a table is skipped");
        }
    }
}

Result<std::vector<Diagnostic>> Catalog::read(std::string_view ddl, Context& context) {
    const auto sql = parse_sql(ddl, context.semantics.dialect);
    if (!sql) return sql.error();
    CatalogReader reader(*this, *sql, context);
    if (auto error = reader.run()) return std::move(*error);
    return std::move(reader.warnings);
}

}  // namespace satura::lang
