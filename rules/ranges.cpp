#include "rules/ranges.hpp"

#include <algorithm>

#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/number.hpp"
#include "rules/ranges_step.hpp"

namespace satura::rules {

using lang::LiteralId;
using lang::Op;
using lang::Type;
using lang::TypeKind;
using lang::Value;

namespace {

constexpr std::size_t cuts_max = 400;  // beyond it nothing is known
constexpr int steps_max = 12;          // down from one operand

const Value& value_of(LiteralId id, const lang::Context& context) {
    return context.literals[id].value;
}

int compare_values(LiteralId a, LiteralId b, Type type, const lang::Context& context) {
    if (a == b) return 0;
    return lang::compare(value_of(a, context), value_of(b, context), type, context.semantics)
        .value_or(0);
}

// Texts are equal or not; their order is the database's, which is not known. The order of bytes serves to sort them.
bool has_known_order(Type type) { return !lang::is_string(type); }

bool is_supported(Type type, const lang::Context& context) {
    if (lang::is_string(type))
        return context.semantics.dialect != lang::Dialect::mysql && !context.has_collations;
    return lang::is_numeric(type) || lang::is_temporal(type) || type.kind() == TypeKind::boolean;
}

bool has_unordered_nan(Type type, const lang::Semantics& semantics) {
    return semantics.nan == lang::NanOrder::ieee && lang::is_float(type);
}

Answer answer_of(bool holds) { return holds ? Answer::yes : Answer::no; }

// Drops cuts that divide nothing: beside an equal answer, at one place with another, at an end of the type.
void normalise(Ranges& r, bool bounded, lang::Context& context) {
    const bool has_ends =
        (bounded || r.type.kind() == TypeKind::boolean || lang::is_float(r.type)) &&
        lang::has_domain(r.type);
    r.has_ends = has_ends;
    std::vector<Cut> cuts;
    std::vector<Answer> answers{r.answers[0]};
    const auto below_all = [&](const Cut& cut) {
        const Value min = lang::domain_min(r.type, context.semantics);
        const int order =
            lang::compare(value_of(cut.value, context), min, r.type, context.semantics).value_or(1);
        return order < 0 || (order == 0 && !cut.after);
    };
    const auto above_all = [&](const Cut& cut) {
        const Value max = lang::domain_max(r.type, context.semantics);
        const int order =
            lang::compare(value_of(cut.value, context), max, r.type, context.semantics)
                .value_or(-1);
        return order > 0 || (order == 0 && cut.after);
    };
    for (std::size_t i = 0; i < r.cuts.size(); ++i) {
        const Cut& cut = r.cuts[i];
        const Answer next = r.answers[i + 1];
        if (has_ends && cuts.empty() && below_all(cut)) {
            answers = {next};
            continue;
        }
        if (has_ends && above_all(cut)) break;
        if (next == answers.back()) continue;
        if (!cuts.empty() && compare_cuts(cuts.back(), cut, r.type, context) == 0) {
            // Nothing lies between; of two spellings the shorter one of what begins or ends here.
            const Answer before = answers[answers.size() - 2];
            answers.back() = next;
            if (before == next) {
                cuts.pop_back();
                answers.pop_back();
            } else if (cut.after == (next == Answer::yes)) {
                cuts.back() = cut;
            }
            continue;
        }
        cuts.push_back(cut);
        answers.push_back(next);
    }
    r.cuts = std::move(cuts);
    r.answers = std::move(answers);
}

// The answers of several functions of one subject, region by region. A part without ranges is a constant.
struct Part {
    const Ranges* ranges = nullptr;
    Answer constant = Answer::no;
};

template <class Combine>
std::optional<Ranges> pointwise(std::span<const Part> parts, bool bounded, lang::Context& context,
                                Combine&& combine) {
    Ranges out;
    std::vector<Cut> cuts;
    bool has_subject = false;
    for (const Part& part : parts) {
        if (part.ranges == nullptr) continue;
        if (has_subject && part.ranges->subject != out.subject) return std::nullopt;
        has_subject = true;
        out.subject = part.ranges->subject;
        out.type = part.ranges->type;
        cuts.insert(cuts.end(), part.ranges->cuts.begin(), part.ranges->cuts.end());
    }
    if (!has_subject || cuts.size() > cuts_max) return std::nullopt;
    std::ranges::stable_sort(cuts, [&](const Cut& a, const Cut& b) {
        const int order = compare_values(a.value, b.value, out.type, context);
        return order != 0 ? order < 0 : !a.after && b.after;
    });
    const auto same = [&](const Cut& a, const Cut& b) {
        return a.after == b.after && compare_values(a.value, b.value, out.type, context) == 0;
    };
    cuts.erase(std::unique(cuts.begin(), cuts.end(), same), cuts.end());
    std::vector<std::size_t> at(parts.size(), 0);
    std::vector<Answer> answers(parts.size());
    const auto ask = [&](auto&& of) {
        for (std::size_t p = 0; p < parts.size(); ++p)
            answers[p] = parts[p].ranges == nullptr ? parts[p].constant : of(p, *parts[p].ranges);
        return combine(std::span<const Answer>(answers));
    };
    const auto in_region = [&](std::size_t p, const Ranges& r) { return r.answers[at[p]]; };
    out.answers = {ask(in_region)};
    for (const Cut& cut : cuts) {
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const Ranges* r = parts[p].ranges;
            if (r != nullptr && at[p] < r->cuts.size() && same(r->cuts[at[p]], cut)) ++at[p];
        }
        out.cuts.push_back(cut);
        out.answers.push_back(ask(in_region));
    }
    out.at_null = ask([](std::size_t, const Ranges& r) { return r.at_null; });
    out.at_nan = ask([](std::size_t, const Ranges& r) { return r.at_nan; });
    normalise(out, bounded, context);
    return out;
}

Answer conjunction(std::span<const Answer> answers, Answer deciding) {
    bool unknown = false;
    for (Answer a : answers) {
        if (a == deciding) return deciding;
        unknown = unknown || a == Answer::unknown;
    }
    if (unknown) return Answer::unknown;
    return deciding == Answer::no ? Answer::yes : Answer::no;
}

Answer junction(Op op, std::span<const Answer> answers) {
    return conjunction(answers, op == Op::and_ ? Answer::no : Answer::yes);
}

Answer case_answer(std::span<const Answer> answers) {
    for (std::size_t i = 0; i + 1 < answers.size(); i += 2) {
        if (answers[i] == Answer::yes) return answers[i + 1];
    }
    return answers.back();
}

Answer coalesced(std::span<const Answer> answers) {
    for (Answer a : answers) {
        if (a != Answer::unknown) return a;
    }
    return Answer::unknown;
}

Answer truth_answer(Op op, std::span<const Answer> answers) {
    switch (op) {
        case Op::and_:
        case Op::or_:
            return junction(op, answers);
        case Op::not_:
            if (answers[0] == Answer::unknown) return answers[0];
            return answer_of(answers[0] == Answer::no);
        case Op::is_null:
        case Op::is_unknown:
            return answer_of(answers[0] == Answer::unknown);
        case Op::is_true:
            return answer_of(answers[0] == Answer::yes);
        case Op::is_false:
            return answer_of(answers[0] == Answer::no);
        case Op::coalesce:
            return coalesced(answers);
        default:
            return case_answer(answers);
    }
}

bool is_truth_operator(Op op) {
    switch (op) {
        case Op::and_:
        case Op::or_:
        case Op::not_:
        case Op::is_null:
        case Op::is_unknown:
        case Op::is_true:
        case Op::is_false:
        case Op::coalesce:
        case Op::case_:
            return true;
        default:
            return false;
    }
}

std::uint32_t own_size(Op op, std::size_t operands) {
    switch (op) {
        case Op::and_:
        case Op::or_:
            return static_cast<std::uint32_t>(operands) - 1;
        case Op::is_null:
        case Op::is_unknown:
        case Op::is_true:
        case Op::is_false:
        case Op::between:
            return 2;
        case Op::null_safe_eq:
            return 4;
        case Op::case_:
            return 2 + 2 * static_cast<std::uint32_t>(operands / 2);
        default:
            return 1;
    }
}

std::uint32_t size_of(const Subject& operand, const SubjectOf& subject) {
    std::uint32_t size = 1;
    Subject at = operand;
    for (int n = 0; n < steps_max && !at.constant && at.about != nullptr && at.about->step; ++n) {
        size += step_size(*at.about->step);
        at = subject(at.about->step->inner);
    }
    if (!at.constant && at.about != nullptr && at.about->ranges) size += at.about->ranges->size - 1;
    return size;
}

std::uint32_t size_of(Op op, std::span<const Subject> operands, const SubjectOf& subject) {
    std::uint32_t size = own_size(op, operands.size());
    for (const Subject& operand : operands) size += size_of(operand, subject);
    return size;
}

// What an operand that is itself a predicate says, put in place of a value of type boolean.
Ranges composed(const Ranges& outer, const Ranges& inner, bool bounded, lang::Context& context) {
    const Answer at_false = outer.answers.front(), at_true = outer.answers.back();
    const Part part{&inner, Answer::no};
    return *pointwise(std::span(&part, 1), bounded, context, [&](std::span<const Answer> a) {
        if (a[0] == Answer::unknown) return outer.at_null;
        return a[0] == Answer::yes ? at_true : at_false;
    });
}

// Comparisons of lossless casts are unwrapped by rules of their own; what they come to is looked at then.
bool is_unwrapped_elsewhere(const Subject& operand, const SubjectOf& subject,
                            lang::Context& context) {
    if (operand.about == nullptr || !operand.about->step || operand.about->step->op != Op::cast)
        return false;
    const Subject inner = subject(operand.about->step->inner);
    return inner.bounded && inner.type != operand.type && inner.type.kind() != TypeKind::opaque &&
           lang::cast_is_lossless(inner.type, operand.type, context.semantics) &&
           !lang::is_string(operand.type);
}

// Down from an operand to what it is made of, as far as the preimages are known.
void carry_down(Ranges& r, Subject operand, const SubjectOf& subject, lang::Context& context) {
    for (int n = 0; n < steps_max; ++n) {
        if (operand.about == nullptr) return;
        if (operand.about->ranges) {
            const Ranges& inner = *operand.about->ranges;
            const std::uint32_t size = r.size;
            r = composed(r, inner, subject(inner.subject).bounded, context);
            r.size = size;
            return;
        }
        if (!operand.about->step) return;
        const Subject inner = subject(operand.about->step->inner);
        if (inner.id == operand.id) return;
        auto carried = carried_over(r, *operand.about->step, inner, context);
        if (!carried) return;
        carried->size = r.size;
        r = std::move(*carried);
        normalise(r, inner.bounded, context);
        operand = inner;
    }
}

std::optional<Ranges> compared(Op op, const Subject& operand, LiteralId constant,
                               lang::Context& context) {
    const lang::Literal& c = context.literals[constant];
    if (!is_supported(operand.type, context) || c.type != operand.type) return std::nullopt;
    const bool is_null_safe = op == Op::null_safe_eq;
    if (lang::is_order_comparison(op) && !has_known_order(operand.type) && !c.value.is_null())
        return std::nullopt;
    Ranges r;
    r.subject = operand.id;
    r.type = operand.type;
    r.at_null = is_null_safe ? Answer::no : Answer::unknown;
    r.at_nan = answer_of(op == Op::ne);
    if (c.value.is_null()) {
        r.answers = {is_null_safe ? Answer::no : Answer::unknown};
        r.at_nan = r.answers[0];
        r.at_null = answer_of(is_null_safe);
        if (!is_null_safe) r.at_null = Answer::unknown;
        return r;
    }
    if (has_unordered_nan(r.type, context.semantics) && lang::Number::is_nan(c.value)) {
        r.answers = {answer_of(op == Op::ne)};
        if (is_null_safe) r.at_nan = Answer::yes;
        return r;
    }
    const bool below = op == Op::lt || op == Op::le || op == Op::ne;
    const bool at = op == Op::eq || op == Op::le || op == Op::ge || is_null_safe;
    const bool above = op == Op::gt || op == Op::ge || op == Op::ne;
    r.cuts = {{constant, false}, {constant, true}};
    r.answers = {answer_of(below), answer_of(at), answer_of(above)};
    return r;
}

std::optional<Ranges> among(std::span<const Subject> operands, lang::Context& context) {
    const Subject& operand = operands[0];
    if (!is_supported(operand.type, context)) return std::nullopt;
    std::vector<LiteralId> points;
    Answer otherwise = Answer::no;
    for (const Subject& item : operands.subspan(1)) {
        if (!item.constant) return std::nullopt;
        const lang::Literal& c = context.literals[*item.constant];
        if (c.type != operand.type) return std::nullopt;
        if (c.value.is_null()) {
            otherwise = Answer::unknown;
        } else if (!has_unordered_nan(c.type, context.semantics) ||
                   !lang::Number::is_nan(c.value)) {
            points.push_back(*item.constant);
        }
    }
    if (points.size() * 2 > cuts_max) return std::nullopt;
    std::ranges::stable_sort(points, [&](LiteralId a, LiteralId b) {
        return compare_values(a, b, operand.type, context) < 0;
    });
    Ranges r;
    r.subject = operand.id;
    r.type = operand.type;
    r.at_nan = otherwise;
    r.answers = {otherwise};
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i > 0 && compare_values(points[i - 1], points[i], operand.type, context) == 0) continue;
        r.cuts.push_back({points[i], false});
        r.answers.push_back(Answer::yes);
        r.cuts.push_back({points[i], true});
        r.answers.push_back(otherwise);
    }
    return r;
}

