#include "optimizer/plan_guards.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "optimizer/free_columns.hpp"
#include "optimizer/guards.hpp"
#include "rules/analyses.hpp"

namespace satura {

using egraph::NodeId;
using lang::ExprId;
using lang::Plan;
using lang::RelationId;

namespace {

std::uint32_t index(RelationId id) { return static_cast<std::uint32_t>(id); }
std::uint32_t index(ExprId id) { return static_cast<std::uint32_t>(id); }

struct Site {
    RelationId relation;
    ExprId root;
};

// The expressions that hold a node that may raise, each once.
std::vector<Site> raising_sites(const PlacedPlan& placed, const egraph::EGraph& graph,
                                const rules::SqlOps& ops) {
    std::vector<Site> out;
    std::vector<bool> seen(placed.plan.exprs.size(), false);
    const auto may_raise = [&](ExprId e) {
        if (index(e) >= placed.exprs.size()) return false;
        const NodeId node = placed.exprs[index(e)];
        return egraph::raw(node) != egraph::none &&
               rules::node_may_raise(ops, graph, graph.node(node), egraph::AnalysisId{0});
    };
    for (RelationId id : lang::reachable(placed.plan, placed.plan.root)) {
        for (ExprId root : lang::own_expressions(placed.plan, id)) {
            if (seen[index(root)]) continue;
            seen[index(root)] = true;
            if (std::ranges::any_of(lang::nodes_below(placed.plan.exprs, root), may_raise))
                out.push_back({id, root});
        }
    }
    return out;
}

// What every row fulfils on which the relation's expressions are evaluated.
KnownGuard known_below(const egraph::EGraph& graph, const rules::SqlOps& ops,
                       rules::PlanSteps& steps, NodeId relation) {
    if (egraph::raw(relation) == egraph::none) return {};
    std::optional<rules::PlanSteps::FactsId> facts;
    for (std::uint32_t child : graph.node(relation).children) {
        const egraph::NodeView first =
            graph.node(graph.first_node(egraph::ClassId{graph.find(child)}));
        if (ops.meaning(first.op).sort != rules::Sort::relation) continue;
        const auto more = steps.facts_of(egraph::ClassId{child});
        facts = facts ? steps.unite(*facts, more) : more;
    }
    if (!facts) return {};
    return [&steps, facts = *facts](egraph::ClassId value, GuardOutcome outcome) {
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
        if (index(site.root) < input.plan.exprs.size()) continue;  // as the input has it
        const KnownGuard known =
            known_below(graph, ops, steps, chosen.relations[index(site.relation)]);
        std::vector<NodeId> least;
        bool is_guarded = false;
        for (const Site& old : before) {
            std::vector<NodeId> unguarded =
                find_unguarded(graph, ops, Placed{input.plan.exprs, old.root, input.exprs},
                               Placed{chosen.plan.exprs, site.root, chosen.exprs}, known);
            is_guarded = unguarded.empty();
            if (is_guarded) break;
            if (least.empty() || unguarded.size() < least.size()) least = std::move(unguarded);
        }
        if (!is_guarded) out.insert(out.end(), least.begin(), least.end());
    }
    return out;
}

}  // namespace satura
