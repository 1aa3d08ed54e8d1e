#include "proof/step_check.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace satura::proof {

using lang::Op;
using rules::Argument;
using rules::ParameterKind;
using rules::ResolvedTerm;
using rules::TermKind;
using rules::VariableKind;

TermId StepCheck::leaf(lang::LiteralId literal) {
    return known_.add(known_.ops()[Op::literal], static_cast<std::uint32_t>(literal), {});
}

TermId StepCheck::add(const rules::Made& made) {
    const auto add_term = [&](egraph::OpId op, egraph::Payload payload,
                              const std::vector<std::uint32_t>& children) {
        std::vector<TermId> terms;
        for (std::uint32_t child : children) terms.push_back(TermId{child});
        return index(known_.add(op, payload, std::move(terms)));
    };
    return TermId{
        rules::add_made(made, known_.ops(), add_term, [](std::uint32_t id) { return id; })};
}

std::string StepCheck::refusal(const std::string& why) const {
    return fmt::format("rule {}: {}", rule_.name, why);
}

bool is_given(const rules::ResolvedRule& rule, std::uint32_t variable) {
    return std::ranges::any_of(rule.lets, [&](const rules::ResolvedLet& let) {
        return let.variable == variable && let.word->compute == nullptr &&
               let.word->result == rules::ResultKind::truth;
    });
}

// Every variable that no `let` computes and no `each` runs over, once, by its kind.
std::optional<std::string> StepCheck::bind() {
    values_.assign(rule_.variables.size(), {});
    for (const Binding& binding : step_.bindings) {
        const auto at = std::ranges::find(rule_.variables, binding.variable,
                                          [](const rules::Variable& v) { return v.name; });
        if (at == rule_.variables.end()) return refusal("it has no variable ?" + binding.variable);
        const auto variable = static_cast<std::uint32_t>(at - rule_.variables.begin());
        Value& value = values_[variable];
        const bool is_rest = binding.kind == Binding::Kind::rest;
        const Binding::Kind wanted = at->kind == VariableKind::rest      ? Binding::Kind::rest
                                     : at->kind == VariableKind::literal ? Binding::Kind::literal
                                     : at->kind == VariableKind::type    ? Binding::Kind::type
                                                                         : Binding::Kind::term;
        const bool is_leaf = binding.kind != Binding::Kind::literal ||
                             (binding.terms.size() == 1 &&
                              known_.terms()[binding.terms[0]].op == known_.ops()[Op::literal]);
        const bool is_one =
            is_rest || binding.kind == Binding::Kind::type || binding.terms.size() == 1;
        if ((at->computed && !is_given(rule_, variable)) || at->element_of != rules::no_term ||
            value.is_bound || binding.kind != wanted || !is_leaf || !is_one)
            return refusal("?" + binding.variable + " cannot stand for that");
        value.is_bound = true;
        value.type = binding.type;
        if (is_rest)
            value.elements = binding.terms;
        else if (!binding.terms.empty())
            value.term = binding.terms[0];
    }
    return std::nullopt;
}

std::vector<TermId> StepCheck::each(const ResolvedTerm& term) {
    std::vector<TermId> out;
    const std::vector<TermId> elements = values_[term.over].elements;
    for (TermId element : elements) {
        values_[term.variable].is_bound = true;
        values_[term.variable].term = element;
        if (const auto body = instance(term.operands[0])) out.push_back(*body);
    }
    values_[term.variable].is_bound = false;
    return out;
}

std::optional<std::vector<TermId>> StepCheck::children(const ResolvedTerm& term,
                                                       const std::vector<TermId>& made) {
    std::vector<TermId> out;
    for (std::uint32_t o : term.operands) {
        const ResolvedTerm& operand = rule_.terms[o];
        if (operand.kind == TermKind::rest) {
            const Value& value = values_[operand.variable];
            if (!value.is_bound) return std::nullopt;
            out.insert(out.end(), value.elements.begin(), value.elements.end());
        } else if (operand.kind == TermKind::each) {
            const std::vector<TermId> bodies = each(operand);
            if (bodies.size() != values_[operand.over].elements.size()) return std::nullopt;
            out.insert(out.end(), bodies.begin(), bodies.end());
        } else {
            out.push_back(made[o]);
        }
    }
    return out;
}

