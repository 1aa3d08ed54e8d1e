// Blocks: which relations of a plan become one SELECT; WITH.
#include <fmt/core.h>

#include <algorithm>

#include "lang/sql_opaque.hpp"
#include "lang/sql_plan_writer.hpp"

namespace satura::lang {

std::string PlanWriter::statement(const std::vector<ResultColumn>& result) {
    const Relation& root = plan_[plan_.root];
    if (root.op == RelOp::opaque && !plan_.opaques[root.payload].columns_known) {
        return fill_places(plan_.opaques[root.payload].text, {});
    }
    Outputs outputs;
    for (const ResultColumn& column : result) outputs.push_back({column.column, column.name, true});
    return query(plan_.root, outputs).text;
}

// A whole query with these columns; `extra` are conditions on its rows, which no column of it outlives.
PlanWriter::QueryText PlanWriter::query(RelationId relation, const Outputs& outputs,
                                        const std::vector<Conjunct>& extra, bool exists) {
    std::string with = with_clause(relation);
    const TopN* topn = nullptr;
    if (!extra.empty()) return select(relation, outputs, extra, exists, std::move(with), nullptr);
    if (plan_[relation].op == RelOp::topn) {
        topn = &plan_.topns[plan_[relation].payload];
        const RelationId below = plan_.children(relation)[0];
        const bool set = is_set_operation(plan_[below].op) || plan_[below].op == RelOp::values ||
                         plan_[below].op == RelOp::distinct;
        const bool with_below = plan_[below].op == RelOp::with;
        const bool fits =
            plan_[below].label == no_index && !with_below &&
            (!set || (holds_outputs(below, outputs) && orders_outputs(topn, outputs)));
        if (!fits) {
            // Its rows come from a derived table.
            return select(relation, outputs, extra, exists, std::move(with), topn);
        }
        relation = below;
    }
    const RelOp op = plan_[relation].op;
    const bool whole =
        (is_set_operation(op) || op == RelOp::values) && holds_outputs(relation, outputs);
    if (whole) return set_query(relation, outputs, topn, std::move(with));
    return select(relation, outputs, extra, exists, std::move(with), topn);
}

// Whether the outputs are the relation's columns as they are: of a set operation by position, of DISTINCT as a set.
bool PlanWriter::holds_outputs(RelationId relation, const Outputs& outputs) const {
    const std::vector<ColumnId> columns = output_columns(plan_, relation);
    const RelOp op = plan_[relation].op;
    if (op == RelOp::distinct) {
        return std::ranges::all_of(columns, [&](ColumnId column) {
            return std::ranges::find(outputs, column, &Output::column) != outputs.end();
        });
    }
    if (columns.size() != outputs.size()) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool own_name = op != RelOp::values || !outputs[i].named ||
                              outputs[i].name == fmt::format("column{}", i + 1);
        if (outputs[i].column != columns[i] || !own_name) return false;
    }
    return true;
}

bool PlanWriter::orders_outputs(const TopN* topn, const Outputs& outputs) const {
    return topn == nullptr || std::ranges::all_of(topn->keys, [&](const SortKey& key) {
               const ExprNode& node = plan_.exprs[key.expr];
               return node.op == Op::column && std::ranges::find(outputs, ColumnId{node.payload},
                                                                 &Output::column) != outputs.end();
           });
}

// One SELECT over a relation that is no set operation.
PlanWriter::QueryText PlanWriter::select(RelationId relation, const Outputs& outputs,
                                         const std::vector<Conjunct>& extra, bool exists,
                                         std::string with, const TopN* topn) {
    Block block;
    block.id = ++blocks_;
    block.topn = topn;
    const bool joined = !extra.empty();
    const RelationId whole = relation;
    if (topn != nullptr && plan_[relation].op == RelOp::topn) {
        relation = plan_.children(relation)[0];
        block.from = From{{{relation}}, 0, {}};
    } else if (joined) {
        block.from = from_tree(relation, false);
    } else {
        relation = peel(relation, outputs, block);
        const bool again =
            relation == whole && !only_hands_on(relation) && plan_[relation].label != no_index;
        const RelOp op = plan_[relation].op;
        // What the block itself stands for is no item of FROM of that name.
        const bool region = op == RelOp::filter || op == RelOp::join || op == RelOp::project;
        block.from = again && !region && op != RelOp::scan ? From{{{relation}}, 0, {}}
                                                           : from_tree(relation, relation == whole);
    }
    block.exists = exists && !block.distinct && block.distinct_on == nullptr;
    const bool outer_call = used_call_;
    avoid_outer_aliases(whole, extra, block);
    const std::string from = from_text(block);
    std::vector<Conjunct> where = block.from.where;
    where.insert(where.end(), extra.begin(), extra.end());
    std::string text = where.empty() ? "" : " where " + conditions(where, block);
    const std::string grouping = group_by(block);
    used_call_ = false;
    std::string having;
    if (!block.having.empty()) {
        std::vector<Conjunct> all;
        for (const ExprId condition : block.having)
            all.push_back({condition, RelationId{no_index}});
        having = conditions(all, block);
    }
    for (const auto* windows : block.windows) {
        for (const WindowCall& window : *windows) {
            define_call(window.call.column, window_text(window, block, false),
                        window_text(window, block, true), block, false);
        }
    }
    define_projects(block);
    std::string list = block.exists ? "1" : select_list(outputs, block);
    std::string order;
    if (block.topn != nullptr && !block.exists) {
        order = order_by(block.topn->keys, outputs, block, block.distinct);
    } else if (block.distinct_on != nullptr) {
        order = order_by(block.distinct_on->order, outputs, block, false);
    }
    const bool implicit_group =
        block.aggregate != nullptr && grouping.empty() && !used_call_ && having.empty();
    text += implicit_group ? " group by ()" : grouping;
    if (!having.empty()) text += " having " + having;
    text += order;
    if (block.topn != nullptr) text += limits(*block.topn, block);
    used_call_ = outer_call;
    const bool plain = with.empty() && block.topn == nullptr && order.empty();
    return {with + "select" + (list.empty() ? "" : " " + list) + from + text, plain};
}

