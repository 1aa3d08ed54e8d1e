#include "optimizer/plan_cost.hpp"

#include <algorithm>
#include <cmath>

#include "rules/closure.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeView;
using lang::JoinKind;
using lang::Op;
using lang::RelOp;
using rules::Sort;

namespace {

constexpr double per_token = 0.01;  // evaluating one token of an expression on one row
constexpr double hashed = 1.5;      // a row put into a hash table
constexpr double fetched = 2;       // a row fetched by an index
// An outer join keeps track of what matched, and leaves an engine fewer orders to choose from.
constexpr double padding = 0.05;
constexpr double raising_extra = 100;  // tokens

double log_of(double rows) { return std::log2(std::max(2.0, rows)); }

}  // namespace

std::uint32_t PlanCost::child_variant(const EGraph& graph, const NodeView& node, std::size_t i,
                                      std::uint32_t variant) const {
    if (ops_.meaning(node.op).sort == Sort::value)
        return expressions_.child_variant(graph, node, i, variant);
    return node.op == ops_.plan().holds ? ExpressionCost::filter : ExpressionCost::value;
}

bool PlanCost::admits(const EGraph&, const NodeView& node, std::uint32_t variant) const {
    if (ops_.meaning(node.op).sort != Sort::value && variant != ExpressionCost::value) return false;
    return !banned.contains(egraph::raw(node.id));
}

double PlanCost::cost(const EGraph& graph, const NodeView& node, std::uint32_t variant,
                      std::span<const double> children) const {
    const Sort sort = ops_.meaning(node.op).sort;
    if (sort == Sort::value) {
        const double extra = raising.contains(egraph::raw(node.id)) ? raising_extra : 0;
        return expressions_.cost(graph, node, variant, children) + extra;
    }
    double sum = 0, expressions = 0;
    for (std::size_t i = 0; i < children.size(); ++i) {
        sum += children[i];
        const NodeView child = graph.node(graph.first_node(ClassId{graph.find(node.children[i])}));
        if (ops_.meaning(child.op).sort != Sort::relation) expressions += children[i];
    }
    if (sort == Sort::truth) {
        const bool is_joined =
            node.op == ops_.plan().all || node.op == ops_.plan().any || node.op == ops_.plan().same;
        const auto size = static_cast<double>(node.children.size());
        return sum + (is_joined ? std::max(1.0, size - 1) : 0);
    }
    if (sort == Sort::columns) return 0;
    return sum + own_cost(graph, node, expressions);
}

double PlanCost::own_cost(const EGraph& graph, const NodeView& node, double expressions) const {
    const rules::PlanOps& plan = ops_.plan();
    const double out = cardinality_.rows(graph.class_of(node.id));
    const auto rows = [&](std::size_t i) { return cardinality_.rows(ClassId{node.children[i]}); };
    if (node.op == plan.one_row || node.op == plan.scan) return 1;
    if (node.op == plan.empty || node.op == plan.narrow || node.op == plan.dedup) return 0;
    if (node.op == plan.pad) return reading(graph, ClassId{node.children[1]}) + rows(1) * 0.1 + 1;
    if (node.op == plan.filter) return filter_cost(graph, node, expressions) + out * 0.1 + 1;
    if (const auto kind = ops_.join_kind(node.op)) {
        const bool pads =
            *kind == JoinKind::left || *kind == JoinKind::right || *kind == JoinKind::full;
        return join_cost(graph, node, expressions) + out * (pads ? 1 + padding : 1) + 1;
    }
    double in = 0, read = 1;
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const NodeView child = graph.node(graph.first_node(ClassId{graph.find(node.children[i])}));
        if (ops_.meaning(child.op).sort != Sort::relation) continue;
        in += rows(i);
        read += reading(graph, ClassId{node.children[i]});
    }
    switch (*ops_.shaped(node.op)) {
        case RelOp::project:
            return in * (0.1 + per_token * expressions) + read;
        case RelOp::join:
            return in + out * (1 + per_token * expressions) + read;
        case RelOp::topn:
        case RelOp::distinct:
        case RelOp::distinct_on:
        case RelOp::window:
        case RelOp::aggregate:
            return in * (1 + 0.1 * log_of(in) + per_token * expressions) + read;
        default:
            return in * (1 + per_token * expressions) + out * 0.1 + read;
    }
}

double PlanCost::reading(const EGraph& graph, ClassId relation) const {
    bool is_table = false;
    graph.for_each_node(relation, [&](const NodeView& node) {
        is_table = is_table || node.op == ops_.plan().scan;
        if (node.op != ops_.plan().narrow && node.op != ops_.plan().dedup) return;
        graph.for_each_node(ClassId{node.children[1]}, [&](const NodeView& below) {
            is_table = is_table || below.op == ops_.plan().scan;
        });
    });
    return is_table ? cardinality_.rows(relation) : 0;
}

