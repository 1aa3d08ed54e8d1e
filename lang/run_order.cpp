// ORDER BY with LIMIT and OFFSET, DISTINCT ON: only where the order leaves nothing open.
#include <algorithm>
#include <numeric>

#include "lang/number.hpp"
#include "lang/plan_runner.hpp"

namespace satura::lang {
namespace {

// Negative when a comes first, nothing when the order does not say.
std::optional<int> in_order(const Value& a, const Value& b, const SortKey& key, Type type,
                            const Semantics& semantics) {
    if (a.is_null() && b.is_null()) return 0;
    if (a.is_null()) return key.nulls_first ? -1 : 1;
    if (b.is_null()) return key.nulls_first ? 1 : -1;
    if (identical(a, b)) return 0;
    const std::optional<int> order = compare(a, b, type, semantics);
    if (!order) return std::nullopt;
    return key.descending ? -*order : *order;
}

bool all_identical(const Bag& bag, std::span<const std::uint32_t> places) {
    return std::ranges::all_of(
        places, [&](std::uint32_t i) { return identical_rows(bag.rows[i], bag.rows[places[0]]); });
}

}  // namespace

// The rows' places in order, and for each of them its rank: rows with equal keys share one.
bool PlanRunner::order(std::span<const SortKey> keys, const Bag& in,
                       std::vector<std::uint32_t>& places, std::vector<std::uint32_t>& ranks) {
    std::vector<RowExpr> exprs;
    std::vector<Type> types;
    exprs.reserve(keys.size());
    for (const SortKey& key : keys) {
        const std::string& op = key.using_operator;
        if (!op.empty() && op != "<" && op != ">")
            return cannot_say("an order by an operator of its own");
        exprs.emplace_back(*this, key.expr);
        types.push_back(plan_.exprs[key.expr].type);
    }
    std::vector<Row> values;
    Binder binder(*this, in.columns);
    for (const Row& row : in.rows) {
        binder.bind(row);
        Row& value = values.emplace_back(keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!value_of(exprs[i], value[i])) return false;
        }
    }
    bool open = false;
    const auto compared = [&](std::uint32_t a, std::uint32_t b) {
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto order =
                in_order(values[a][i], values[b][i], keys[i], types[i], context_.semantics);
            if (!order) open = true;
            if (order.value_or(0) != 0) return *order;
        }
        return 0;
    };
    places.resize(in.rows.size());
    std::iota(places.begin(), places.end(), 0U);
    std::ranges::stable_sort(places,
                             [&](std::uint32_t a, std::uint32_t b) { return compared(a, b) < 0; });
    ranks.assign(places.size(), 0);
    for (std::size_t i = 1; i < places.size(); ++i) {
        ranks[i] = ranks[i - 1] + (compared(places[i - 1], places[i]) != 0 ? 1 : 0);
    }
    return !open || cannot_say("an order of values that have none");
}

// The value of LIMIT or OFFSET; nothing where there is none.
bool PlanRunner::count_of(ExprId expr, std::optional<std::uint64_t>& out) {
    if (expr == no_expr) return true;
    RowExpr count(*this, expr);
    Value value;
    if (!value_of(count, value)) return false;
    if (value.is_null()) return true;
    if (value.kind() != Value::Kind::integer || !value.is_small())
        return cannot_say("a limit that is no integer");
    if (value.small() < 0) return raise("a limit must not be negative");
    out = static_cast<std::uint64_t>(value.small());
    return true;
}

bool PlanRunner::topn(const TopN& topn, const Bag& in, Bag& out) {
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> offset;
    if (!count_of(topn.limit, limit) || !count_of(topn.offset, offset)) return false;
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> ranks;
    if (!order(topn.keys, in, places, ranks)) return false;
    const std::size_t begin = std::min<std::uint64_t>(offset.value_or(0), places.size());
    std::size_t end =
        begin + std::min<std::uint64_t>(limit.value_or(places.size()), places.size() - begin);
    if (topn.with_ties && end > begin) {
        while (end < places.size() && ranks[end] == ranks[end - 1]) ++end;
    }
    for (const std::size_t cut : {begin, end}) {
        if (cut == 0 || cut == places.size() || begin == end || ranks[cut - 1] != ranks[cut])
            continue;
        const auto [first, last] = std::ranges::equal_range(ranks, ranks[cut]);
        const std::span tied(places.begin() + (first - ranks.begin()),
                             static_cast<std::size_t>(last - first));
        if (!all_identical(in, tied)) return cannot_say("a limit that cuts through ties");
    }
    for (std::size_t i = begin; i < end; ++i) {
        if (!add_row(out, in.rows[places[i]])) return false;
    }
    return true;
}

bool PlanRunner::distinct_on(const DistinctOn& on, const Bag& in, Bag& out) {
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> ranks;
    if (!order(on.order, in, places, ranks)) return false;
    std::vector<RowExpr> exprs;
    std::vector<Type> types;
    exprs.reserve(on.keys.size());
    for (const ExprId key : on.keys) {
        exprs.emplace_back(*this, key);
        types.push_back(plan_.exprs[key].type);
    }
    Groups groups(std::move(types), context_.semantics);
    std::vector<std::size_t> first;  // of each group, in places
    Binder binder(*this, in.columns);
    for (std::size_t i = 0; i < places.size(); ++i) {
        binder.bind(in.rows[places[i]]);
        Row key(exprs.size());
        for (std::size_t k = 0; k < exprs.size(); ++k) {
            if (!value_of(exprs[k], key[k])) return false;
        }
        const std::uint32_t group = groups.add(key);
        if (group == first.size()) {
            first.push_back(i);
            if (!add_row(out, in.rows[places[i]])) return false;
            continue;
        }
        const std::uint32_t chosen = places[first[group]];
        if (ranks[i] == ranks[first[group]] &&
            !identical_rows(in.rows[chosen], in.rows[places[i]])) {
            return cannot_say("a DISTINCT ON that leaves the row open");
        }
    }
    return true;
}

}  // namespace satura::lang