// Takes the relations of one SELECT off; returns what FROM and WHERE are to be made of.
RelationId PlanWriter::peel(RelationId relation, const Outputs& outputs, Block& block) {
    const auto free = [&](RelationId id) { return plan_[id].label == no_index; };
    if (plan_[relation].op == RelOp::distinct && holds_outputs(relation, outputs)) {
        block.distinct = true;
        relation = plan_.children(relation)[0];
        if (!free(relation)) return relation;
    } else if (plan_[relation].op == RelOp::distinct_on) {
        const DistinctOn& on = plan_.distinct_ons[plan_[relation].payload];
        const auto same = [&](const SortKey& a, const SortKey& b) {
            const ExprNode& x = plan_.exprs[a.expr];
            const ExprNode& y = plan_.exprs[b.expr];
            return (a.expr == b.expr ||
                    (x.op == Op::column && y.op == Op::column && x.payload == y.payload)) &&
                   a.descending == b.descending && a.nulls_first == b.nulls_first;
        };
        const bool ordered = block.topn == nullptr || block.topn->keys.empty() ||
                             std::ranges::equal(block.topn->keys, on.order, same);
        if (!ordered) return relation;
        if (block.topn != nullptr && block.topn->keys.empty() && !on.order.empty()) return relation;
        block.distinct_on = &on;
        relation = plan_.children(relation)[0];
        if (!free(relation)) return relation;
    }
    relation = peel_lists(relation, block);
    return relation;
}

// The select list and windows.
RelationId PlanWriter::peel_lists(RelationId relation, Block& block) {
    const auto free = [&](RelationId id) { return plan_[id].label == no_index; };
    while (plan_[relation].op == RelOp::project) {
        const auto& items = plan_.projects[plan_[relation].payload];
        const bool first = block.projects.empty();
        if (!first && (!free(relation) || !merges(*block.projects.back(), items))) return relation;
        block.projects.push_back(&items);
        relation = plan_.children(relation)[0];
        if (!free(relation)) return relation;
    }
    if (plan_[relation].op == RelOp::window && (block.windows.empty())) {
        block.windows.push_back(&plan_.windows[plan_[relation].payload]);
        relation = plan_.children(relation)[0];
        if (!free(relation)) return relation;
        while (only_hands_on(relation) && free(plan_.children(relation)[0]))
            relation = plan_.children(relation)[0];
        if (plan_[relation].op == RelOp::window) return relation;
    }
    return peel_grouping(relation, block);
}

// HAVING and GROUP BY; the filters stay where no grouping is below.
RelationId PlanWriter::peel_grouping(RelationId relation, Block& block) {
    std::vector<ExprId> having;
    RelationId at = relation;
    const auto free = [&](RelationId id) { return plan_[id].label == no_index; };
    while (plan_[at].op == RelOp::filter || only_hands_on(at)) {
        if (plan_[at].op == RelOp::filter) having.push_back(ExprId{plan_[at].payload});
        at = plan_.children(at)[0];
        if (!free(at)) return relation;
    }
    if (plan_[at].op != RelOp::aggregate) return relation;
    std::ranges::reverse(having);
    block.having = std::move(having);
    block.aggregate = &plan_.aggregates[plan_[at].payload];
    return plan_.children(at)[0];
}

