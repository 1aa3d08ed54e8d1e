#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/evaluate.hpp"
#include "lang/sql_binder.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_expr.hpp"
#include "lang/sql_names.hpp"
#include "lang/sql_tree.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

struct NamedOp {
    std::string_view name;
    Op op;
};

constexpr std::array binary_operators{NamedOp{"=", Op::eq},  NamedOp{"==", Op::eq},
                                      NamedOp{"<>", Op::ne}, NamedOp{"!=", Op::ne},
                                      NamedOp{"<", Op::lt},  NamedOp{"<=", Op::le},
                                      NamedOp{">", Op::gt},  NamedOp{">=", Op::ge},
                                      NamedOp{"+", Op::add}, NamedOp{"-", Op::sub},
                                      NamedOp{"*", Op::mul}, NamedOp{"/", Op::div},
                                      NamedOp{"%", Op::mod}, NamedOp{"<=>", Op::null_safe_eq}};

std::optional<Op> binary_operator(std::string_view name) {
    const auto* at = std::ranges::find(binary_operators, name, &NamedOp::name);
    return at == binary_operators.end() ? std::nullopt : std::optional(at->op);
}

std::string_view operator_name(const PgQuery__AExpr& expr) {
    if (expr.n_name != 1 || expr.name[0]->node_case != PG_QUERY__NODE__NODE_STRING) return {};
    return expr.name[0]->string->sval;
}

}  // namespace

Bound Binder::typed(ExprId id, std::int32_t location, bool is_volatile) const {
    Bound bound;
    bound.operand.type = exprs_[id].type;
    bound.id = id;
    bound.location = location;
    bound.is_volatile = is_volatile;
    return bound;
}

ExprId Binder::literal(Type type, const Value& value, std::int32_t location) {
    const LiteralId id = context_.literals.intern(type, value);
    return exprs_.add(Op::literal, type, static_cast<std::uint32_t>(id), {}, sql_.offset(location));
}

void Binder::push_literal(Type type, const Value& value, std::int32_t location) {
    values_.push_back(typed(literal(type, value, location), location, false));
}

ExprId Binder::settle_constant(const Bound& bound, Type target) {
    if (const auto value = constant_as(bound.operand, target, context_)) {
        return literal(target, *value, bound.location);
    }
    // What only the engine can convert ('today' as a date) is converted by the engine.
    const Type own = standalone_type(bound.operand, context_);
    const ExprId constant = literal(own, bound.operand.value, bound.location);
    if (own == target) return constant;
    return exprs_.add(Op::cast, target, target.bits(), std::array{constant},
                      sql_.offset(bound.location), true);
}

ExprId Binder::settle(const Bound& bound, Type target) {
    if (bound.operand.form != Operand::Form::typed) return settle_constant(bound, target);
    const bool own = bound.operand.type == target || target.kind() == TypeKind::opaque ||
                     bound.operand.type.kind() == TypeKind::opaque;
    if (own) return bound.id;
    return exprs_.add(Op::cast, target, target.bits(), std::array{bound.id},
                      sql_.offset(bound.location), true);
}

// Where a condition stands, a call of which nothing is known is boolean.
ExprId Binder::as_condition(ExprId id) {
    const ExprNode node = exprs_[id];
    if (node.type != unknown_ || (node.op != Op::call && node.op != Op::opaque)) return id;
    scratch_.assign(exprs_.children(id).begin(), exprs_.children(id).end());
    return exprs_.add(node.op, boolean_, node.payload, scratch_, node.position, node.implicit);
}

bool Binder::any_volatile(std::uint32_t base) const {
    return std::any_of(values_.begin() + base, values_.end(),
                       [](const Bound& b) { return b.is_volatile; });
}

