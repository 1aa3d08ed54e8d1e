// Expressions of a plan, with the queries in them.
#include <algorithm>
#include <array>

#include "lang/evaluator.hpp"
#include "lang/outcome.hpp"
#include "lang/plan_runner.hpp"

namespace satura::lang {
namespace {

const Type boolean_type{TypeKind::boolean};

// Operands beside the columns of one row of the subquery.
struct Pairs {
    std::span<const Outcome* const> left;
    std::span<const Outcome> right;
    std::span<const Type> left_types;
    std::span<const Type> right_types;
};

Outcome compared(Op op, const Pairs& pairs, std::size_t i, const Context& context, Mode mode) {
    const std::array<const Outcome*, 2> sides{pairs.left[i], &pairs.right[i]};
    const std::array<Type, 2> types{pairs.left_types[i], pairs.right_types[i]};
    return apply_to(op, boolean_type, 0, sides, types, context, mode);
}

Outcome connected(Op op, std::span<const Outcome> parts, const Context& context, Mode mode) {
    if (parts.size() == 1) return parts[0];
    std::vector<const Outcome*> pointers;
    for (const Outcome& part : parts) pointers.push_back(&part);
    const std::vector<Type> types(parts.size(), boolean_type);
    return apply_to(op, boolean_type, 0, pointers, types, context, mode);
}

// (a, b) op (x, y). Rows are equal if all pairs are, unequal if one is; the first pair that is not equal decides an order.
Outcome compare_rows(Op op, const Pairs& pairs, const Context& context, Mode mode) {
    if (pairs.left.size() == 1) return compared(op, pairs, 0, context, mode);
    if (context.semantics.dialect != Dialect::postgres)
        return unknown_outcome();  // DuckDB compares rows as structs
    std::vector<Outcome> parts;
    if (!is_order_comparison(op)) {
        for (std::size_t i = 0; i < pairs.left.size(); ++i)
            parts.push_back(compared(op, pairs, i, context, mode));
        return connected(op == Op::ne ? Op::or_ : Op::and_, parts, context, mode);
    }
    for (std::size_t i = 0; i + 1 < pairs.left.size(); ++i) {
        const Outcome equal = compared(Op::eq, pairs, i, context, mode);
        if (equal.state != Outcome::State::value || equal.value.is_null()) return equal;
        if (equal.value.is_false()) return compared(op, pairs, i, context, mode);
    }
    return compared(op, pairs, pairs.left.size() - 1, context, mode);
}

}  // namespace

RowExpr::RowExpr(PlanRunner& runner, ExprId root) : runner_(&runner) {
    if (root == no_expr) {
        results_.push_back(boolean_outcome(true));
        return;
    }
    const Exprs& exprs = runner.plan().exprs;
    const std::vector<ExprId> nodes = nodes_below(exprs, root);
    results_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        steps_.push_back({exprs[nodes[i]], static_cast<std::uint32_t>(arguments_.size())});
        for (const ExprId child : exprs.children(nodes[i])) {
            const auto at = std::ranges::lower_bound(nodes, child);
            arguments_.push_back(&results_[static_cast<std::size_t>(at - nodes.begin())]);
            types_.push_back(exprs[child].type);
        }
    }
}

const Outcome& RowExpr::value() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const ExprNode& node = steps_[i].node;
        const Arguments arguments{arguments_.data() + steps_[i].first, node.count};
        const std::span<const Type> types{types_.data() + steps_[i].first, node.count};
        if (node.op == Op::column) {
            const Value* bound = runner_->bound(ColumnId{node.payload});
            results_[i] = bound != nullptr ? value_outcome(*bound) : unknown_outcome();
        } else if (node.op >= Op::exists) {
            results_[i] = subquery(steps_[i], arguments, types);
        } else {
            results_[i] = apply_to(node.op, node.type, node.payload, arguments, types,
                                   runner_->context(), runner_->mode());
        }
    }
    return results_.back();
}

RowExpr::Remembered RowExpr::rows_of(const Subquery& query, std::uint32_t id, Arguments outer) {
    Remembered entry;
    for (const Outcome* outcome : outer) {
        if (outcome->state == Outcome::State::value) entry.outer.push_back(outcome->value);
    }
    const bool known = entry.outer.size() == outer.size();
    const std::uint64_t hash = hash_row(entry.outer);
    auto& entries = remembered_[id];
    if (known) {
        const auto [first, last] = entries.equal_range(hash);
        for (auto at = first; at != last; ++at) {
            if (identical_rows(at->second.outer, entry.outer)) return at->second;
        }
    }
    entry.bag = runner_->run(query.relation);
    if (entry.bag == nullptr) entry.fault = runner_->take_fault();
    if (known) entries.emplace(hash, entry);
    return entry;
}

// EXISTS, ANY, ALL, a row and a scalar: what the rows make of the operands.
Outcome RowExpr::subquery(const Step& step, Arguments arguments, std::span<const Type> types) {
    const Plan& plan = runner_->plan();
    const Subquery& query = plan[SubqueryId{step.node.payload}];
    if (query.kind == SubqueryKind::array) return unknown_outcome();
    const Remembered rows = rows_of(query, step.node.payload, arguments.subspan(query.operands));
    if (rows.bag == nullptr) return rows.fault;
    const Bag& bag = *rows.bag;
    if (query.kind == SubqueryKind::exists) return boolean_outcome(!bag.rows.empty());
    const auto places = places_of(bag, query.columns);
    if (std::ranges::find(places, no_index) != places.end()) return unknown_outcome();
    const bool one_row = query.kind == SubqueryKind::scalar || query.kind == SubqueryKind::row;
    if (one_row && bag.rows.size() > 1) {
        const bool raises = runner_->mode() == Mode::raising;
        Outcome many{raises ? Outcome::State::error : Outcome::State::unknown,
                     {},
                     "more than one row in a subquery"};
        return many;
    }
    if (one_row && bag.rows.empty()) return null_outcome();
    if (query.kind == SubqueryKind::scalar) return value_outcome(bag.rows[0][places[0]]);
    std::vector<Type> right_types;
    for (const ColumnId column : query.columns) right_types.push_back(plan[column].type);
    std::vector<Outcome> parts;
    const bool all = query.kind == SubqueryKind::all;
    for (const Row& row : bag.rows) {
        std::vector<Outcome> right;
        for (const std::uint32_t place : places) right.push_back(value_outcome(row[place]));
        const Pairs pairs{arguments.first(query.operands), right, types, right_types};
        parts.push_back(compare_rows(query.comparison, pairs, runner_->context(), runner_->mode()));
    }
    if (parts.empty()) return boolean_outcome(all);
    return connected(all ? Op::and_ : Op::or_, parts, runner_->context(), runner_->mode());
}

}  // namespace satura::lang
