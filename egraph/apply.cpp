#include "egraph/apply.hpp"

#include <algorithm>

namespace satura::egraph {

std::size_t Applier::apply(MatchList& matches) {
    std::size_t applied = 0;
    bool one_by_one = query_.root_row == none || (!rule_.normalises && !query_.joint);
    if (one_by_one) {
        for (std::size_t i = 0; i < matches.size(); ++i) {
            if (i % 64 == 0 && !go_on_()) break;
            if (!prepare(matches[i])) continue;
            apply_one(matches[i]);
            ++applied;
        }
        return applied;
    }
    Order order(matches.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::uint32_t row = query_.root_row;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return matches[a][row] < matches[b][row];
    });
    for (std::size_t begin = 0, end; begin < order.size() && go_on_(); begin = end) {
        end = begin + 1;
        while (end < order.size() && matches[order[end]][row] == matches[order[begin]][row]) ++end;
        applied += apply_row(matches, {order.data() + begin, end - begin});
    }
    return applied;
}

bool Applier::is_applicable(std::span<std::uint32_t> slots) {
    if (query_.root_row == none) return true;
    NodeId node{slots[query_.root_row]};
    return graph_.is_live(node) && !graph_.is_subsumed(node);
}

// Asks the unstable conditions and fills the computed slots.
bool Applier::prepare(std::span<std::uint32_t> slots) {
    if (!is_applicable(slots)) return false;
    match_.reset(slots);
    for (const Condition& condition : rule_.conditions) {
        if (condition.unstable && !condition.holds(match_)) return false;
    }
    for (const Computation& computation : rule_.computations) {
        if (!computation.fill(match_)) return false;
    }
    return true;
}

void Applier::apply_one(std::span<std::uint32_t> slots) {
    std::uint32_t kept = keep(slots);
    NodeId made = build(rule_.right.root);
    finish(slots, made, kept, 1);
}

std::size_t Applier::apply_row(MatchList& matches, std::span<const std::uint32_t> group) {
    Order order(group.begin(), group.end());
    if (order.size() > 1) sort_structurally(matches, order);
    if (query_.joint) return apply_jointly(matches, order);
    for (std::uint32_t i : order) {  // `~>`: the first that applies
        if (!prepare(matches[i])) continue;
        apply_one(matches[i]);
        return 1;
    }
    return 0;
}

std::size_t Applier::apply_jointly(MatchList& matches, std::span<const std::uint32_t> group) {
    std::size_t applied = 0;
    Order left_over;
    for (std::uint32_t i : group) {
        if (prepare(matches[i])) left_over.push_back(i);
    }
    const PatternNode& right = rule_.right.nodes[rule_.right.root];
    while (!left_over.empty()) {
        Order chosen;
        std::vector<std::uint32_t> children;
        join_disjoint(matches, left_over, chosen, children);
        std::uint32_t kept = none;
        for (std::uint32_t i : chosen) {
            std::uint32_t begin = keep(matches[i]);
            if (kept == none) kept = begin;
            match_.reset(matches[i]);
            for (std::uint32_t c : right.children) {
                if (rule_.right.nodes[c].kind != PatternNode::Kind::rest) build_child(c, children);
            }
        }
        NodeId made = graph_.add_node(right.op, right.payload.value, children);
        finish(matches[chosen[0]], made, kept, static_cast<std::uint32_t>(chosen.size()));
        applied += chosen.size();
        if (rule_.normalises) break;
    }
    return applied;
}

// Moves matches that pick disjoint elements of their row from `left_over` to `chosen`; `rest` gets the unpicked elements.
void Applier::join_disjoint(MatchList& matches, Order& left_over, Order& chosen,
                            std::vector<std::uint32_t>& rest) {
    NodeId row{matches[left_over[0]][query_.root_row]};
    auto children = graph_.node(row).children;
    rest.assign(children.begin(), children.end());
    const std::vector<std::uint32_t>* members = nullptr;
    for (const Atom& atom : query_.atoms) {
        if (atom.kind == Atom::Kind::row && atom.row == query_.root_row) members = &atom.members;
    }
    Order later;
    for (std::uint32_t i : left_over) {
        std::vector<std::uint32_t> without = rest;
        bool fits = true;
        for (std::uint32_t member : *members) {
            auto at = std::lower_bound(without.begin(), without.end(), matches[i][member]);
            fits = fits && at != without.end() && *at == matches[i][member];
            if (fits) without.erase(at);
        }
        if (fits) rest = std::move(without);
        (fits ? chosen : later).push_back(i);
    }
    left_over = std::move(later);
}

