#include "optimizer/flat_query.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "lang/evaluate.hpp"
#include "lang/plan_entry.hpp"
#include "optimizer/prune_columns.hpp"

namespace satura {

using lang::ColumnId;
using lang::ExprId;
using lang::ExprNode;
using lang::JoinKind;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

using Computed = std::map<ColumnId, ExprId>;

// A semijoin or an antijoin with `right`.
struct Half {
    JoinKind kind = JoinKind::semi;
    std::vector<ExprId> condition;
    RelationId right{};
};

// A relation of the source: the inner join of the leaves, of whose pairs those come out that have a partner in all semijoins,
// none in all antijoins, and fulfil all conjuncts, with the computed columns beside those of the leaves.
struct Pulled {
    std::vector<RelationId> leaves;
    std::vector<Half> halves;
    std::vector<ExprId> conjuncts;
    Computed computed;
};

class Flattener {
  public:
    Flattener(const Plan& source, const lang::Context& context)
        : source_(source), context_(context), plan_(source), pulled_(source.size()) {}

    std::optional<FlatQuery> run(const std::vector<lang::ResultColumn>& result) {
        const std::vector<RelationId> wanted = lang::reachable(source_, source_.root);
        if (!is_settled(wanted)) return std::nullopt;
        for (RelationId id : wanted) note(id);
        if (std::ranges::any_of(wanted, [&](RelationId id) { return makes_outer_column(id); }))
            return std::nullopt;
        find_order();
        for (RelationId id : wanted) {
            pulled_[index(id)] = pull(id);
            finish_subqueries(id);
        }
        FlatQuery out;
        Pulled root = take(source_.root);
        std::vector<ExprId> values;
        for (const lang::ResultColumn& column : result)
            values.push_back(value(root, column.column));
        out.width = static_cast<std::uint32_t>(values.size());
        for (const lang::SortKey& key : order_) {
            values.push_back(replaced(key.expr, root.computed));
            out.order.push_back(key);
        }
        plan_.root = fresh_projection(root, values).relation;
        prune_columns(plan_);
        out.plan = std::move(plan_);
        return out;
    }

  private:
    bool is_settled(const std::vector<RelationId>& wanted) const {
        for (RelationId id : wanted) {
            if (source_[id].op == RelOp::opaque) return false;
            for (ExprId root : lang::own_expressions(source_, id)) {
                for (ExprId e : lang::nodes_below(source_.exprs, root)) {
                    const ExprNode& node = source_.exprs[e];
                    if (node.op < Op::exists && lang::is_volatile(node.op, node.payload, context_))
                        return false;
                }
            }
        }
        return true;
    }

    // Which columns queries within expressions and lateral joins read from around them, and who reads which CTE.
    void note(RelationId id) {
        for (ExprId root : lang::own_expressions(source_, id)) {
            for (ExprId e : lang::nodes_below(source_.exprs, root)) {
                const ExprNode& node = source_.exprs[e];
                if (node.op < Op::exists) continue;
                const lang::Subquery& subquery = source_[lang::SubqueryId{node.payload}];
                for (ExprId read : source_.exprs.children(e).subspan(subquery.operands))
                    pinned_.insert(ColumnId{source_.exprs[read].payload});
                subqueries_of_.emplace(subquery.relation, node.payload);
            }
        }
        if (source_[id].op == RelOp::cte_scan)
            ++reads_of_cte_[static_cast<std::uint32_t>(source_.cte_scans[source_[id].payload].cte)];
        if (!source_[id].lateral) return;
        const auto made = lang::output_columns(source_, source_.children(id)[0]);
        pinned_.insert(made.begin(), made.end());
    }

    // Whether the relation hands on a column of the query around it as one of its own, under one id: above an outer join the
    // two differ.
    bool makes_outer_column(RelationId id) const {
        const Relation& r = source_[id];
        if (r.op != RelOp::project && r.op != RelOp::aggregate) return false;
        const auto& items = r.op == RelOp::project ? source_.projects[r.payload]
                                                   : source_.aggregates[r.payload].keys;
        std::vector<ColumnId> below;
        for (const lang::ProjectItem& item : items) {
            const bool is_handed_on = source_.exprs[item.expr].op == Op::column &&
                                      source_.exprs[item.expr].payload == index(item.column);
            if (!is_handed_on || !pinned_.contains(item.column)) continue;
            if (below.empty()) below = lang::output_columns(source_, source_.children(id)[0]);
            if (std::ranges::find(below, item.column) == below.end()) return true;
        }
        return false;
    }

