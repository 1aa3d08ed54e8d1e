#include "lang/sql_query.hpp"

#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <array>

#include "lang/sql_constant.hpp"
#include "lang/sql_tree.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {

QueryBinder::QueryBinder(const ParsedSql& sql, const Catalog& catalog, Context& context, Plan& plan)
    : sql_(sql),
      catalog_(catalog),
      context_(context),
      plan_(plan),
      dialect_(context.semantics.dialect),
      unknown_(unknown_type(context)),
      numbers_(plan.exprs, context),
      cutter_(sql) {}

Result<BoundQuery> QueryBinder::run(const PgQuery__SelectStmt& statement) {
    BoundQuery query = select(statement, nullptr, no_index);
    if (error_) return std::move(*error_);
    plan_.root = query.relation;
    return query;
}

BoundQuery QueryBinder::select(const PgQuery__SelectStmt& statement, Level* parent,
                               std::uint32_t ctes) {
    if (error_) return {};
    if (depth_ == query_depth_max) {
        fail("too-deep", tree_facts(statement.base).first, "queries are nested too deeply",
             fmt::format("at most {} queries within each other", query_depth_max));
        return {};
    }
    if (statement.into_clause != nullptr || statement.n_locking_clause > 0) {
        unsupported();
        return {};
    }
    ++depth_;
    Level level(parent, dialect_);
    level.ctes = ctes;
    const std::vector<CteId> defined = define_ctes(statement, level);
    BoundQuery query = error_ ? BoundQuery{} : select_body(statement, level);
    for (auto cte = defined.rbegin(); cte != defined.rend() && !error_; ++cte) {
        Relation with{RelOp::with};
        with.payload = static_cast<std::uint32_t>(*cte);
        query.relation = plan_.add(with, std::array{plan_[*cte].definition, query.relation});
    }
    query.outer = std::move(level.outer);
    --depth_;
    return query;
}

BoundQuery QueryBinder::select_body(const PgQuery__SelectStmt& statement, Level& level) {
    if (statement.op == PG_QUERY__SET_OPERATION__SETOP_NONE && statement.n_values_lists == 0) {
        return simple(statement, level);
    }
    BoundQuery query =
        statement.n_values_lists > 0 ? values(statement, level) : set_operation(statement, level);
    if (!error_) order_output(statement, query, level);
    return query;
}

// A side of a set operation.
BoundQuery QueryBinder::leaf(const PgQuery__SelectStmt& statement, Level& level) {
    BoundQuery query = select(statement, level.parent, level.ctes);
    absorb(level, query.outer);
    return query;
}

void QueryBinder::absorb(Level& level, const std::vector<ColumnId>& outer,
                         std::vector<ColumnId>* own) {
    for (const ColumnId column : outer) {
        if (!level.made.contains(static_cast<std::uint32_t>(column))) {
            level.note_outer(column);
        } else if (own != nullptr) {
            own->push_back(column);
        }
    }
}

BoundQuery QueryBinder::values(const PgQuery__SelectStmt& statement, Level& level) {
    const std::size_t rows = statement.n_values_lists;
    const std::size_t width = statement.values_lists[0]->list->n_items;
    level.phase = Level::Phase::where;
    Values values;
    std::vector<std::vector<Operand>> operands(width);
    for (std::size_t row = 0; row < rows && !error_; ++row) {
        const PgQuery__List& list = *statement.values_lists[row]->list;
        if (list.n_items != width) {
            const std::int32_t place = tree_facts(statement.values_lists[row]->base).first;
            fail("column-count", place, "all rows of VALUES must have the same number of columns");
            break;
        }
        for (std::size_t i = 0; i < width && !error_; ++i) {
            values.cells.push_back(bind(*list.items[i], level));
            if (error_) break;
            const auto constant = constant_of(*list.items[i]);
            operands[i].push_back(constant.value_or(
                Operand{Operand::Form::typed, plan_.exprs[values.cells.back()].type, Value()}));
        }
    }
    BoundQuery query;
    for (std::size_t i = 0; i < width && !error_; ++i) {
        const auto answer = coerce(Op::coalesce, 0, operands[i], unknown_, context_);
        if (const auto* misfit = std::get_if<Misfit>(&answer)) {
            const ExprId cell = values.cells[std::min(misfit->operand, rows - 1) * width + i];
            fail_at("type-error", plan_.exprs[cell].position,
                    "the rows of VALUES have types that do not match here");
            break;
        }
        const Type type = std::get<Coerced>(answer).result;
        bool nullable = false;
        for (std::size_t row = 0; row < rows; ++row) {
            ExprId& cell = values.cells[row * width + i];
            cell = constant_as_expr(operands[i][row], cell, type);
            nullable = nullable || may_be_null(cell);
        }
        const ColumnId column = add_computed(fmt::format("column{}", i + 1), type, nullable);
        values.columns.push_back(column);
        query.columns.push_back({plan_[column].name, column, std::nullopt, false, no_position});
    }
    if (error_) return {};
    values.rows = static_cast<std::uint32_t>(rows);
    Relation relation{RelOp::values};
    relation.payload = static_cast<std::uint32_t>(plan_.values.size());
    plan_.values.push_back(std::move(values));
    query.relation = plan_.add(relation, {});
    return query;
}

