#include "lang/op.hpp"

#include <array>
#include <cassert>

namespace satura::lang {

namespace {

constexpr std::array<std::string_view, op_count> names = {"column",
                                                          "literal",
                                                          "cast",
                                                          "try_cast",
                                                          "=",
                                                          "<>",
                                                          "<",
                                                          "<=",
                                                          ">",
                                                          ">=",
                                                          "is not distinct from",
                                                          "and",
                                                          "or",
                                                          "not",
                                                          "is null",
                                                          "is true",
                                                          "is false",
                                                          "is unknown",
                                                          "+",
                                                          "-",
                                                          "*",
                                                          "/",
                                                          "%",
                                                          "neg",
                                                          "case",
                                                          "coalesce",
                                                          "nullif",
                                                          "greatest",
                                                          "least",
                                                          "in",
                                                          "between",
                                                          "like",
                                                          "call",
                                                          "opaque",
                                                          "exists",
                                                          "in subquery",
                                                          "scalar subquery"};

static_assert(names.back() == "scalar subquery");

}  // namespace

std::string_view op_name(Op op) { return names[static_cast<std::size_t>(op)]; }

bool is_comparison(Op op) { return op >= Op::eq && op <= Op::null_safe_eq; }

bool is_order_comparison(Op op) { return op >= Op::lt && op <= Op::ge; }

Op flipped(Op op) {
    assert(is_comparison(op));
    switch (op) {
        case Op::lt:
            return Op::gt;
        case Op::le:
            return Op::ge;
        case Op::gt:
            return Op::lt;
        case Op::ge:
            return Op::le;
        default:
            return op;
    }
}

Op negated(Op op) {
    assert(is_comparison(op) && op != Op::null_safe_eq);
    switch (op) {
        case Op::eq:
            return Op::ne;
        case Op::ne:
            return Op::eq;
        case Op::lt:
            return Op::ge;
        case Op::le:
            return Op::gt;
        case Op::gt:
            return Op::le;
        default:
            return Op::lt;
    }
}

}  // namespace satura::lang
