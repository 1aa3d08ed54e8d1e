// Resolves the words of one instance of a rule: conditions and computed parts, with their arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rules/expand.hpp"
#include "rules/sema.hpp"
#include "rules/sema_terms.hpp"

namespace satura::rules {

class WordResolver {
  public:
    WordResolver(const Instance& instance, const std::vector<const TableSyntax*>& tables,
                 Language& language, ResolvedRule& out, TermResolver& terms, ErrorSink& errors)
        : instance_(instance),
          tables_(tables),
          language_(language),
          out_(out),
          terms_(terms),
          errors_(errors) {}

    void let(const LetSyntax& let);
    // Appends the condition; false where tables alone make it false.
    bool condition(const ConditionSyntax& condition);

  private:
    std::optional<bool> ask_table(const WordSyntax& word);
    const TableSyntax* table_named(std::string_view name) const;
    std::string operator_of(const ArgumentSyntax& argument);
    void unknown_word(const WordSyntax& word, bool in_let);
    std::vector<ResolvedArgument> arguments(const WordSyntax& word,
                                            const std::vector<ParameterKind>& parameters,
                                            bool variadic);
    ResolvedArgument argument(const WordSyntax& word, std::size_t index, ParameterKind as);
    ResolvedArgument variable(const WordSyntax& word, std::size_t index, ParameterKind as);
    void wrong_kind(const WordSyntax& word, std::size_t index, ParameterKind as,
                    const std::string& what, std::string help);

    const Instance& instance_;
    const std::vector<const TableSyntax*>& tables_;
    Language& language_;
    ResolvedRule& out_;
    TermResolver& terms_;
    ErrorSink& errors_;
    bool in_let_ = false;
};

}  // namespace satura::rules
