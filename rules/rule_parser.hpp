// Reads one `rule` statement: its sides and its clauses.
#pragma once

#include <cstdint>
#include <string_view>

#include "rules/syntax.hpp"
#include "rules/term_parser.hpp"
#include "rules/token_reader.hpp"

namespace satura::rules {

class RuleParser {
  public:
    RuleParser(TokenReader& reader, SyntaxFile& file) : reader_(reader), terms_(reader, file) {}

    // The cursor stands behind the word `rule`. Without a meaning after an error.
    RuleSyntax rule();

  private:
    void sides();
    std::uint32_t find_arrow();
    void clause();
    void for_clause();
    void let_clause();
    void where_clause();
    void when_clause();
    void example(bool keep);
    Name raw(std::uint32_t begin, std::uint32_t end, std::string_view what);
    ConditionSyntax condition();
    WordSyntax word();
    ArgumentSyntax argument();
    bool at_clause() const;
    void once(bool& seen, std::string_view clause);
    void add_clause(ClauseSyntax::Kind kind, std::size_t index, std::uint32_t first_token);

    TokenReader& reader_;
    TermParser terms_;
    RuleSyntax rule_;
    bool has_where_ = false;
    bool has_when_ = false;
    bool has_may_ = false;
};

}  // namespace satura::rules
