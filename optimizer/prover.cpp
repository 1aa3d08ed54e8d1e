#include "optimizer/prover.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "proof/step_check.hpp"

namespace satura {

using egraph::ClassId;
using egraph::NodeId;
using proof::TermId;
using rules::VariableKind;

namespace {

// Nothing; the members that the values of analyses came from; all members.
constexpr int levels_max = 2;
constexpr std::size_t members_max = 200;
constexpr std::size_t ids_max = 5'000;
constexpr std::size_t shortened_steps_max = 60;  // it takes as many replays

}  // namespace

Prover::Prover(RuleEngine& engine, ProofGoal goal)
    : engine_(engine),
      goal_(std::move(goal)),
      explainer_(engine_.graph, engine_.runner->rules(), engine_.runner->queries()) {}

void Prover::connect_parts(std::span<const NodeId> nodes, std::vector<std::uint32_t> ids) {
    for (NodeId node : nodes) {
        if (egraph::raw(node) == egraph::none) continue;
        ids.push_back(egraph::raw(node));
        explainer_.add_leaves(engine_.graph.node(node).op, ids);
        for (std::uint32_t child : engine_.graph.first_children(node)) {
            ids.push_back(child);
            // The pairs of a CASE are no expressions.
            if (engine_.graph.node(NodeId{child}).op != engine_.ops.when()) continue;
            const auto pair = engine_.graph.first_children(NodeId{child});
            ids.insert(ids.end(), pair.begin(), pair.end());
        }
    }
    connect(std::move(ids));
}

// Whether its right side has expressions that are computed from what predicates say.
bool Prover::makes_terms(const rules::ResolvedRule& rule) {
    return std::ranges::any_of(rule.lets, [](const rules::ResolvedLet& let) {
        return rules::reads_about(let.word->name);
    });
}

// What the conditions of a rule's entry were about.
std::vector<std::uint32_t> Prover::ids_of(std::uint32_t entry) const {
    const egraph::UnionReason& reason = engine_.graph.log().entries()[entry].reason;
    const rules::ResolvedRule& rule = engine_.resolved[egraph::raw(reason.rule)];
    std::vector<std::uint32_t> ids;
    for (std::uint32_t match = 0; match < reason.match_count; ++match) {
        const auto slots = explainer_.slots(entry, match);
        for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
            const rules::Variable& variable = rule.variables[v];
            const bool is_bound = !variable.computed || proof::is_given(rule, v);
            if (!is_bound || variable.element_of != rules::no_term) continue;
            if (variable.kind == VariableKind::expression) ids.push_back(slots[v]);
            if (variable.kind != VariableKind::rest) continue;
            const auto elements = explainer_.rest(entry, match, v);
            ids.insert(ids.end(), elements.begin(), elements.end());
        }
    }
    return ids;
}

// A computed constant stands for its class: the leaf is what a replay computes.
void Prover::want_computed(std::uint32_t entry) {
    const egraph::UnionReason& reason = engine_.graph.log().entries()[entry].reason;
    const rules::ResolvedRule& rule = engine_.resolved[egraph::raw(reason.rule)];
    if (makes_terms(rule)) want_parts(entry);
    for (std::uint32_t match = 0; match < reason.match_count; ++match) {
        const auto slots = explainer_.slots(entry, match);
        for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
            const rules::Variable& variable = rule.variables[v];
            if (!variable.computed || variable.kind != VariableKind::expression) continue;
            for (std::uint32_t member : explainer_.members(slots[v], entry, members_max)) {
                if (engine_.graph.node(NodeId{member}).op == engine_.ops[lang::Op::literal])
                    explainer_.want(member, slots[v], entry);
            }
        }
    }
}

// A computed expression is made of parts of what the left side stands for: equal ones are connected.
void Prover::want_parts(std::uint32_t entry) {
    const egraph::UnionEntry& e = engine_.graph.log().entries()[entry];
    std::vector<std::uint32_t> ids = ids_of(entry);
    ids.push_back(egraph::raw(e.a));
    ids.push_back(egraph::raw(e.b));
    std::set<std::uint32_t> seen(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size() && ids.size() < ids_max; ++i) {
        for (std::uint32_t child : engine_.graph.first_children(NodeId{ids[i]})) {
            if (seen.insert(child).second) ids.push_back(child);
        }
    }
    explainer_.want_equal(std::move(ids), entry);
}

