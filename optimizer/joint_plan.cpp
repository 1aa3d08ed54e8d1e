#include "optimizer/joint_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "lang/plan_entry.hpp"

namespace satura {

using lang::ColumnId;
using lang::ExprId;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

// Copies one of the queries into the joint plan.
class Copier {
  public:
    Copier(const Plan& source, const Renaming& renaming, Plan& out)
        : source_(source), renaming_(renaming), out_(out) {}

    // Where the source's relations came to.
    std::vector<RelationId> run() {
        const auto wanted = lang::reachable(source_, source_.root);
        copy_columns();
        copy_instances();
        number_subqueries();
        copy_ctes();
        copy_exprs();
        relations_.assign(source_.size(), RelationId{lang::no_index});
        for (RelationId id : wanted) relations_[index(id)] = copy(id);
        finish();
        return std::move(relations_);
    }

  private:
    void copy_columns() {
        for (std::uint32_t i = 0; i < source_.columns.size(); ++i) {
            const auto& known = renaming_.columns[i];
            columns_.push_back(known ? *known : out_.add_column(source_.columns[i]));
        }
    }

    void copy_instances() {
        for (std::uint32_t i = 0; i < source_.instances.size(); ++i) {
            const auto& known = renaming_.instances[i];
            lang::TableInstance instance = source_.instances[i];
            for (ColumnId& column : instance.columns) column = columns_[index(column)];
            if (known) {
                // An open table has the columns that either query names.
                auto& columns = out_.instances[index(*known)].columns;
                for (ColumnId column : instance.columns) {
                    if (std::ranges::find(columns, column) != columns.end()) continue;
                    columns.push_back(column);
                    lang::PlanColumn& c = out_.columns[index(column)];
                    if (c.instance != lang::no_index) c.instance = index(*known);
                }
                instances_.push_back(*known);
                continue;
            }
            instances_.push_back(
                lang::InstanceId{static_cast<std::uint32_t>(out_.instances.size())});
            for (ColumnId column : instance.columns) {
                lang::PlanColumn& c = out_.columns[index(column)];
                if (c.instance != lang::no_index) c.instance = index(instances_.back());
            }
            out_.instances.push_back(std::move(instance));
        }
    }

    void number_subqueries() {
        for (std::uint32_t i = 0; i < source_.subqueries.size(); ++i) {
            const auto& known = renaming_.subqueries[i];
            if (known) {
                subqueries_.push_back(*known);
                continue;
            }
            subqueries_.push_back(
                lang::SubqueryId{static_cast<std::uint32_t>(out_.subqueries.size())});
            lang::Subquery subquery = source_.subqueries[i];
            for (ColumnId& column : subquery.columns) column = columns_[index(column)];
            subquery.relation = RelationId{lang::no_index};  // until finish, if it is reached
            out_.subqueries.push_back(std::move(subquery));
        }
    }

    void copy_ctes() {
        first_cte_ = static_cast<std::uint32_t>(out_.ctes.size());
        for (lang::Cte cte : source_.ctes) {
            for (ColumnId& column : cte.columns) column = columns_[index(column)];
            out_.ctes.push_back(std::move(cte));
        }
    }

    void copy_exprs() {
        std::vector<ExprId> children;
        for (std::uint32_t i = 0; i < source_.exprs.size(); ++i) {
            const lang::ExprNode& node = source_.exprs[ExprId{i}];
            children.clear();
            for (ExprId child : source_.exprs.children(ExprId{i}))
                children.push_back(exprs_[index(child)]);
            std::uint32_t payload = node.payload;
            if (node.op == Op::column) payload = index(columns_[payload]);
            if (node.op >= Op::exists) {
                // The outer columns are a set.
                std::ranges::sort(children.begin() + source_.subqueries[payload].operands,
                                  children.end(), {},
                                  [&](ExprId column) { return out_.exprs[column].payload; });
                payload = index(subqueries_[payload]);
            }
            exprs_.push_back(out_.exprs.add(node.op, node.type, payload, children, node.position,
                                            node.implicit));
        }
    }

