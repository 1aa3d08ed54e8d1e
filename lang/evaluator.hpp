// An expression made ready to be evaluated for many rows: what evaluate() does for one.
#pragma once

#include <span>
#include <vector>

#include "lang/evaluate.hpp"

namespace satura::lang {

// Holds the nodes below one root, in order, with their types and literals looked up. Refers to the
// Context, which must live and keep its literals and names; a later change of the Exprs is not
// seen. Not for several threads at once.
class Evaluator {
  public:
    Evaluator(const Exprs& exprs, ExprId root, const Context& context, Mode mode);

    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    Evaluator(Evaluator&&) = default;
    Evaluator& operator=(Evaluator&&) = default;

    // The root's outcome for one row; row[i] is the value of column payload i. Valid until the next
    // run.
    const Outcome& run(std::span<const Value> row);

  private:
    struct Step {
        Op op = Op::literal;
        Type type;
        std::uint32_t payload = 0;
        std::uint32_t first = 0;  // of its arguments in pointers_ and types_
        std::uint32_t count = 0;
    };

    const Context* context_;
    Mode mode_;
    std::vector<Step> steps_;
    std::vector<Outcome> results_;           // one per step; literals are filled once
    std::vector<const Outcome*> arguments_;  // into results_
    std::vector<Type> types_;
};

// apply() without copies of the arguments.
Outcome apply_to(Op op, Type type, std::uint32_t payload, std::span<const Outcome* const> arguments,
                 std::span<const Type> argument_types, const Context& context, Mode mode);

}  // namespace satura::lang
