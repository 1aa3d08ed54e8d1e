#include "optimizer/prune_columns.hpp"

#include <algorithm>
#include <vector>

namespace satura {

using lang::ColumnId;
using lang::ExprId;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

class Pruning {
  public:
    explicit Pruning(Plan& plan)
        : plan_(plan), read_(plan.columns.size(), false), seen_(plan.exprs.size(), false) {}

    void run() {
        for (ColumnId column : lang::output_columns(plan_, plan_.root)) note(column);
        std::vector<RelationId> wanted = lang::reachable(plan_, plan_.root);
        // Who reads a relation comes after it.
        for (auto id = wanted.rbegin(); id != wanted.rend(); ++id) prune(*id);
    }

  private:
    void note(ColumnId column) { read_[lang::index(column)] = true; }
    bool is_read(ColumnId column) const { return read_[lang::index(column)]; }

    void note(ExprId root) {
        std::vector<ExprId> todo{root};
        while (!todo.empty()) {
            const ExprId id = todo.back();
            todo.pop_back();
            if (seen_[lang::index(id)]) continue;
            seen_[lang::index(id)] = true;
            const lang::ExprNode& node = plan_.exprs[id];
            if (node.op == lang::Op::column) note(ColumnId{node.payload});
            if (node.op >= lang::Op::exists) {
                for (ColumnId column : plan_[lang::SubqueryId{node.payload}].columns) note(column);
            }
            for (ExprId child : plan_.exprs.children(id)) todo.push_back(child);
        }
    }

    void prune(RelationId id) {
        const Relation relation = plan_[id];
        switch (relation.op) {
            case RelOp::project:
                std::erase_if(plan_.projects[relation.payload],
                              [&](const lang::ProjectItem& item) { return !is_read(item.column); });
                break;
            case RelOp::aggregate:
                std::erase_if(
                    plan_.aggregates[relation.payload].calls,
                    [&](const lang::AggregateCall& call) { return !is_read(call.column); });
                for (ColumnId column : plan_.aggregates[relation.payload].dependents) note(column);
                break;
            case RelOp::window:
                std::erase_if(plan_.windows[relation.payload], [&](const lang::WindowCall& call) {
                    return !is_read(call.call.column);
                });
                break;
            case RelOp::set_union:
            case RelOp::set_intersect:
            case RelOp::set_except:
                prune_set_operation(relation);
                break;
            case RelOp::distinct:  // compares all columns
                for (ColumnId column : lang::output_columns(plan_, plan_.children(id)[0]))
                    note(column);
                break;
            case RelOp::with:
                for (ColumnId column : plan_.ctes[relation.payload].columns) note(column);
                break;
            default:
                break;
        }
        for (ExprId expr : lang::own_expressions(plan_, id)) note(expr);
    }

    void prune_set_operation(const Relation& relation) {
        lang::SetOperation& operation = plan_.set_operations[relation.payload];
        const std::size_t width = operation.columns.size();
        if (relation.op == RelOp::set_union && relation.all) {
            std::vector<ColumnId> columns, inputs;
            for (std::size_t i = 0; i < operation.inputs.size(); ++i) {
                if (is_read(operation.columns[i % width])) inputs.push_back(operation.inputs[i]);
            }
            for (ColumnId column : operation.columns) {
                if (is_read(column)) columns.push_back(column);
            }
            operation = {std::move(columns), std::move(inputs)};
        }
        for (ColumnId column : operation.inputs) note(column);
    }

    Plan& plan_;
    std::vector<bool> read_;  // by ColumnId
    std::vector<bool> seen_;  // by ExprId
};

}  // namespace

void prune_columns(Plan& plan) { Pruning(plan).run(); }

}  // namespace satura
