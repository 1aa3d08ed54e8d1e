// Random well-typed expressions, for property tests.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::test {

// Columns of many types, for those who have none of their own: "a smallint, b integer, … , p boolean, q boolean not null".
std::vector<lang::Column> sample_columns(lang::Dialect dialect);

// Columns as requests have them: "a smallint, q boolean not null".
std::string columns_text(std::span<const lang::Column> columns, const lang::Context& context);

// Makes expressions as the binder would: operands of one type where the operators want it, explicit casts between them.
// The same seed gives the same expressions on every machine. Literals are boundary and small values, some NULL.
class RandomExpr {
  public:
    RandomExpr(std::uint64_t seed, std::span<const lang::Column> columns, lang::Exprs& exprs,
               lang::Context& context)
        : engine_(seed), columns_(columns), exprs_(exprs), context_(context) {}

    // A predicate, or a value of a type that some column has.
    lang::ExprId boolean(int depth);
    lang::ExprId value(lang::Type type, int depth);

  private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
    lang::Type some_type();
    lang::ExprId literal(lang::Type type);
    lang::ExprId column_or_literal(lang::Type type);
    lang::ExprId comparison(int depth);
    lang::ExprId add(lang::Op op, lang::Type type, std::vector<lang::ExprId> children);
    lang::ExprId cast(lang::ExprId child, lang::Type type);
    lang::ExprId branches(lang::Type type, int depth);

    std::mt19937_64 engine_;
    std::span<const lang::Column> columns_;
    lang::Exprs& exprs_;
    lang::Context& context_;
};

}  // namespace satura::test
