// Expressions of a plan as SQL: columns by what they stand for, subqueries, aggregates and windows.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "lang/sql_coerce.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_plan_writer.hpp"
#include "lang/sql_spelling.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

// The type "?" where the plan has it; else a type that no node has.
Type find_unknown(const Plan& plan, const Context& context) {
    for (const PlanColumn& column : plan.columns) {
        if (column.type.kind() == TypeKind::opaque && is_unknown_type(column.type, context))
            return column.type;
    }
    for (std::size_t i = 0; i < plan.exprs.size(); ++i) {
        const Type type = plan.exprs[ExprId{static_cast<std::uint32_t>(i)}].type;
        if (type.kind() == TypeKind::opaque && is_unknown_type(type, context)) return type;
    }
    return Type::opaque(0xFFFFFFU);
}

// Operators below which a comparison needs no parentheses.
bool takes_conditions(Op op) { return op == Op::and_ || op == Op::or_ || op == Op::not_; }

}  // namespace

PlanWriter::PlanWriter(const Plan& plan, const Context& context)
    : plan_(plan),
      context_(context),
      dialect_(context.semantics.dialect),
      unknown_(find_unknown(plan, context)),
      defined_(plan.columns.size(), no_expr),
      cte_names_(plan.ctes.size()),
      cte_columns_(plan.ctes.size()) {
    const std::uint32_t nothing = add_name({});
    const bool known = unknown_ != Type::opaque(0xFFFFFFU);
    if (known)
        scratch_.add(Op::column, unknown_, nothing,
                     {});  // found first by the writer of expressions
}

// Whether the value may differ from one evaluation to the next.
bool PlanWriter::is_volatile(ExprId root) const {
    std::vector<ExprId> open{root};
    std::unordered_set<std::uint32_t> seen;
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        if (!seen.insert(static_cast<std::uint32_t>(id)).second) continue;
        const ExprNode& node = plan_.exprs[id];
        if (node.op == Op::call &&
            std::string_view(context_.names[node.payload]).find('\x01') != std::string_view::npos) {
            return true;
        }
        for (const ExprId child : plan_.exprs.children(id)) open.push_back(child);
    }
    return false;
}

bool PlanWriter::has_subquery(ExprId root) const {
    std::vector<ExprId> open{root};
    while (!open.empty()) {
        const ExprId id = open.back();
        open.pop_back();
        if (plan_.exprs[id].op >= Op::exists) return true;
        for (const ExprId child : plan_.exprs.children(id)) open.push_back(child);
    }
    return false;
}

// The expression with each column replaced by what it stands for here, and each subquery by its text.
ExprId PlanWriter::translate(ExprId root, const Block& block) {
    struct Task {
        ExprId id;
        bool loose;    // may stand without parentheses though it is a condition
        bool negated;  // below a NOT that is written within it
        bool built;
    };
    std::vector<Task> tasks{{root, true, false, false}};
    std::unordered_map<std::uint64_t, ExprId> done;
    const auto key = [](ExprId id, bool loose, bool negated) {
        return static_cast<std::uint64_t>(id) * 4 + (loose ? 2 : 0) + (negated ? 1 : 0);
    };
    const auto below = [&](const Task& task, std::size_t i) -> Task {
        const ExprNode& node = plan_.exprs[task.id];
        const ExprId child = plan_.exprs.children(task.id)[i];
        const bool subquery = plan_.exprs[child].op >= Op::exists;
        return {child, subquery && takes_conditions(node.op), false, false};
    };
    std::vector<ExprId> children;
    while (!tasks.empty()) {
        Task task = tasks.back();
        tasks.pop_back();
        const std::uint64_t own = key(task.id, task.loose, task.negated);
        if (done.contains(own)) continue;
        const ExprNode& node = plan_.exprs[task.id];
        if (node.op == Op::column) {
            const ExprId meaning = defined_[node.payload];
            if (meaning == no_expr) exact_ = false;
            done.emplace(own,
                         meaning == no_expr ? scratch_.add(Op::column, node.type, 0, {}) : meaning);
            continue;
        }
        const bool subquery = node.op >= Op::exists;
        const auto from = plan_.exprs.children(task.id);
        const std::size_t count = subquery ? plan_[SubqueryId{node.payload}].operands : from.size();
        const ExprId first = from.empty() ? task.id : from[0];
        const bool not_in = node.op == Op::not_ && plan_.exprs[first].op == Op::in_subquery;
        if (!task.built) {
            task.built = true;
            tasks.push_back(task);
            if (not_in) {
                tasks.push_back({first, task.loose, true, false});
                continue;
            }
            for (std::size_t i = count; i-- > 0;) tasks.push_back(below(task, i));
            continue;
        }
        if (not_in) {
            done.emplace(own, done.at(key(first, task.loose, true)));
            continue;
        }
        children.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const Task child = below(task, i);
            children.push_back(done.at(key(child.id, child.loose, false)));
        }
        const ExprId result =
            subquery ? subquery_node(task.id, task.negated, task.loose, children, block)
                     : scratch_.add(node.op, node.type, node.payload, children, node.position,
                                    node.implicit);
        done.emplace(own, result);
    }
    return done.at(key(root, true, false));
}

