// Joins of every kind, row by row.
#include "lang/plan_runner.hpp"

namespace satura::lang {
namespace {

Row padded(const Row& left, std::size_t nulls) {
    Row row = left;
    row.resize(left.size() + nulls);
    return row;
}

Row joined(const Row& left, const Row& right) {
    Row row = left;
    row.insert(row.end(), right.begin(), right.end());
    return row;
}

}  // namespace

// One row of the left side with the rows of the right one; `matched` says which of these have met one. Requires the left
// row to be bound.
bool PlanRunner::join_row(JoinKind kind, const Row& left, const Bag& right, Binder& right_binder,
                          RowExpr& condition, std::vector<bool>& matched, Bag& out) {
    const bool gives_pairs = kind != JoinKind::semi && kind != JoinKind::anti;
    bool met = false;
    for (std::size_t i = 0; i < right.rows.size(); ++i) {
        right_binder.bind(right.rows[i]);
        Value holds;
        if (!value_of(condition, holds)) return false;
        if (!holds.is_true()) continue;
        met = true;
        matched[i] = true;
        if (gives_pairs && !add_row(out, joined(left, right.rows[i]))) return false;
    }
    if (kind == JoinKind::semi) return !met || add_row(out, left);
    if (kind == JoinKind::anti) return met || add_row(out, left);
    if (met || kind == JoinKind::inner || kind == JoinKind::right) return true;
    return add_row(out, padded(left, right.columns.size()));
}

// The right side of a lateral join is another relation for every row of the left one, which is bound.
bool PlanRunner::lateral_side(const Relation& r, RelationId right_id, const Row& left,
                              RowExpr& condition, Bag& out) {
    const Shared right = run(right_id);
    if (right == nullptr) return false;
    Binder binder(*this, right->columns);
    std::vector<bool> matched(right->rows.size());
    return join_row(r.join, left, *right, binder, condition, matched, out);
}

bool PlanRunner::join(const Relation& r, RelationId right_id, Inputs inputs, Bag& out) {
    const Bag& left = *inputs[0];
    RowExpr condition(*this, ExprId{r.payload});
    Binder left_binder(*this, left.columns);
    if (r.lateral) {
        if (r.join == JoinKind::right || r.join == JoinKind::full)
            return cannot_say("a lateral join of that kind");
        for (const Row& row : left.rows) {
            left_binder.bind(row);
            if (!lateral_side(r, right_id, row, condition, out)) return false;
        }
        return true;
    }
    const Bag& right = *inputs[1];
    Binder right_binder(*this, right.columns);
    std::vector<bool> matched(right.rows.size());
    for (const Row& row : left.rows) {
        left_binder.bind(row);
        if (!join_row(r.join, row, right, right_binder, condition, matched, out)) return false;
    }
    if (r.join != JoinKind::right && r.join != JoinKind::full) return true;
    for (std::size_t i = 0; i < right.rows.size(); ++i) {
        if (!matched[i] && !add_row(out, joined(Row(left.columns.size()), right.rows[i])))
            return false;
    }
    return true;
}

}  // namespace satura::lang
