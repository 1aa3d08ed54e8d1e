#include "rules/ranges_form.hpp"

#include <algorithm>

#include "lang/domain.hpp"
#include "lang/evaluate.hpp"

namespace satura::rules {

using lang::LiteralId;
using lang::Op;
using lang::TypeKind;
using lang::Value;

namespace {

// So many neighbours are a list, which is no longer than a range then.
constexpr std::size_t listed_neighbours_max = 5;

// A predicate being written: its node, how long it is, and what it says where the subject is a NaN without a place in the order.
struct Piece {
    std::uint32_t node = 0;
    std::uint32_t size = 0;
    Answer nan = Answer::no;
};

// The values between two cuts, one or both of which may be missing.
struct Interval {
    const Cut* low = nullptr;
    const Cut* high = nullptr;
};

class FormWriter {
  public:
    FormWriter(const Ranges& ranges, lang::Context& context) : r_(ranges), context_(context) {}

    Made made;

    // TRUE where `in` says so, FALSE for the other values, NULL for NULL. Two ways: the values that it holds for, or those that it does
    // not hold for.
    std::optional<Piece> strict(const std::vector<bool>& in, bool nan_in) {
        const bool none = std::ranges::none_of(in, [](bool b) { return b; });
        const bool all = std::ranges::all_of(in, [](bool b) { return b; });
        if (none && !(has_nan() && nan_in)) return never();
        if (all && !(has_nan() && !nan_in)) return always();
        if (none || all) return std::nullopt;
        if (r_.type.kind() == TypeKind::boolean) return truth(in);
        const auto a = fitting(positive(in), nan_in), b = fitting(negative(in), nan_in);
        return !a || (b && b->size < a->size) ? b : a;
    }

    Piece constant(Answer answer) {
        const lang::Type boolean{TypeKind::boolean};
        const Value value =
            answer == Answer::unknown ? Value::null() : Value::boolean(answer == Answer::yes);
        return {made.constant(context_.literals.intern(boolean, value)), 1, answer};
    }
    Piece is_null() { return {made.apply(Op::is_null, {subject()}), 3, Answer::no}; }
    Piece negated(const Piece& p) {
        const Answer nan = p.nan == Answer::unknown ? p.nan : flipped(p.nan);
        return {made.apply(Op::not_, {p.node}), p.size + 1, nan};
    }
    Piece is_true(const Piece& p) {
        return {made.apply(Op::is_true, {p.node}), p.size + 2,
                p.nan == Answer::yes ? Answer::yes : Answer::no};
    }
    Piece joined(Op op, std::vector<Piece> pieces) {
        if (pieces.size() == 1) return pieces[0];
        Piece out;
        out.size = static_cast<std::uint32_t>(pieces.size()) - 1;
        const Answer deciding = op == Op::and_ ? Answer::no : Answer::yes;
        out.nan = flipped(deciding);
        std::vector<std::uint32_t> nodes;
        for (const Piece& p : pieces) {
            nodes.push_back(p.node);
            out.size += p.size;
            if (p.nan == deciding) out.nan = deciding;
            if (p.nan == Answer::unknown && out.nan != deciding) out.nan = Answer::unknown;
        }
        out.node = made.apply(op, std::move(nodes));
        return out;
    }
    // CASE WHEN guard THEN value END
    Piece guarded(const Piece& guard, const Piece& value) {
        const Piece null = constant(Answer::unknown);
        const Answer nan = guard.nan == Answer::yes ? value.nan : Answer::unknown;
        return {made.apply(Op::case_, {guard.node, value.node, null.node}),
                guard.size + value.size + 4, nan};
    }
    // The subject compared with NULL: nothing but the value where a form is one value.
    std::optional<Piece> null_safe(const std::vector<bool>& in) {
        const auto found = intervals(in, true);
        if (found.size() != 1) return std::nullopt;
        const auto value = only(found[0]);
        if (!value) return std::nullopt;
        const std::uint32_t c = made.constant(*value);
        return Piece{made.apply(Op::null_safe_eq, {subject(), c}), 6, Answer::no};
    }
    // low <= x and x <= high, where that is all.
    std::optional<Piece> between(const std::vector<bool>& in) {
        const auto found = intervals(in, true);
        if (found.size() != 1 || found[0].low == nullptr || found[0].high == nullptr ||
            found[0].low->after || !found[0].high->after)
            return std::nullopt;
        const std::uint32_t low = made.constant(found[0].low->value);
        const std::uint32_t high = made.constant(found[0].high->value);
        return Piece{made.apply(Op::between, {subject(), low, high}), 5, Answer::no};
    }

