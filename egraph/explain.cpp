#include "egraph/explain.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "egraph/hash.hpp"

namespace satura::egraph {

namespace {

constexpr std::size_t members_max = 64;  // of a class that are looked at for one element

}  // namespace

Explainer::Explainer(const EGraph& graph, const std::vector<Rule>& rules,
                     const std::vector<Query>& queries)
    : graph_(graph), rules_(rules), queries_(queries) {
    assert(graph.keeps_log());
    build_unions();
    build_forest();
    wanted_.assign(graph.log().entries().size(), false);
}

void Explainer::build_unions() {
    const std::uint32_t n = graph_.id_count();
    winner_.resize(n);
    std::iota(winner_.begin(), winner_.end(), 0);
    hung_at_.assign(n, none);
    next_member_ = winner_;
    std::vector<std::uint32_t> size(n, 1);
    const auto entries = graph_.log().entries();
    for (std::uint32_t k = 0; k < entries.size(); ++k) {
        std::uint32_t a = root_at(raw(entries[k].a), none), b = root_at(raw(entries[k].b), none);
        if (a == b) continue;
        if (size[a] < size[b]) std::swap(a, b);
        winner_[b] = a;
        hung_at_[b] = k;
        size[a] += size[b];
        std::swap(next_member_[a], next_member_[b]);
    }
}

// The entries as edges, hung from one node of each tree.
void Explainer::build_forest() {
    const std::uint32_t n = graph_.id_count();
    const auto entries = graph_.log().entries();
    std::vector<std::uint32_t> begin(n + 1, 0);
    for (const UnionEntry& entry : entries) ++begin[raw(entry.a)], ++begin[raw(entry.b)];
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), 0U);
    std::vector<std::uint32_t> edges(entries.size() * 2), filled = begin;
    for (std::uint32_t k = 0; k < entries.size(); ++k) {
        edges[filled[raw(entries[k].a)]++] = k;
        edges[filled[raw(entries[k].b)]++] = k;
    }
    parent_.assign(n, none);
    parent_entry_.assign(n, none);
    depth_.assign(n, none);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t root = 0; root < n; ++root) {
        if (depth_[root] != none) continue;
        depth_[root] = 0;
        queue.assign(1, root);
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const std::uint32_t id = queue[at];
            for (std::uint32_t e = begin[id]; e < begin[id + 1]; ++e) {
                const UnionEntry& entry = entries[edges[e]];
                const std::uint32_t other = raw(entry.a) == id ? raw(entry.b) : raw(entry.a);
                if (depth_[other] != none) continue;
                parent_[other] = id;
                parent_entry_[other] = edges[e];
                depth_[other] = depth_[id] + 1;
                queue.push_back(other);
            }
        }
    }
}

std::uint32_t Explainer::root_at(std::uint32_t id, std::uint32_t before) const {
    while (hung_at_[id] != none && hung_at_[id] < before) id = winner_[id];
    return id;
}

bool Explainer::want(std::uint32_t a, std::uint32_t b, std::uint32_t before) {
    if (!equal(a, b, before)) return false;
    while (a != b) {
        if (depth_[a] < depth_[b]) std::swap(a, b);
        const std::uint32_t entry = parent_entry_[a];
        if (!wanted_[entry]) {
            wanted_[entry] = true;
            heap_.push_back(entry);
            std::push_heap(heap_.begin(), heap_.end());
        }
        a = parent_[a];
    }
    return true;
}

void Explainer::want_equal(std::vector<std::uint32_t> ids, std::uint32_t before) {
    std::ranges::sort(ids);
    const auto repeated = std::ranges::unique(ids);
    ids.erase(repeated.begin(), repeated.end());
    std::ranges::stable_sort(ids, {}, [&](std::uint32_t id) { return root_at(id, before); });
    for (std::size_t i = 1; i < ids.size(); ++i) want(ids[i - 1], ids[i], before);
}

std::vector<std::uint32_t> Explainer::run(const std::function<void(std::uint32_t entry)>& more) {
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end());
        const std::uint32_t entry = heap_.back();
        heap_.pop_back();
        need_entry(entry);
        if (more && graph_.log().entries()[entry].reason.kind == UnionReason::Kind::rule)
            more(entry);
    }
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < wanted_.size(); ++k) {
        if (wanted_[k]) out.push_back(k);
    }
    return out;
}

