#include "rules/plan_analyses.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "rules/loose_analysis.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeView;
using lang::JoinKind;
using lang::Op;
using lang::RelOp;

std::uint32_t ColumnsAnalysis::own_columns(const NodeView& node) const {
    const PlanOps& plan = ops_.plan();
    ColumnSets& sets = scope_.column_sets;
    if (node.op == ops_[Op::column]) return sets.intern({lang::ColumnId{node.payload}});
    if (node.op == plan.columns) return node.payload;
    if (node.op == plan.shape) return scope_.shape_columns[node.payload];
    if (node.op == plan.scan)
        return sets.intern((*scope_.plan)[lang::InstanceId{node.payload}].columns);
    const Op op = ops_.meaning(node.op).op;
    if (ops_.meaning(node.op).sort == Sort::value && op >= Op::exists)
        return scope_.subquery_reads[node.payload];
    return 0;
}

egraph::Analysis::Value ColumnsAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                              const NodeView& node) {
    std::uint32_t set = own_columns(node);
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    const auto of = [&](std::size_t i) {
        const Value value = graph.value(self, ClassId{node.children[i]});
        return value == 0 ? 0 : value - 1;
    };
    if (m.sort != Sort::relation) {
        for (std::size_t i = 0; i < node.children.size(); ++i)
            set = scope_.column_sets.unite(set, of(i));
    } else if (node.op == ops_.plan().filter) {
        set = of(1);
    } else if (node.op == ops_.plan().narrow || node.op == ops_.plan().dedup) {
        set = of(0);
    } else if (node.op == ops_.plan().pad) {
        set = scope_.column_sets.unite(of(0), of(1));
    } else if (const auto kind = ops_.join_kind(node.op)) {
        const bool is_half = *kind == JoinKind::semi || *kind == JoinKind::anti;
        set = is_half ? of(1) : scope_.column_sets.unite(of(1), of(2));
    } else if (!node.children.empty()) {
        set = of(0);  // a shape, or the columns of `empty`
    }
    return set + 1;
}

// Members of a class read different columns where one of them does not depend on some; members of relations agree.
egraph::Analysis::Value ColumnsAnalysis::join(Value a, Value b) {
    if (a == 0 || b == 0) return std::max(a, b);
    if (scope_.column_sets.is_subset(a - 1, b - 1)) return a;
    if (scope_.column_sets.is_subset(b - 1, a - 1)) return b;
    const std::size_t x = scope_.column_sets[a - 1].size(), y = scope_.column_sets[b - 1].size();
    return x != y ? (x < y ? a : b) : std::min(a, b);
}

egraph::Analysis::Value FactsAnalysis::intern(Facts facts) {
    std::ranges::sort(facts.truths);
    const auto repeated = std::ranges::unique(facts.truths);
    facts.truths.erase(repeated.begin(), repeated.end());
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(facts), static_cast<Value>(entries_.size()));
    if (fresh) entries_.push_back(&it->first);
    return it->second;
}

egraph::Analysis::Value FactsAnalysis::join(Value a, Value b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    Facts both = *entries_[a];
    const Facts& more = *entries_[b];
    both.truths.insert(both.truths.end(), more.truths.begin(), more.truths.end());
    both.null_columns = scope_.column_sets.unite(both.null_columns, more.null_columns);
    return intern(std::move(both));
}

// What facts say of these columns and of outer ones. Of a row that stands for others only these are its own.
egraph::Analysis::Value FactsAnalysis::about(const EGraph& graph, Value value,
                                             std::uint32_t columns) {
    ColumnSets& sets = scope_.column_sets;
    const std::uint32_t seen = sets.unite(columns, scope_.outer_columns);
    const Facts all = *entries_[value];
    Facts facts;
    facts.null_columns = sets.intersect(all.null_columns, columns);
    for (std::uint32_t truth : all.truths) {
        const Value read = graph.value(columns_, ClassId{graph.find(truth)});
        if (read != 0 && sets.is_subset(read - 1, seen)) facts.truths.push_back(truth);
    }
    return intern(std::move(facts));
}

