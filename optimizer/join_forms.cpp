#include "optimizer/join_forms.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using egraph::NodeView;
using lang::JoinKind;

namespace {

class JoinForms {
  public:
    explicit JoinForms(RuleEngine& engine)
        : engine_(engine), graph_(engine.graph), plan_(engine.ops.plan()) {}

    bool run() {
        const std::uint64_t before = graph_.change_count();
        std::vector<ClassId> wanted;
        graph_.for_each_class([&](ClassId cls) {
            bool has_join = false;
            graph_.for_each_node(cls, [&](const NodeView& node) {
                has_join = has_join || is_inner(node) || is_half(node);
            });
            if (has_join) wanted.push_back(cls);
        });
        std::vector<std::pair<ClassId, ClassId>> equal;
        for (ClassId cls : wanted) equal.emplace_back(cls, ordered(cls));
        for (const auto& [a, b] : equal) graph_.merge(a, b);
        graph_.rebuild();
        return graph_.change_count() != before;
    }

  private:
    struct Half {
        NodeView node;
        std::uint32_t order = 0;
    };
    struct Parts {
        std::vector<ClassId> truths;
        std::vector<Half> halves;
        std::vector<ClassId> leaves;
    };

    bool is_inner(const NodeView& node) const {
        return engine_.ops.join_kind(node.op) == JoinKind::inner;
    }
    bool is_half(const NodeView& node) const {
        const auto kind = engine_.ops.join_kind(node.op);
        return kind == JoinKind::semi || kind == JoinKind::anti;
    }

    // The lowest of a relation's columns.
    std::uint32_t order_of(ClassId relation) const {
        const auto set = engine_.plan_knowledge->columns(graph_, relation);
        const auto& columns = engine_.plan_scope.column_sets[set];
        return columns.empty() ? lang::no_index : lang::index(columns.front());
    }

    // The member that is taken apart: a join rather than a filter, and none that leads back.
    NodeId chosen(ClassId cls, const std::set<std::uint32_t>& seen) const {
        NodeId best{egraph::none};
        int best_rank = 0;
        graph_.for_each_node(cls, [&](const NodeView& node) {
            const int rank = is_inner(node) ? 3 : is_half(node) ? 2 : node.op == plan_.filter;
            if (rank <= best_rank || seen.contains(graph_.find(node.children[1]))) return;
            if (is_inner(node) && seen.contains(graph_.find(node.children[2]))) return;
            best = node.id;
            best_rank = rank;
        });
        return best;
    }

    ClassId ordered(ClassId root) {
        Parts parts;
        std::set<std::uint32_t> seen;
        std::vector<ClassId> todo{graph_.find(root)};
        while (!todo.empty()) {
            const ClassId cls = todo.back();
            todo.pop_back();
            seen.insert(egraph::raw(cls));
            const NodeId id = chosen(cls, seen);
            if (egraph::raw(id) == egraph::none) {
                parts.leaves.push_back(cls);
                continue;
            }
            const NodeView node = graph_.node(id);
            const auto child = [&](std::size_t i) {
                return graph_.find(ClassId{node.children[i]});
            };
            todo.push_back(child(1));
            if (is_half(node)) {
                parts.halves.push_back({node, order_of(child(2))});
                continue;
            }
            parts.truths.push_back(child(0));
            if (is_inner(node)) todo.push_back(child(2));
        }
        return made(std::move(parts));
    }

    ClassId made(Parts parts) {
        std::ranges::stable_sort(parts.leaves, {}, [&](ClassId leaf) { return order_of(leaf); });
        std::ranges::stable_sort(parts.halves, {}, &Half::order);
        std::vector<std::pair<egraph::OpId, std::pair<ClassId, ClassId>>> halves;
        for (const Half& half : parts.halves) {
            halves.push_back({half.node.op,
                              {graph_.find(ClassId{half.node.children[0]}),
                               graph_.find(ClassId{half.node.children[2]})}});
        }
        const ClassId yes = graph_.add(plan_.yes);
        ClassId relation = parts.leaves[0];
        for (std::size_t i = 1; i < parts.leaves.size(); ++i) {
            relation = graph_.add(plan_.joins[static_cast<std::size_t>(JoinKind::inner)], 0,
                                  {yes, relation, parts.leaves[i]});
        }
        for (const auto& [op, inputs] : halves)
            relation = graph_.add(op, 0, {inputs.first, relation, inputs.second});
        if (parts.truths.empty()) return relation;
        const ClassId truth = graph_.add(plan_.all, 0, parts.truths);
        return graph_.add(plan_.filter, 0, {truth, relation});
    }

    RuleEngine& engine_;
    EGraph& graph_;
    const rules::PlanOps& plan_;
};

}  // namespace

bool add_joins_in_order(RuleEngine& engine) { return JoinForms(engine).run(); }

}  // namespace satura
