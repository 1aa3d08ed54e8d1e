// How one node is spelled: which of its operands may be bare, and how tightly it binds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/expr.hpp"
#include "lang/function.hpp"

namespace satura::lang {

// Precedence in PostgreSQL's grammar, loosest first.
enum class Level : std::uint8_t {
    none,
    or_,
    and_,
    not_,
    is,
    comparison,
    between,
    other,
    add,
    mul,
    unary,
    atom
};

// One operand as it will be written.
struct Shown {
    ExprId id{};
    bool bare = false;  // a literal without its type
};

struct Spelling {
    std::vector<Shown> operands;
    bool exact = true;  // bound again, it is this node
};

// The shortest spelling of a node's operands that is bound to the node again: bare literals, implicit casts left out;
// all in full where none is. `unknown` is the type "?".
Spelling spell(const Exprs& exprs, ExprId id, Type unknown, const Context& context);

// Whether the literal alone, without a context, may be bare.
bool is_bare_alone(const Exprs& exprs, ExprId literal, const Context& context);

// Whether a cast of this literal, which the binder leaves as a cast, may be written as a typed literal: date 'today'.
bool is_typed_text(const Exprs& exprs, ExprId literal, Type type, const Context& context);

// A text in quotes.
std::string quoted_text(std::string_view text, Dialect dialect);

// A literal's text. A bare one is a number, a quoted text or null; else it has its type.
std::string write_literal(const Exprs& exprs, ExprId literal, bool bare, const Context& context);

// The precedence of what is written for a node; NOT over a test is written as the test's own negative form.
Level level_of(const Exprs& exprs, ExprId id, bool bare, const Context& context);

// Dialects whose precedences among comparisons, IS, IN and LIKE are not PostgreSQL's: such operands stand in brackets.
bool has_own_precedences(Dialect dialect);

// The least level that operand i of a node may have without brackets.
Level least_level(const Exprs& exprs, ExprId id, std::size_t operand, const Context& context);

// How the function of a call is written; Syntax::call for what is no call.
Function::Syntax syntax_of(const Exprs& exprs, ExprId id, const Context& context);

// Whether a NOT over this node is written within it: IS NOT NULL, NOT IN, !~.
bool has_negative_form(const Exprs& exprs, ExprId id, const Context& context);

}  // namespace satura::lang
