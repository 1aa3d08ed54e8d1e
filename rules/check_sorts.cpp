#include "rules/check_sorts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace satura::rules {

namespace {

bool needs_plan(const ResolvedCondition& condition) {
    return std::ranges::any_of(condition.alternatives,
                               [](const ResolvedWord& w) { return w.word->holds == nullptr; });
}

bool is_over_values(const ResolvedRule& rule, const SqlOps& ops) {
    const auto is_of_relations = [&](const ResolvedTerm& term) {
        if (term.kind != TermKind::apply) return false;
        const Sort sort = ops.meaning(term.op).sort;
        return sort == Sort::relation || sort == Sort::columns;
    };
    return std::ranges::none_of(rule.terms, is_of_relations) &&
           std::ranges::none_of(rule.conditions, needs_plan) &&
           std::ranges::none_of(
               rule.lets, [](const ResolvedLet& let) { return let.word->compute == nullptr; });
}

const char* shown(Sort sort) { return sort == Sort::truth ? "a truth" : "a value"; }

class SortFinder {
  public:
    SortFinder(const ResolvedRule& rule, const SqlOps& ops)
        : rule_(rule), ops_(ops), variables_(rule.variables.size()) {}

    RuleSorts run() {
        for (const ResolvedTerm& term : rule_.terms) {
            for (std::uint32_t o : term.operands) find_variable(term, rule_.terms[o]);
        }
        RuleSorts out;
        for (std::uint32_t v = 0; v < variables_.size(); ++v)
            out.variables.push_back(sort_of_variable(v));
        out.mistake = mistake();
        return out;
    }

  private:
    // What the operator takes.
    Sort wanted(const ResolvedTerm& apply) const {
        const PlanOps& plan = ops_.plan();
        return apply.op == plan.all || apply.op == plan.any ? Sort::truth : Sort::value;
    }

    // The place where a variable stands first decides.
    void find_variable(const ResolvedTerm& term, const ResolvedTerm& operand) {
        const bool is_variable =
            operand.kind == TermKind::variable || operand.kind == TermKind::rest;
        if (term.kind != TermKind::apply || !is_variable) return;
        auto& sort = variables_[operand.variable];
        if (!sort) sort = wanted(term);
    }

    Sort sort_of_variable(std::uint32_t v) const {
        const std::uint32_t rest = rule_.variables[v].element_of;
        return variables_[rest == no_term ? v : rest].value_or(Sort::value);
    }

    Sort sort_of(std::uint32_t index) const {
        const ResolvedTerm* term = &rule_.terms[index];
        if (term->kind == TermKind::each) term = &rule_.terms[term->operands[0]];
        if (term->kind == TermKind::apply) return ops_.meaning(term->op).sort;
        return sort_of_variable(term->variable);
    }

    std::string mistake() const {
        for (const ResolvedTerm& term : rule_.terms) {
            if (term.kind != TermKind::apply) continue;
            for (std::uint32_t o : term.operands) {
                if (sort_of(o) == wanted(term)) continue;
                return fmt::format("{} stands where {} takes {}", shown(sort_of(o)), term.name,
                                   shown(wanted(term)));
            }
        }
        const Sort left = sort_of(rule_.left), right = sort_of(rule_.right);
        if (left == right) return "";
        return fmt::format("the left side is {}, the right side {}", shown(left), shown(right));
    }

    const ResolvedRule& rule_;
    const SqlOps& ops_;
    std::vector<std::optional<Sort>> variables_;
};

}  // namespace

RuleSorts sorts_of(const ResolvedRule& rule, const SqlOps& ops) {
    if (is_over_values(rule, ops)) return SortFinder(rule, ops).run();
    RuleSorts out;
    out.is_over_values = false;
    return out;
}

}  // namespace satura::rules