// A subquery with its text as a name.
ExprId PlanWriter::subquery_node(ExprId expr, bool negated, bool loose,
                                 const std::vector<ExprId>& operands, const Block& block) {
    const ExprNode& node = plan_.exprs[expr];
    std::string text = subquery_text(expr, negated, operands, block);
    if (!loose && node.op == Op::in_subquery) text = '(' + text + ')';
    const std::uint32_t payload = add_name({text, text, {}, block.id, false});
    return scratch_.add(Op::column, node.type, payload, {});
}

std::string PlanWriter::subquery_text(ExprId expr, bool negated,
                                      const std::vector<ExprId>& operands, const Block& block) {
    const ExprNode& node = plan_.exprs[expr];
    const Subquery& subquery = plan_[SubqueryId{node.payload}];
    if (subquery.kind == SubqueryKind::exists)
        return "exists (" + query(subquery.relation, {}, {}, true).text + ')';
    Outputs outputs;
    for (const ColumnId column : subquery.columns)
        outputs.push_back({column, plan_[column].name, false});
    if (operands.empty()) {
        const std::string inner = '(' + query(subquery.relation, outputs).text + ')';
        return subquery.kind == SubqueryKind::array ? "array" + inner : inner;
    }
    // Casts that the comparison brings about by itself stand on neither side.
    std::vector<std::string> texts;
    const RelationId relation = subquery.relation;
    const bool casts = plan_[relation].op == RelOp::project;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        ExprId operand = operands[i];
        const bool cast = scratch_[operand].op == Op::cast && scratch_[operand].implicit;
        const ExprId bare = cast ? scratch_.children(operand)[0] : operand;
        const auto item = output_expr(relation, subquery.columns[i]);
        const ExprId inner = casts && item ? without_implicit_cast(*item) : no_expr;
        const Type column =
            inner == no_expr ? plan_[subquery.columns[i]].type : plan_.exprs[inner].type;
        const std::array pair{Operand{Operand::Form::typed, scratch_[bare].type, Value()},
                              Operand{Operand::Form::typed, column, Value()}};
        const auto answer = coerce(subquery.comparison, 0, pair, unknown_, context_);
        const auto* coerced = std::get_if<Coerced>(&answer);
        const bool same = coerced != nullptr && coerced->targets[0] == scratch_[operand].type &&
                          coerced->targets[1] == plan_[subquery.columns[i]].type;
        // A bare NULL would be a text to what stands around the subquery.
        const bool constant = inner != no_expr && plan_.exprs[inner].op == Op::literal;
        outputs[i].bare = same && (!constant || is_string(column));
        outputs[i].bare_null = outputs[i].bare && constant && is_null(inner);
        texts.push_back(operand_text(same ? bare : operand, block));
    }
    std::string left = texts[0];
    for (std::size_t i = 1; i < texts.size(); ++i) left += ", " + texts[i];
    if (texts.size() > 1) left = '(' + left + ')';
    const std::string inner = '(' + query(relation, outputs).text + ')';
    if (subquery.kind == SubqueryKind::any && subquery.comparison == Op::eq) {
        return left + (negated ? " not in " : " in ") + inner;
    }
    const std::string_view quantifier = subquery.kind == SubqueryKind::any   ? "any "
                                        : subquery.kind == SubqueryKind::all ? "all "
                                                                             : "";
    const std::string text =
        fmt::format("{} {} {}{}", left, op_name(subquery.comparison), quantifier, inner);
    return negated ? "not " + text : text;
}

std::string PlanWriter::operand_text(ExprId translated, const Block& block) {
    const std::string text = text_of(translated, block);
    const bool enclosed = level_of(scratch_, translated, true, context_) >= Level::add;
    return enclosed ? text : '(' + text + ')';
}

