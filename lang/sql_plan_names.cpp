// Names of columns and aliases in the text of a plan.
#include <fmt/core.h>

#include <algorithm>

#include "lang/sql_expr.hpp"
#include "lang/sql_plan_writer.hpp"

namespace satura::lang {

std::string PlanWriter::name_text(std::string_view name) const {
    return write_name(name, dialect_);
}

std::uint32_t PlanWriter::add_name(Name name) {
    names_.push_back(std::move(name));
    return static_cast<std::uint32_t>(names_.size() - 1);
}

void PlanWriter::define(ColumnId column, std::string alias, const std::string& name,
                        const Block& block, bool whole_row) {
    Name entry;
    entry.bare = whole_row ? "*" : name_text(name);
    entry.qualified = alias.empty() ? entry.bare : name_text(alias) + '.' + entry.bare;
    entry.alias = std::move(alias);
    entry.block = block.id;
    const std::uint32_t payload = add_name(std::move(entry));
    defined_[static_cast<std::uint32_t>(column)] =
        scratch_.add(Op::column, plan_[column].type, payload, {});
}

void PlanWriter::define_call(ColumnId column, std::string bare, std::string qualified,
                             const Block& block, bool aggregate) {
    const std::uint32_t payload =
        add_name({std::move(bare), std::move(qualified), {}, block.id, aggregate});
    defined_[static_cast<std::uint32_t>(column)] =
        scratch_.add(Op::column, plan_[column].type, payload, {});
}

// The wanted alias where it is free, else with a number.
std::string PlanWriter::take_alias(const std::string& wanted, Block& block) {
    std::string alias = wanted;
    for (std::uint32_t i = 2; !block.aliases.insert(alias).second; ++i)
        alias = fmt::format("{}_{}", wanted, i);
    return alias;
}

std::string PlanWriter::made_up_alias(Block& block) {
    for (std::uint32_t i = 1;; ++i) {
        std::string alias = fmt::format("q{}", i);
        if (block.aliases.insert(alias).second) return alias;
    }
}

// The columns that are read below a relation and made outside it. What is only handed on (c := c) is made elsewhere.
std::vector<std::uint32_t> PlanWriter::free_columns(RelationId root) const {
    std::unordered_set<std::uint32_t> made;
    std::unordered_set<std::uint32_t> seen;
    std::vector<std::uint32_t> read;
    std::vector<ExprId> open;
    const auto make = [&](ColumnId column) { made.insert(static_cast<std::uint32_t>(column)); };
    const auto make_item = [&](const ProjectItem& item) {
        const ExprNode& node = plan_.exprs[item.expr];
        if (node.op != Op::column || ColumnId{node.payload} != item.column) make(item.column);
    };
    for (const RelationId id : reachable(plan_, root)) {
        const Relation& r = plan_[id];
        if (r.op == RelOp::project) {
            std::ranges::for_each(plan_.projects[r.payload], make_item);
        } else if (r.op == RelOp::aggregate) {
            std::ranges::for_each(plan_.aggregates[r.payload].keys, make_item);
            for (const AggregateCall& call : plan_.aggregates[r.payload].calls) make(call.column);
        } else if (r.op == RelOp::window) {
            for (const WindowCall& window : plan_.windows[r.payload]) make(window.call.column);
        } else if (plan_.children(id).empty() || is_set_operation(r.op)) {
            std::ranges::for_each(output_columns(plan_, id), make);
        }
        const std::vector<ExprId> own = own_expressions(plan_, id);
        open.insert(open.end(), own.begin(), own.end());
        while (!open.empty()) {
            const ExprId expr = open.back();
            open.pop_back();
            if (!seen.insert(static_cast<std::uint32_t>(expr)).second) continue;
            if (plan_.exprs[expr].op == Op::column) read.push_back(plan_.exprs[expr].payload);
            for (const ExprId child : plan_.exprs.children(expr)) open.push_back(child);
        }
    }
    std::erase_if(read, [&](std::uint32_t column) { return made.contains(column); });
    return read;
}

// Items of FROM around this block whose columns are read within it keep their names for themselves.
void PlanWriter::avoid_outer_aliases(RelationId relation, const std::vector<Conjunct>& extra,
                                     Block& block) {
    std::vector<std::uint32_t> columns = free_columns(relation);
    const std::vector<ColumnId> own = output_columns(plan_, relation);
    for (const Conjunct& conjunct : extra) {
        std::vector<ExprId> open{conjunct.expr};
        while (!open.empty()) {
            const ExprId id = open.back();
            open.pop_back();
            const ExprNode& node = plan_.exprs[id];
            const bool outer = node.op == Op::column &&
                               std::ranges::find(own, ColumnId{node.payload}) == own.end();
            if (outer) columns.push_back(node.payload);
            for (const ExprId child : plan_.exprs.children(id)) open.push_back(child);
        }
    }
    for (const std::uint32_t column : columns) {
        if (defined_[column] == no_expr) continue;
        std::vector<ExprId> open{defined_[column]};
        while (!open.empty()) {
            const ExprId id = open.back();
            open.pop_back();
            if (scratch_[id].op == Op::column) {
                const std::string& alias = names_[scratch_[id].payload].alias;
                if (!alias.empty()) block.aliases.insert(alias);
            }
            for (const ExprId child : scratch_.children(id)) open.push_back(child);
        }
    }
}

// The columns of a derived table under names of which no two are the same.
PlanWriter::Outputs PlanWriter::derived_outputs(RelationId relation) const {
    const Relation& r = plan_[relation];
    std::unordered_map<std::uint32_t, std::string> labels;
    if (r.label != no_index) {
        const Label& label = plan_.labels[r.label];
        for (std::size_t i = 0; i < label.columns.size(); ++i) {
            labels.emplace(static_cast<std::uint32_t>(label.columns[i]), label.names[i]);
        }
    }
    Outputs outputs;
    std::unordered_set<std::uint32_t> seen;
    std::unordered_set<std::string> taken;
    const std::vector<ColumnId> columns = output_columns(plan_, relation);
    const bool all = labels.empty() || r.op == RelOp::distinct || r.op == RelOp::values ||
                     r.op == RelOp::opaque || is_set_operation(r.op);
    const auto add = [&](ColumnId column) {
        const auto id = static_cast<std::uint32_t>(column);
        if (!seen.insert(id).second) return;
        const auto label = labels.find(id);
        const std::string& own = plan_.columns[id].name;
        std::string name = label != labels.end() ? label->second : own;
        if (name.empty() || name == "?column?") name = fmt::format("column{}", outputs.size() + 1);
        const std::string base = name;
        for (std::uint32_t i = 2; !plan_.columns[id].whole_row && !taken.insert(name).second; ++i) {
            name = fmt::format("{}_{}", base, i);
        }
        outputs.push_back({column, std::move(name), true});
    };
    if (r.label != no_index && !all) {
        const std::unordered_set<std::uint32_t> has = [&] {
            std::unordered_set<std::uint32_t> out;
            for (const ColumnId column : columns) out.insert(static_cast<std::uint32_t>(column));
            return out;
        }();
        for (const ColumnId column : plan_.labels[r.label].columns) {
            if (has.contains(static_cast<std::uint32_t>(column))) add(column);
        }
        return outputs;
    }
    for (const ColumnId column : columns) add(column);
    return outputs;
}

std::string PlanWriter::column_list(const std::vector<std::string>& names) const {
    std::string out = "(";
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : ", ") + name_text(names[i]);
    return out + ')';
}

}  // namespace satura::lang