    // The order of the whole: that of a topn at the root.
    void find_order() {
        RelationId root = source_.root;
        while (source_[root].op == RelOp::with) root = source_.children(root)[1];
        if (source_[root].op == RelOp::topn) order_ = source_.topns[source_[root].payload].keys;
    }

    bool is_inlined(std::uint32_t cte) const {
        const lang::Cte& c = source_.ctes[cte];
        const auto reads = reads_of_cte_.find(cte);
        return !c.recursive && !c.pinned && (reads == reads_of_cte_.end() || reads->second == 1);
    }

    Pulled take(RelationId id) { return std::exchange(pulled_[index(id)], {}); }

    // --- expressions ---

    ExprId column(ColumnId id) {
        return plan_.exprs.add(Op::column, plan_[id].type, index(id), {});
    }

    bool is_column(ExprId expr, ColumnId id) const {
        return plan_.exprs[expr].op == Op::column && plan_.exprs[expr].payload == index(id);
    }

    ExprId value(const Pulled& input, ColumnId id) {
        const auto found = input.computed.find(id);
        return found == input.computed.end() ? column(id) : found->second;
    }

    // The expression with computed columns replaced by what they are made of.
    ExprId replaced(ExprId root, const Computed& computed) {
        if (computed.empty()) return root;
        std::unordered_map<std::uint32_t, ExprId> made;
        std::vector<ExprId> children;
        for (ExprId id : lang::nodes_below(plan_.exprs, root)) {
            const ExprNode node = plan_.exprs[id];
            if (node.op == Op::column) {
                const auto found = computed.find(ColumnId{node.payload});
                if (found != computed.end()) made.emplace(index(id), found->second);
                continue;
            }
            bool is_touched = false;
            children.clear();
            for (ExprId child : plan_.exprs.children(id)) {
                const auto other = made.find(index(child));
                is_touched = is_touched || other != made.end();
                children.push_back(other == made.end() ? child : other->second);
            }
            if (!is_touched) continue;
            made.emplace(index(id), plan_.exprs.add(node.op, node.type, node.payload, children,
                                                    node.position, node.implicit));
        }
        const auto found = made.find(index(root));
        return found == made.end() ? root : found->second;
    }

    ExprId all_of(const std::vector<ExprId>& conjuncts) {
        if (conjuncts.size() == 1) return conjuncts[0];
        return plan_.exprs.add(Op::and_, lang::Type{lang::TypeKind::boolean}, 0, conjuncts);
    }

    // --- relations ---

    static Pulled of(RelationId leaf) { return {{leaf}, {}, {}, {}}; }

    RelationId join_of(std::vector<RelationId> leaves) {
        if (leaves.size() > 1) {
            std::erase_if(leaves,
                          [&](RelationId leaf) { return plan_[leaf].op == RelOp::one_row; });
            if (leaves.empty()) return plan_.add({}, {});
        }
        if (leaves.size() == 1) return leaves[0];
        return plan_.add({RelOp::join}, leaves);
    }

    RelationId join_halves(RelationId relation, const std::vector<Half>& halves) {
        for (const Half& half : halves) {
            Relation join{RelOp::join};
            join.join = half.kind;
            if (!half.condition.empty()) join.payload = index(all_of(half.condition));
            relation = plan_.add(join, std::array{relation, half.right});
        }
        return relation;
    }

    // Without the computed columns.
    RelationId seal(const Pulled& input) {
        const RelationId join = join_halves(join_of(input.leaves), input.halves);
        if (input.conjuncts.empty()) return join;
        Relation filter{RelOp::filter};
        filter.payload = index(all_of(input.conjuncts));
        return plan_.add(filter, std::array{join});
    }

    RelationId project(const Pulled& input, std::vector<lang::ProjectItem> items) {
        Relation relation{RelOp::project};
        const RelationId below = seal(input);
        relation.payload = static_cast<std::uint32_t>(plan_.projects.size());
        plan_.projects.push_back(std::move(items));
        return plan_.add(relation, std::array{below});
    }