    RelationId copy(RelationId id) {
        Relation relation = source_[id];
        relation.label = lang::no_index;
        std::vector<RelationId> children;
        for (RelationId child : source_.children(id)) children.push_back(relations_[index(child)]);
        if (relation.op == RelOp::join && relation.join == lang::JoinKind::inner &&
            !relation.lateral)
            return copy_join(std::move(children));
        if (relation.op == RelOp::scan) relation.payload = index(instances_[relation.payload]);
        if (relation.op == RelOp::with) relation.payload += first_cte_;
        lang::copy_entry(source_, out_, relation);
        if (relation.op == RelOp::cte_scan) {
            lang::CteId& cte = out_.cte_scans[relation.payload].cte;
            cte = lang::CteId{lang::index(cte) + first_cte_};
        }
        lang::for_each_place(out_, relation, [&](ExprId& place) { place = exprs_[index(place)]; });
        lang::for_each_column_place(out_, relation,
                                    [&](ColumnId& place) { place = columns_[index(place)]; });
        reorder(relation, renaming_.places[index(id)]);
        if (relation.op == RelOp::set_union && relation.all) sort_sides(relation, children);
        return add(relation, children);
    }

    // The sides of a UNION ALL in the order of their columns.
    void sort_sides(const Relation& relation, std::vector<RelationId>& children) {
        lang::SetOperation& operation = out_.set_operations[relation.payload];
        const std::size_t width = operation.columns.size();
        std::vector<std::uint32_t> order(children.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {},
                                 [&](std::uint32_t i) { return first_[index(children[i])]; });
        std::vector<RelationId> sorted;
        std::vector<ColumnId> inputs;
        for (std::uint32_t i : order) {
            sorted.push_back(children[i]);
            const auto begin = operation.inputs.begin() + static_cast<std::ptrdiff_t>(i * width);
            inputs.insert(inputs.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
        }
        children = std::move(sorted);
        operation.inputs = std::move(inputs);
    }

    // The inputs in the order of their columns, one after the other.
    RelationId copy_join(std::vector<RelationId> inputs) {
        std::ranges::sort(inputs, {}, [&](RelationId input) { return first_[index(input)]; });
        RelationId joined = inputs[0];
        for (std::size_t i = 1; i < inputs.size(); ++i)
            joined = add({RelOp::join}, {joined, inputs[i]});
        return joined;
    }

    RelationId add(const Relation& relation, const std::vector<RelationId>& children) {
        const RelationId id = out_.add(relation, children);
        std::uint32_t first = lang::no_index;
        for (RelationId child : children) first = std::min(first, first_[index(child)]);
        if (relation.op == RelOp::scan || children.empty()) {
            for (ColumnId column : lang::output_columns(out_, id))
                first = std::min(first, index(column));
        }
        Relation copy = relation;
        lang::for_each_column_place(
            out_, copy, [&](const ColumnId& column) { first = std::min(first, index(column)); });
        first_.resize(out_.size(), lang::no_index);
        first_[index(id)] = first;
        return id;
    }

    void reorder(const Relation& relation, const std::vector<std::uint32_t>& places) {
        if (places.empty()) return;
        const auto reordered = [&](auto& items, std::size_t begin) {
            auto sorted = items;
            for (std::size_t i = 0; i < items.size(); ++i) sorted[places[begin + i]] = items[i];
            items = std::move(sorted);
        };
        if (relation.op == RelOp::project) reordered(out_.projects[relation.payload], 0);
        if (relation.op == RelOp::window) reordered(out_.windows[relation.payload], 0);
        if (relation.op != RelOp::aggregate) return;
        lang::Aggregate& aggregate = out_.aggregates[relation.payload];
        for (auto& set : aggregate.sets) {
            for (std::uint32_t& key : set) key = places[key];
            std::ranges::sort(set);
        }
        std::ranges::sort(aggregate.sets);
        const std::size_t keys = aggregate.keys.size();
        reordered(aggregate.keys, 0);
        reordered(aggregate.calls, keys);
    }

    void finish() {
        for (std::uint32_t i = 0; i < source_.subqueries.size(); ++i) {
            const RelationId relation = relations_[index(source_.subqueries[i].relation)];
            if (!renaming_.subqueries[i] && relation != RelationId{lang::no_index})
                out_.subqueries[index(subqueries_[i])].relation = relation;
        }
        for (std::uint32_t i = 0; i < source_.ctes.size(); ++i) {
            const RelationId definition = relations_[index(source_.ctes[i].definition)];
            if (definition != RelationId{lang::no_index})
                out_.ctes[first_cte_ + i].definition = definition;
        }
    }

    const Plan& source_;
    const Renaming& renaming_;
    Plan& out_;
    std::vector<ColumnId> columns_;
    std::vector<lang::InstanceId> instances_;
    std::vector<lang::SubqueryId> subqueries_;
    std::vector<ExprId> exprs_;
    std::vector<RelationId> relations_;
    std::vector<std::uint32_t> first_;  // by RelationId of the joint plan: the lowest column in it
    std::uint32_t first_cte_ = 0;
};

// Of aggregates and window calls whose value the rows of a group decide, in whichever order they come.
bool is_settled(std::string_view function) {
    constexpr std::array<std::string_view, 22> names{
        "avg",   "bit_and",      "bit_or",     "bit_xor", "bool_and",   "bool_or",
        "count", "cume_dist",    "dense_rank", "every",   "grouping",   "max",
        "min",   "percent_rank", "rank",       "stddev",  "stddev_pop", "stddev_samp",
        "sum",   "var_pop",      "var_samp",   "variance"};
    return std::ranges::find(names, function) != names.end();
}

bool has_same_keys(const std::vector<lang::SortKey>& a, const std::vector<lang::SortKey>& b) {
    return std::ranges::equal(a, b, [](const lang::SortKey& x, const lang::SortKey& y) {
        return x.descending == y.descending && x.nulls_first == y.nulls_first &&
               x.using_operator == y.using_operator;
    });
}

bool has_same_call(const lang::AggregateCall& a, const lang::AggregateCall& b) {
    return a.column == b.column && a.function == b.function && is_settled(a.function) &&
           a.arguments.size() == b.arguments.size() && a.star == b.star &&
           a.distinct == b.distinct && !a.variadic && !b.variadic && !a.within_group &&
           !b.within_group && (a.filter == lang::no_expr) == (b.filter == lang::no_expr) &&
           has_same_keys(a.order, b.order);
}

bool has_same_call(const lang::WindowCall& a, const lang::WindowCall& b) {
    const bool is_by_value =
        a.frame.mode == lang::FrameMode::range && b.frame.mode == lang::FrameMode::range &&
        a.frame.start_offset == lang::no_expr && b.frame.start_offset == lang::no_expr &&
        a.frame.end_offset == lang::no_expr && b.frame.end_offset == lang::no_expr;
    return is_by_value && a.frame.start == b.frame.start && a.frame.end == b.frame.end &&
           a.frame.exclusion == b.frame.exclusion && has_same_call(a.call, b.call) &&
           a.partition.size() == b.partition.size() && has_same_keys(a.order, b.order);
}

bool has_same_columns(const std::vector<lang::ProjectItem>& a,
                      const std::vector<lang::ProjectItem>& b) {
    return std::ranges::equal(a, b, {}, &lang::ProjectItem::column, &lang::ProjectItem::column);
}

// Absent in both, or the same constant.
bool is_same_limit(const Plan& plan, ExprId a, ExprId b) {
    if (a == lang::no_expr || b == lang::no_expr) return a == b;
    return plan.exprs[a].op == Op::literal && plan.exprs[b].op == Op::literal &&
           plan.exprs[a].payload == plan.exprs[b].payload;
}

// Whether two relations do the same, given the same inputs and expressions.
bool has_same_entry(const Plan& plan, const Relation& a, const Relation& b) {
    switch (a.op) {
        case RelOp::project:
            return has_same_columns(plan.projects[a.payload], plan.projects[b.payload]);
        case RelOp::values:
            return plan.values[a.payload].columns == plan.values[b.payload].columns &&
                   plan.values[a.payload].rows == plan.values[b.payload].rows;
        case RelOp::aggregate: {
            const lang::Aggregate& x = plan.aggregates[a.payload];
            const lang::Aggregate& y = plan.aggregates[b.payload];
            // A dependent column may be that of any row of the group.
            return has_same_columns(x.keys, y.keys) && x.sets == y.sets &&
                   x.distinct_sets == y.distinct_sets && x.dependents.empty() &&
                   y.dependents.empty() &&
                   std::ranges::equal(x.calls, y.calls, [](const auto& c, const auto& d) {
                       return has_same_call(c, d);
                   });
        }
        case RelOp::topn: {
            const lang::TopN& x = plan.topns[a.payload];
            const lang::TopN& y = plan.topns[b.payload];
            return has_same_keys(x.keys, y.keys) && is_same_limit(plan, x.limit, y.limit) &&
                   is_same_limit(plan, x.offset, y.offset) && x.with_ties == y.with_ties;
        }
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return plan.set_operations[a.payload].columns ==
                       plan.set_operations[b.payload].columns &&
                   plan.set_operations[a.payload].inputs == plan.set_operations[b.payload].inputs;
        case RelOp::window:
            return std::ranges::equal(
                plan.windows[a.payload], plan.windows[b.payload],
                [](const auto& c, const auto& d) { return has_same_call(c, d); });
        case RelOp::join:  // a lateral one
        case RelOp::distinct:
            return true;
        default:
            return false;  // DISTINCT ON chooses a row; CTEs and their scans belong together
    }
}

bool has_same_shape(const Plan& plan, RelationId a, RelationId b) {
    const Relation& x = plan[a];
    const Relation& y = plan[b];
    const auto condition = [](const Relation& r) {
        return r.op != RelOp::join || r.payload != lang::no_index;
    };
    if (x.op != y.op || x.join != y.join || x.all != y.all || x.lateral != y.lateral ||
        x.count != y.count || condition(x) != condition(y) || !has_same_entry(plan, x, y))
        return false;
    std::vector<ColumnId> mine = lang::output_columns(plan, a), its = lang::output_columns(plan, b);
    std::ranges::sort(mine);
    std::ranges::sort(its);
    return mine == its;
}

bool is_choice(const Plan& plan, RelationId id) {
    if (plan[id].op != RelOp::topn) return false;
    const lang::TopN& topn = plan.topns[plan[id].payload];
    return topn.limit != lang::no_expr || topn.offset != lang::no_expr;
}

}  // namespace

Renaming::Renaming(const Plan& first, const Plan& second)
    : columns(second.columns.size()),
      instances(second.instances.size()),
      subqueries(second.subqueries.size()),
      relations(second.size()),
      places(second.size()),
      taken(first.columns.size(), false) {}

bool Renaming::unite(const Plan& first, ColumnId a, const Plan& second, ColumnId b) {
    std::optional<ColumnId>& image = columns[index(b)];
    if (image) return *image == a;
    if (first[a].type != second[b].type || taken[index(a)]) return false;
    image = a;
    taken[index(a)] = true;
    return true;
}

JointPlan join_plans(const FlatQuery& first, const FlatQuery& second, const Renaming& renaming,
                     const std::vector<bool>& total) {
    JointPlan joint;
    const Renaming none(first.plan, first.plan);
    joint.relations[0] = Copier(first.plan, none, joint.plan).run();
    const std::size_t own = joint.plan.size();
    joint.relations[1] = Copier(second.plan, renaming, joint.plan).run();
    joint.roots[0] = joint.relations[0][index(first.plan.root)];
    joint.roots[1] = joint.relations[1][index(second.plan.root)];
    joint.plan.root = joint.roots[0];
    for (std::uint32_t i = 0; i < joint.plan.size(); ++i) joint.shapes.push_back(RelationId{i});
    for (std::uint32_t i = 0; i < second.plan.size(); ++i) {
        const RelationId mine = joint.relations[1][i];
        if (!renaming.relations[i] || mine == RelationId{lang::no_index} || index(mine) < own)
            continue;
        const std::uint32_t partner = index(*renaming.relations[i]);
        const RelationId its = joint.relations[0][partner];
        if (is_choice(joint.plan, its) && !total[partner]) continue;
        if (has_same_shape(joint.plan, its, mine)) joint.shapes[index(mine)] = its;
    }
    return joint;
}

}  // namespace satura
