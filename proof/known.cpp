#include "proof/known.hpp"

#include <algorithm>
#include <array>

#include "egraph/hash.hpp"
#include "lang/evaluate.hpp"

namespace satura::proof {

using egraph::OpId;
using egraph::Shape;
using lang::Op;

std::size_t Known::Hash::operator()(const Key& key) const {
    std::uint64_t hash = key.size();
    for (std::uint32_t part : key) hash = egraph::mix(hash, part);
    return hash;
}

// Classes are united by size, so paths stay short.
std::uint32_t Known::find(std::uint32_t id) const {
    while (parent_[id] != id) id = parent_[id];
    return id;
}

egraph::NodeView Known::node(egraph::NodeId id) const {
    const Term term = terms_[TermId{egraph::raw(id)}];
    return {id, term.op, term.payload, term.children};
}

// The smallest id: its operands' ids are smaller, so it is not below itself.
egraph::NodeView Known::first_node(egraph::ClassId cls) const {
    return node(egraph::NodeId{*std::ranges::min_element(members_[find(egraph::raw(cls))])});
}

void Known::visit(egraph::ClassId cls, Visitor visitor) const {
    for (std::uint32_t member : members_[find(egraph::raw(cls))])
        visitor.call(visitor.callee, node(egraph::NodeId{member}));
}

std::optional<egraph::ClassId> Known::lookup(OpId op, egraph::Payload payload,
                                             std::span<const egraph::ClassId> children) const {
    Key key;
    for (egraph::ClassId child : children) key.push_back(find(egraph::raw(child)));
    const egraph::Operator& shape = terms_.signature()[op];
    if (shape.shape == Shape::set || shape.shape == Shape::bag) {
        Terms::Normal made = Terms::normal(shape, std::move(key), std::nullopt, std::nullopt);
        if (made.came_down_to) return egraph::ClassId{find(*made.came_down_to)};
        key = std::move(made.children);
    }
    key.push_back(egraph::raw(op));
    key.push_back(payload);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return std::nullopt;
    return egraph::ClassId{find(at->second)};
}

TermId Known::add(OpId op, egraph::Payload payload, std::vector<TermId> children) {
    const TermId id = terms_.add(op, payload, std::move(children));
    enter_new();
    return id;
}

void Known::enter_new() {
    for (auto id = static_cast<std::uint32_t>(parent_.size()); id < terms_.size(); ++id) {
        parent_.push_back(id);
        members_.push_back({id});
        users_.emplace_back();
        facts_.emplace_back();
        columns_.emplace_back();
        rows_.emplace_back();
        for (std::uint32_t child : terms_[TermId{id}].children) users_[find(child)].push_back(id);
        enter_keys(id);
        learn(id);
        settle();
    }
}

void Known::merge(TermId a, TermId b) {
    equal_.emplace_back(index(a), index(b));
    settle();
}

void Known::settle() {
    while (!equal_.empty() || !stale_.empty()) {
        if (equal_.empty()) {
            const std::uint32_t term = stale_.back();
            stale_.pop_back();
            learn(term);
            continue;
        }
        auto [a, b] = equal_.back();
        equal_.pop_back();
        a = find(a), b = find(b);
        if (a == b) continue;
        if (users_[a].size() + members_[a].size() < users_[b].size() + members_[b].size())
            std::swap(a, b);
        parent_[b] = a;
        members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
        users_[a].insert(users_[a].end(), users_[b].begin(), users_[b].end());
        members_[b].clear();
        users_[b].clear();
        // The class may be a unit now, or a set that can be opened: those that kept the name have new keys too.
        const std::vector<std::uint32_t> users = users_[a];
        for (std::uint32_t user : users) {
            enter_keys(user);
            stale_.push_back(user);
            // A set that stands in another one of its operator is opened there.
            const OpId op = terms_[TermId{user}].op;
            if (terms_.signature()[op].shape == Shape::fixed) continue;
            const std::vector<std::uint32_t> around = users_[find(user)];
            for (std::uint32_t other : around) {
                if (terms_[TermId{other}].op == op) enter_keys(other);
            }
        }
        for (std::uint32_t member : members_[a]) stale_.push_back(member);
    }
}

std::optional<std::uint32_t> Known::known_leaf(const std::optional<egraph::Operator::Leaf>& leaf) {
    if (!leaf) return std::nullopt;
    return find(index(terms_.add(leaf->op, leaf->payload, {})));
}

// A set's children with each that is equal to a set of the same operator replaced by the elements of the smallest such one.
Known::Key Known::opened(const Term& term) const {
    Key out;
    for (std::uint32_t child : term.children) {
        const std::uint32_t cls = find(child);
        std::optional<std::uint32_t> set;
        for (std::uint32_t member : members_[cls]) {
            const Term other = terms_[TermId{member}];
            const bool fits = other.op == term.op && other.payload == term.payload;
            if (fits && (!set || member < *set)) set = member;
        }
        if (!set) {
            out.push_back(cls);
            continue;
        }
        for (std::uint32_t c : terms_[TermId{*set}].children) out.push_back(find(c));
    }
    return out;
}

void Known::enter_keys(std::uint32_t term) {
    const Term t = terms_[TermId{term}];
    Key children;
    for (std::uint32_t child : t.children) children.push_back(find(child));
    const egraph::Operator& op = terms_.signature()[t.op];
    if (op.shape == Shape::fixed || op.shape == Shape::sequence) {
        add_key(term, std::move(children));
        return;
    }
    const auto unit = known_leaf(op.unit), zero = known_leaf(op.zero);
    for (Key& variant : std::array<Key, 2>{children, opened(t)}) {
        Terms::Normal made = Terms::normal(op, std::move(variant), unit, zero);
        if (made.came_down_to)
            equal_.emplace_back(term, *made.came_down_to);
        else
            add_key(term, std::move(made.children));
    }
}

void Known::add_key(std::uint32_t term, Key key) {
    const Term t = terms_[TermId{term}];
    key.push_back(egraph::raw(t.op));
    key.push_back(t.payload);
    const auto [it, fresh] = by_key_.try_emplace(std::move(key), term);
    if (!fresh && find(it->second) != find(term)) equal_.emplace_back(term, it->second);
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
    for (std::uint32_t user : users_[find(term)]) stale_.push_back(user);
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
    for (std::uint32_t member : members_[out.id]) {
        const Term t = terms_[TermId{member}];
        out.written = out.written || (out.literal && t.op == ops_[Op::literal] &&
                                      t.payload == static_cast<std::uint32_t>(*out.literal));
    }
    return out;
}

}  // namespace satura::proof
