// satura rules, satura fmt
#include <fmt/format.h>

#include <fstream>
#include <iostream>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "optimizer/simplifier.hpp"
#include "rules/printer.hpp"
#include "rules/words.hpp"

namespace satura::app {

namespace {

constexpr const char* kind_names[] = {"expression", "literal",  "type",  "rest", "operator",
                                      "truth",      "relation", "shape", "facts"};

template <class Word>
void print_word(const Word& word) {
    std::string parameters;
    for (rules::ParameterKind kind : word.parameters) {
        if (!parameters.empty()) parameters += ", ";
        parameters += kind_names[static_cast<std::size_t>(kind)];
    }
    if (word.variadic) parameters += "…";
    std::cout << fmt::format("  {:<34} {}\n", fmt::format("{}({})", word.name, parameters),
                             word.meaning);
}

void print_words() {
    std::cout << "conditions\n";
    for (const auto& word : rules::condition_words()) print_word(word);
    std::cout << "computed parts\n";
    for (const auto& word : rules::computed_words()) print_word(word);
}

void print_counts(const rules::RuleBook& book) {
    rules::BookCounts counts = book.counts();
    std::cout << fmt::format("rules {}\nrule instances {}\nprocedures {}\ncomputed words {}\n",
                             counts.rules, counts.instances, counts.procedures,
                             counts.computed_words);
}

}  // namespace

int run_rules(const RulesOptions& options) {
    std::vector<rules::Source> more;
    if (!read_rule_files(options.files, more)) return exit_mistake;
    Simplifier simplifier(lang::Semantics::of(lang::Dialect::postgres), std::move(more));
    for (const std::string& error : simplifier.rule_errors()) std::cerr << error;
    if (!simplifier.rule_errors().empty()) return exit_mistake;
    if (options.words) {
        print_words();
        return exit_done;
    }
    const rules::RuleBook& book = simplifier.book();
    if (options.count) {
        print_counts(book);
        return exit_done;
    }
    std::string ruleset;
    bool any = false;
    for (const rules::BookRule& rule : book.rules) {
        if (rule.name.find(options.pattern) == std::string::npos) continue;
        any = true;
        if (rule.ruleset != ruleset) {
            ruleset = rule.ruleset;
            std::cout << ruleset << "\n";
        }
        if (options.text) {
            std::cout << "\n" << rule.text << "\n";
        } else {
            std::cout << fmt::format("  {:<26} {}:{}\n", rule.name, book.sources[rule.source].name,
                                     rule.line);
        }
    }
    if (any) return exit_done;
    std::cerr << "satura: no rule's name holds \"" << options.pattern << "\"\n";
    return exit_no;
}

}  // namespace satura::app
