#include "egraph/extract.hpp"

#include <algorithm>
#include <queue>

#include "egraph/hash.hpp"

namespace satura::egraph {

namespace {

// A node in one variant, waiting for its children's choices.
struct Pending {
    std::uint32_t node;
    std::uint32_t variant;
    std::uint32_t missing;
};

struct Candidate {
    double cost;
    std::uint64_t key;
    std::uint32_t pending;
    bool operator>(const Candidate& o) const {
        return cost != o.cost ? cost > o.cost : key > o.key;
    }
};

}  // namespace

Extraction::Extraction(const EGraph& graph, const CostModel& model)
    : graph_(graph),
      variants_(model.variants()),
      states_(std::size_t{graph.id_count()} * variants_) {
    run(model);
}

std::uint64_t Extraction::key_of(const CostModel& model, const NodeView& node,
                                 std::uint32_t variant) const {
    Shape shape = graph_.signature()[node.op].shape;
    bool ordered = shape == Shape::fixed || shape == Shape::sequence;
    std::uint64_t key = graph_.signature().content_key(node.op, node.payload);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        std::uint64_t child =
            states_[index(ClassId{node.children[i]}, model.child_variant(graph_, node, i, variant))]
                .key;
        if (ordered) {
            key = mix(key, child);
        } else {
            sum += child * 0x9E3779B97F4A7C15ULL + 1;
        }
    }
    return ordered ? key : mix(key, sum);
}

void Extraction::run(const CostModel& model) {
    std::vector<Pending> pendings;
    std::vector<std::vector<std::uint32_t>> waiting(states_.size());
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap;
    std::vector<double> costs;
    auto offer = [&](std::uint32_t p) {
        const Pending& pending = pendings[p];
        NodeView node = graph_.node(NodeId{pending.node});
        costs.clear();
        double dearest = 0;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            std::size_t child = index(ClassId{node.children[i]},
                                      model.child_variant(graph_, node, i, pending.variant));
            costs.push_back(states_[child].cost);
            dearest = std::max(dearest, costs.back());
        }
        double cost = model.cost(graph_, node, pending.variant, costs);
        if (!(cost >= dearest) || cost == infinite) return;
        heap.push({cost, key_of(model, node, pending.variant), p});
    };
    graph_.for_each_class([&](ClassId cls) {
        graph_.for_each_node(cls, [&](const NodeView& node) {
            for (std::uint32_t v = 0; v < variants_; ++v) {
                if (!model.admits(graph_, node, v)) continue;
                auto p = static_cast<std::uint32_t>(pendings.size());
                pendings.push_back(
                    {raw(node.id), v, static_cast<std::uint32_t>(node.children.size())});
                for (std::size_t i = 0; i < node.children.size(); ++i) {
                    waiting[index(ClassId{node.children[i]},
                                  model.child_variant(graph_, node, i, v))]
                        .push_back(p);
                }
                if (node.children.empty()) offer(p);
            }
        });
    });
    while (!heap.empty()) {
        Candidate best = heap.top();
        heap.pop();
        const Pending& pending = pendings[best.pending];
        std::size_t at = index(graph_.class_of(NodeId{pending.node}), pending.variant);
        if (states_[at].final) continue;
        states_[at] = {best.cost, best.key, pending.node, true, operands_.size()};
        NodeView node = graph_.node(NodeId{pending.node});
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            operands_.push_back(index(ClassId{node.children[i]},
                                      model.child_variant(graph_, node, i, pending.variant)));
        }
        for (std::uint32_t p : waiting[at]) {
            if (--pendings[p].missing == 0) offer(p);
        }
    }
}

std::vector<Extraction::Operand> Extraction::choice_operands(ClassId cls,
                                                             std::uint32_t variant) const {
    const State& state = states_[index(cls, variant)];
    std::vector<Operand> out;
    for (std::size_t i = 0; i < graph_.node(NodeId{state.node}).children.size(); ++i) {
        const std::size_t at = operands_[state.operands + i];
        out.push_back({ClassId{static_cast<std::uint32_t>(at / variants_)},
                       static_cast<std::uint32_t>(at % variants_)});
    }
    return out;
}

// The states that the chosen node's operands stand in, in printing order.
std::vector<std::size_t> Extraction::operands(std::size_t state) const {
    NodeView node = graph_.node(NodeId{states_[state].node});
    auto begin = operands_.begin() + static_cast<std::ptrdiff_t>(states_[state].operands);
    std::vector<std::size_t> out(begin, begin + static_cast<std::ptrdiff_t>(node.children.size()));
    Shape shape = graph_.signature()[node.op].shape;
    if (shape == Shape::set || shape == Shape::bag) {
        std::stable_sort(out.begin(), out.end(), [this](std::size_t a, std::size_t b) {
            return states_[a].key < states_[b].key;
        });
    }
    return out;
}

std::string Extraction::operator_text(std::size_t state) const {
    NodeView node = graph_.node(NodeId{states_[state].node});
    return graph_.signature().text(node.op, node.payload);
}

std::string Extraction::text(ClassId cls, std::size_t length_max, std::uint32_t variant) const {
    struct Open {
        std::vector<std::size_t> operands;
        std::size_t next;
    };
    std::string out;
    std::vector<Open> stack{{{index(cls, variant)}, 0}};
    while (!stack.empty()) {
        Open& open = stack.back();
        if (open.next == open.operands.size()) {
            stack.pop_back();
            if (!stack.empty()) out += ')';
            continue;
        }
        std::size_t state = open.operands[open.next++];
        if (stack.size() > 1) out += ' ';
        std::vector<std::size_t> inner = operands(state);
        if (!inner.empty()) out += '(';
        out += operator_text(state);
        if (out.size() > length_max) return out.substr(0, length_max) + "…";
        if (!inner.empty()) stack.push_back({std::move(inner), 0});
    }
    return out;
}

std::string Extraction::shared_text(ClassId cls, std::uint32_t variant) const {
    std::string out;
    std::vector<std::uint32_t> numbers(states_.size(), none);
    std::uint32_t count = 0;
    std::vector<std::size_t> stack{index(cls, variant)};
    while (!stack.empty()) {
        std::size_t state = stack.back();
        std::vector<std::size_t> inner = operands(state);
        std::size_t depth = stack.size();
        for (std::size_t i = inner.size(); i > 0 && numbers[state] == none; --i) {
            if (numbers[inner[i - 1]] == none) stack.push_back(inner[i - 1]);
        }
        if (stack.size() > depth) continue;
        stack.pop_back();
        if (numbers[state] != none) continue;  // another path came first
        numbers[state] = count++;
        out += "#" + std::to_string(numbers[state]) + " = " + (inner.empty() ? "" : "(");
        out += operator_text(state);
        for (std::size_t operand : inner) out += " #" + std::to_string(numbers[operand]);
        out += inner.empty() ? "\n" : ")\n";
    }
    return out;
}

}  // namespace satura::egraph
