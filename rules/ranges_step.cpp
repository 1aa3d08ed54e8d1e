#include "rules/ranges_step.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"

namespace satura::rules {

using lang::LiteralId;
using lang::Number;
using lang::Op;
using lang::Outcome;
using lang::Type;
using lang::TypeKind;
using lang::Value;
using lang::Wide;

namespace {

bool is_cast(Op op) { return op == Op::cast || op == Op::try_cast; }

// The same answers, about the operand.
Ranges started(const Ranges& r, const Subject& inner) {
    Ranges out;
    out.subject = inner.id;
    out.type = inner.type;
    out.answers = {r.answers[0]};
    out.at_null = r.at_null;
    out.at_nan = r.at_nan;
    return out;
}

// --- by a search for the least value beyond each cut --------------------------------------------------------------

// For a step that never decreases. `beyond(value, cut)`: whether the step's result lies beyond the cut; nothing: not known.
template <class Beyond>
std::optional<Ranges> carried_by_search(const Ranges& r, const Subject& inner, const Value& guess,
                                        lang::Context& context, Beyond&& beyond) {
    Ranges out = started(r, inner);
    bool known = true;
    for (std::size_t i = 0; i < r.cuts.size(); ++i) {
        const auto least =
            lang::least_value(inner.type, guess, context.semantics, [&](const Value& x) {
                const std::optional<bool> is_beyond = beyond(x, r.cuts[i]);
                known = known && is_beyond.has_value();
                return is_beyond.value_or(true);
            });
        if (!known) return std::nullopt;
        if (!least) break;
        out.cuts.push_back({context.literals.intern(inner.type, *least), false});
        out.answers.push_back(r.answers[i + 1]);
    }
    return out;
}

// --- casts --------------------------------------------------------------------------------------------------------

std::optional<Ranges> over_monotone_cast(const Ranges& r, const Subject& inner,
                                         lang::Context& context) {
    const lang::Semantics& semantics = context.semantics;
    if (!lang::has_domain(inner.type) || !inner.bounded ||
        !lang::cast_is_monotone(inner.type, r.type, semantics))
        return std::nullopt;
    Ranges out = started(r, inner);
    for (std::size_t i = 0; i < r.cuts.size(); ++i) {
        const Value c = context.literals[r.cuts[i].value].value;
        const lang::Preimage found = lang::preimage(inner.type, r.type, c, semantics);
        const auto& place = r.cuts[i].after ? found.hi : found.lo;
        if (!place) break;
        // x > 5 rather than x >= 6.
        const auto below = r.cuts[i].after && lang::is_integer(inner.type)
                               ? lang::predecessor(inner.type, *place, semantics)
                               : std::nullopt;
        out.cuts.push_back(
            {context.literals.intern(inner.type, below ? *below : *place), below.has_value()});
        out.answers.push_back(r.answers[i + 1]);
    }
    return out;
}

// 0 is false, all else true.
std::optional<Ranges> over_cast_to_boolean(const Ranges& r, const Subject& inner,
                                           lang::Context& context) {
    if (!lang::is_integer(inner.type)) return std::nullopt;
    const LiteralId zero = context.literals.intern(inner.type, Value::integer(0));
    Ranges out = started(r, inner);
    out.cuts = {{zero, false}, {zero, true}};
    out.answers = {r.answers.back(), r.answers.front(), r.answers.back()};
    return out;
}

struct Point {
    LiteralId value;
    Answer answer;
};

// These answers at these values; elsewhere the one of all texts that are not spoken of.
Ranges at_points(const Ranges& r, const Subject& inner, std::vector<Point> points,
                 lang::Context& context) {
    std::ranges::stable_sort(points, [&](const Point& a, const Point& b) {
        return lang::compare(context.literals[a.value].value, context.literals[b.value].value,
                             inner.type, context.semantics)
                   .value_or(0) < 0;
    });
    Ranges out = started(r, inner);
    for (const Point& p : points) {
        out.cuts.push_back({p.value, false});
        out.answers.push_back(p.answer);
        out.cuts.push_back({p.value, true});
        out.answers.push_back(r.answers[0]);
    }
    return out;
}

// PostgreSQL takes the trailing blanks of a char(n) away, and it compares without them.
bool keeps_texts_apart(Type from, Type to, const lang::Semantics& semantics) {
    if (from.kind() != TypeKind::char_)
        return lang::cast_is_injective(from, to, semantics) &&
               !lang::cast_may_raise(from, to, semantics);
    const bool has_room =
        to.kind() == TypeKind::text || to.length() == 0 || to.length() >= from.length();
    return semantics.dialect == lang::Dialect::postgres && semantics.chars_are_padded &&
           from.length() > 0 && has_room;
}

std::optional<Value> text_back(const Value& text, Type from, Type to,
                               const lang::Semantics& semantics) {
    if (!lang::is_string(to)) return lang::parse_value(text.as_text(), to, semantics);
    const Outcome back = lang::cast_value(text, from, to, semantics, lang::Mode::raising);
    if (back.state != Outcome::State::value) return std::nullopt;
    return back.value;
}

// varchar(m) to char(n) with m <= n: blanks are added and do not count, so a few texts come to the same.
std::optional<Ranges> over_cast_to_char(const Ranges& r, const Subject& inner,
                                        lang::Context& context) {
    constexpr std::size_t points_max = 8;
    const lang::Semantics& semantics = context.semantics;
    const std::size_t most = inner.type.length();
    const bool fits = semantics.dialect == lang::Dialect::postgres && semantics.chars_are_padded &&
                      inner.type.kind() == TypeKind::varchar && most > 0 && most <= r.type.length();
    if (!fits) return std::nullopt;
    std::vector<Point> points;
    for (std::size_t i = 0; i + 1 < r.cuts.size(); ++i) {
        if (r.cuts[i].value != r.cuts[i + 1].value) continue;
        std::string text(context.literals[r.cuts[i].value].value.as_text());
        while (text.ends_with(' ')) text.pop_back();
        const auto is_start = [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        };
        auto length = static_cast<std::size_t>(std::ranges::count_if(text, is_start));
        for (; length <= most; ++length, text += ' ') {
            if (points.size() == points_max) return std::nullopt;
            points.push_back(
                {context.literals.intern(inner.type, Value::text(text)), r.answers[i + 1]});
        }
    }
    return at_points(r, inner, std::move(points), context);
}

// A cast to text that keeps different values different: only the texts that some value has can be equal to it.
std::optional<Ranges> over_cast_to_text(const Ranges& r, const Subject& inner,
                                        lang::Context& context) {
    const lang::Semantics& semantics = context.semantics;
    if (r.type.kind() == TypeKind::char_) return over_cast_to_char(r, inner, context);
    if (!keeps_texts_apart(inner.type, r.type, semantics)) return std::nullopt;
    std::vector<Point> points;
    for (std::size_t i = 0; i + 1 < r.cuts.size(); ++i) {
        if (r.cuts[i].value != r.cuts[i + 1].value) continue;
        const Value text = context.literals[r.cuts[i].value].value;
        const auto back = text_back(text, r.type, inner.type, semantics);
        if (!back || back->is_null()) continue;
        const Outcome there =
            lang::cast_value(*back, inner.type, r.type, semantics, lang::Mode::raising);
        if (there.state != Outcome::State::value || there.value.is_null()) return std::nullopt;
        if (there.value.as_text() != text.as_text()) continue;
        points.push_back({context.literals.intern(inner.type, *back), r.answers[i + 1]});
    }
    return at_points(r, inner, std::move(points), context);
}

std::optional<Ranges> over_cast(const Ranges& r, const Subject& inner, lang::Context& context) {
    if (inner.type == r.type) return std::nullopt;  // another rule's
    if (r.type.kind() == TypeKind::boolean) return over_cast_to_boolean(r, inner, context);
    if (lang::is_string(r.type)) return over_cast_to_text(r, inner, context);
    return over_monotone_cast(r, inner, context);
}

// NULL, where the cast would raise.
std::optional<Ranges> over_try_cast(const Ranges& r, const Subject& inner, lang::Context& context) {
    auto carried = over_cast(r, inner, context);
    if (!carried || !lang::cast_may_raise(inner.type, r.type, context.semantics)) return carried;
    if (!lang::has_domain(inner.type) || !inner.bounded) return std::nullopt;
    const auto range = lang::success_range(inner.type, r.type, context.semantics);
    if (!range) return std::nullopt;
    const Cut low{context.literals.intern(inner.type, range->low), false};
    const Cut high{context.literals.intern(inner.type, range->high), true};
    Ranges out = started(r, inner);
    out.at_nan = r.at_null;
    out.answers = {r.at_null};
    out.cuts = {low};
    std::size_t i = 0;
    while (i < carried->cuts.size() &&
           compare_cuts(carried->cuts[i], low, inner.type, context) <= 0)
        ++i;
    out.answers.push_back(carried->answers[i]);
    for (; i < carried->cuts.size(); ++i) {
        if (compare_cuts(carried->cuts[i], high, inner.type, context) >= 0) break;
        out.cuts.push_back(carried->cuts[i]);
        out.answers.push_back(carried->answers[i + 1]);
    }
    out.cuts.push_back(high);
    out.answers.push_back(r.at_null);
    return out;
}

// --- whole numbers, exactly ---------------------------------------------------------------------------------------

struct WideCut {
    Wide value;
    bool after = false;
};

Wide floor_divided(const Wide& a, const Wide& b) {
    return lang::divide_rounded(a, b, lang::Rounding::floor);
}

// x + k, x - k, k - x, -x, x * k over integers of one type: the total result is exact, so nothing need be known of x.
std::optional<Ranges> over_integers(const Ranges& r, const Step& step, const Subject& inner,
                                    lang::Context& context) {
    const Wide k = step.constant ? Number::digits(context.literals[*step.constant].value) : Wide(0);
    const bool is_product = step.op == Op::mul;
    if (is_product && k == 0) return std::nullopt;
    const bool falls =
        step.op == Op::neg || (step.op == Op::sub && step.constant_first) || (is_product && k < 0);
    Ranges out = started(r, inner);
    out.answers.clear();
    const auto placed = [&](const Cut& cut) {
        const Wide c = Number::digits(context.literals[cut.value].value);
        const Wide size = k < 0 ? Wide(-k) : k;
        WideCut w{c, cut.after};
        if (is_product) {
            const Wide whole = floor_divided(c, size);
            w.value = whole;
            // Between two multiples the cut lies after the lower one.
            if (whole * size != c) w.after = true;
        } else if (step.op == Op::add) {
            w.value = c - k;
        } else if (!falls) {
            w.value = c + k;
        } else {
            w.value = c - k;  // of -x, which is below c - k where k - x is below c
        }
        if (falls) w.value = -w.value, w.after = !w.after;
        return w;
    };
    std::vector<WideCut> cuts;
    std::vector<Answer> answers = r.answers;
    for (const Cut& cut : r.cuts) cuts.push_back(placed(cut));
    if (falls) {
        std::ranges::reverse(cuts);
        std::ranges::reverse(answers);
    }
    const Wide min = lang::integer_min(inner.type), max = lang::integer_max(inner.type);
    out.answers = {answers[0]};
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const bool fits = cuts[i].value >= min && cuts[i].value <= max;
        if (!fits && !inner.bounded) return std::nullopt;
        if (cuts[i].value > max) break;
        if (cuts[i].value < min) {
            out.answers = {answers[i + 1]};
            continue;
        }
        out.cuts.push_back(
            {context.literals.intern(inner.type, Number::integer(cuts[i].value)), cuts[i].after});
        out.answers.push_back(answers[i + 1]);
    }
    return out;
}

// --- other arithmetic ---------------------------------------------------------------------------------------------

bool is_positive(const Value& v) {
    if (v.kind() == Value::Kind::real || v.kind() == Value::Kind::double_) return v.as_double() > 0;
    return !Number::is_decimal_nan(v) && Number::sign(v) > 0;
}

bool is_finite(const Value& v) {
    if (v.kind() == Value::Kind::real || v.kind() == Value::Kind::double_)
        return std::isfinite(v.as_double());
    return !Number::is_decimal_nan(v);
}

// Whether the result never decreases while the operand grows.
bool is_rising(const Step& step, Type inner, lang::Context& context) {
    if (!step.constant) return false;
    const lang::Literal c = context.literals[*step.constant];
    if (c.value.is_null()) return false;
    if (c.type.kind() == TypeKind::interval) {
        if (step.op != Op::add && (step.op != Op::sub || step.constant_first)) return false;
        // The last day of a month stands for several: of two times of the day the later may come out first.
        if (inner.kind() == TypeKind::date) return true;
        return inner.kind() == TypeKind::timestamp && c.value.as_interval().months == 0;
    }
    if (inner.kind() == TypeKind::date && lang::is_integer(c.type))
        return step.op == Op::add || (step.op == Op::sub && !step.constant_first);
    if (lang::is_integer(inner) && lang::is_integer(c.type) && lang::is_integer(step.type))
        return step.op == Op::div && !step.constant_first && is_positive(c.value);
    if (!lang::is_float(inner) || step.type != inner || c.type != inner || !is_finite(c.value))
        return false;
    switch (step.op) {
        case Op::add:
            return true;
        case Op::sub:
            return !step.constant_first;
        case Op::mul:
            return is_positive(c.value);
        case Op::div:
            return !step.constant_first && is_positive(c.value);
        default:
            return false;
    }
}

std::optional<Ranges> over_rising(const Ranges& r, const Step& step, const Subject& inner,
                                  lang::Context& context) {
    if (!lang::has_domain(inner.type)) return std::nullopt;
    if (!inner.bounded && !lang::is_float(inner.type)) return std::nullopt;
    const lang::Literal c = context.literals[*step.constant];
    Outcome arguments[2];
    Type types[2];
    const std::size_t at = step.constant_first ? 1 : 0;
    arguments[1 - at].value = c.value;
    types[1 - at] = c.type;
    types[at] = inner.type;
    const Value guess = lang::domain_min(inner.type, context.semantics);
    return carried_by_search(
        r, inner, guess, context, [&](const Value& x, const Cut& cut) -> std::optional<bool> {
            arguments[at].value = x;
            const Outcome y =
                lang::apply(step.op, step.type, 0, arguments, types, context, lang::Mode::total);
            if (y.state != Outcome::State::value || y.value.is_null()) return std::nullopt;
            const auto order = lang::compare(y.value, context.literals[cut.value].value, step.type,
                                             context.semantics);
            if (!order) return std::nullopt;
            return cut.after ? *order > 0 : *order >= 0;
        });
}

// x + k, x - k over PostgreSQL's numeric, which has no ends: exact.
std::optional<Ranges> over_numerics(const Ranges& r, const Step& step, const Subject& inner,
                                    lang::Context& context) {
    const bool falls = step.op == Op::sub && step.constant_first;
    if ((step.op != Op::add && step.op != Op::sub) || falls) return std::nullopt;
    const lang::Literal k = context.literals[*step.constant];
    if (!is_finite(k.value)) return std::nullopt;
    Ranges out = started(r, inner);
    for (std::size_t i = 0; i < r.cuts.size(); ++i) {
        const Outcome parts[] = {
            {Outcome::State::value, context.literals[r.cuts[i].value].value, {}},
            {Outcome::State::value, k.value, {}}};
        const Type types[] = {inner.type, inner.type};
        const Outcome moved = lang::apply(step.op == Op::add ? Op::sub : Op::add, inner.type, 0,
                                          parts, types, context, lang::Mode::raising);
        if (moved.state != Outcome::State::value) return std::nullopt;
        out.cuts.push_back({context.literals.intern(inner.type, moved.value), r.cuts[i].after});
        out.answers.push_back(r.answers[i + 1]);
    }
    return out;
}

bool is_over_one_type(const Step& step, const Subject& inner, lang::Context& context) {
    return step.type == inner.type &&
           (!step.constant || context.literals[*step.constant].type == inner.type);
}

// -x of a float: exact, but NaN stays where it is.
std::optional<Ranges> over_float_negation(const Ranges& r, const Subject& inner,
                                          lang::Context& context) {
    const bool has_nan = context.semantics.nan == lang::NanOrder::total;
    Ranges out = started(r, inner);
    out.answers = {r.answers.back()};
    Answer at_nan = r.answers.back();
    for (std::size_t i = r.cuts.size(); i-- > 0;) {
        const Value& c = context.literals[r.cuts[i].value].value;
        if (Number::is_nan(c)) {  // the answer below NaN is the one of the great numbers
            out.answers = {r.answers[i]};
            continue;
        }
        const double d = 0.0 - c.as_double();  // no negative zero
        const Value negative =
            c.kind() == Value::Kind::real ? Value::real(static_cast<float>(d)) : Value::double_(d);
        out.cuts.push_back({context.literals.intern(inner.type, negative), !r.cuts[i].after});
        out.answers.push_back(r.answers[i]);
    }
    if (!has_nan || out.answers.back() == at_nan) return out;
    const Value infinity =
        inner.type.kind() == TypeKind::real ? Value::real(HUGE_VALF) : Value::double_(HUGE_VAL);
    out.cuts.push_back({context.literals.intern(inner.type, infinity), true});
    out.answers.push_back(at_nan);
    return out;
}

}  // namespace

