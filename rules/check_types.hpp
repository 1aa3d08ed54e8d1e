// Types for the variables of a rule's left side: which choices make it well typed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lang/type.hpp"
#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

// The types that checking goes through: each kind, with narrow and wide parameters.
const std::vector<lang::Type>& checked_types();

// The types of a term's parts from the types of its variables; elements of rests have the type of their rest.
class TermTypes {
  public:
    enum class State : std::uint8_t { unknown, invalid, known };
    struct Typed {
        State state = State::unknown;
        lang::Type type;
    };

    TermTypes(const ResolvedRule& rule, const SqlOps& ops) : rule_(rule), ops_(ops) {}

    // Of every term of the rule with a smaller or equal index; `variables[i]` is nothing where not chosen yet.
    void compute(std::uint32_t root, std::span<const std::optional<lang::Type>> variables,
                 std::vector<Typed>& out) const;

  private:
    Typed of_apply(const ResolvedTerm& term, std::span<const std::optional<lang::Type>> variables,
                   const std::vector<Typed>& operands) const;

    const ResolvedRule& rule_;
    const SqlOps& ops_;
};

// Whether SQL's binder would build the operator over operands of these types: it casts the operands of a comparison, a CASE
// or a COALESCE to one type first.
bool is_well_typed(lang::Op op, std::span<const lang::Type> operands);

// The same for an operator of truths: `same` takes values of one type, the others take booleans.
bool is_well_typed_truth(egraph::OpId op, std::span<const lang::Type> operands, const SqlOps& ops);

}  // namespace satura::rules
