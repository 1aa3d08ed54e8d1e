// FROM and WHERE of a plan: which conditions go where, items, joins.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "lang/sql_expr.hpp"
#include "lang/sql_opaque.hpp"
#include "lang/sql_plan_writer.hpp"

namespace satura::lang {

// A projection that computes nothing and has no name is nothing in FROM: all columns stay at hand.
bool PlanWriter::only_hands_on(RelationId relation) const {
    const Relation& r = plan_[relation];
    if (r.op != RelOp::project || r.label != no_index) return false;
    return std::ranges::all_of(plan_.projects[r.payload], [&](const ProjectItem& item) {
        const ExprNode& node = plan_.exprs[item.expr];
        return node.op == Op::column && ColumnId{node.payload} == item.column;
    });
}

// Whether the relation is one item of FROM, as seen from within FROM.
bool PlanWriter::is_from_leaf(RelationId relation) const {
    const Relation& r = plan_[relation];
    if (r.label != no_index) return true;
    if (r.op == RelOp::filter) return is_volatile(ExprId{r.payload});
    if (r.op == RelOp::join)
        return ExprId{r.payload} != no_expr && is_volatile(ExprId{r.payload}) &&
               (r.join == JoinKind::semi || r.join == JoinKind::anti);
    return !only_hands_on(relation);
}

// Joins in post-order, with a stack. Each tree comes with the conditions that its rows must fulfil still.
PlanWriter::From PlanWriter::from_tree(RelationId root, bool own) {
    struct Task {
        RelationId relation;
        bool built;
    };
    From from;
    std::vector<Task> tasks{{root, false}};
    std::vector<std::uint32_t> done;
    std::vector<std::vector<Conjunct>> pending;
    while (!tasks.empty()) {
        const Task task = tasks.back();
        tasks.pop_back();
        const Relation& r = plan_[task.relation];
        const auto children = plan_.children(task.relation);
        const bool open_root = task.relation == root &&
                               (r.op == RelOp::filter || r.op == RelOp::join) &&
                               (own || r.label == no_index);
        if (!task.built && !open_root && is_from_leaf(task.relation)) {
            done.push_back(static_cast<std::uint32_t>(from.nodes.size()));
            pending.emplace_back();
            from.nodes.push_back({task.relation});
            continue;
        }
        if (r.op == RelOp::project) {
            tasks.push_back({children[0], false});
        } else if (!task.built) {
            tasks.push_back({task.relation, true});
            const bool both =
                r.op == RelOp::join && r.join != JoinKind::semi && r.join != JoinKind::anti;
            if (both) tasks.push_back({children[1], false});
            tasks.push_back({children[0], false});
        } else if (r.op == RelOp::filter) {
            pending.back().push_back({ExprId{r.payload}, RelationId{no_index}});
        } else if (r.join == JoinKind::semi || r.join == JoinKind::anti) {
            pending.back().push_back({no_expr, task.relation});
        } else {
            add_join(from, task.relation, pending, done);
        }
    }
    from.root = done.back();
    from.where = std::move(pending.back());
    for (std::uint32_t at = from.root; from.nodes[at].is_join; at = from.nodes[at].left) {
        if (from.nodes[at].kind != JoinKind::inner || !from.nodes[at].on.empty()) break;
        from.nodes[at].comma = true;
    }
    return from;
}

// Conditions of a preserved side go up, those of the other side into ON; where neither may be, the side is a derived
// table with its own WHERE.
void PlanWriter::add_join(From& from, RelationId relation,
                          std::vector<std::vector<Conjunct>>& pending,
                          std::vector<std::uint32_t>& done) {
    const Relation& r = plan_[relation];
    FromNode join{relation, true, r.join};
    std::array<std::vector<Conjunct>, 2> sides;
    for (const std::size_t i : {1U, 0U}) {
        sides[i] = std::move(pending.back());
        pending.pop_back();
        (i == 0 ? join.left : join.right) = done.back();
        done.pop_back();
    }
    if (ExprId{r.payload} != no_expr) join.on.push_back({ExprId{r.payload}, RelationId{no_index}});
    std::vector<Conjunct> up;
    for (const std::size_t i : {0U, 1U}) {
        const bool preserved =
            r.join == JoinKind::inner || r.join == (i == 0 ? JoinKind::left : JoinKind::right);
        if (preserved) {
            up.insert(up.end(), sides[i].begin(), sides[i].end());
            continue;
        }
        const bool joins = r.join != JoinKind::full &&
                           std::ranges::all_of(sides[i], [&](const Conjunct& conjunct) {
                               return conjunct.expr != no_expr && !has_subquery(conjunct.expr);
                           });
        if (joins) {
            join.on.insert(join.on.end(), sides[i].begin(), sides[i].end());
        } else if (!sides[i].empty()) {
            std::uint32_t& side = i == 0 ? join.left : join.right;
            side = static_cast<std::uint32_t>(from.nodes.size());
            from.nodes.push_back({plan_.children(relation)[i]});
        }
    }
    done.push_back(static_cast<std::uint32_t>(from.nodes.size()));
    from.nodes.push_back(std::move(join));
    pending.push_back(std::move(up));
}

std::string PlanWriter::from_text(Block& block) {
    const From& from = block.from;
    const FromNode& root = from.nodes[from.root];
    if (!root.is_join && plan_[root.relation].op == RelOp::one_row &&
        plan_[root.relation].label == no_index)
        return {};
    block.qualify = root.is_join;
    struct Task {
        std::uint32_t node;
        bool built;
    };
    std::vector<Task> tasks{{from.root, false}};
    std::vector<std::string> done;
    while (!tasks.empty()) {
        const Task task = tasks.back();
        tasks.pop_back();
        const FromNode& node = from.nodes[task.node];
        if (!node.is_join) {
            done.push_back(leaf(node.relation, block));
            continue;
        }
        if (!task.built) {
            tasks.push_back({task.node, true});
            tasks.push_back({node.right, false});
            tasks.push_back({node.left, false});
            continue;
        }
        std::string right = std::move(done.back());
        done.pop_back();
        std::string& text = done.back();
        const bool cross = node.kind == JoinKind::inner && node.on.empty();
        if (node.comma) {
            text += ", " + right;
            continue;
        }
        if (from.nodes[node.right].is_join) right = '(' + right + ')';
        text += cross ? " cross join "
                : node.kind == JoinKind::inner
                    ? " join "
                    : fmt::format(" {} join ", join_kind_name(node.kind));
        text += right;
        if (!cross) text += " on " + (node.on.empty() ? "true" : conditions(node.on, block));
    }
    return " from " + done.back();
}

std::string PlanWriter::leaf(RelationId relation, Block& block) {
    const Relation& r = plan_[relation];
    if (r.op == RelOp::scan) return scan(relation, block);
    if (r.op == RelOp::cte_scan && r.label == no_index)
        return cte_scan(plan_.cte_scans[r.payload], block);
    if (r.op == RelOp::opaque && r.label == no_index && !plan_.opaques[r.payload].is_query) {
        return table_function(plan_.opaques[r.payload], relation, block);
    }
    return derived(relation, block);
}

std::string PlanWriter::scan(RelationId relation, Block& block) {
    const Relation& r = plan_[relation];
    const TableInstance& instance = plan_.instances[r.payload];
    const std::string& own = instance.alias.empty() ? instance.name : instance.alias;
    const std::string alias = take_alias(own, block);
    std::string text = instance.only ? "only " : "";
    if (!instance.schema.empty()) text += name_text(instance.schema) + '.';
    text += name_text(instance.name);
    const Label* label = r.label == no_index ? nullptr : &plan_.labels[r.label];
    if (alias != instance.name || label != nullptr) text += " as " + name_text(alias);
    std::vector<std::string> names;
    for (const ColumnId column : instance.columns) {
        const std::size_t i = names.size();
        const bool labelled = label != nullptr && i < label->names.size();
        names.push_back(labelled ? label->names[i] : plan_[column].name);
        define(column, alias, names.back(), block, plan_[column].whole_row);
    }
    if (label != nullptr) {
        names.resize(std::min(names.size(), label->names.size()));
        text += column_list(names);
    }
    return text;
}

std::string PlanWriter::cte_scan(const CteScan& scan, Block& block) {
    const auto cte = static_cast<std::uint32_t>(scan.cte);
    const std::string& name = cte_names_[cte];
    const std::string alias = take_alias(scan.alias.empty() ? name : scan.alias, block);
    for (std::size_t i = 0; i < scan.columns.size(); ++i) {
        const ColumnId column = scan.columns[i];
        define(column, alias, cte_columns_[cte][i], block, plan_[column].whole_row);
    }
    note_star(scan.columns);
    return name_text(name) + (alias == name ? "" : " as " + name_text(alias));
}

std::string PlanWriter::table_function(const OpaqueRelation& opaque, RelationId, Block& block) {
    std::vector<std::string> arguments;
    for (const ExprId argument : opaque.arguments)
        arguments.push_back(expr_text(argument, block, true));
    std::string text = fill_places(opaque.text, arguments);
    const std::string alias = take_alias(opaque.alias, block);
    std::vector<std::string> names;
    bool open = false;
    for (const ColumnId column : opaque.columns) {
        names.push_back(plan_[column].name);
        open = open || plan_[column].whole_row;
        define(column, alias, names.back(), block, plan_[column].whole_row);
    }
    const bool usual =
        open || (!names.empty() && names[0] == alias &&
                 (names.size() == 1 || (names.size() == 2 && names[1] == "ordinality")));
    const bool called =
        text.starts_with(name_text(opaque.alias) + '(') && alias == opaque.alias && usual;
    if (called) return text;
    return text + " as " + name_text(alias) + (usual ? "" : column_list(names));
}

// (select …) as s
std::string PlanWriter::derived(RelationId relation, Block& block) {
    const Relation& r = plan_[relation];
    const Label* label = r.label == no_index ? nullptr : &plan_.labels[r.label];
    const bool scan = r.op == RelOp::filter && plan_[plan_.children(relation)[0]].op == RelOp::scan;
    std::string wanted = label == nullptr ? "" : label->alias;
    if (wanted.empty() && scan) {
        const TableInstance& instance = plan_.instances[plan_[plan_.children(relation)[0]].payload];
        wanted = instance.alias.empty() ? instance.name : instance.alias;
    }
    Outputs outputs = derived_outputs(relation);
    bool lateral = false;
    for (const std::uint32_t column : free_columns(relation)) {
        const ExprId meaning = defined_[column];
        if (meaning == no_expr || scratch_[meaning].op != Op::column) continue;
        lateral = lateral || names_[scratch_[meaning].payload].block == block.id;
    }
    const std::string alias = wanted.empty() ? made_up_alias(block) : take_alias(wanted, block);
    std::string text;
    std::vector<std::string> names;
    if (r.op == RelOp::values) {
        text = '(' + values_rows(plan_.values[r.payload], block) + ") as " + name_text(alias);
        for (const Output& output : outputs) names.push_back(output.name);
        text += column_list(names);
    } else if (r.op == RelOp::opaque) {
        const OpaqueRelation& opaque = plan_.opaques[r.payload];
        std::vector<std::string> arguments;
        for (const ExprId argument : opaque.arguments)
            arguments.push_back(expr_text(argument, block, true));
        text = '(' + fill_places(opaque.text, arguments) + ") as " + name_text(alias);
    } else {
        text = '(' + query(relation, outputs).text + ") as " + name_text(alias);
    }
    for (const Output& output : outputs) {
        define(output.column, alias, output.name, block, plan_[output.column].whole_row);
    }
    std::vector<ColumnId> columns;
    for (const Output& output : outputs) columns.push_back(output.column);
    note_star(columns);
    return (lateral ? "lateral " : "") + text;
}

std::string PlanWriter::conditions(const std::vector<Conjunct>& conjuncts, const Block& block) {
    std::vector<ExprId> all;
    for (const Conjunct& conjunct : conjuncts) {
        if (conjunct.expr != no_expr) {
            all.push_back(translate(conjunct.expr, block));
            continue;
        }
        const std::string text = semi_join(conjunct, block);
        const std::uint32_t payload = add_name({text, text, {}, block.id, false});
        all.push_back(scratch_.add(Op::column, Type(TypeKind::boolean), payload, {}));
    }
    if (all.size() == 1) return text_of(all[0], block);
    return text_of(scratch_.add(Op::and_, Type(TypeKind::boolean), 0, all), block);
}

// exists (select 1 from … where …)
std::string PlanWriter::semi_join(const Conjunct& conjunct, const Block&) {
    const Relation& r = plan_[conjunct.join];
    std::vector<Conjunct> extra;
    if (ExprId{r.payload} != no_expr) extra.push_back({ExprId{r.payload}, RelationId{no_index}});
    const QueryText inner = query(plan_.children(conjunct.join)[1], {}, extra, true);
    return (r.join == JoinKind::anti ? "not exists (" : "exists (") + inner.text + ')';
}

}  // namespace satura::lang
