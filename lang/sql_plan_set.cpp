// Set operations and VALUES of a plan.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "lang/sql_coerce.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_plan_writer.hpp"

namespace satura::lang {
namespace {

// INTERSECT binds tighter than UNION and EXCEPT; those two are read from the left.
int precedence(RelOp op) { return op == RelOp::set_intersect ? 2 : 1; }

}  // namespace

ExprId PlanWriter::without_implicit_cast(ExprId expr) const {
    const ExprNode& node = plan_.exprs[expr];
    return node.op == Op::cast && node.implicit ? plan_.exprs.children(expr)[0] : expr;
}

bool PlanWriter::is_null(ExprId expr) const {
    const ExprNode& node = plan_.exprs[expr];
    return node.op == Op::literal && context_.literals[LiteralId{node.payload}].value.is_null();
}

// What a projection at the top of a relation computes for a column.
std::optional<ExprId> PlanWriter::output_expr(RelationId relation, ColumnId column) const {
    if (plan_[relation].op != RelOp::project) return std::nullopt;
    for (const ProjectItem& item : plan_.projects[plan_[relation].payload]) {
        if (item.column == column) return item.expr;
    }
    return std::nullopt;
}

// Whether the dialect finds this type for the expressions, their implicit casts left out and constants bare.
bool PlanWriter::casts_itself(std::span<const ExprId> exprs, Type type) const {
    std::vector<Operand> operands;
    for (const ExprId expr : exprs) {
        const ExprNode& node = plan_.exprs[without_implicit_cast(expr)];
        operands.push_back({Operand::Form::typed, node.type, Value()});
        if (node.op != Op::literal) continue;
        const Literal& literal = context_.literals[LiteralId{node.payload}];
        const auto bare = bare_form(literal.type, literal.value, context_);
        if (bare) operands.back() = *bare;
    }
    const auto answer = coerce(Op::coalesce, 0, operands, unknown_, context_);
    const auto* coerced = std::get_if<Coerced>(&answer);
    return coerced != nullptr && coerced->result == type;
}

// The columns of one side under the names that they have in the whole: those of the first side count.
PlanWriter::Outputs PlanWriter::side_outputs(RelationId operation, bool right,
                                             const Outputs& outputs) const {
    const SetOperation& set = plan_.set_operations[plan_[operation].payload];
    const std::size_t width = set.columns.size();
    const RelationId side = plan_.children(operation)[right ? 1 : 0];
    const RelationId other = plan_.children(operation)[right ? 0 : 1];
    Outputs out;
    for (std::size_t i = 0; i < width; ++i) {
        Output output;
        output.column = set.inputs[right ? width + i : i];
        output.named = !right && i < outputs.size() && outputs[i].named;
        if (i < outputs.size()) output.name = outputs[i].name;
        const auto mine = output_expr(side, output.column);
        const auto theirs = output_expr(other, set.inputs[right ? i : width + i]);
        const ColumnId other_column = set.inputs[right ? i : width + i];
        if (mine && theirs) {
            output.bare = casts_itself(std::array{right ? *theirs : *mine, right ? *mine : *theirs},
                                       plan_[set.columns[i]].type);
            // A NULL takes the type that the other side writes out.
            output.bare = output.bare || (is_null(*mine) && !is_null(*theirs));
            output.bare_null = output.bare && is_null(without_implicit_cast(*mine));
        } else if (mine && plan_[other_column].type == plan_[set.columns[i]].type) {
            const Type bare = plan_.exprs[without_implicit_cast(*mine)].type;
            const bool null = is_null(*mine);
            const std::array pair{null ? Operand{Operand::Form::null, Type(), Value()}
                                       : Operand{Operand::Form::typed, bare, Value()},
                                  Operand{Operand::Form::typed, plan_[other_column].type, Value()}};
            const auto answer = coerce(Op::coalesce, 0, pair, unknown_, context_);
            const auto* coerced = std::get_if<Coerced>(&answer);
            output.bare = coerced != nullptr && coerced->result == plan_[set.columns[i]].type;
            output.bare_null = output.bare && null;
        }
        out.push_back(std::move(output));
    }
    return out;
}

// The tree of operations in order, with a stack: ten thousand UNIONs are a chain.
PlanWriter::QueryText PlanWriter::set_query(RelationId root, const Outputs& outputs,
                                            const TopN* topn, std::string with) {
    struct Task {
        RelationId relation;
        Outputs outputs;
        int least;         // precedence that stands without parentheses
        std::string text;  // written as it is where it is not empty
    };
    Block block;  // of the whole: names are those of the result
    block.id = ++blocks_;
    std::string text;
    std::vector<Task> tasks;
    tasks.push_back({root, outputs, 0, {}});
    while (!tasks.empty()) {
        const Task task = std::move(tasks.back());
        tasks.pop_back();
        if (!task.text.empty()) {
            text += task.text;
            continue;
        }
        const Relation& r = plan_[task.relation];
        if (!is_set_operation(r.op) || !holds_outputs(task.relation, task.outputs)) {
            if (task.relation == root) {
                text += values_rows(plan_.values[r.payload], block);
                continue;
            }
            const QueryText side = query(task.relation, task.outputs);
            text += side.plain ? side.text : '(' + side.text + ')';
            continue;
        }
        const int own = precedence(r.op);
        const bool brackets = own < task.least;
        if (brackets) text += '(';
        if (brackets) tasks.push_back({{}, {}, 0, ")"});
        const auto children = plan_.children(task.relation);
        tasks.push_back(
            {children[1], side_outputs(task.relation, true, task.outputs), own + 1, {}});
        tasks.push_back({{}, {}, 0, fmt::format(" {}{} ", rel_op_name(r.op), r.all ? " all" : "")});
        tasks.push_back({children[0], side_outputs(task.relation, false, task.outputs), own, {}});
    }
    const bool plain = with.empty() && topn == nullptr;
    if (topn != nullptr) text += order_by(topn->keys, outputs, block, true) + limits(*topn, block);
    return {with + text, plain};
}

// values (…), (…)
std::string PlanWriter::values_rows(const Values& values, const Block& block) {
    const std::size_t width = values.columns.size();
    std::vector<bool> bare(width);
    for (std::size_t i = 0; i < width; ++i) {
        std::vector<ExprId> cells;
        for (std::size_t row = 0; row < values.rows; ++row)
            cells.push_back(values.cells[row * width + i]);
        bare[i] = casts_itself(cells, plan_[values.columns[i]].type);
    }
    std::string text = "values ";
    for (std::size_t row = 0; row < values.rows; ++row) {
        text += row == 0 ? "(" : ", (";
        for (std::size_t i = 0; i < width; ++i) {
            const ExprId cell = values.cells[row * width + i];
            const ExprId shown = bare[i] ? without_implicit_cast(cell) : cell;
            const ExprNode& node = plan_.exprs[shown];
            const bool null = bare[i] && node.op == Op::literal &&
                              context_.literals[LiteralId{node.payload}].value.is_null();
            text += i == 0 ? "" : ", ";
            text += null ? "null" : expr_text(shown, block);
        }
        text += ')';
    }
    return text;
}

}  // namespace satura::lang
