#include "rules/plan_words.hpp"

#include "rules/plan_steps.hpp"

namespace satura::rules {

using egraph::ClassId;

namespace {

using Arguments = std::span<const Argument>;
using P = ParameterKind;

ClassId cls(Arguments a, std::size_t i) { return ClassId{a[i].operand.id}; }

PlanSteps::FactsId together(PlanSteps& steps, Arguments a) {
    PlanSteps::FactsId facts = a[0].facts;
    for (const Argument& more : a.subspan(1)) facts = steps.unite(facts, more.facts);
    return facts;
}

std::vector<ClassId> classes(const std::vector<Operand>& elements) {
    std::vector<ClassId> out;
    for (const Operand& element : elements) out.push_back(ClassId{element.id});
    return out;
}

std::optional<Computed> maybe(const std::optional<ClassId>& truth) {
    if (!truth) return std::nullopt;
    return *truth;
}

bool holds_contradictory(PlanSteps& steps, Arguments a) {
    return steps.is_contradictory(together(steps, a));
}

bool holds_says_something(PlanSteps& steps, Arguments a) { return !steps.is_yes(cls(a, 0)); }

bool holds_fewer(PlanSteps& steps, Arguments a) { return steps.is_less(cls(a, 0), cls(a, 1)); }

bool holds_unread(PlanSteps& steps, Arguments a) { return steps.is_unread(cls(a, 0), cls(a, 1)); }

bool holds_one_partner(PlanSteps& steps, Arguments a) {
    return steps.has_one_partner(cls(a, 0), cls(a, 1), cls(a, 2));
}

bool holds_loose(PlanSteps& steps, Arguments a) { return steps.is_loose(cls(a, 0)); }

bool holds_ignores_repeats(PlanSteps& steps, Arguments a) {
    return steps.ignores_repeats(cls(a, 0));
}

bool holds_identical(PlanSteps& steps, Arguments a) { return steps.are_identical(cls(a, 0)); }

bool holds_no_repeats(PlanSteps& steps, Arguments a) { return steps.has_no_repeats(cls(a, 0)); }

bool holds_no_columns(PlanSteps& steps, Arguments a) { return steps.are_none(cls(a, 0)); }

bool holds_changed(PlanSteps& steps, Arguments a) { return !steps.is_one(cls(a, 0), cls(a, 1)); }

bool holds_unchanged(PlanSteps& steps, Arguments a) { return steps.is_one(cls(a, 0), cls(a, 1)); }

std::optional<Computed> compute_close(PlanSteps& steps, Arguments a) {
    return ComputedFacts{together(steps, a)};
}

std::optional<Computed> compute_nulls(PlanSteps& steps, Arguments a) {
    return ComputedFacts{steps.nulls_of(cls(a, 0))};
}

std::optional<Computed> compute_within(PlanSteps& steps, Arguments a) {
    return steps.within(a[0].facts, cls(a, 1), cls(a, 2));
}

std::optional<Computed> compute_about(PlanSteps& steps, Arguments a) {
    return steps.within(a[0].facts, cls(a, 1), std::nullopt);
}

std::optional<Computed> compute_beyond(PlanSteps& steps, Arguments a) {
    return steps.beyond(cls(a, 0), together(steps, a.subspan(1)));
}

std::optional<Computed> compute_tidied(PlanSteps& steps, Arguments a) {
    return steps.tidied(cls(a, 0), together(steps, a.subspan(1)));
}

std::optional<Computed> compute_merged(PlanSteps& steps, Arguments a) {
    return steps.merged(cls(a, 0), cls(a, 1));
}

std::optional<Computed> compute_total(PlanSteps& steps, Arguments a) {
    return steps.total(cls(a, 0));
}

std::optional<Computed> compute_except(PlanSteps& steps, Arguments a) {
    return steps.except(cls(a, 0), cls(a, 1));
}

std::optional<Computed> compute_under_nulls(PlanSteps& steps, Arguments a) {
    return maybe(steps.under_nulls(cls(a, 0), cls(a, 1)));
}

std::optional<Computed> compute_read_by(PlanSteps& steps, Arguments a) {
    return maybe(steps.read_by(cls(a, 0), cls(a, 1), classes(a[2].elements)));
}

std::optional<Computed> compute_demand(PlanSteps& steps, Arguments a) {
    return steps.demand(cls(a, 0), cls(a, 1), cls(a, 2));
}

std::optional<Computed> compute_columns(PlanSteps& steps, Arguments a) {
    std::vector<ClassId> relations;
    for (std::size_t i = 0; i < a.size(); ++i) relations.push_back(cls(a, i));
    return maybe(steps.columns_of(relations));
}

std::optional<Computed> compute_below(PlanSteps& steps, Arguments a) {
    return maybe(steps.below(cls(a, 0), cls(a, 1), classes(a[2].elements)));
}

std::optional<Computed> compute_seen_below(PlanSteps& steps, Arguments a) {
    return maybe(steps.seen_below(cls(a, 0), cls(a, 1), classes(a[2].elements)));
}

std::optional<Computed> compute_below_groups(PlanSteps& steps, Arguments a) {
    return maybe(steps.below_groups(cls(a, 0), cls(a, 1), classes(a[2].elements)));
}

std::optional<Computed> compute_above_groups(PlanSteps& steps, Arguments a) {
    return steps.above_groups(cls(a, 0), cls(a, 1), cls(a, 2), classes(a[3].elements));
}

}  // namespace

const std::vector<ConditionWord>& plan_condition_words() {
    static const std::vector<ConditionWord> words = {
        {"contradictory",
         {P::facts},
         "no row can have all these facts",
         nullptr,
         holds_contradictory,
         true},
        {"says_something", {P::truth}, "it is not `yes`", nullptr, holds_says_something},
        {"changed", {P::truth, P::truth}, "the two truths differ", nullptr, holds_changed},
        {"unchanged", {P::truth, P::truth}, "the two truths are one", nullptr, holds_unchanged},
        {"fewer",
         {P::relation, P::relation},
         "the columns are not all of the relation's, and an outer join below may fall for it",
         nullptr,
         holds_fewer},
        {"unread",
         {P::relation, P::relation},
         "none of the columns is the relation's",
         nullptr,
         holds_unread},
        {"one_partner",
         {P::truth, P::relation, P::relation},
         "by this condition a row of the first relation has at most one partner in the second",
         nullptr,
         holds_one_partner},
        // As a shape, for what it says is known when the relation is made: no analysis brings a rule back to it.
        {"loose",
         {P::shape},
         "an outer join or a DISTINCT in it may fall for a consumer that does not count rows",
         nullptr,
         holds_loose},
        {"ignores_repeats",
         {P::shape},
         "to the set operation or grouping it is one how often a row comes in",
         nullptr,
         holds_ignores_repeats},
        {"identical",
         {P::relation},
         "equal values of the columns are identical",
         nullptr,
         holds_identical},
        {"no_repeats",
         {P::relation},
         "no two rows are equal: a key of it is never NULL",
         nullptr,
         holds_no_repeats},
        {"no_columns", {P::relation}, "the set of columns is empty", nullptr, holds_no_columns},
    };
    return words;
}

const std::vector<ComputedWord>& plan_computed_words() {
    static const std::vector<ComputedWord> words = {
        {"close",
         {P::facts},
         ResultKind::facts,
         "what holds where all of these hold: truths, and the facts of relations",
         nullptr,
         compute_close,
         true},
        {"nulls",
         {P::relation},
         ResultKind::facts,
         "all columns of the relation are NULL, as an outer join pads them",
         nullptr,
         compute_nulls},
        {"within",
         {P::facts, P::relation, P::relation},
         ResultKind::truth,
         "what the facts say of the first relation's columns, and of none of the second, beyond "
         "its own facts; "
         "it cannot raise",
         nullptr,
         compute_within},
        {"about",
         {P::facts, P::relation},
         ResultKind::truth,
         "what the facts say of the relation's columns beyond its own facts; it cannot raise",
         nullptr,
         compute_about},
        {"beyond",
         {P::truth, P::facts},
         ResultKind::truth,
         "the conjuncts that the facts do not imply",
         nullptr,
         compute_beyond,
         true},
        {"tidied",
         {P::truth, P::facts},
         ResultKind::truth,
         "the predicate with nothing said twice, nor anything that the facts imply",
         nullptr,
         compute_tidied,
         true},
        {"merged",
         {P::truth, P::truth},
         ResultKind::truth,
         "the conjuncts of both",
         nullptr,
         compute_merged},
        {"total",
         {P::truth},
         ResultKind::truth,
         "the conjuncts that cannot raise",
         nullptr,
         compute_total},
        {"except",
         {P::truth, P::truth},
         ResultKind::truth,
         "the conjuncts of the first that are not among those of the second",
         nullptr,
         compute_except},
        {"under_nulls",
         {P::truth, P::relation},
         ResultKind::truth,
         "the predicate with NULL for these columns",
         nullptr,
         compute_under_nulls},
        {"read_by",
         {P::shape, P::relation, P::rest},
         ResultKind::truth,
         "the input's columns that a projection or grouping reads",
         nullptr,
         compute_read_by},
        {"demand",
         {P::relation, P::truth, P::relation},
         ResultKind::truth,
         "the relation's columns that are in the set or that the predicate reads",
         nullptr,
         compute_demand},
        {"columns",
         {P::relation},
         ResultKind::truth,
         "the columns of the relations",
         nullptr,
         compute_columns,
         true},
        {"all_columns",
         {P::shape},
         ResultKind::truth,
         "the columns of the relation, which never change: no analysis brings a rule back to it",
         nullptr,
         compute_columns},
        {"below",
         {P::truth, P::shape, P::rest},
         ResultKind::truth,
         "the predicate as it reads below a projection",
         nullptr,
         compute_below},
        {"seen_below",
         {P::truth, P::shape, P::rest},
         ResultKind::truth,
         "what the predicate says of the projection's input, be it that asking it there could "
         "raise",
         nullptr,
         compute_seen_below},
        {"below_groups",
         {P::truth, P::shape, P::rest},
         ResultKind::truth,
         "the conjuncts on a grouping's keys alone, as they read below it",
         nullptr,
         compute_below_groups},
        {"above_groups",
         {P::truth, P::truth, P::shape, P::rest},
         ResultKind::truth,
         "the conjuncts of which the second predicate, as it is asked below, does not take care",
         nullptr,
         compute_above_groups},
    };
    return words;
}

}  // namespace satura::rules