std::optional<Ranges> between(std::span<const Subject> operands, lang::Context& context) {
    if (!operands[1].constant || !operands[2].constant) return std::nullopt;
    const auto low = compared(Op::ge, operands[0], *operands[1].constant, context);
    const auto high = compared(Op::le, operands[0], *operands[2].constant, context);
    if (!low || !high) return std::nullopt;
    const Ranges* parts[] = {&*low, &*high};
    return together(Op::and_, parts, false, context);
}

// What a predicate says of an operand by itself.
std::optional<Ranges> leaf(Op op, std::span<const Subject> operands, lang::Context& context) {
    if (op == Op::in) return among(operands, context);
    if (op == Op::between) return between(operands, context);
    if (op == Op::is_null || op == Op::is_unknown) {
        if (!is_supported(operands[0].type, context)) return std::nullopt;
        Ranges r;
        r.subject = operands[0].id;
        r.type = operands[0].type;
        r.at_null = Answer::yes;
        return r;
    }
    // With the constant on the left it is turned around by a rule.
    if (!lang::is_comparison(op) || operands[0].constant || !operands[1].constant)
        return std::nullopt;
    return compared(op, operands[0], *operands[1].constant, context);
}

// An operand of a truth operator: what it says of its subject, or of itself.
std::optional<Part> part_of(const Subject& operand, Ranges& room, lang::Context& context) {
    if (operand.constant) {
        const Value& value = value_of(*operand.constant, context);
        if (value.is_null()) return Part{nullptr, Answer::unknown};
        if (value.kind() != Value::Kind::boolean) return std::nullopt;
        return Part{nullptr, answer_of(value.as_boolean())};
    }
    if (operand.type.kind() != TypeKind::boolean) return std::nullopt;
    if (operand.about != nullptr && operand.about->ranges) return Part{&*operand.about->ranges, {}};
    room = itself(operand.id, context);
    return Part{&room, {}};
}

