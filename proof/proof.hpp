// A proof: the steps by which one expression became another.
#pragma once

#include <string>
#include <vector>

#include "lang/semantics.hpp"
#include "lang/type.hpp"
#include "proof/terms.hpp"

namespace satura::proof {

// A term as a proof writes it, whatever a program has interned.
struct WrittenTerm {
    std::string op;  // as the signature names it: "and", "cast", "upper"
    std::string
        payload;       // of a constant its text; of a column or an opaque piece its number, from 0
    std::string type;  // of a constant or a cast
    bool is_null = false;
    std::vector<std::uint32_t> children;  // earlier terms
};

// What a variable of a rule stands for in one step: a term, or the elements of a rest.
struct Binding {
    enum class Kind : std::uint8_t { term, rest, literal, type };
    Kind kind = Kind::term;
    std::string variable;       // as the rule names it, without "?"
    std::vector<TermId> terms;  // of a rest all; of a term itself, of a literal its leaf
    lang::Type type;
};

constexpr TermId no_term{0xFFFFFFFFU};

// `left` became equal to `right` by an instance of a rule.
struct Step {
    std::string rule;  // with its operators: "push/back[<, =]"
    TermId left{};
    TermId right{};
    std::vector<Binding> bindings;  // of what the left side binds, in the rule's order
};

// Of an expression that was simplified or a query that was optimized.
struct Proof {
    lang::Semantics semantics;
    bool is_query = false;
    std::string columns;     // of an expression: as the request gave them
    bool as_filter = false;  // of an expression: only true or not matters
    std::string schema;      // of a query: CREATE TABLE and the like
    // Of a query: the relation that `after` was written from, and those of its subqueries, by their numbers in `before`. Empty
    // where the query is left as it is. `no_term` for subqueries that have none.
    std::vector<TermId> results;
    std::string before;
    std::string after;
    std::vector<WrittenTerm> terms;  // ids in steps are indexes here
    std::vector<Step> steps;
};

}  // namespace satura::proof
