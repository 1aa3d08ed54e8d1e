#include "proof/term_text.hpp"

#include <fmt/format.h>

#include "lang/plan_tree.hpp"
#include "proof/single_terms.hpp"
#include "rules/decode.hpp"

namespace satura::proof {

using egraph::ClassId;
using egraph::NodeId;
using rules::Sort;

namespace {

constexpr std::size_t part_max = 160;  // characters of a part of a truth or relation

}  // namespace

TermText::TermText(const Known& known) : known_(known) {
    const lang::Context& context = known.ops().context();
    if (known.plan() != nullptr) {
        plan_ = *known.plan()->plan;
        names_ = lang::plan_column_names(plan_, context.semantics.dialect);
        return;
    }
    for (const lang::Column& column : known.scope().columns) names_.push_back(column.name);
}

std::string TermText::value(TermId term) {
    const SingleTerms terms(known_);
    rules::Decoding decoding;
    decoding.choice = [](ClassId cls, bool) { return NodeId{egraph::raw(cls)}; };
    lang::Exprs exprs;
    const lang::ExprId made =
        rules::decode(terms, known_.ops(), ClassId{index(term)}, decoding, exprs);
    // Casts are shown, those too that binding would give back.
    const std::uint32_t base = plan_.exprs.size();
    for (std::uint32_t i = 0; i < exprs.size(); ++i) {
        const lang::ExprNode& node = exprs[lang::ExprId{i}];
        std::vector<lang::ExprId> children;
        for (lang::ExprId child : exprs.children(lang::ExprId{i}))
            children.push_back(lang::ExprId{base + lang::index(child)});
        plan_.exprs.add(node.op, node.type, node.payload, children);
    }
    const lang::ExprId root{base + lang::index(made)};
    return lang::write_plan_expr(plan_, root, names_, known_.ops().context());
}

std::string TermText::columns(const rules::ColumnSets::Columns& columns) const {
    std::vector<std::string> names;
    for (lang::ColumnId column : columns) names.push_back(names_[static_cast<std::size_t>(column)]);
    return fmt::format("{{{}}}", fmt::join(names, ", "));
}

std::string TermText::part(std::uint32_t term) const {
    const std::string& text = done_.at(term);
    return text.size() > part_max ? "…" : text;
}

// What is no value, of parts that are there.
std::string TermText::made(TermId id) const {
    const Term term = known_.terms()[id];
    const rules::SqlOps& ops = known_.ops();
    const rules::PlanOps& plan = ops.plan();
    if (term.op == plan.columns) return columns(known_.plan_scope().column_sets[term.payload]);
    if (term.op == plan.scan) {
        const lang::TableInstance& table = plan_.instances[term.payload];
        return table.alias.empty() ? table.name : table.alias;
    }
    std::vector<std::string> parts;
    for (std::uint32_t child : term.children) {
        if (known_.terms()[TermId{child}].op != plan.shape) parts.push_back(part(child));
    }
    const std::string& name = known_.terms().signature()[term.op].name;
    if (parts.empty()) return name;
    const bool is_set = known_.terms().signature()[term.op].shape == egraph::Shape::set;
    return fmt::format("{}{}{}{}", name, is_set ? '{' : '(', fmt::join(parts, ", "),
                       is_set ? '}' : ')');
}

const std::string& TermText::of(TermId root) {
    std::vector<TermId> todo{root};
    while (!todo.empty()) {
        const TermId id = todo.back();
        const Term term = known_.terms()[id];
        const rules::SqlOps::Meaning& m = known_.ops().meaning(term.op);
        const bool is_value = m.sort == Sort::value && !m.is_when;
        const std::size_t before = todo.size();
        if (!is_value && !done_.contains(index(id))) {
            for (std::uint32_t child : term.children) {
                if (!done_.contains(child)) todo.push_back(TermId{child});
            }
        }
        if (todo.size() > before) continue;
        todo.pop_back();
        if (!done_.contains(index(id))) done_.emplace(index(id), is_value ? value(id) : made(id));
    }
    return done_.at(index(root));
}

}  // namespace satura::proof
