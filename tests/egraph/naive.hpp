// Matching by brute force, as the oracle for egraph/match.cpp: every class, every node, every
// choice of elements, from scratch, without indexes and without deltas. Answers are the slots as
// the engine numbers them, with canonical classes.
#pragma once

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "egraph/match.hpp"

namespace satura::egraph::test {

// A condition that both sides evaluate by themselves: the analysis value has all bits of `mask`,
// for the class in the slot, or for all elements (or one at least) of a rest.
struct MaskCondition {
    AnalysisId analysis;
    std::uint32_t slot;
    std::uint32_t mask;
    bool any = false;  // of a rest: one element is enough
};

inline Condition engine_condition(const MaskCondition& c, bool is_rest) {
    auto has = [c](const EGraph& graph, std::uint32_t cls) {
        return (graph.value(c.analysis, ClassId{cls}) & c.mask) == c.mask;
    };
    auto holds = [c, is_rest, has](const Match& match) {
        if (!is_rest) return has(match.graph(), raw(match.cls(c.slot)));
        auto has_one = [&](std::uint32_t e) { return has(match.graph(), e); };
        const auto& elements = match.sequence(c.slot);
        return c.any ? std::any_of(elements.begin(), elements.end(), has_one)
                     : std::all_of(elements.begin(), elements.end(), has_one);
    };
    return {"mask", holds, {{c.analysis, c.slot}}, false};
}

class NaiveMatcher {
  public:
    using Slots = std::vector<std::uint32_t>;

    // `rule` as Query::compile left it.
    NaiveMatcher(const EGraph& graph, const Rule& rule, const Query& query,
                 const std::vector<MaskCondition>& conditions)
        : graph_(graph), rule_(rule), conditions_(conditions) {
        rows_.resize(rule.left.nodes.size(), none);
        classes_ = offsets_ = rows_;
        std::vector<std::uint32_t> wanted{rule.left.root};
        wanted.insert(wanted.end(), rule.also.begin(), rule.also.end());
        std::set<std::uint32_t> nodes;
        while (!wanted.empty()) {
            std::uint32_t i = wanted.back();
            wanted.pop_back();
            const PatternNode& node = rule.left.nodes[i];
            if (node.kind == PatternNode::Kind::node) nodes.insert(i);
            wanted.insert(wanted.end(), node.children.begin(), node.children.end());
        }
        auto next = nodes.begin();
        std::uint32_t last = none;
        for (const Atom& atom : query.atoms) {
            if (atom.kind == Atom::Kind::row) {
                last = *next++;
                rows_[last] = atom.row;
                classes_[last] = atom.cls;
            } else if (atom.kind == Atom::Kind::run) {
                offsets_[last] = atom.offset;
            }
        }
    }

    std::set<Slots> all() {
        env_.assign(rule_.slots.size(), 0);
        bound_.assign(rule_.slots.size(), false);
        rests_.assign(rule_.slots.size(), {});
        found_.clear();
        Goals goals{{rule_.left.root, none}};
        for (std::uint32_t root : rule_.also) goals.push_back({root, none});
        solve(goals);
        return std::move(found_);
    }

  private:
    using Goals = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // pattern node, class

    void with(std::uint32_t slot, std::uint32_t value, const std::function<void()>& go_on) {
        if (slot == none) return go_on();
        if (bound_[slot]) {
            if (env_[slot] == value) go_on();
            return;
        }
        bound_[slot] = true;
        env_[slot] = value;
        go_on();
        bound_[slot] = false;
        env_[slot] = 0;
    }

    void solve(Goals goals) {
        if (goals.empty()) return emit();
        auto [index, cls] = goals.back();
        goals.pop_back();
        if (cls == none) {
            graph_.for_each_class([&, i = index](ClassId c) {
                Goals now = goals;
                now.push_back({i, raw(c)});
                solve(now);
            });
            return;
        }
        const PatternNode& p = rule_.left.nodes[index];
        if (p.kind == PatternNode::Kind::slot) {
            with(p.slot, cls, [&] { solve(goals); });
            return;
        }
        graph_.for_each_node(ClassId{cls}, [&, i = index, c = cls](const NodeView& node) {
            if (node.op != p.op || graph_.is_subsumed(node.id)) return;
            if (p.payload.kind == PayloadRef::Kind::constant && p.payload.value != node.payload) {
                return;
            }
            bool free = p.payload.kind != PayloadRef::Kind::slot;
            with(free ? none : p.payload.value, node.payload, [&] {
                with(classes_[i], c, [&] {
                    with(rows_[i], raw(node.id), [&] { match_children(i, node, goals); });
                });
            });
        });
    }