    // A projection that makes these columns and no others.
    Pulled materialise(const Pulled& input, const std::vector<ColumnId>& columns) {
        std::vector<lang::ProjectItem> items;
        for (ColumnId id : columns) items.push_back({id, value(input, id)});
        return of(project(input, std::move(items)));
    }

    struct Projection {
        RelationId relation;
        std::vector<ColumnId> columns;
    };
    Projection fresh_projection(const Pulled& input, const std::vector<ExprId>& values) {
        std::vector<lang::ProjectItem> items;
        std::vector<ColumnId> columns;
        for (ExprId expr : values) {
            columns.push_back(plan_.add_column({"", plan_.exprs[expr].type, true}));
            items.push_back({columns.back(), expr});
        }
        return {project(input, std::move(items)), std::move(columns)};
    }
    Projection fresh_projection(const Pulled& input, const std::vector<ColumnId>& columns) {
        std::vector<ExprId> values;
        for (ColumnId id : columns) values.push_back(value(input, id));
        return fresh_projection(input, values);
    }

    // The input with these columns computed on top. A column that is read from below has to be made.
    Pulled compute(Pulled input, const std::vector<lang::ProjectItem>& items) {
        Computed computed;
        bool is_read = false;
        for (const lang::ProjectItem& item : items) {
            const ExprId expr = replaced(item.expr, input.computed);
            if (is_column(expr, item.column)) continue;
            computed[item.column] = expr;
            is_read = is_read || pinned_.contains(item.column);
        }
        input.computed = std::move(computed);
        if (!is_read) return input;
        std::vector<ColumnId> columns;
        for (const lang::ProjectItem& item : items) columns.push_back(item.column);
        return materialise(input, columns);
    }

    // Whether it is a column that is made by the relation itself, not by the query around it.
    bool is_own_column(ExprId expr) const {
        const ExprNode& node = plan_.exprs[expr];
        return node.op == Op::column && !pinned_.contains(ColumnId{node.payload});
    }

    // Whether the expression is NULL where all columns of its relation are.
    bool is_null_beside_nulls(ExprId expr) const {
        if (is_own_column(expr)) return true;
        for (ExprId id : lang::nodes_below(plan_.exprs, expr)) {
            const ExprNode& node = plan_.exprs[id];
            if (node.op >= Op::exists || (node.op == Op::column && !is_own_column(id)))
                return false;
        }
        const std::vector<lang::Value> nulls(plan_.columns.size());
        const lang::Outcome outcome =
            lang::evaluate(plan_.exprs, expr, nulls, context_, lang::Mode::total);
        return outcome.state == lang::Outcome::State::value && outcome.value.is_null();
    }

    // A side that an outer join pads. What would not be NULL in a padded row if it were computed there is computed below.
    Pulled paddable(RelationId source) {
        Pulled input = take(source);
        const bool is_padded = std::ranges::all_of(
            input.computed, [&](const auto& item) { return is_null_beside_nulls(item.second); });
        return is_padded ? input : materialise(input, lang::output_columns(source_, source));
    }

    Pulled pull(RelationId id) {
        const Relation& r = source_[id];
        const auto children = source_.children(id);
        switch (r.op) {
            case RelOp::one_row:
            case RelOp::scan:
            case RelOp::values:
                return of(id);
            case RelOp::filter: {
                Pulled input = take(children[0]);
                add_conjuncts(input, replaced(ExprId{r.payload}, input.computed));
                return input;
            }
            case RelOp::project:
                return compute(take(children[0]), source_.projects[r.payload]);
            case RelOp::join:
                return r.lateral ? pull_lateral(id) : pull_join(id);
            case RelOp::aggregate:
                return pull_aggregate(id);
            case RelOp::distinct:
                return distinct(take(children[0]), lang::output_columns(source_, children[0]));
            case RelOp::topn: {
                const lang::TopN& topn = source_.topns[r.payload];
                const bool is_limited = topn.limit != lang::no_expr || topn.offset != lang::no_expr;
                return is_limited ? pull_over(id) : take(children[0]);
            }
            case RelOp::distinct_on:
            case RelOp::window:
                return pull_over(id);
            case RelOp::set_union:
            case RelOp::set_intersect:
            case RelOp::set_except:
                return pull_set_operation(id);
            case RelOp::with:
                return pull_with(id);
            case RelOp::cte_scan:
                return pull_cte_scan(id);
            case RelOp::opaque:
                break;
        }
        return of(id);  // not reached: an opaque relation is not settled
    }

