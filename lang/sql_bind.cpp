#include "lang/sql_bind.hpp"

#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <array>

#include "lang/function.hpp"
#include "lang/sql_binder.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_tree.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

bool is_row(const PgQuery__Node* node) {
    return node != nullptr && node->node_case == PG_QUERY__NODE__NODE_ROW_EXPR;
}

// LIKE … ESCAPE and each SIMILAR TO come as a call around the pattern.
const PgQuery__FuncCall* pattern_call(const PgQuery__Node& pattern) {
    if (pattern.node_case != PG_QUERY__NODE__NODE_FUNC_CALL) return nullptr;
    const PgQuery__FuncCall& call = *pattern.func_call;
    if (call.n_funcname != 2 || string_of(*call.funcname[0]) != "pg_catalog") return nullptr;
    const std::string_view name = string_of(*call.funcname[1]);
    return name == "like_escape" || name == "similar_to_escape" ? &call : nullptr;
}

}  // namespace

Binder::Binder(const ParsedSql& sql, const Scope& scope, Exprs& exprs, Context& context)
    : sql_(sql),
      scope_(scope),
      exprs_(exprs),
      context_(context),
      unknown_(unknown_type(context)),
      cutter_(sql) {}

Result<ExprId> Binder::run(const PgQuery__Node& root, Wanted wanted) {
    tasks_.push_back({&root, 0, false});
    while (!tasks_.empty() && !error_) {
        const Task task = tasks_.back();
        tasks_.pop_back();
        step(task);
    }
    if (error_) return std::move(*error_);
    const Bound& result = values_.back();
    if (wanted == Wanted::any) return settle(result, standalone_type(result.operand, context_));
    const std::array<Operand, 1> operand{result.operand};
    auto answer = coerce(Op::is_true, 0, operand, unknown_, context_);
    if (auto* misfit = std::get_if<Misfit>(&answer)) {
        misfit->message.replace(0, misfit->message.find(" must"), "a condition");
        fail(*misfit, values_, result.location);
        return std::move(*error_);
    }
    return as_condition(settle(result, std::get<Coerced>(answer).targets[0]));
}

void Binder::step(const Task& task) {
    const bool understood = task.built ? build(*task.node, task.base) : visit(*task.node);
    if (!understood && !error_) {
        if (task.built) values_.resize(task.base);
        make_opaque(*task.node);
    }
}

bool Binder::visit(const PgQuery__Node& node) {
    if (visit_taken(node)) return true;
    switch (node.node_case) {
        case PG_QUERY__NODE__NODE_A_CONST:
            return visit_constant(*node.a_const);
        case PG_QUERY__NODE__NODE_COLUMN_REF:
            visit_column(*node.column_ref);
            return true;
        case PG_QUERY__NODE__NODE_TYPE_CAST:
            return visit_cast(node);
        case PG_QUERY__NODE__NODE_A_EXPR:
            return visit_operator(node);
        case PG_QUERY__NODE__NODE_BOOL_EXPR:
            return visit_boolean(node);
        case PG_QUERY__NODE__NODE_NULL_TEST:
            if (is_row(node.null_test->arg)) return false;
            push_children(node, std::array<const PgQuery__Node*, 1>{node.null_test->arg});
            return true;
        case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
            push_children(node, std::array<const PgQuery__Node*, 1>{node.boolean_test->arg});
            return true;
        case PG_QUERY__NODE__NODE_CASE_EXPR:
            return visit_case(node);
        case PG_QUERY__NODE__NODE_COALESCE_EXPR:
            push_children(node, {node.coalesce_expr->args, node.coalesce_expr->n_args});
            return true;
        case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
            push_children(node, {node.min_max_expr->args, node.min_max_expr->n_args});
            return true;
        case PG_QUERY__NODE__NODE_FUNC_CALL:
            return visit_call(node);
        case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
            return visit_value_function(*node.sqlvalue_function);
        case PG_QUERY__NODE__NODE_SUB_LINK:
            return visit_query(node);
        default:
            return false;
    }
}

void Binder::push_children(const PgQuery__Node& node,
                           std::span<const PgQuery__Node* const> children) {
    tasks_.push_back({&node, static_cast<std::uint32_t>(values_.size()), true});
    for (auto child = children.rbegin(); child != children.rend(); ++child)
        tasks_.push_back({*child, 0, false});
}

bool Binder::visit_taken(const PgQuery__Node& node) {
    const auto taken = scope_.take(node);
    if (!taken) return false;
    if (!*taken) {
        error_ = taken->error();
        return true;
    }
    values_.push_back(typed(node_of(**taken, -1), -1, false));
    return true;
}

