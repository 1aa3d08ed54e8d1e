#include "rules/possible.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"

namespace satura::rules {

using lang::Op;

namespace {

constexpr std::uint8_t null = Possible::null, true_ = Possible::true_, false_ = Possible::false_,
                       other = Possible::other;
constexpr std::uint8_t truth = null | true_ | false_;

bool is_boolean(lang::Type type) { return type.kind() == lang::TypeKind::boolean; }

std::uint8_t flip_truth(std::uint8_t mask) {
    return static_cast<std::uint8_t>((mask & null) | ((mask & true_) != 0 ? false_ : 0) |
                                     ((mask & false_) != 0 ? true_ : 0));
}

// Three-valued AND lifted to sets; OR is its dual.
std::uint8_t conjunction(std::span<const Possible> operands) {
    bool all_can_be_true = true, some_can_be_null = false, some_can_be_false = false;
    bool some_always_false = false, none_always_false_or_true = true;
    for (const Possible& p : operands) {
        all_can_be_true = all_can_be_true && (p.mask & true_) != 0;
        some_can_be_null = some_can_be_null || (p.mask & null) != 0;
        some_can_be_false = some_can_be_false || (p.mask & false_) != 0;
        some_always_false = some_always_false || p.mask == false_;
        none_always_false_or_true = none_always_false_or_true && (p.mask & (null | true_)) != 0;
    }
    if (some_always_false) return false_;
    std::uint8_t mask = 0;
    if (all_can_be_true) mask |= true_;
    if (some_can_be_false) mask |= false_;
    if (some_can_be_null && none_always_false_or_true) mask |= null;
    return mask;
}

std::uint8_t junction(Op op, std::span<const Possible> operands) {
    if (op == Op::and_) return conjunction(operands);
    std::vector<Possible> flipped(operands.begin(), operands.end());
    for (Possible& p : flipped) p.mask = flip_truth(p.mask);
    return flip_truth(conjunction(flipped));
}

// A test that maps each of null, true, false, other to true or false.
std::uint8_t test(std::uint8_t mask, std::uint8_t yes) {
    std::uint8_t out = 0;
    if ((mask & yes) != 0) out |= true_;
    if ((mask & ~yes) != 0) out |= false_;
    return out;
}

// What a type can hold; a type that is not known can hold anything, truth values too.
std::uint8_t any_of(lang::Type type, bool nullable) {
    if (type.kind() == lang::TypeKind::opaque || type.kind() == lang::TypeKind::unknown) {
        return nullable ? Possible::anything : Possible::anything & ~null;
    }
    std::uint8_t mask = is_boolean(type) ? true_ | false_ : other;
    return nullable ? mask | null : mask;
}

std::uint8_t null_safe_equal(const Possible& a, const Possible& b) {
    bool a_null = (a.mask & null) != 0, b_null = (b.mask & null) != 0;
    if (a.always_null() && b.always_null()) return true_;
    if ((a.always_null() && !b_null) || (b.always_null() && !a_null)) return false_;
    return true_ | false_;
}

std::uint8_t coalesce(std::span<const Possible> operands) {
    std::uint8_t mask = 0;
    for (const Possible& p : operands) {
        mask |= p.mask & static_cast<std::uint8_t>(~null);
        if (p.never_null()) return mask;
    }
    return mask | null;
}

// GREATEST and LEAST: NULL only where all are (or where any is, by dialect).
std::uint8_t extreme(std::span<const Possible> operands, bool ignores_null, std::uint8_t values) {
    bool all_can = true, any_can = false;
    for (const Possible& p : operands) {
        all_can = all_can && (p.mask & null) != 0;
        any_can = any_can || (p.mask & null) != 0;
    }
    return (ignores_null ? all_can : any_can) ? values | null : values;
}

// CASE over (condition, value) pairs flattened as when, then, …, else.
std::uint8_t case_values(std::span<const Possible> operands) {
    std::uint8_t mask = 0;
    std::size_t i = 0;
    for (; i + 1 < operands.size(); i += 2) {
        if ((operands[i].mask & true_) == 0) continue;
        mask |= operands[i + 1].mask;
        if (operands[i].mask == true_) return mask;
    }
    return mask | operands.back().mask;
}

// IN: some item equal: true; else NULL where the operand or an item is.
std::uint8_t membership(std::span<const Possible> operands) {
    bool can_be_null = false;
    bool only_null = operands[0].always_null();
    bool all_items_null = true;
    for (const Possible& p : operands) can_be_null = can_be_null || (p.mask & null) != 0;
    for (const Possible& p : operands.subspan(1))
        all_items_null = all_items_null && p.always_null();
    if (only_null || all_items_null) return null;
    std::uint8_t mask = true_ | false_;
    for (const Possible& p : operands.subspan(1)) {
        if (p.always_null()) mask &= static_cast<std::uint8_t>(~false_);
    }
    return can_be_null ? mask | null : mask;
}

bool cast_gives_value(lang::Type from, lang::Type to) {
    if (lang::is_exact_numeric(from) || from.kind() == lang::TypeKind::boolean)
        return lang::is_numeric(to);
    if (lang::is_float(from)) return lang::is_float(to);
    return false;
}

// Whether a strict operator may be NULL where no operand is, under total semantics.
bool may_be_null_on_values(Op op, lang::Type type, std::uint32_t payload,
                           std::span<const lang::Type> types, const lang::Context& context) {
    if (lang::is_comparison(op)) return false;
    if (op == Op::cast) {
        return !cast_gives_value(types[0], type) &&
               !lang::cast_is_lossless(types[0], type, context.semantics);
    }
    bool is_arithmetic = op == Op::add || op == Op::sub || op == Op::mul || op == Op::neg;
    if (is_arithmetic) return !std::all_of(types.begin(), types.end(), lang::is_numeric);
    if (op == Op::call && !lang::gives_value(payload, context)) return true;
    if (op == Op::like || op == Op::call) return lang::may_raise(op, type, payload, types, context);
    return true;
}

// The order of texts is the database's, which is not known here; the evaluator's is that of bytes.
bool depends_on_collation(Op op, std::span<const lang::Type> types) {
    bool orders =
        lang::is_order_comparison(op) || op == Op::between || op == Op::greatest || op == Op::least;
    return orders && std::any_of(types.begin(), types.end(), lang::is_string);
}

std::uint8_t mask_of(Op op, lang::Type type, std::uint32_t payload,
                     std::span<const Possible> operands, std::span<const lang::Type> types,
                     const lang::Context& context) {
    switch (op) {
        case Op::and_:
        case Op::or_:
            return junction(op, operands);
        case Op::not_:
            return flip_truth(operands[0].mask);
        case Op::is_null:
        case Op::is_unknown:
            return test(operands[0].mask, null);
        case Op::is_true:
            return test(operands[0].mask, true_);
        case Op::is_false:
            return test(operands[0].mask, false_);
        case Op::null_safe_eq:
            return null_safe_equal(operands[0], operands[1]);
        case Op::coalesce:
            return coalesce(operands);
        case Op::greatest:
        case Op::least:
            return extreme(operands, context.semantics.greatest_ignores_null, any_of(type, false));
        case Op::case_:
            return case_values(operands);
        case Op::in:
            return membership(operands);
        case Op::nullif:
            return operands[0].always_null() ? null : operands[0].mask | null;
        default:
            break;
    }
    bool strict = lang::is_strict(op, payload, context);
    bool some_null = false, some_always = false;
    for (const Possible& p : operands) {
        some_null = some_null || (p.mask & null) != 0;
        some_always = some_always || p.always_null();
    }
    if (strict && some_always) return null;
    bool can_be_null = strict
                           ? some_null || may_be_null_on_values(op, type, payload, types, context)
                           : op != Op::call || !lang::gives_value(payload, context);
    return any_of(type, can_be_null);
}

}  // namespace

Possible possible_of_leaf(lang::Type type, bool nullable) { return {any_of(type, nullable), {}}; }

Possible possible_of_literal(lang::LiteralId literal, const lang::Context& context) {
    const lang::Value& value = context.literals[literal].value;
    std::uint8_t mask = value.is_null() ? null : other;
    if (value.kind() == lang::Value::Kind::boolean) mask = value.as_boolean() ? true_ : false_;
    return {mask, literal};
}

Possible possible_of(Op op, lang::Type type, std::uint32_t payload,
                     std::span<const Possible> operands, std::span<const lang::Type> types,
                     lang::Context& context) {
    Possible result{mask_of(op, type, payload, operands, types, context), {}};
    if (is_boolean(type)) result.mask &= truth;
    auto constant = [&](const lang::Value& value) {
        result.constant = context.literals.intern(type, value);
    };
    if (result.mask == null) constant(lang::Value::null());
    if (result.mask == true_) constant(lang::Value::boolean(true));
    if (result.mask == false_) constant(lang::Value::boolean(false));
    if (result.constant || operands.empty() || lang::is_volatile(op, payload, context))
        return result;
    if (depends_on_collation(op, types)) return result;
    std::vector<lang::Outcome> outcomes;
    for (const Possible& p : operands) {
        if (!p.constant) return result;
        outcomes.push_back({lang::Outcome::State::value, context.literals[*p.constant].value, {}});
    }
    lang::Outcome outcome =
        lang::apply(op, type, payload, outcomes, types, context, lang::Mode::raising);
    if (outcome.state != lang::Outcome::State::value) return result;
    constant(outcome.value);
    result.mask &= possible_of_literal(*result.constant, context).mask;
    return result;
}

Possible both(const Possible& a, const Possible& b) {
    return {static_cast<std::uint8_t>(a.mask & b.mask), a.constant ? a.constant : b.constant};
}

}  // namespace satura::rules
