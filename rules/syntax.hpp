// The syntax tree of a rule file: what the parser makes, the printer prints and sema checks.
//
// Everything lies in vectors of the file and is named by index; each part has the span of the text it came from. Operands of
// a term have smaller indexes than the term, so passes over terms are loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/diagnostic.hpp"

namespace satura::rules {

using lang::Span;

inline constexpr std::uint32_t no_term = 0xFFFFFFFFU;

// A name with its place; for a variable without the "?".
struct Name {
    std::string text;
    Span span;
};

// What `flip(?op)` and its like do to an operator; docs/rules.md lists the pairs.
enum class OperatorMap : std::uint8_t { none, flip, negate, weaken, strengthen, swap };

// How a leaf is written. `word` is true, false or null.
enum class LiteralText : std::uint8_t { word, number, string };

//   variable  ?x
//   rest      ...?x
//   each      each TERM, one operand
//   literal   a number, a string with its quotes, true, false, null
//   apply     an operator or function with operands; without any: a leaf. Infix, prefix, `f(…)` and `f{…}` are one kind.
enum class TermKind : std::uint8_t { variable, rest, each, literal, apply };

struct Term {
    TermKind kind = TermKind::variable;
    LiteralText literal = LiteralText::word;
    OperatorMap map = OperatorMap::none;  // apply, where the operator is a variable
    bool operator_variable = false;       // apply: `text` names a variable of a `for` clause
    bool type_variable = false;           // cast, try_cast: `type` names a variable
    bool braces = false;                  // apply: was written f{…}; only for printing
    bool chained =
        false;  // apply: a + b + c, the first operand is of the same operator and not in parentheses
    Span span;
    std::string
        text;  // variable, rest: its name; literal: as written; apply: the operator as signatures spell it
    std::string
        type;  // cast, try_cast: the type's text in one-blank spelling, or the variable's name
    Span type_span;
    std::uint32_t first = 0;  // operands: [first, first + count) of SyntaxFile::operands
    std::uint32_t count = 0;
};

enum class Arrow : std::uint8_t { explore, normalise, both };  // =>  ~>  <=>

// An argument of a word.
struct ArgumentSyntax {
    enum class Kind : std::uint8_t {
        variable,
        number,
        string,
        words
    };  // words: an operator or a type, in one-blank spelling
    Kind kind = Kind::variable;
    OperatorMap map = OperatorMap::none;
    bool dots = false;  // a variable was written ...?x; it must be a rest
    std::string text;
    Span span;
};

struct WordSyntax {
    bool negated = false;
    Name word;
    std::vector<ArgumentSyntax> arguments;
    Span span;
};

// `?x: KIND`, or alternatives joined by `or`.
struct ConditionSyntax {
    Name variable;  // empty text: no declaration
    Name kind;
    std::vector<WordSyntax> alternatives;
    Span span;
};

struct ForSyntax {
    Name variable;
    std::vector<Name> operators;
    Span span;
};

struct LetSyntax {
    Name variable;
    WordSyntax word;
    Span span;
};

struct SettingSyntax {
    Name setting;
    Name value;
};

// `example` and `keep`: text for the language's own reader, not parsed here.
struct ExampleSyntax {
    bool keep = false;
    Arrow arrow = Arrow::explore;
    Name columns;  // empty text: none given
    Name left;
    Name right;  // of an example
    Span span;
};

// The clauses of a rule in the order in which they stand.
struct ClauseSyntax {
    enum class Kind : std::uint8_t { for_, let, where, when, may_raise, example };
    Kind kind = Kind::where;
    std::uint32_t index = 0;  // into the rule's vector of that kind; 0 for where, when, may raise
    std::vector<std::string> comments;  // lines above it, with their dashes
    std::string trailing;               // comment behind it
    Span span;
};

struct RuleSyntax {
    Name name;
    Arrow arrow = Arrow::explore;
    Span arrow_span;
    std::uint32_t left = no_term;
    std::uint32_t right = no_term;
    std::vector<ForSyntax> fors;
    std::vector<LetSyntax> lets;
    std::vector<ConditionSyntax> conditions;
    std::vector<SettingSyntax> settings;
    bool may_raise = false;
    std::vector<ExampleSyntax> examples;
    std::vector<ClauseSyntax> clauses;
    std::vector<std::string> side_comments;  // comment lines between the head and the first clause
    std::string side_trailing;
    Span span;
};

struct OrderSyntax {
    std::vector<std::vector<Name>> ranks;  // greatest first
};

struct OperatorSyntax {
    enum class Shape : std::uint8_t { fixed, sequence, set, bag };
    Name name;
    Shape shape = Shape::fixed;
    std::uint32_t arity = 0;
    Name unit;  // empty text: none
    Name zero;
};

struct TableSyntax {
    Name name;
    std::vector<std::vector<Name>>
        rows;  // the first row: names of the columns; each later one: its name, then + or -
};

struct ProcedureSyntax {
    Name name;
    std::string reason;  // in one-blank spelling
};

struct PhaseSyntax {
    std::uint32_t number = 0;
};

struct Statement {
    enum class Kind : std::uint8_t {
        ruleset,
        phase,
        order,
        operator_,
        start,
        table,
        procedure,
        rule
    };
    Kind kind = Kind::rule;
    std::uint32_t index = 0;            // into SyntaxFile's vector of that kind
    std::vector<std::string> comments;  // lines above it, with their dashes; "" for a blank line
    std::vector<std::string> inner;     // comment lines inside a statement that is no rule
    std::string trailing;               // comment behind its first line
    bool blank_before = false;
    Span span;
};

struct SyntaxFile {
    std::vector<Term> terms;
    std::vector<std::uint32_t> operands;
    std::vector<Statement> statements;
    std::vector<Name> rulesets;
    std::vector<PhaseSyntax> phases;
    std::vector<OrderSyntax> orders;
    std::vector<OperatorSyntax> operators;
    std::vector<std::uint32_t> starts;  // terms
    std::vector<TableSyntax> tables;
    std::vector<ProcedureSyntax> procedures;
    std::vector<RuleSyntax> rules;
    std::vector<std::string> end_comments;  // behind the last statement

    std::uint32_t operand(const Term& term, std::uint32_t i) const {
        return operands[term.first + i];
    }
};

}  // namespace satura::rules