std::optional<Bound> Binder::combine(Op op, std::uint32_t payload, std::span<const Bound> operands,
                                     std::int32_t location) {
    std::vector<Operand> shapes;
    shapes.reserve(operands.size());
    for (const Bound& bound : operands) shapes.push_back(bound.operand);
    auto answer = coerce(op, payload, shapes, unknown_, context_);
    if (const auto* misfit = std::get_if<Misfit>(&answer)) {
        fail(*misfit, operands, location);
        return std::nullopt;
    }
    const Coerced& coerced = std::get<Coerced>(answer);
    if (coerced.split) return std::nullopt;
    std::vector<ExprId> children;
    children.reserve(operands.size());
    bool is_volatile = false;
    const bool truths = op == Op::and_ || op == Op::or_ || op == Op::not_ || op == Op::is_true ||
                        op == Op::is_false || op == Op::is_unknown;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        ExprId child = settle(operands[i], coerced.targets[i]);
        if (truths || (op == Op::case_ && i % 2 == 0 && i + 1 < operands.size()))
            child = as_condition(child);
        children.push_back(child);
        is_volatile = is_volatile || operands[i].is_volatile;
    }
    const ExprId id = exprs_.add(op, coerced.result, payload, children, sql_.offset(location));
    return typed(id, location, is_volatile);
}

Bound Binder::negation_of(const Bound& operand, std::int32_t location) {
    const ExprId id =
        exprs_.add(Op::not_, boolean_, 0, std::array{operand.id}, sql_.offset(location));
    return typed(id, location, operand.is_volatile);
}

bool Binder::replace(Op op, std::uint32_t payload, std::uint32_t base, std::int32_t location,
                     bool negate) {
    const std::span<const Bound> operands(values_.data() + base, values_.size() - base);
    auto bound = combine(op, payload, operands, location);
    if (!bound) return false;
    if (negate) bound = negation_of(*bound, location);
    values_.resize(base);
    values_.push_back(*bound);
    return true;
}

bool Binder::build(const PgQuery__Node& node, std::uint32_t base) {
    switch (node.node_case) {
        case PG_QUERY__NODE__NODE_TYPE_CAST:
            return build_cast(*node.type_cast, base);
        case PG_QUERY__NODE__NODE_A_EXPR:
            return build_operator(*node.a_expr, base);
        case PG_QUERY__NODE__NODE_CASE_EXPR:
            return build_case(*node.case_expr, base);
        case PG_QUERY__NODE__NODE_FUNC_CALL:
            return build_call(*node.func_call, base);
        case PG_QUERY__NODE__NODE_SUB_LINK:
            return build_query(*node.sub_link, base);
        case PG_QUERY__NODE__NODE_COALESCE_EXPR:
            return replace(Op::coalesce, 0, base, node.coalesce_expr->location, false);
        case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: {
            const bool greatest = node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST;
            return replace(greatest ? Op::greatest : Op::least, 0, base,
                           node.min_max_expr->location, false);
        }
        case PG_QUERY__NODE__NODE_NULL_TEST: {
            const bool negate =
                node.null_test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL;
            return replace(Op::is_null, 0, base, node.null_test->location, negate);
        }
        case PG_QUERY__NODE__NODE_BOOLEAN_TEST: {
            const PgQuery__BoolTestType kind = node.boolean_test->booltesttype;
            const bool negate = kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE ||
                                kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE ||
                                kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN;
            const bool is_true = kind == PG_QUERY__BOOL_TEST_TYPE__IS_TRUE ||
                                 kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE;
            const bool is_false = kind == PG_QUERY__BOOL_TEST_TYPE__IS_FALSE ||
                                  kind == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE;
            const Op op = is_true ? Op::is_true : is_false ? Op::is_false : Op::is_unknown;
            return replace(op, 0, base, node.boolean_test->location, negate);
        }
        case PG_QUERY__NODE__NODE_BOOL_EXPR: {
            const PgQuery__BoolExprType kind = node.bool_expr->boolop;
            const Op op = kind == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR  ? Op::and_
                          : kind == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR ? Op::or_
                                                                      : Op::not_;
            return replace(op, 0, base, node.bool_expr->location, false);
        }
        default:
            return false;
    }
}