std::optional<Ranges> of_truths(Op op, std::span<const Subject> operands, const SubjectOf& subject,
                                lang::Context& context) {
    std::vector<Part> parts;
    std::vector<Ranges> rooms(operands.size());
    const Ranges* first = nullptr;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const auto part = part_of(operands[i], rooms[i], context);
        if (!part) return std::nullopt;
        if (part->ranges != nullptr) {
            if (first != nullptr && first->subject != part->ranges->subject) return std::nullopt;
            first = part->ranges;
        }
        parts.push_back(*part);
    }
    if (first == nullptr) return std::nullopt;
    return pointwise(parts, subject(first->subject).bounded, context,
                     [op](std::span<const Answer> answers) { return truth_answer(op, answers); });
}

}  // namespace

int compare_cuts(const Cut& a, const Cut& b, Type type, lang::Context& context) {
    const int order = compare_values(a.value, b.value, type, context);
    if (order == 0) return static_cast<int>(a.after) - static_cast<int>(b.after);
    const bool may_touch = order < 0 ? a.after && !b.after : b.after && !a.after;
    if (may_touch && lang::has_domain(type)) {
        const LiteralId low = order < 0 ? a.value : b.value, high = order < 0 ? b.value : a.value;
        const auto next = lang::successor(type, value_of(low, context), context.semantics);
        if (next &&
            lang::compare(*next, value_of(high, context), type, context.semantics).value_or(1) == 0)
            return 0;
    }
    return order;
}

