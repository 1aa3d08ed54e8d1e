// Words that the grammars keep for themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lang/semantics.hpp"

namespace satura::lang {

enum class WordKind : std::uint8_t {
    plain,     // a name as it is
    function,  // also the name of a function or type, not of a column ("left")
    column,    // also the name of a column, not of a function ("values", "coalesce")
    reserved,
};

// How the dialect's grammar takes a lower-case word. PostgreSQL's kinds; for other dialects, their own reserved words too.
WordKind word_kind(std::string_view word, Dialect dialect);

// Lower-case letters, digits and underscores, not starting with a digit: a name that no dialect folds or misreads.
bool is_plain_word(std::string_view word);

// The text between the dialect's quotes for names.
std::string quoted_name(std::string_view name, Dialect dialect);

// The name of a function as it is called: quoted only where it would not be read as a function.
std::string write_function_name(std::string_view name, Dialect dialect);

}  // namespace satura::lang
