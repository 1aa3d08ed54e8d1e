#include "optimizer/cardinality.hpp"

#include <algorithm>
#include <cstdlib>

#include "egraph/extract.hpp"
#include "lang/evaluate.hpp"
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

constexpr double range = 1.0 / 3, unequal = 0.999, null_share = 0.05, like_share = 0.1,
                 unknown_share = 0.5;

// The number of selectivities that a member guesses. A small share for each node keeps children before parents.
class Guesses : public egraph::CostModel {
  public:
    Guesses(const rules::SqlOps& ops) : ops_(ops) {}
    double cost(const EGraph&, const NodeView& node, std::uint32_t,
                std::span<const double> children) const override {
        const rules::PlanOps& plan = ops_.plan();
        double sum = 1e-6;
        const Sort sort = ops_.meaning(node.op).sort;
        for (double c : children) sum += c;
        if (sort == Sort::value) return 1e-9 + sum * 1e-3;
        if (node.op == plan.holds) return 1 + sum;
        if (node.op == plan.same) return static_cast<double>(node.children.size()) + sum;
        return sum;
    }

  private:
    const rules::SqlOps& ops_;
};

}  // namespace

Cardinality::Cardinality(const EGraph& graph, const rules::SqlOps& ops,
                         const rules::PlanKnowledge& knowledge, const lang::Catalog& catalog)
    : graph_(graph), ops_(ops), knowledge_(knowledge), catalog_(catalog) {
    estimate();
}

void Cardinality::estimate() {
    rows_.assign(graph_.id_count(), rows_default);
    const Guesses model(ops_);
    const egraph::Extraction extraction(graph_, model);
    std::vector<std::pair<double, std::uint32_t>> order;
    graph_.for_each_class([&](ClassId cls) {
        const NodeView node = graph_.node(graph_.first_node(cls));
        if (ops_.meaning(node.op).sort != Sort::relation || !extraction.has_choice(cls)) return;
        order.emplace_back(extraction.cost(cls), egraph::raw(cls));
    });
    std::ranges::sort(order);
    for (const auto& [guesses, cls] : order)
        rows_[cls] = rows_of(graph_.node(extraction.choice(ClassId{cls})));
}

double Cardinality::rows_of_table(std::uint32_t instance) const {
    const auto& table = knowledge_.scope().plan->instances[instance].table;
    if (!table || catalog_[*table].rows < 0) return rows_default;
    return catalog_[*table].rows;
}

double Cardinality::rows_of(const NodeView& node) const {
    const rules::PlanOps& plan = ops_.plan();
    const auto child = [&](std::size_t i) { return rows(ClassId{node.children[i]}); };
    if (node.op == plan.one_row) return 1;
    if (node.op == plan.empty) return 0;
    if (node.op == plan.scan) return rows_of_table(node.payload);
    if (node.op == plan.pad || node.op == plan.narrow || node.op == plan.dedup) return child(1);
    if (node.op == plan.filter) return child(1) * selectivity(ClassId{node.children[0]});
    if (const auto kind = ops_.join_kind(node.op)) return rows_of_join(node, *kind);
    return rows_of_shaped(node, *ops_.shaped(node.op));
}

double Cardinality::rows_of_join(const NodeView& node, JoinKind kind) const {
    const double left = rows(ClassId{node.children[1]}), right = rows(ClassId{node.children[2]});
    const double share = selectivity(ClassId{node.children[0]});
    const double matched = left * right * share;
    switch (kind) {
        case JoinKind::inner:
            return matched;
        case JoinKind::left:
            return std::max(matched, left);
        case JoinKind::right:
            return std::max(matched, right);
        case JoinKind::full:
            return std::max({matched, left, right});
        case JoinKind::semi:
            return left * std::min(1.0, right * share);
        case JoinKind::anti:
            return left * (1 - std::min(0.9, right * share));
    }
    return matched;
}

