// The families of casts behind cast_value(); each gives "unknown" for a pair that is not its own.
#pragma once

#include "lang/evaluate.hpp"

namespace satura::lang {

// Booleans and numbers among each other. Requires a non-NULL value.
Outcome cast_number(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode);
// Anything to char, varchar, text.
Outcome cast_to_text(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode);
// char, varchar, text to anything else.
Outcome cast_from_text(const Value& value, Type to, const Semantics& semantics, Mode mode);
// Dates and timestamps among each other.
Outcome cast_time(const Value& value, Type from, Type to, const Semantics& semantics, Mode mode);

// Whether an explicit cast to char(n) or varchar(n) cuts the text to n characters in that dialect.
bool enforces_length(const Semantics& semantics);
// Number of Unicode characters, and the first n of them.
std::size_t character_count(std::string_view text);
std::string_view first_characters(std::string_view text, std::size_t n);
std::string_view without_trailing_blanks(std::string_view text);

// PostgreSQL's text of a real or double: the shortest digits that give the number back.
std::string float_text(double value, bool is_real);

// Whether the engine casts between these numbers and booleans: PostgreSQL knows boolean and integer only.
bool cast_exists(Type from, Type to, const Semantics& semantics);

}  // namespace satura::lang