// The member that each analysis has its value from, and the same for its operands.
void Prover::want_witnesses(std::uint32_t entry, std::vector<std::uint32_t> ids) {
    std::set<std::uint32_t> seen(ids.begin(), ids.end());
    while (!ids.empty() && seen.size() < ids_max) {
        const std::uint32_t id = ids.back();
        ids.pop_back();
        const ClassId cls = engine_.graph.find(ClassId{id});
        const std::uint32_t analyses =
            rules::Knowledge::count + (goal_.plan == nullptr ? 0 : rules::PlanKnowledge::count);
        for (std::uint32_t a = 0; a < analyses; ++a) {
            const NodeId witness = engine_.graph.value_witness(egraph::AnalysisId{a}, cls);
            if (egraph::raw(witness) == egraph::none) continue;
            if (!explainer_.want(egraph::raw(witness), id, entry)) continue;
            hints_.insert(egraph::raw(witness));
            for (std::uint32_t child : engine_.graph.first_children(witness)) {
                if (seen.insert(child).second) ids.push_back(child);
            }
        }
        for (std::uint32_t child : engine_.graph.first_children(NodeId{id})) {
            if (seen.insert(child).second) ids.push_back(child);
        }
    }
}

void Prover::want_members(std::uint32_t entry, std::vector<std::uint32_t> ids) {
    std::set<std::uint32_t> seen(ids.begin(), ids.end());
    while (!ids.empty() && seen.size() < ids_max) {
        const std::uint32_t id = ids.back();
        ids.pop_back();
        for (std::uint32_t member : explainer_.members(id, entry, members_max)) {
            explainer_.want(member, id, entry);
            hints_.insert(member);
            for (std::uint32_t child : engine_.graph.first_children(NodeId{member})) {
                if (seen.insert(child).second) ids.push_back(child);
            }
        }
    }
}

void Prover::want_facts(std::uint32_t entry) {
    want_computed(entry);
    const auto level = levels_.find(entry);
    if (level == levels_.end()) return;
    if (level->second == 1)
        want_witnesses(entry, ids_of(entry));
    else
        want_members(entry, ids_of(entry));
}

// Every id is a term: its node over the terms of its first children.
TermId Prover::term_of(std::uint32_t node) {
    std::vector<std::uint32_t> todo{node};
    while (!todo.empty()) {
        const std::uint32_t id = todo.back();
        const auto children = engine_.graph.first_children(NodeId{id});
        const std::size_t before = todo.size();
        if (term_of_[id] == egraph::none) {
            for (std::uint32_t child : children) {
                if (term_of_[child] == egraph::none) todo.push_back(child);
            }
        }
        if (todo.size() > before) continue;
        todo.pop_back();
        if (term_of_[id] != egraph::none) continue;
        std::vector<TermId> terms;
        for (std::uint32_t child : children) terms.push_back(TermId{term_of_[child]});
        const egraph::NodeView view = engine_.graph.node(NodeId{id});
        term_of_[id] = proof::index(
            known_->add(view.op, goal_.payload(view.op, view.payload), std::move(terms)));
    }
    return TermId{term_of_[node]};
}

