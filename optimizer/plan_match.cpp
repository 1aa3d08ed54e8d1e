#include "optimizer/plan_match.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "rules/closure.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using egraph::NodeView;
using lang::ColumnId;
using lang::ExprId;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

// A relation may have been rewritten so often that comparing all its forms with all others costs more than it brings.
constexpr std::size_t nodes_of_shape_max = 32;

std::string text_of(const std::vector<lang::SortKey>& keys) {
    std::string text;
    for (const lang::SortKey& key : keys)
        text += fmt::format("{}{}{};", key.descending ? 'd' : 'a', key.nulls_first ? 'f' : 'l',
                            key.using_operator);
    return text;
}

std::string text_of(const lang::AggregateCall& call) {
    return fmt::format("{} {} {} {} {}", call.function, call.star, call.distinct,
                       call.filter != lang::no_expr, text_of(call.order));
}

// Where each of b's items stands among a's; empty if they are not the same items.
template <class Item>
std::vector<std::uint32_t> places_of(const std::vector<Item>& a, const std::vector<Item>& b) {
    std::vector<std::uint32_t> places;
    if (a.size() != b.size()) return places;
    std::vector<bool> used(a.size(), false);
    for (const Item& item : b) {
        std::uint32_t at = 0;
        while (at < a.size() && (used[at] || !(a[at] == item))) ++at;
        if (at == a.size()) return {};
        used[at] = true;
        places.push_back(at);
    }
    return places;
}

}  // namespace

PlanMatch::PlanMatch(RuleEngine& engine, const FlatQuery& first, const FlatQuery& second,
                     const JointPlan& joint, const rules::EncodedPlan& encoded)
    : engine_(engine), first_(first), second_(second), joint_(joint), encoded_(encoded) {
    find_nodes();
}

void PlanMatch::find_nodes() {
    const EGraph& graph = engine_.graph;
    nodes_.resize(joint_.plan.size());
    graph.for_each_class([&](ClassId cls) {
        graph.for_each_node(cls, [&](const NodeView& node) {
            if (!engine_.ops.shaped(node.op) || node.children.empty()) return;
            const NodeView shape =
                graph.node(graph.first_node(graph.find(ClassId{node.children[0]})));
            auto& nodes = nodes_[shape.payload];
            if (nodes.size() < nodes_of_shape_max) nodes.push_back(node.id);
        });
    });
}

bool PlanMatch::extend(Renaming& renaming, std::vector<bool>& total) {
    total_ = &total;
    bool is_new = false;
    std::vector<bool> taken(first_.plan.size(), false);
    for (const auto& partner : renaming.relations) {
        if (partner) taken[index(*partner)] = true;
    }
    for (std::uint32_t b = 0; b < second_.plan.size(); ++b) {
        if (renaming.relations[b] || index(joint_.relations[1][b]) == lang::no_index) continue;
        for (std::uint32_t a = 0; a < first_.plan.size(); ++a) {
            if (taken[a] || index(joint_.relations[0][a]) == lang::no_index) continue;
            if (!try_pair(RelationId{a}, RelationId{b}, renaming)) continue;
            taken[a] = true;
            is_new = true;
            break;
        }
    }
    return extend_subqueries(renaming) || is_new;
}

bool PlanMatch::try_pair(RelationId a, RelationId b, Renaming& renaming) {
    const Relation& x = first_.plan[a];
    const Relation& y = second_.plan[b];
    if (x.op != y.op || x.join != y.join || x.lateral != y.lateral || x.all != y.all ||
        x.count != y.count)
        return false;
    for (NodeId m : nodes_[index(joint_.relations[0][index(a)])]) {
        for (NodeId n : nodes_[index(joint_.relations[1][index(b)])]) {
            const Side mine{first_.plan, a, engine_.graph.node(m)};
            const Side its{second_.plan, b, engine_.graph.node(n)};
            if (!has_same_inputs(mine, its)) continue;
            Renaming extended = renaming;
            if (!try_nodes(mine, its, extended)) continue;
            extended.relations[index(b)] = a;
            renaming = std::move(extended);
            return true;
        }
    }
    return false;
}

bool PlanMatch::has_same_inputs(const Side& a, const Side& b) const {
    if (a.node.op != b.node.op || a.node.children.size() != b.node.children.size()) return false;
    for (std::size_t i = 1; i <= a.plan[a.id].count; ++i) {
        if (engine_.graph.find(a.node.children[i]) != engine_.graph.find(b.node.children[i]))
            return false;
    }
    return true;
}

PlanMatch::Classes PlanMatch::own_classes(const Side& side) const {
    Classes classes;
    for (std::size_t i = 1 + side.plan[side.id].count; i < side.node.children.size(); ++i)
        classes.push_back(engine_.graph.find(side.node.children[i]));
    return classes;
}