// A side of the rule with what its variables stand for; nothing where one stands for nothing. Recursion over `each`, which does
// not nest deeper than a rule is written.
std::optional<TermId> StepCheck::instance(std::uint32_t root) {
    std::vector<bool> wanted(root + 1, false);
    wanted[root] = true;
    for (std::uint32_t t = root + 1; t-- > 0;) {
        if (!wanted[t] || rule_.terms[t].kind == TermKind::each) continue;
        for (std::uint32_t o : rule_.terms[t].operands) wanted[o] = true;
    }
    std::vector<TermId> made(root + 1);
    for (std::uint32_t t = 0; t <= root; ++t) {
        const ResolvedTerm& term = rule_.terms[t];
        if (!wanted[t] || term.kind == TermKind::rest || term.kind == TermKind::each) continue;
        if (term.kind == TermKind::variable) {
            if (!values_[term.variable].is_bound) return std::nullopt;
            made[t] = values_[term.variable].term;
            continue;
        }
        auto operands = children(term, made);
        if (!operands) return std::nullopt;
        egraph::Payload payload = term.payload;
        if (term.payload_variable != rules::no_term) {
            const Value& value = values_[term.payload_variable];
            if (!value.is_bound) return std::nullopt;
            payload = rule_.variables[term.payload_variable].kind == VariableKind::type
                          ? value.type.bits()
                          : known_.terms()[value.term].payload;
        }
        made[t] = known_.add(term.op, payload, std::move(*operands));
    }
    return made[root];
}

std::optional<Argument> StepCheck::resolve(const rules::ResolvedArgument& argument,
                                           ParameterKind as) {
    if (const auto* constant = std::get_if<Argument>(&argument)) return *constant;
    const std::uint32_t variable = std::get<std::uint32_t>(argument);
    const Value& value = values_[variable];
    if (!value.is_bound) return std::nullopt;
    Argument out;
    out.kind = as;
    switch (rule_.variables[variable].kind) {
        case VariableKind::type:
            out.type = value.type;
            return out;
        case VariableKind::rest:
            for (TermId element : value.elements) out.elements.push_back(known_.operand(element));
            return out;
        case VariableKind::literal: {
            const lang::LiteralId literal{known_.terms()[value.term].payload};
            out.operand = known_.operand(value.term);
            out.operand.literal = literal;
            out.operand.written = true;
            return out;
        }
        case VariableKind::expression:
            out.operand = known_.operand(value.term);
            return out;
        default:
            return std::nullopt;
    }
}

std::optional<std::vector<Argument>> StepCheck::resolve_all(
    const std::vector<rules::ResolvedArgument>& arguments,
    const std::vector<ParameterKind>& parameters) {
    std::vector<Argument> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto one = resolve(arguments[i], parameters[std::min(i, parameters.size() - 1)]);
        if (!one) return std::nullopt;
        out.push_back(std::move(*one));
    }
    return out;
}

std::optional<std::vector<PlanArgument>> StepCheck::plan_arguments(
    const std::vector<rules::ResolvedArgument>& arguments) const {
    std::vector<PlanArgument> out;
    for (const rules::ResolvedArgument& argument : arguments) {
        const auto* variable = std::get_if<std::uint32_t>(&argument);
        if (variable == nullptr || !values_[*variable].is_bound) return std::nullopt;
        const Value& value = values_[*variable];
        out.push_back({value.term, value.elements, value.facts});
    }
    return out;
}

bool StepCheck::holds_in_plan(const rules::ResolvedWord& use) {
    if (PlanWords::is_about_worth(use.word->name)) return true;
    const auto arguments = plan_arguments(use.arguments);
    if (!arguments || use.negated || known_.plan() == nullptr) return false;
    return PlanWords(known_).holds(use.word->name, *arguments);
}

bool StepCheck::holds(const rules::ResolvedWord& use) {
    if (use.word->holds == nullptr) return holds_in_plan(use);
    lang::Context& context = known_.ops().context();
    if (!use.over_elements) {
        const auto arguments = resolve_all(use.arguments, use.word->parameters);
        return arguments && use.word->holds(context, *arguments) != use.negated;
    }
    const auto rest = resolve_all(use.arguments, {ParameterKind::rest});
    if (!rest) return false;
    Argument element;
    element.kind = use.word->parameters[0];
    for (const rules::Operand& operand : (*rest)[0].elements) {
        element.operand = operand;
        if (use.word->holds(context, {&element, 1}) == use.negated) return false;
    }
    return true;
}