egraph::Analysis::Value FactsAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                            const NodeView& node) {
    const PlanOps& plan = ops_.plan();
    if (ops_.meaning(node.op).sort != Sort::relation) return 0;
    const auto of = [&](std::size_t i) { return graph.value(self, ClassId{node.children[i]}); };
    const auto with_truth = [&](Value value) {
        Facts facts = *entries_[value];
        facts.truths.push_back(graph.find(node.children[0]));
        return intern(std::move(facts));
    };
    if (node.op == plan.scan) {
        Facts facts;
        for (ClassId truth : scope_.scan_truths[node.payload])
            facts.truths.push_back(graph.find(egraph::raw(truth)));
        return intern(std::move(facts));
    }
    if (node.op == plan.empty) {
        // No row: anything holds for each.
        Facts facts;
        if (const auto no = graph.lookup(plan.no, 0, std::span<const ClassId>{}))
            facts.truths.push_back(egraph::raw(*no));
        return intern(std::move(facts));
    }
    if (node.op == plan.filter) return with_truth(of(1));
    if (node.op == plan.narrow) return of(1);
    if (node.op == plan.dedup)
        return about(graph, of(1), graph.value(columns_, ClassId{node.children[0]}) - 1);
    if (node.op == plan.pad) {
        Facts facts = *entries_[of(1)];
        const Value columns = graph.value(columns_, ClassId{node.children[0]});
        facts.null_columns = scope_.column_sets.unite(facts.null_columns, columns - 1);
        return intern(std::move(facts));
    }
    if (const auto kind = ops_.join_kind(node.op)) {
        switch (*kind) {
            case JoinKind::inner:
                return with_truth(join(of(1), of(2)));
            case JoinKind::left:
            case JoinKind::semi:
            case JoinKind::anti:
                return of(1);
            case JoinKind::right:
                return of(2);
            case JoinKind::full:
                return 0;
        }
    }
    return of_shaped(graph, self, node);
}

// Columns keep their ids through projections, so what is known of those that are handed on stays true. What is known of
// others does no harm: nothing above reads them.
egraph::Analysis::Value FactsAnalysis::of_shaped(const EGraph& graph, egraph::AnalysisId self,
                                                 const NodeView& node) {
    const auto op = ops_.shaped(node.op);
    if (!op || node.children.size() < 2) return 0;
    const auto input = [&] { return graph.value(self, ClassId{node.children[1]}); };
    switch (*op) {
        case RelOp::filter:
        case RelOp::project:
        case RelOp::distinct:
        case RelOp::distinct_on:
        case RelOp::topn:
        case RelOp::window:
            return input();
        default:
            return 0;
    }
}

egraph::Analysis::Value PaddedAnalysis::join(Value a, Value b) {
    if (a == 0 || b == 0) return std::max(a, b);
    return scope_.column_sets.unite(a - 1, b - 1) + 1;
}

egraph::Analysis::Value PaddedAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                             const NodeView& node) {
    if (ops_.meaning(node.op).sort != Sort::relation) return 0;
    Value padded = 0;
    for (std::uint32_t child : node.children)
        padded = join(padded, graph.value(self, ClassId{child}));
    const auto columns = [&](std::size_t i) {
        return graph.value(columns_, ClassId{node.children[i]});
    };
    const auto kind = ops_.join_kind(node.op);
    const bool pads_right = kind == JoinKind::left || kind == JoinKind::full;
    const bool pads_left = kind == JoinKind::right || kind == JoinKind::full;
    if (pads_left) padded = join(padded, columns(1));
    if (pads_right) padded = join(padded, columns(2));
    return padded;
}

egraph::Analysis::Value KeysAnalysis::intern(Keys keys) {
    std::ranges::sort(keys);
    const auto repeated = std::ranges::unique(keys);
    keys.erase(repeated.begin(), repeated.end());
    // A key that holds another says no more than it.
    Keys least;
    for (std::uint32_t key : keys) {
        const bool holds_other = std::ranges::any_of(keys, [&](std::uint32_t other) {
            return other != key && scope_.column_sets.is_subset(other, key);
        });
        if (!holds_other && least.size() < keys_max) least.push_back(key);
    }
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(least), static_cast<Value>(entries_.size()));
    if (fresh) entries_.push_back(&it->first);
    return it->second;
}

egraph::Analysis::Value KeysAnalysis::join(Value a, Value b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    Keys both = *entries_[a];
    both.insert(both.end(), entries_[b]->begin(), entries_[b]->end());
    return intern(std::move(both));
}