proof::Step Prover::step_of(std::uint32_t entry, std::uint32_t match) {
    const egraph::UnionEntry& e = engine_.graph.log().entries()[entry];
    const rules::ResolvedRule& rule = engine_.resolved[egraph::raw(e.reason.rule)];
    proof::Step step;
    step.rule = rule.name;
    step.left = term_of(egraph::raw(e.a));
    step.right = term_of(egraph::raw(e.b));
    const auto slots = explainer_.slots(entry, match);
    for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
        const rules::Variable& variable = rule.variables[v];
        const bool is_bound = !variable.computed || proof::is_given(rule, v);
        if (!is_bound || variable.element_of != rules::no_term) continue;
        proof::Binding binding;
        binding.variable = variable.name;
        switch (variable.kind) {
            case VariableKind::rest:
                binding.kind = proof::Binding::Kind::rest;
                for (std::uint32_t element :
                     explainer_.rest(entry, match, v, keeps_units_.contains(entry)))
                    binding.terms.push_back(term_of(element));
                break;
            case VariableKind::literal:
                binding.kind = proof::Binding::Kind::literal;
                binding.terms.push_back(known_->add(engine_.ops[lang::Op::literal], slots[v], {}));
                break;
            case VariableKind::type:
                binding.kind = proof::Binding::Kind::type;
                binding.type = lang::Type::from_bits(slots[v]);
                break;
            default:
                binding.terms.push_back(term_of(slots[v]));
        }
        step.bindings.push_back(std::move(binding));
    }
    return step;
}

// Of several matches in one set: the rest of a later one is what the steps before it made of the set.
void Prover::drop_picked(std::uint32_t entry, std::uint32_t match, proof::Step& step) {
    const egraph::UnionReason& reason = engine_.graph.log().entries()[entry].reason;
    const egraph::Query& query = engine_.runner->queries()[egraph::raw(reason.rule)];
    const auto slots = explainer_.slots(entry, match);
    for (proof::Binding& binding : step.bindings) {
        if (binding.kind != proof::Binding::Kind::rest) continue;
        const auto children = known_->terms()[step.left].children;
        binding.terms.clear();
        for (std::uint32_t child : children) binding.terms.push_back(TermId{child});
        for (const egraph::Atom& atom : query.atoms) {
            if (atom.kind != egraph::Atom::Kind::member) continue;
            const TermId picked = term_of(slots[atom.slots[0]]);
            const auto at = std::ranges::find_if(
                binding.terms, [&](TermId t) { return known_->equal(t, picked); });
            if (at != binding.terms.end()) binding.terms.erase(at);
        }
    }
}

bool Prover::check(proof::Step& step, const rules::ResolvedRule& rule, std::uint32_t entry,
                   bool is_last) {
    if (!is_last) {
        proof::StepCheck build(*known_, rule, step);
        build.run();  // its right side is not known yet
        step.right = build.built();
    }
    proof::StepCheck check(*known_, rule, step);
    const auto refusal = check.run();
    if (refusal) {
        why_ = *refusal;
        ++failures_;
        // With less known, another expression is computed.
        if (check.lacks_facts() || makes_terms(rule)) {
            int& level = levels_[entry];
            may_ask_again_ = may_ask_again_ || level < levels_max;
            level = std::min(level + 1, levels_max);
        } else if (keeps_units_.insert(entry).second) {
            may_ask_again_ = true;
        }
        known_->merge(step.left, step.right);  // to see what else there is to ask for
    }
    steps_.push_back(step);
    return !refusal;
}

bool Prover::replay_rule(std::uint32_t entry) {
    const egraph::UnionReason& reason = engine_.graph.log().entries()[entry].reason;
    const rules::ResolvedRule& rule = engine_.resolved[egraph::raw(reason.rule)];
    bool is_fine = true;
    for (std::uint32_t match = 0; match < reason.match_count; ++match) {
        proof::Step step = step_of(entry, match);
        if (match > 0) {
            step.left = steps_.back().right;
            drop_picked(entry, match, step);
        }
        is_fine = check(step, rule, entry, match + 1 == reason.match_count) && is_fine;
    }
    return is_fine;
}

bool Prover::replay(const std::vector<std::uint32_t>& entries) {
    known_.reset();
    terms_.emplace(engine_.ops.signature());
    known_.emplace(*terms_, engine_.ops, engine_.scope, goal_.plan);
    goal_.begin(*known_);
    begun_.emplace(*known_);
    term_of_.assign(engine_.graph.id_count(), egraph::none);
    steps_.clear();
    may_ask_again_ = false;
    failures_ = 0;
    for (std::uint32_t hint : hints_) term_of(hint);
    bool is_fine = true;
    for (std::uint32_t entry : entries) {
        const egraph::UnionReason& reason = engine_.graph.log().entries()[entry].reason;
        if (reason.kind == egraph::UnionReason::Kind::asserted) {
            why_ = "two terms were declared equal";
            return false;
        }
        if (reason.kind == egraph::UnionReason::Kind::rule) is_fine = replay_rule(entry) && is_fine;
    }
    return is_fine;
}

