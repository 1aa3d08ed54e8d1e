// Names of columns and texts of expressions for the tree of a plan.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "lang/plan_tree.hpp"
#include "lang/sql_expr.hpp"
#include "lang/sql_write.hpp"

namespace satura::lang {
namespace {

std::string plain_name(const Plan& plan, const PlanColumn& column, Dialect dialect) {
    std::string name = column.whole_row      ? "*"
                       : column.name.empty() ? "column"
                                             : write_name(column.name, dialect);
    if (column.name == "?column?") name = "column";
    if (column.instance == no_index) return name;
    const TableInstance& instance = plan.instances[column.instance];
    return write_name(instance.alias.empty() ? instance.name : instance.alias, dialect) + '.' +
           name;
}

std::string_view quantifier(const Subquery& subquery) {
    switch (subquery.kind) {
        case SubqueryKind::any:
            return "any ";
        case SubqueryKind::all:
            return "all ";
        default:
            return "";
    }
}

}  // namespace

std::vector<std::string> plan_column_names(const Plan& plan, Dialect dialect) {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> uses;
    for (const PlanColumn& column : plan.columns) {
        names.push_back(plain_name(plan, column, dialect));
        ++uses[names.back()];
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (uses[names[i]] > 1) names[i] += fmt::format("#{}", i);
    }
    return names;
}

// Subqueries become columns of a copy, whose names are what is written for them.
std::string write_plan_expr(const Plan& plan, ExprId root, const std::vector<std::string>& names,
                            const Context& context) {
    Exprs copy;
    std::vector<std::string> texts;  // of subqueries: payloads past the columns
    std::unordered_map<std::uint32_t, ExprId> copies;
    const auto first = static_cast<std::uint32_t>(names.size());
    const ColumnWriter writer = [&](std::uint32_t column) {
        return column < first ? names[column] : texts[column - first];
    };
    std::vector<ExprId> children;
    for (const ExprId id : nodes_below(plan.exprs, root)) {
        const ExprNode& node = plan.exprs[id];
        children.clear();
        for (const ExprId child : plan.exprs.children(id))
            children.push_back(copies.at(static_cast<std::uint32_t>(child)));
        if (node.op < Op::exists) {
            copies.emplace(
                static_cast<std::uint32_t>(id),
                copy.add(node.op, node.type, node.payload, children, node.position, node.implicit));
            continue;
        }
        const Subquery& subquery = plan[SubqueryId{node.payload}];
        std::string text;
        for (std::uint32_t i = 0; i < subquery.operands; ++i) {
            text += (i == 0 ? "" : ", ") + write_expr(copy, children[i], writer, context).text;
        }
        if (subquery.operands > 1) text = '(' + text + ')';
        if (node.op == Op::exists) text = "exists ";
        if (subquery.kind == SubqueryKind::array) text = "array ";
        if (subquery.operands > 0)
            text += fmt::format(" {} {}", op_name(subquery.comparison), quantifier(subquery));
        text = fmt::format("({}subquery {})", text, node.payload + 1);
        const auto payload = static_cast<std::uint32_t>(first + texts.size());
        texts.push_back(std::move(text));
        copies.emplace(static_cast<std::uint32_t>(id),
                       copy.add(Op::column, node.type, payload, {}, node.position));
    }
    return write_expr(copy, copies.at(static_cast<std::uint32_t>(root)), writer, context).text;
}

}  // namespace satura::lang