Ranges itself(std::uint32_t id, lang::Context& context) {
    Ranges r;
    r.subject = id;
    r.type = Type{TypeKind::boolean};
    r.cuts = {{context.literals.intern(r.type, Value::boolean(true)), false}};
    r.answers = {Answer::no, Answer::yes};
    r.has_ends = true;
    r.size = 1;
    return r;
}

bool is_better(const About& a, const About& b) {
    if (a.is_leaf != b.is_leaf) return a.is_leaf;
    if (a.is_leaf) return false;
    // That a predicate says something of itself is what is said where nothing better is known.
    const auto is_truth = [](const About& x) {
        return x.ranges && x.ranges->type.kind() == TypeKind::boolean;
    };
    if (a.ranges && b.ranges && is_truth(a) != is_truth(b)) return is_truth(b);
    if (a.ranges && b.ranges && a.ranges->size == b.ranges->size &&
        a.parts.empty() != b.parts.empty())
        return b.parts.empty();
    if (!a.ranges && !b.ranges && !a.step && !b.step)
        return !a.parts.empty() && (b.parts.empty() || a.parts.size() < b.parts.size());
    if (a.ranges.has_value() != b.ranges.has_value()) return a.ranges.has_value();
    if (!a.ranges) return a.step.has_value() && !b.step;
    return a.ranges->size < b.ranges->size;
}

