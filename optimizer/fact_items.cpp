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
        std::vector<NodeId> wanted, filters;
        graph_.for_each_class([&](ClassId cls) {
            graph_.for_each_node(cls, [&](const NodeView& node) {
                const auto op = engine_.ops.shaped(node.op);
                if (op == lang::RelOp::project || op == lang::RelOp::aggregate)
                    wanted.push_back(node.id);
                if (node.op == engine_.ops.plan().filter) filters.push_back(node.id);
            });
        });
        std::vector<std::pair<ClassId, ClassId>> equal;
        for (NodeId node : wanted) {
            if (const auto other = by_facts(node))
                equal.emplace_back(graph_.class_of(node), *other);
            if (const auto other = narrowed(node))
                equal.emplace_back(graph_.class_of(node), *other);
        }
        for (NodeId node : filters) {
            if (const auto other = with_constants(node))
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
        std::uint32_t read = 0;
        for (std::size_t i = 2; i < operands.size(); ++i)
            read = sets_.unite(read, columns(operands[i]));
        Input input = without_nulls(graph_.find(operands[1]));
        Replacement replacement;
        for (ColumnId column : ColumnSets::Columns(sets_[read])) {
            const auto value = graph_.lookup(engine_.ops[Op::column], lang::index(column), {});
            if (!value) continue;
            const auto other = sets_.contains(input.nulls, column)
                                   ? std::optional(null_of(column))
                                   : other_name(input, graph_.find(*value));
            if (other && *other != graph_.find(*value)) replacement.emplace(column, *other);
        }
        std::vector<ClassId> children{graph_.find(ClassId{operands[0]}), input.relation};
        std::uint32_t still_read = 0;
        for (std::size_t i = 2; i < operands.size(); ++i) {
            children.push_back(substituted(graph_.find(ClassId{operands[i]}), replacement));
            still_read = sets_.unite(still_read, columns(egraph::raw(children.back())));
        }
        if (sets_.meets(still_read, input.nulls)) return std::nullopt;
        return graph_.add(node.op, node.payload, children);
    }

    // What a relation knows of its columns, and what is left of it where some of them are NULL in any case, or it has no row.
    struct Input {
        ClassId relation{};
        std::uint32_t nulls = 0;  // columns that `relation` may lack
        std::uint32_t columns = 0;
        rules::Closure known;
    };
    Input without_nulls(std::uint32_t cls) {
        const rules::PlanOps& plan = engine_.ops.plan();
        Input input{ClassId{cls}, 0, columns(cls), {engine_.steps->classes(), engine_.ops}};
        std::uint32_t inner = egraph::none;
        bool is_empty = false;
        graph_.for_each_node(ClassId{cls}, [&](const NodeView& node) {
            is_empty = is_empty || node.op == plan.empty;
            if (node.op != plan.pad || inner != egraph::none) return;
            inner = graph_.find(node.children[1]);
            input.nulls = columns(node.children[0]);
        });
        if (is_empty) {
            input.nulls = input.columns;
            input.relation = graph_.add(plan.empty, 0, {graph_.add(plan.columns, 0)});
        } else if (inner != egraph::none) {
            input.relation = ClassId{inner};
        }
        input.known.assume(engine_.plan_knowledge->facts(graph_, ClassId{cls}));
        return input;
    }

    ClassId null_of(ColumnId column) {
        const lang::Type type = engine_.scope.columns[lang::index(column)].type;
        const auto literal = engine_.context.literals.intern(type, lang::Value::null());
        return graph_.add(engine_.ops[Op::literal], static_cast<std::uint32_t>(literal));
    }

    // Of a filter by a = 5 and p(a): by a = 5 and p(5).
    std::optional<ClassId> with_constants(NodeId id) {
        const NodeView node = graph_.node(id);
        const ClassId truth = graph_.find(ClassId{node.children[0]});
        const ClassId input = graph_.find(ClassId{node.children[1]});
        Replacement replacement;
        std::vector<ClassId> kept, others;
        for (ClassId atom : rules::conjuncts(engine_.steps->classes(), engine_.ops, truth))
            (add_constant(atom, replacement) ? kept : others).push_back(atom);
        for (std::uint32_t fact : engine_.plan_knowledge->facts(graph_, input).truths) {
            for (ClassId atom :
                 rules::conjuncts(engine_.steps->classes(), engine_.ops, ClassId{fact}))
                add_constant(atom, replacement);
        }
        if (replacement.empty()) return std::nullopt;
        for (ClassId atom : others) kept.push_back(substituted(graph_.find(atom), replacement));
        return graph_.add(engine_.ops.plan().filter, 0,
                          {graph_.add(engine_.ops.plan().all, 0, kept), input});
    }

    // Whether the truth says that a column is a constant, and that identically.
    bool add_constant(ClassId atom, Replacement& replacement) {
        bool is_added = false;
        graph_.for_each_node(graph_.find(atom), [&](const NodeView& node) {
            if (node.op != engine_.ops.plan().same || node.children.size() != 2 || is_added) return;
            for (std::size_t i : {0, 1}) {
                const ClassId value{graph_.find(node.children[i])};
                const ClassId other{graph_.find(node.children[1 - i])};
                const lang::Type type = engine_.knowledge.type(graph_, value);
                const bool is_constant =
                    engine_.knowledge.possible(graph_, other).constant.has_value();
                if (!is_constant || engine_.knowledge.type(graph_, other) != type ||
                    !rules::has_identical_equals(type))
                    continue;
                graph_.for_each_node(value, [&](const NodeView& member) {
                    if (member.op != engine_.ops[Op::column] || is_added) return;
                    is_added = replacement.emplace(ColumnId{member.payload}, other).second;
                });
            }
        });
        return is_added;
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
    std::optional<ClassId> other_name(Input& input, ClassId value) {
        const lang::Type type = engine_.knowledge.type(graph_, value);
        const rules::Closure::Group* group = input.known.group_of(value);
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
                if (!sets_.contains(input.columns, column) || (first && *first < column)) return;
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