// Whether two lists are one: what the lower one computes is written once at most.
bool PlanWriter::merges(const std::vector<ProjectItem>& above,
                        const std::vector<ProjectItem>& below) const {
    std::unordered_map<std::uint32_t, std::uint32_t> uses;
    for (const ProjectItem& item : above) {
        std::vector<ExprId> open{item.expr};
        std::unordered_set<std::uint32_t> seen;
        while (!open.empty()) {
            const ExprId id = open.back();
            open.pop_back();
            if (plan_.exprs[id].op == Op::column) ++uses[plan_.exprs[id].payload];
            if (plan_.exprs[id].op >= Op::exists) return false;
            if (!seen.insert(static_cast<std::uint32_t>(id)).second) continue;
            for (const ExprId child : plan_.exprs.children(id)) open.push_back(child);
        }
    }
    return std::ranges::all_of(below, [&](const ProjectItem& item) {
        const Op op = plan_.exprs[item.expr].op;
        if (op == Op::column || op == Op::literal) return true;
        return uses[static_cast<std::uint32_t>(item.column)] <= 1 && !is_volatile(item.expr);
    });
}

// The definitions at the top of a relation; it becomes what they are for.
std::string PlanWriter::with_clause(RelationId& relation) {
    std::vector<CteId> ctes;
    while (plan_[relation].op == RelOp::with) {
        ctes.push_back(CteId{plan_[relation].payload});
        relation = plan_.children(relation)[1];
        if (plan_[relation].label != no_index && plan_[relation].op == RelOp::with) break;
    }
    if (ctes.empty()) return {};
    const bool recursive =
        std::ranges::any_of(ctes, [&](CteId cte) { return plan_[cte].recursive; });
    std::string text = recursive ? "with recursive " : "with ";
    for (std::size_t i = 0; i < ctes.size(); ++i) {
        name_cte(ctes[i], relation, recursive);
        text += (i == 0 ? "" : ", ") + cte_text(ctes[i]);
    }
    return text + ' ';
}

// Its own name, unless a table or another CTE is meant by that name where it is known.
void PlanWriter::name_cte(CteId id, RelationId body, bool recursive) {
    const Cte& cte = plan_[id];
    std::unordered_set<std::string> taken;
    std::vector<RelationId> reach = reachable(plan_, body);
    if (recursive) {
        const std::vector<RelationId> own = reachable(plan_, cte.definition);
        reach.insert(reach.end(), own.begin(), own.end());
    }
    for (const RelationId at : reach) {
        const Relation& r = plan_[at];
        if (r.op == RelOp::scan && plan_.instances[r.payload].schema.empty())
            taken.insert(plan_.instances[r.payload].name);
        if (r.op == RelOp::cte_scan && plan_.cte_scans[r.payload].cte != id) {
            const std::string& other =
                cte_names_[static_cast<std::uint32_t>(plan_.cte_scans[r.payload].cte)];
            if (!other.empty()) taken.insert(other);
        }
    }
    std::string name = cte.name;
    for (std::uint32_t i = 2; !cte.pinned && taken.contains(name); ++i)
        name = fmt::format("{}_{}", cte.name, i);
    cte_names_[static_cast<std::uint32_t>(id)] = name;
    auto& columns = cte_columns_[static_cast<std::uint32_t>(id)];
    std::unordered_set<std::string> used;
    for (std::size_t i = 0; i < cte.columns.size(); ++i) {
        std::string column = cte.column_names[i];
        if (column.empty() || column == "?column?") column = fmt::format("column{}", i + 1);
        const std::string base = column;
        for (std::uint32_t k = 2; !used.insert(column).second; ++k)
            column = fmt::format("{}_{}", base, k);
        columns.push_back(std::move(column));
    }
}

std::string PlanWriter::cte_text(CteId id) {
    const Cte& cte = plan_[id];
    const auto index = static_cast<std::uint32_t>(id);
    const Relation& definition = plan_[cte.definition];
    Outputs outputs;
    for (std::size_t i = 0; i < cte.columns.size(); ++i) {
        outputs.push_back({cte.columns[i], cte_columns_[index][i], true});
    }
    std::string text = name_text(cte_names_[index]);
    std::string body;
    if (definition.op == RelOp::opaque) {
        body = fill_places(plan_.opaques[definition.payload].text, {});
        text += column_list(cte_columns_[index]);
    } else if (definition.op == RelOp::values) {
        for (Output& output : outputs) output.named = false;
        body = query(cte.definition, outputs).text;
        text += column_list(cte_columns_[index]);
    } else {
        body = query(cte.definition, outputs).text;
    }
    const std::string_view how = cte.materialized == Cte::Materialized::always ? "materialized "
                                 : cte.materialized == Cte::Materialized::never
                                     ? "not materialized "
                                     : "";
    return fmt::format("{} as {}({})", text, how, body);
}

}  // namespace satura::lang
