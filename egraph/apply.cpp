#include "egraph/apply.hpp"

#include <algorithm>

namespace satura::egraph {

Applier::Applier(EGraph& graph, const Rule& rule, RuleId id, const Query& query, Budget& budget)
    : graph_(graph),
      rule_(rule),
      id_(id),
      query_(query),
      budget_(budget),
      match_(graph, query, {}) {
    growth_ = rule.slots.size() + 1;  // in the log
    for (const PatternNode& node : rule.right.nodes) growth_ += 1 + node.children.size();
    for (const PatternNode& node : rule.right.nodes) {
        if (node.kind == PatternNode::Kind::rest) growth_of_element_ += 1;
        if (node.kind == PatternNode::Kind::each) growth_of_element_ += growth_;
    }
}

std::size_t Applier::apply(MatchList& matches) {
    bool jointly = query_.joint && !matches.looks_at_rests;
    if (query_.root_row == none || (!rule_.normalises && !jointly)) return apply_all(matches);
    std::vector<std::uint64_t> keys;  // root row, then number of the match
    if (!sort_by_row(matches, keys)) return 0;
    std::size_t applied = 0;
    Order group;
    for (std::size_t begin = 0; begin < keys.size() && budget_.step(weight);) {
        std::uint64_t row = keys[begin] >> 32;
        group.clear();
        for (; begin < keys.size() && keys[begin] >> 32 == row; ++begin) {
            group.push_back(static_cast<std::uint32_t>(keys[begin]));
        }
        applied += apply_row(matches, group, jointly);
    }
    return applied;
}

std::size_t Applier::apply_all(MatchList& matches) {
    std::size_t applied = 0;
    for (std::size_t i = 0; i < matches.size() && budget_.step(weight); ++i) {
        if (!prepare(matches[i])) continue;
        if (!fits(matches[i])) break;
        apply_one(matches[i]);
        ++applied;
    }
    return applied;
}

// Sorts in pieces and merges them, as one sort of everything would not stop in time.
bool Applier::sort_by_row(MatchList& matches, std::vector<std::uint64_t>& keys) {
    constexpr std::size_t piece = 1U << 14;
    keys.reserve(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        keys.push_back(std::uint64_t{matches[i][query_.root_row]} << 32 | i);
    }
    if (std::is_sorted(keys.begin(), keys.end())) return true;
    auto at = [&](std::size_t i) {
        return keys.begin() + static_cast<std::ptrdiff_t>(std::min(i, keys.size()));
    };
    for (std::size_t i = 0; i < keys.size(); i += piece) {
        if (!budget_.step(piece)) return false;
        std::sort(at(i), at(i + piece));
    }
    for (std::size_t width = piece; width < keys.size(); width *= 2) {
        for (std::size_t i = 0; i + width < keys.size(); i += 2 * width) {
            if (!budget_.step(piece)) return false;
            std::inplace_merge(at(i), at(i + width), at(i + 2 * width));
        }
    }
    return true;
}

// Whether the e-graph may take what this match adds; else the run stops. Near the node limit the
// right side is looked up first: what is there already needs no room.
bool Applier::fits(std::span<const std::uint32_t> slots) {
    std::size_t growth = growth_of(slots);
    if (!budget_.admits_growth(graph_, growth)) return false;
    if (budget_.has_nodes_left(graph_, growth)) return true;
    std::uint32_t missing = 0;
    seek(rule_.right.root, missing);
    return budget_.has_nodes_left(graph_, missing) || budget_.stop(StopReason::node_limit);
}

bool Applier::fits_jointly(MatchList& matches, const Order& chosen) {
    std::size_t growth = growth_of(matches[chosen[0]]) + growth_ * chosen.size();
    if (!budget_.admits_growth(graph_, growth)) return false;
    if (budget_.has_nodes_left(graph_, growth)) return true;
    std::uint32_t missing = 1;
    std::vector<ClassId> ignored;
    for (std::uint32_t i : chosen) {
        match_.reset(matches[i]);
        for (std::uint32_t c : rule_.right.nodes[rule_.right.root].children) {
            if (rule_.right.nodes[c].kind != PatternNode::Kind::rest)
                seek_child(c, ignored, missing);
        }
    }
    return budget_.has_nodes_left(graph_, missing) || budget_.stop(StopReason::node_limit);
}

// Each rest on the right side has no more elements than the rows of the match together.
std::size_t Applier::growth_of(std::span<const std::uint32_t> slots) const {
    if (growth_of_element_ == 0) return growth_;
    std::size_t elements = 0;
    for (const Atom& atom : query_.atoms) {
        if (atom.kind == Atom::Kind::row && atom.shape != Shape::fixed)
            elements += graph_.node(NodeId{slots[atom.row]}).children.size();
    }
    return growth_ + elements * growth_of_element_;
}

// The class that the part of the right side would be, without adding anything; counts the nodes
// that are not there (twice where they stand twice).
std::optional<ClassId> Applier::seek(std::uint32_t index, std::uint32_t& missing) {
    const PatternNode& node = rule_.right.nodes[index];
    if (node.kind == PatternNode::Kind::slot) return match_.cls(node.slot);
    std::vector<ClassId> children;
    bool complete = true;
    for (std::uint32_t c : node.children) complete &= seek_child(c, children, missing);
    std::optional<ClassId> found;
    if (complete) found = graph_.lookup(node.op, payload_of(node), children);
    missing += !found;
    return found;
}

bool Applier::seek_child(std::uint32_t index, std::vector<ClassId>& out, std::uint32_t& missing) {
    const PatternNode& node = rule_.right.nodes[index];
    std::uint32_t before = missing;
    auto add = [&](std::optional<ClassId> cls) {
        if (cls) out.push_back(*cls);
    };
    if (node.kind == PatternNode::Kind::rest) {
        for (std::uint32_t c : match_.sequence(node.slot)) out.push_back(ClassId{c});
    } else if (node.kind == PatternNode::Kind::each) {
        std::vector<std::uint32_t> classes = match_.sequence(node.over);
        for (std::uint32_t c : classes) {
            match_.set_class(node.slot, ClassId{c});
            add(seek(node.children[0], missing));
        }
    } else {
        add(seek(index, missing));
    }
    return missing == before;
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

bool Applier::apply_one(std::span<std::uint32_t> slots) {
    EGraph::Added made = build(rule_.right.root);
    return finish(slots, made, 1,
                  [&](std::uint32_t) { return std::span<const std::uint32_t>(slots); });
}

std::size_t Applier::apply_row(MatchList& matches, std::span<const std::uint32_t> group,
                               bool jointly) {
    Order order(group.begin(), group.end());
    if (order.size() > 1) sort_structurally(matches, order);
    if (jointly) return apply_jointly(matches, order);
    std::size_t applied = 0;
    for (std::uint32_t i : order) {  // `~>`: the first that changes anything
        if (!prepare(matches[i])) continue;
        if (!fits(matches[i])) break;
        ++applied;
        if (apply_one(matches[i])) break;
    }
    return applied;
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
        if (!fits_jointly(matches, chosen)) break;
        for (std::uint32_t i : chosen) {
            match_.reset(matches[i]);
            for (std::uint32_t c : right.children) {
                if (rule_.right.nodes[c].kind != PatternNode::Kind::rest) build_child(c, children);
            }
        }
        EGraph::Added made = graph_.add_row(right.op, payload_of(right), children);
        auto slots_of = [&](std::uint32_t i) {
            return std::span<const std::uint32_t>(matches[chosen[i]]);
        };
        bool changed =
            finish(matches[chosen[0]], made, static_cast<std::uint32_t>(chosen.size()), slots_of);
        applied += chosen.size();
        if (rule_.normalises && changed) break;
    }
    return applied;
}

const std::vector<std::uint32_t>& Applier::root_members() const {
    for (const Atom& atom : query_.atoms) {
        if (atom.kind == Atom::Kind::row && atom.row == query_.root_row) return atom.members;
    }
    return query_.atoms.front().members;
}

// Moves matches that pick disjoint elements of their row from `left_over` to `chosen`; `rest` gets
// the unpicked elements.
void Applier::join_disjoint(MatchList& matches, Order& left_over, Order& chosen,
                            std::vector<std::uint32_t>& rest) {
    auto children = graph_.node(NodeId{matches[left_over[0]][query_.root_row]}).children;
    const std::vector<std::uint32_t>& members = root_members();
    std::vector<bool> taken(children.size(), false);
    std::vector<std::size_t> mine;
    Order later;
    for (std::uint32_t i : left_over) {
        mine.clear();
        for (std::uint32_t member : members) {
            std::uint32_t wanted = matches[i][member];
            auto found = std::lower_bound(children.begin(), children.end(), wanted);
            auto at = static_cast<std::size_t>(found - children.begin());
            while (at < children.size() && children[at] == wanted && taken[at]) ++at;
            if (at == children.size() || children[at] != wanted) break;
            taken[at] = true;
            mine.push_back(at);
        }
        bool fits = mine.size() == members.size();
        if (!fits) {
            for (std::size_t at : mine) taken[at] = false;
        }
        (fits ? chosen : later).push_back(i);
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
        if (!taken[i]) rest.push_back(children[i]);
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
            } else if (rule_.slots[s] == SlotKind::node) {
                if (graph_.structurally_before(NodeId{x[s]}, NodeId{y[s]})) return true;
                if (graph_.structurally_before(NodeId{y[s]}, NodeId{x[s]})) return false;
            } else if (rule_.slots[s] == SlotKind::offset) {
                return x[s] < y[s];
            }
        }
        return false;
    };
    std::stable_sort(group.begin(), group.end(), before);
}

