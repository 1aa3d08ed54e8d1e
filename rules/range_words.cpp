#include "rules/range_words.hpp"

#include <algorithm>

#include "rules/ranges_form.hpp"

namespace satura::rules {

using lang::Context;
using lang::Value;

namespace {

using Arguments = std::span<const Argument>;
using P = ParameterKind;

const Operand& operand(Arguments a, std::size_t i) { return a[i].operand; }

bool is_about_another(const Operand& o) { return o.about != nullptr && o.about->ranges; }
// What it says of its subject; a boolean that says nothing of another operand says something of itself.
std::optional<Ranges> ranges_of(Context& context, const Operand& o) {
    if (o.type.kind() != lang::TypeKind::boolean) return std::nullopt;
    if (o.literal && !is_about_another(o)) return std::nullopt;
    if (o.about == nullptr || !o.about->ranges) return itself(o.id, context);
    Ranges out = *o.about->ranges;
    out.subject = o.subject;
    return out;
}
bool subject_is_known(const Operand& o) {
    return is_about_another(o) ? o.subject_never_null : o.possible.never_null();
}

std::optional<Form> short_form(Context& context, const Operand& o) {
    if (!is_about_another(o)) return std::nullopt;
    return tidy_form(*ranges_of(context, o), o.subject_never_null, context);
}
bool holds_long_winded(Context& context, Arguments a) {
    const Operand& o = operand(a, 0);
    // A set is looked at as a set.
    if (!is_about_another(o) || o.literal || !o.about->parts.empty()) return false;
    // A comparison of something that is no truth value is as short as can be.
    const Ranges& known = *o.about->ranges;
    if (known.size <= 3 && !known.cuts.empty() && known.type.kind() != lang::TypeKind::boolean)
        return false;
    const auto form = short_form(context, o);
    return form && form->size < known.size;
}

// The elements of a conjunction or disjunction, those about one subject as one; and by how much that is shorter.
struct Regrouped {
    std::vector<Element> elements;
    bool is_shorter = false;
};
Regrouped regrouped(Context& context, const std::vector<Operand>& elements, lang::Op op) {
    std::vector<std::optional<Ranges>> ranges;
    for (const Operand& e : elements) ranges.push_back(ranges_of(context, e));
    Regrouped out;
    std::vector<bool> done(elements.size(), false);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (done[i]) continue;
        std::vector<const Ranges*> group;
        std::vector<std::size_t> members;
        std::uint32_t size = 0;
        for (std::size_t k = i; k < elements.size() && ranges[i]; ++k) {
            if (done[k] || !ranges[k] || ranges[k]->subject != ranges[i]->subject) continue;
            group.push_back(&*ranges[k]);
            members.push_back(k);
            size += ranges[k]->size + (k > i ? 1 : 0);
        }
        std::optional<Form> form;
        if (group.size() > 1) {
            const auto all = together(op, group, group[0]->has_ends, context);
            if (all) form = tidy_form(*all, subject_is_known(elements[i]), context);
        }
        if (!form) {
            if (members.empty()) members.push_back(i);
            for (std::size_t k : members) {
                out.elements.push_back({elements[k].id});
                done[k] = true;
            }
            continue;
        }
        for (std::size_t k : members) done[k] = true;
        out.is_shorter = out.is_shorter || form->size < size;
        out.elements.push_back({std::move(form->made)});
    }
    return out;
}
bool holds_and_long_winded(Context& context, Arguments a) {
    return regrouped(context, a[0].elements, lang::Op::and_).is_shorter;
}
bool holds_or_long_winded(Context& context, Arguments a) {
    return regrouped(context, a[0].elements, lang::Op::or_).is_shorter;
}

// Whether the first predicate is `always` wherever the second, about the same subject, is something else than `except`.
bool wherever(Context& context, Arguments a, Answer except, Answer always) {
    const Operand &q = operand(a, 0), &p = operand(a, 1);
    const std::uint32_t q_subject = is_about_another(q) ? q.subject : q.id;
    const std::uint32_t p_subject = is_about_another(p) ? p.subject : p.id;
    if (q_subject != p_subject) return false;
    const auto of_q = ranges_of(context, q), of_p = ranges_of(context, p);
    return of_q && of_p && wherever_not(*of_p, except, *of_q, always, subject_is_known(p), context);
}
bool holds_fails_with(Context& context, Arguments a) {
    return wherever(context, a, Answer::no, Answer::no);
}
bool holds_follows(Context& context, Arguments a) {
    return wherever(context, a, Answer::no, Answer::yes);
}
bool holds_fails_without(Context& context, Arguments a) {
    return wherever(context, a, Answer::yes, Answer::no);
}
bool holds_holds_without(Context& context, Arguments a) {
    return wherever(context, a, Answer::yes, Answer::yes);
}

std::optional<Computed> compute_in_short(Context& context, Arguments a) {
    auto form = short_form(context, operand(a, 0));
    if (!form) return std::nullopt;
    return Computed{std::move(form->made)};
}
std::optional<Computed> compute_and_in_short(Context& context, Arguments a) {
    return Computed{regrouped(context, a[0].elements, lang::Op::and_).elements};
}
std::optional<Computed> compute_or_in_short(Context& context, Arguments a) {
    return Computed{regrouped(context, a[0].elements, lang::Op::or_).elements};
}

// The operand that stands in most of the conjunctions or disjunctions is taken out of them: a or b, c, where they were (a and x or a
// and y) or c. `inner` is the operator of the parts, `outer` the one between them.
std::optional<Computed> compute_factored(Context& context, Arguments a, lang::Op inner,
                                         lang::Op outer) {
    const std::vector<Operand>& elements = a[0].elements;
    const auto parts_of = [&](const Operand& o) {
        const bool fits = o.about != nullptr && o.about->junction == inner && o.stable;
        return fits ? o.about->parts : std::vector<std::uint32_t>{};
    };
    std::vector<std::uint32_t> all;
    for (const Operand& e : elements) {
        const auto parts = parts_of(e);
        all.insert(all.end(), parts.begin(), parts.end());
    }
    std::size_t most = 1;
    std::uint32_t first = 0;
    for (std::uint32_t part : all) {  // in the order in which they stand
        const auto times = static_cast<std::size_t>(std::ranges::count(all, part));
        if (times > most) most = times, first = part;
    }
    if (most < 2) return std::nullopt;
    // With it goes all that stands in the same ones.
    std::vector<std::uint32_t> common;
    for (const Operand& e : elements) {
        auto parts = parts_of(e);
        if (std::ranges::count(parts, first) == 0) continue;
        std::erase_if(parts, [&](std::uint32_t p) {
            return (common.empty() ? std::size_t(std::ranges::count(all, p)) : most) != most ||
                   (!common.empty() && std::ranges::count(common, p) == 0);
        });
        common = std::move(parts);
    }
    std::vector<Element> out;
    Made made;
    std::vector<std::uint32_t> within;
    for (const Operand& e : elements) {
        auto parts = parts_of(e);
        if (std::ranges::count(parts, first) == 0) {
            out.push_back({e.id});
            continue;
        }
        std::erase_if(parts, [&](std::uint32_t p) { return std::ranges::count(common, p) != 0; });
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t part : parts) nodes.push_back(made.operand(part));
        // Nothing is left: the unit of the inner operator.
        if (nodes.empty()) {
            const auto unit = Value::boolean(inner == lang::Op::and_);
            const lang::Type boolean{lang::TypeKind::boolean};
            nodes.push_back(made.constant(context.literals.intern(boolean, unit)));
        }
        within.push_back(nodes.size() == 1 ? nodes[0] : made.apply(inner, std::move(nodes)));
    }
    std::vector<std::uint32_t> factors{made.apply(outer, std::move(within))};
    for (std::uint32_t part : common) factors.push_back(made.operand(part));
    made.apply(inner, std::move(factors));
    out.push_back({std::move(made)});
    return Computed{std::move(out)};
}
std::optional<Computed> compute_or_factored(Context& context, Arguments a) {
    return compute_factored(context, a, lang::Op::and_, lang::Op::or_);
}
std::optional<Computed> compute_and_factored(Context& context, Arguments a) {
    return compute_factored(context, a, lang::Op::or_, lang::Op::and_);
}

