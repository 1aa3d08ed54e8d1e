#include "optimizer/plan_guards.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "optimizer/free_columns.hpp"
#include "optimizer/guards.hpp"
#include "rules/analyses.hpp"

namespace satura {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;
using lang::Plan;
using lang::RelationId;

namespace {

struct Site {
    RelationId relation;
    ExprId root;
};

// The nodes of an expression that may raise.
std::vector<NodeId> raising_nodes(const Placed& placed, const egraph::EGraph& graph,
                                  const rules::SqlOps& ops) {
    std::vector<NodeId> out;
    for (ExprId e : lang::nodes_below(placed.exprs, placed.root)) {
        if (index(e) >= placed.nodes.size()) continue;
        const NodeId node = placed.nodes[index(e)];
        if (egraph::raw(node) != egraph::none &&
            rules::node_may_raise(ops, graph, graph.node(node), egraph::AnalysisId{0}))
            out.push_back(node);
    }
    return out;
}

// The expressions that hold a node that may raise, each once.
std::vector<Site> raising_sites(const PlacedPlan& placed, const egraph::EGraph& graph,
                                const rules::SqlOps& ops) {
    std::vector<Site> out;
    std::vector<bool> seen(placed.plan.exprs.size(), false);
    for (RelationId id : lang::reachable(placed.plan, placed.plan.root)) {
        for (ExprId root : lang::own_expressions(placed.plan, id)) {
            if (seen[index(root)]) continue;
            seen[index(root)] = true;
            if (!raising_nodes({placed.plan.exprs, root, placed.exprs}, graph, ops).empty())
                out.push_back({id, root});
        }
    }
    return out;
}

// The relations below, if the e-graph knows the relation. What stands for a demand is asked itself: it knows more.
std::vector<ClassId> inputs_of(const egraph::EGraph& graph, const rules::SqlOps& ops,
                               const PlacedPlan& placed, RelationId id) {
    std::vector<ClassId> out;
    const NodeId relation = placed.relations[index(id)];
    if (egraph::raw(relation) == egraph::none) return out;
    const std::span<const RelationId> below = placed.plan.children(id);
    for (std::uint32_t child : graph.node(relation).children) {
        const ClassId cls{graph.find(child)};
        const egraph::NodeView first = graph.node(graph.first_node(cls));
        if (ops.meaning(first.op).sort != rules::Sort::relation) continue;
        const NodeId chosen =
            out.size() < below.size() ? placed.relations[index(below[out.size()])] : relation;
        const bool is_demand = first.op == ops.plan().dedup;
        const bool is_known = egraph::raw(chosen) != egraph::none && chosen != relation;
        out.push_back(is_demand && is_known ? graph.class_of(chosen) : cls);
    }
    return out;
}

// What every row fulfils on which the expressions over these inputs are evaluated.
std::optional<rules::PlanSteps::FactsId> facts_below(rules::PlanSteps& steps,
                                                     const std::vector<ClassId>& inputs) {
    std::optional<rules::PlanSteps::FactsId> facts;
    for (ClassId input : inputs) {
        const auto more = steps.facts_of(input);
        facts = facts ? steps.unite(*facts, more) : more;
    }
    return facts;
}

KnownGuard known_below(rules::PlanSteps& steps, std::optional<rules::PlanSteps::FactsId> known) {
    if (!known) return {};
    return [&steps, facts = *known](ClassId value, GuardOutcome outcome) {
        const std::uint8_t mask = steps.possible(value, facts).mask;
        switch (outcome) {
            case GuardOutcome::not_false:
                return (mask & rules::Possible::false_) == 0;
            case GuardOutcome::not_true:
                return (mask & rules::Possible::true_) == 0;
            case GuardOutcome::is_true:
                return mask == rules::Possible::true_;
            case GuardOutcome::is_null:
                return mask == rules::Possible::null;
            case GuardOutcome::reached:
                break;
        }
        return false;
    };
}

}  // namespace

bool reads_only_what_is_there(const Plan& chosen, const Plan& input) {
    const auto of_root = [](const Plan& plan) {
        return FreeColumns(plan, std::span(&plan.root, 1)).of(plan.root);
    };
    const FreeColumns::Columns after = of_root(chosen);
    if (after.empty()) return true;
    const FreeColumns::Columns before = of_root(input);
    return std::ranges::all_of(after, [&](std::uint32_t c) { return before.contains(c); });
}

std::vector<NodeId> find_unguarded(const egraph::EGraph& graph, const rules::SqlOps& ops,
                                   rules::PlanSteps& steps, const PlacedPlan& input,
                                   const PlacedPlan& chosen) {
    std::vector<NodeId> out;
    const std::vector<Site> after = raising_sites(chosen, graph, ops);
    if (after.empty()) return out;
    const std::vector<Site> before = raising_sites(input, graph, ops);
    for (const Site& site : after) {
        if (index(site.relation) < input.plan.size()) continue;  // as the input has it
        const std::vector<ClassId> inputs = inputs_of(graph, ops, chosen, site.relation);
        const auto facts = facts_below(steps, inputs);
        const Placed here{chosen.plan.exprs, site.root, chosen.exprs};
        std::vector<NodeId> least;
        bool is_guarded = false;
        for (const Site& old : before) {
            const std::vector<ClassId> old_inputs = inputs_of(graph, ops, input, old.relation);
            const auto needed =
                inputs == old_inputs ? std::nullopt : facts_below(steps, old_inputs);
            const Placed there{input.plan.exprs, old.root, input.exprs};
            std::vector<NodeId> unguarded;
            if (needed && !(facts && steps.implies(*facts, *needed)))
                unguarded = raising_nodes(here, graph, ops);
            else if (site.root != old.root)
                unguarded = find_unguarded(graph, ops, there, here, known_below(steps, facts));
            is_guarded = unguarded.empty();
            if (is_guarded) break;
            if (least.empty() || unguarded.size() < least.size()) least = std::move(unguarded);
        }
        if (!is_guarded) out.insert(out.end(), least.begin(), least.end());
    }
    return out;
}

}  // namespace satura