bool Binder::build_operator(const PgQuery__AExpr& expr, std::uint32_t base) {
    const std::string_view name = operator_name(expr);
    if (compares_row_with_query(expr)) return build_query(*expr.rexpr->sub_link, base, name);
    switch (expr.kind) {
        case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
            return replace(Op::null_safe_eq, 0, base, expr.location, true);
        case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
            return replace(Op::null_safe_eq, 0, base, expr.location, false);
        case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
            return replace(Op::nullif, 0, base, expr.location, false);
        case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
            return replace(Op::in, 0, base, expr.location, name == "<>");
        case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
            return replace(Op::like, 0, base, expr.location, name == "!~~");
        case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
            return build_function("ilike", base, expr.location, name == "!~~*");
        case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR:
            return build_function("similar to", base, expr.location, name == "!~");
        case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
            return build_between(expr, base);
        default:
            break;
    }
    if (expr.lexpr == nullptr) {
        if (name == "-") return replace(Op::neg, 0, base, expr.location, false);
        return name == "+" && build_unary_plus(base);
    }
    if (const auto op = binary_operator(name)) return replace(*op, 0, base, expr.location, false);
    if (name == "^") return build_function("power", base, expr.location, false);
    const bool negate = name.starts_with("!~");
    const std::string_view plain = negate ? name.substr(1) : name;
    const Function* function = find_function(plain, context_.semantics.dialect);
    return function != nullptr && function->syntax == Function::Syntax::infix &&
           build_function(plain, base, expr.location, negate);
}

bool Binder::build_function(std::string_view name, std::uint32_t base, std::int32_t location,
                            bool negate) {
    return find_function(name, context_.semantics.dialect) != nullptr &&
           replace(Op::call, context_.names.intern(name), base, location, negate);
}

// +x is x where x is a number.
bool Binder::build_unary_plus(std::uint32_t base) {
    const Operand& operand = values_[base].operand;
    return operand.form == Operand::Form::number ||
           (operand.form == Operand::Form::typed && is_numeric(operand.type));
}

bool Binder::build_query(const PgQuery__SubLink& link, std::uint32_t base,
                         std::string_view row_operator) {
    std::vector<Operand> operands;
    for (std::size_t i = base; i < values_.size(); ++i) operands.push_back(values_[i].operand);
    const auto found = scope_.query(link, operands, row_operator);
    if (!found) return false;
    if (!*found) {
        error_ = found->error();
        return false;
    }
    const Scope::Query& query = **found;
    std::vector<ExprId> children;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        children.push_back(settle(values_[base + i], query.operand_types[i]));
    }
    children.insert(children.end(), query.outer.begin(), query.outer.end());
    const ExprId id =
        exprs_.add(query.op, query.type, query.index, children, sql_.offset(link.location));
    values_.resize(base);
    values_.push_back(typed(id, link.location, true));
    return true;
}

bool Binder::build_between(const PgQuery__AExpr& expr, std::uint32_t base) {
    const bool negate = expr.kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN;
    if (replace(Op::between, 0, base, expr.location, negate)) return true;
    if (error_ || values_[base].is_volatile) return false;
    // The bounds are compared in different types.
    const std::array low{values_[base], values_[base + 1]};
    const std::array high{values_[base], values_[base + 2]};
    const auto above = combine(Op::ge, 0, low, expr.location);
    const auto below = combine(Op::le, 0, high, expr.location);
    if (!above || !below) return false;
    auto both = combine(Op::and_, 0, std::array{*above, *below}, expr.location);
    if (!both) return false;
    if (negate) both = negation_of(*both, expr.location);
    values_.resize(base);
    values_.push_back(*both);
    return true;
}

bool Binder::build_case(const PgQuery__CaseExpr& expr, std::uint32_t base) {
    std::vector<Bound> parts(values_.begin() + base, values_.end());
    if (expr.arg != nullptr) {
        const Bound operand = parts.front();
        if (operand.is_volatile) return false;
        parts.erase(parts.begin());
        for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
            const auto test = combine(Op::eq, 0, std::array{operand, parts[i]}, parts[i].location);
            if (!test) return false;
            parts[i] = *test;
        }
    }
    if (expr.defresult == nullptr) {
        Bound none;
        none.operand.form = Operand::Form::null;
        none.location = expr.location;
        parts.push_back(none);
    }
    values_.resize(base);
    values_.insert(values_.end(), parts.begin(), parts.end());
    return replace(Op::case_, 0, base, expr.location, false);
}

