#include "proof/follows.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"

namespace satura::proof {

using egraph::ClassId;
using egraph::NodeView;
using lang::Op;
using rules::Closure;
using rules::Facts;

namespace {

constexpr std::size_t cases_max = 256;  // of one question, all together

Facts with(Facts facts, std::uint32_t truth) {
    facts.truths.push_back(truth);
    return facts;
}

}  // namespace

bool Follows::is_contradictory(const Facts& facts) {
    Closure closure(known_, known_.ops());
    closure.assume(facts);
    return closure.is_contradictory();
}

// For each disjunction among the facts: the facts with one alternative, for each alternative.
std::vector<Follows::Split> Follows::splits(Closure& closure, const Facts& facts) {
    std::vector<Split> out;
    for (ClassId atom : closure.atoms()) {
        Split split;
        known_.for_each_node(atom, [&](const NodeView& node) {
            if (node.op != known_.ops().plan().any || !split.empty()) return;
            for (std::uint32_t child : node.children) split.push_back(with(facts, child));
        });
        if (!split.empty()) out.push_back(std::move(split));
    }
    return out;
}

// Comparisons cannot tell equal values apart.
bool Follows::is_same_comparison(Closure& closure, const NodeView& a, const NodeView& b) {
    const Op op = known_.ops().meaning(a.op).op;
    const bool compares = lang::is_comparison(op) || op == Op::in || op == Op::between;
    if (!compares || a.op != b.op || a.payload != b.payload ||
        a.children.size() != b.children.size())
        return false;
    for (std::size_t i = 0; i < a.children.size(); ++i) {
        if (known_.find(a.children[i]) == known_.find(b.children[i])) continue;
        const Closure::Group* group = closure.group_of(ClassId{a.children[i]});
        if (group == nullptr || group != closure.group_of(ClassId{b.children[i]})) return false;
    }
    return true;
}

// The atom is a comparison that is a fact for values that are equal to its own.
bool Follows::is_compared(Closure& closure, ClassId atom) {
    const egraph::OpId holds = known_.ops().plan().holds;
    const auto comparisons = [&](ClassId truth) {
        std::vector<NodeView> out;
        known_.for_each_node(truth, [&](const NodeView& node) {
            if (node.op != holds) return;
            known_.for_each_node(ClassId{node.children[0]},
                                 [&](const NodeView& value) { out.push_back(value); });
        });
        return out;
    };
    const std::vector<NodeView> wanted = comparisons(atom);
    return std::ranges::any_of(closure.atoms(), [&](ClassId fact) {
        const std::vector<NodeView> given = comparisons(fact);
        return std::ranges::any_of(wanted, [&](const NodeView& a) {
            return std::ranges::any_of(
                given, [&](const NodeView& b) { return is_same_comparison(closure, a, b); });
        });
    });
}

// `c1 is not null or c2 is not null …` holds where the facts exclude that all of them are NULL.
bool Follows::is_refuted_by_nulls(const Facts& facts, ClassId atom) {
    const rules::PlanOps& plan = known_.ops().plan();
    const auto column_of = [&](std::uint32_t truth, rules::ColumnSets::Columns& columns) {
        bool found = false;
        known_.for_each_node(ClassId{truth}, [&](const NodeView& node) {
            if (found || node.op != plan.same || node.children.size() != 1) return;
            known_.for_each_node(ClassId{node.children[0]}, [&](const NodeView& value) {
                if (found || value.op != known_.ops()[Op::column]) return;
                columns.push_back(lang::ColumnId{value.payload});
                found = true;
            });
        });
        return found;
    };
    std::vector<rules::ColumnSets::Columns> candidates;
    rules::ColumnSets::Columns alone;
    if (column_of(egraph::raw(atom), alone)) candidates.push_back(alone);
    known_.for_each_node(atom, [&](const NodeView& node) {
        if (node.op != plan.any) return;
        rules::ColumnSets::Columns columns;
        const bool are_all = std::ranges::all_of(
            node.children, [&](std::uint32_t child) { return column_of(child, columns); });
        if (are_all) candidates.push_back(columns);
    });
    rules::ColumnSets& sets = known_.plan_scope().column_sets;
    return std::ranges::any_of(candidates, [&](const rules::ColumnSets::Columns& columns) {
        Facts nulls = facts;
        nulls.null_columns = sets.unite(nulls.null_columns, sets.intern(columns));
        return is_contradictory(nulls);
    });
}

bool Follows::holds_in(Closure& closure, const Facts& facts, ClassId atom) {
    if (closure.implies(atom) || is_compared(closure, atom) || is_refuted_by_nulls(facts, atom))
        return true;
    bool found = false;
    known_.for_each_node(atom, [&](const NodeView& node) {
        if (found || node.op != known_.ops().plan().any) return;
        found = std::ranges::any_of(node.children, [&](std::uint32_t child) {
            const std::vector<ClassId> parts =
                rules::conjuncts(known_, known_.ops(), ClassId{child});
            return std::ranges::all_of(parts, [&](ClassId part) {
                return closure.implies(part) || is_compared(closure, part) ||
                       is_refuted_by_nulls(facts, part);
            });
        });
    });
    return found;
}

bool Follows::holds(const Facts& facts, TermId truth) {
    struct Case {
        Facts facts;
        ClassId atom;
        std::size_t depth;  // how many disjunctions were taken apart
    };
    constexpr std::size_t depth_max = 2;
    std::vector<Case> open;
    for (ClassId atom : rules::conjuncts(known_, known_.ops(), ClassId{index(truth)}))
        open.push_back({facts, atom, 0});
    for (std::size_t count = 0; !open.empty(); ++count) {
        if (count == cases_max) return false;
        const Case one = std::move(open.back());
        open.pop_back();
        Closure closure(known_, known_.ops());
        closure.assume(one.facts);
        if (holds_in(closure, one.facts, one.atom)) continue;
        if (one.depth == depth_max) return false;
        // The disjunction of which the most alternatives are shown at once.
        const std::vector<Split> candidates = splits(closure, one.facts);
        const Split* best = nullptr;
        std::size_t fewest = 0;
        std::vector<Facts> left;
        for (const Split& split : candidates) {
            std::vector<Facts> unshown;
            for (const Facts& alternative : split) {
                Closure inside(known_, known_.ops());
                inside.assume(alternative);
                if (!holds_in(inside, alternative, one.atom)) unshown.push_back(alternative);
            }
            if (best != nullptr && unshown.size() >= fewest) continue;
            best = &split;
            fewest = unshown.size();
            left = std::move(unshown);
        }
        if (best == nullptr || fewest == best->size()) return false;
        for (Facts& alternative : left)
            open.push_back({std::move(alternative), one.atom, one.depth + 1});
    }
    return true;
}

}  // namespace satura::proof
