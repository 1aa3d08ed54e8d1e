// GROUP BY, grouping sets, aggregates over the whole input.
#include <algorithm>

#include "lang/fold_aggregate.hpp"
#include "lang/outcome.hpp"
#include "lang/plan_runner.hpp"

namespace satura::lang {
namespace {

// GROUPING(a, b): a bit for each key that the set lacks, the last argument's being the lowest. Unknown where an argument
// is no key.
Outcome grouping_of(const Plan& plan, const Aggregate& aggregate, const AggregateCall& call,
                    const std::vector<std::uint32_t>& set) {
    std::int64_t bits = 0;
    for (const ExprId argument : call.arguments) {
        const ExprNode& node = plan.exprs[argument];
        const auto is_key = [&](const ProjectItem& key) {
            const ExprNode& other = plan.exprs[key.expr];
            const bool same_column =
                node.op == Op::column && other.op == Op::column && node.payload == other.payload;
            return key.expr == argument || same_column;
        };
        const auto found = std::ranges::find_if(aggregate.keys, is_key);
        if (found == aggregate.keys.end()) return unknown_outcome();
        const auto index = static_cast<std::uint32_t>(found - aggregate.keys.begin());
        bits = bits * 2 + (std::ranges::find(set, index) == set.end() ? 1 : 0);
    }
    return value_outcome(Value::integer(bits));
}

// The sets of keys by which rows are grouped.
std::vector<std::vector<std::uint32_t>> sets_of(const Aggregate& aggregate) {
    std::vector<std::vector<std::uint32_t>> sets = aggregate.sets;
    for (auto& set : sets) std::ranges::sort(set);
    if (sets.empty()) {
        std::vector<std::uint32_t>& all = sets.emplace_back();
        for (std::uint32_t i = 0; i < aggregate.keys.size(); ++i) all.push_back(i);
    }
    if (aggregate.distinct_sets) {
        std::ranges::sort(sets);
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    }
    return sets;
}

}  // namespace

// What the keys and the calls read, evaluated for every row.
struct PlanRunner::Grouped {
    const Bag* in = nullptr;
    std::vector<Row> keys;
    std::vector<std::vector<Row>> arguments;  // by call and row
    std::vector<std::vector<bool>> kept;      // by call and row: what FILTER says
    std::vector<std::uint32_t> dependents;    // their places in the input
};

bool PlanRunner::evaluate_group_inputs(const Aggregate& aggregate, const Bag& in, Grouped& out) {
    std::vector<RowExpr> keys;
    keys.reserve(aggregate.keys.size());
    for (const ProjectItem& key : aggregate.keys) keys.emplace_back(*this, key.expr);
    std::vector<RowExpr> filters;
    std::vector<std::vector<RowExpr>> arguments(aggregate.calls.size());
    filters.reserve(aggregate.calls.size());
    for (std::size_t i = 0; i < aggregate.calls.size(); ++i) {
        const AggregateCall& call = aggregate.calls[i];
        filters.emplace_back(*this, call.filter);
        if (call.function == "grouping") continue;
        arguments[i].reserve(call.arguments.size());
        for (const ExprId argument : call.arguments) arguments[i].emplace_back(*this, argument);
    }
    out.in = &in;
    out.arguments.resize(aggregate.calls.size());
    out.kept.resize(aggregate.calls.size());
    out.dependents = places_of(in, aggregate.dependents);
    if (std::ranges::find(out.dependents, no_index) != out.dependents.end())
        return cannot_say("a column without input");
    Binder binder(*this, in.columns);
    const auto evaluate_all = [&](std::vector<RowExpr>& exprs, Row& row) {
        row.resize(exprs.size());
        for (std::size_t i = 0; i < exprs.size(); ++i) {
            if (!value_of(exprs[i], row[i])) return false;
        }
        return true;
    };
    for (const Row& row : in.rows) {
        binder.bind(row);
        if (!evaluate_all(keys, out.keys.emplace_back())) return false;
        for (std::size_t i = 0; i < aggregate.calls.size(); ++i) {
            Value kept;
            if (!value_of(filters[i], kept)) return false;
            out.kept[i].push_back(kept.is_true());
            Row& values = out.arguments[i].emplace_back();
            if (kept.is_true() && !evaluate_all(arguments[i], values)) return false;
        }
    }
    return true;
}

bool PlanRunner::group(const Aggregate& aggregate, const Grouped& rows,
                       const std::vector<std::uint32_t>& set, Bag& out) {
    std::vector<Type> types;
    for (const std::uint32_t key : set) types.push_back(plan_.exprs[aggregate.keys[key].expr].type);
    Groups groups(std::move(types), context_.semantics);
    std::vector<std::vector<std::size_t>> members;
    if (set.empty()) {
        groups.add({});
        members.emplace_back();
    }
    for (std::size_t i = 0; i < rows.keys.size(); ++i) {
        Row key;
        for (const std::uint32_t k : set) key.push_back(rows.keys[i][k]);
        const std::uint32_t group = groups.add(key);
        members.resize(groups.size());
        members[group].push_back(i);
    }
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        if (!groups.is_uniform(g))
            return cannot_say("which of several equal values stands for a group");
        Row row(aggregate.keys.size());
        for (std::size_t k = 0; k < set.size(); ++k) row[set[k]] = groups.key(g)[k];
        for (const std::uint32_t place : rows.dependents) {
            if (members[g].empty()) return cannot_say("a column of an empty group");
            const Value& value = rows.in->rows[members[g][0]][place];
            const auto same = [&](std::size_t i) {
                return identical(rows.in->rows[i][place], value);
            };
            if (!std::ranges::all_of(members[g], same))
                return cannot_say("a column that its group leaves open");
            row.push_back(value);
        }
        for (std::size_t i = 0; i < aggregate.calls.size(); ++i) {
            const AggregateCall& call = aggregate.calls[i];
            std::vector<Row> arguments;
            for (const std::size_t member : members[g]) {
                if (rows.kept[i][member]) arguments.push_back(rows.arguments[i][member]);
            }
            std::vector<Type> argument_types;
            for (const ExprId argument : call.arguments)
                argument_types.push_back(plan_.exprs[argument].type);
            Outcome outcome = call.function == "grouping"
                                  ? grouping_of(plan_, aggregate, call, set)
                                  : fold_aggregate(call, arguments, argument_types,
                                                   plan_[call.column].type, context_, mode_);
            if (outcome.state != Outcome::State::value) {
                fault_ = std::move(outcome);
                return false;
            }
            row.push_back(std::move(outcome.value));
        }
        if (!add_row(out, std::move(row))) return false;
    }
    return true;
}

bool PlanRunner::aggregate(const Aggregate& aggregate, const Bag& in, Bag& out) {
    Grouped rows;
    if (!evaluate_group_inputs(aggregate, in, rows)) return false;
    const auto sets = sets_of(aggregate);
    if (sets.size() > 1 && !aggregate.dependents.empty())
        return cannot_say("columns beside grouping sets");
    return std::ranges::all_of(sets,
                               [&](const auto& set) { return group(aggregate, rows, set, out); });
}

}  // namespace satura::lang
