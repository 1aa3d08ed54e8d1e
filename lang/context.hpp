// What expressions share while one query or one batch is worked on: interned constants and names, and the semantics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/literals.hpp"
#include "lang/semantics.hpp"

namespace satura::lang {

// A piece of SQL that no rule looks into: its text with $1, $2 … where its child expressions stand, and $$ for a dollar
// sign. Children without a place in the text are columns that it may read (in a subquery).
struct Opaque {
    std::string text;
};

struct Context {
    Semantics semantics;
    Literals literals;
    Names names;  // functions; a volatile call's name id is paired with its occurrence, see Call
    Names type_names;             // opaque types
    std::vector<Opaque> opaques;  // payloads of Op::opaque; each occurrence is its own entry
    std::uint32_t volatile_calls =
        0;  // occurrences of volatile calls so far: the name id of one is "name\x01number"
    // Some text of the query is compared by a collation of its own, in which different texts may be equal.
    bool has_collations = false;
};

}  // namespace satura::lang
