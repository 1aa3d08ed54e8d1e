#include "rules/sema.hpp"

#include <algorithm>

#include "rules/expand.hpp"
#include "rules/nearest.hpp"
#include "rules/path_order.hpp"
#include "rules/sema_terms.hpp"
#include "rules/sema_words.hpp"

namespace satura::rules {

bool Language::is_unstable(const ConditionWord& word, bool negated) const {
    return negated && std::any_of(word.parameters.begin(), word.parameters.end(), [](auto kind) {
               return kind == ParameterKind::expression || kind == ParameterKind::rest;
           });
}

namespace {

// What the language's settings say of `when`.
void check_settings(const RuleSyntax& rule, const Language& language, ErrorSink& errors) {
    const std::vector<Setting> settings = language.settings();
    std::vector<std::string> names;
    for (const Setting& s : settings) names.emplace_back(s.name);
    for (const SettingSyntax& written : rule.settings) {
        const auto known = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) {
            return s.name == written.setting.text;
        });
        if (known == settings.end()) {
            errors.add("unknown-setting", written.setting.span,
                       "unknown setting \"" + written.setting.text + "\"",
                       did_you_mean(written.setting.text, names,
                                    names.empty() ? "this language has no settings"
                                                  : "the settings are " + enumerate(names)));
            continue;
        }
        const std::vector<std::string> values(known->values.begin(), known->values.end());
        if (std::find(values.begin(), values.end(), written.value.text) == values.end()) {
            errors.add(
                "unknown-value", written.value.span,
                "\"" + written.setting.text + "\" has no value \"" + written.value.text + "\"",
                "its values are " + enumerate(values));
        }
    }
}

// How often each variable stands on a side; more than once in an `each` counts as often.
class UseCounter {
  public:
    explicit UseCounter(const ResolvedRule& rule) : rule_(rule) {}

    std::vector<std::uint32_t> count(std::uint32_t root) const {
        constexpr std::uint32_t many = 1000;
        std::vector<std::uint32_t> uses(rule_.variables.size(), 0);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> todo{{root, 1}};  // term, weight
        while (!todo.empty()) {
            const auto [t, weight] = todo.back();
            todo.pop_back();
            const ResolvedTerm& term = rule_.terms[t];
            if (term.kind == TermKind::variable || term.kind == TermKind::rest) {
                const std::uint32_t rest = rule_.variables[term.variable].element_of;
                if (rest != no_term) {
                    ++uses[rest];
                } else {
                    uses[term.variable] += weight;
                }
            }
            for (std::uint32_t o : term.operands) {
                todo.emplace_back(o, term.kind == TermKind::each ? many : weight);
            }
        }
        return uses;
    }

  private:
    const ResolvedRule& rule_;
};

bool has_condition(const ResolvedRule& rule, const ConditionWord* word, std::uint32_t variable) {
    return std::any_of(rule.conditions.begin(), rule.conditions.end(), [&](const auto& c) {
        if (c.alternatives.size() != 1) return false;
        const ResolvedWord& use = c.alternatives[0];
        return use.word == word && !use.negated && use.arguments.size() == 1 &&
               std::get_if<std::uint32_t>(use.arguments.data()) != nullptr &&
               std::get<std::uint32_t>(use.arguments[0]) == variable;
    });
}

// A variable that the sides use a different number of times must be free of volatile calls.
void add_stable_conditions(ResolvedRule& rule, const Language& language) {
    const auto& words = language.conditions();
    const auto stable = std::find_if(words.begin(), words.end(), [](const ConditionWord& w) {
        return w.name == "stable" && w.parameters.size() == 1;
    });
    if (stable == words.end()) return;
    const UseCounter counter(rule);
    const std::vector<std::uint32_t> left = counter.count(rule.left);
    const std::vector<std::uint32_t> right = counter.count(rule.right);
    for (std::uint32_t v = 0; v < rule.variables.size(); ++v) {
        const Variable& variable = rule.variables[v];
        const bool may_be_volatile =
            variable.kind == VariableKind::expression || variable.kind == VariableKind::rest;
        if (!may_be_volatile || variable.computed || variable.element_of != no_term) continue;
        if (left[v] == right[v] || has_condition(rule, &*stable, v)) continue;
        ResolvedCondition condition;
        condition.text = "stable(?" + variable.name + ")";
        condition.added = true;
        condition.span = variable.span;
        condition.alternatives.push_back(
            {&*stable,
             false,
             variable.kind == VariableKind::rest && stable->parameters[0] != ParameterKind::rest,
             {ResolvedArgument(v)}});
        rule.conditions.push_back(std::move(condition));
    }
}