void Explainer::need_entry(std::uint32_t entry) {
    const UnionEntry& e = graph_.log().entries()[entry];
    switch (e.reason.kind) {
        case UnionReason::Kind::asserted:
            break;
        case UnionReason::Kind::congruence:
            need_congruence(entry);
            break;
        case UnionReason::Kind::collapse:
            need_collapse(entry);
            break;
        case UnionReason::Kind::rule:
            for (std::uint32_t i = 0; i < e.reason.match_count; ++i) need_match(entry, i);
            need_right(entry);
            break;
    }
}

void Explainer::add_leaves(OpId op, std::vector<std::uint32_t>& ids) const {
    for (const auto& leaf : {graph_.signature()[op].unit, graph_.signature()[op].zero}) {
        if (!leaf || !graph_.has_table(leaf->op)) continue;
        const Table& table = graph_.table(leaf->op);
        const std::uint32_t row = table.lookup(leaf->payload, {}, hash_key(leaf->payload, {}));
        if (row != none) ids.push_back(table.node(row));
    }
}

void Explainer::need_congruence(std::uint32_t entry) {
    const UnionEntry& e = graph_.log().entries()[entry];
    const auto a = graph_.first_children(e.a), b = graph_.first_children(e.b);
    const OpId op = graph_.node(e.a).op;
    const Shape shape = graph_.signature()[op].shape;
    if (shape == Shape::fixed || shape == Shape::sequence) {
        for (std::size_t i = 0; i < a.size(); ++i) want(a[i], b[i], entry);
        return;
    }
    std::vector<std::uint32_t> ids(a.begin(), a.end());
    ids.insert(ids.end(), b.begin(), b.end());
    add_leaves(op, ids);
    want_equal(std::move(ids), entry);
}

void Explainer::need_collapse(std::uint32_t entry) {
    const UnionEntry& e = graph_.log().entries()[entry];
    const auto a = graph_.first_children(e.a);
    std::vector<std::uint32_t> ids(a.begin(), a.end());
    ids.push_back(raw(e.b));
    add_leaves(graph_.node(e.a).op, ids);
    want_equal(std::move(ids), entry);
}

std::span<const std::uint32_t> Explainer::slots(std::uint32_t entry, std::uint32_t match) const {
    const UnionReason& reason = graph_.log().entries()[entry].reason;
    return graph_.log().slots(reason.match_begin + match * reason.match_slots, reason.match_slots);
}

std::vector<std::uint32_t> Explainer::rest(std::uint32_t entry, std::uint32_t match,
                                           std::uint32_t slot, bool keeps_units) const {
    const UnionReason& reason = graph_.log().entries()[entry].reason;
    const RestSource& source = queries_[raw(reason.rule)].rests[slot];
    if (source.kind == RestSource::Kind::none) return {};
    const auto values = slots(entry, match);
    const auto children = graph_.first_children(NodeId{values[source.row]});
    if (source.kind == RestSource::Kind::before)
        return {children.begin(), children.begin() + values[source.offset]};
    if (source.kind == RestSource::Kind::after)
        return {children.begin() + values[source.offset] + source.length, children.end()};
    // In a set what became equal to a picked element was picked with it; in a bag one goes for each.
    std::vector<std::uint32_t> out(children.begin(), children.end());
    const OpId op = graph_.node(NodeId{values[source.row]}).op;
    const bool is_set = graph_.signature()[op].shape == Shape::set;
    std::vector<std::uint32_t> leaves;
    if (!keeps_units) add_leaves(op, leaves);
    for (std::uint32_t leaf : leaves)
        std::erase_if(out, [&](std::uint32_t c) { return equal(c, leaf, entry); });
    for (std::uint32_t member : source.members) {
        const auto is_it = [&](std::uint32_t c) { return equal(c, values[member], entry); };
        if (is_set) {
            std::erase_if(out, is_it);
        } else if (const auto at = std::ranges::find_if(out, is_it); at != out.end()) {
            out.erase(at);
        }
    }
    return out;
}

std::vector<std::uint32_t> Explainer::members(std::uint32_t id, std::uint32_t before,
                                              std::size_t limit) const {
    std::vector<std::uint32_t> out;
    std::uint32_t at = id;
    do {
        if (equal(at, id, before)) out.push_back(at);
        at = next_member_[at];
    } while (at != id && out.size() < limit);
    std::ranges::sort(out);
    return out;
}

void Explainer::need_match(std::uint32_t entry, std::uint32_t match) {
    const UnionReason& reason = graph_.log().entries()[entry].reason;
    for (const Atom& atom : queries_[raw(reason.rule)].atoms)
        need_atom(atom, slots(entry, match), entry);
}

