#include "rules/compile.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace satura::rules {

namespace {

// A word's argument as it is asked at a match: a place, or a constant.
struct BoundArgument {
    ParameterKind as = ParameterKind::expression;
    std::optional<Place> place;
    Argument constant;
};

std::vector<BoundArgument> bind(const std::vector<ResolvedArgument>& arguments,
                                const std::vector<ParameterKind>& parameters,
                                const ResolvedRule& rule) {
    std::vector<BoundArgument> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        BoundArgument bound;
        bound.as = parameters[std::min(i, parameters.size() - 1)];
        if (const auto* variable = std::get_if<std::uint32_t>(&arguments[i])) {
            bound.place = Place{rule.variables[*variable].kind, *variable};
        } else {
            bound.constant = std::get<Argument>(arguments[i]);
        }
        out.push_back(std::move(bound));
    }
    return out;
}

std::vector<Argument> resolve(const std::vector<BoundArgument>& arguments,
                              const egraph::Match& match, Language& language) {
    std::vector<Argument> out;
    out.reserve(arguments.size());
    for (const BoundArgument& a : arguments) {
        out.push_back(a.place ? language.resolve(match, a.as, *a.place) : a.constant);
    }
    return out;
}

void add_reads(std::string_view word, const std::vector<BoundArgument>& arguments,
               Language& language, std::vector<egraph::Read>& out) {
    for (const BoundArgument& a : arguments) {
        if (a.place) language.reads(word, a.as, *a.place, out);
    }
}

// One of a condition's alternatives.
struct BoundWord {
    const ConditionWord* word = nullptr;
    bool negated = false;
    bool over_elements = false;
    std::vector<BoundArgument> arguments;

    bool holds(const egraph::Match& match, Language& language) const {
        if (word->of_one_subject && arguments[0].place && arguments[1].place &&
            !language.share_subject(match, *arguments[0].place, *arguments[1].place)) {
            return negated;
        }
        std::vector<Argument> resolved = resolve(arguments, match, language);
        if (!over_elements) return language.holds(*word, match, resolved) != negated;
        Argument element;
        element.kind = word->parameters[0];
        for (const Operand& operand : resolved[0].elements) {
            element.operand = operand;
            if (language.holds(*word, match, {&element, 1}) == negated) return false;
        }
        return true;
    }
};

class RuleCompiler {
  public:
    RuleCompiler(const ResolvedRule& rule, Language& language) : rule_(rule), language_(language) {}

    egraph::Rule compile() {
        out_.name = rule_.name;
        out_.normalises = rule_.normalises;
        for (const Variable& variable : rule_.variables) {
            out_.add_slot(slot_kind(variable.kind), "?" + variable.name);
        }
        out_.left.root = pattern(rule_.left, out_.left);
        out_.right.root = pattern(rule_.right, out_.right);
        for (const ResolvedLet& let : rule_.lets) add_let(let);
        for (const ResolvedCondition& condition : rule_.conditions) add_condition(condition);
        return std::move(out_);
    }

  private:
    static egraph::SlotKind slot_kind(VariableKind kind) {
        switch (kind) {
            case VariableKind::expression:
                return egraph::SlotKind::cls;
            case VariableKind::rest:
                return egraph::SlotKind::rest;
            default:
                return egraph::SlotKind::payload;
        }
    }

    // The nodes of one side; operands come before their term in ResolvedRule::terms too.
    std::uint32_t pattern(std::uint32_t root, egraph::Pattern& out) {
        std::vector<bool> wanted(root + 1, false);
        wanted[root] = true;
        for (std::uint32_t t = root + 1; t-- > 0;) {
            if (!wanted[t]) continue;
            for (std::uint32_t o : rule_.terms[t].operands) wanted[o] = true;
        }
        std::vector<std::uint32_t> made(root + 1, 0);
        for (std::uint32_t t = 0; t <= root; ++t) {
            if (wanted[t]) made[t] = node(rule_.terms[t], made, out);
        }
        return made[root];
    }

    std::uint32_t node(const ResolvedTerm& term, const std::vector<std::uint32_t>& made,
                       egraph::Pattern& out) {
        switch (term.kind) {
            case TermKind::rest:
                return out.rest(term.variable);
            case TermKind::each:
                return out.each(term.variable, term.over, made[term.operands[0]]);
            case TermKind::variable:
                if (rule_.variables[term.variable].kind == VariableKind::literal) {
                    return out.node(language_.literal_operator(),
                                    egraph::PayloadRef::slot(term.variable), {});
                }
                return out.slot(term.variable);
            default:
                break;
        }
        std::vector<std::uint32_t> children;
        for (std::uint32_t o : term.operands) children.push_back(made[o]);
        const auto payload = term.payload_variable == no_term
                                 ? egraph::PayloadRef::constant(term.payload)
                                 : egraph::PayloadRef::slot(term.payload_variable);
        return out.node(term.op, payload, std::move(children));
    }

    void add_let(const ResolvedLet& let) {
        const Place target{rule_.variables[let.variable].kind, let.variable};
        egraph::Computation computation;
        computation.text = let.text;
        auto arguments = bind(let.arguments, let.word->parameters, rule_);
        add_reads(let.word->name, arguments, language_, computation.reads);
        computation.fill = [word = let.word, target, arguments = std::move(arguments),
                            language = &language_](egraph::Match& match) {
            const std::vector<Argument> resolved = resolve(arguments, match, *language);
            const std::optional<Computed> value = language->compute(*word, match, resolved);
            return value && language->store(match, target, *value);
        };
        out_.computations.push_back(std::move(computation));
    }

    // What looks at computed parts is asked after they are computed, when the match is applied.
    void add_condition(const ResolvedCondition& condition) {
        std::vector<BoundWord> words;
        std::vector<egraph::Read> reads;
        for (const ResolvedWord& use : condition.alternatives) {
            BoundWord word{use.word, use.negated, use.over_elements, {}};
            word.arguments = use.over_elements ? bind(use.arguments, {ParameterKind::rest}, rule_)
                                               : bind(use.arguments, use.word->parameters, rule_);
            add_reads(use.word->name, word.arguments, language_, reads);
            words.push_back(std::move(word));
        }
        auto holds = [words = std::move(words), language = &language_](const egraph::Match& match) {
            for (const BoundWord& word : words) {
                if (word.holds(match, *language)) return true;
            }
            return false;
        };
        if (condition.computed) {
            out_.computations.push_back({condition.text, std::move(holds), std::move(reads)});
        } else {
            out_.conditions.push_back(
                {condition.text, std::move(holds), std::move(reads), condition.unstable});
        }
    }

    const ResolvedRule& rule_;
    Language& language_;
    egraph::Rule out_;
};

}  // namespace

egraph::Rule compile_rule(const ResolvedRule& rule, Language& language) {
    return RuleCompiler(rule, language).compile();
}

egraph::ClassId add_term(egraph::EGraph& graph, const std::vector<ResolvedTerm>& terms) {
    std::vector<egraph::ClassId> made;
    made.reserve(terms.size());
    std::vector<egraph::ClassId> children;
    for (const ResolvedTerm& term : terms) {
        children.clear();
        for (std::uint32_t o : term.operands) children.push_back(made[o]);
        made.push_back(graph.add(term.op, term.payload, children));
    }
    return made.back();
}

}  // namespace satura::rules
