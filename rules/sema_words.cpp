#include "rules/sema_words.hpp"

#include <algorithm>

#include "rules/nearest.hpp"
#include "rules/printer.hpp"
#include "rules/term_parser.hpp"

namespace satura::rules {

namespace {

const char* parameter_name(ParameterKind kind) {
    switch (kind) {
        case ParameterKind::expression:
            return "an expression";
        case ParameterKind::literal:
            return "a literal";
        case ParameterKind::type:
            return "a type";
        case ParameterKind::rest:
            return "a rest";
        case ParameterKind::op:
            return "an operator";
        case ParameterKind::truth:
            return "a truth";
        case ParameterKind::relation:
            return "a relation";
        case ParameterKind::shape:
            return "a shape";
        case ParameterKind::facts:
            return "facts, a truth or a relation";
    }
    return "";
}

bool fits(VariableKind kind, ParameterKind as) {
    switch (as) {
        case ParameterKind::expression:
            return kind == VariableKind::expression || kind == VariableKind::literal;
        case ParameterKind::literal:
            return kind == VariableKind::literal;
        case ParameterKind::type:
            return kind == VariableKind::type;
        case ParameterKind::rest:
            return kind == VariableKind::rest;
        case ParameterKind::op:
            return kind == VariableKind::op;
        case ParameterKind::truth:
        case ParameterKind::relation:
        case ParameterKind::shape:
            return kind == VariableKind::expression;
        case ParameterKind::facts:
            return kind == VariableKind::expression || kind == VariableKind::facts;
    }
    return false;
}

template <class Word>
const Word* find_word(const std::vector<Word>& words, std::string_view name) {
    const auto at =
        std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.name == name; });
    return at == words.end() ? nullptr : &*at;
}

VariableKind kind_of(ResultKind kind) {
    switch (kind) {
        case ResultKind::literal:
            return VariableKind::literal;
        case ResultKind::type:
            return VariableKind::type;
        case ResultKind::expression:
            return VariableKind::expression;
        case ResultKind::rest:
            return VariableKind::rest;
        case ResultKind::truth:
            return VariableKind::expression;
        case ResultKind::facts:
            return VariableKind::facts;
    }
    return VariableKind::literal;
}

}  // namespace

void WordResolver::let(const LetSyntax& let) {
    const ComputedWord* word = find_word(language_.computations(), let.word.word.text);
    if (let.word.negated) {
        errors_.add("negated-let", let.word.span, "a computed part cannot be negated",
                    "leave out \"not\"");
    }
    ResolvedLet out;
    out.word = word;
    out.text = "?" + let.variable.text + " = " + print_word(let.word);
    out.span = let.span;
    if (word == nullptr) {
        unknown_word(let.word, true);
    } else {
        in_let_ = true;
        out.arguments = arguments(let.word, word->parameters, word->variadic);
        in_let_ = false;
    }
    const bool is_bound =
        terms_.find(let.variable.text) != no_term || instance_.find(let.variable.text) != nullptr;
    if (is_bound) {
        errors_.add("bound-twice", let.variable.span, "?" + let.variable.text + " is bound already",
                    "give the computed part a name of its own");
        return;
    }
    const VariableKind kind = word == nullptr ? VariableKind::literal : kind_of(word->result);
    out.variable = terms_.add_variable(let.variable, kind, true);
    out_.lets.push_back(std::move(out));
}

void WordResolver::unknown_word(const WordSyntax& word, bool in_let) {
    std::vector<std::string> conditions, computations;
    for (const auto& w : language_.conditions()) conditions.emplace_back(w.name);
    for (const auto& w : language_.computations()) computations.emplace_back(w.name);
    for (const TableSyntax* table : tables_) conditions.push_back(table->name.text);
    const std::vector<std::string>& others = in_let ? conditions : computations;
    const bool is_other = std::find(others.begin(), others.end(), word.word.text) != others.end();
    if (is_other) {
        errors_.add(
            "unknown-word", word.word.span,
            "\"" + word.word.text + "\" is a " +
                (in_let ? "condition, not a computed part" : "computed part, not a condition"),
            in_let ? "use it in \"where\"" : "use it in let ?d = " + word.word.text + "(…)");
        return;
    }
    const std::vector<std::string>& names = in_let ? computations : conditions;
    errors_.add(
        "unknown-word", word.word.span,
        "unknown " + std::string(in_let ? "computed part" : "condition") + " \"" + word.word.text +
            "\"",
        did_you_mean(word.word.text, names,
                     names.empty() ? "this language has none" : "docs/rules.md lists the words"));
}