void Explainer::need_atom(const Atom& atom, std::span<const std::uint32_t> slots,
                          std::uint32_t before) {
    const std::uint32_t row = slots[atom.row];
    const auto children = graph_.first_children(NodeId{row});
    if (atom.kind == Atom::Kind::run) {
        for (std::size_t i = 0; i < atom.slots.size(); ++i)
            want(children[slots[atom.offset] + i], slots[atom.slots[i]], before);
    } else if (atom.kind == Atom::Kind::member) {
        // In a set all that were equal to the element are the element.
        const bool is_set = graph_.signature()[graph_.node(NodeId{row}).op].shape == Shape::set;
        for (std::uint32_t child : children) {
            if (want(child, slots[atom.slots[0]], before) && !is_set) break;
        }
    } else {
        if (atom.cls != none) want(row, slots[atom.cls], before);
        if (atom.shape == Shape::set || atom.shape == Shape::bag)
            need_units(atom, children, before);
        if (atom.shape != Shape::fixed) return;
        for (std::size_t i = 0; i < atom.slots.size(); ++i)
            want(children[i], slots[atom.slots[i]], before);
    }
}

// Elements that had become the unit; where there is no rest, also those that had become one of the others.
void Explainer::need_units(const Atom& atom, std::span<const std::uint32_t> children,
                           std::uint32_t before) {
    std::vector<std::uint32_t> leaves;
    add_leaves(atom.op, leaves);
    for (std::uint32_t leaf : leaves) {
        for (std::uint32_t child : children) want(child, leaf, before);
    }
    if (atom.exact_count != none) want_equal({children.begin(), children.end()}, before);
}

void Explainer::need_right(std::uint32_t entry) {
    const UnionEntry& e = graph_.log().entries()[entry];
    const Rule& rule = rules_[raw(e.reason.rule)];
    for (std::uint32_t i = 0; i < e.reason.match_count; ++i) {
        Building building{rule, entry, i, {}};
        need_built(building, rule.right.root, raw(e.b));
        want_equal(std::move(building.ids), entry);
    }
}

std::uint32_t Explainer::payload_of(const Building& building, const PatternNode& node) const {
    const bool is_slot = node.payload.kind == PayloadRef::Kind::slot;
    return is_slot ? slots(building.entry, building.match)[node.payload.value] : node.payload.value;
}

// The node of a template's operator that was in the target's class then, and whose operands are those of the template as
// far as these are slots.
std::optional<std::uint32_t> Explainer::built_row(Building& building, std::uint32_t index,
                                                  std::uint32_t target) {
    const PatternNode& node = building.rule.right.nodes[index];
    const auto values = slots(building.entry, building.match);
    std::uint32_t at = target;
    do {
        const NodeView view = graph_.node(NodeId{at});
        const bool is_there = view.op == node.op && view.payload == payload_of(building, node) &&
                              equal(at, target, building.entry);
        if (is_there) {
            const auto children = graph_.first_children(NodeId{at});
            bool fits = true;
            const bool is_fixed = graph_.signature()[node.op].shape == Shape::fixed;
            for (std::size_t i = 0; fits && is_fixed && i < node.children.size(); ++i) {
                const PatternNode& child = building.rule.right.nodes[node.children[i]];
                fits = child.kind != PatternNode::Kind::slot ||
                       equal(children[i], values[child.slot], building.entry);
                if (child.kind == PatternNode::Kind::node)
                    fits = built_row(building, node.children[i], children[i]).has_value();
            }
            if (fits) return at;
        }
        at = next_member_[at];
    } while (at != target);
    return std::nullopt;
}

// Recursion over a rule's template, which is as deep as it is written.
void Explainer::need_built(Building& building, std::uint32_t index, std::uint32_t target) {
    const PatternNode& node = building.rule.right.nodes[index];
    const std::uint32_t before = building.entry;
    if (node.kind == PatternNode::Kind::slot) {
        want(target, slots(before, building.match)[node.slot], before);
        return;
    }
    const auto row = built_row(building, index, target);
    const Shape shape = graph_.signature()[node.op].shape;
    if (row && shape == Shape::fixed) {
        want(target, *row, before);
        const auto children = graph_.first_children(NodeId{*row});
        for (std::size_t i = 0; i < node.children.size(); ++i)
            need_built(building, node.children[i], children[i]);
        return;
    }
    need_elements(building, node, target, row);
}