std::string PlanWriter::text_of(ExprId translated, const Block& block, bool qualified) {
    const ColumnWriter writer = [&](std::uint32_t payload) {
        const Name& name = names_[payload];
        used_call_ = used_call_ || name.is_call;
        const bool bare = name.block == block.id && !block.qualify && !qualified;
        return bare ? name.bare : name.qualified;
    };
    Written written = write_expr(scratch_, translated, writer, context_);
    exact_ = exact_ && written.exact;
    return std::move(written.text);
}

std::string PlanWriter::expr_text(ExprId expr, const Block& block, bool qualified) {
    return text_of(translate(expr, block), block, qualified);
}

// A key of GROUP BY or ORDER BY: a bare constant would be the number of a column.
std::string PlanWriter::key_text(ExprId expr, const Block& block) {
    const ExprId translated = translate(expr, block);
    if (scratch_[translated].op == Op::literal)
        return write_literal(scratch_, translated, false, context_);
    return text_of(translated, block);
}

std::string PlanWriter::list_text(const std::vector<ExprId>& exprs, const Block& block,
                                  bool qualified) {
    std::string out;
    for (std::size_t i = 0; i < exprs.size(); ++i)
        out += (i == 0 ? "" : ", ") + expr_text(exprs[i], block, qualified);
    return out;
}

std::string PlanWriter::order_words(const SortKey& key) const {
    std::string out;
    if (!key.using_operator.empty()) {
        out = " using " + key.using_operator;
    } else if (key.descending) {
        out = " desc";
    }
    const bool usual = key.nulls_first == (dialect_ == Dialect::postgres && key.descending);
    return usual ? out : out + (key.nulls_first ? " nulls first" : " nulls last");
}

std::string PlanWriter::sort_text(const std::vector<SortKey>& keys, const Block& block,
                                  bool qualified) {
    std::string out;
    for (const SortKey& key : keys) {
        out += (out.empty() ? "" : ", ") + expr_text(key.expr, block, qualified) + order_words(key);
    }
    return out;
}

std::string PlanWriter::call_text(const AggregateCall& call, const Block& block, bool qualified) {
    std::string text = call.function + '(';
    if (call.star) text += '*';
    if (call.distinct) text += "distinct ";
    if (call.variadic) text += "variadic ";
    text += list_text(call.arguments, block, qualified);
    if (!call.order.empty() && !call.within_group)
        text += " order by " + sort_text(call.order, block, qualified);
    text += ')';
    if (call.within_group)
        text += " within group (order by " + sort_text(call.order, block, qualified) + ')';
    if (call.filter != no_expr)
        text += " filter (where " + expr_text(call.filter, block, qualified) + ')';
    return text;
}

std::string PlanWriter::bound_text(FrameBound bound, ExprId offset, const Block& block,
                                   bool qualified) {
    switch (bound) {
        case FrameBound::unbounded_preceding:
            return "unbounded preceding";
        case FrameBound::preceding:
            return expr_text(offset, block, qualified) + " preceding";
        case FrameBound::current_row:
            return "current row";
        case FrameBound::following:
            return expr_text(offset, block, qualified) + " following";
        case FrameBound::unbounded_following:
            break;
    }
    return "unbounded following";
}

std::string PlanWriter::frame_text(const Frame& frame, const Block& block, bool qualified) {
    constexpr std::array<std::string_view, 3> modes{"range", "rows", "groups"};
    constexpr std::array<std::string_view, 4> exclusions{"", " exclude current row",
                                                         " exclude group", " exclude ties"};
    const std::string start = bound_text(frame.start, frame.start_offset, block, qualified);
    const std::string end = bound_text(frame.end, frame.end_offset, block, qualified);
    return fmt::format("{} between {} and {}{}", modes[static_cast<std::size_t>(frame.mode)], start,
                       end, exclusions[static_cast<std::size_t>(frame.exclusion)]);
}

std::string PlanWriter::window_text(const WindowCall& window, const Block& block, bool qualified) {
    std::string over;
    const auto add = [&](const std::string& clause) { over += (over.empty() ? "" : " ") + clause; };
    if (!window.partition.empty())
        add("partition by " + list_text(window.partition, block, qualified));
    if (!window.order.empty()) add("order by " + sort_text(window.order, block, qualified));
    if (window.frame.written) add(frame_text(window.frame, block, qualified));
    return call_text(window.call, block, qualified) + " over (" + over + ')';
}

}  // namespace satura::lang
