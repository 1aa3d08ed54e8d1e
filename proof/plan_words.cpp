#include "proof/plan_words.hpp"

#include <algorithm>
#include <array>

#include "proof/substitution.hpp"
#include "rules/plan_items.hpp"

namespace satura::proof {

using egraph::ClassId;
using egraph::NodeView;
using lang::Op;
using rules::Facts;

bool PlanWords::is_about_worth(std::string_view word) {
    constexpr std::array<std::string_view, 5> words{"says_something", "changed", "unchanged",
                                                    "fewer", "loose"};
    return std::ranges::find(words, word) != words.end();
}

std::vector<TermId> PlanWords::conjuncts(TermId truth) const {
    std::vector<TermId> out;
    for (ClassId atom : rules::conjuncts(known_, known_.ops(), ClassId{index(truth)}))
        out.push_back(TermId{egraph::raw(atom)});
    return out;
}

bool PlanWords::is_stable(TermId truth) const {
    return std::ranges::all_of(conjuncts(truth),
                               [&](TermId atom) { return known_.is_stable(atom); });
}

// Those of a truth or relation are its own.
Facts PlanWords::facts_of(const PlanArgument& argument) const {
    if (argument.facts) return *argument.facts;
    const ClassId cls{index(argument.term)};
    if (known_.ops().meaning(known_.first_node(cls).op).sort == rules::Sort::relation)
        return known_.facts(cls);
    Facts out;
    out.truths.push_back(known_.find(egraph::raw(cls)));
    return out;
}

Facts PlanWords::together(Arguments arguments) const {
    Facts out;
    for (const PlanArgument& argument : arguments) {
        const Facts more = facts_of(argument);
        out.truths.insert(out.truths.end(), more.truths.begin(), more.truths.end());
        out.null_columns = sets().unite(out.null_columns, more.null_columns);
    }
    return out;
}

std::optional<Facts> PlanWords::facts(std::string_view word, Arguments arguments) const {
    if (word == "close") return together(arguments);
    if (word != "nulls") return std::nullopt;
    Facts out;
    out.null_columns = columns(arguments[0].term);
    return out;
}

std::optional<std::uint32_t> PlanWords::columns_leaf(TermId term) const {
    std::optional<std::uint32_t> out;
    known_.for_each_node(ClassId{index(term)}, [&](const NodeView& node) {
        if (node.op == known_.ops().plan().columns) out = node.payload;
    });
    return out;
}

// Both say the same of rows that have the facts.
bool PlanWords::says_same(TermId a, TermId b, const Facts& facts) {
    if (known_.equal(a, b)) return true;
    const auto leads = [&](TermId from, TermId to) {
        Facts given = facts;
        given.truths.push_back(index(from));
        return follows_.holds(given, to);
    };
    return leads(a, b) && leads(b, a);
}

// The truth reads the relation's columns and outer ones, none of the other relation's, and has one value in each row.
bool PlanWords::can_stand(TermId truth, TermId relation, std::optional<TermId> other) const {
    const std::uint32_t there = sets().unite(columns(relation), known_.plan_scope().outer_columns);
    return std::ranges::all_of(conjuncts(truth), [&](TermId atom) {
        const std::uint32_t read = columns(atom);
        return known_.is_stable(atom) && sets().is_subset(read, there) &&
               !(other && sets().meets(read, columns(*other)));
    });
}

// A key of the right relation is bound by equalities to what the left one has.
bool PlanWords::has_one_partner(Arguments arguments) const {
    rules::Closure closure(known_, known_.ops());
    closure.assume(together(arguments));
    const std::uint32_t given = columns(arguments[1].term);
    const auto is_bound = [&](lang::ColumnId column) {
        const auto value =
            known_.lookup(known_.ops()[Op::column], static_cast<std::uint32_t>(column), {});
        const rules::Closure::Group* group = value ? closure.group_of(*value) : nullptr;
        return group != nullptr && std::ranges::any_of(group->members, [&](std::uint32_t member) {
                   return sets().is_subset(columns(TermId{member}), given) &&
                          known_.is_stable(TermId{member});
               });
    };
    return std::ranges::any_of(
        known_.keys(ClassId{index(arguments[2].term)}),
        [&](std::uint32_t key) { return std::ranges::all_of(sets()[key], is_bound); });
}

// No column of some key is NULL in a row.
bool PlanWords::has_no_repeats(TermId relation) const {
    rules::Closure closure(known_, known_.ops());
    closure.assume(known_.facts(ClassId{index(relation)}));
    const auto is_never_null = [&](lang::ColumnId column) {
        const auto value =
            known_.lookup(known_.ops()[Op::column], static_cast<std::uint32_t>(column), {});
        return value && closure.possible(*value).never_null();
    };
    return std::ranges::any_of(known_.keys(ClassId{index(relation)}), [&](std::uint32_t key) {
        return std::ranges::all_of(sets()[key], is_never_null);
    });
}

bool PlanWords::ignores_repeats(TermId shape) const {
    const NodeView node = known_.first_node(ClassId{index(shape)});
    const rules::PlanScope& scope = known_.plan_scope();
    return node.op == known_.ops().plan().shape && !scope.frozen[node.payload] &&
           rules::ignores_repeats(*scope.plan, lang::RelationId{node.payload});
}

bool PlanWords::holds(std::string_view word, Arguments a) {
    if (word == "contradictory") return follows_.is_contradictory(together(a));
    if (word == "unread") {
        const auto wanted = columns_leaf(a[0].term);
        return wanted && !sets().meets(*wanted, columns(a[1].term));
    }
    if (word == "no_columns") return columns_leaf(a[0].term) == 0U;
    if (word == "identical") {
        const auto set = columns_leaf(a[0].term);
        const lang::Plan& plan = *known_.plan_scope().plan;
        return set && std::ranges::all_of(sets()[*set], [&](lang::ColumnId column) {
                   return rules::has_identical_equals(plan[column].type);
               });
    }
    if (word == "no_repeats") return has_no_repeats(a[0].term);
    if (word == "ignores_repeats") return ignores_repeats(a[0].term);
    return word == "one_partner" && has_one_partner(a);
}

// What a projection makes of its input, or a grouping of its keys.
std::optional<PlanWords::Columns> PlanWords::items_of(TermId shape,
                                                      std::span<const TermId> items) const {
    const NodeView node = known_.first_node(ClassId{index(shape)});
    if (node.op != known_.ops().plan().shape) return std::nullopt;
    const auto* made = rules::items_made(*known_.plan_scope().plan, lang::RelationId{node.payload});
    if (made == nullptr || items.size() < made->size()) return std::nullopt;
    Columns out;
    for (std::size_t i = 0; i < made->size(); ++i) out.emplace((*made)[i].column, items[i]);
    return out;
}

bool PlanWords::is_below(TermId truth, Columns columns, TermId made) {
    return is_stable(truth) && is_stable(made) &&
           Substitution(known_, std::move(columns)).leads_to(truth, made);
}

// Each conjunct is what one of the truth's becomes.
bool PlanWords::is_seen_below(TermId truth, Columns columns, TermId made) {
    Substitution substitution(known_, std::move(columns));
    const std::vector<TermId> above = conjuncts(truth);
    return std::ranges::all_of(conjuncts(made), [&](TermId atom) {
        return known_.is_stable(atom) && std::ranges::any_of(above, [&](TermId from) {
                   return known_.is_stable(from) && substitution.leads_to(from, atom);
               });
    });
}

bool PlanWords::is_of_keys(TermId atom, const Columns& keys) const {
    return known_.is_stable(atom) &&
           rules::is_about_groups(known_, known_.ops(), ClassId{index(atom)},
                                  [&](lang::ColumnId column) { return keys.contains(column); });
}

bool PlanWords::is_below_groups(Arguments a, TermId made) {
    const auto keys = items_of(a[1].term, a[2].elements);
    if (!keys) return false;
    Substitution substitution(known_, *keys);
    const std::vector<TermId> above = conjuncts(a[0].term);
    return std::ranges::all_of(conjuncts(made), [&](TermId atom) {
        return std::ranges::any_of(above, [&](TermId from) {
            return is_of_keys(from, *keys) && substitution.leads_to(from, atom);
        });
    });
}

// What stays of the truth (a[0]) where a[1] is asked below.
bool PlanWords::is_above_groups(Arguments a, TermId made) {
    const auto keys = items_of(a[2].term, a[3].elements);
    if (!keys) return false;
    Substitution substitution(known_, *keys);
    const std::vector<TermId> below = conjuncts(a[1].term), stays = conjuncts(made);
    const std::vector<TermId> all = conjuncts(a[0].term);
    const auto is_among = [&](TermId atom, const std::vector<TermId>& atoms) {
        return std::ranges::any_of(atoms, [&](TermId other) { return known_.equal(atom, other); });
    };
    const bool adds_nothing =
        std::ranges::all_of(stays, [&](TermId atom) { return is_among(atom, all); });
    return adds_nothing && std::ranges::all_of(all, [&](TermId atom) {
               return is_among(atom, stays) ||
                      (is_of_keys(atom, *keys) && std::ranges::any_of(below, [&](TermId b) {
                           return substitution.leads_to(atom, b);
                       }));
           });
}

// All that is read of the relation, and no columns but its own.
bool PlanWords::is_demand(std::uint32_t read, TermId relation, TermId made) const {
    const auto set = columns_leaf(made);
    if (!set) return false;
    const std::uint32_t there = columns(relation);
    return sets().is_subset(*set, there) && sets().is_subset(sets().intersect(read, there), *set);
}

bool PlanWords::is_read_by(Arguments a, TermId made) const {
    const NodeView node = known_.first_node(ClassId{index(a[0].term)});
    const rules::PlanScope& scope = known_.plan_scope();
    if (node.op != known_.ops().plan().shape || scope.frozen[node.payload]) return false;
    const lang::Relation& relation = (*scope.plan)[lang::RelationId{node.payload}];
    std::uint32_t read = 0;
    for (TermId item : a[2].elements) read = sets().unite(read, columns(item));
    if (relation.op == lang::RelOp::aggregate) {
        const auto& dependents = scope.plan->aggregates[relation.payload].dependents;
        read = sets().unite(read, sets().intern(dependents));
    }
    return is_demand(read, a[1].term, made);
}

bool PlanWords::is_made(std::string_view word, Arguments a, TermId made) {
    if (word == "within") {
        return can_stand(made, a[1].term, a[2].term) && follows_.holds(facts_of(a[0]), made);
    }
    if (word == "about")
        return can_stand(made, a[1].term, std::nullopt) && follows_.holds(facts_of(a[0]), made);
    if (word == "beyond" || word == "tidied")
        return says_same(a[0].term, made, together(a.subspan(1)));
    if (word == "merged")
        return says_same(known_.add(known_.ops().plan().all, 0, {a[0].term, a[1].term}), made, {});
    if (word == "total") {
        const std::vector<TermId> all = conjuncts(a[0].term);
        return std::ranges::all_of(conjuncts(made), [&](TermId atom) {
            return std::ranges::any_of(all, [&](TermId t) { return known_.equal(t, atom); });
        });
    }
    if (word == "except") {
        const TermId both = known_.add(known_.ops().plan().all, 0, {a[1].term, made});
        return says_same(a[0].term, both, {});
    }
    if (word == "columns" || word == "all_columns") {
        std::uint32_t set = 0;
        for (const PlanArgument& argument : a) set = sets().unite(set, columns(argument.term));
        return columns_leaf(made) == set;
    }
    if (word == "under_nulls") {
        const auto nulls = columns_leaf(a[1].term);
        if (!nulls) return false;
        Columns replaced;
        for (lang::ColumnId column : rules::ColumnSets::Columns(sets()[*nulls])) {
            const lang::Type type = (*known_.plan_scope().plan)[column].type;
            const auto null = known_.ops().context().literals.intern(type, lang::Value::null());
            replaced.emplace(column, known_.add(known_.ops()[Op::literal],
                                                static_cast<std::uint32_t>(null), {}));
        }
        return is_below(a[0].term, std::move(replaced), made);
    }
    if (word == "below" || word == "seen_below") {
        auto items = items_of(a[1].term, a[2].elements);
        if (!items) return false;
        return word == "below" ? is_below(a[0].term, std::move(*items), made)
                               : is_seen_below(a[0].term, std::move(*items), made);
    }
    if (word == "below_groups") return is_below_groups(a, made);
    if (word == "above_groups") return is_above_groups(a, made);
    if (word == "read_by") return is_read_by(a, made);
    if (word == "demand") {
        const auto wanted = columns_leaf(a[0].term);
        return wanted && is_demand(sets().unite(*wanted, columns(a[1].term)), a[2].term, made);
    }
    return false;
}

}  // namespace satura::proof