    // Whether the subject may be a NaN that compares with nothing.
    bool has_nan() const {
        return context_.semantics.nan == lang::NanOrder::ieee && lang::is_float(r_.type);
    }

  private:
    static Answer flipped(Answer a) { return a == Answer::yes ? Answer::no : Answer::yes; }
    std::uint32_t subject() { return made.operand(r_.subject); }

    Piece never() { return joined(Op::and_, {is_null(), constant(Answer::unknown)}); }
    Piece always() { return joined(Op::or_, {negated(is_null()), constant(Answer::unknown)}); }

    std::optional<Piece> truth(const std::vector<bool>& in) {
        const Piece itself{subject(), 1, Answer::no};
        return in.back() ? itself : negated(itself);
    }

    // The runs of regions that are all in, or all out.
    std::vector<Interval> intervals(const std::vector<bool>& in, bool wanted) const {
        std::vector<Interval> out;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (in[i] != wanted) continue;
            const bool goes_on = i > 0 && in[i - 1] == wanted;
            if (!goes_on) out.push_back({i > 0 ? &r_.cuts[i - 1] : nullptr, nullptr});
            out.back().high = i < r_.cuts.size() ? &r_.cuts[i] : nullptr;
        }
        return out;
    }

    // The one value of an interval, if it is one.
    std::optional<LiteralId> only(const Interval& interval) const {
        const auto listed = neighbours(interval, 1);
        return listed.size() == 1 ? std::optional(listed[0]) : std::nullopt;
    }

    // All values of an interval, if there are at most so many; else none.
    std::vector<LiteralId> neighbours(const Interval& interval, std::size_t most) const;

    Piece compared(Op op, const Cut& cut) {
        const std::uint32_t c = made.constant(cut.value);
        return {made.apply(op, {subject(), c}), 3, Answer::no};
    }
    Piece above(const Cut& cut) { return compared(cut.after ? Op::gt : Op::ge, cut); }
    Piece below(const Cut& cut) { return compared(cut.after ? Op::le : Op::lt, cut); }

    // = or IN; <> or NOT IN.
    Piece listed(std::vector<LiteralId> values, bool wanted) {
        if (values.size() == 1) {
            const std::uint32_t c = made.constant(values[0]);
            return {made.apply(wanted ? Op::eq : Op::ne, {subject(), c}), 3,
                    wanted ? Answer::no : Answer::yes};
        }
        std::vector<std::uint32_t> nodes{subject()};
        for (LiteralId value : values) nodes.push_back(made.constant(value));
        const Piece list{made.apply(Op::in, std::move(nodes)),
                         2 + static_cast<std::uint32_t>(values.size()), Answer::no};
        return wanted ? list : negated(list);
    }

    // Values by themselves, and the other intervals.
    void sort_out(const std::vector<Interval>& from, std::vector<LiteralId>& values,
                  std::vector<Interval>& wide) const {
        for (const Interval& interval : from) {
            const bool has_both = interval.low != nullptr && interval.high != nullptr;
            const auto some = neighbours(interval, has_both ? listed_neighbours_max : 1);
            if (some.empty())
                wide.push_back(interval);
            else
                values.insert(values.end(), some.begin(), some.end());
        }
    }

    std::optional<Piece> positive(const std::vector<bool>& in) {
        std::vector<LiteralId> values;
        std::vector<Interval> wide;
        sort_out(intervals(in, true), values, wide);
        std::vector<Piece> parts;
        for (const Interval& interval : wide) {
            std::vector<Piece> ends;
            if (interval.low != nullptr) ends.push_back(above(*interval.low));
            if (interval.high != nullptr) ends.push_back(below(*interval.high));
            if (ends.empty()) return std::nullopt;
            parts.push_back(joined(Op::and_, std::move(ends)));
        }
        if (!values.empty()) parts.push_back(listed(std::move(values), true));
        return joined(Op::or_, std::move(parts));
    }

