// The words of a rule as formulas: what docs/words.md says of them, and no more.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "prove/rule_formula.hpp"

namespace satura::prove {

using lang::Op;
using rules::no_term;
using rules::ResolvedCondition;
using rules::ResolvedLet;
using rules::ResolvedWord;

namespace {

// Words that say nothing of a value (of types, of calls, of how something is written), or that the types and casts have heard.
constexpr std::array<std::string_view, 22> heard_elsewhere = {
    "stable",     "bounded",  "written",     "constant",    "integer",     "float",
    "boolean",    "numeric",  "ordered",     "exact_ring",  "one_ring",    "negatable",
    "castable",   "lossless", "widens",      "none_fit",    "matches_all", "same_type",
    "keeps_null", "some_fit", "keeps_value", "never_raises"};

}  // namespace

bool RuleFormula::has_word(std::string_view word, std::uint32_t variable) const {
    return std::ranges::any_of(rule_.conditions, [&](const ResolvedCondition& condition) {
        const ResolvedWord& w = condition.alternatives[0];
        return condition.alternatives.size() == 1 && !w.negated && w.word->name == word &&
               variable_of(w.arguments[0]) == variable;
    });
}

void RuleFormula::make_lets() {
    for (const ResolvedLet& let : rule_.lets) make_let(let);
}

void RuleFormula::make_let(const ResolvedLet& let) {
    const std::string_view word = let.word->name;
    const auto argument = [&](std::size_t i) { return variable_of(let.arguments[i]); };
    SqlValue& out = variables_[let.variable];
    if (word == "exact" || word == "round_up" || word == "round_down") {
        out = casts_.preimage(word, argument(0), argument(1), variables_);
    } else if (word == "constant") {
        out = variables_[argument(0)];
    } else if (word == "null_of") {
        out = v_.null(out.is_boolean);
    } else if (word == "zero_of") {
        out.null = out.nan = f_.boolean(false);
        out.number = f_.number(0);
    } else if (word == "applied" && arithmetic_ == Arithmetic::integers) {
        const Op op = std::get<rules::Argument>(let.arguments[0]).op;
        const SqlValue operands[] = {variables_[argument(1)], variables_[argument(2)]};
        assumptions_.push_back(f_.not_(v_.any_null(operands)));
        if (op != Op::add && op != Op::sub && op != Op::mul) return look_outside("applied");
        out = fitted(v_.arithmetic(op, operands), types_.of_variable(let.variable));
    } else if (word != "tidy" && word != "preimages") {
        look_outside(std::string(word));
    }
}

std::uint32_t RuleFormula::same_items(std::uint32_t rest) const {
    for (const ResolvedLet& let : rule_.lets) {
        if (let.variable == rest && let.word->name == "tidy") return variable_of(let.arguments[0]);
    }
    return rest;
}

void RuleFormula::take_conditions() {
    for (const ResolvedCondition& condition : rule_.conditions) {
        std::vector<Formula> alternatives;
        bool is_heard = true;
        for (const ResolvedWord& word : condition.alternatives) {
            const bool is_only = condition.alternatives.size() == 1;
            if (is_only && word.over_elements && !word.negated) {
                take_rest_word(word);
                is_heard = false;
                break;
            }
            if (is_only && casts_.take(word, variables_)) {
                is_heard = false;
                break;
            }
            // That something is not known says nothing, so a word that is denied has no formula.
            const auto formula = word.negated ? std::nullopt : formula_of(word);
            if (formula) {
                alternatives.push_back(*formula);
                continue;
            }
            // A condition less makes a proof say more, so what has no formula is left out.
            is_heard = false;
            if (std::ranges::find(heard_elsewhere, word.word->name) == heard_elsewhere.end())
                look_outside((word.negated ? "not " : "") + std::string(word.word->name));
            break;
        }
        if (is_heard) assumptions_.push_back(f_.any(alternatives));
    }
}

// Of every element of a rest.
void RuleFormula::take_rest_word(const ResolvedWord& word) {
    const std::uint32_t rest = variable_of(word.arguments[0]);
    const std::string_view name = word.word->name;
    if (name == "never_null") {
        folds_.set_elements(rest, {Truth::false_, Truth::true_});
    } else if (name == "always_null") {
        folds_.set_elements(rest, {Truth::null});
    } else if (name != "stable" && name != "bounded") {
        look_outside(std::string(name));
    }
}

std::optional<Formula> RuleFormula::formula_of(const ResolvedWord& word) {
    const std::string_view name = word.word->name;
    std::vector<const SqlValue*> a;
    for (const rules::ResolvedArgument& argument : word.arguments) {
        const std::uint32_t v = variable_of(argument);
        a.push_back(v == no_term ? nullptr : &variables_[v]);
    }
    const auto are_values = [&](std::size_t first) {
        return std::all_of(a.begin() + static_cast<std::ptrdiff_t>(first), a.end(),
                           [](const SqlValue* value) { return value != nullptr; });
    };
    if (name == "neutral" || name == "neutral_before") {
        const Op op = std::get<rules::Argument>(word.arguments[0]).op;
        if (arithmetic_ == Arithmetic::opaque || !are_values(1)) return std::nullopt;
        const SqlValue& c = *a[name == "neutral" ? 2 : 1];
        const bool is_unit_one = op == Op::mul || op == Op::div;
        return f_.all({f_.not_(c.null), f_.equal(c.number, f_.number(is_unit_one ? 1 : 0))});
    }
    if (!are_values(0)) return std::nullopt;
    if (name == "never_null") return f_.not_(a[0]->null);
    if (name == "always_null" || name == "null") return a[0]->null;
    if (name == "nan") {
        // In a total order NaN is a value as any other.
        if (nan_ == lang::NanOrder::total) return f_.not_(a[0]->null);
        return f_.all({f_.not_(a[0]->null), a[0]->nan});
    }
    const auto both_known = [&] { return f_.not_(f_.any({a[0]->null, a[1]->null})); };
    if (name == "before") return f_.all({both_known(), v_.is_less(*a[0], *a[1])});
    if (name == "different")
        return f_.all({both_known(), f_.any({v_.is_less(*a[0], *a[1]), v_.is_less(*a[1], *a[0])})});
    if (name == "zero" || name == "one")
        return f_.all({f_.not_(a[0]->null), f_.not_(a[0]->nan),
                       f_.equal(a[0]->number, f_.number(name == "one" ? 1 : 0))});
    return formula_of_predicates(word);
}

// Words over truth values. What they say of one operand does not matter here.
std::optional<Formula> RuleFormula::formula_of_predicates(const ResolvedWord& word) {
    const std::string_view name = word.word->name;
    const SqlValue& q = variables_[variable_of(word.arguments[0])];
    if (!q.is_boolean) return std::nullopt;
    if (name == "never_true") return f_.not_(v_.is_true(q));
    if (name == "always_true") return v_.is_true(q);
    if (word.arguments.size() != 2) return std::nullopt;
    const SqlValue& p = variables_[variable_of(word.arguments[1])];
    if (!p.is_boolean) return std::nullopt;
    if (name == "fails_with") return f_.implies(f_.not_(v_.is_false(p)), v_.is_false(q));
    if (name == "follows") return f_.implies(f_.not_(v_.is_false(p)), v_.is_true(q));
    if (name == "fails_without") return f_.implies(f_.not_(v_.is_true(p)), v_.is_false(q));
    if (name == "holds_without") return f_.implies(f_.not_(v_.is_true(p)), v_.is_true(q));
    return std::nullopt;
}

// Lists of constants and of their preimages.
void RuleFormula::take_lists() {
    for (const ResolvedCondition& condition : rule_.conditions) {
        const ResolvedWord& word = condition.alternatives[0];
        if (condition.alternatives.size() != 1 || word.negated || word.word->name != "none_fit")
            continue;
        const std::uint32_t x = variable_of(word.arguments[0]),
                            items = variable_of(word.arguments[1]);
        for (const Casts::Image& image :
             casts_.images(types_.of_variable(x), types_.of_variable(items))) {
            if (!image.is_bounded) continue;
            assumptions_.push_back(f_.implies(f_.not_(image.operand.null),
                                              v_.is_false(is_in_rest(items, image.result))));
        }
        assumptions_.push_back(f_.not_(is_empty(items)));
    }
    for (const ResolvedLet& let : rule_.lets) {
        if (let.word->name != "preimages") continue;
        // That all items are constants whose preimages can be told is what some_fit says.
        const bool fits = std::ranges::any_of(rule_.conditions, [&](const ResolvedCondition& c) {
            const ResolvedWord& word = c.alternatives[0];
            return c.alternatives.size() == 1 && !word.negated && word.word->name == "some_fit" &&
                   std::ranges::equal(word.arguments, let.arguments, {}, variable_of, variable_of);
        });
        if (!fits) {
            look_outside("preimages");
            continue;
        }
        const std::uint32_t x = variable_of(let.arguments[0]),
                            items = variable_of(let.arguments[1]);
        for (const Casts::Image& image :
             casts_.images(types_.of_variable(x), types_.of_variable(items))) {
            if (!image.is_bounded) continue;
            assumptions_.push_back(f_.implies(f_.not_(image.operand.null),
                                              v_.identical(is_in_rest(let.variable, image.operand),
                                                           is_in_rest(items, image.result))));
        }
    }
}

}  // namespace satura::prove
