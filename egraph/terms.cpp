#include "egraph/terms.hpp"

#include <algorithm>

#include "egraph/hash.hpp"

namespace satura::egraph {

Terms::Normal Terms::normal(const Operator& op, std::vector<std::uint32_t> children,
                            std::optional<std::uint32_t> unit, std::optional<std::uint32_t> zero) {
    std::ranges::sort(children);
    if (op.shape == Shape::set) {
        const auto repeated = std::ranges::unique(children);
        children.erase(repeated.begin(), repeated.end());
    }
    if (zero && std::ranges::binary_search(children, *zero)) return {{}, zero};
    if (unit) std::erase(children, *unit);
    if (children.empty() && unit) return {{}, unit};
    if (children.size() == 1 && !op.keeps_single) return {{}, children[0]};
    return {std::move(children), std::nullopt};
}

namespace {

std::uint64_t hash_of(OpId op, Payload payload, std::span<const TermId> children) {
    std::uint64_t hash = mix(raw(op), payload);
    for (TermId c : children) hash = mix(hash, raw(c));
    return hash;
}

}  // namespace

std::optional<TermId> Terms::find(OpId op, Payload payload,
                                  std::span<const TermId> children) const {
    const auto [first, last] = by_hash_.equal_range(hash_of(op, payload, children));
    for (auto it = first; it != last; ++it) {
        const Term known = (*this)[it->second];
        if (known.op == op && known.payload == payload &&
            std::ranges::equal(known.children, children, {}, {}, [](TermId c) { return raw(c); }))
            return it->second;
    }
    return std::nullopt;
}

TermId Terms::add(OpId op, Payload payload, std::vector<TermId> children) {
    const Operator& o = (*signature_)[op];
    if (o.shape == Shape::set || o.shape == Shape::bag) {
        std::optional<std::uint32_t> unit, zero;
        if (o.unit) unit = raw(add(o.unit->op, o.unit->payload, {}));
        if (o.zero) zero = raw(add(o.zero->op, o.zero->payload, {}));
        std::vector<std::uint32_t> flat;
        for (TermId c : children) {
            const Node& below = nodes_[raw(c)];
            if (below.op != op || below.payload != payload) {
                flat.push_back(raw(c));
                continue;
            }
            for (std::uint32_t i = 0; i < below.count; ++i)
                flat.push_back(children_[below.begin + i]);
        }
        Normal made = normal(o, std::move(flat), unit, zero);
        if (made.came_down_to) return TermId{*made.came_down_to};
        children.clear();
        for (std::uint32_t c : made.children) children.push_back(TermId{c});
    }
    if (const auto known = find(op, payload, children)) return *known;
    const TermId id{size()};
    nodes_.push_back({op, payload, static_cast<std::uint32_t>(children_.size()),
                      static_cast<std::uint32_t>(children.size())});
    for (TermId c : children) children_.push_back(raw(c));
    by_hash_.emplace(hash_of(op, payload, children), id);
    return id;
}

Term Terms::operator[](TermId id) const {
    const Node& node = nodes_[raw(id)];
    return {node.op, node.payload, {children_.data() + node.begin, node.count}};
}

std::string Terms::text(TermId id, std::size_t length_max) const {
    struct Open {
        std::span<const std::uint32_t> operands;
        std::size_t next;
    };
    std::string out;
    const std::uint32_t root = raw(id);
    std::vector<Open> stack{{{&root, 1}, 0}};
    while (!stack.empty()) {
        Open& open = stack.back();
        if (open.next == open.operands.size()) {
            stack.pop_back();
            if (!stack.empty()) out += ')';
            continue;
        }
        const Term term = (*this)[TermId{open.operands[open.next++]}];
        if (stack.size() > 1) out += ' ';
        if (!term.children.empty()) out += '(';
        out += signature_->text(term.op, term.payload);
        if (out.size() > length_max) return out.substr(0, length_max) + "…";
        if (!term.children.empty()) stack.push_back({term.children, 0});
    }
    return out;
}

}  // namespace satura::egraph
