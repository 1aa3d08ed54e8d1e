#include "prove/casts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace satura::prove {

using rules::no_term;
using rules::ResolvedTerm;
using rules::TermKind;

Casts::Casts(const rules::ResolvedRule& rule, const RuleTypes& types, Formulas& formulas,
             SqlValues& values)
    : rule_(rule), types_(types), f_(formulas), values_(values) {
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i) {
        const ResolvedTerm& term = rule.terms[i];
        if (term.kind == TermKind::apply && (term.name == "cast" || term.name == "try_cast"))
            function_of(i);
    }
    for (const rules::ResolvedCondition& condition : rule.conditions) {
        const rules::ResolvedWord& word = condition.alternatives[0];
        if (condition.alternatives.size() != 1 || word.negated || word.arguments.size() != 2)
            continue;
        const std::string_view name = word.word->name;
        const std::uint32_t x = variable_of(word.arguments[0]),
                            type = variable_of(word.arguments[1]);
        if (x == no_term || type == no_term) continue;
        const auto at = by_key_.find({type, true, types.of_variable(x)});
        if (at == by_key_.end()) continue;
        Function& function = functions_[at->second];
        function.is_lossless |= name == "lossless" || name == "keeps_value";
        function.keeps_null |= name == "keeps_null" || function.is_lossless;
        function.changes_nothing |= name == "same_type";
        function.never_raises |= name == "never_raises" || function.is_lossless;
    }
}

std::uint32_t Casts::function_of(std::uint32_t term) {
    const ResolvedTerm& t = rule_.terms[term];
    const bool is_variable = t.payload_variable != no_term;
    const std::uint32_t from = types_.of_term(t.operands[0]);
    const auto next = static_cast<std::uint32_t>(functions_.size());
    const auto [at, is_new] = by_key_.try_emplace(
        {is_variable ? t.payload_variable : t.payload, is_variable, from}, next);
    if (is_new) {
        functions_.push_back({fmt::format("cast{}", next), from, types_.of_term(term)});
    }
    return at->second;
}

bool Casts::is_bounded(std::uint32_t term) const {
    const ResolvedTerm& t = rule_.terms[term];
    if (t.is_literal) return true;
    if (t.kind != TermKind::variable) return false;
    if (rule_.variables[t.variable].kind == rules::VariableKind::literal) return true;
    return std::ranges::any_of(rule_.conditions, [&](const rules::ResolvedCondition& condition) {
        const rules::ResolvedWord& word = condition.alternatives[0];
        return condition.alternatives.size() == 1 && !word.negated &&
               word.word->name == "bounded" && variable_of(word.arguments[0]) == t.variable;
    });
}

SqlValue Casts::of_term(std::uint32_t term, const SqlValue& operand, bool is_try, bool may_be_nan) {
    Function& function = functions_[function_of(term)];
    const bool bounded = is_bounded(rule_.terms[term].operands[0]);
    SqlValue out = image(function, operand, bounded, types_[function.to].is_boolean, may_be_nan);
    if (!is_try || (function.never_raises && bounded)) return out;
    const SqlValue operands[] = {operand};
    out.null = f_.any({out.null, values_.applied_null(function.name + ".raises", operands)});
    return out;
}

SqlValue Casts::image(Function& function, const SqlValue& operand, bool is_bounded, bool is_boolean,
                      bool may_be_nan) {
    if (function.changes_nothing) return operand;
    const SqlValue operands[] = {operand};
    SqlValue out = values_.applied(function.name, operands, is_boolean, may_be_nan);
    out.null = operand.null;
    if (!function.keeps_null)
        out.null = f_.any({operand.null, values_.applied_null(function.name, operands)});
    function.images.push_back({operand, out, is_bounded});
    return out;
}

std::vector<Casts::Image> Casts::images(std::uint32_t from, std::uint32_t to) const {
    std::vector<Image> out;
    for (const Function& function : functions_) {
        if (function.from == from && function.to == to && function.is_lossless)
            out.insert(out.end(), function.images.begin(), function.images.end());
    }
    return out;
}

Formula Casts::changes_no_number() {
    std::vector<Formula> parts;
    for (const Function& function : functions_) {
        for (const Image& image : function.images)
            parts.push_back(f_.equal(image.operand.number, image.result.number));
    }
    return f_.all(parts);
}

bool Casts::is_widened(std::uint32_t type) const {
    return std::ranges::any_of(functions_, [&](const Function& function) {
        return function.from == type && function.is_lossless;
    });
}

