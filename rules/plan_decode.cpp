#include "rules/plan_decode.hpp"

#include <algorithm>
#include <map>

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeId;
using egraph::NodeView;
using lang::ExprId;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

// Puts new expressions into the places of a relation's own ones, in the order of lang::own_expressions.
class Places {
  public:
    Places(const Plan& plan, std::vector<ExprId> exprs) : plan_(plan), exprs_(std::move(exprs)) {}

    void put(ExprId& place) {
        if (place != lang::no_expr) place = exprs_[next_++];
    }
    void put(std::vector<ExprId>& places) {
        for (ExprId& place : places) put(place);
    }
    // A constant in the place of a key would be read as a column's number.
    void put_key(ExprId& place) {
        const ExprId old = place;
        put(place);
        const bool became_literal =
            plan_.exprs[place].op == Op::literal && plan_.exprs[old].op != Op::literal;
        if (became_literal) place = old;
    }
    void put(std::vector<lang::SortKey>& keys) {
        for (lang::SortKey& key : keys) put_key(key.expr);
    }
    void put(lang::AggregateCall& call) {
        put(call.arguments);
        put(call.filter);
        put(call.order);
    }

  private:
    const Plan& plan_;
    std::vector<ExprId> exprs_;
    std::size_t next_ = 0;
};

class PlanDecoder {
  public:
    PlanDecoder(const TermClasses& classes, SqlOps& ops, const EncodedPlan& input,
                const PlanDecoding& decoding)
        : classes_(classes),
          ops_(ops),
          scope_(classes.plan_scope()),
          input_(input),
          decoding_(decoding),
          out_{*scope_.plan, {}, {}},
          exprs_(classes, ops, decoding.exprs, out_.plan.exprs, &out_.exprs) {
        done_.assign(classes.id_count(), RelationId{lang::no_index});
    }

    DecodedPlan run() {
        decode_subqueries();
        const NodeId root = input_.relations[index(scope_.plan->root)];
        out_.plan.root = relation(classes_.class_of(root));
        return finish();
    }

    DecodedMembers run_members(std::span<const NodeId> members) {
        decode_shared();
        const egraph::OpId with = ops_.plan().by_rel_op[static_cast<std::size_t>(RelOp::with)];
        for (NodeId member : members) {
            if (classes_.node(member).op == with)
                relation(ClassId{classes_.node(member).children[1]});
        }
        DecodedMembers out;
        for (NodeId member : members) {
            const NodeView node = classes_.node(member);
            for (std::uint32_t child : node.children) {
                if (is_relation(classes_.find(child))) relation(ClassId{child});
            }
            out.roots.push_back(make(node));
        }
        out.decoded = finish();
        return out;
    }

  private:
    DecodedPlan finish() {
        out_.relations.resize(out_.plan.size(), NodeId{egraph::none});
        out_.exprs.resize(out_.plan.exprs.size(), NodeId{egraph::none});
        return std::move(out_);
    }

    bool is_relation(std::uint32_t cls) const {
        const NodeView node = classes_.first_node(ClassId{cls});
        return ops_.meaning(node.op).sort == Sort::relation;
    }

    // Inner ones first: a subquery's relation has a smaller id than the relation that holds it.
    void decode_subqueries() {
        std::vector<std::uint32_t> order;
        for (std::uint32_t i = 0; i < out_.plan.subqueries.size(); ++i) {
            const NodeId node = input_.relations[index(scope_.plan->subqueries[i].relation)];
            if (egraph::raw(node) != egraph::none) order.push_back(i);
        }
        std::ranges::sort(order, {},
                          [&](std::uint32_t i) { return scope_.plan->subqueries[i].relation; });
        for (std::uint32_t i : order) decode_subquery(i);
    }

    void decode_subquery(std::uint32_t i) {
        const NodeId node = input_.subqueries[i];
        out_.plan.subqueries[i].relation = relation(classes_.class_of(node));
    }

    // Definitions of CTEs too: what scans them may be a member by itself, and must come after.
    void decode_shared() {
        std::multimap<RelationId, std::uint32_t> order;  // no_index: a definition
        for (std::uint32_t i = 0; i < out_.plan.subqueries.size(); ++i)
            order.emplace(scope_.plan->subqueries[i].relation, i);
        for (std::uint32_t i = 0; i < scope_.plan->size(); ++i) {
            const RelationId id{i};
            if ((*scope_.plan)[id].op == RelOp::with)
                order.emplace(scope_.plan->children(id)[0], lang::no_index);
        }
        for (const auto& [id, subquery] : order) {
            const NodeId node = input_.relations[index(id)];
            if (egraph::raw(node) == egraph::none) continue;
            if (subquery == lang::no_index)
                relation(classes_.class_of(node));
            else
                decode_subquery(subquery);
        }
    }