ExprId QueryBinder::column_node(ColumnId column, std::uint32_t position) {
    return plan_.exprs.add(Op::column, plan_[column].type, static_cast<std::uint32_t>(column), {},
                           position);
}

ExprId QueryBinder::cast_to(ExprId expr, Type type) {
    const Type own = plan_.exprs[expr].type;
    if (own == type || own.kind() == TypeKind::opaque || type.kind() == TypeKind::opaque)
        return expr;
    return plan_.exprs.add(Op::cast, type, type.bits(), std::array{expr},
                           plan_.exprs[expr].position, true);
}

// A constant that waits for its type becomes a literal of that type; where it does not convert, the
// engine casts it.
ExprId QueryBinder::constant_as_expr(const Operand& operand, ExprId expr, Type type) {
    if (operand.form == Operand::Form::typed || plan_.exprs[expr].type == type)
        return cast_to(expr, type);
    const auto value = constant_as(operand, type, context_);
    if (!value) return cast_to(expr, type);
    const LiteralId literal = context_.literals.intern(type, *value);
    return plan_.exprs.add(Op::literal, type, static_cast<std::uint32_t>(literal), {},
                           plan_.exprs[expr].position);
}

bool QueryBinder::may_be_null(ExprId expr) const {
    const ExprNode& node = plan_.exprs[expr];
    switch (node.op) {
        case Op::literal:
            return context_.literals[LiteralId{node.payload}].value.is_null();
        case Op::is_null:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
        case Op::null_safe_eq:
        case Op::exists:
            return false;
        default:
            return true;
    }
}

std::optional<Operand> QueryBinder::constant_of(const PgQuery__Node& node) const {
    if (node.node_case != PG_QUERY__NODE__NODE_A_CONST) return std::nullopt;
    const PgQuery__AConst& constant = *node.a_const;
    if (constant.isnull) return Operand{Operand::Form::null, Type(), Value()};
    if (constant.val_case == PG_QUERY__A__CONST__VAL_SVAL) {
        return Operand{Operand::Form::text, Type(), Value::text(constant.sval->sval)};
    }
    Operand number;
    if (constant.val_case == PG_QUERY__A__CONST__VAL_IVAL) {
        number = number_constant(std::to_string(constant.ival->ival), context_);
    } else if (constant.val_case == PG_QUERY__A__CONST__VAL_FVAL) {
        number = number_constant(constant.fval->fval, context_);
    }
    if (number.form == Operand::Form::number) return number;
    return std::nullopt;
}

std::uint32_t QueryBinder::add_label(std::string alias, const std::vector<VisibleColumn>& columns) {
    Label label{std::move(alias), {}, {}};
    for (const VisibleColumn& column : columns) {
        label.names.push_back(column.name);
        label.columns.push_back(column.column);
    }
    plan_.labels.push_back(std::move(label));
    return static_cast<std::uint32_t>(plan_.labels.size() - 1);
}

ColumnId QueryBinder::add_computed(std::string name, Type type, bool nullable) {
    return plan_.add_column({std::move(name), type, nullable, no_index, no_index, false});
}

void QueryBinder::fail(std::string code, std::int64_t location, std::string message,
                       std::string help) {
    if (error_) return;
    const Span span = location < 0 ? Span{} : sql_.span_of_token(location);
    error_ = Diagnostic{std::move(code), span, std::move(message), std::move(help)};
}

void QueryBinder::fail_at(std::string code, std::uint32_t position, std::string message,
                          std::string help) {
    const std::int64_t location =
        position == no_position ? -1 : std::int64_t{position} + sql_.user_begin();
    fail(std::move(code), location, std::move(message), std::move(help));
}

}  // namespace satura::lang
