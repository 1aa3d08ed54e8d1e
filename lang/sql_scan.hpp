// Tokens of SQL text, and what is done on them before the grammar reads it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"
#include "lang/sql_parse.hpp"

namespace satura::lang {

// The tokens of a text without its comments; empty when the text cannot be cut into tokens.
std::vector<Token> scan_tokens(const std::string& text);

// The first byte that is NUL or no valid UTF-8.
std::optional<std::uint32_t> first_bad_byte(std::string_view text);

// Overwrites each TRY_CAST( by a plain cast( of the same length and notes where; no effect on other text.
void hide_try_casts(std::string& text, std::vector<std::uint32_t>& offsets);

// Overwrites the quotes of the dialect by those of the grammar. An error's span counts from the start of `text`.
std::optional<Diagnostic> map_quotes(std::string& text, Dialect dialect);

// The first token at which a chain or a nesting is deeper than `limit`.
std::optional<Token> first_too_deep(const std::vector<Token>& tokens, std::uint32_t limit);

// The byte offset of a 1-based character position.
std::uint32_t byte_of_character(std::string_view text, std::uint32_t position);

}  // namespace satura::lang