    void match_children(std::uint32_t index, const NodeView& node, const Goals& goals) {
        const PatternNode& p = rule_.left.nodes[index];
        std::vector<std::uint32_t> children(node.children.begin(), node.children.end());
        Shape shape = graph_.signature()[p.op].shape;
        if (shape == Shape::sequence) return match_run(index, children, goals);
        if (shape == Shape::fixed) {
            Goals now = goals;
            for (std::size_t i = 0; i < children.size(); ++i) {
                now.push_back({p.children[i], children[i]});
            }
            return solve(now);
        }
        pick(p, 0, children, goals);
    }

    void pick(const PatternNode& p, std::size_t at, std::vector<std::uint32_t> left,
              const Goals& goals) {
        std::uint32_t rest = none;
        for (std::uint32_t c : p.children) {
            if (rule_.left.nodes[c].kind == PatternNode::Kind::rest)
                rest = rule_.left.nodes[c].slot;
        }
        while (at < p.children.size() &&
               rule_.left.nodes[p.children[at]].kind == PatternNode::Kind::rest)
            ++at;
        if (at == p.children.size()) {
            if (rest == none && !left.empty()) return;
            if (rest != none) rests_[rest] = left;
            return solve(goals);
        }
        for (std::size_t i = 0; i < left.size(); ++i) {
            std::vector<std::uint32_t> others = left;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            Goals now = goals;
            now.push_back({p.children[at], left[i]});
            pick(p, at + 1, others, now);
        }
    }

    void match_run(std::uint32_t index, const std::vector<std::uint32_t>& children,
                   const Goals& goals) {
        const PatternNode& p = rule_.left.nodes[index];
        std::vector<std::uint32_t> operands;
        std::uint32_t before = none, after = none;
        for (std::uint32_t c : p.children) {
            const PatternNode& child = rule_.left.nodes[c];
            if (child.kind != PatternNode::Kind::rest) {
                operands.push_back(c);
            } else if (operands.empty() && before == none) {
                before = child.slot;
            } else {
                after = child.slot;
            }
        }
        for (std::size_t offset = 0; offset + operands.size() <= children.size(); ++offset) {
            if (before == none && offset != 0) continue;
            auto from = children.begin() + static_cast<std::ptrdiff_t>(offset);
            auto to = from + static_cast<std::ptrdiff_t>(operands.size());
            if (after == none && to != children.end()) continue;
            if (before != none) rests_[before].assign(children.begin(), from);
            if (after != none) rests_[after].assign(to, children.end());
            Goals now = goals;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                now.push_back({operands[i], children[offset + i]});
            }
            with(offsets_[index], static_cast<std::uint32_t>(offset), [&] { solve(now); });
        }
    }

    bool holds(const MaskCondition& c) const {
        auto has = [&](std::uint32_t cls) {
            return (graph_.value(c.analysis, ClassId{cls}) & c.mask) == c.mask;
        };
        if (rule_.slots[c.slot] == SlotKind::cls) return has(env_[c.slot]);
        const auto& elements = rests_[c.slot];
        return c.any ? std::any_of(elements.begin(), elements.end(), has)
                     : std::all_of(elements.begin(), elements.end(), has);
    }

    void emit() {
        for (const MaskCondition& c : conditions_) {
            if (!holds(c)) return;
        }
        found_.insert(env_);
    }

    const EGraph& graph_;
    const Rule& rule_;
    const std::vector<MaskCondition>& conditions_;
    std::vector<std::uint32_t> rows_, classes_, offsets_;  // by pattern node: the engine's slots
    Slots env_;
    std::vector<bool> bound_;
    std::vector<std::vector<std::uint32_t>> rests_;
    std::set<Slots> found_;
};

}  // namespace satura::egraph::test
