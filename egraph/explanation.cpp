#include "egraph/explanation.hpp"

#include <algorithm>
#include <map>

#include "egraph/explain.hpp"
#include "egraph/instance.hpp"
#include "egraph/term_closure.hpp"

namespace satura::egraph {

namespace {

constexpr std::size_t shortened_steps_max = 60;  // it takes as many replays

using Step = Explanation::Step;
using Binding = Explanation::Binding;

// Steps from the entries of the union log, replayed while they are made.
class Explaining {
  public:
    Explaining(const EGraph& graph, const Runner& runner)
        : graph_(graph),
          runner_(runner),
          explainer_(graph, runner.rules(), runner.queries()),
          terms_(graph.signature()) {}

    // A term to explain: nodes, operands first, with the terms of their operands. Without it, the id's own term.
    struct Chosen {
        struct Part {
            NodeId node;
            std::vector<std::uint32_t> operands;  // earlier parts
        };
        std::vector<Part> parts;
    };

    bool want(ClassId from, ClassId to) { return explainer_.want(raw(from), raw(to), none); }
    void want(const Chosen& chosen);

    std::optional<Explanation> run(ClassId from, const std::function<TermId(Explaining&)>& to) {
        const std::vector<std::uint32_t> entries = explainer_.run();
        // Whether elements that had become the unit belong to a rest can be told by neither alone.
        for (bool keeps_units : {false, true}) {
            replay(entries, keeps_units);
            const TermId left = term_of(raw(from)), right = to(*this);
            if (!closure_->equal(left, right)) continue;
            shorten(left, right);
            Explanation out = written(left, right);
            // Sets are compared along what terms there are: one that no step speaks of may be needed.
            if (out.terms.size() < terms_.size() && !holds(out))
                out = {terms_, steps_, left, right};
            return out;
        }
        return std::nullopt;
    }

    // Every id is a term: its node over the terms of its first children.
    TermId term_of(std::uint32_t node);
    TermId term_of(const Chosen& chosen);

  private:
    void replay(const std::vector<std::uint32_t>& entries, bool keeps_units);
    void add_steps(std::uint32_t entry, bool keeps_units);
    Step step_of(std::uint32_t entry, std::uint32_t match, bool keeps_units);
    void drop_picked(std::uint32_t entry, std::uint32_t match, Step& step);
    bool holds(const Explanation& explanation) const;
    void shorten(TermId left, TermId right);
    Explanation written(TermId left, TermId right) const;