void Applier::sort_structurally(MatchList& matches, Order& group) const {
    auto before = [&](std::uint32_t a, std::uint32_t b) {
        auto x = matches[a], y = matches[b];
        for (std::size_t s = 0; s < rule_.slots.size(); ++s) {
            if (x[s] == y[s]) continue;
            if (rule_.slots[s] == SlotKind::cls) {
                if (graph_.structurally_before(ClassId{x[s]}, ClassId{y[s]})) return true;
                if (graph_.structurally_before(ClassId{y[s]}, ClassId{x[s]})) return false;
            } else if (rule_.slots[s] == SlotKind::offset) {
                return x[s] < y[s];
            }
        }
        return false;
    };
    std::stable_sort(group.begin(), group.end(), before);
}

void Applier::finish(std::span<const std::uint32_t> slots, NodeId made, std::uint32_t kept_begin,
                     std::uint32_t kept_count) {
    NodeId matched{query_.root_row == none ? slots[query_.root_class] : slots[query_.root_row]};
    UnionReason reason{UnionReason::Kind::rule, id_, kept_begin,
                       static_cast<std::uint32_t>(rule_.slots.size()), kept_count};
    ClassId cls = graph_.find(graph_.class_of(matched));
    bool is_news = graph_.merge(matched, made, reason);
    if (!rule_.normalises) return;
    if (query_.root_row != none) {
        if (raw(matched) != raw(made)) graph_.subsume(matched);
    } else if (is_news) {
        subsume_class(cls, graph_.class_of(made));
    }
}

// `?x ~> term`: everything that was known of the class gives way to the new node.
void Applier::subsume_class(ClassId, ClassId cls) {
    std::vector<NodeId> nodes;
    graph_.for_each_node(cls, [&](const NodeView& node) { nodes.push_back(node.id); });
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) graph_.subsume(nodes[i]);
}

std::uint32_t Applier::keep(std::span<const std::uint32_t> slots) {
    return graph_.keeps_log() ? graph_.log().keep(slots) : none;
}

NodeId Applier::build(std::uint32_t index) {
    const PatternNode& node = rule_.right.nodes[index];
    if (node.kind == PatternNode::Kind::slot) return NodeId{raw(match_.cls(node.slot))};
    Payload payload = node.payload.kind == PayloadRef::Kind::slot
                          ? match_.payload(node.payload.value)
                          : node.payload.value;
    constexpr std::size_t inline_children = 4;
    if (node.children.size() <= inline_children &&
        graph_.signature()[node.op].shape == Shape::fixed) {
        std::uint32_t few[inline_children];
        for (std::size_t i = 0; i < node.children.size(); ++i)
            few[i] = raw(build(node.children[i]));
        return graph_.add_node(node.op, payload, {few, node.children.size()});
    }
    std::vector<std::uint32_t> children;
    for (std::uint32_t c : node.children) build_child(c, children);
    return graph_.add_node(node.op, payload, children);
}

void Applier::build_child(std::uint32_t index, std::vector<std::uint32_t>& out) {
    const PatternNode& node = rule_.right.nodes[index];
    if (node.kind == PatternNode::Kind::rest) {
        const auto& classes = match_.sequence(node.slot);
        out.insert(out.end(), classes.begin(), classes.end());
    } else if (node.kind == PatternNode::Kind::each) {
        std::vector<std::uint32_t> classes = match_.sequence(node.over);
        for (std::uint32_t c : classes) {
            match_.set_class(node.slot, ClassId{c});
            out.push_back(raw(build(node.children[0])));
        }
    } else {
        out.push_back(raw(build(index)));
    }
}

}  // namespace satura::egraph