// Which element came from where is not kept: all that were equal are connected.
void Explainer::need_elements(Building& building, const PatternNode& node, std::uint32_t target,
                              std::optional<std::uint32_t> row) {
    std::vector<std::uint32_t>& ids = building.ids;
    ids.push_back(target);
    std::vector<std::uint32_t> made{target};
    if (row) {
        ids.push_back(*row);
        const auto children = graph_.first_children(NodeId{*row});
        made.assign(children.begin(), children.end());
    }
    ids.insert(ids.end(), made.begin(), made.end());
    add_leaves(node.op, ids);
    for (std::uint32_t child : node.children) {
        const PatternNode& part = building.rule.right.nodes[child];
        if (part.kind == PatternNode::Kind::slot) {
            add_element(building, node.op, slots(building.entry, building.match)[part.slot]);
        } else if (part.kind == PatternNode::Kind::rest) {
            for (std::uint32_t e : rest(building.entry, building.match, part.slot))
                add_element(building, node.op, e);
        } else if (part.kind == PatternNode::Kind::node) {
            const auto at = std::ranges::find_if(
                made, [&](std::uint32_t m) { return built_row(building, child, m).has_value(); });
            if (at != made.end()) {
                need_built(building, child, *at);
            } else if (const auto lost = row_of(building, child, none, none)) {
                add_row(ids, *lost);
            }
        } else {
            add_bodies(building, part);
        }
    }
}

// An element of a set or bag, and, where it is a set of the same operator, that one's elements: it may have been opened.
void Explainer::add_element(Building& building, OpId op, std::uint32_t element) {
    building.ids.push_back(element);
    const Shape shape = graph_.signature()[op].shape;
    if (shape != Shape::set && shape != Shape::bag) return;
    for (std::uint32_t member : members(element, building.entry, members_max)) {
        if (graph_.node(NodeId{member}).op != op) continue;
        const auto children = graph_.first_children(NodeId{member});
        building.ids.push_back(member);
        building.ids.insert(building.ids.end(), children.begin(), children.end());
    }
}

// A row and its children.
void Explainer::add_row(std::vector<std::uint32_t>& ids, std::uint32_t row) const {
    const auto children = graph_.first_children(NodeId{row});
    ids.push_back(row);
    ids.insert(ids.end(), children.begin(), children.end());
}

// The row that a template came to, wherever it is: an element that was the unit is not among those of the set. Recursion over
// the template.
std::optional<std::uint32_t> Explainer::row_of(const Building& building, std::uint32_t index,
                                               std::uint32_t element_slot,
                                               std::uint32_t element) const {
    const PatternNode& node = building.rule.right.nodes[index];
    std::vector<std::uint32_t> operands;
    for (std::uint32_t c : node.children) {
        const PatternNode& child = building.rule.right.nodes[c];
        if (child.kind == PatternNode::Kind::node) {
            const auto below = row_of(building, c, element_slot, element);
            if (!below) return std::nullopt;
            operands.push_back(*below);
        } else if (child.kind == PatternNode::Kind::slot) {
            operands.push_back(child.slot == element_slot
                                   ? element
                                   : slots(building.entry, building.match)[child.slot]);
        } else {
            return std::nullopt;
        }
    }
    std::vector<ClassId> classes;
    for (std::uint32_t operand : operands) classes.push_back(graph_.find(ClassId{operand}));
    const Payload payload = payload_of(building, node);
    const auto cls = graph_.lookup(node.op, payload, classes);
    if (!cls) return std::nullopt;
    std::uint32_t at = raw(*cls);
    do {
        const NodeView view = graph_.node(NodeId{at});
        const auto children = graph_.first_children(NodeId{at});
        bool fits =
            view.op == node.op && view.payload == payload && children.size() == operands.size();
        for (std::size_t i = 0; fits && i < operands.size(); ++i)
            fits = equal(children[i], operands[i], building.entry);
        if (fits) return at;
        at = next_member_[at];
    } while (at != raw(*cls));
    return std::nullopt;
}

// The terms that `each` made.
void Explainer::add_bodies(Building& building, const PatternNode& each) {
    for (std::uint32_t e : rest(building.entry, building.match, each.over)) {
        building.ids.push_back(e);
        if (const auto row = row_of(building, each.children[0], each.slot, e))
            add_row(building.ids, *row);
    }
}

}  // namespace satura::egraph