std::vector<ResolvedArgument> WordResolver::arguments(const WordSyntax& word,
                                                      const std::vector<ParameterKind>& parameters,
                                                      bool variadic) {
    std::vector<ResolvedArgument> out;
    const bool is_right = variadic ? word.arguments.size() >= parameters.size()
                                   : word.arguments.size() == parameters.size();
    if (!is_right) {
        std::vector<std::string> names;
        for (ParameterKind kind : parameters) names.emplace_back(parameter_name(kind));
        std::string wanted;
        for (std::size_t i = 0; i < names.size(); ++i) wanted += (i > 0 ? ", " : "") + names[i];
        errors_.add("argument-count", word.span,
                    "\"" + word.word.text + "\" takes " + (variadic ? "at least " : "") +
                        std::to_string(parameters.size()) +
                        (parameters.size() == 1 ? " argument" : " arguments") + ", not " +
                        std::to_string(word.arguments.size()),
                    wanted.empty() ? "" : "it takes " + wanted);
        return out;
    }
    for (std::size_t i = 0; i < word.arguments.size(); ++i) {
        out.push_back(argument(word, i, parameters[std::min(i, parameters.size() - 1)]));
    }
    return out;
}

void WordResolver::wrong_kind(const WordSyntax& word, std::size_t index, ParameterKind as,
                              const std::string& what, std::string help) {
    errors_.add("argument-kind", word.arguments[index].span,
                "argument " + std::to_string(index + 1) + " of \"" + word.word.text + "\" is " +
                    parameter_name(as) + ", and " + what,
                std::move(help));
}

std::string WordResolver::operator_of(const ArgumentSyntax& argument) {
    if (argument.kind != ArgumentSyntax::Kind::variable) return argument.text;
    const std::string* op = instance_.find(argument.text);
    if (op == nullptr) return "";
    const auto result = mapped(argument.map, *op);
    if (result) return *result;
    errors_.add("no-map", argument.span,
                std::string(TermParser::map_name(argument.map)) +
                    " has no value for the operator \"" + *op + "\"",
                "leave it out of the \"for\", or write a rule of its own for it");
    return *op;
}

ResolvedArgument WordResolver::argument(const WordSyntax& word, std::size_t index,
                                        ParameterKind as) {
    const ArgumentSyntax& argument = word.arguments[index];
    const bool is_operator =
        argument.kind == ArgumentSyntax::Kind::variable && instance_.find(argument.text) != nullptr;
    if (argument.kind == ArgumentSyntax::Kind::variable && !is_operator) {
        return variable(word, index, as);
    }
    if (is_operator && as != ParameterKind::op) {
        wrong_kind(word, index, as, "?" + argument.text + " is an operator",
                   "use a variable of the sides");
        return Argument{};
    }
    const std::string text = operator_of(argument);
    const auto how = is_operator ? ArgumentSyntax::Kind::words : argument.kind;
    if (auto constant = language_.constant(text, how, as)) return *constant;
    wrong_kind(word, index, as, "\"" + text + "\" is none",
               as == ParameterKind::expression || as == ParameterKind::literal
                   ? language_.literal_help()
                   : std::string("name a variable, or write out one that the language knows"));
    return Argument{};
}