// Replays until all steps hold, asking for more of what conditions need; false where that does not help.
bool Prover::replay_all() {
    std::size_t before_failures = static_cast<std::size_t>(-1);
    for (;;) {
        const auto entries = explainer_.run([this](std::uint32_t entry) { want_facts(entry); });
        if (replay(entries)) return true;
        // What failed for want of another step may hold the next time, even where no more is asked for.
        if (!may_ask_again_ && failures_ >= before_failures) return false;
        before_failures = failures_;
        for (const auto& [entry, level] : levels_) want_facts(entry);
    }
}

std::optional<proof::Proof> Prover::prove(std::vector<std::uint32_t> opened) {
    if (!replay_all()) return std::nullopt;
    if (!goal_.is_reached(*known_)) {
        want_members(egraph::none, std::move(opened));
        if (!replay_all()) return std::nullopt;
        if (!goal_.is_reached(*known_)) {
            why_ = "the steps do not lead to the result";
            return std::nullopt;
        }
    }
    const std::vector<proof::Step> all = steps_;
    shorten();
    auto out = written();
    if (out && is_replayed(*out)) return out;
    // A term of a step that was left out said something.
    steps_ = all;
    out = written();
    if (out && !is_replayed(*out)) out.reset();
    return out;
}

bool Prover::is_replayed(const proof::Proof& proof) {
    const proof::Verdict verdict = goal_.replayed(proof);
    if (!verdict.refusal.empty()) why_ = verdict.refusal;
    return verdict.refusal.empty();
}

bool Prover::holds_with(const std::vector<proof::Step>& steps) {
    known_.emplace(*begun_);
    known_->enter_new();
    for (const proof::Step& step : steps) {
        const auto rule =
            std::ranges::find(engine_.resolved, step.rule, &rules::ResolvedRule::name);
        if (proof::StepCheck(*known_, *rule, step).run()) return false;
    }
    return goal_.is_reached(*known_);
}

// More is asked for than is needed: elements that need not be equal, facts that say nothing.
void Prover::shorten() {
    if (steps_.size() > shortened_steps_max) return;
    for (std::size_t i = steps_.size(); i-- > 0;) {
        std::vector<proof::Step> fewer = steps_;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (holds_with(fewer)) steps_ = std::move(fewer);
    }
    holds_with(steps_);
}

std::optional<proof::Proof> Prover::written() {
    proof::Proof out;
    out.semantics = engine_.context.semantics;
    std::vector<TermId> wanted;
    for (const proof::Step& step : steps_) {
        wanted.push_back(step.left);
        wanted.push_back(step.right);
        for (const proof::Binding& binding : step.bindings)
            wanted.insert(wanted.end(), binding.terms.begin(), binding.terms.end());
    }
    for (std::uint32_t hint : hints_) wanted.push_back(term_of(hint));
    const std::vector<TermId> results = goal_.results();
    wanted.insert(wanted.end(), results.begin(), results.end());
    std::vector<std::uint32_t> numbers;
    auto written = proof::write_terms(*known_, wanted, goal_.pieces, numbers);
    if (!written) {
        why_ = "a term cannot be written";
        return std::nullopt;
    }
    out.terms = std::move(*written);
    out.steps = steps_;
    const auto renumber = [&](TermId& id) { id = TermId{numbers[proof::index(id)]}; };
    for (proof::Step& step : out.steps) {
        renumber(step.left);
        renumber(step.right);
        for (proof::Binding& binding : step.bindings)
            std::ranges::for_each(binding.terms, renumber);
    }
    goal_.write(out, numbers);
    return out;
}

}  // namespace satura