// A row on the left has an operand for each of its fields.
bool Binder::visit_query(const PgQuery__Node& node) {
    if (!scope_.binds_queries()) return false;
    const PgQuery__Node* test = node.sub_link->testexpr;
    if (test == nullptr) {
        push_children(node, {});
    } else if (is_row(test)) {
        push_children(node, {test->row_expr->args, test->row_expr->n_args});
    } else {
        push_children(node, std::array<const PgQuery__Node*, 1>{test});
    }
    return true;
}

bool Binder::compares_row_with_query(const PgQuery__AExpr& expr) const {
    return scope_.binds_queries() && expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP &&
           is_row(expr.lexpr) && expr.rexpr->node_case == PG_QUERY__NODE__NODE_SUB_LINK &&
           expr.rexpr->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK;
}

ExprId Binder::node_of(const Scope::Found& found, std::int64_t location) {
    if (found.expr) return *found.expr;
    const std::uint32_t position = location < 0 ? no_position : sql_.offset(location);
    return exprs_.add(Op::column, found.type, found.index, {}, position);
}

void Binder::visit_column(const PgQuery__ColumnRef& column) {
    const auto found = find_column(column);
    if (!found) return fail("syntax-error", column.location, "\"*\" is not an expression");
    if (!*found) {
        error_ = found->error();
        const Span name = cutter_.name_at(column);
        error_->span = {sql_.offset(name.begin), sql_.offset(name.end)};
        return;
    }
    const bool is_volatile = (*found)->expr.has_value() && exprs_[*(*found)->expr].op != Op::column;
    values_.push_back(typed(node_of(**found, column.location), column.location, is_volatile));
}

bool Binder::visit_constant(const PgQuery__AConst& constant) {
    Bound bound;
    bound.location = constant.location;
    if (constant.isnull) {
        bound.operand.form = Operand::Form::null;
        values_.push_back(bound);
        return true;
    }
    switch (constant.val_case) {
        case PG_QUERY__A__CONST__VAL_IVAL:
            bound.operand = number_constant(std::to_string(constant.ival->ival), context_);
            break;
        case PG_QUERY__A__CONST__VAL_FVAL:
            bound.operand = number_constant(constant.fval->fval, context_);
            break;
        case PG_QUERY__A__CONST__VAL_BOOLVAL:
            push_literal(boolean_, Value::boolean(constant.boolval->boolval), constant.location);
            return true;
        case PG_QUERY__A__CONST__VAL_SVAL:
            bound.operand = {Operand::Form::text, Type(), Value::text(constant.sval->sval)};
            break;
        default:
            return false;
    }
    if (bound.operand.form == Operand::Form::typed) return false;  // a number that no type holds
    values_.push_back(bound);
    return true;
}

bool Binder::visit_cast(const PgQuery__Node& node) {
    if (is_row(node.type_cast->arg)) return false;
    if (!bind_type(*node.type_cast->type_name, sql_, context_)) return false;
    push_children(node, std::array<const PgQuery__Node*, 1>{node.type_cast->arg});
    return true;
}

// The operands of one AND, flattened: `a and (b and c)` has three.
bool Binder::visit_boolean(const PgQuery__Node& node) {
    const PgQuery__BoolExprType kind = node.bool_expr->boolop;
    std::vector<const PgQuery__Node*> children;
    std::vector<const PgQuery__Node*> open{&node};
    while (!open.empty()) {
        const PgQuery__Node* next = open.back();
        open.pop_back();
        const bool same = next->node_case == PG_QUERY__NODE__NODE_BOOL_EXPR &&
                          next->bool_expr->boolop == kind &&
                          kind != PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR;
        if (!same && next != &node) {
            children.push_back(next);
            continue;
        }
        const PgQuery__BoolExpr& expr = *next->bool_expr;
        for (std::size_t i = expr.n_args; i > 0; --i) open.push_back(expr.args[i - 1]);
        if (kind == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR) {
            children.push_back(expr.args[0]);
            break;
        }
    }
    push_children(node, children);
    return true;
}

bool Binder::visit_case(const PgQuery__Node& node) {
    const PgQuery__CaseExpr& expr = *node.case_expr;
    std::vector<const PgQuery__Node*> children;
    if (expr.arg != nullptr) {
        if (is_row(expr.arg)) return false;
        children.push_back(expr.arg);
    }
    for (std::size_t i = 0; i < expr.n_args; ++i) {
        children.push_back(expr.args[i]->case_when->expr);
        children.push_back(expr.args[i]->case_when->result);
    }
    if (expr.defresult != nullptr) children.push_back(expr.defresult);
    push_children(node, children);
    return true;
}