// A pair of rows is found by a key of each. Padded columns are NULL together, and where they are, the other side's row stands
// alone, so the same holds for outer joins.
KeysAnalysis::Keys KeysAnalysis::of_join(const Keys& left, const Keys& right) const {
    Keys out;
    for (std::uint32_t l : left) {
        for (std::uint32_t r : right) out.push_back(scope_.column_sets.unite(l, r));
    }
    return out;
}

KeysAnalysis::Keys KeysAnalysis::within(const Keys& keys, std::uint32_t columns) const {
    Keys out;
    for (std::uint32_t key : keys) {
        if (scope_.column_sets.is_subset(key, columns)) out.push_back(key);
    }
    return out;
}

egraph::Analysis::Value KeysAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                           const NodeView& node) {
    const PlanOps& plan = ops_.plan();
    if (ops_.meaning(node.op).sort != Sort::relation) return 0;
    const auto of = [&](std::size_t i) { return graph.value(self, ClassId{node.children[i]}); };
    if (node.op == plan.one_row || node.op == plan.empty) return intern({0});
    if (node.op == plan.scan) return intern(scope_.scan_keys[node.payload]);
    if (node.op == plan.filter || node.op == plan.pad) return of(1);
    if (node.op == plan.dedup) return 0;  // the plan that stands for it may repeat rows
    if (node.op == plan.narrow) {
        const Value columns = graph.value(columns_, ClassId{node.children[0]});
        return intern(within(*entries_[of(1)], columns - 1));
    }
    if (const auto kind = ops_.join_kind(node.op)) {
        if (*kind == JoinKind::semi || *kind == JoinKind::anti) return of(1);
        if (*kind == JoinKind::full) return 0;
        return intern(of_join(*entries_[of(1)], *entries_[of(2)]));
    }
    return intern(of_shaped(graph, self, node));
}

KeysAnalysis::Keys KeysAnalysis::of_shaped(const EGraph& graph, egraph::AnalysisId self,
                                           const NodeView& node) const {
    const NodeView shape = graph.node(graph.first_node(ClassId{graph.find(node.children[0])}));
    const lang::Relation& relation = (*scope_.plan)[lang::RelationId{shape.payload}];
    const std::uint32_t columns = scope_.shape_columns[shape.payload];
    const auto input = [&]() -> const Keys& {
        return *entries_[graph.value(self, ClassId{node.children[1]})];
    };
    switch (*ops_.shaped(node.op)) {
        case RelOp::filter:
        case RelOp::window:
        case RelOp::distinct_on:
            return input();
        case RelOp::project:
            return within(input(), columns);
        case RelOp::topn: {
            const lang::ExprId limit = scope_.plan->topns[relation.payload].limit;
            if (limit == lang::no_expr || scope_.plan->topns[relation.payload].with_ties)
                return input();
            const lang::ExprNode& count = scope_.plan->exprs[limit];
            if (count.op != Op::literal) return input();
            const lang::Literal& literal = ops_.context().literals[lang::LiteralId{count.payload}];
            return !literal.value.is_null() && lang::value_text(literal.value, literal.type) == "1"
                       ? Keys{0}
                       : input();
        }
        case RelOp::distinct:
            return {columns};
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return relation.all ? Keys{} : Keys{columns};
        case RelOp::aggregate: {
            const lang::Aggregate& aggregate = scope_.plan->aggregates[relation.payload];
            if (!aggregate.sets.empty()) return {};
            ColumnSets::Columns keys;
            for (const lang::ProjectItem& key : aggregate.keys) keys.push_back(key.column);
            return {scope_.column_sets.intern(std::move(keys))};
        }
        default:
            return {};
    }
}

PlanKnowledge::PlanKnowledge(EGraph& graph, const SqlOps& ops, PlanScope& scope) : scope_(&scope) {
    ids_[0] = graph.add_analysis(std::make_shared<ColumnsAnalysis>(ops, scope));
    facts_ = std::make_shared<FactsAnalysis>(ops, scope, ids_[0]);
    ids_[1] = graph.add_analysis(facts_);
    keys_ = std::make_shared<KeysAnalysis>(ops, scope, ids_[0]);
    ids_[2] = graph.add_analysis(std::make_shared<PaddedAnalysis>(ops, scope, ids_[0]));
    ids_[3] = graph.add_analysis(keys_);
    ids_[4] = graph.add_analysis(std::make_shared<LooseAnalysis>(ops));
}

}  // namespace satura::rules