    RelationId relation(ClassId root) {
        std::vector<std::uint32_t> todo{egraph::raw(classes_.find(root))};
        while (!todo.empty()) {
            const std::uint32_t cls = todo.back();
            const NodeView node = classes_.node(decoding_.relation(ClassId{cls}));
            const std::size_t before = todo.size();
            if (done_[cls] == RelationId{lang::no_index}) {
                for (std::size_t i = node.children.size(); i-- > 0;) {
                    const std::uint32_t below = classes_.find(node.children[i]);
                    if (is_relation(below) && done_[below] == RelationId{lang::no_index})
                        todo.push_back(below);
                }
            }
            if (todo.size() > before) continue;
            if (done_[cls] == RelationId{lang::no_index}) done_[cls] = make(node);
            todo.pop_back();
        }
        return done_[egraph::raw(classes_.find(root))];
    }

    RelationId done(std::uint32_t cls) const { return done_[classes_.find(cls)]; }

    RelationId make(const NodeView& node) {
        const PlanOps& plan = ops_.plan();
        Relation relation;
        std::vector<RelationId> children;
        if (node.op == plan.one_row) return add(relation, children, node);
        if (node.op == plan.scan) {
            relation.op = RelOp::scan;
            relation.payload = node.payload;
            return add(relation, children, node);
        }
        if (node.op == plan.empty) return make_empty(node);
        if (node.op == plan.narrow || node.op == plan.dedup)
            return done(node.children[1]);  // nobody reads the others, or counts
        if (node.op == plan.pad) return make_padded(node, done(node.children[1]), true);
        if (node.op == plan.filter) {
            relation.op = RelOp::filter;
            relation.payload = condition(node.children[0]);
            children = {done(node.children[1])};
            if (relation.payload == lang::no_index) return children[0];
            return add(relation, children, node);
        }
        if (const auto kind = ops_.join_kind(node.op)) {
            relation.op = RelOp::join;
            relation.join = *kind;
            relation.payload = condition(node.children[0]);
            children = {done(node.children[1]), done(node.children[2])};
            return add(relation, children, node);
        }
        return make_shaped(node);
    }

    RelationId add(const Relation& relation, const std::vector<RelationId>& children,
                   const NodeView& node) {
        const RelationId id = out_.plan.add(relation, children);
        out_.relations.resize(out_.plan.size(), NodeId{egraph::none});
        out_.relations[index(id)] = node.id;
        return id;
    }

    // no_index for a condition that always holds.
    std::uint32_t condition(std::uint32_t truth) {
        const auto yes = classes_.lookup(ops_.plan().yes, 0, {});
        if (yes && classes_.find(truth) == egraph::raw(classes_.find(*yes))) return lang::no_index;
        return index(exprs_.run(ClassId{truth}, true));
    }

    ExprId null_of(lang::ColumnId column) {
        const lang::Type type = out_.plan[column].type;
        const auto literal = ops_.context().literals.intern(type, lang::Value::null());
        return out_.plan.exprs.add(Op::literal, type, static_cast<std::uint32_t>(literal), {});
    }

    const ColumnSets::Columns& columns_in(std::uint32_t cls) const {
        const NodeView leaf = classes_.first_node(ClassId{cls});
        return scope_.column_sets[leaf.payload];
    }

    RelationId make_padded(const NodeView& node, RelationId input, bool hands_on) {
        std::vector<lang::ProjectItem> items;
        if (hands_on) {
            for (lang::ColumnId c : lang::output_columns(out_.plan, input)) {
                const ExprId expr = out_.plan.exprs.add(Op::column, out_.plan[c].type,
                                                        static_cast<std::uint32_t>(c), {});
                items.push_back({c, expr});
            }
        }
        for (lang::ColumnId c : columns_in(node.children[0])) {
            const auto is_handed = [&](const lang::ProjectItem& item) { return item.column == c; };
            if (std::ranges::none_of(items, is_handed)) items.push_back({c, null_of(c)});
        }
        Relation project;
        project.op = RelOp::project;
        project.payload = static_cast<std::uint32_t>(out_.plan.projects.size());
        out_.plan.projects.push_back(std::move(items));
        return add(project, {input}, node);
    }

