#include "prove/rule_types.hpp"

#include <algorithm>
#include <numeric>

namespace satura::prove {

using lang::Op;
using rules::no_term;
using rules::ResolvedTerm;
using rules::TermKind;

std::uint32_t variable_of(const rules::ResolvedArgument& argument) {
    const auto* variable = std::get_if<std::uint32_t>(&argument);
    return variable == nullptr ? no_term : *variable;
}

RuleTypes::RuleTypes(const rules::ResolvedRule& rule, const rules::SqlOps& ops,
                     Arithmetic arithmetic)
    : rule_(rule),
      ops_(ops),
      arithmetic_(arithmetic),
      parents_(rule.variables.size() + rule.terms.size()),
      types_(parents_.size()) {
    std::iota(parents_.begin(), parents_.end(), 0U);
    for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
        if (rule.variables[v].element_of != no_term) join(v, rule.variables[v].element_of);
    }
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i) look_at(i);
    join(node_of(rule.left), node_of(rule.right));
    for (const rules::ResolvedLet& let : rule.lets) look_at(let);
    // An alternative need not be the one that holds.
    const auto each_word = [&](void (RuleTypes::*look)(const rules::ResolvedWord&)) {
        for (const rules::ResolvedCondition& condition : rule.conditions) {
            if (condition.alternatives.size() == 1 && !condition.alternatives[0].negated)
                (this->*look)(condition.alternatives[0]);
        }
    };
    each_word(&RuleTypes::look_at);
    each_word(&RuleTypes::look_at_casts);
}

bool RuleTypes::is_contradictory() const {
    return std::ranges::any_of(types_, [](const RuleType& t) { return t.is_summed && t.is_float; });
}

std::uint32_t RuleTypes::node_of(std::uint32_t term) const {
    const ResolvedTerm& t = rule_.terms[term];
    if (t.kind == TermKind::variable || t.kind == TermKind::rest) return t.variable;
    return static_cast<std::uint32_t>(rule_.variables.size()) + term;
}

std::uint32_t RuleTypes::find(std::uint32_t node) const {
    while (parents_[node] != node) node = parents_[node];
    return node;
}

void RuleTypes::join(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a == b) return;
    parents_[b] = a;
    RuleType& to = types_[a];
    const RuleType& from = types_[b];
    to.is_boolean |= from.is_boolean;
    to.is_integer |= from.is_integer;
    to.is_float |= from.is_float;
    to.is_ring |= from.is_ring;
    to.is_summed |= from.is_summed;
    to.has_order |= from.has_order;
}

void RuleTypes::join_all(const std::vector<std::uint32_t>& nodes) {
    for (std::uint32_t node : nodes) join(nodes[0], node);
}

void RuleTypes::look_at(std::uint32_t term) {
    const ResolvedTerm& t = rule_.terms[term];
    if (t.kind == TermKind::each) join(node_of(term), node_of(t.operands[0]));
    if (t.kind != TermKind::apply) return;
    if (t.is_literal) {  // true, false and null
        make_boolean(node_of(term));
        return;
    }
    std::vector<std::uint32_t> operands;
    for (std::uint32_t o : t.operands) operands.push_back(node_of(o));
    const rules::PlanOps& plan = ops_.plan();
    if (ops_.meaning(t.op).sort == rules::Sort::value) {
        look_at_value(term, operands);
    } else {
        make_boolean(node_of(term));
        if (t.op == plan.same)
            join_all(operands);
        else
            for (std::uint32_t o : operands) make_boolean(o);
    }
}

void RuleTypes::look_at_value(std::uint32_t term, const std::vector<std::uint32_t>& operands) {
    const ResolvedTerm& t = rule_.terms[term];
    const std::uint32_t self = node_of(term);
    const rules::SqlOps::Meaning& meaning = ops_.meaning(t.op);
    if (meaning.is_when) {
        make_boolean(operands[0]);
        join(self, operands[1]);
        return;
    }
    if (meaning.is_like_escape) {
        make_boolean(self);
        return;
    }
    switch (meaning.op) {
        case Op::and_:
        case Op::or_:
        case Op::not_:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
            make_boolean(self);
            for (std::uint32_t o : operands) make_boolean(o);
            break;
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::null_safe_eq:
        case Op::in:
        case Op::between:
            join_all(operands);
            make_boolean(self);
            break;
        case Op::is_null:
        case Op::like:
            make_boolean(self);
            break;
        case Op::case_:
        case Op::coalesce:
        case Op::nullif:
            join_all(operands);
            if (!operands.empty()) join(self, operands[0]);
            break;
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
        case Op::neg:
            if (arithmetic_ == Arithmetic::opaque) break;
            join_all(operands);
            join(self, operands[0]);
            types_[find(self)].is_summed = true;
            break;
        case Op::cast:
        case Op::try_cast:
            if (t.payload_variable == no_term &&
                lang::Type::from_bits(t.payload).kind() == lang::TypeKind::boolean)
                make_boolean(self);
            break;
        default:
            break;
    }
}

void RuleTypes::look_at(const rules::ResolvedLet& let) {
    const std::string_view word = let.word->name;
    const auto argument = [&](std::size_t i) { return variable_of(let.arguments[i]); };
    if (word == "applied") {
        join(let.variable, argument(1));
        join(let.variable, argument(2));
    } else if (word == "exact" || word == "round_up" || word == "round_down") {
        join(let.variable, argument(1));
    } else if (word == "zero_of" || word == "null_of" || word == "constant" || word == "tidy" ||
               word == "preimages") {
        join(let.variable, argument(0));
    }
}

void RuleTypes::look_at(const rules::ResolvedWord& word) {
    const std::string_view name = word.word->name;
    const auto is_written = [](const auto& a) { return variable_of(a) == no_term; };
    const bool names_operator = name == "neutral" || name == "neutral_before";
    if (std::any_of(word.arguments.begin() + (names_operator ? 1 : 0), word.arguments.end(),
                    is_written))
        return;
    const auto type = [&](std::size_t i) -> RuleType& {
        return types_[find(variable_of(word.arguments[i]))];
    };
    const auto join_arguments = [&](std::size_t i, std::size_t k) {
        join(variable_of(word.arguments[i]), variable_of(word.arguments[k]));
    };
    if (name == "boolean") type(0).is_boolean = true;
    if (name == "integer") type(0).is_integer = true;
    if (name == "float") type(0).is_float = true;
    if (name == "exact_ring" || name == "one_ring") type(0).is_ring = true;
    if (name == "ordered" || name == "integer" || name == "exact_ring" || name == "one_ring")
        type(0).has_order = true;
    if (name == "before" || name == "different" || name == "one_ring") join_arguments(0, 1);
    if (names_operator) join_arguments(1, 2);
}

// A cast that changes no type has its operand's.
void RuleTypes::look_at_casts(const rules::ResolvedWord& word) {
    if (word.word->name != "same_type" || variable_of(word.arguments[1]) == no_term) return;
    const std::uint32_t x = variable_of(word.arguments[0]), type = variable_of(word.arguments[1]);
    for (std::uint32_t i = 0; i < rule_.terms.size(); ++i) {
        const ResolvedTerm& t = rule_.terms[i];
        if (t.payload_variable != no_term && t.payload_variable == type &&
            find(node_of(t.operands[0])) == find(x))
            join(node_of(i), x);
    }
}

}  // namespace satura::prove