bool PlanMatch::try_nodes(const Side& a, const Side& b, Renaming& renaming) const {
    const RelationId id = a.id;
    switch (a.plan[id].op) {
        case RelOp::project:
        case RelOp::aggregate:
        case RelOp::window:
            return match_items(a, b, renaming);
        case RelOp::values:
            return match_values(a, b, renaming);
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return match_sets(a, b, renaming);
        case RelOp::topn: {
            const lang::TopN& topn = a.plan.topns[a.plan[id].payload];
            if (own_classes(a) != own_classes(b)) return false;
            if (is_total(topn, a.node)) (*total_)[index(id)] = true;
            return true;
        }
        case RelOp::join:
        case RelOp::distinct:
            return own_classes(a) == own_classes(b);
        default:
            return false;
    }
}

namespace {

// The items of a projection, the keys and calls of an aggregate, the calls of a window: their texts, how many expressions
// each has, and the columns that they make.
struct Items {
    struct One {
        std::string text;
        std::size_t width = 1;
        ColumnId column{};
    };
    std::vector<One> keys, calls;
};

std::size_t width_of(const lang::AggregateCall& call) {
    return call.arguments.size() + (call.filter != lang::no_expr) + call.order.size();
}

Items items_of(const Plan& plan, RelationId id) {
    const Relation& relation = plan[id];
    Items items;
    if (relation.op == RelOp::project) {
        for (const auto& item : plan.projects[relation.payload])
            items.keys.push_back({"", 1, item.column});
    } else if (relation.op == RelOp::aggregate) {
        const lang::Aggregate& aggregate = plan.aggregates[relation.payload];
        for (const auto& key : aggregate.keys) items.keys.push_back({"", 1, key.column});
        for (const auto& call : aggregate.calls)
            items.calls.push_back({text_of(call), width_of(call), call.column});
    } else {
        for (const lang::WindowCall& call : plan.windows[relation.payload]) {
            std::size_t width = width_of(call.call) + call.partition.size() + call.order.size();
            width += call.frame.start_offset != lang::no_expr;
            width += call.frame.end_offset != lang::no_expr;
            items.keys.push_back(
                {fmt::format("{} {} {} {} {} {}", text_of(call.call), call.partition.size(),
                             text_of(call.order), static_cast<int>(call.frame.mode),
                             static_cast<int>(call.frame.start), static_cast<int>(call.frame.end)),
                 width, call.call.column});
        }
    }
    return items;
}

}  // namespace

bool PlanMatch::match_items(const Side& a, const Side& b, Renaming& renaming) const {
    const Items mine = items_of(a.plan, a.id), its = items_of(b.plan, b.id);
    const auto with_classes = [](const std::vector<Items::One>& items, const Classes& classes,
                                 std::size_t& next) {
        std::vector<Item> out;
        for (const Items::One& item : items) {
            const auto begin = classes.begin() + static_cast<std::ptrdiff_t>(next);
            out.push_back({item.text, {begin, begin + static_cast<std::ptrdiff_t>(item.width)}});
            next += item.width;
        }
        return out;
    };
    const Classes own_a = own_classes(a), own_b = own_classes(b);
    std::size_t next_a = 0, next_b = 0;
    std::vector<std::uint32_t> all;
    for (const auto part : {&Items::keys, &Items::calls}) {
        const std::vector<Item> left = with_classes(mine.*part, own_a, next_a);
        const std::vector<Item> right = with_classes(its.*part, own_b, next_b);
        const std::vector<std::uint32_t> places = places_of(left, right);
        if (places.size() != left.size() || left.size() != right.size()) return false;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!renaming.unite(a.plan, (mine.*part)[places[i]].column, b.plan,
                                (its.*part)[i].column))
                return false;
        }
        all.insert(all.end(), places.begin(), places.end());
    }
    renaming.places[index(b.id)] = std::move(all);
    return true;
}

bool PlanMatch::match_values(const Side& a, const Side& b, Renaming& renaming) const {
    const lang::Values& mine = a.plan.values[a.plan[a.id].payload];
    const lang::Values& its = b.plan.values[b.plan[b.id].payload];
    if (mine.rows != its.rows || mine.columns.size() != its.columns.size() ||
        own_classes(a) != own_classes(b))
        return false;
    for (std::size_t i = 0; i < mine.columns.size(); ++i) {
        if (!renaming.unite(a.plan, mine.columns[i], b.plan, its.columns[i])) return false;
    }
    return true;
}