std::optional<Step> step_of(Op op, Type type, std::span<const Subject> operands,
                            lang::Context& context) {
    Step step;
    step.op = op;
    step.type = type;
    if (is_cast(op) || op == Op::neg) {
        if (operands[0].constant) return std::nullopt;
        step.inner = operands[0].id;
        return step;
    }
    if (op != Op::add && op != Op::sub && op != Op::mul && op != Op::div) return std::nullopt;
    if (operands[0].constant.has_value() == operands[1].constant.has_value()) return std::nullopt;
    step.constant_first = operands[0].constant.has_value();
    step.constant = operands[step.constant_first ? 0 : 1].constant;
    step.inner = operands[step.constant_first ? 1 : 0].id;
    if (context.literals[*step.constant].value.is_null()) return std::nullopt;
    return step;
}

std::uint32_t step_size(const Step& step) {
    if (is_cast(step.op)) return 24;
    return step.op == Op::neg ? 1 : 2;
}

std::optional<Ranges> carried_over(const Ranges& r, const Step& step, const Subject& inner,
                                   lang::Context& context) {
    if (step.op == Op::cast) return over_cast(r, inner, context);
    if (step.op == Op::try_cast) return over_try_cast(r, inner, context);
    if (is_over_one_type(step, inner, context)) {
        if (lang::is_integer(inner.type) && step.op != Op::div)
            return over_integers(r, step, inner, context);
        if (inner.type.kind() == TypeKind::numeric) {
            return step.constant ? over_numerics(r, step, inner, context) : std::nullopt;
        }
        if (step.op == Op::neg && lang::is_float(inner.type))
            return over_float_negation(r, inner, context);
    }
    if (!is_rising(step, inner.type, context)) return std::nullopt;
    return over_rising(r, step, inner, context);
}

}  // namespace satura::rules