// A word that asks of two predicates about one operand.
ConditionWord of_one_subject(std::string_view name, std::string_view meaning,
                             bool (*holds)(Context&, Arguments)) {
    ConditionWord word{name, {P::expression, P::expression}, meaning, holds};
    word.of_one_subject = true;
    return word;
}

}  // namespace

const std::vector<ConditionWord>& range_condition_words() {
    static const std::vector<ConditionWord> words = {
        {"long_winded",
         {P::expression},
         "it says of one operand what can be said in fewer words",
         holds_long_winded},
        {"and_long_winded",
         {P::rest},
         "conjuncts about one operand can be said in fewer words together",
         holds_and_long_winded},
        {"or_long_winded", {P::rest}, "the same of disjuncts", holds_or_long_winded},
        of_one_subject("fails_with",
                       "the first, about the same operand, is FALSE wherever the second is not",
                       holds_fails_with),
        of_one_subject(
            "follows",
            "the first, about the same operand, is TRUE wherever the second is not FALSE",
            holds_follows),
        of_one_subject(
            "fails_without",
            "the first, about the same operand, is FALSE wherever the second is not TRUE",
            holds_fails_without),
        of_one_subject("holds_without",
                       "the first, about the same operand, is TRUE wherever the second is not",
                       holds_holds_without),
    };
    return words;
}

const std::vector<ComputedWord>& range_computed_words() {
    static const std::vector<ComputedWord> words = {
        {"and_factored",
         {P::rest},
         ResultKind::rest,
         "the conjuncts with what most of the disjunctions among them share taken out of these",
         compute_and_factored},
        {"or_factored",
         {P::rest},
         ResultKind::rest,
         "the disjuncts with what most of the conjunctions among them share taken out of these",
         compute_or_factored},
        {"in_short",
         {P::expression},
         ResultKind::expression,
         "what it says of one operand, in the fewest words",
         compute_in_short},
        {"and_in_short",
         {P::rest},
         ResultKind::rest,
         "the conjuncts, those about one operand as one",
         compute_and_in_short},
        {"or_in_short", {P::rest}, ResultKind::rest, "the same of disjuncts", compute_or_in_short},
    };
    return words;
}

}  // namespace satura::rules
