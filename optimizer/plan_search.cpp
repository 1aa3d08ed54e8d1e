#include "optimizer/plan_search.hpp"

#include <algorithm>
#include <set>

#include "lang/plan_tree.hpp"
#include "optimizer/plan_guards.hpp"
#include "optimizer/plan_proof.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using egraph::NodeView;
using lang::ExprId;
using lang::RelationId;
using rules::Sort;

namespace {

constexpr int extraction_attempts_max = 8;

// A node by its content.
using Key = std::vector<std::uint32_t>;
Key key_of(const EGraph& graph, const NodeView& node) {
    Key key{egraph::raw(node.op), node.payload};
    for (std::uint32_t child : node.children) key.push_back(graph.find(child));
    return key;
}

}  // namespace

PlanSearch::PlanSearch(RuleEngine& engine, const lang::Catalog& catalog, const lang::Plan& plan)
    : engine_(engine), catalog_(catalog), plan_(plan) {
    input_ = rules::encode_plan(plan, catalog, engine.graph, engine.ops, engine.scope,
                                engine.plan_scope);
    input_nodes_ = engine.graph.id_count();
}

void PlanSearch::find_raising() {
    const EGraph& graph = engine_.graph;
    const egraph::AnalysisId type{0};
    std::set<Key> known;
    for (NodeId node : input_.exprs) {
        if (egraph::raw(node) != egraph::none) known.insert(key_of(graph, graph.node(node)));
    }
    graph.for_each_class([&](ClassId cls) {
        graph.for_each_node(cls, [&](const NodeView& node) {
            if (engine_.ops.meaning(node.op).sort != Sort::value) return;
            if (!rules::node_may_raise(engine_.ops, graph, node, type)) return;
            if (known.contains(key_of(graph, node)))
                cost_->raising.insert(egraph::raw(node.id));
            else
                cost_->banned.insert(egraph::raw(node.id));
        });
    });
    // Nodes of the input that became congruent to others are asked for their cost too.
    for (NodeId node : input_.exprs) {
        if (egraph::raw(node) == egraph::none || graph.is_live(node)) continue;
        if (rules::node_may_raise(engine_.ops, graph, graph.node(node), type))
            cost_->raising.insert(egraph::raw(node));
    }
}

rules::PlanDecoding PlanSearch::decoding() const {
    rules::PlanDecoding decoding;
    decoding.relation = [this](ClassId cls) { return extraction_->choice(cls); };
    decoding.exprs.choice = [this](ClassId cls, bool as_filter) {
        const EGraph& graph = engine_.graph;
        const NodeView first = graph.node(graph.first_node(graph.find(cls)));
        const bool is_value = engine_.ops.meaning(first.op).sort == Sort::value;
        return extraction_->choice(
            cls, as_filter && is_value ? ExpressionCost::filter : ExpressionCost::value);
    };
    decoding.exprs.input_rank = input_ranks();
    return decoding;
}

std::optional<proof::Proof> PlanSearch::prove(const lang::Statement& statement,
                                              const std::string& after, std::string& why) const {
    return prove_plan(engine_, statement, catalog_, input_, decoding(), after, why);
}

ChosenPlan PlanSearch::choose() {
    engine_.graph.rebuild();  // what a limit may have left
    const EGraph& graph = engine_.graph;
    cardinality_ =
        std::make_unique<Cardinality>(graph, engine_.ops, *engine_.plan_knowledge, catalog_);
    cost_ =
        std::make_unique<PlanCost>(engine_.ops, *cardinality_, *engine_.plan_knowledge, catalog_);
    find_raising();
    const ClassId root = graph.class_of(input_.relations[index(plan_.root)]);
    ChosenPlan chosen;
    for (int attempt = 0; attempt < extraction_attempts_max; ++attempt) {
        extraction_ = std::make_unique<egraph::Extraction>(graph, *cost_);
        if (!has_all_choices(root)) break;
        chosen.decoded =
            rules::decode_plan(engine_.steps->classes(), engine_.ops, input_, decoding());
        chosen.cost = extraction_->cost(root);
        if (!reads_only_what_is_there(chosen.decoded.plan, plan_)) break;
        const std::vector<NodeId> unguarded = find_unguarded(
            graph, engine_.ops, *engine_.steps, {plan_, input_.relations, input_.exprs},
            {chosen.decoded.plan, chosen.decoded.relations, chosen.decoded.exprs});
        if (unguarded.empty()) {
            chosen.is_input = chosen.cost > cost_of_input() * (1 + 1e-9);
            return chosen;
        }
        const std::size_t before = cost_->banned.size();
        for (NodeId node : unguarded) cost_->banned.insert(egraph::raw(node));
        if (cost_->banned.size() == before) break;
    }
    chosen.is_input = true;
    return chosen;
}