// PostgreSQL's functions for pieces of syntax, with which other dialects agree where they know them.
const Function* Binder::syntax_function(const PgQuery__FuncCall& call) const {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> names{
        {{"extract", "extract"},
         {"btrim", "trim"},
         {"ltrim", "ltrim"},
         {"rtrim", "rtrim"},
         {"substring", "substring"},
         {"position", "position"},
         {"timezone", "timezone"}}};
    const Dialect dialect = context_.semantics.dialect;
    const std::string_view system = string_of(*call.funcname[call.n_funcname - 1]);
    const auto* found =
        std::ranges::find(names, system, [](const auto& name) { return name.first; });
    if (found == names.end()) return nullptr;
    // What is trimmed comes first in Spark's function.
    const bool trims = found->second.ends_with("trim") && call.n_args > 1;
    if (trims && (in_both & only(dialect)) == 0) return nullptr;
    return find_function(found->second, dialect);
}

const Function* Binder::known_function(const PgQuery__FuncCall& call) const {
    if (call.funcformat == PG_QUERY__COERCION_FORM__COERCE_SQL_SYNTAX) return syntax_function(call);
    const Dialect dialect = context_.semantics.dialect;
    const bool system = call.n_funcname == 2 && dialect == Dialect::postgres &&
                        string_of(*call.funcname[0]) == "pg_catalog";
    if (call.n_funcname != 1 && !system) return nullptr;
    const Function* function =
        find_function(string_of(*call.funcname[call.n_funcname - 1]), dialect);
    return function != nullptr && function->syntax == Function::Syntax::call ? function : nullptr;
}

bool Binder::build_call(const PgQuery__FuncCall& call, std::uint32_t base) {
    if (const Function* function = known_function(call);
        function != nullptr && !function->is_volatile) {
        return build_function(function->name, base, call.location, false);
    }
    const bool is_coalesce = call.n_funcname == 1 && call.n_args == 2 &&
                             context_.semantics.dialect != Dialect::postgres &&
                             string_of(*call.funcname[0]) == "ifnull";
    if (is_coalesce) return replace(Op::coalesce, 0, base, call.location, false);
    std::string name;
    for (std::size_t i = 0; i < call.n_funcname; ++i) {
        if (call.funcname[i]->node_case != PG_QUERY__NODE__NODE_STRING) return false;
        if (i > 0) name += '.';
        const std::string_view part = call.funcname[i]->string->sval;
        name += i + 1 == call.n_funcname ? write_function_name(part, context_.semantics.dialect)
                                         : quoted_or_plain(part);
    }
    std::uint32_t payload = context_.names.intern(name);
    const bool unstable = is_volatile(Op::call, payload, context_);
    if (unstable)
        payload = context_.names.intern(fmt::format("{}\x01{}", name, ++context_.volatile_calls));
    if (!replace(Op::call, payload, base, call.location, false)) return false;
    values_.back().is_volatile = values_.back().is_volatile || unstable;
    return true;
}

std::string Binder::quoted_or_plain(std::string_view name) const {
    return is_plain_word(name) ? std::string(name) : quoted_name(name, context_.semantics.dialect);
}

bool Binder::build_cast(const PgQuery__TypeCast& cast, std::uint32_t base) {
    const Type target = *bind_type(*cast.type_name, sql_, context_);
    const Bound child = values_[base];
    const bool is_try = sql_.is_try_cast(cast.location);
    const std::int32_t location = cast.location >= 0 ? cast.location : cast.type_name->location;
    values_.resize(base);
    if (child.operand.form != Operand::Form::typed) {
        // A typed literal (integer '5') has no position of its own, unlike a cast.
        const bool typed_literal =
            cast.location < 0 && context_.semantics.dialect == Dialect::postgres;
        if (const auto value = constant_as(child.operand, target, context_)) {
            push_literal(target, *value, location);
            return true;
        }
        if (typed_literal && (is_numeric(target) || target.kind() == TypeKind::boolean)) {
            fail(Misfit{fmt::format("invalid input syntax for type {}: \"{}\"",
                                    write_type(target, context_), child.operand.value.as_text()),
                        0},
                 std::array{child}, location);
            return true;
        }
    }
    const ExprId operand = settle(child, standalone_type(child.operand, context_));
    const ExprId id = exprs_.add(is_try ? Op::try_cast : Op::cast, target, target.bits(),
                                 std::array{operand}, sql_.offset(location));
    values_.push_back(typed(id, location, child.is_volatile));
    return true;
}

}  // namespace satura::lang