double Cardinality::rows_of_shaped(const NodeView& node, RelOp op) const {
    const lang::Plan& plan = *knowledge_.scope().plan;
    const NodeView shape = graph_.node(graph_.first_node(ClassId{node.children[0]}));
    const lang::Relation& relation = plan[lang::RelationId{shape.payload}];
    const auto input = [&](std::size_t i) {
        return relation.count > i ? rows(ClassId{node.children[1 + i]}) : rows_default;
    };
    switch (op) {
        case RelOp::values:
            return plan.values[relation.payload].rows;
        case RelOp::filter:
            return input(0) * unknown_share;
        case RelOp::join:
            return std::max(input(0), input(0) * input(1) / distinct_default);
        case RelOp::aggregate:
            if (plan.aggregates[relation.payload].keys.empty()) return 1;
            return std::min(input(0), std::max(1.0, input(0) / 10));
        case RelOp::distinct:
        case RelOp::distinct_on:
            return std::min(input(0), std::max(1.0, input(0) / 10));
        case RelOp::topn: {
            const lang::ExprId limit = plan.topns[relation.payload].limit;
            if (limit == lang::no_expr) return input(0);
            const lang::ExprNode& count = plan.exprs[limit];
            double rows = input(0) / 2;
            if (count.op == Op::literal) {
                const lang::Value& value =
                    ops_.context().literals[lang::LiteralId{count.payload}].value;
                if (value.kind() == lang::Value::Kind::integer)
                    rows = std::strtod(lang::value_text(value, count.type).c_str(), nullptr);
            }
            return std::min(input(0), rows);
        }
        case RelOp::set_union:
            return input(0) + input(1);
        case RelOp::with:
            return input(1);
        case RelOp::cte_scan:
        case RelOp::opaque:
            return rows_default;
        default:
            return input(0);
    }
}

double Cardinality::distinct(ClassId value) const {
    double least = distinct_default;
    bool is_key = false;
    double key_rows = 0;
    graph_.for_each_node(value, [&](const NodeView& node) {
        if (node.op != ops_[Op::column]) return;
        const lang::Plan& plan = *knowledge_.scope().plan;
        const lang::PlanColumn& column = plan.columns[node.payload];
        if (column.instance == lang::no_index || column.ordinal == lang::no_index) return;
        const auto& table = plan.instances[column.instance].table;
        if (!table) return;
        const lang::Table& t = catalog_[*table];
        if (column.ordinal < t.statistics.size() && t.statistics[column.ordinal].distinct > 0) {
            least = t.statistics[column.ordinal].distinct;
            return;
        }
        for (const lang::Key& key : t.keys) {
            if (key.columns.size() == 1 && key.columns[0] == column.ordinal) {
                is_key = true;
                key_rows = rows_of_table(column.instance);
            }
        }
    });
    return std::max(1.0, is_key ? key_rows : least);
}

double Cardinality::selectivity(ClassId truth) const {
    double share = 1;
    for (ClassId atom : rules::conjuncts(graph_, ops_, truth)) share *= selectivity_of_atom(atom);
    return share;
}

// One equality for each member but one; the more distinct side of each decides. Source: Selinger et al., SIGMOD 1979.
double Cardinality::selectivity_of_same(const NodeView& node) const {
    if (node.children.size() == 1) return 1;  // a join on the column drops NULLs as well
    std::vector<double> counts;
    bool has_constant = false;
    for (std::uint32_t child : node.children) {
        const NodeView witness = graph_.node(graph_.witness(ClassId{child}));
        if (witness.op == ops_[Op::literal])
            has_constant = true;
        else
            counts.push_back(distinct(ClassId{child}));
    }
    std::ranges::sort(counts);
    double share = 1;
    for (std::size_t i = has_constant ? 0 : 1; i < counts.size(); ++i) share /= counts[i];
    return share;
}

double Cardinality::selectivity_of_atom(ClassId truth) const {
    const rules::PlanOps& plan = ops_.plan();
    const NodeView node = graph_.node(graph_.witness(truth));
    if (node.op == plan.yes) return 1;
    if (node.op == plan.no) return 0;
    if (node.op == plan.same) return selectivity_of_same(node);
    if (node.op == plan.holds) return selectivity_of_value(ClassId{node.children[0]});
    if (node.op == plan.any) {
        double missed = 1;
        for (std::uint32_t child : node.children) {
            const NodeView below = graph_.node(graph_.witness(ClassId{child}));
            const bool is_plain = below.op == plan.same || below.op == plan.holds;
            missed *= 1 - (is_plain ? selectivity_of_atom(ClassId{child}) : range * range);
        }
        return 1 - missed;
    }
    return unknown_share;
}

double Cardinality::selectivity_of_value(ClassId value) const {
    const NodeView node = graph_.node(graph_.witness(value));
    const auto size = static_cast<double>(node.children.size());
    switch (ops_.meaning(node.op).op) {
        case Op::eq:
        case Op::null_safe_eq:
            return 1 / std::max(distinct(ClassId{node.children[0]}),
                                distinct(ClassId{node.children[1]}));
        case Op::ne:
        case Op::not_:
            return unequal;
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
            return range;
        case Op::between:
            return range * range;
        case Op::in:
            return std::min(unknown_share, (size - 1) / distinct(ClassId{node.children[0]}));
        case Op::like:
            return like_share;
        case Op::is_null:
            return null_share;
        default:
            return unknown_share;
    }
}

}  // namespace satura