bool PlanMatch::match_sets(const Side& a, const Side& b, Renaming& renaming) const {
    const lang::SetOperation& mine = a.plan.set_operations[a.plan[a.id].payload];
    const lang::SetOperation& its = b.plan.set_operations[b.plan[b.id].payload];
    if (mine.columns.size() != its.columns.size() || mine.inputs.size() != its.inputs.size())
        return false;
    // The sides of a UNION ALL stand in the order of their columns only in the joint plan.
    const bool is_ordered = a.plan[a.id].op != RelOp::set_union || !a.plan[a.id].all;
    const std::size_t width = std::max<std::size_t>(mine.columns.size(), 1);
    std::vector<std::vector<std::optional<ColumnId>>> sides[2];
    for (std::size_t i = 0; i < mine.inputs.size(); ++i) {
        if (i % width == 0) {
            sides[0].emplace_back();
            sides[1].emplace_back();
        }
        sides[0].back().emplace_back(mine.inputs[i]);
        sides[1].back().push_back(renaming.columns[index(its.inputs[i])]);
    }
    if (!is_ordered) {
        std::ranges::sort(sides[0]);
        std::ranges::sort(sides[1]);
    }
    if (sides[0] != sides[1]) return false;
    for (std::size_t i = 0; i < mine.columns.size(); ++i) {
        if (!renaming.unite(a.plan, mine.columns[i], b.plan, its.columns[i])) return false;
    }
    return true;
}

bool PlanMatch::extend_subqueries(Renaming& renaming) const {
    const EGraph& graph = engine_.graph;
    bool is_new = false;
    std::vector<bool> taken(first_.plan.subqueries.size(), false);
    for (const auto& partner : renaming.subqueries) {
        if (partner) taken[index(*partner)] = true;
    }
    const auto node_of = [&](int side, RelationId id) {
        const RelationId there = joint_.relations[side][index(id)];
        return index(there) == lang::no_index ? NodeId{egraph::none}
                                              : encoded_.relations[index(there)];
    };
    for (std::uint32_t b = 0; b < second_.plan.subqueries.size(); ++b) {
        const lang::Subquery& its = second_.plan.subqueries[b];
        const NodeId its_node = node_of(1, its.relation);
        if (renaming.subqueries[b] || egraph::raw(its_node) == egraph::none) continue;
        for (std::uint32_t a = 0; a < first_.plan.subqueries.size(); ++a) {
            const lang::Subquery& mine = first_.plan.subqueries[a];
            const NodeId node = node_of(0, mine.relation);
            if (taken[a] || egraph::raw(node) == egraph::none) continue;
            const bool is_same =
                mine.kind == its.kind && mine.kind != lang::SubqueryKind::array &&
                mine.comparison == its.comparison && mine.operands == its.operands &&
                graph.class_of(node) == graph.class_of(its_node) &&
                std::ranges::equal(mine.columns, its.columns, [&](ColumnId x, ColumnId y) {
                    return renaming.columns[index(y)] == x;
                });
            if (!is_same) continue;
            renaming.subqueries[b] = lang::SubqueryId{a};
            taken[a] = true;
            is_new = true;
            break;
        }
    }
    return is_new;
}

// Whether no two rows of the input have the same keys of the order: some key of the input is among them, is equal to one of
// them, or has one value.
bool PlanMatch::is_total(const lang::TopN& topn, const NodeView& node) const {
    const EGraph& graph = engine_.graph;
    const ClassId input = graph.find(ClassId{node.children[1]});
    Classes keys;
    for (std::size_t i = 0; i < topn.keys.size(); ++i) {
        if (!topn.keys[i].using_operator.empty()) return false;
        keys.push_back(graph.find(node.children[2 + i]));
    }
    rules::Closure known(engine_.steps->classes(), engine_.ops);
    known.assume(engine_.plan_knowledge->facts(graph, input));
    const auto is_key = [&](std::uint32_t member) {
        return std::ranges::find(keys, graph.find(member)) != keys.end();
    };
    const auto is_decided = [&](ColumnId column) {
        const auto value = graph.lookup(engine_.ops[lang::Op::column], index(column), {});
        if (!value) return false;
        const lang::PlanColumn& c = joint_.plan[column];
        const rules::Closure::Group* group = known.group_of(graph.find(*value));
        // Rows with NULL in a key of a table are not told apart by it.
        const bool is_stored = c.instance != lang::no_index;
        if (is_stored && c.nullable && group == nullptr) return false;
        if (is_key(egraph::raw(*value))) return true;
        return group != nullptr &&
               (group->constant.has_value() || std::ranges::any_of(group->members, is_key));
    };
    const auto& sets = engine_.plan_scope.column_sets;
    return std::ranges::any_of(engine_.plan_knowledge->keys(graph, input), [&](std::uint32_t key) {
        return std::ranges::all_of(sets[key], is_decided);
    });
}

}  // namespace satura