    const EGraph& graph_;
    const Runner& runner_;
    Explainer explainer_;
    Terms terms_;
    std::optional<TermClosure> closure_;
    std::vector<std::optional<TermId>> term_of_;  // by node
    std::vector<Step> steps_;
};

// The chosen nodes are rows that may have been other terms first: all their parts are connected.
void Explaining::want(const Chosen& chosen) {
    for (const Chosen::Part& part : chosen.parts) {
        const auto first = graph_.first_children(part.node);
        const Shape shape = graph_.signature()[graph_.node(part.node).op].shape;
        if (shape == Shape::fixed || shape == Shape::sequence) {
            for (std::size_t i = 0; i < first.size(); ++i)
                explainer_.want(first[i], raw(chosen.parts[part.operands[i]].node), none);
            continue;
        }
        std::vector<std::uint32_t> ids(first.begin(), first.end());
        for (std::uint32_t operand : part.operands) ids.push_back(raw(chosen.parts[operand].node));
        explainer_.add_leaves(graph_.node(part.node).op, ids);
        explainer_.want_equal(std::move(ids), none);
    }
}

TermId Explaining::term_of(std::uint32_t node) {
    std::vector<std::uint32_t> todo{node};
    while (!todo.empty()) {
        const std::uint32_t id = todo.back();
        const auto children = graph_.first_children(NodeId{id});
        const std::size_t before = todo.size();
        for (std::uint32_t child : children) {
            if (!term_of_[id] && !term_of_[child]) todo.push_back(child);
        }
        if (todo.size() > before) continue;
        todo.pop_back();
        if (term_of_[id]) continue;
        std::vector<TermId> operands;
        for (std::uint32_t child : children) operands.push_back(*term_of_[child]);
        const NodeView view = graph_.node(NodeId{id});
        term_of_[id] = closure_->add(view.op, view.payload, std::move(operands));
    }
    return *term_of_[node];
}

TermId Explaining::term_of(const Chosen& chosen) {
    std::vector<TermId> made;
    made.reserve(chosen.parts.size());
    for (const Chosen::Part& part : chosen.parts) {
        std::vector<TermId> operands;
        for (std::uint32_t operand : part.operands) operands.push_back(made[operand]);
        const NodeView view = graph_.node(part.node);
        made.push_back(closure_->add(view.op, view.payload, std::move(operands)));
    }
    return made.back();
}

void Explaining::replay(const std::vector<std::uint32_t>& entries, bool keeps_units) {
    terms_ = Terms(graph_.signature());
    closure_.emplace(terms_);
    term_of_.assign(graph_.id_count(), std::nullopt);
    steps_.clear();
    for (std::uint32_t entry : entries) add_steps(entry, keeps_units);
}

void Explaining::add_steps(std::uint32_t entry, bool keeps_units) {
    const UnionEntry& e = graph_.log().entries()[entry];
    if (e.reason.kind == UnionReason::Kind::asserted) {
        steps_.push_back({"", term_of(raw(e.a)), term_of(raw(e.b)), {}});
        closure_->merge(steps_.back().left, steps_.back().right);
    }
    if (e.reason.kind != UnionReason::Kind::rule) return;
    for (std::uint32_t match = 0; match < e.reason.match_count; ++match) {
        Step step = step_of(entry, match, keeps_units);
        if (match > 0) drop_picked(entry, match, step);
        Instance instance(runner_.rules()[raw(e.reason.rule)], step, *closure_);
        const auto left = instance.left(), right = instance.right();
        step.left = left ? *left : term_of(raw(e.a));
        step.right = right ? *right : term_of(raw(e.b));
        closure_->merge(step.left, step.right);
        steps_.push_back(std::move(step));
    }
}

Step Explaining::step_of(std::uint32_t entry, std::uint32_t match, bool keeps_units) {
    const RuleId id = graph_.log().entries()[entry].reason.rule;
    const Rule& rule = runner_.rules()[raw(id)];
    const Query& query = runner_.queries()[raw(id)];
    const auto values = explainer_.slots(entry, match);
    Step step;
    step.rule = rule.name;
    for (std::uint32_t slot = 0; slot < rule.slots.size(); ++slot) {
        const auto runs_over = [&](const PatternNode& node) {
            return node.kind == PatternNode::Kind::each && node.slot == slot;
        };
        // What the compiler added has no name; what an `each` runs over is bound by it.
        if (rule.slot_names[slot].empty() || std::ranges::any_of(rule.right.nodes, runs_over))
            continue;
        Binding binding{rule.slot_names[slot], rule.slots[slot], {}, 0};
        if (binding.kind == SlotKind::payload) {
            binding.payload = values[slot];
        } else if (binding.kind == SlotKind::cls) {
            binding.terms.push_back(term_of(values[slot]));
        } else {
            if (query.rests[slot].kind == RestSource::Kind::none) continue;  // computed
            for (std::uint32_t element : explainer_.rest(entry, match, slot, keeps_units))
                binding.terms.push_back(term_of(element));
        }
        step.bindings.push_back(std::move(binding));
    }
    // The atoms of rows stand in the order of the pattern's nodes.
    for (const Atom& atom : query.atoms) {
        if (atom.kind != Atom::Kind::row || atom.payload.kind != PayloadRef::Kind::any) continue;
        const Payload payload = graph_.node(NodeId{values[atom.row]}).payload;
        step.bindings.push_back({"", SlotKind::payload, {}, payload});
    }
    return step;
}

// Of several matches in one set: the rest of a later one is what the steps before it made of the set.
void Explaining::drop_picked(std::uint32_t entry, std::uint32_t match, Step& step) {
    const Query& query = runner_.queries()[raw(graph_.log().entries()[entry].reason.rule)];
    const auto values = explainer_.slots(entry, match);
    for (Binding& binding : step.bindings) {
        if (binding.kind != SlotKind::rest) continue;
        const auto children = terms_[steps_.back().right].children;
        binding.terms.clear();
        for (std::uint32_t child : children) binding.terms.push_back(TermId{child});
        for (const Atom& atom : query.atoms) {
            if (atom.kind != Atom::Kind::member) continue;
            const TermId picked = term_of(values[atom.slots[0]]);
            const auto at = std::ranges::find_if(
                binding.terms, [&](TermId term) { return closure_->equal(term, picked); });
            if (at != binding.terms.end()) binding.terms.erase(at);
        }
    }
}

// But for what nobody can tell from the terms.
bool Explaining::holds(const Explanation& explanation) const {
    const auto all = [](const Explanation&, const Step&, const Rule*) { return true; };
    return check(explanation, runner_.rules(), all).empty();
}

// More is asked for than is needed: elements of sets that need not be equal.
void Explaining::shorten(TermId left, TermId right) {
    if (steps_.size() > shortened_steps_max) return;
    for (std::size_t i = steps_.size(); i-- > 0;) {
        std::vector<Step> fewer = steps_;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (holds({terms_, fewer, left, right})) steps_ = std::move(fewer);
    }
}

// With those terms alone that the steps speak of.
Explanation Explaining::written(TermId left, TermId right) const {
    std::vector<bool> is_wanted(terms_.size(), false);
    is_wanted[raw(left)] = is_wanted[raw(right)] = true;
    for (const Step& step : steps_) {
        is_wanted[raw(step.left)] = is_wanted[raw(step.right)] = true;
        for (const Binding& binding : step.bindings) {
            for (TermId term : binding.terms) is_wanted[raw(term)] = true;
        }
    }
    for (std::uint32_t id = terms_.size(); id-- > 0;) {
        if (!is_wanted[id]) continue;
        for (std::uint32_t child : terms_[TermId{id}].children) is_wanted[child] = true;
    }
    Explanation out{Terms(graph_.signature()), steps_, left, right};
    std::vector<TermId> numbers(terms_.size());
    const auto renumber = [&](TermId& id) { id = numbers[raw(id)]; };
    for (std::uint32_t id = 0; id < terms_.size(); ++id) {
        if (!is_wanted[id]) continue;
        const Term term = terms_[TermId{id}];
        std::vector<TermId> children;
        for (std::uint32_t child : term.children) children.push_back(TermId{child});
        std::ranges::for_each(children, renumber);
        numbers[id] = out.terms.add(term.op, term.payload, std::move(children));
    }
    renumber(out.left), renumber(out.right);
    for (Step& step : out.steps) {
        renumber(step.left), renumber(step.right);
        for (Binding& binding : step.bindings) std::ranges::for_each(binding.terms, renumber);
    }
    return out;
}

Explaining::Chosen chosen_term(const EGraph& graph, const Extraction& extraction, ClassId cls,
                               std::uint32_t variant) {
    Explaining::Chosen chosen;
    using Wanted = std::pair<std::uint32_t, std::uint32_t>;  // class, variant
    std::map<Wanted, std::uint32_t> numbers;                 // of the parts
    std::vector<Wanted> todo{{raw(graph.find(cls)), variant}};
    while (!todo.empty()) {
        const Wanted wanted = todo.back();
        const auto operands = extraction.choice_operands(ClassId{wanted.first}, wanted.second);
        const std::size_t before = todo.size();
        for (const Extraction::Operand& operand : operands) {
            const Wanted below{raw(operand.cls), operand.variant};
            if (!numbers.contains(wanted) && !numbers.contains(below)) todo.push_back(below);
        }
        if (todo.size() > before) continue;
        todo.pop_back();
        if (numbers.contains(wanted)) continue;
        Explaining::Chosen::Part part{extraction.choice(ClassId{wanted.first}, wanted.second), {}};
        for (const Extraction::Operand& operand : operands)
            part.operands.push_back(numbers.at({raw(operand.cls), operand.variant}));
        numbers[wanted] = static_cast<std::uint32_t>(chosen.parts.size());
        chosen.parts.push_back(std::move(part));
    }
    return chosen;
}

}  // namespace

std::optional<Explanation> explain(const EGraph& graph, const Runner& runner, ClassId from,
                                   ClassId to) {
    Explaining explaining(graph, runner);
    if (!explaining.want(from, to)) return std::nullopt;
    return explaining.run(from, [&](Explaining& e) { return e.term_of(raw(to)); });
}

std::optional<Explanation> explain(const EGraph& graph, const Runner& runner, ClassId from,
                                   const Extraction& extraction, std::uint32_t variant) {
    if (!extraction.has_choice(from, variant)) return std::nullopt;
    Explaining explaining(graph, runner);
    const Explaining::Chosen chosen = chosen_term(graph, extraction, from, variant);
    explaining.want(from, ClassId{raw(chosen.parts.back().node)});
    explaining.want(chosen);
    return explaining.run(from, [&](Explaining& e) { return e.term_of(chosen); });
}

std::string Explanation::text(std::size_t term_length_max) const {
    const auto term = [&](TermId id) { return terms.text(id, term_length_max); };
    std::string out;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        out += std::to_string(i + 1) + "  " + term(step.left) + " = " + term(step.right) + "   ";
        out += step.rule.empty() ? "given" : step.rule;
        const char* separator = ": ";
        for (const Binding& binding : step.bindings) {
            if (binding.variable.empty()) continue;
            out += separator + binding.variable + " =";
            separator = ", ";
            if (binding.kind == SlotKind::payload) out += " " + std::to_string(binding.payload);
            for (TermId id : binding.terms) out += " " + term(id);
        }
        out += "\n";
    }
    return out;
}

}  // namespace satura::egraph