// How an index on a table's column makes a conjunct cheap; of several the one that leaves the fewest rows.
std::optional<PlanCost::Access> PlanCost::index_access(const EGraph& graph, ClassId truth,
                                                       ClassId relation, bool by_constant) const {
    std::optional<std::uint32_t> instance;
    graph.for_each_node(relation, [&](const NodeView& node) {
        if (node.op == ops_.plan().scan) instance = node.payload;
    });
    if (!instance) return std::nullopt;
    const lang::Plan& plan = *knowledge_.scope().plan;
    const auto& table = plan.instances[*instance].table;
    if (!table) return std::nullopt;
    const auto is_served = [&](std::uint32_t cls) {
        bool found = false;
        graph.for_each_node(ClassId{cls}, [&](const NodeView& node) {
            if (node.op != ops_[Op::column]) return;
            const lang::PlanColumn& column = plan.columns[node.payload];
            if (column.instance != *instance || column.ordinal == lang::no_index) return;
            for (const lang::Index& index : catalog_[*table].indexes) {
                found = found || (!index.partial && !index.columns.empty() &&
                                  index.columns[0] == column.ordinal);
            }
        });
        return found;
    };
    const auto is_constant = [&](std::uint32_t cls) {
        return graph.node(graph.witness(ClassId{cls})).op == ops_[Op::literal];
    };
    std::optional<Access> best;
    for (ClassId atom : rules::conjuncts(graph, ops_, truth)) {
        bool usable = false;
        graph.for_each_node(atom, [&](const NodeView& node) {
            if (node.op == ops_.plan().same && node.children.size() > 1) {
                const bool served = std::ranges::any_of(node.children, is_served);
                const bool constant = std::ranges::any_of(node.children, is_constant);
                usable = usable || (served && (constant || !by_constant));
            }
            if (node.op != ops_.plan().holds || !by_constant) return;
            graph.for_each_node(ClassId{node.children[0]}, [&](const NodeView& value) {
                const Op op = ops_.meaning(value.op).op;
                const bool compares = lang::is_order_comparison(op) || op == Op::in ||
                                      op == Op::between || op == Op::eq;
                if (!compares || value.children.empty() || !is_served(value.children[0])) return;
                usable = usable ||
                         std::all_of(value.children.begin() + 1, value.children.end(), is_constant);
            });
        });
        if (!usable) continue;
        const double share = cardinality_.selectivity(atom);
        if (!best || share < best->share)
            best = Access{share, cardinality_.rows_of_table(*instance)};
    }
    return best;
}

double PlanCost::filter_cost(const EGraph& graph, const NodeView& node, double expressions) const {
    const ClassId input{node.children[1]};
    const double per_row = 0.1 + per_token * expressions;
    const double all = reading(graph, input) + cardinality_.rows(input) * per_row;
    const auto access = index_access(graph, ClassId{node.children[0]}, input, true);
    if (!access) return all;
    const double matched = access->rows * access->share;
    return std::min(all, log_of(access->rows) + matched * (fetched + per_row));
}

double PlanCost::join_cost(const EGraph& graph, const NodeView& node, double expressions) const {
    const ClassId condition{node.children[0]}, left{node.children[1]}, right{node.children[2]};
    const double l = cardinality_.rows(left), r = cardinality_.rows(right);
    const auto& sets = knowledge_.scope().column_sets;
    const std::uint32_t l_columns = knowledge_.columns(graph, left),
                        r_columns = knowledge_.columns(graph, right);
    bool can_hash = false;
    for (ClassId atom : rules::conjuncts(graph, ops_, condition)) {
        graph.for_each_node(atom, [&](const NodeView& same) {
            if (same.op != ops_.plan().same) return;
            bool reads_left = false, reads_right = false;
            for (std::uint32_t child : same.children) {
                const std::uint32_t read = knowledge_.columns(graph, ClassId{child});
                if (read == 0) continue;
                reads_left = reads_left || sets.is_subset(read, l_columns);
                reads_right = reads_right || sets.is_subset(read, r_columns);
            }
            can_hash = can_hash || (reads_left && reads_right);
        });
    }
    const double per_pair = 0.5 + per_token * expressions;
    const double read = reading(graph, left) + reading(graph, right);
    double best = read + l + l * r * per_pair;
    if (can_hash) {
        best = std::min(best, read + l + r * hashed + per_token * expressions * (l + r));
        const auto kind = *ops_.join_kind(node.op);
        const bool may_look_up = kind != JoinKind::full && kind != JoinKind::right;
        const auto by_right = index_access(graph, condition, right, false);
        if (may_look_up && by_right)
            best = std::min(
                best, reading(graph, left) + l * (1 + log_of(by_right->rows) +
                                                  fetched * by_right->rows * by_right->share));
        const auto by_left = index_access(graph, condition, left, false);
        if (kind == JoinKind::inner && by_left)
            best = std::min(best,
                            reading(graph, right) + r * (1 + log_of(by_left->rows) +
                                                         fetched * by_left->rows * by_left->share));
    }
    return best;
}

}  // namespace satura