class InstanceResolver {
  public:
    InstanceResolver(const SyntaxFile& file, const RuleSyntax& rule, const Instance& instance,
                     const std::vector<const TableSyntax*>& tables, Language& language,
                     ErrorSink& errors)
        : file_(file),
          rule_(rule),
          instance_(instance),
          language_(language),
          errors_(errors),
          terms_(file, instance, language, out_, errors),
          words_(instance, tables, language, out_, terms_, errors) {}

    // False where a table leaves the instance out.
    bool run() {
        out_.written_name = rule_.name.text;
        out_.name = rule_.name.text + instance_.suffix();
        out_.back = instance_.back;
        out_.normalises = rule_.arrow == Arrow::normalise;
        out_.may_raise = rule_.may_raise;
        out_.settings = rule_.settings;
        out_.span = rule_.name.span;
        declare_kinds();
        out_.left = terms_.side(instance_.back ? rule_.right : rule_.left, Side::left);
        for (const LetSyntax& let : rule_.lets) words_.let(let);
        out_.right = terms_.side(instance_.back ? rule_.left : rule_.right, Side::right);
        bool applies = true;
        for (const ConditionSyntax& condition : rule_.conditions) {
            if (condition.variable.text.empty()) {
                applies = words_.condition(condition) && applies;
            } else {
                check_declaration(condition);
            }
        }
        return applies;
    }

    void check_arrow(const PathOrder* order) {
        if (!out_.normalises) return;
        if (out_.terms[out_.left].kind == TermKind::variable) {
            errors_.add("bare-left", out_.terms[out_.left].span,
                        "the left side of \"~>\" must have an operator",
                        "use \"=>\": a variable matches everything, and all of it would go");
            return;
        }
        for (const ResolvedCondition& condition : out_.conditions) {
            if (!condition.unstable) continue;
            errors_.add("unstable-condition", condition.span,
                        "\"~>\" cannot rest on a condition that may turn false later",
                        "use \"=>\", or a condition that stays true once it is");
        }
        if (order == nullptr) return;
        const std::string why = order->refuse(out_);
        if (why.empty()) return;
        errors_.add("not-decreasing", rule_.arrow_span,
                    "the right side of this \"~>\" is not less than the left: " + why,
                    "use \"=>\", or name the operators in \"order\", the greater ones first");
    }

    ResolvedRule take() {
        add_stable_conditions(out_, language_);
        return std::move(out_);
    }

  private:
    void declare_kinds() {
        for (const ConditionSyntax& condition : rule_.conditions) {
            if (condition.variable.text.empty()) continue;
            const auto kind = kind_named(condition.kind.text);
            if (kind) {
                terms_.declare(condition.variable, *kind);
            } else {
                errors_.add("unknown-kind", condition.kind.span,
                            "unknown kind \"" + condition.kind.text + "\"",
                            "the kinds are expression, literal, type and rest");
            }
        }
    }

    static std::optional<VariableKind> kind_named(std::string_view name) {
        if (name == "expression") return VariableKind::expression;
        if (name == "literal") return VariableKind::literal;
        if (name == "type") return VariableKind::type;
        if (name == "rest") return VariableKind::rest;
        return std::nullopt;
    }

    void check_declaration(const ConditionSyntax& condition) {
        const auto kind = kind_named(condition.kind.text);
        if (!kind) return;
        const std::uint32_t variable = terms_.find(condition.variable.text);
        const std::string shown = "?" + condition.variable.text;
        if (variable == no_term) {
            errors_.add("unbound-variable", condition.variable.span,
                        shown + " stands on neither side",
                        did_you_mean(condition.variable.text, terms_.bound_names(),
                                     "leave the declaration out"));
        } else if (out_.variables[variable].kind != *kind) {
            errors_.add("kind-clash", condition.kind.span,
                        shown + " is " + kind_name(out_.variables[variable].kind) + ", not " +
                            kind_name(*kind),
                        "leave the declaration out, or give it a variable of its own");
        }
    }

