#include "egraph/term_closure.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "egraph/hash.hpp"

namespace satura::egraph {

std::size_t TermClosure::Hash::operator()(const Key& key) const {
    std::uint64_t hash = key.size();
    for (std::uint32_t part : key) hash = mix(hash, part);
    return hash;
}

// The smaller class goes into the larger one, so paths stay short.
std::uint32_t TermClosure::find(std::uint32_t id) const {
    while (parent_[id] != id) id = parent_[id];
    return id;
}

std::optional<TermId> TermClosure::lookup(OpId op, Payload payload,
                                          std::span<const std::uint32_t> children) const {
    Key key;
    for (std::uint32_t child : children) key.push_back(find(child));
    const Operator& shape = terms_.signature()[op];
    if (shape.shape == Shape::set || shape.shape == Shape::bag) {
        Terms::Normal made = Terms::normal(shape, std::move(key), std::nullopt, std::nullopt);
        if (made.came_down_to) return TermId{*made.came_down_to};
        key = std::move(made.children);
    }
    key.push_back(raw(op));
    key.push_back(payload);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return std::nullopt;
    return TermId{at->second};
}

bool TermClosure::is_set(std::uint32_t term) const {
    const Shape shape = terms_.signature()[terms_[TermId{term}].op].shape;
    return shape == Shape::set || shape == Shape::bag;
}

TermId TermClosure::add(OpId op, Payload payload, std::vector<TermId> children) {
    const TermId id = terms_.add(op, payload, std::move(children));
    enter_new();
    return id;
}

void TermClosure::merge(TermId a, TermId b) {
    equal_.emplace_back(raw(a), raw(b));
    settle();
}

void TermClosure::enter_new() {
    for (auto id = static_cast<std::uint32_t>(parent_.size()); id < terms_.size(); ++id) {
        parent_.push_back(id);
        classes_.emplace_back();
        classes_[id].members.push_back(id);
        if (is_set(id)) classes_[id].sets.push_back(id);
        for (std::uint32_t child : terms_[TermId{id}].children)
            classes_[find(child)].users.push_back(id);
        enter_keys(id);
        settle();
    }
}

void TermClosure::settle() {
    while (!equal_.empty()) {
        const auto [a, b] = equal_.back();
        equal_.pop_back();
        unite(find(a), find(b));
    }
}

void TermClosure::unite(std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    const auto size = [&](std::uint32_t cls) {
        return classes_[cls].members.size() + classes_[cls].users.size();
    };
    if (size(a) < size(b)) std::swap(a, b);
    parent_[b] = a;
    grown_.push_back(a);
    const Class gone = std::exchange(classes_[b], {});
    Class& kept = classes_[a];
    // Keys over the name that is gone are made anew; over the one that stays only those of sets, which may open or drop it now.
    std::vector<std::uint32_t> to_renew = gone.users;
    if (gone.is_special || !gone.sets.empty())
        std::ranges::copy_if(kept.users, std::back_inserter(to_renew),
                             [&](std::uint32_t user) { return is_set(user); });
    kept.members.insert(kept.members.end(), gone.members.begin(), gone.members.end());
    kept.users.insert(kept.users.end(), gone.users.begin(), gone.users.end());
    kept.sets.insert(kept.sets.end(), gone.sets.begin(), gone.sets.end());
    kept.is_special = kept.is_special || gone.is_special;
    for (std::uint32_t user : to_renew) renew(user);
}

void TermClosure::renew(std::uint32_t term) {
    enter_keys(term);
    if (!is_set(term)) return;
    // A set that stands in another one of its operator is opened there.
    const OpId op = terms_[TermId{term}].op;
    const std::vector<std::uint32_t> around = classes_[find(term)].users;
    for (std::uint32_t other : around) {
        if (terms_[TermId{other}].op == op) enter_keys(other);
    }
}

std::optional<std::uint32_t> TermClosure::known_leaf(const std::optional<Operator::Leaf>& leaf) {
    if (!leaf) return std::nullopt;
    // Made with the first set of its operator, before it: Terms::add.
    const std::uint32_t cls = find(raw(terms_.add(leaf->op, leaf->payload, {})));
    classes_[cls].is_special = true;
    return cls;
}

// A set's children with each that is equal to a set of the same operator replaced by the elements of the first such one.
TermClosure::Key TermClosure::opened(const Term& term) {
    Key out;
    for (std::uint32_t child : term.children) {
        const std::uint32_t cls = find(child);
        std::uint32_t set = none;
        for (std::uint32_t member : classes_[cls].sets) {
            const Term other = terms_[TermId{member}];
            if (other.op == term.op && other.payload == term.payload) set = std::min(set, member);
        }
        if (set == none) {
            out.push_back(cls);
            continue;
        }
        for (std::uint32_t c : terms_[TermId{set}].children) out.push_back(find(c));
    }
    return out;
}

void TermClosure::enter_keys(std::uint32_t term) {
    const Term t = terms_[TermId{term}];
    Key children;
    for (std::uint32_t child : t.children) children.push_back(find(child));
    const Operator& op = terms_.signature()[t.op];
    if (!is_set(term)) {
        add_key(term, std::move(children));
        return;
    }
    const auto unit = known_leaf(op.unit), zero = known_leaf(op.zero);
    for (Key& variant : std::array<Key, 2>{children, opened(t)}) {
        Terms::Normal made = Terms::normal(op, std::move(variant), unit, zero);
        if (made.came_down_to)
            equal_.emplace_back(term, *made.came_down_to);
        else
            add_key(term, std::move(made.children));
    }
}

void TermClosure::add_key(std::uint32_t term, Key key) {
    const Term t = terms_[TermId{term}];
    key.push_back(raw(t.op));
    key.push_back(t.payload);
    const auto [it, fresh] = by_key_.try_emplace(std::move(key), term);
    if (!fresh) equal_.emplace_back(term, it->second);
}

}  // namespace satura::egraph