    // Conjuncts one by one. EXISTS (…), its negation and x IN (…) choose rows as joins do that look for a partner.
    void add_conjuncts(Pulled& input, ExprId root) {
        std::vector<ExprId> todo{root};
        while (!todo.empty()) {
            const ExprId id = todo.back();
            todo.pop_back();
            const ExprNode& node = plan_.exprs[id];
            const auto children = plan_.exprs.children(id);
            if (node.op == Op::and_) {
                todo.insert(todo.end(), children.rbegin(), children.rend());
                continue;
            }
            const bool is_negated =
                node.op == Op::not_ && plan_.exprs[children[0]].op == Op::exists;
            auto half = half_of(is_negated ? children[0] : id);
            if (!half) {
                input.conjuncts.push_back(id);
                continue;
            }
            if (is_negated) half->kind = JoinKind::anti;
            input.halves.push_back(std::move(*half));
        }
    }

    // The semijoin that a query within an expression is, where only its conjuncts read what is around it.
    std::optional<Half> half_of(ExprId id) {
        const ExprNode node = plan_.exprs[id];
        if (node.op != Op::exists && node.op != Op::in_subquery) return std::nullopt;
        const auto found = bodies_.find(node.payload);
        if (found == bodies_.end()) return std::nullopt;
        const Pulled& body = found->second;
        const lang::Subquery& subquery = source_.subqueries[node.payload];
        const std::vector<ExprId> children(plan_.exprs.children(id).begin(),
                                           plan_.exprs.children(id).end());
        std::set<ColumnId> outer;
        for (std::size_t i = subquery.operands; i < children.size(); ++i) {
            if (plan_.exprs[children[i]].op != Op::column) return std::nullopt;
            outer.insert(ColumnId{plan_.exprs[children[i]].payload});
        }
        Half half;
        half.condition = body.conjuncts;
        if (node.op == Op::in_subquery) {
            const bool is_equality =
                subquery.kind == lang::SubqueryKind::any && subquery.comparison == Op::eq;
            if (!is_equality) return std::nullopt;
            for (std::size_t i = 0; i < subquery.operands; ++i) {
                const std::array sides{children[i], value(body, subquery.columns[i])};
                half.condition.push_back(
                    plan_.exprs.add(Op::eq, lang::Type{lang::TypeKind::boolean}, 0, sides));
            }
        }
        half.right = join_halves(join_of(body.leaves), body.halves);
        if (reads_any(half.right, outer)) return std::nullopt;
        return half;
    }

    bool reads_any(RelationId root, const std::set<ColumnId>& columns) const {
        if (columns.empty()) return false;
        for (RelationId id : lang::reachable(plan_, root)) {
            for (ExprId expr : lang::own_expressions(plan_, id)) {
                for (ExprId e : lang::nodes_below(plan_.exprs, expr)) {
                    const ExprNode& node = plan_.exprs[e];
                    if (node.op == Op::column && columns.contains(ColumnId{node.payload}))
                        return true;
                }
            }
        }
        return false;
    }