    const SyntaxFile& file_;
    const RuleSyntax& rule_;
    const Instance& instance_;
    Language& language_;
    ErrorSink& errors_;
    ResolvedRule out_;
    TermResolver terms_;
    WordResolver words_;
};

void check_fors(const SyntaxFile& file, const RuleSyntax& rule, ErrorSink& errors) {
    for (const ForSyntax& clause : rule.fors) {
        bool is_used = false;
        for (std::uint32_t side : {rule.left, rule.right}) {
            std::vector<std::uint32_t> todo{side};
            while (!todo.empty()) {
                const Term& term = file.terms[todo.back()];
                todo.pop_back();
                is_used = is_used || (term.operator_variable && term.text == clause.variable.text);
                for (std::uint32_t i = 0; i < term.count; ++i)
                    todo.push_back(file.operand(term, i));
            }
        }
        if (!is_used) {
            errors.add("unused-for", clause.variable.span,
                       "no side uses the operator ?" + clause.variable.text,
                       "leave the clause out");
        }
        const auto same = std::count_if(rule.fors.begin(), rule.fors.end(), [&](const auto& other) {
            return other.variable.text == clause.variable.text;
        });
        if (same > 1) {
            errors.add("clause-twice", clause.variable.span,
                       "two \"for\" clauses name ?" + clause.variable.text,
                       "join their operators in one clause");
        }
    }
}

}  // namespace

void resolve_rule(const SyntaxFile& file, const RuleSyntax& rule,
                  const std::vector<const TableSyntax*>& tables, Language& language,
                  const PathOrder* order, std::vector<ResolvedRule>& out,
                  std::vector<lang::Diagnostic>& errors) {
    std::vector<lang::Diagnostic> found;
    ErrorSink sink(found);
    check_fors(file, rule, sink);
    check_settings(rule, language, sink);
    if (rule.arrow == Arrow::both && !rule.lets.empty()) {
        sink.add("computed-on-left", rule.lets[0].span,
                 "a \"<=>\" rule has no computed parts, since one direction would look for them",
                 "write two \"=>\" rules");
    }
    const std::vector<Instance> all = found.empty() ? instances(rule) : std::vector<Instance>();
    if (all.empty() && found.empty()) {
        sink.add("too-many-instances", rule.name.span,
                 "the rule has more than " + std::to_string(instance_max) + " instances",
                 "split it, or list fewer operators");
    }
    std::vector<ResolvedRule> resolved;
    for (const Instance& instance : all) {
        InstanceResolver resolver(file, rule, instance, tables, language, sink);
        const bool applies = resolver.run();
        if (found.empty() && applies) resolver.check_arrow(order);
        if (found.empty() && applies) resolved.push_back(resolver.take());
    }
    if (found.empty()) {
        std::move(resolved.begin(), resolved.end(), std::back_inserter(out));
    }
    std::move(found.begin(), found.end(), std::back_inserter(errors));
}

std::vector<ResolvedTerm> resolve_ground(const SyntaxFile& file, std::uint32_t term,
                                         Language& language,
                                         std::vector<lang::Diagnostic>& errors) {
    std::vector<lang::Diagnostic> found;
    ErrorSink sink(found);
    ResolvedRule holder;
    const Instance none;
    TermResolver resolver(file, none, language, holder, sink);
    resolver.side(term, Side::ground);
    const bool is_good = found.empty();
    std::move(found.begin(), found.end(), std::back_inserter(errors));
    return is_good ? std::move(holder.terms) : std::vector<ResolvedTerm>();
}

std::vector<std::uint32_t> terms_under(const ResolvedRule& rule, std::uint32_t root) {
    std::vector<bool> is_under(rule.terms.size());
    is_under[root] = true;
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = root + 1; i-- > 0;) {
        if (!is_under[i]) continue;
        out.push_back(i);
        for (std::uint32_t o : rule.terms[i].operands) is_under[o] = true;
    }
    std::ranges::reverse(out);
    return out;
}

}  // namespace satura::rules
