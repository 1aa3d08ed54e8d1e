#include "rules/plan_encode.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "rules/check_facts.hpp"
#include "rules/encode.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

class PlanEncoder {
  public:
    PlanEncoder(const Plan& plan, std::span<const RelationId> shapes, const lang::Catalog& catalog,
                NodeTaker& taker, SqlOps& ops, Scope& scope, PlanScope& plan_scope)
        : plan_(plan),
          shapes_(shapes),
          catalog_(catalog),
          taker_(taker),
          ops_(ops),
          scope_(scope),
          plan_scope_(plan_scope) {}

    EncodedPlan run(std::span<const RelationId> roots_of_plan) {
        std::vector<RelationId> wanted;
        for (RelationId root : roots_of_plan) {
            const std::vector<RelationId> below = lang::reachable(plan_, root);
            wanted.insert(wanted.end(), below.begin(), below.end());
        }
        std::ranges::sort(wanted);
        const auto repeated = std::ranges::unique(wanted);
        wanted.erase(repeated.begin(), repeated.end());
        prepare(wanted);
        std::vector<ExprId> roots;
        for (RelationId id : wanted) {
            if (plan_scope_.frozen[index(id)]) continue;
            const auto own = lang::own_expressions(plan_, id);
            roots.insert(roots.end(), own.begin(), own.end());
        }
        out_.exprs.assign(plan_.exprs.size(), NodeId{egraph::none});
        const auto made = encode_to(taker_, plan_.exprs, roots, ops_, scope_);
        for (std::size_t i = 0; i < made.size(); ++i) out_.exprs[i] = NodeId{made[i]};
        promise_columns();
        add(ops_.plan().no, 0, {});  // the facts of `empty` name it
        out_.relations.assign(plan_.size(), NodeId{egraph::none});
        for (RelationId id : wanted) out_.relations[index(id)] = add(id);
        for (std::size_t i = 0; i < plan_.subqueries.size(); ++i)
            plan_scope_.subquery_relations[i] = relation_of(plan_.subqueries[i]);
        for (const lang::Subquery& subquery : plan_.subqueries)
            out_.subqueries.push_back(add_subquery(subquery));
        return std::move(out_);
    }

  private:
    void prepare(const std::vector<RelationId>& wanted) {
        scope_.columns.clear();
        for (const lang::PlanColumn& c : plan_.columns)
            scope_.columns.push_back({c.name, c.type, true});
        plan_scope_ = PlanScope{};
        plan_scope_.plan = &plan_;
        plan_scope_.frozen.assign(plan_.size(), false);
        plan_scope_.is_stable.assign(plan_.size(), true);
        plan_scope_.shape_columns.assign(plan_.size(), 0);
        plan_scope_.subquery_reads.assign(plan_.subqueries.size(), 0);
        plan_scope_.subquery_relations.assign(plan_.subqueries.size(), NodeId{egraph::none});
        plan_scope_.scan_truths.assign(plan_.instances.size(), {});
        plan_scope_.scan_keys.assign(plan_.instances.size(), {});
        ops_.context().has_collations =
            std::ranges::any_of(plan_.instances, [this](const lang::TableInstance& instance) {
                return instance.table && std::ranges::any_of(catalog_[*instance.table].columns,
                                                             &lang::Column::has_collation);
            });
        scope_.stable_subqueries.clear();
        scope_.unstable_shapes.clear();
        for (RelationId id : wanted) {
            plan_scope_.shape_columns[index(id)] =
                plan_scope_.column_sets.intern(lang::output_columns(plan_, id));
            const auto own = lang::own_expressions(plan_, id);
            plan_scope_.frozen[index(id)] =
                std::ranges::any_of(own, [&](ExprId e) { return is_volatile(e); });
            bool is_stable = !plan_scope_.frozen[index(id)] && plan_[id].op != RelOp::opaque;
            for (RelationId child : plan_.children(id))
                is_stable = is_stable && plan_scope_.is_stable[index(child)];
            find_outer_columns(id);
            plan_scope_.is_stable[index(id)] = is_stable;
            if (!is_stable) scope_.unstable_shapes.insert(index(id));
        }
    }

    void find_outer_columns(RelationId id) {
        ColumnSets& sets = plan_scope_.column_sets;
        std::uint32_t& outer = plan_scope_.outer_columns;
        if (plan_[id].lateral)
            outer = sets.unite(outer, plan_scope_.shape_columns[index(plan_.children(id)[0])]);
        for (ExprId root : lang::own_expressions(plan_, id)) {
            for (ExprId e : lang::nodes_below(plan_.exprs, root)) {
                if (plan_.exprs[e].op < Op::exists) continue;
                const auto read = plan_.exprs.children(e).subspan(
                    plan_[lang::SubqueryId{plan_.exprs[e].payload}].operands);
                for (ExprId column : read)
                    outer = sets.unite(outer,
                                       sets.intern({lang::ColumnId{plan_.exprs[column].payload}}));
            }
        }
    }

    // A relation of a subquery has a smaller id than the relation whose expression holds it.
    bool is_volatile(ExprId root) {
        for (ExprId id : lang::nodes_below(plan_.exprs, root)) {
            const lang::ExprNode& node = plan_.exprs[id];
            if (node.op >= Op::exists) {
                const RelationId below = plan_[lang::SubqueryId{node.payload}].relation;
                if (!plan_scope_.is_stable[index(below)]) return true;
                scope_.stable_subqueries.insert(node.payload);
            } else if (lang::is_volatile(node.op, node.payload, ops_.context())) {
                return true;
            }
        }
        return false;
    }

