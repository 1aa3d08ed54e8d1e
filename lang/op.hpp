// The operators of expressions and what holds for each of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace satura::lang {

enum class Op : std::uint8_t {
    column,    // payload: column index in the scope
    literal,   // payload: LiteralId
    cast,      // payload: target Type's bits; one child
    try_cast,  // the same; NULL where cast raises
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    null_safe_eq,  // IS NOT DISTINCT FROM, <=>; IS DISTINCT FROM is `not` over it
    and_,          // two or more children
    or_,
    not_,
    is_null,  // IS NOT NULL is `not` over it; so for the other tests
    is_true,
    is_false,
    is_unknown,
    add,
    sub,
    mul,
    div,
    mod,
    neg,
    case_,     // when, then, when, then, …, else (always present: NULL where not written)
    coalesce,  // one or more children
    nullif,
    greatest,
    least,
    in,       // operand, items…
    between,  // operand, low, high
    like,     // operand, pattern; a third child is the escape character
    call,     // payload: name id; children are the arguments
    opaque,   // payload: index into an Opaques table; children are the columns it reads
    // Queries within expressions of a plan. Payload: SubqueryId; children are the operands, then the outer columns read.
    exists,
    in_subquery,      // operands compared with ANY or ALL rows, or with the one row there is
    scalar_subquery,  // its one value, NULL where it has no row; or the array of its values
};

inline constexpr int op_count = static_cast<int>(Op::scalar_subquery) + 1;

std::string_view op_name(
    Op op);                 // "cast", "=", "and", "is null", …: the spelling of the rule language
bool is_comparison(Op op);  // eq … ge, null_safe_eq
bool is_order_comparison(Op op);  // lt le gt ge
Op flipped(Op op);                // a op b  is  b flipped(op) a; requires is_comparison
Op negated(Op op);  // not (a op b)  is  a negated(op) b for eq ne lt le gt ge under a total order

}  // namespace satura::lang