    Pulled pull_join(RelationId id) {
        const Relation& r = source_[id];
        RelationId first = source_.children(id)[0], second = source_.children(id)[1];
        JoinKind kind = r.join;
        if (kind == JoinKind::right) {
            kind = JoinKind::left;
            std::swap(first, second);
        }
        Pulled left = kind == JoinKind::full ? paddable(first) : take(first);
        const bool pads_right = kind == JoinKind::left || kind == JoinKind::full;
        Pulled right = pads_right ? paddable(second) : take(second);
        Computed both = left.computed;
        both.insert(right.computed.begin(), right.computed.end());
        std::vector<ExprId> condition;
        if (r.payload != lang::no_index) condition.push_back(replaced(ExprId{r.payload}, both));
        if (kind == JoinKind::inner) {
            left.leaves.insert(left.leaves.end(), right.leaves.begin(), right.leaves.end());
            left.halves.insert(left.halves.end(), right.halves.begin(), right.halves.end());
            left.conjuncts.insert(left.conjuncts.end(), right.conjuncts.begin(),
                                  right.conjuncts.end());
            for (ExprId conjunct : condition) add_conjuncts(left, conjunct);
            left.computed = std::move(both);
            return left;
        }
        // What chooses rows of the left side chooses those that come out; what chooses partners is the condition's.
        RelationId inputs[2];
        Pulled out;
        if (kind == JoinKind::full) {
            inputs[0] = seal(left);
            inputs[1] = seal(right);
        } else {
            condition.insert(condition.end(), right.conjuncts.begin(), right.conjuncts.end());
            inputs[0] = join_of(left.leaves);
            inputs[1] = join_halves(join_of(right.leaves), right.halves);
            out.halves = std::move(left.halves);
            out.conjuncts = std::move(left.conjuncts);
        }
        Relation join{RelOp::join};
        join.join = kind;
        if (!condition.empty()) join.payload = index(all_of(condition));
        out.leaves = {plan_.add(join, inputs)};
        const bool is_half = kind == JoinKind::semi || kind == JoinKind::anti;
        out.computed = is_half ? std::move(left.computed) : std::move(both);
        return out;
    }

    Pulled pull_lateral(RelationId id) {
        Relation join = source_[id];
        RelationId inputs[2];
        for (int i : {0, 1}) {
            const RelationId child = source_.children(id)[static_cast<std::size_t>(i)];
            const Pulled input = take(child);
            inputs[i] = input.computed.empty()
                            ? seal(input)
                            : seal(materialise(input, lang::output_columns(source_, child)));
        }
        join.label = lang::no_index;
        return of(plan_.add(join, inputs));
    }

    // Whether it is the same in every row.
    bool is_constant(ExprId expr) const {
        return std::ranges::none_of(lang::nodes_below(plan_.exprs, expr), [&](ExprId id) {
            return plan_.exprs[id].op == Op::column || plan_.exprs[id].op >= Op::exists;
        });
    }

    // Where no set of keys lacks one: a key that is a column keeps that column's id, and a constant beside other keys makes no
    // groups.
    void name_keys(lang::Aggregate& aggregate, Computed& computed) {
        std::vector<lang::ProjectItem> keys;
        const bool is_all_constant = std::ranges::all_of(
            aggregate.keys, [&](const auto& key) { return is_constant(key.expr); });
        for (const lang::ProjectItem& key : aggregate.keys) {
            const ExprNode& node = plan_.exprs[key.expr];
            const bool is_free = !pinned_.contains(key.column);
            if (is_free && !is_all_constant && is_constant(key.expr)) {
                computed[key.column] = key.expr;
                continue;
            }
            const bool is_renamed =
                is_free && is_own_column(key.expr) && key.column != ColumnId{node.payload};
            const ColumnId made = is_renamed ? ColumnId{node.payload} : key.column;
            if (is_renamed) computed[key.column] = key.expr;
            const auto is_it = [&](const lang::ProjectItem& k) { return k.column == made; };
            if (std::ranges::none_of(keys, is_it)) keys.push_back({made, key.expr});
        }
        aggregate.keys = std::move(keys);
    }

    Pulled grouped(const Pulled& input, lang::Aggregate aggregate) {
        Pulled out;
        if (aggregate.sets.empty()) name_keys(aggregate, out.computed);
        // The least of some values is that of the different ones.
        for (lang::AggregateCall& call : aggregate.calls)
            call.distinct = call.distinct && call.function != "min" && call.function != "max";
        for (auto& set : aggregate.sets) std::ranges::sort(set);
        std::ranges::sort(aggregate.sets);
        const RelationId below = seal(input);
        Relation relation{RelOp::aggregate};
        relation.payload = static_cast<std::uint32_t>(plan_.aggregates.size());
        plan_.aggregates.push_back(std::move(aggregate));
        out.leaves = {plan_.add(relation, std::array{below})};
        return out;
    }

    Pulled pull_aggregate(RelationId id) {
        const RelationId child = source_.children(id)[0];
        lang::Aggregate aggregate = source_.aggregates[source_[id].payload];
        Pulled input = take(child);
        const bool is_computed = std::ranges::any_of(
            aggregate.dependents, [&](ColumnId c) { return input.computed.contains(c); });
        if (is_computed) input = materialise(input, lang::output_columns(source_, child));
        const auto replace = [&](ExprId& place) { place = replaced(place, input.computed); };
        for (lang::ProjectItem& key : aggregate.keys) replace(key.expr);
        for (lang::AggregateCall& call : aggregate.calls) lang::for_each_place(call, replace);
        return grouped(input, std::move(aggregate));
    }