    std::optional<Piece> negative(const std::vector<bool>& in) {
        std::vector<LiteralId> values;
        std::vector<Interval> wide;
        sort_out(intervals(in, false), values, wide);
        std::vector<Piece> parts;
        for (const Interval& interval : wide) {
            std::vector<Piece> ends;
            if (interval.low != nullptr) ends.push_back(below(*interval.low));
            if (interval.high != nullptr) ends.push_back(above(*interval.high));
            if (ends.empty()) return std::nullopt;
            parts.push_back(joined(Op::or_, std::move(ends)));
        }
        if (!values.empty()) parts.push_back(listed(std::move(values), false));
        return joined(Op::and_, std::move(parts));
    }

    std::optional<Piece> fitting(std::optional<Piece> p, bool nan_in) const {
        if (p && has_nan() && p->nan != (nan_in ? Answer::yes : Answer::no)) p.reset();
        return p;
    }

    const Ranges& r_;
    lang::Context& context_;
};

std::vector<LiteralId> FormWriter::neighbours(const Interval& interval, std::size_t most) const {
    const bool has_domain = lang::has_domain(r_.type);
    const auto value_of = [&](LiteralId id) { return context_.literals[id].value; };
    std::optional<Value> first;
    if (interval.low == nullptr) {
        // Below the first cut there may be the least values of a type with an end.
        if (!has_domain || !r_.has_ends) return {};
        first = lang::domain_min(r_.type, context_.semantics);
    } else if (!interval.low->after) {
        first = value_of(interval.low->value);
    } else if (has_domain) {
        first = lang::successor(r_.type, value_of(interval.low->value), context_.semantics);
    }
    std::vector<LiteralId> out;
    while (first) {
        if (interval.high == nullptr && !(has_domain && r_.has_ends)) return {};
        if (interval.high != nullptr) {
            const int order =
                lang::compare(*first, value_of(interval.high->value), r_.type, context_.semantics)
                    .value_or(1);
            if (order > 0 || (order == 0 && !interval.high->after)) break;
            if (!has_domain && order != 0) return {};
        }
        if (out.size() == most) return {};
        const bool is_cut = interval.low != nullptr && !interval.low->after && out.empty();
        out.push_back(is_cut ? interval.low->value : context_.literals.intern(r_.type, *first));
        if (!has_domain) break;
        first = lang::successor(r_.type, *first, context_.semantics);
    }
    return out;
}

std::vector<bool> where(const Ranges& r, Answer wanted, bool is_wanted) {
    std::vector<bool> out;
    for (Answer a : r.answers) out.push_back((a == wanted) == is_wanted);
    return out;
}

// The answers with each "NULL" as the answer beside it: how a form may be written that is only asked where the answer is known.
std::vector<bool> filled(const Ranges& r) {
    std::vector<bool> out(r.answers.size(), false);
    std::optional<bool> last;
    std::size_t open = 0;
    for (std::size_t i = 0; i < r.answers.size(); ++i) {
        if (r.answers[i] != Answer::unknown) {
            last = r.answers[i] == Answer::yes;
            for (; open < i; ++open) out[open] = *last;
        }
        if (last) {
            out[i] = *last;
            open = i + 1;
        }
    }
    return out;
}

// The predicate, NULL or not where the subject is NULL.
class Whole {
  public:
    Whole(const Ranges& r, FormWriter& w) : r_(r), w_(w) {
        has_unknown_ = std::ranges::count(r.answers, Answer::unknown) != 0 ||
                       (w.has_nan() && r.at_nan == Answer::unknown);
        has_yes_ = has(Answer::yes);
        has_no_ = has(Answer::no);
    }