template <class Kept>
bool Applier::finish(std::span<const std::uint32_t> slots, EGraph::Added made,
                     std::uint32_t match_count, Kept&& slots_of) {
    bool is_rooted = query_.root_row != none;
    NodeId matched{slots[is_rooted ? query_.root_row : query_.root_class]};
    std::vector<NodeId> old;  // what gives way to the new term
    if (rule_.normalises && is_rooted) {
        if (!made.is_row || made.node != matched) old.push_back(matched);
    } else if (rule_.normalises) {
        graph_.for_each_node(graph_.class_of(matched), [&](const NodeView& node) {
            if (!made.is_row || node.id != made.node) old.push_back(node.id);
        });
    }
    auto width = static_cast<std::uint32_t>(rule_.slots.size());
    std::uint32_t begin = graph_.keeps_log() ? graph_.log().slot_count() : 0;
    UnionReason reason{UnionReason::Kind::rule, id_, begin, width, match_count};
    bool is_news = graph_.merge(matched, made.node, reason);
    if (is_news && graph_.keeps_log()) {
        for (std::uint32_t i = 0; i < match_count; ++i) graph_.log().keep(slots_of(i));
    }
    return subsume_all(old) || is_news;
}

bool Applier::subsume_all(const std::vector<NodeId>& nodes) {
    bool changed = false;
    for (NodeId node : nodes) changed = graph_.subsume(node) || changed;
    return changed;
}

Payload Applier::payload_of(const PatternNode& node) const {
    bool is_slot = node.payload.kind == PayloadRef::Kind::slot;
    return is_slot ? match_.payload(node.payload.value) : node.payload.value;
}

EGraph::Added Applier::build(std::uint32_t index) {
    const PatternNode& node = rule_.right.nodes[index];
    if (node.kind == PatternNode::Kind::slot) return {NodeId{raw(match_.cls(node.slot))}, false};
    constexpr std::size_t inline_children = 4;
    if (node.children.size() <= inline_children &&
        graph_.signature()[node.op].shape == Shape::fixed) {
        std::uint32_t few[inline_children];
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            few[i] = raw(build(node.children[i]).node);
        }
        return graph_.add_row(node.op, payload_of(node), {few, node.children.size()});
    }
    std::vector<std::uint32_t> children;
    for (std::uint32_t c : node.children) build_child(c, children);
    return graph_.add_row(node.op, payload_of(node), children);
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
            out.push_back(raw(build(node.children[0]).node));
        }
    } else {
        out.push_back(raw(build(index).node));
    }
}

}  // namespace satura::egraph