ResolvedArgument WordResolver::variable(const WordSyntax& word, std::size_t index,
                                        ParameterKind as) {
    const ArgumentSyntax& argument = word.arguments[index];
    const std::string shown = "?" + argument.text;
    const std::uint32_t v = terms_.find(argument.text);
    if (v == no_term || out_.variables[v].element_of != no_term) {
        errors_.add("unbound-variable", argument.span,
                    shown + " is neither on the left side nor computed before",
                    terms_.unbound_help(argument.text));
        return Argument{};
    }
    if (argument.map != OperatorMap::none) {
        wrong_kind(word, index, as, shown + " is no operator", "only operators have maps");
        return Argument{};
    }
    const bool is_over_elements = !in_let_ && as == ParameterKind::expression &&
                                  word.arguments.size() == 1 &&
                                  out_.variables[v].kind == VariableKind::rest;
    if (is_over_elements && word.negated) {
        wrong_kind(word, index, as, shown + " is a rest",
                   "of each element of a rest only a word without \"not\" can hold");
    } else if (argument.dots && out_.variables[v].kind != VariableKind::rest) {
        wrong_kind(word, index, as, "..." + shown + " is no rest", "leave out the dots");
    } else if (!is_over_elements && !fits(out_.variables[v].kind, as)) {
        wrong_kind(
            word, index, as, shown + " is " + kind_name(out_.variables[v].kind),
            as == ParameterKind::literal && out_.variables[v].kind == VariableKind::expression
                ? "say where " + shown + ": literal"
                : "");
    }
    return v;
}

const TableSyntax* WordResolver::table_named(std::string_view name) const {
    const auto at = std::find_if(tables_.begin(), tables_.end(),
                                 [&](const TableSyntax* t) { return t->name.text == name; });
    return at == tables_.end() ? nullptr : *at;
}

// What a table says of two operators; nothing where the word is no table's name.
std::optional<bool> WordResolver::ask_table(const WordSyntax& word) {
    const TableSyntax* table = table_named(word.word.text);
    if (table == nullptr || find_word(language_.conditions(), word.word.text) != nullptr) {
        return std::nullopt;
    }
    if (word.arguments.size() != 2) {
        errors_.add("argument-count", word.span,
                    "a table takes 2 arguments, not " + std::to_string(word.arguments.size()),
                    "the row's operator and the column's");
        return true;
    }
    const std::string row = operator_of(word.arguments[0]);
    const std::string column = operator_of(word.arguments[1]);
    for (std::size_t r = 1; r < table->rows.size(); ++r) {
        if (table->rows[r][0].text != row) continue;
        for (std::size_t c = 0; c < table->rows[0].size(); ++c) {
            if (table->rows[0][c].text == column) return table->rows[r][c + 1].text == "+";
        }
    }
    errors_.add("no-table-entry", word.span,
                "the table \"" + table->name.text + "\" has no entry for \"" + row + "\" and \"" +
                    column + "\"",
                "its arguments are operators of a \"for\", first the row, then the column");
    return true;
}

bool WordResolver::condition(const ConditionSyntax& syntax) {
    ResolvedCondition out;
    out.text = print_condition(syntax);
    out.span = syntax.span;
    bool is_true = false;
    for (const WordSyntax& word : syntax.alternatives) {
        if (const auto answer = ask_table(word)) {
            is_true = is_true || *answer != word.negated;
            continue;
        }
        const ConditionWord* known = find_word(language_.conditions(), word.word.text);
        if (known == nullptr) {
            unknown_word(word, false);
            is_true = true;
            continue;
        }
        ResolvedWord use;
        use.word = known;
        use.negated = word.negated;
        use.arguments = arguments(word, known->parameters, known->variadic);
        out.unstable = out.unstable || language_.is_unstable(*known, word.negated);
        for (const ResolvedArgument& argument : use.arguments) {
            const auto* v = std::get_if<std::uint32_t>(&argument);
            if (v == nullptr) continue;
            out.computed = out.computed || out_.variables[*v].computed;
            use.over_elements = known->parameters.size() == 1 &&
                                known->parameters[0] == ParameterKind::expression &&
                                out_.variables[*v].kind == VariableKind::rest;
        }
        out.alternatives.push_back(std::move(use));
    }
    if (is_true) return true;
    if (out.alternatives.empty()) return false;
    out_.conditions.push_back(std::move(out));
    return true;
}

}  // namespace satura::rules
