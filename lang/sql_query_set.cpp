// UNION, INTERSECT, EXCEPT, and what ORDER BY and LIMIT do above them.
#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_query.hpp"

namespace satura::lang {
namespace {

// A set operation that can be taken apart: nothing of its own stands around it.
bool is_plain_set(const PgQuery__SelectStmt& s) {
    return s.op != PG_QUERY__SET_OPERATION__SETOP_NONE && s.with_clause == nullptr &&
           s.n_sort_clause == 0 && s.limit_count == nullptr && s.limit_offset == nullptr &&
           s.n_locking_clause == 0;
}

RelOp rel_op(PgQuery__SetOperation op) {
    switch (op) {
        case PG_QUERY__SET_OPERATION__SETOP_INTERSECT:
            return RelOp::set_intersect;
        case PG_QUERY__SET_OPERATION__SETOP_EXCEPT:
            return RelOp::set_except;
        default:
            return RelOp::set_union;
    }
}

std::string_view spelling(PgQuery__SetOperation op) {
    switch (op) {
        case PG_QUERY__SET_OPERATION__SETOP_INTERSECT:
            return "INTERSECT";
        case PG_QUERY__SET_OPERATION__SETOP_EXCEPT:
            return "EXCEPT";
        default:
            return "UNION";
    }
}

bool has_whole_row(const BoundQuery& query) {
    return std::ranges::any_of(query.columns, &OutputColumn::whole_row);
}

}  // namespace

// The tree of operations in post-order, with a stack: ten thousand UNIONs are a chain.
BoundQuery QueryBinder::set_operation(const PgQuery__SelectStmt& root, Level& level) {
    struct Task {
        const PgQuery__SelectStmt* select;
        bool built;
    };
    std::vector<Task> tasks{{&root, true}, {root.rarg, false}, {root.larg, false}};
    std::vector<BoundQuery> done;
    while (!tasks.empty() && !error_) {
        const Task task = tasks.back();
        tasks.pop_back();
        if (task.built) {
            BoundQuery right = std::move(done.back());
            done.pop_back();
            BoundQuery left = std::move(done.back());
            done.pop_back();
            done.push_back(combine(*task.select, std::move(left), std::move(right)));
        } else if (is_plain_set(*task.select)) {
            tasks.push_back({task.select, true});
            tasks.push_back({task.select->rarg, false});
            tasks.push_back({task.select->larg, false});
        } else {
            done.push_back(leaf(*task.select, level));
        }
    }
    return error_ ? BoundQuery{} : std::move(done.back());
}

BoundQuery QueryBinder::combine(const PgQuery__SelectStmt& statement, BoundQuery left,
                                BoundQuery right) {
    const std::size_t width = left.columns.size();
    if (width != right.columns.size() || has_whole_row(left) || has_whole_row(right)) {
        if (has_whole_row(left) || has_whole_row(right)) {
            unsupported();
        } else {
            const std::uint32_t position =
                right.columns.empty() ? no_position : right.columns.back().position;
            fail_at("column-count", position,
                    fmt::format("each side of {} must have the same number of columns: {} and {}",
                                spelling(statement.op), width, right.columns.size()));
        }
        return {};
    }
    std::vector<Type> types;
    const auto operand = [&](const OutputColumn& column) {
        return column.constant.value_or(
            Operand{Operand::Form::typed, plan_[column.column].type, Value()});
    };
    for (std::size_t i = 0; i < width; ++i) {
        const std::array operands{operand(left.columns[i]), operand(right.columns[i])};
        const auto answer = coerce(Op::coalesce, 0, operands, unknown_, context_);
        if (std::holds_alternative<Misfit>(answer)) {
            fail_at("type-error", right.columns[i].position,
                    fmt::format("the types of column {} do not match in this {}", i + 1,
                                spelling(statement.op)));
            return {};
        }
        types.push_back(std::get<Coerced>(answer).result);
    }
    bring(left, types);
    bring(right, types);
    BoundQuery query;
    SetOperation operation;
    for (const OutputColumn& column : left.columns) operation.inputs.push_back(column.column);
    for (const OutputColumn& column : right.columns) operation.inputs.push_back(column.column);
    for (std::size_t i = 0; i < width; ++i) {
        const bool nullable =
            plan_[left.columns[i].column].nullable || plan_[right.columns[i].column].nullable;
        const ColumnId column = add_computed(left.columns[i].name, types[i], nullable);
        operation.columns.push_back(column);
        query.columns.push_back(
            {left.columns[i].name, column, std::nullopt, false, left.columns[i].position});
    }
    Relation relation{rel_op(statement.op)};
    relation.all = statement.all;
    relation.payload = static_cast<std::uint32_t>(plan_.set_operations.size());
    plan_.set_operations.push_back(std::move(operation));
    query.relation = plan_.add(relation, std::array{left.relation, right.relation});
    return query;
}

void QueryBinder::bring(BoundQuery& side, const std::vector<Type>& types) {
    std::vector<ProjectItem> items;
    bool casts = false;
    for (std::size_t i = 0; i < types.size(); ++i) {
        OutputColumn& out = side.columns[i];
        PlanColumn& column = plan_.columns[static_cast<std::uint32_t>(out.column)];
        if (out.constant && column.type != types[i] && plan_[side.relation].op == RelOp::project) {
            auto& own = plan_.projects[plan_[side.relation].payload];
            const auto item = std::ranges::find(own, out.column, &ProjectItem::column);
            item->expr = constant_as_expr(*out.constant, item->expr, types[i]);
            column.type = plan_.exprs[item->expr].type;
        }
        const ExprId bare = column_node(out.column);
        const ExprId expr = cast_to(bare, types[i]);
        if (expr == bare) {
            if (std::ranges::find(items, out.column, &ProjectItem::column) == items.end()) {
                items.push_back({out.column, bare});
            }
            continue;
        }
        casts = true;
        out.column = add_computed(out.name, types[i], true);
        items.push_back({out.column, expr});
    }
    if (!casts) return;
    Relation relation{RelOp::project};
    relation.payload = static_cast<std::uint32_t>(plan_.projects.size());
    plan_.projects.push_back(std::move(items));
    side.relation = plan_.add(relation, std::array{side.relation});
}

// ORDER BY names the columns of the result by name or number.
void QueryBinder::order_output(const PgQuery__SelectStmt& statement, BoundQuery& query,
                               Level& level) {
    std::vector<SortKey> keys;
    Level names(level.parent, dialect_);
    names.ctes = level.ctes;
    names.phase = Level::Phase::output;
    VisibleTable table;
    for (const OutputColumn& column : query.columns) {
        table.columns.push_back({column.name, column.column, no_expr, plan_[column.column].type});
    }
    if (statement.n_sort_clause > 0) names.add_table(std::move(table));
    Simple order;
    for (const OutputColumn& column : query.columns) {
        Target target;
        target.name = column.name;
        if (statement.n_sort_clause > 0) target.expr = column_node(column.column);
        order.targets.push_back(std::move(target));
    }
    for (Ordering& ordering :
         orderings({statement.sort_clause, statement.n_sort_clause}, order, names)) {
        keys.push_back(std::move(ordering.key));
    }
    if (!names.calls.empty() || !names.window_calls.empty()) unsupported();
    absorb(level, names.outer);
    if (!error_) add_topn(statement, std::move(keys), query.relation, level);
}

}  // namespace satura::lang
