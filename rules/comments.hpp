// Gives each comment of a file to the statement or clause that it belongs to.
#pragma once

#include <string_view>

#include "rules/lexer.hpp"
#include "rules/syntax.hpp"

namespace satura::rules {

// A comment on a line of its own belongs to what follows it, one behind a token to what it follows. Comments of statements
// that were dropped for an error go to the next one.
void attach_comments(std::string_view text, const Tokens& tokens, SyntaxFile& file);

}  // namespace satura::rules
