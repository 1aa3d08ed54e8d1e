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
      model_(model),
      variants_(model.variants()),
      states_(std::size_t{graph.id_count()} * variants_) {
    run();
}

std::uint64_t Extraction::key_of(const NodeView& node, std::uint32_t variant) const {
    Shape shape = graph_.signature()[node.op].shape;
    bool ordered = shape == Shape::fixed || shape == Shape::sequence;
    std::uint64_t key = graph_.signature().content_key(node.op, node.payload);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        std::uint64_t child = states_[index(ClassId{node.children[i]},
                                            model_.child_variant(graph_, node, i, variant))]
                                  .key;
        if (ordered) {
            key = mix(key, child);
        } else {
            sum += child * 0x9E3779B97F4A7C15ULL + 1;
        }
    }
    return ordered ? key : mix(key, sum);
}

void Extraction::run() {
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
                                      model_.child_variant(graph_, node, i, pending.variant));
            costs.push_back(states_[child].cost);
            dearest = std::max(dearest, costs.back());
        }
        double cost = model_.cost(graph_, node, pending.variant, costs);
        if (!(cost >= dearest) || cost == infinite) return;
        heap.push({cost, key_of(node, pending.variant), p});
    };
    graph_.for_each_class([&](ClassId cls) {
        graph_.for_each_node(cls, [&](const NodeView& node) {
            for (std::uint32_t v = 0; v < variants_; ++v) {
                if (!model_.admits(graph_, node, v)) continue;
                auto p = static_cast<std::uint32_t>(pendings.size());
                pendings.push_back(
                    {raw(node.id), v, static_cast<std::uint32_t>(node.children.size())});
                for (std::size_t i = 0; i < node.children.size(); ++i) {
                    waiting[index(ClassId{node.children[i]},
                                  model_.child_variant(graph_, node, i, v))]
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
        states_[at] = {best.cost, best.key, pending.node, true};
        for (std::uint32_t p : waiting[at]) {
            if (--pendings[p].missing == 0) offer(p);
        }
    }
}

}  // namespace satura::egraph
