// Checked rules: one instance for each choice of `for` operators and each direction, its operators, words and kinds resolved
// in a Language. The compiler makes the engine's rules from them, the checker evaluates them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rules/language.hpp"
#include "rules/syntax.hpp"

namespace satura::rules {

class PathOrder;

struct Variable {
    std::string name;  // without "?"
    VariableKind kind = VariableKind::expression;
    bool computed = false;               // by a `let`
    std::uint32_t element_of = no_term;  // the variable of an `each`: its rest's index
    Span span;                           // where it stands first
};

//   variable  an expression, or a literal (a node of the literal operator with the variable as payload)
//   rest      the elements of a rest variable, among the operands of a set, bag or sequence
//   each      the operand, once for each element of `over`, with `variable` standing for the element; right sides only
//   apply     a node; its payload is `payload` or, for casts to a type variable, that variable
struct ResolvedTerm {
    TermKind kind = TermKind::variable;  // never literal: that is an apply of the literal operator
    std::uint32_t variable = no_term;    // variable, rest, each
    std::uint32_t over = no_term;        // each: the rest variable
    egraph::OpId op{};
    egraph::Shape shape = egraph::Shape::fixed;
    egraph::Payload payload = 0;
    std::uint32_t payload_variable = no_term;
    bool is_literal = false;              // apply of the literal operator
    std::string name;                     // apply: the operator as rules spell it
    std::vector<std::uint32_t> operands;  // smaller indexes
    Span span;
};

using ResolvedArgument = std::variant<std::uint32_t, Argument>;  // a variable, or a constant

struct ResolvedWord {
    const ConditionWord* word = nullptr;
    bool negated = false;
    bool over_elements =
        false;  // its only argument is a rest, the parameter an expression: holds of each element
    std::vector<ResolvedArgument> arguments;
};

struct ResolvedCondition {
    std::string text;
    std::vector<ResolvedWord> alternatives;  // one of them holds
    bool unstable = false;
    bool computed = false;  // looks at a computed part
    bool added = false;     // by the compiler: stable(?x)
    Span span;
};

struct ResolvedLet {
    std::string text;
    std::uint32_t variable = 0;
    const ComputedWord* word = nullptr;
    std::vector<ResolvedArgument> arguments;
    Span span;
};

struct ResolvedRule {
    std::string
        name;  // "push", with "/back" for the second direction of <=> and "[<, =]" for operators of `for`
    std::string written_name;  // "push"
    bool back = false;
    bool normalises = false;
    bool may_raise = false;
    std::vector<Variable> variables;
    std::vector<ResolvedTerm> terms;  // of both sides
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::vector<ResolvedCondition> conditions;
    std::vector<ResolvedLet> lets;
    std::vector<SettingSyntax> settings;
    Span span;  // of the head
};

// Checks a rule and appends its instances; what is wrong goes to `errors`, and then nothing is appended. `order` decides
// whether `~>` goes down; null: not checked. Cost: linear in the rule for each instance; `~>` is quadratic in its size.
void resolve_rule(const SyntaxFile& file, const RuleSyntax& rule,
                  const std::vector<const TableSyntax*>& tables, Language& language,
                  const PathOrder* order, std::vector<ResolvedRule>& out,
                  std::vector<lang::Diagnostic>& errors);

// The terms under a root, itself included, in order. Cost: linear in the rule.
std::vector<std::uint32_t> terms_under(const ResolvedRule& rule, std::uint32_t root);

// A term without variables, as its own rule-less list of terms; the last one is the root. Empty where there are errors.
std::vector<ResolvedTerm> resolve_ground(const SyntaxFile& file, std::uint32_t term,
                                         Language& language, std::vector<lang::Diagnostic>& errors);

}  // namespace satura::rules
