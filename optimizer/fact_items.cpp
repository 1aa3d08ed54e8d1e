#include "optimizer/fact_items.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rules/closure.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using egraph::NodeView;
using lang::ColumnId;
using lang::Op;
using rules::ColumnSets;

namespace {

class FactItems {
  public:
    explicit FactItems(RuleEngine& engine)
        : engine_(engine), graph_(engine.graph), sets_(engine.plan_scope.column_sets) {}

    bool run() {
        const std::uint64_t before = graph_.change_count();
        std::vector<NodeId> wanted;
        graph_.for_each_class([&](ClassId cls) {
            graph_.for_each_node(cls, [&](const NodeView& node) {
                const auto op = engine_.ops.shaped(node.op);
                if (op == lang::RelOp::project || op == lang::RelOp::aggregate)
                    wanted.push_back(node.id);
            });
        });
        std::vector<std::pair<ClassId, ClassId>> equal;
        for (NodeId node : wanted) {
            if (const auto other = by_facts(node))
                equal.emplace_back(graph_.class_of(node), *other);
            if (const auto other = narrowed(node))
                equal.emplace_back(graph_.class_of(node), *other);
        }
        for (const auto& [a, b] : equal) graph_.merge(a, b);
        graph_.rebuild();
        return graph_.change_count() != before;
    }

  private:
    using Replacement = std::map<ColumnId, ClassId>;

    std::uint32_t columns(std::uint32_t cls) const {
        return engine_.plan_knowledge->columns(graph_, ClassId{cls});
    }

    std::optional<ClassId> by_facts(NodeId id) {
        const NodeView node = graph_.node(id);
        const std::vector<std::uint32_t> operands(node.children.begin(), node.children.end());
        const std::uint32_t input = graph_.find(operands[1]);
        rules::Closure known(graph_, engine_.ops, engine_.knowledge, *engine_.plan_knowledge);
        known.assume(engine_.plan_knowledge->facts(graph_, ClassId{input}));
        std::uint32_t read = 0;
        for (std::size_t i = 2; i < operands.size(); ++i)
            read = sets_.unite(read, columns(operands[i]));
        Replacement replacement;
        for (ColumnId column : ColumnSets::Columns(sets_[read])) {
            const auto value = graph_.lookup(engine_.ops[Op::column], lang::index(column), {});
            if (!value) continue;
            const auto other = other_name(known, graph_.find(*value), columns(input));
            if (other && *other != graph_.find(*value)) replacement.emplace(column, *other);
        }
        if (replacement.empty()) return std::nullopt;
        std::vector<ClassId> children;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const ClassId operand{graph_.find(operands[i])};
            children.push_back(i < 2 ? operand : substituted(operand, replacement));
        }
        return graph_.add(node.op, node.payload, children);
    }

    std::optional<ClassId> narrowed(NodeId id) {
        const NodeView node = graph_.node(id);
        std::vector<ClassId> children;
        for (std::uint32_t child : node.children) children.push_back(graph_.find(ClassId{child}));
        const egraph::OpId narrow = engine_.ops.plan().narrow;
        if (graph_.node(graph_.first_node(children[1])).op == narrow) return std::nullopt;
        const auto read =
            engine_.steps->read_by(children[0], children[1], std::span(children).subspan(2));
        if (!read) return std::nullopt;
        children[1] = graph_.add(narrow, 0, {*read, children[1]});
        return graph_.add(node.op, node.payload, children);
    }

    // The constant that a value is, or the first column that it is equal to.
    std::optional<ClassId> other_name(rules::Closure& known, ClassId value, std::uint32_t there) {
        const lang::Type type = engine_.knowledge.type(graph_, value);
        const rules::Closure::Group* group = known.group_of(value);
        if (group == nullptr || !rules::has_identical_equals(type)) return std::nullopt;
        std::optional<ClassId> best;
        std::optional<ColumnId> first;
        for (std::uint32_t member : group->members) {
            const ClassId cls{graph_.find(member)};
            if (engine_.knowledge.type(graph_, cls) != type) continue;
            if (engine_.knowledge.possible(graph_, cls).constant) return cls;
            graph_.for_each_node(cls, [&](const NodeView& node) {
                if (node.op != engine_.ops[Op::column]) return;
                const ColumnId column{node.payload};
                if (!sets_.contains(there, column) || (first && *first < column)) return;
                first = column;
                best = cls;
            });
        }
        return best;
    }

    // As it is where it holds a query, which may read the column.
    ClassId substituted(ClassId root, const Replacement& replacement) {
        std::unordered_map<std::uint32_t, std::uint32_t> done;
        std::vector<std::uint32_t> todo{egraph::raw(root)};
        while (!todo.empty()) {
            const std::uint32_t cls = todo.back();
            if (done.contains(cls)) {
                todo.pop_back();
                continue;
            }
            const NodeView node = graph_.node(graph_.witness(ClassId{cls}));
            if (node.op == engine_.ops[Op::column]) {
                const auto found = replacement.find(ColumnId{node.payload});
                done.emplace(cls, found == replacement.end() ? cls : egraph::raw(found->second));
                continue;
            }
            if (engine_.ops.meaning(node.op).op >= Op::opaque) return root;
            const std::size_t before = todo.size();
            for (std::uint32_t child : node.children) {
                if (!done.contains(graph_.find(child))) todo.push_back(graph_.find(child));
            }
            if (todo.size() > before) continue;
            std::vector<ClassId> children;
            for (std::uint32_t child : node.children)
                children.push_back(ClassId{done.at(graph_.find(child))});
            done.emplace(cls, egraph::raw(graph_.add(node.op, node.payload, children)));
        }
        return ClassId{done.at(egraph::raw(root))};
    }

    RuleEngine& engine_;
    EGraph& graph_;
    ColumnSets& sets_;
};

}  // namespace

bool add_items_by_facts(RuleEngine& engine) { return FactItems(engine).run(); }

}  // namespace satura