// Of the root and of all subqueries.
bool PlanSearch::has_all_choices(ClassId root) const {
    if (!extraction_->has_choice(root)) return false;
    for (const lang::Subquery& subquery : plan_.subqueries) {
        const NodeId node = input_.relations[index(subquery.relation)];
        if (egraph::raw(node) == egraph::none) continue;
        if (!extraction_->has_choice(engine_.graph.class_of(node))) return false;
    }
    return true;
}

// When the input first evaluates each class.
std::vector<std::uint32_t> PlanSearch::input_ranks() const {
    std::vector<std::uint32_t> ranks(engine_.graph.id_count(), egraph::none);
    for (std::uint32_t i = 0; i < input_.exprs.size(); ++i) {
        if (egraph::raw(input_.exprs[i]) == egraph::none) continue;
        std::uint32_t& rank = ranks[engine_.graph.find(egraph::raw(input_.exprs[i]))];
        rank = std::min(rank, i);
    }
    return ranks;
}

// Each of the input's nodes with its own operands.
double PlanSearch::cost_of_input() const {
    const EGraph& graph = engine_.graph;
    const std::vector<double> exprs = costs_as_written(graph, *cost_, plan_.exprs, input_.exprs);
    std::vector<double> children;
    std::vector<double> relations(plan_.size(), 0);
    for (std::uint32_t i = 0; i < plan_.size(); ++i) {
        const NodeId node = input_.relations[i];
        if (egraph::raw(node) == egraph::none) continue;
        const RelationId id{i};
        std::vector<double> inputs, own;
        for (RelationId child : plan_.children(id)) inputs.push_back(relations[index(child)]);
        if (!engine_.plan_scope.frozen[i]) {
            for (ExprId e : lang::own_expressions(plan_, id))
                own.push_back(exprs[static_cast<std::uint32_t>(e)]);
        }
        children.clear();
        const NodeView view = graph.node(node);
        const rules::PlanOps& ops = engine_.ops.plan();
        const bool has_truth = view.op == ops.filter || engine_.ops.join_kind(view.op).has_value();
        if (has_truth)
            children.push_back(own.empty() ? 0 : own[0]);
        else if (!view.children.empty())
            children.push_back(0);
        children.insert(children.end(), inputs.begin(), inputs.end());
        if (!has_truth) children.insert(children.end(), own.begin(), own.end());
        relations[i] = cost_->cost(graph, view, ExpressionCost::value, children);
    }
    return relations[index(plan_.root)];
}

Estimate PlanSearch::estimate(NodeId node) const {
    if (egraph::raw(node) == egraph::none) return {};
    const ClassId cls = engine_.graph.class_of(node);
    return {cardinality_->rows(cls), extraction_->cost(cls)};
}

Estimates PlanSearch::estimates_of_input() const {
    return [this](RelationId id) { return estimate(input_.relations[index(id)]); };
}

Estimates PlanSearch::estimates(const ChosenPlan& chosen) const {
    return [this, &chosen](RelationId id) {
        if (index(id) < plan_.size()) return estimate(input_.relations[index(id)]);
        return estimate(chosen.decoded.relations[index(id)]);
    };
}

std::vector<AppliedRule> PlanSearch::explain(const ChosenPlan& chosen) const {
    const EGraph& graph = engine_.graph;
    const lang::Plan& plan = chosen.decoded.plan;
    std::vector<RelationId> made;
    for (RelationId id : lang::reachable(plan, plan.root)) {
        const bool is_new = index(id) >= plan_.size() &&
                            egraph::raw(chosen.decoded.relations[index(id)]) >= input_nodes_ &&
                            egraph::raw(chosen.decoded.relations[index(id)]) != egraph::none;
        if (is_new) made.push_back(id);
    }
    const std::vector<std::string> lines = lang::describe_relations(plan, made, engine_.context);
    std::vector<AppliedRule> out;
    for (std::size_t i = 0; i < made.size(); ++i) {
        // A rule adds the parts of its right side and then the whole, which is what the log names.
        const std::uint32_t node = egraph::raw(chosen.decoded.relations[index(made[i])]);
        for (const egraph::UnionEntry& entry : graph.log().entries()) {
            const bool is_it = entry.reason.kind == egraph::UnionReason::Kind::rule &&
                               egraph::raw(entry.b) >= node;
            if (!is_it) continue;
            std::string name = engine_.runner->rules()[egraph::raw(entry.reason.rule)].name;
            name = name.substr(0, name.find('['));
            std::string reason;
            if (const auto rule = engine_.book.find(name))
                reason = engine_.book.rules[*rule].comment;
            std::ranges::replace(reason, '\n', ' ');
            if (const std::size_t end = reason.find(". "); end != std::string::npos)
                reason.resize(end + 1);
            out.push_back({std::move(name), lines[i], std::move(reason)});
            break;
        }
    }
    return out;
}

}  // namespace satura
