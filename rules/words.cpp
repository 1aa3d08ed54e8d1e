#include "rules/words.hpp"

#include <algorithm>
#include <cmath>

#include "lang/cast.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_types.hpp"
#include "rules/plan_words.hpp"
#include "rules/range_words.hpp"

namespace satura::rules {

using lang::Context;
using lang::LiteralId;
using lang::Value;

namespace {

using Arguments = std::span<const Argument>;
using P = ParameterKind;

const Operand& operand(Arguments a, std::size_t i) { return a[i].operand; }

const lang::Literal& literal(Context& context, Arguments a, std::size_t i) {
    return context.literals[*operand(a, i).literal];
}

// Where the constant c stands among the images of x's type under its cast to c's type. Nothing where that cast is not
// monotone, c is NULL, or c is a NaN that compares with nothing.
struct Position {
    lang::Preimage preimage;  // see lang/domain.hpp
    Value min, max;           // of x's type
    bool is_below() const { return preimage.hi && identical(*preimage.hi, min); }  // f(min) > c
    bool is_above() const { return !preimage.lo; }                                 // f(max) < c
    bool is_hit() const {
        return preimage.lo && !(preimage.hi && identical(*preimage.lo, *preimage.hi));
    }
};

bool is_nan(const Value& value) {
    bool is_float = value.kind() == Value::Kind::real || value.kind() == Value::Kind::double_;
    return is_float && value.as_double() != value.as_double();
}

std::optional<Position> locate(Context& context, lang::Type from, const lang::Literal& c) {
    const lang::Semantics& semantics = context.semantics;
    if (c.value.is_null() || !lang::has_domain(from)) return std::nullopt;
    if (semantics.nan == lang::NanOrder::ieee && is_nan(c.value)) return std::nullopt;
    if (!lang::cast_is_monotone(from, c.type, semantics)) return std::nullopt;
    Position p;
    p.preimage = lang::preimage(from, c.type, c.value, semantics);
    p.min = lang::domain_min(from, semantics);
    p.max = lang::domain_max(from, semantics);
    return p;
}

std::optional<Position> locate(Context& context, Arguments a) {
    return locate(context, operand(a, 1).type, literal(context, a, 0));
}

// The least value, where c is the image of exactly one value: lossless casts.
std::optional<Value> exact_preimage(Context& context, lang::Type from, const lang::Literal& c) {
    auto p = locate(context, from, c);
    if (!p || !p->is_hit()) return std::nullopt;
    auto next = lang::successor(from, *p->preimage.lo, context.semantics);
    bool is_single = next.has_value() == p->preimage.hi.has_value() &&
                     (!next || identical(*next, *p->preimage.hi));
    if (!is_single) return std::nullopt;
    return p->preimage.lo;
}

// --- conditions ---------------------------------------------------------------------------------------------------

bool holds_stable(Context&, Arguments a) { return operand(a, 0).stable; }
bool holds_bounded(Context&, Arguments a) { return operand(a, 0).bounded; }
bool holds_never_null(Context&, Arguments a) { return operand(a, 0).possible.never_null(); }
bool holds_always_null(Context&, Arguments a) { return operand(a, 0).possible.always_null(); }
bool holds_constant(Context&, Arguments a) {
    return operand(a, 0).possible.constant && operand(a, 0).stable;
}
bool holds_written(Context&, Arguments a) { return operand(a, 0).written; }
bool holds_integer(Context&, Arguments a) { return lang::is_integer(operand(a, 0).type); }
bool holds_keeps_value(Context& context, Arguments a) {
    lang::Type from = operand(a, 0).type, to = a[1].type;
    bool rounds = !lang::is_integer(from) && lang::is_exact_numeric(from) &&
                  lang::is_float(to);  // 0.1 has no binary form
    return lang::cast_is_lossless(from, to, context.semantics) && !rounds;
}
bool holds_float(Context&, Arguments a) { return lang::is_float(operand(a, 0).type); }
bool holds_boolean(Context&, Arguments a) {
    return operand(a, 0).type.kind() == lang::TypeKind::boolean;
}
bool holds_numeric(Context&, Arguments a) { return lang::is_numeric(operand(a, 0).type); }
bool holds_null(Context& context, Arguments a) { return literal(context, a, 0).value.is_null(); }
std::optional<int> order_of(Context& context, Arguments a) {
    const lang::Literal &x = literal(context, a, 0), &y = literal(context, a, 1);
    if (x.type != y.type || x.value.is_null() || y.value.is_null()) return std::nullopt;
    return lang::compare(x.value, y.value, x.type, context.semantics);
}
bool holds_before(Context& context, Arguments a) {
    auto order = order_of(context, a);
    return order && *order < 0;
}
bool holds_different(Context& context, Arguments a) {
    auto order = order_of(context, a);
    return order && *order != 0;
}
bool is_number(Context& context, const lang::Literal& c, std::int64_t n) {
    if (c.value.is_null() || !lang::is_numeric(c.type)) return false;
    auto number = lang::cast_value(Value::integer(n), lang::Type{lang::TypeKind::bigint}, c.type,
                                   context.semantics, lang::Mode::raising);
    if (number.state != lang::Outcome::State::value) return false;
    auto order = lang::compare(c.value, number.value, c.type, context.semantics);
    return order && *order == 0;
}
bool holds_zero(Context& context, Arguments a) {
    return is_number(context, literal(context, a, 0), 0);
}
bool holds_one(Context& context, Arguments a) {
    return is_number(context, literal(context, a, 0), 1);
}
// A cast to the same type is left to its own rule: unwrapped here, it would be its own result.
bool holds_lossless(Context& context, Arguments a) {
    lang::Type from = operand(a, 0).type, to = a[1].type;
    return from != to && lang::cast_is_lossless(from, to, context.semantics);
}
bool holds_widens(Context& context, Arguments a) {
    // numeric has no scale of its own: it would keep the one of the type between.
    return a[1].type.kind() != lang::TypeKind::numeric &&
           lang::cast_is_lossless(a[0].type, a[1].type, context.semantics);
}
bool holds_castable(Context& context, Arguments a) {
    return lang::cast_exists(operand(a, 0).type, a[1].type, context.semantics);
}
bool holds_never_raises(Context& context, Arguments a) {
    return !lang::cast_may_raise(operand(a, 0).type, a[1].type, context.semantics);
}
bool holds_keeps_null(Context& context, Arguments a) {
    lang::Type from = operand(a, 0).type, to = a[1].type;
    return lang::cast_is_lossless(from, to, context.semantics) ||
           (lang::is_exact_numeric(from) && lang::is_numeric(to));
}
bool holds_same_type(Context&, Arguments a) { return operand(a, 0).type == a[1].type; }
bool holds_ordered(Context& context, Arguments a) {
    return context.semantics.nan == lang::NanOrder::total || !lang::is_float(operand(a, 0).type);
}
bool holds_nan(Context& context, Arguments a) { return is_nan(literal(context, a, 0).value); }
bool holds_above(Context& context, Arguments a) {
    auto p = locate(context, a);
    return p && p->is_above();
}
bool holds_below(Context& context, Arguments a) {
    auto p = locate(context, a);
    return p && p->is_below();
}
bool holds_exact(Context& context, Arguments a) {
    return exact_preimage(context, operand(a, 1).type, literal(context, a, 0)).has_value();
}
bool holds_at_max(Context& context, Arguments a) {
    auto v = exact_preimage(context, operand(a, 1).type, literal(context, a, 0));
    return v && identical(*v, lang::domain_max(operand(a, 1).type, context.semantics));
}
bool holds_at_min(Context& context, Arguments a) {
    auto v = exact_preimage(context, operand(a, 1).type, literal(context, a, 0));
    return v && identical(*v, lang::domain_min(operand(a, 1).type, context.semantics));
}
bool holds_inside(Context& context, Arguments a) {
    return holds_exact(context, a) && !holds_at_max(context, a) && !holds_at_min(context, a);
}
bool holds_missed(Context& context, Arguments a) {
    auto p = locate(context, a);
    return p && !p->is_above() && !p->is_below() && !p->is_hit();
}

// How many items of an IN list have a preimage in x's type; nothing where the list is not all constants.
struct Fit {
    std::size_t kept = 0, nulls = 0, dropped = 0;
};
std::optional<Fit> fit(Context& context, Arguments a) {
    Fit fit;
    lang::Type from = operand(a, 0).type;
    for (const Operand& item : a[1].elements) {
        if (!item.literal) return std::nullopt;
        const lang::Literal& c = context.literals[*item.literal];
        if (from == c.type || !lang::cast_is_lossless(from, c.type, context.semantics))
            return std::nullopt;
        if (c.value.is_null()) {
            ++fit.nulls;
        } else if (exact_preimage(context, from, c)) {
            ++fit.kept;
        } else if (!locate(context, from, c)) {
            return std::nullopt;
        } else {
            ++fit.dropped;
        }
    }
    return fit;
}
bool holds_some_fit(Context& context, Arguments a) {
    auto f = fit(context, a);
    return f && f->kept + f->nulls > 0;
}
bool holds_none_fit(Context& context, Arguments a) {
    auto f = fit(context, a);
    return f && f->kept + f->nulls == 0;
}
bool holds_never_true(Context&, Arguments a) {
    return (operand(a, 0).possible.mask & Possible::true_) == 0;
}
bool holds_always_true(Context&, Arguments a) {
    return operand(a, 0).possible.mask == Possible::true_;
}
bool holds_empty(Context&, Arguments a) { return a[0].elements.empty(); }

// --- arithmetic and texts -------------------------------------------------------------------------------------------

// The type of the operator's result, if it is the operand's own.
bool keeps_type(Context& context, lang::Op op, lang::Type type,
                std::span<const lang::Type> operands) {
    const auto result = lang::result_type(op, 0, operands, context);
    return result && *result == type;
}
// Whether ?x op ?c, or ?c op ?x, is ?x whatever ?x is. Not so for 0.0: -0.0 + 0.0 is 0.0.
bool is_neutral(Context& context, lang::Op op, const Operand& x, const lang::Literal& c,
                bool first) {
    const lang::Type types[] = {c.type, c.type};
    if (c.type != x.type || c.value.is_null() || !keeps_type(context, op, x.type, types))
        return false;
    const bool is_whole = lang::is_integer(x.type) || x.type.kind() == lang::TypeKind::numeric;
    if (c.value.kind() == Value::Kind::decimal && c.value.scale() != 0) return false;
    switch (op) {
        case lang::Op::add:
            return is_whole && is_number(context, c, 0);
        case lang::Op::sub:
            return !first && (is_whole || lang::is_float(x.type)) && is_number(context, c, 0) &&
                   !(lang::is_float(x.type) && std::signbit(c.value.as_double()));
        case lang::Op::mul:
            return (is_whole || lang::is_float(x.type)) && is_number(context, c, 1);
        case lang::Op::div:
            return !first && (lang::is_integer(x.type) || lang::is_float(x.type)) &&
                   is_number(context, c, 1);
        default:
            return false;
    }
}
bool holds_neutral(Context& context, Arguments a) {
    return is_neutral(context, a[0].op, operand(a, 1), literal(context, a, 2), false);
}
bool holds_neutral_before(Context& context, Arguments a) {
    return is_neutral(context, a[0].op, operand(a, 2), literal(context, a, 1), true);
}
// Sums and products of them are exact, in whatever order they are made, and of one type.
bool is_exact_ring(Context& context, lang::Type type) {
    const lang::Type types[] = {type, type};
    return (lang::is_integer(type) || type.kind() == lang::TypeKind::numeric) &&
           keeps_type(context, lang::Op::add, type, types) &&
           keeps_type(context, lang::Op::mul, type, types) &&
           keeps_type(context, lang::Op::neg, type, std::span(types, 1));
}
bool holds_exact_ring(Context& context, Arguments a) {
    return is_exact_ring(context, operand(a, 0).type);
}
bool holds_one_ring(Context& context, Arguments a) {
    const lang::Type type = operand(a, 0).type;
    return literal(context, a, 1).type == type && is_exact_ring(context, type);
}
bool holds_negatable(Context& context, Arguments a) {
    const lang::Type type = operand(a, 0).type;
    return lang::is_numeric(type) && keeps_type(context, lang::Op::neg, type, std::span(&type, 1));
}
bool holds_matches_all(Context& context, Arguments a) {
    const lang::Literal& c = literal(context, a, 0);
    if (c.value.kind() != Value::Kind::text || c.value.as_text().empty()) return false;
    return c.value.as_text().find_first_not_of('%') == std::string_view::npos;
}
bool is_plain(std::string_view text) {
    return text.find_first_of("%_\\") == std::string_view::npos;
}
bool holds_plain(Context& context, Arguments a) {
    const lang::Literal& c = literal(context, a, 0);
    const lang::Type type = operand(a, 1).type;
    // SQLite and MySQL do not see case in LIKE; a char(n) is compared without its blanks.
    const lang::Dialect dialect = context.semantics.dialect;
    const bool is_exact = dialect != lang::Dialect::mysql && dialect != lang::Dialect::sqlite &&
                          type.kind() != lang::TypeKind::char_ && !context.has_collations;
    return is_exact && c.type == type && c.value.kind() == Value::Kind::text &&
           is_plain(c.value.as_text());
}
std::optional<Computed> compute_applied(Context& context, Arguments a) {
    const lang::Literal x = literal(context, a, 1), y = literal(context, a, 2);
    const lang::Type types[] = {x.type, y.type};
    if (x.type != y.type || x.value.is_null() || y.value.is_null() ||
        !keeps_type(context, a[0].op, x.type, types))
        return std::nullopt;
    const lang::Outcome operands[] = {{lang::Outcome::State::value, x.value, {}},
                                      {lang::Outcome::State::value, y.value, {}}};
    const lang::Outcome out =
        lang::apply(a[0].op, x.type, 0, operands, types, context, lang::Mode::raising);
    if (out.state != lang::Outcome::State::value) return std::nullopt;
    return Computed{context.literals.intern(x.type, out.value)};
}
std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}
// What begins with the constant, where a cast to the type cuts off what is longer.
std::optional<Computed> compute_prefix_pattern(Context& context, Arguments a) {
    if (context.has_collations) return std::nullopt;
    const lang::Literal c = literal(context, a, 0);
    const lang::Type to = a[1].type, from = operand(a, 2).type;
    const bool cuts =
        context.semantics.dialect == lang::Dialect::postgres &&
        (to.kind() == lang::TypeKind::varchar || to.kind() == lang::TypeKind::char_) &&
        to.length() > 0 &&
        (from.kind() == lang::TypeKind::varchar || from.kind() == lang::TypeKind::text);
    const bool has_room =
        from.kind() == lang::TypeKind::text || from.length() == 0 || from.length() > to.length();
    if (!cuts || !has_room || c.value.kind() != Value::Kind::text) return std::nullopt;
    const std::string text(c.value.as_text());
    if (!is_plain(text) || text.ends_with(' ') || characters(text) != to.length())
        return std::nullopt;
    return Computed{context.literals.intern(from, Value::text(text + "%"))};
}

// --- computed parts -----------------------------------------------------------------------------------------------

std::optional<Computed> made(Context& context, lang::Type type, const Value& value) {
    return Computed{context.literals.intern(type, value)};
}
std::optional<Computed> compute_exact(Context& context, Arguments a) {
    auto v = exact_preimage(context, operand(a, 1).type, literal(context, a, 0));
    if (!v) return std::nullopt;
    return made(context, operand(a, 1).type, *v);
}
std::optional<Computed> compute_round_up(Context& context, Arguments a) {
    auto p = locate(context, a);
    if (!p || !p->preimage.lo) return std::nullopt;
    return made(context, operand(a, 1).type, *p->preimage.lo);
}
std::optional<Computed> compute_round_down(Context& context, Arguments a) {
    auto p = locate(context, a);
    if (!p) return std::nullopt;
    lang::Type type = operand(a, 1).type;
    auto v = p->preimage.hi ? lang::predecessor(type, *p->preimage.hi, context.semantics) : p->max;
    if (!v) return std::nullopt;
    return made(context, type, *v);
}
// A NULL of a type that nobody knows cannot be written.
std::optional<Computed> compute_constant(Context& context, Arguments a) {
    if (!operand(a, 0).possible.constant || lang::is_unknown_type(operand(a, 0).type, context))
        return std::nullopt;
    return Computed{*operand(a, 0).possible.constant};
}
std::optional<Computed> compute_null_of(Context& context, Arguments a) {
    if (lang::is_unknown_type(operand(a, 0).type, context)) return std::nullopt;
    return made(context, operand(a, 0).type, Value::null());
}

std::optional<Computed> compute_zero_of(Context& context, Arguments a) {
    lang::Type type = operand(a, 0).type;
    if (!lang::is_numeric(type)) return std::nullopt;
    auto zero = lang::cast_value(Value::integer(0), lang::Type{lang::TypeKind::bigint}, type,
                                 context.semantics, lang::Mode::raising);
    if (zero.state != lang::Outcome::State::value) return std::nullopt;
    return made(context, type, zero.value);
}

// Constants in the order of their values, NULL last, each once; nothing if there is nothing to tidy.
struct ByValue {
    Context& context;
    bool operator()(LiteralId x, LiteralId y) const {
        const lang::Literal &a = context.literals[x], &b = context.literals[y];
        if (a.value.is_null() || b.value.is_null()) return !a.value.is_null() && b.value.is_null();
        auto order = lang::compare(a.value, b.value, a.type, context.semantics);
        if (order) return *order < 0;
        return !is_nan(a.value) && is_nan(b.value);
    }
};
void sort_unique(Context& context, std::vector<LiteralId>& items) {
    ByValue before{context};
    std::sort(items.begin(), items.end(), before);
    items.erase(std::unique(items.begin(), items.end(),
                            [&](LiteralId x, LiteralId y) { return !before(x, y); }),
                items.end());
}
Computed as_list(const std::vector<LiteralId>& items) {
    std::vector<Element> list;
    list.reserve(items.size());
    for (LiteralId id : items) list.push_back({id});
    return list;
}
std::optional<Computed> compute_preimages(Context& context, Arguments a) {
    std::vector<LiteralId> items;
    lang::Type from = operand(a, 0).type;
    for (const Operand& item : a[1].elements) {
        if (!item.literal) return std::nullopt;
        const lang::Literal c = context.literals[*item.literal];
        auto v = c.value.is_null() ? std::optional<Value>(Value::null())
                                   : exact_preimage(context, from, c);
        if (v) items.push_back(context.literals.intern(from, *v));
    }
    sort_unique(context, items);
    return as_list(items);
}
std::optional<Computed> compute_tidy(Context& context, Arguments a) {
    std::vector<LiteralId> before, items;
    for (const Operand& item : a[0].elements) {
        if (!item.literal) return std::nullopt;
        before.push_back(*item.literal);
    }
    items = before;
    sort_unique(context, items);
    if (items == before) return std::nullopt;
    return as_list(items);
}

template <class Word>
std::vector<Word> joined(std::vector<Word> words, const std::vector<Word>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace

bool reads_about(std::string_view word) {
    return std::ranges::find(range_condition_words(), word, &ConditionWord::name) !=
               range_condition_words().end() ||
           std::ranges::find(range_computed_words(), word, &ComputedWord::name) !=
               range_computed_words().end();
}

const std::vector<ConditionWord>& condition_words() {
    static const std::vector<ConditionWord> words = {
        {"stable", {P::expression}, "the expression is free of volatile calls", holds_stable},
        {"bounded",
         {P::expression},
         "its value always lies within its type: it did not overflow",
         holds_bounded},
        {"never_null", {P::expression}, "it is NULL in no row", holds_never_null},
        {"always_null", {P::expression}, "it is NULL in every row", holds_always_null},
        {"never_true", {P::expression}, "it is TRUE in no row", holds_never_true},
        {"always_true", {P::expression}, "it is TRUE in every row", holds_always_true},
        {"constant", {P::expression}, "it has one known value in every row", holds_constant},
        {"written", {P::expression}, "it is a constant written out", holds_written},
        {"integer", {P::expression}, "its type is an integer type", holds_integer},
        {"float", {P::expression}, "its type is real or double", holds_float},
        {"boolean", {P::expression}, "its type is boolean", holds_boolean},
        {"numeric", {P::expression}, "its type is a number type", holds_numeric},
        {"null", {P::literal}, "the constant is NULL", holds_null},
        {"nan", {P::literal}, "the constant is NaN", holds_nan},
        {"before",
         {P::literal, P::literal},
         "the first constant is less than the second",
         holds_before},
        {"different", {P::literal, P::literal}, "the constants are different", holds_different},
        {"zero", {P::literal}, "the constant is the number 0", holds_zero},
        {"one", {P::literal}, "the constant is the number 1", holds_one},
        {"lossless",
         {P::expression, P::type},
         "the cast changes the type, keeps order and distinctness and never raises",
         holds_lossless},
        {"keeps_value",
         {P::expression, P::type},
         "lossless, and the number stays the same",
         holds_keeps_value},
        {"widens",
         {P::type, P::type},
         "the cast from the first type to the second is lossless, down to the scale",
         holds_widens},
        {"castable",
         {P::expression, P::type},
         "the engine has that cast between numbers and booleans",
         holds_castable},
        {"never_raises", {P::expression, P::type}, "the cast never raises", holds_never_raises},
        {"keeps_null",
         {P::expression, P::type},
         "the cast is NULL exactly where its operand is",
         holds_keeps_null},
        {"same_type", {P::expression, P::type}, "the cast changes no type", holds_same_type},
        {"ordered",
         {P::expression},
         "every two values of its type compare (no NaN, or NaN in the order)",
         holds_ordered},
        {"above",
         {P::literal, P::expression},
         "the constant lies above every image of the expression's type",
         holds_above},
        {"below",
         {P::literal, P::expression},
         "the constant lies below every image of the expression's type",
         holds_below},
        {"exact",
         {P::literal, P::expression},
         "the constant is the image of one value of the expression's type",
         holds_exact},
        {"inside",
         {P::literal, P::expression},
         "exact, and neither at_max nor at_min",
         holds_inside},
        {"at_max",
         {P::literal, P::expression},
         "exact, of the type's greatest value",
         holds_at_max},
        {"at_min", {P::literal, P::expression}, "exact, of the type's least value", holds_at_min},
        {"missed",
         {P::literal, P::expression},
         "the constant lies between two neighbouring images",
         holds_missed},
        {"some_fit",
         {P::expression, P::rest},
         "all are constants, and some is NULL or exact",
         holds_some_fit},
        {"none_fit",
         {P::expression, P::rest},
         "all are constants, and none is NULL or exact",
         holds_none_fit},
        {"empty", {P::rest}, "there is none", holds_empty},
        {"neutral",
         {P::op, P::expression, P::literal},
         "expression op constant is the expression, whatever its value",
         holds_neutral},
        {"neutral_before",
         {P::op, P::literal, P::expression},
         "constant op expression is the expression, whatever its value",
         holds_neutral_before},
        {"exact_ring",
         {P::expression},
         "sums, differences and products of its type are exact, and of its type",
         holds_exact_ring},
        {"one_ring",
         {P::expression, P::literal},
         "exact_ring, and the constant has its type",
         holds_one_ring},
        {"negatable",
         {P::expression},
         "it is a number, and its negation has its type",
         holds_negatable},
        {"matches_all", {P::literal}, "the pattern is % and matches every text", holds_matches_all},
        {"plain",
         {P::literal, P::expression},
         "the pattern, of the expression's type, matches one text, itself",
         holds_plain},
    };
    static const std::vector<ConditionWord> all =
        joined(joined(words, range_condition_words()), plan_condition_words());
    return all;
}

const std::vector<ComputedWord>& computed_words() {
    static const std::vector<ComputedWord> words = {
        {"exact",
         {P::literal, P::expression},
         ResultKind::literal,
         "the value whose image the constant is",
         compute_exact},
        {"round_up",
         {P::literal, P::expression},
         ResultKind::literal,
         "the least value whose image is not below the constant",
         compute_round_up},
        {"round_down",
         {P::literal, P::expression},
         ResultKind::literal,
         "the greatest value whose image is not above the constant",
         compute_round_down},
        {"constant", {P::expression}, ResultKind::literal, "its one value", compute_constant},
        {"null_of", {P::expression}, ResultKind::literal, "NULL of its type", compute_null_of},
        {"zero_of",
         {P::expression},
         ResultKind::literal,
         "the number 0 of its type",
         compute_zero_of},
        {"preimages",
         {P::expression, P::rest},
         ResultKind::rest,
         "the values whose images the constants are, and NULLs; sorted, each once",
         compute_preimages},
        {"applied",
         {P::op, P::literal, P::literal},
         ResultKind::literal,
         "the operator's result for two constants of one type; nothing where it raises or has "
         "another type",
         compute_applied},
        {"prefix_pattern",
         {P::literal, P::type, P::expression},
         ResultKind::literal,
         "the LIKE pattern of the texts that a cast to the type cuts to the constant; nothing "
         "where it cuts none",
         compute_prefix_pattern},
        {"tidy",
         {P::rest},
         ResultKind::rest,
         "the constants sorted, each once; nothing if they are so already",
         compute_tidy},
    };
    static const std::vector<ComputedWord> all =
        joined(joined(words, range_computed_words()), plan_computed_words());
    return all;
}

const ConditionWord* find_condition(std::string_view name) {
    for (const ConditionWord& w : condition_words()) {
        if (w.name == name) return &w;
    }
    return nullptr;
}

const ComputedWord* find_computed(std::string_view name) {
    for (const ComputedWord& w : computed_words()) {
        if (w.name == name) return &w;
    }
    return nullptr;
}

}  // namespace satura::rules