    std::optional<Piece> write(Answer at_null) {
        if (!has_unknown_) return known(at_null);
        auto out = partly_unknown();
        if (!out || at_null == Answer::unknown) return out;
        const Piece null = w_.is_null();
        if (at_null == Answer::yes) return w_.joined(Op::or_, {*out, null});
        return w_.joined(Op::and_, {*out, w_.negated(null)});
    }

  private:
    bool has(Answer a) const {
        return std::ranges::count(r_.answers, a) != 0 || (w_.has_nan() && r_.at_nan == a);
    }
    std::optional<Piece> holds() {
        return w_.strict(where(r_, Answer::yes, true), r_.at_nan == Answer::yes);
    }

    std::optional<Piece> known(Answer at_null) {
        if (at_null == Answer::unknown) return holds();
        const bool is_yes = at_null == Answer::yes;
        if (!has_yes_) return is_yes ? w_.is_null() : w_.constant(Answer::no);
        if (!has_no_) return is_yes ? w_.constant(Answer::yes) : w_.negated(w_.is_null());
        const bool nan_apart = w_.has_nan() && (r_.at_nan == Answer::yes) != is_yes;
        if (is_yes && !nan_apart) {
            if (const auto value = w_.null_safe(where(r_, Answer::no, true)))
                return w_.negated(*value);
        }
        const auto strict = holds();
        if (!strict) return std::nullopt;
        return is_yes ? w_.joined(Op::or_, {*strict, w_.is_null()}) : w_.is_true(*strict);
    }

    std::optional<Piece> partly_unknown() {
        const Piece null = w_.constant(Answer::unknown);
        if (!has_yes_ && !has_no_) return null;
        if (!has_no_) {
            const auto p = holds();
            return p ? std::optional(w_.joined(Op::or_, {*p, null})) : std::nullopt;
        }
        const bool nan_is_no = r_.at_nan == Answer::no;
        if (!has_yes_) {
            const auto p = w_.strict(where(r_, Answer::no, false), !nan_is_no);
            return p ? std::optional(w_.joined(Op::and_, {*p, null})) : std::nullopt;
        }
        const auto inside = where(r_, Answer::unknown, false);
        auto guard = w_.has_nan() ? std::nullopt : w_.between(inside);
        if (!guard) guard = w_.strict(inside, r_.at_nan != Answer::unknown);
        const auto value = w_.strict(filled(r_), r_.at_nan == Answer::yes);
        return guard && value ? std::optional(w_.guarded(*guard, *value)) : std::nullopt;
    }

    const Ranges& r_;
    FormWriter& w_;
    bool has_unknown_ = false, has_yes_ = false, has_no_ = false;
};

// Only what the last node is made of.
Made pruned(const Made& made, std::uint32_t root) {
    std::vector<bool> wanted(made.nodes.size(), false);
    wanted[root] = true;
    for (std::uint32_t i = root + 1; i-- > 0;) {
        if (!wanted[i]) continue;
        for (std::uint32_t child : made.nodes[i].children) wanted[child] = true;
    }
    Made out;
    std::vector<std::uint32_t> at(made.nodes.size(), 0);
    for (std::uint32_t i = 0; i <= root; ++i) {
        if (!wanted[i]) continue;
        Made::Node node = made.nodes[i];
        for (std::uint32_t& child : node.children) child = at[child];
        at[i] = static_cast<std::uint32_t>(out.nodes.size());
        out.nodes.push_back(std::move(node));
    }
    return out;
}

}  // namespace

std::optional<Form> tidy_form(const Ranges& ranges, bool never_null, lang::Context& context) {
    std::vector<Answer> choices{ranges.at_null};
    if (never_null) choices = {Answer::unknown, Answer::no, Answer::yes};
    FormWriter writer(ranges, context);
    std::optional<Piece> best;
    for (Answer at_null : choices) {
        const auto piece = Whole(ranges, writer).write(at_null);
        if (!piece) continue;
        if (writer.has_nan() && piece->nan != ranges.at_nan) continue;
        if (!best || piece->size < best->size) best = piece;
    }
    if (!best) return std::nullopt;
    return Form{pruned(writer.made, best->node), best->size};
}

}  // namespace satura::rules
