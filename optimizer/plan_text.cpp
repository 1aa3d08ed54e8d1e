#include "optimizer/plan_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "lang/plan_tree.hpp"
#include "optimizer/join_graph.hpp"

namespace satura {

using lang::ExprId;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

std::string rows_text(double rows) {
    const double rounded = std::round(rows);
    if (rounded >= 1e15) return fmt::format("{:.2e} rows", rows);
    return fmt::format("{:.0f} {}", rounded, rounded == 1 ? "row" : "rows");
}

// The first line of a relation's tree is the relation itself: "inner join on t1.a = t2.a".
struct Line {
    std::string op;
    std::string detail;
};

Line split(const Plan& plan, RelationId id, const std::string& line) {
    const Relation& r = plan[id];
    std::string op(lang::rel_op_name(r.op));
    if (r.op == RelOp::join) op = std::string(lang::join_kind_name(r.join)) + " join";
    std::string detail = line;
    const auto at = line.find(op);
    if (at != std::string::npos) detail = line.substr(at + op.size());
    const auto first = detail.find_first_not_of(' ');
    detail = first == std::string::npos ? "" : detail.substr(first);
    if (detail.starts_with("on ")) detail = detail.substr(3);
    return {op, detail};
}

}  // namespace

PlanText plan_text(const Plan& plan, const lang::Context& context, const Estimates& estimates) {
    PlanText out;
    out.tree = lang::write_plan_tree(plan, plan.root, context, [&](RelationId id) {
        return "  " + rows_text(estimates(id).rows);
    });
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    std::vector<RelationId> todo{plan.root}, wanted;
    while (!todo.empty()) {
        const RelationId id = todo.back();
        todo.pop_back();
        wanted.push_back(id);
        for (RelationId child : plan.children(id)) todo.push_back(child);
    }
    std::ranges::sort(wanted);
    const auto repeated = std::ranges::unique(wanted);
    wanted.erase(repeated.begin(), repeated.end());
    const std::vector<std::string> lines = lang::describe_relations(plan, wanted, context);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const RelationId id = wanted[i];
        Line line = split(plan, id, lines[i]);
        const Estimate estimate = estimates(id);
        PlanNode node{std::move(line.op), std::move(line.detail), estimate.rows, estimate.cost, {}};
        for (RelationId child : plan.children(id))
            node.children.push_back(places.at(static_cast<std::uint32_t>(child)));
        places[static_cast<std::uint32_t>(id)] = static_cast<std::uint32_t>(out.nodes.size());
        out.nodes.push_back(std::move(node));
    }
    return out;
}

namespace {

// EXISTS and IN: semi joins, anti joins where they are negated.
void add_tests(const Plan& plan, ExprId root, std::vector<std::string>& out) {
    const std::vector<ExprId> nodes = lang::nodes_below(plan.exprs, root);
    std::vector<bool> negated(static_cast<std::size_t>(root) + 1, false);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const lang::ExprNode& node = plan.exprs[nodes[i]];
        const bool is_negated = negated[static_cast<std::size_t>(nodes[i])];
        for (ExprId child : plan.exprs.children(nodes[i]))
            negated[static_cast<std::size_t>(child)] = is_negated != (node.op == Op::not_);
        if (node.op != Op::exists && node.op != Op::in_subquery) continue;
        const lang::Subquery& subquery = plan[lang::SubqueryId{node.payload}];
        if (subquery.kind == lang::SubqueryKind::row) continue;
        const bool is_all = subquery.kind == lang::SubqueryKind::all;
        out.push_back(is_negated != is_all ? "anti" : "semi");
    }
}

}  // namespace

std::vector<std::string> join_kinds(const Plan& plan) {
    std::vector<std::string> out;
    for (const JoinGraph& block : join_graphs(plan)) {
        const std::uint32_t crossed = block.components - 1;
        out.insert(out.end(), block.joins - crossed, "inner");
        out.insert(out.end(), crossed, "cross");
    }
    for (RelationId id : lang::reachable(plan, plan.root)) {
        const Relation& r = plan[id];
        const bool is_in_block =
            r.op == RelOp::join && r.join == lang::JoinKind::inner && !r.lateral;
        if (r.op == RelOp::join && !is_in_block) out.emplace_back(lang::join_kind_name(r.join));
        for (ExprId root : lang::own_expressions(plan, id)) add_tests(plan, root, out);
    }
    return out;
}

}  // namespace satura
