#include "rules/check_types.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"

namespace satura::rules {

using lang::Op;
using lang::Type;
using lang::TypeKind;

const std::vector<Type>& checked_types() {
    static const std::vector<Type> types = {
        Type{TypeKind::boolean},
        Type{TypeKind::tinyint},
        Type{TypeKind::smallint},
        Type{TypeKind::integer},
        Type{TypeKind::bigint},
        Type{TypeKind::utinyint},
        Type{TypeKind::usmallint},
        Type{TypeKind::uinteger},
        Type{TypeKind::ubigint},
        Type{TypeKind::hugeint},
        Type::decimal(3, 1),
        Type::decimal(5, 2),
        Type::decimal(10, 4),
        Type::decimal(18, 0),
        Type{TypeKind::numeric},
        Type{TypeKind::real},
        Type{TypeKind::double_},
        Type::with_length(TypeKind::varchar, 3),
        Type{TypeKind::text},
        Type{TypeKind::date},
        Type::with_digits(TypeKind::timestamp, 3),
        Type::with_digits(TypeKind::timestamp, 6),
    };
    return types;
}

bool is_well_typed(Op op, std::span<const Type> operands) {
    bool same =
        std::all_of(operands.begin(), operands.end(), [&](Type t) { return t == operands[0]; });
    switch (op) {
        case Op::and_:
        case Op::or_:
        case Op::not_:
        case Op::is_true:
        case Op::is_false:
            return same && operands[0].kind() == TypeKind::boolean;
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::null_safe_eq:
        case Op::in:
        case Op::between:
        case Op::coalesce:
        case Op::nullif:
        case Op::greatest:
        case Op::least:
            return same;
        default:
            return true;
    }
}

bool is_well_typed_truth(egraph::OpId op, std::span<const Type> operands, const SqlOps& ops) {
    const bool is_of_any_type = op == ops.plan().same;
    return std::all_of(operands.begin(), operands.end(), [&](Type t) {
        return is_of_any_type ? t == operands[0] : t.kind() == TypeKind::boolean;
    });
}

void TermTypes::compute(std::uint32_t root, std::span<const std::optional<Type>> variables,
                        std::vector<Typed>& out) const {
    out.assign(rule_.terms.size(), {});
    for (std::uint32_t i = 0; i <= root; ++i) {
        const ResolvedTerm& term = rule_.terms[i];
        if (term.kind == TermKind::variable || term.kind == TermKind::rest) {
            const auto& type = variables[term.variable];
            if (type) out[i] = {State::known, *type};
        } else if (term.kind == TermKind::each) {
            out[i] = out[term.operands[0]];
        } else {
            out[i] = of_apply(term, variables, out);
        }
    }
}

TermTypes::Typed TermTypes::of_apply(const ResolvedTerm& term,
                                     std::span<const std::optional<Type>> variables,
                                     const std::vector<Typed>& typed) const {
    const SqlOps::Meaning& m = ops_.meaning(term.op);
    if (term.is_literal)
        return {State::known, ops_.context().literals[lang::LiteralId{term.payload}].type};
    bool all_known = true;
    std::vector<Type> operands;
    for (std::uint32_t o : term.operands) {
        if (typed[o].state == State::invalid) return {State::invalid, {}};
        if (typed[o].state == State::known) operands.push_back(typed[o].type);
        all_known = all_known && typed[o].state == State::known;
    }
    if (m.is_when) {  // a pair: its type is that of its value, its condition is a boolean
        const Typed& condition = typed[term.operands[0]];
        if (condition.state == State::known && condition.type.kind() != TypeKind::boolean)
            return {State::invalid, {}};
        return typed[term.operands[1]];
    }
    if (m.op == Op::case_) {
        bool same =
            std::all_of(operands.begin(), operands.end(), [&](Type t) { return t == operands[0]; });
        if (!same) return {State::invalid, {}};
        return operands.empty() ? Typed{}
                                : Typed{all_known ? State::known : State::unknown, operands[0]};
    }
    const bool is_truth = m.sort == Sort::truth;
    const bool is_good = is_truth ? is_well_typed_truth(term.op, operands, ops_)
                                  : operands.empty() || is_well_typed(m.op, operands);
    if (!is_good) return {State::invalid, {}};
    if (!all_known) return {};
    if (is_truth) return {State::known, Type{TypeKind::boolean}};
    if (m.op == Op::cast || m.op == Op::try_cast) {
        std::optional<Type> target;
        if (term.payload_variable == no_term)
            target = Type::from_bits(term.payload);
        else
            target = variables[term.payload_variable];
        return target ? Typed{State::known, *target} : Typed{};
    }
    auto result =
        lang::result_type(m.op, ops_.lang_payload(term.op, term.payload), operands, ops_.context());
    return result ? Typed{State::known, *result} : Typed{State::invalid, {}};
}

}  // namespace satura::rules