bool may_be_about(Op op) {
    if (is_truth_operator(op) || lang::is_comparison(op)) return true;
    switch (op) {
        case Op::column:
        case Op::cast:
        case Op::try_cast:
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::neg:
        case Op::in:
        case Op::between:
            return true;
        default:
            return false;
    }
}

std::optional<About> about_of(Op op, Type type, std::span<const Subject> operands,
                              const SubjectOf& subject, lang::Context& context) {
    About about;
    if (op == Op::column) {
        about.is_leaf = true;
        return about;
    }
    if (type.kind() != TypeKind::boolean) {
        about.step = step_of(op, type, operands, context);
        if (!about.step) return std::nullopt;
        return about;
    }
    const bool is_test = op == Op::is_null || op == Op::is_unknown;
    const bool is_of_truths =
        is_truth_operator(op) && (!is_test || operands[0].type.kind() == TypeKind::boolean);
    if (is_of_truths) {
        about.ranges = of_truths(op, operands, subject, context);
        if (op == Op::and_ || op == Op::or_) {
            about.junction = op;
            for (const Subject& operand : operands) about.parts.push_back(operand.id);
        }
    } else if (op == Op::cast || op == Op::try_cast) {
        about.step = step_of(op, type, operands, context);
        if (!about.step) return std::nullopt;
        // The value of the cast is the predicate.
        Ranges r = itself(0, context);
        auto carried = carried_over(r, *about.step, operands[0], context);
        if (!carried) return about;
        about.ranges = std::move(carried);
        about.ranges->size = step_size(*about.step) + size_of(operands[0], subject);
        about.step.reset();
        return about;
    } else {
        if (is_unwrapped_elsewhere(operands[0], subject, context)) return std::nullopt;
        about.ranges = leaf(op, operands, context);
        if (about.ranges) {
            normalise(*about.ranges, operands[0].bounded, context);
            about.ranges->size = size_of(op, operands, subject);
            carry_down(*about.ranges, operands[0], subject, context);
            return about;
        }
    }
    if (!about.ranges) return about.parts.empty() ? std::nullopt : std::optional(std::move(about));
    about.ranges->size = size_of(op, operands, subject);
    return about;
}

std::optional<Ranges> together(Op op, std::span<const Ranges* const> ranges, bool bounded,
                               lang::Context& context) {
    std::vector<Part> parts;
    for (const Ranges* r : ranges) parts.push_back({r, {}});
    return pointwise(parts, bounded, context,
                     [op](std::span<const Answer> answers) { return junction(op, answers); });
}

bool wherever_not(const Ranges& p, Answer except, const Ranges& q, Answer always, bool never_null,
                  lang::Context& context) {
    bool holds = true;
    const Part parts[] = {{&p, {}}, {&q, {}}};
    // The combined function is of no interest, only whether some region speaks against it.
    const auto against = [&](std::span<const Answer> a) {
        return answer_of(a[0] != except && a[1] != always);
    };
    const auto seen = pointwise(parts, false, context, against);
    if (!seen) return false;
    for (Answer a : seen->answers) holds = holds && a == Answer::no;
    if (!never_null) holds = holds && seen->at_null == Answer::no;
    if (has_unordered_nan(p.type, context.semantics)) holds = holds && seen->at_nan == Answer::no;
    return holds;
}

}  // namespace satura::rules
