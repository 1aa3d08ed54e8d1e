// DISTINCT, UNION, INTERSECT, EXCEPT: rows that are equal by SQL's order are one, NULLs alike.
#include <algorithm>

#include "lang/plan_runner.hpp"

namespace satura::lang {
namespace {

constexpr std::string_view open_choice = "which of several equal values stands for them";

// How many rows of a group are in the result, of `left` and `right` ones.
std::size_t rows_left(RelOp op, bool all, std::size_t left, std::size_t right) {
    switch (op) {
        case RelOp::set_union:
            return all ? left + right : 1;
        case RelOp::set_intersect:
            return all ? std::min(left, right) : (left > 0 && right > 0 ? 1 : 0);
        default:
            return all ? left - std::min(left, right) : (left > 0 && right == 0 ? 1 : 0);
    }
}

}  // namespace

bool PlanRunner::distinct(const Bag& in, Bag& out) {
    Groups groups(types_of(in.columns), context_.semantics);
    for (const Row& row : in.rows) groups.add(row);
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        if (!groups.is_uniform(i)) return cannot_say(open_choice);
        if (!add_row(out, groups.key(i))) return false;
    }
    return true;
}

bool PlanRunner::set_operation(const Relation& r, const Bag& left, const Bag& right, Bag& out) {
    const SetOperation& operation = plan_.set_operations[r.payload];
    const std::size_t width = operation.columns.size();
    const std::span<const ColumnId> inputs(operation.inputs);
    for (const auto& [bag, columns] :
         {std::pair{&left, inputs.first(width)}, std::pair{&right, inputs.subspan(width)}}) {
        const auto places = places_of(*bag, columns);
        if (std::ranges::find(places, no_index) != places.end())
            return cannot_say("a set operation without its inputs");
    }
    const std::vector<Row> left_rows = rows_over(left, inputs.first(width));
    const std::vector<Row> right_rows = rows_over(right, inputs.subspan(width));
    if (r.op == RelOp::set_union && r.all) {
        for (const auto* rows : {&left_rows, &right_rows}) {
            for (const Row& row : *rows) {
                if (!add_row(out, row)) return false;
            }
        }
        return true;
    }
    Groups groups(types_of(operation.columns), context_.semantics);
    std::vector<std::size_t> counts[2];
    for (const std::size_t side : {0, 1}) {
        for (const Row& row : side == 0 ? left_rows : right_rows) {
            const std::uint32_t group = groups.add(row);
            for (auto& count : counts) count.resize(groups.size());
            ++counts[side][group];
        }
    }
    for (std::uint32_t i = 0; i < groups.size(); ++i) {
        const std::size_t kept = rows_left(r.op, r.all, counts[0][i], counts[1][i]);
        if (kept > 0 && !groups.is_uniform(i)) return cannot_say(open_choice);
        for (std::size_t k = 0; k < kept; ++k) {
            if (!add_row(out, groups.key(i))) return false;
        }
    }
    return true;
}

}  // namespace satura::lang