    // NOT NULL of a table's columns, its checks, and its keys.
    void promise_columns() {
        for (std::size_t i = 0; i < plan_.instances.size(); ++i) {
            const lang::TableInstance& instance = plan_.instances[i];
            if (!instance.table) continue;
            const lang::Table& table = catalog_[*instance.table];
            const bool has_keys = !table.has_heirs || instance.only;
            for (const lang::Key& key : table.keys) {
                if (!has_keys) break;
                ColumnSets::Columns columns;
                for (std::uint32_t ordinal : key.columns)
                    columns.push_back(instance.columns[ordinal]);
                plan_scope_.scan_keys[i].push_back(
                    plan_scope_.column_sets.intern(std::move(columns)));
            }
            for (lang::ColumnId column : instance.columns) {
                const lang::PlanColumn& c = plan_[column];
                const bool is_stored = c.ordinal != lang::no_index && !c.whole_row;
                if (c.nullable || !is_stored) continue;
                const NodeId value = add(ops_[Op::column], static_cast<std::uint32_t>(column), {});
                const NodeId truth = add(ops_.plan().same, 0, {egraph::raw(value)});
                plan_scope_.scan_truths[i].push_back(ClassId{egraph::raw(truth)});
            }
            const auto checks = facts_of_checks(plan_, instance, table, taker_, ops_, scope_);
            plan_scope_.scan_truths[i].insert(plan_scope_.scan_truths[i].end(), checks.begin(),
                                              checks.end());
        }
    }

    NodeId add(egraph::OpId op, egraph::Payload payload,
               const std::vector<std::uint32_t>& children) {
        return NodeId{taker_.add(op, payload, children)};
    }

    std::uint32_t truth(std::uint32_t expr) {
        if (expr == lang::no_index) return egraph::raw(add(ops_.plan().yes, 0, {}));
        return egraph::raw(add(ops_.plan().holds, 0, {egraph::raw(out_.exprs[expr])}));
    }

    std::uint32_t shape_of(RelationId id) const {
        return shapes_.empty() ? index(id) : index(shapes_[index(id)]);
    }

    NodeId add(RelationId id) {
        const PlanOps& plan = ops_.plan();
        const Relation& r = plan_[id];
        std::vector<std::uint32_t> children;
        for (RelationId child : plan_.children(id))
            children.push_back(egraph::raw(out_.relations[index(child)]));
        const bool is_frozen = plan_scope_.frozen[index(id)];
        if (r.op == RelOp::one_row) return add(plan.one_row, 0, {});
        if (r.op == RelOp::scan) return add(plan.scan, r.payload, {});
        if (r.op == RelOp::filter && !is_frozen)
            return add(plan.filter, 0, {truth(r.payload), children[0]});
        if (r.op == RelOp::join && !is_frozen && !r.lateral) {
            return add(plan.joins[static_cast<std::size_t>(r.join)], 0,
                       {truth(r.payload), children[0], children[1]});
        }
        children.insert(children.begin(), egraph::raw(add(plan.shape, shape_of(id), {})));
        if (!is_frozen) {
            for (ExprId expr : lang::own_expressions(plan_, id))
                children.push_back(egraph::raw(out_.exprs[index(expr)]));
        }
        return add(plan.by_rel_op[static_cast<std::size_t>(r.op)], 0, children);
    }

    // None where the root does not reach it.
    NodeId relation_of(const lang::Subquery& subquery) const {
        const std::uint32_t id = index(subquery.relation);
        return id == lang::no_index ? NodeId{egraph::none} : out_.relations[id];
    }

    // EXISTS, IN, ANY and ALL do not care how often a row is there, and EXISTS reads no column.
    NodeId add_subquery(const lang::Subquery& subquery) {
        const NodeId node = relation_of(subquery);
        const bool counts = subquery.kind != lang::SubqueryKind::exists &&
                            subquery.kind != lang::SubqueryKind::any &&
                            subquery.kind != lang::SubqueryKind::all;
        if (egraph::raw(node) == egraph::none || counts) return node;
        const std::uint32_t columns = subquery.kind == lang::SubqueryKind::exists
                                          ? 0
                                          : plan_scope_.shape_columns[index(subquery.relation)];
        const NodeId read = add(ops_.plan().columns, columns, {});
        return add(ops_.plan().dedup, 0, {egraph::raw(read), egraph::raw(node)});
    }

    const Plan& plan_;
    std::span<const RelationId> shapes_;  // by RelationId; empty: each its own
    const lang::Catalog& catalog_;
    NodeTaker& taker_;
    SqlOps& ops_;
    Scope& scope_;
    PlanScope& plan_scope_;
    EncodedPlan out_;
};

}  // namespace

EncodedPlan encode_plan_to(NodeTaker& taker, const Plan& plan, const lang::Catalog& catalog,
                           SqlOps& ops, Scope& scope, PlanScope& plan_scope) {
    return PlanEncoder(plan, {}, catalog, taker, ops, scope, plan_scope).run({&plan.root, 1});
}

EncodedPlan encode_plan(const Plan& plan, const lang::Catalog& catalog, egraph::EGraph& graph,
                        SqlOps& ops, Scope& scope, PlanScope& plan_scope) {
    GraphTaker taker(graph);
    return encode_plan_to(taker, plan, catalog, ops, scope, plan_scope);
}

EncodedPlan encode_plans(const Plan& plan, std::span<const RelationId> roots,
                         std::span<const RelationId> shapes, const lang::Catalog& catalog,
                         egraph::EGraph& graph, SqlOps& ops, Scope& scope, PlanScope& plan_scope) {
    GraphTaker taker(graph);
    return PlanEncoder(plan, shapes, catalog, taker, ops, scope, plan_scope).run(roots);
}

}  // namespace satura::rules