Formula Casts::is_number(const SqlValue& a) { return f_.all({f_.not_(a.null), f_.not_(a.nan)}); }

SqlValue Casts::preimage(std::string_view word, std::uint32_t c, std::uint32_t x,
                         const std::vector<SqlValue>& variables) {
    const auto [at, is_new] = preimages_.try_emplace({c, x, std::string(word)});
    if (!is_new) return at->second;
    const std::uint32_t from = types_.of_variable(x), to = types_.of_variable(c);
    SqlValue v =
        values_.unknown(fmt::format("{}({},{})", word, c, x), types_[from].is_boolean, false);
    v.null = f_.boolean(false);
    const auto kind = word == "exact"      ? Place::Kind::exact
                      : word == "round_up" ? Place::Kind::up
                                           : Place::Kind::down;
    places_.push_back({kind, from, to, variables[c], v});
    for (Function& function : functions_) {
        if (function.from == from && function.to == to && function.is_lossless)
            image(function, v, true, types_[to].is_boolean, false);
    }
    known_.push_back(is_number(variables[c]));
    return at->second = v;
}

bool Casts::take(const rules::ResolvedWord& word, const std::vector<SqlValue>& variables) {
    const std::string_view name = word.word->name;
    const bool is_place = name == "above" || name == "below" || name == "missed" ||
                          name == "exact" || name == "inside" || name == "at_max" ||
                          name == "at_min";
    if (!is_place || word.negated) return false;
    const std::uint32_t c = variable_of(word.arguments[0]), x = variable_of(word.arguments[1]);
    if (c == no_term || x == no_term) return false;
    Place place{Place::Kind::above, types_.of_variable(x), types_.of_variable(c), variables[c], {}};
    if (name == "above" || name == "below" || name == "missed") {
        if (name != "above")
            place.kind = name == "below" ? Place::Kind::below : Place::Kind::missed;
        places_.push_back(place);
        known_.push_back(is_number(variables[c]));
        return true;
    }
    place.v = preimage("exact", c, x, variables);
    if (name == "at_max" || name == "at_min") {
        place.kind = name == "at_max" ? Place::Kind::max : Place::Kind::min;
        places_.push_back(place);
    }
    return true;
}

// What is known of one value and its image, both numbers.
Formula Casts::at(const Place& place, const Image& image) {
    const Formula x = image.operand.number, y = image.result.number;
    const Formula c = place.c.number, v = place.v.number;
    switch (place.kind) {
        case Place::Kind::above:
            return f_.less(y, c);
        case Place::Kind::below:
            return f_.less(c, y);
        case Place::Kind::missed:
            return f_.not_(f_.equal(y, c));
        case Place::Kind::exact:
            return f_.equal(f_.equal(x, v), f_.equal(y, c));
        case Place::Kind::up:
            return f_.equal(f_.less(x, v), f_.less(y, c));
        case Place::Kind::down:
            return f_.equal(f_.less(v, x), f_.less(c, y));
        case Place::Kind::max:
            return f_.at_most(x, v);
        case Place::Kind::min:
            return f_.at_most(v, x);
    }
    return f_.boolean(true);
}

void Casts::add_places(const Function& function, std::vector<Formula>& out) {
    for (const Place& place : places_) {
        if (place.from != function.from || place.to != function.to) continue;
        for (const Image& image : function.images) {
            if (image.is_bounded)
                out.push_back(f_.implies(is_number(image.operand), at(place, image)));
        }
    }
}

void Casts::add_axioms(std::vector<Formula>& out) {
    out.insert(out.end(), known_.begin(), known_.end());
    for (const Function& function : functions_) {
        if (!function.is_lossless) continue;
        add_places(function, out);
        for (std::size_t i = 0; i < function.images.size(); ++i) {
            const Image& a = function.images[i];
            if (!a.is_bounded) continue;
            const Formula known = f_.not_(a.operand.null);
            out.push_back(f_.implies(known, f_.equal(a.operand.nan, a.result.nan)));
            for (std::size_t k = 0; k < i; ++k) {
                const Image& b = function.images[k];
                if (!b.is_bounded) continue;
                const Formula same_order =
                    f_.all({f_.equal(f_.less(a.operand.number, b.operand.number),
                                     f_.less(a.result.number, b.result.number)),
                            f_.equal(f_.less(b.operand.number, a.operand.number),
                                     f_.less(b.result.number, a.result.number))});
                out.push_back(
                    f_.implies(f_.all({is_number(a.operand), is_number(b.operand)}), same_order));
            }
        }
    }
}

}  // namespace satura::prove
