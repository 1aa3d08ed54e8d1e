// The abstract evaluator: which values an operator's result can take, from what its operands can take. One evaluator folds
// constants, decides null tests and finds dead CASE arms. It never samples: what it leaves out is impossible.
#pragma once

#include <span>

#include "lang/context.hpp"
#include "lang/op.hpp"
#include "rules/words.hpp"

namespace satura::rules {

// Of a column or other leaf: anything its type has, NULL only if it may be.
Possible possible_of_leaf(lang::Type type, bool nullable);
Possible possible_of_literal(lang::LiteralId literal, const lang::Context& context);

// Of an operator with these operands. A constant is found by the reference evaluator where all operands are constants; an
// application that raises tells nothing, so that it stays as it is written.
Possible possible_of(lang::Op op, lang::Type type, std::uint32_t payload,
                     std::span<const Possible> operands, std::span<const lang::Type> operand_types,
                     lang::Context& context);

// What two descriptions of the same value say together.
Possible both(const Possible& a, const Possible& b);

}  // namespace satura::rules
