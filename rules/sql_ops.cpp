#include "rules/sql_ops.hpp"

#include <algorithm>
#include <bit>

#include "egraph/hash.hpp"
#include "lang/evaluate.hpp"
#include "lang/function.hpp"

namespace satura::rules {

using egraph::OpId;
using egraph::Shape;
using lang::Op;

SqlOps::SqlOps(lang::Context& context) : context_(&context) {
    const lang::Type boolean{lang::TypeKind::boolean};
    true_ = context.literals.intern(boolean, lang::Value::boolean(true));
    false_ = context.literals.intern(boolean, lang::Value::boolean(false));
    null_ = context.literals.intern(boolean, lang::Value::null());
    add(Op::column, Shape::fixed, 0);
    add(Op::literal, Shape::fixed, 0);
    for (Op op : {Op::cast, Op::try_cast, Op::not_, Op::is_null, Op::is_true, Op::is_false,
                  Op::is_unknown, Op::neg}) {
        add(op, Shape::fixed, 1);
    }
    for (Op op : {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge, Op::null_safe_eq, Op::add,
                  Op::sub, Op::mul, Op::div, Op::mod, Op::nullif, Op::like}) {
        add(op, Shape::fixed, 2);
    }
    add(Op::between, Shape::fixed, 3);
    for (Op op : {Op::case_, Op::coalesce, Op::greatest, Op::least, Op::in, Op::call, Op::opaque,
                  Op::exists, Op::in_subquery, Op::scalar_subquery}) {
        add(op, Shape::sequence);
    }
    add(Op::and_, Shape::set);
    add(Op::or_, Shape::set);
    OpId literal = (*this)[Op::literal];
    signature_.set_unit((*this)[Op::and_], literal, static_cast<std::uint32_t>(true_));
    signature_.set_unit((*this)[Op::or_], literal, static_cast<std::uint32_t>(false_));
    when_ = signature_.fixed("when", 2);
    remember(when_, {Op::case_, true, false, 0, Sort::value});
    like_escape_ = signature_.fixed("like_escape", 3);
    remember(like_escape_, {Op::like, false, true, 0, Sort::value});
    add_plan_operators();
    signature_.payload_key = [this](OpId op, egraph::Payload payload) -> std::uint64_t {
        if (op != (*this)[Op::literal]) return payload;
        const lang::Literal& l = context_->literals[lang::LiteralId{payload}];
        return egraph::mix(l.type.bits(), hash_value(l.value));
    };
}

OpId SqlOps::add(Op op, Shape shape, std::uint32_t arity) {
    OpId id = signature_.add(lang::op_name(op), shape, arity);
    by_op_[static_cast<std::size_t>(op)] = id;
    remember(id, {op, false, false, 0, Sort::value});
    return id;
}

OpId SqlOps::add(std::string_view name, Sort sort, Shape shape, std::uint32_t arity) {
    OpId id = signature_.add(name, shape, arity);
    remember(id, {Op::call, false, false, 0, sort});
    return id;
}

void SqlOps::add_plan_operators() {
    plan_.yes = add("yes", Sort::truth, Shape::fixed);
    plan_.no = add("no", Sort::truth, Shape::fixed);
    plan_.holds = add("holds", Sort::truth, Shape::fixed, 1);
    plan_.all = add("all", Sort::truth, Shape::set);
    plan_.any = add("any", Sort::truth, Shape::set);
    plan_.same = add("same", Sort::truth, Shape::set);
    signature_.set_unit(plan_.all, plan_.yes, 0);
    signature_.set_zero(plan_.all, plan_.no, 0);
    signature_.set_unit(plan_.any, plan_.no, 0);
    signature_.set_zero(plan_.any, plan_.yes, 0);
    signature_.set_keeps_single(plan_.same);

    plan_.columns = add("columns", Sort::columns, Shape::fixed);
    plan_.shape = add("shape", Sort::columns, Shape::fixed);
    plan_.scan = add("scan", Sort::relation, Shape::fixed);
    plan_.one_row = add("one_row", Sort::relation, Shape::fixed);
    plan_.empty = add("empty", Sort::relation, Shape::fixed, 1);
    plan_.pad = add("pad", Sort::relation, Shape::fixed, 2);
    plan_.narrow = add("narrow", Sort::relation, Shape::fixed, 2);
    plan_.dedup = add("dedup", Sort::relation, Shape::fixed, 2);
    plan_.filter = add("filter", Sort::relation, Shape::fixed, 2);
    for (std::size_t kind = 0; kind < std::size(plan_.joins); ++kind) {
        const auto name = lang::join_kind_name(static_cast<lang::JoinKind>(kind));
        plan_.joins[kind] = add(name, Sort::relation, Shape::fixed, 3);
    }
    plan_.by_rel_op.fill(OpId{egraph::none});
    for (std::size_t i = 0; i < plan_.by_rel_op.size(); ++i) {
        const auto op = static_cast<lang::RelOp>(i);
        if (op == lang::RelOp::one_row || op == lang::RelOp::scan) continue;
        std::string name(lang::rel_op_name(op));
        if (op == lang::RelOp::filter || op == lang::RelOp::join) name = "barrier_" + name;
        if (op == lang::RelOp::opaque) name = "opaque_relation";  // "opaque" is an expression
        std::ranges::replace(name, ' ', '_');
        plan_.by_rel_op[i] = add(name, Sort::relation, Shape::sequence);
    }
}

std::optional<lang::JoinKind> SqlOps::join_kind(OpId op) const {
    for (std::size_t kind = 0; kind < std::size(plan_.joins); ++kind) {
        if (plan_.joins[kind] == op) return static_cast<lang::JoinKind>(kind);
    }
    return std::nullopt;
}

std::optional<lang::RelOp> SqlOps::shaped(OpId op) const {
    for (std::size_t i = 0; i < plan_.by_rel_op.size(); ++i) {
        if (plan_.by_rel_op[i] == op) return static_cast<lang::RelOp>(i);
    }
    return std::nullopt;
}

void SqlOps::remember(OpId op, Meaning meaning) {
    if (meanings_.size() <= egraph::raw(op)) meanings_.resize(egraph::raw(op) + 1);
    meanings_[egraph::raw(op)] = meaning;
}

SqlOps::Call SqlOps::call(std::uint32_t name) {
    if (auto it = functions_.find(name); it != functions_.end()) return {it->second, 0};
    const std::string& text = context_->names[name];
    const lang::Function* function = lang::find_function(text, context_->semantics.dialect);
    if (function == nullptr || function->is_volatile) return {(*this)[Op::call], name};
    const bool taken = signature_.find(text).has_value();
    OpId op = signature_.add(taken ? text + "()" : text, Shape::sequence);
    remember(op, {Op::call, false, false, name, Sort::value});
    functions_.emplace(name, op);
    return {op, 0};
}

std::optional<SqlOps::Call> SqlOps::function_named(std::string_view operator_name) {
    if (operator_name.ends_with("()")) operator_name.remove_suffix(2);
    const lang::Function* function =
        lang::find_function(operator_name, context_->semantics.dialect);
    if (function == nullptr || function->is_volatile) return std::nullopt;
    return call(context_->names.intern(operator_name));
}

std::uint32_t SqlOps::lang_payload(OpId op, egraph::Payload payload) const {
    const Meaning& m = meaning(op);
    return m.op == Op::call && op != (*this)[Op::call] ? m.name : payload;
}

}  // namespace satura::rules