bool StepCheck::holds(const rules::ResolvedCondition& condition) {
    if (!std::ranges::any_of(condition.alternatives,
                             [&](const rules::ResolvedWord& use) { return holds(use); }))
        return false;
    const bool is_about_worth = std::ranges::all_of(
        condition.alternatives,
        [](const rules::ResolvedWord& use) { return PlanWords::is_about_worth(use.word->name); });
    if (is_about_worth) return true;
    Reason reason{condition.text, {}};
    for (const rules::ResolvedWord& use : condition.alternatives) {
        for (const rules::ResolvedArgument& argument : use.arguments) {
            const auto* variable = std::get_if<std::uint32_t>(&argument);
            if (variable != nullptr && rule_.variables[*variable].kind == VariableKind::expression)
                reason.terms.push_back(values_[*variable].term);
        }
    }
    reasons_.push_back(std::move(reason));
    return true;
}

bool StepCheck::compute_in_plan(const rules::ResolvedLet& let) {
    const auto arguments = plan_arguments(let.arguments);
    if (!arguments || known_.plan() == nullptr) return false;
    Value& value = values_[let.variable];
    PlanWords words(known_);
    if (let.word->result == rules::ResultKind::truth)
        return value.is_bound && words.is_made(let.word->name, *arguments, value.term);
    value.facts = words.facts(let.word->name, *arguments);
    value.is_bound = value.facts.has_value();
    return value.is_bound;
}

bool StepCheck::compute(const rules::ResolvedLet& let) {
    if (let.word->compute == nullptr) return compute_in_plan(let);
    const auto arguments = resolve_all(let.arguments, let.word->parameters);
    if (!arguments) return false;
    const auto computed = let.word->compute(known_.ops().context(), *arguments);
    if (!computed) return false;
    Value& value = values_[let.variable];
    value.is_bound = true;
    if (const auto* literal = std::get_if<lang::LiteralId>(&*computed)) {
        value.term = leaf(*literal);
    } else if (const auto* type = std::get_if<lang::Type>(&*computed)) {
        value.type = *type;
    } else if (const auto* made = std::get_if<rules::Made>(&*computed)) {
        value.term = add(*made);
    } else if (const auto* elements = std::get_if<std::vector<rules::Element>>(&*computed)) {
        for (const rules::Element& element : *elements) {
            if (const auto* id = std::get_if<std::uint32_t>(&element.value))
                value.elements.push_back(TermId{*id});
            else if (const auto* part = std::get_if<rules::Made>(&element.value))
                value.elements.push_back(add(*part));
            else
                value.elements.push_back(leaf(std::get<lang::LiteralId>(element.value)));
        }
    } else {
        return false;
    }
    return true;
}

// What is said of one operand in the fewest words: a right side that comes to the same words says the same. Which words a step
// found depends on how much was known then.
bool StepCheck::is_in_other_words(TermId right) {
    for (const rules::ResolvedLet& let : rule_.lets) {
        if (let.word->name != "in_short") continue;
        Argument said;
        said.kind = ParameterKind::expression;
        said.operand = known_.operand(step_.right);
        const auto computed = let.word->compute(known_.ops().context(), {&said, 1});
        const auto* made = computed ? std::get_if<rules::Made>(&*computed) : nullptr;
        if (made != nullptr && known_.equal(add(*made), right)) return true;
    }
    return false;
}

std::optional<std::string> StepCheck::run() {
    if (auto why = bind()) return why;
    const auto left = instance(rule_.left);
    if (!left) return refusal("a variable of its left side stands for nothing");
    if (!known_.equal(*left, step_.left)) return refusal("its left side is another term");
    // As the engine does: what looks at computed parts after them. That something is not known yet is no reason why a step holds,
    // only why it was worth taking.
    lacks_facts_ = true;
    for (const rules::ResolvedCondition& condition : rule_.conditions) {
        if (!condition.unstable && !condition.computed && !holds(condition))
            return refusal("it is not shown that " + condition.text);
    }
    for (const rules::ResolvedLet& let : rule_.lets) {
        if (!compute(let)) return refusal("nothing is computed by " + let.text);
    }
    for (const rules::ResolvedCondition& condition : rule_.conditions) {
        if (!condition.unstable && condition.computed && !holds(condition))
            return refusal("it is not shown that " + condition.text);
    }
    lacks_facts_ = false;
    const auto right = instance(rule_.right);
    if (!right) return refusal("a variable of its right side stands for nothing");
    built_ = *right;
    if (!known_.equal(*right, step_.right) && !is_in_other_words(*right))
        return refusal("its right side is another term");
    known_.merge(step_.left, step_.right);
    return std::nullopt;
}

}  // namespace satura::proof
