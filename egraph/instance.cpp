#include "egraph/instance.hpp"

#include <algorithm>

namespace satura::egraph {

std::vector<std::uint32_t> nodes_of_any_payload(const Rule& rule) {
    std::vector<bool> is_wanted(rule.left.nodes.size(), false);
    is_wanted[rule.left.root] = true;
    for (std::uint32_t root : rule.also) is_wanted[root] = true;
    std::vector<std::uint32_t> out;
    for (std::size_t i = rule.left.nodes.size(); i-- > 0;) {
        const PatternNode& node = rule.left.nodes[i];
        if (!is_wanted[i] || node.kind != PatternNode::Kind::node) continue;
        for (std::uint32_t child : node.children) is_wanted[child] = true;
        if (node.payload.kind == PayloadRef::Kind::any)
            out.insert(out.begin(), static_cast<std::uint32_t>(i));
    }
    return out;
}

Instance::Instance(const Rule& rule, const Explanation::Step& step, TermClosure& closure)
    : rule_(rule),
      closure_(closure),
      values_(rule.slots.size()),
      open_(nodes_of_any_payload(rule)) {
    for (const Explanation::Binding& binding : step.bindings) bind(binding);
}

void Instance::bind(const Explanation::Binding& binding) {
    const auto is_there = [&](TermId id) { return raw(id) < closure_.terms().size(); };
    const bool fits_kind = binding.kind != SlotKind::cls || binding.terms.size() == 1;
    const bool has_terms = fits_kind && std::ranges::all_of(binding.terms, is_there);
    if (binding.variable.empty()) {
        payloads_.push_back(binding.payload);
        return;
    }
    const auto name = std::ranges::find(rule_.slot_names, binding.variable);
    const auto slot = static_cast<std::size_t>(name - rule_.slot_names.begin());
    if (name == rule_.slot_names.end()) {
        mistake_ = "it has no variable " + binding.variable;
    } else if (rule_.slots[slot] != binding.kind || !has_terms || values_[slot].is_bound) {
        mistake_ = binding.variable + " cannot stand for that";
    } else {
        values_[slot] = {true, binding.terms, binding.payload};
    }
}

std::optional<Payload> Instance::payload_of(const Pattern& pattern, std::uint32_t index) const {
    const PayloadRef& payload = pattern.nodes[index].payload;
    if (payload.kind == PayloadRef::Kind::constant) return payload.value;
    if (payload.kind == PayloadRef::Kind::slot) {
        if (!values_[payload.value].is_bound) return std::nullopt;
        return values_[payload.value].payload;
    }
    const auto at = static_cast<std::size_t>(std::ranges::find(open_, index) - open_.begin());
    if (&pattern != &rule_.left || at >= payloads_.size()) return std::nullopt;
    return payloads_[at];
}

// NOLINTBEGIN(misc-no-recursion): over `each`, which does not nest deeper than a rule is written.
bool Instance::add_operand(const Pattern& pattern, std::uint32_t index,
                           const std::vector<TermId>& made, std::vector<TermId>& out) {
    const PatternNode& node = pattern.nodes[index];
    if (node.kind == PatternNode::Kind::rest) {
        const Value& rest = values_[node.slot];
        out.insert(out.end(), rest.terms.begin(), rest.terms.end());
        return rest.is_bound;
    }
    if (node.kind != PatternNode::Kind::each) {
        out.push_back(made[index]);
        return true;
    }
    if (!values_[node.over].is_bound) return false;
    const std::vector<TermId> elements = values_[node.over].terms;
    for (TermId element : elements) {
        values_[node.slot] = {true, {element}, 0};
        const auto body = build(pattern, node.children[0]);
        if (!body) return false;
        out.push_back(*body);
    }
    values_[node.slot].is_bound = false;
    return true;
}

std::optional<TermId> Instance::build(const Pattern& pattern, std::uint32_t root) {
    std::vector<bool> is_wanted(root + 1, false);
    is_wanted[root] = true;
    for (std::uint32_t i = root + 1; i-- > 0;) {
        if (!is_wanted[i] || pattern.nodes[i].kind == PatternNode::Kind::each) continue;
        for (std::uint32_t child : pattern.nodes[i].children) is_wanted[child] = true;
    }
    std::vector<TermId> made(root + 1);
    for (std::uint32_t i = 0; i <= root; ++i) {
        const PatternNode& node = pattern.nodes[i];
        if (!is_wanted[i]) continue;
        if (node.kind == PatternNode::Kind::slot) {
            if (!values_[node.slot].is_bound) return std::nullopt;
            made[i] = values_[node.slot].terms[0];
        } else if (node.kind == PatternNode::Kind::node) {
            std::vector<TermId> operands;
            for (std::uint32_t child : node.children) {
                if (!add_operand(pattern, child, made, operands)) return std::nullopt;
            }
            const auto payload = payload_of(pattern, i);
            if (!payload) return std::nullopt;
            made[i] = closure_.add(node.op, *payload, std::move(operands));
        }
    }
    return made[root];
}
// NOLINTEND(misc-no-recursion)

}  // namespace satura::egraph