bool Binder::visit_call(const PgQuery__Node& node) {
    const PgQuery__FuncCall& call = *node.func_call;
    const bool plain = call.n_agg_order == 0 && call.agg_filter == nullptr &&
                       call.over == nullptr && !call.agg_within_group && !call.agg_star &&
                       !call.agg_distinct && !call.func_variadic;
    const bool syntax = call.funcformat == PG_QUERY__COERCION_FORM__COERCE_SQL_SYNTAX;
    if (!plain || (syntax && syntax_function(call) == nullptr)) return false;
    for (std::size_t i = 0; i < call.n_args; ++i) {
        const auto kind = call.args[i]->node_case;
        const bool star =
            kind == PG_QUERY__NODE__NODE_COLUMN_REF &&
            call.args[i]->column_ref->fields[call.args[i]->column_ref->n_fields - 1]->node_case ==
                PG_QUERY__NODE__NODE_A_STAR;
        if (kind == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR || star) return false;
    }
    push_children(node, {call.args, call.n_args});
    return true;
}

// current_date and its like; with a number of digits they stay as they are.
bool Binder::visit_value_function(const PgQuery__SQLValueFunction& value) {
    const std::string_view name = value_function_name(value);
    if (value.typmod >= 0 || find_function(name, context_.semantics.dialect) == nullptr)
        return false;
    return replace(Op::call, context_.names.intern(name),
                   static_cast<std::uint32_t>(values_.size()), value.location, false);
}

bool Binder::visit_operator(const PgQuery__Node& node) {
    const PgQuery__AExpr& expr = *node.a_expr;
    if (compares_row_with_query(expr)) {
        push_children(node, {expr.lexpr->row_expr->args, expr.lexpr->row_expr->n_args});
        return true;
    }
    if (is_row(expr.lexpr) || is_row(expr.rexpr)) return false;
    // x -> f(x) names its parameter; what it reads is found by name when the piece is cut out.
    if (context_.semantics.dialect != Dialect::postgres && expr.n_name == 1 &&
        string_of(*expr.name[0]) == "->") {
        return false;
    }
    std::vector<const PgQuery__Node*> children;
    if (expr.lexpr != nullptr) children.push_back(expr.lexpr);
    switch (expr.kind) {
        case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
        case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
        case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
        case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
            children.push_back(expr.rexpr);
            break;
        case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
        case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
        case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
            if (const auto* escaped = pattern_call(*expr.rexpr)) {
                children.insert(children.end(), escaped->args, escaped->args + escaped->n_args);
            } else {
                children.push_back(expr.rexpr);
            }
            break;
        case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN: {
            if (expr.rexpr->node_case != PG_QUERY__NODE__NODE_LIST) return false;
            const PgQuery__List& list = *expr.rexpr->list;
            for (std::size_t i = 0; i < list.n_items; ++i) {
                if (is_row(list.items[i])) return false;
                children.push_back(list.items[i]);
            }
            break;
        }
        default:
            return false;
    }
    push_children(node, children);
    return true;
}

std::optional<Result<Scope::Found>> Binder::find_column(const PgQuery__ColumnRef& column) const {
    std::vector<std::string_view> parts;
    for (std::size_t i = 0; i < column.n_fields; ++i) {
        if (column.fields[i]->node_case != PG_QUERY__NODE__NODE_STRING) return std::nullopt;
        parts.push_back(column.fields[i]->string->sval);
    }
    return scope_.column(parts);
}

void Binder::fail(std::string code, std::int32_t location, std::string message, std::string help) {
    if (!error_)
        error_ = Diagnostic{std::move(code), sql_.span_of_token(location), std::move(message),
                            std::move(help)};
}

void Binder::fail(const Misfit& misfit, std::span<const Bound> operands, std::int32_t location) {
    const bool at_operator = misfit.message.starts_with("operator") ||
                             misfit.operand >= operands.size() ||
                             operands[misfit.operand].location < 0;
    fail("type-error", at_operator ? location : operands[misfit.operand].location, misfit.message);
}

Result<ExprId> bind_expr(const PgQuery__Node& node, const ParsedSql& sql, const Scope& scope,
                         Exprs& exprs, Context& context, Wanted wanted) {
    return Binder(sql, scope, exprs, context).run(node, wanted);
}

}  // namespace satura::lang