    RelationId make_empty(const NodeView& node) {
        const RelationId one = out_.plan.add({}, {});
        Relation filter;
        filter.op = RelOp::filter;
        filter.payload =
            index(out_.plan.exprs.add(Op::literal, lang::Type{lang::TypeKind::boolean},
                                      static_cast<std::uint32_t>(ops_.false_literal()), {}));
        const RelationId none = out_.plan.add(filter, std::vector{one});
        return make_padded(node, none, false);
    }

    RelationId make_shaped(const NodeView& node) {
        const NodeView shape = classes_.first_node(ClassId{node.children[0]});
        const RelationId original{shape.payload};
        Relation relation = (*scope_.plan)[original];
        std::vector<RelationId> children;
        std::vector<ExprId> exprs;
        for (std::size_t i = 0; i < relation.count; ++i)
            children.push_back(done(node.children[1 + i]));
        if (!scope_.frozen[shape.payload]) {
            for (std::size_t i = 1 + relation.count; i < node.children.size(); ++i)
                exprs.push_back(exprs_.run(ClassId{node.children[i]}, false));
            put(relation, std::move(exprs));
        }
        const RelationId id = add(relation, children, node);
        if (relation.op == RelOp::with) out_.plan.ctes[relation.payload].definition = children[0];
        return id;
    }

    // The relation with these expressions: entries of the plan's tables are copied.
    void put(Relation& relation, std::vector<ExprId> exprs) {
        Plan& plan = out_.plan;
        if (exprs.empty()) return;
        Places places(plan, std::move(exprs));
        const auto copied = [&](auto& table) -> auto& {
            table.push_back(table[relation.payload]);
            relation.payload = static_cast<std::uint32_t>(table.size() - 1);
            return table.back();
        };
        switch (relation.op) {
            case RelOp::values:
                places.put(copied(plan.values).cells);
                break;
            case RelOp::project:
                for (lang::ProjectItem& item : copied(plan.projects)) places.put(item.expr);
                break;
            case RelOp::aggregate: {
                lang::Aggregate& aggregate = copied(plan.aggregates);
                for (lang::ProjectItem& key : aggregate.keys) places.put_key(key.expr);
                for (lang::AggregateCall& call : aggregate.calls) places.put(call);
                break;
            }
            case RelOp::distinct_on: {
                lang::DistinctOn& distinct = copied(plan.distinct_ons);
                for (ExprId& key : distinct.keys) places.put_key(key);
                places.put(distinct.order);
                break;
            }
            case RelOp::topn: {
                lang::TopN& topn = copied(plan.topns);
                places.put(topn.keys);
                places.put(topn.limit);
                places.put(topn.offset);
                break;
            }
            case RelOp::window:
                for (lang::WindowCall& call : copied(plan.windows)) {
                    places.put(call.call);
                    for (ExprId& key : call.partition) places.put_key(key);
                    places.put(call.order);
                    places.put(call.frame.start_offset);
                    places.put(call.frame.end_offset);
                }
                break;
            case RelOp::opaque:
                places.put(copied(plan.opaques).arguments);
                break;
            case RelOp::filter:
            case RelOp::join: {  // a lateral join; its condition is a value here
                ExprId condition{relation.payload};
                places.put(condition);
                relation.payload = index(condition);
                break;
            }
            default:
                break;
        }
    }

    const TermClasses& classes_;
    SqlOps& ops_;
    const PlanScope& scope_;
    const EncodedPlan& input_;
    const PlanDecoding& decoding_;
    DecodedPlan out_;
    Decoder exprs_;
    std::vector<RelationId> done_;  // by class
};

}  // namespace

DecodedPlan decode_plan(const TermClasses& classes, SqlOps& ops, const EncodedPlan& input,
                        const PlanDecoding& decoding) {
    return PlanDecoder(classes, ops, input, decoding).run();
}

DecodedMembers decode_members(const TermClasses& classes, SqlOps& ops, const EncodedPlan& input,
                              const PlanDecoding& decoding, std::span<const NodeId> members) {
    return PlanDecoder(classes, ops, input, decoding).run_members(members);
}

}  // namespace satura::rules
