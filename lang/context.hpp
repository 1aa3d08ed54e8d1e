// What expressions share while one query or one batch is worked on: interned constants and names, and the semantics.
#pragma once

#include <string>
#include <vector>

#include "lang/literals.hpp"
#include "lang/semantics.hpp"

namespace satura::lang {

// A piece of SQL that no rule looks into: its text with $1, $2 … where its child expressions stand.
struct Opaque {
    std::string text;
};

struct Context {
    Semantics semantics;
    Literals literals;
    Names names;                  // functions; a volatile call's name id is paired with its occurrence, see Call
    Names type_names;             // opaque types
    std::vector<Opaque> opaques;  // payloads of Op::opaque; each occurrence is its own entry
};

}  // namespace satura::lang