    Pulled distinct(const Pulled& input, const std::vector<ColumnId>& columns) {
        if (columns.empty()) return of(plan_.add({RelOp::distinct}, std::array{seal(input)}));
        lang::Aggregate aggregate;
        for (ColumnId id : columns) aggregate.keys.push_back({id, value(input, id)});
        return grouped(input, std::move(aggregate));
    }

    // Operators that hand their input's columns on.
    Pulled pull_over(RelationId id) {
        Pulled input = take(source_.children(id)[0]);
        Relation relation = source_[id];
        relation.label = lang::no_index;
        lang::copy_entry(source_, plan_, relation);
        lang::for_each_place(plan_, relation,
                             [&](ExprId& place) { place = replaced(place, input.computed); });
        const RelationId below = seal(input);
        return {{plan_.add(relation, std::array{below})}, {}, {}, std::move(input.computed)};
    }

    // Whether a constant among its conjuncts lets no row pass.
    bool is_never(const Pulled& input) const {
        return std::ranges::any_of(input.conjuncts, [&](ExprId conjunct) {
            if (!is_constant(conjunct)) return false;
            const lang::Outcome outcome =
                lang::evaluate(plan_.exprs, conjunct, {}, context_, lang::Mode::total);
            return outcome.state == lang::Outcome::State::value && !outcome.value.is_true();
        });
    }

    // A side of a set operation: relations with their columns, more than one where it is a UNION ALL itself.
    struct Side {
        std::vector<RelationId> relations;
        std::vector<ColumnId> inputs;
    };
    Side side_of(const Pulled& input, const std::vector<ColumnId>& columns, bool is_union_all) {
        const bool is_bare = input.leaves.size() == 1 && input.halves.empty() &&
                             input.conjuncts.empty() && is_union_all;
        if (is_bare && plan_[input.leaves[0]].op == RelOp::set_union &&
            plan_[input.leaves[0]].all) {
            const RelationId leaf = input.leaves[0];
            const lang::SetOperation& inner = plan_.set_operations[plan_[leaf].payload];
            std::vector<std::size_t> places;
            for (ColumnId column : columns) {
                const ExprNode node = plan_.exprs[value(input, column)];
                const auto at = std::ranges::find(inner.columns, ColumnId{node.payload});
                if (node.op != Op::column || at == inner.columns.end()) break;
                places.push_back(static_cast<std::size_t>(at - inner.columns.begin()));
            }
            if (places.size() == columns.size()) {
                Side side;
                const auto children = plan_.children(leaf);
                side.relations.assign(children.begin(), children.end());
                for (std::size_t i = 0; i < children.size(); ++i) {
                    for (std::size_t place : places)
                        side.inputs.push_back(inner.inputs[i * inner.columns.size() + place]);
                }
                return side;
            }
        }
        Projection made = fresh_projection(input, columns);
        return {{made.relation}, std::move(made.columns)};
    }

    // UNION ALL of any number of relations; what has no row is left out.
    Pulled pull_set_operation(RelationId id) {
        Relation relation = source_[id];
        const lang::SetOperation& source = source_.set_operations[relation.payload];
        const std::vector<ColumnId> columns = source.columns;
        const auto middle = source.inputs.begin() + static_cast<std::ptrdiff_t>(columns.size());
        const std::vector<ColumnId> inputs[2] = {{source.inputs.begin(), middle},
                                                 {middle, source.inputs.end()}};
        const bool is_union = relation.op == RelOp::set_union;
        const bool is_grouped = is_union && !relation.all && !columns.empty();
        relation.all = relation.all || is_grouped;
        relation.label = lang::no_index;
        Pulled sides[2] = {take(source_.children(id)[0]), take(source_.children(id)[1])};
        for (std::size_t i : {0, 1}) {
            if (!is_union || !is_never(sides[i]) || !has_types_of(inputs[1 - i], columns)) continue;
            Pulled other = rename(std::move(sides[1 - i]), inputs[1 - i], columns);
            return is_grouped ? distinct(other, columns) : other;
        }
        lang::SetOperation operation;
        operation.columns = columns;
        std::vector<RelationId> children;
        for (std::size_t i : {0, 1}) {
            const Side side = side_of(sides[i], inputs[i], is_union && relation.all);
            children.insert(children.end(), side.relations.begin(), side.relations.end());
            operation.inputs.insert(operation.inputs.end(), side.inputs.begin(), side.inputs.end());
        }
        relation.payload = static_cast<std::uint32_t>(plan_.set_operations.size());
        plan_.set_operations.push_back(std::move(operation));
        Pulled out = of(plan_.add(relation, children));
        return is_grouped ? distinct(out, columns) : out;
    }

