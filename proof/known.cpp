#include "proof/known.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"

namespace satura::proof {

using egraph::OpId;
using lang::Op;

egraph::NodeView Known::node(egraph::NodeId id) const {
    const Term term = terms_[TermId{egraph::raw(id)}];
    return {id, term.op, term.payload, term.children};
}

// The smallest id: its operands' ids are smaller, so it is not below itself.
egraph::NodeView Known::first_node(egraph::ClassId cls) const {
    return node(egraph::NodeId{*std::ranges::min_element(closure_.members(egraph::raw(cls)))});
}

void Known::visit(egraph::ClassId cls, Visitor visitor) const {
    for (std::uint32_t member : closure_.members(egraph::raw(cls)))
        visitor.call(visitor.callee, node(egraph::NodeId{member}));
}

std::optional<egraph::ClassId> Known::lookup(OpId op, egraph::Payload payload,
                                             std::span<const egraph::ClassId> children) const {
    std::vector<std::uint32_t> ids;
    for (egraph::ClassId child : children) ids.push_back(egraph::raw(child));
    const auto term = closure_.lookup(op, payload, ids);
    if (!term) return std::nullopt;
    return egraph::ClassId{find(index(*term))};
}

TermId Known::add(OpId op, egraph::Payload payload, std::vector<TermId> children) {
    const TermId id = terms_.add(op, payload, std::move(children));
    enter_new();
    return id;
}

void Known::enter_new() {
    closure_.enter_new();
    settle();
}

void Known::merge(TermId a, TermId b) {
    closure_.merge(a, b);
    settle();
}

// Learns what new terms say, and again what members and users of classes say that took in others.
void Known::settle() {
    for (auto id = static_cast<std::uint32_t>(facts_.size()); id < terms_.size(); ++id) {
        facts_.emplace_back();
        columns_.emplace_back();
        rows_.emplace_back();
        learn(id);
    }
    for (std::uint32_t cls : closure_.take_grown()) {
        for (const auto terms : {closure_.members(cls), closure_.users(cls)})
            stale_.insert(stale_.end(), terms.begin(), terms.end());
    }
    while (!stale_.empty()) {
        const std::uint32_t term = stale_.back();
        stale_.pop_back();
        learn(term);
    }
}

// What the term says of its class; who uses the class is told where that is news.
void Known::learn(std::uint32_t term) {
    const Facts more = facts_of(TermId{term});
    Facts& facts = facts_[find(term)];
    // A pair of a CASE has no value of its own: the CASE looks at what it is made of.
    bool is_news = ops_.meaning(terms_[TermId{term}].op).is_when;
    if (more.type && (!facts.type || more.type->bits() < facts.type->bits()))
        facts.type = more.type, is_news = true;
    const rules::Possible possible = rules::both(facts.possible, more.possible);
    if (possible.mask != facts.possible.mask || possible.constant != facts.possible.constant)
        facts.possible = possible, is_news = true;
    if (more.stable && !facts.stable) facts.stable = is_news = true;
    if (more.bounded && !facts.bounded) facts.bounded = is_news = true;
    if (more.about != nullptr &&
        (facts.about == nullptr || rules::is_better(*more.about, *facts.about)))
        facts.about = more.about, is_news = true;
    if (plan_ != nullptr) {
        is_news = learn_columns(term) || is_news;
        is_news = learn_rows(term) || is_news;
    }
    if (!is_news) return;
    for (std::uint32_t user : closure_.users(term)) stale_.push_back(user);
}

lang::Type Known::type(TermId id) const {
    return facts_[find(index(id))].type.value_or(lang::Type{});
}

// As lang's operator takes them: the pairs of a CASE are opened.
std::vector<TermId> Known::operands_of(const Term& term) const {
    std::vector<TermId> out;
    const bool is_case = ops_.meaning(term.op).op == Op::case_ && !ops_.meaning(term.op).is_when;
    for (std::uint32_t child : term.children) {
        const Term below = terms_[TermId{child}];
        if (is_case && below.op == ops_.when())
            for (std::uint32_t part : below.children) out.push_back(TermId{part});
        else
            out.push_back(TermId{child});
    }
    return out;
}

std::optional<lang::Type> Known::type_of(const Term& term, std::span<const lang::Type> operands) {
    const rules::SqlOps::Meaning& m = ops_.meaning(term.op);
    const auto in = [&](const auto& types) -> std::optional<lang::Type> {
        const auto at = types.find(term.payload);
        return at == types.end() ? std::nullopt : std::optional(at->second);
    };
    if (m.op == Op::column) return scope_.columns[term.payload].type;
    if (m.op == Op::literal) return ops_.context().literals[lang::LiteralId{term.payload}].type;
    if (m.op == Op::cast || m.op == Op::try_cast) return lang::Type::from_bits(term.payload);
    if (m.op == Op::opaque) {
        if (const auto type = in(scope_.opaque_types)) return type;
    } else if (term.op == ops_[Op::call]) {
        if (const auto type = in(scope_.call_types)) return type;
    }
    auto result =
        lang::result_type(m.op, ops_.lang_payload(term.op, term.payload), operands, ops_.context());
    if (!result) result = scope_.bound_type;
    const bool is_test =
        lang::is_comparison(m.op) || m.op == Op::in || m.op == Op::between || m.op == Op::like;
    if (!result && is_test) result = lang::Type{lang::TypeKind::boolean};
    return result;
}

Known::Facts Known::facts_of(TermId id) {
    const Term term = terms_[id];
    const rules::SqlOps::Meaning& m = ops_.meaning(term.op);
    Facts facts;
    facts.stable = facts.bounded = true;
    for (std::uint32_t child : term.children) {
        facts.stable = facts.stable && facts_[find(child)].stable;
        facts.bounded = facts.bounded && facts_[find(child)].bounded;
    }
    if (term.op == ops_.plan().shape && scope_.unstable_shapes.contains(term.payload))
        facts.stable = false;
    if (m.is_when || m.sort != rules::Sort::value) return facts;
    const std::vector<TermId> operands = operands_of(term);
    std::vector<lang::Type> types;
    std::vector<rules::Possible> possible;
    for (TermId operand : operands) {
        types.push_back(type(operand));
        possible.push_back(facts_[find(index(operand))].possible);
    }
    facts.type = type_of(term, types);
    const std::uint32_t payload = ops_.lang_payload(term.op, term.payload);
    // The class's type, which another member may have given.
    const lang::Type known =
        facts.type ? *facts.type : facts_[find(index(id))].type.value_or(lang::Type{});
    if (m.op == Op::literal) {
        facts.possible = rules::possible_of_literal(lang::LiteralId{term.payload}, ops_.context());
        return facts;
    }
    if (known.kind() == lang::TypeKind::unknown) {
        facts.stable = facts.stable && !lang::is_volatile(m.op, payload, ops_.context());
        facts.bounded = false;
        return facts;
    }
    if (m.op == Op::column) {
        facts.possible = rules::possible_of_leaf(known, scope_.columns[term.payload].nullable);
        facts.about = about_of(id, m.op, known, operands);
        return facts;
    }
    const bool is_stable_subquery =
        m.op >= Op::exists && scope_.stable_subqueries.contains(term.payload);
    if (m.op == Op::exists)
        facts.possible = {rules::Possible::true_ | rules::Possible::false_, {}};
    else if (m.op >= Op::opaque || term.op == ops_[Op::call])
        facts.possible = rules::possible_of_leaf(known, true);
    else
        facts.possible = rules::possible_of(m.op, known, payload, possible, types, ops_.context());
    facts.stable =
        facts.stable && (is_stable_subquery || !lang::is_volatile(m.op, payload, ops_.context()));
    const bool is_unknown = m.op >= Op::opaque || term.op == ops_[Op::call];
    facts.bounded =
        is_unknown || known.kind() == lang::TypeKind::boolean ||
        (facts.bounded && !lang::may_raise(m.op, known, payload, types, ops_.context()));
    facts.about = about_of(id, m.op, known, operands);
    return facts;
}

rules::Subject Known::subject(std::uint32_t id) {
    const std::uint32_t cls = find(id);
    const Facts& facts = facts_[cls];
    return {cls, facts.type.value_or(lang::Type{}), facts.bounded, facts.possible.constant,
            facts.about};
}

const rules::About* Known::about_of(TermId id, Op op, lang::Type type,
                                    std::span<const TermId> operands) {
    if (!rules::may_be_about(op)) return nullptr;
    std::vector<rules::Subject> subjects;
    for (TermId operand : operands) subjects.push_back(subject(index(operand)));
    auto about = rules::about_of(
        op, type, subjects, [this](std::uint32_t inner) { return subject(inner); }, ops_.context());
    if (!about) return nullptr;
    const rules::About* known = facts_[find(index(id))].about;
    if (known != nullptr && !rules::is_better(*about, *known)) return known;
    abouts_->push_back(std::move(*about));
    return &abouts_->back();
}

rules::Operand Known::operand(TermId term) {
    const Facts& facts = facts_[find(index(term))];
    rules::Operand out;
    out.id = find(index(term));
    out.type = facts.type.value_or(lang::Type{});
    out.possible = facts.possible;
    out.stable = facts.stable;
    out.bounded = facts.bounded;
    out.literal = facts.possible.constant;
    out.about = facts.about;
    if (out.about != nullptr && out.about->ranges) {
        out.subject = find(out.about->ranges->subject);
        out.subject_never_null = facts_[out.subject].possible.never_null();
    }
    for (std::uint32_t member : closure_.members(out.id)) {
        const Term t = terms_[TermId{member}];
        out.written = out.written || (out.literal && t.op == ops_[Op::literal] &&
                                      t.payload == static_cast<std::uint32_t>(*out.literal));
    }
    return out;
}

}  // namespace satura::proof
