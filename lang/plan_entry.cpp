#include "lang/plan_entry.hpp"

namespace satura::lang {

void copy_entry(const Plan& from, Plan& to, Relation& relation) {
    const auto copy = [&](const auto& table, auto& target) {
        auto entry = table[relation.payload];
        relation.payload = static_cast<std::uint32_t>(target.size());
        target.push_back(std::move(entry));
    };
    switch (relation.op) {
        case RelOp::values:
            return copy(from.values, to.values);
        case RelOp::project:
            return copy(from.projects, to.projects);
        case RelOp::aggregate:
            return copy(from.aggregates, to.aggregates);
        case RelOp::distinct_on:
            return copy(from.distinct_ons, to.distinct_ons);
        case RelOp::topn:
            return copy(from.topns, to.topns);
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return copy(from.set_operations, to.set_operations);
        case RelOp::window:
            return copy(from.windows, to.windows);
        case RelOp::cte_scan:
            return copy(from.cte_scans, to.cte_scans);
        case RelOp::opaque:
            return copy(from.opaques, to.opaques);
        default:
            return;
    }
}

}  // namespace satura::lang