    bool has_types_of(const std::vector<ColumnId>& a, const std::vector<ColumnId>& b) const {
        return std::ranges::equal(
            a, b, [&](ColumnId x, ColumnId y) { return plan_[x].type == plan_[y].type; });
    }

    // The columns under other names.
    Pulled rename(Pulled input, const std::vector<ColumnId>& columns,
                  const std::vector<ColumnId>& names) {
        std::vector<lang::ProjectItem> items;
        for (std::size_t i = 0; i < columns.size(); ++i)
            items.push_back({names[i], column(columns[i])});
        return compute(std::move(input), items);
    }

    Pulled pull_with(RelationId id) {
        const RelationId body = source_.children(id)[1];
        const std::uint32_t number = source_[id].payload;
        if (is_inlined(number)) return take(body);
        Pulled input = take(body);
        if (!input.computed.empty())
            input = materialise(input, lang::output_columns(source_, body));
        const std::array children{definition_of(number), seal(input)};
        Relation with{RelOp::with};
        with.payload = number;
        return of(plan_.add(with, children));
    }

    RelationId definition_of(std::uint32_t number) { return plan_.ctes[number].definition; }

    Pulled pull_cte_scan(RelationId id) {
        const lang::CteScan& scan = source_.cte_scans[source_[id].payload];
        const auto number = static_cast<std::uint32_t>(scan.cte);
        const lang::Cte& cte = source_.ctes[number];
        if (!is_inlined(number)) {
            if (!plan_is_sealed(number)) {
                const Pulled definition = take(cte.definition);
                plan_.ctes[number].definition = seal(materialise(definition, cte.columns));
                sealed_ctes_.insert(number);
            }
            return of(id);
        }
        return rename(take(cte.definition), cte.columns, scan.columns);
    }

    bool plan_is_sealed(std::uint32_t number) const { return sealed_ctes_.contains(number); }

    // The relations of queries within expressions must be there before the expressions' own.
    void finish_subqueries(RelationId id) {
        const auto [begin, end] = subqueries_of_.equal_range(id);
        if (begin == end) return;
        const Pulled input = take(id);
        std::set<std::uint32_t> done;
        for (auto it = begin; it != end; ++it) {
            if (!done.insert(it->second).second) continue;
            bodies_.emplace(it->second, input);
            lang::Subquery& subquery = plan_.subqueries[it->second];
            if (subquery.kind == lang::SubqueryKind::exists) {
                subquery.relation = seal(input);
                continue;
            }
            Projection made = fresh_projection(input, subquery.columns);
            subquery.relation = made.relation;
            subquery.columns = std::move(made.columns);
        }
    }

    const Plan& source_;
    const lang::Context& context_;
    Plan plan_;
    std::vector<Pulled> pulled_;  // by RelationId of the source
    std::vector<lang::SortKey> order_;
    std::set<ColumnId> pinned_;  // read by a query within, so they have to be made where they are
    std::multimap<RelationId, std::uint32_t> subqueries_of_;
    std::map<std::uint32_t, Pulled> bodies_;  // by SubqueryId
    std::map<std::uint32_t, std::uint32_t> reads_of_cte_;
    std::set<std::uint32_t> sealed_ctes_;
};

}  // namespace

std::optional<FlatQuery> flatten(const lang::Statement& statement, const lang::Context& context) {
    if (statement.kind != lang::Statement::Kind::query || statement.result.empty())
        return std::nullopt;
    return Flattener(statement.plan, context).run(statement.result);
}

}  // namespace satura
