// Syntax tree to text, in the one canonical layout: `satura fmt`.
#pragma once

#include <cstdint>
#include <string>

#include "rules/syntax.hpp"

namespace satura::rules {

// Parsing the text again gives the same tree. Comments keep their places between statements and clauses.
std::string print_file(const SyntaxFile& file);

// One term on one line, with the fewest parentheses.
std::string print_term(const SyntaxFile& file, std::uint32_t term);
std::string print_condition(const ConditionSyntax& condition);
std::string print_word(const WordSyntax& word);
std::string print_name(
    const std::string& operator_name);  // an operator in a list: in quotes where it needs them

}  // namespace satura::rules
