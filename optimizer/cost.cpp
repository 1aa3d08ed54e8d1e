#include "optimizer/cost.hpp"

#include <algorithm>

namespace satura {

using lang::Op;

namespace {

constexpr double hidden_operand = 24;    // a cast: more than any range on the bare operand
constexpr double constant_first = 0.05;  // 5 < x rather than x > 5
constexpr double with_itself = 4;        // x <> x: rather "x is null and null"
constexpr double turned = 0.01;          // y > x rather than x < y

}  // namespace

bool ExpressionCost::admits(const egraph::EGraph&, const egraph::NodeView& node,
                            std::uint32_t) const {
    return banned.empty() || std::find(banned.begin(), banned.end(), node.id) == banned.end();
}

std::uint32_t ExpressionCost::child_variant(const egraph::EGraph&, const egraph::NodeView& node,
                                            std::size_t, std::uint32_t variant) const {
    Op op = ops_.meaning(node.op).op;
    return op == Op::and_ || op == Op::or_ || op == Op::is_true ? variant : value;
}

double ExpressionCost::cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                            std::uint32_t variant, std::span<const double> children) const {
    double sum = own_cost(graph, node, variant);
    for (double c : children) sum += c;
    return sum;
}

bool ExpressionCost::is_literal(const egraph::EGraph& graph, std::uint32_t cls) const {
    return graph.node(graph.witness(egraph::ClassId{cls})).op == ops_[Op::literal];
}

double ExpressionCost::own_cost(const egraph::EGraph& graph, const egraph::NodeView& node,
                                std::uint32_t variant) const {
    const rules::SqlOps::Meaning& m = ops_.meaning(node.op);
    if (m.is_when) return 2;
    auto joints = static_cast<double>(node.children.size()) - 1;
    switch (m.op) {
        case Op::and_:
        case Op::or_:
            return joints;
        case Op::cast:
        case Op::try_cast:
            return hidden_operand;
        case Op::is_true:
            return variant == filter ? 0 : 2;
        case Op::is_null:
        case Op::is_false:
        case Op::case_:
            return 2;
        case Op::between:  // rather than a list of all that lies between
            return 1.9;
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge: {
            double own = 1;
            bool first = is_literal(graph, node.children[0]),
                 second = is_literal(graph, node.children[1]);
            if (first && !second) own += constant_first;
            if (node.children[0] == node.children[1]) own += with_itself;
            if (first == second && (m.op == Op::gt || m.op == Op::ge)) own += turned;
            return own;
        }
        case Op::null_safe_eq:  // is not distinct from
            return is_literal(graph, node.children[0]) && !is_literal(graph, node.children[1])
                       ? 2.9 + constant_first
                       : 2.9;
        default:
            return 1;
    }
}

std::vector<double> costs_as_written(const egraph::EGraph& graph, const egraph::CostModel& model,
                                     const lang::Exprs& exprs,
                                     const std::vector<egraph::NodeId>& nodes) {
    std::vector<double> costs(nodes.size(), 0);
    std::vector<double> children;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        children.clear();
        for (lang::ExprId c : exprs.children(lang::ExprId{i}))
            children.push_back(costs[static_cast<std::uint32_t>(c)]);
        if (egraph::raw(nodes[i]) != egraph::none) {
            costs[i] = model.cost(graph, graph.node(nodes[i]), ExpressionCost::value, children);
            // The pairs of a CASE are nodes of the e-graph only.
            if (exprs[lang::ExprId{i}].op == Op::case_)
                costs[i] += 2 * static_cast<double>(children.size() / 2);
            continue;
        }
        for (double c : children) costs[i] += c;
        costs[i] += children.size() > 1 ? static_cast<double>(children.size()) - 1 : 0;
    }
    return costs;
}

}  // namespace satura
