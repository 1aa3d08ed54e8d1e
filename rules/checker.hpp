// Soundness of a rule, by evaluation: both sides over the boundary values of every choice of types for its variables.
//
// Two verdicts: the sides have the same value under total semantics, and the right side raises only where the left does.
// Nothing here uses the e-graph; conditions and computed parts are the same words that the engine calls.
//
// A truth is evaluated as a boolean that is never NULL: holds(p) as p is true, all and any as AND and OR, same{a, b} as
// (a = b) is true, same{a} as a is not null. As `same` is a set, its rules are tried with variables that stand for one
// expression, too: under IEEE order a = a fails for NaN, which is not null. Rules over relations are not checked here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lang/expr.hpp"
#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

struct CheckLimits {
    std::uint64_t cases =
        300'000;  // rows to try for one rule, about; spread over all choices of types and constants
};

struct CheckResult {
    enum class Verdict : std::uint8_t {
        sound,          // no difference in `cases` cases
        different,      // the sides have different values, or one is a truth and the other is not
        raises,         // the right side raises where the left does not
        unused,         // no choice of types and constants fulfils the conditions
        not_by_values,  // the rule is about relations, so values of one row say nothing of it
    };
    Verdict verdict = Verdict::unused;
    std::uint64_t instances =
        0;  // choices of types, constants and list lengths that fulfil the conditions
    std::uint64_t cases = 0;     // rows evaluated
    std::string counterexample;  // both sides as SQL, the row, both values
};

// Checks one instance of a rule under the context's semantics. Deterministic. A `may raise` rule is not held to the second
// verdict.
CheckResult check_rule(const ResolvedRule& rule, SqlOps& ops, const CheckLimits& limits = {});

// What stands for a variable of a rule in one case.
//   expression  a column, which may be NULL, or is `never_null`, or a constant; with its value in the row
//   literal     the constant
//   type        `type`
//   rest        columns of `type`; of a CASE conditions and values in turn, and in its last rest the ELSE
struct CaseVariable {
    std::optional<lang::Type> type;
    bool is_constant = false;
    bool never_null = false;
    lang::Value value;
    std::vector<lang::Value> elements;
};

// One row of one instance. `unused` where the conditions do not hold of it or it is not well typed. Computed variables and those
// of `each` and `for` are not looked at.
CheckResult check_case(const ResolvedRule& rule, SqlOps& ops,
                       const std::vector<CaseVariable>& variables);
// Both sides of an instance, over columns of its own.
struct InstanceSides {
    const lang::Exprs& exprs;
    lang::ExprId left, right;
    const std::vector<lang::Column>& columns;
    // By variable: what stands for it, of a rest each element. A truth stands as the predicate that holds. Empty for types and
    // the elements of `each`.
    const std::vector<std::vector<lang::ExprId>>& variables;
    const std::vector<std::optional<lang::Type>>& types;  // by variable
};
// Instances whose conditions hold, at most about so many, spread over all. Of a rule over relations there are none.
void for_each_instance(const ResolvedRule& rule, SqlOps& ops, std::uint64_t instances_max,
                       const std::function<void(const InstanceSides&)>& each);

// Whether the rest is one of a CASE's arms, and whether it holds the ELSE.
enum class RestRole : std::uint8_t { list, arms, arms_and_else };
RestRole role_of_rest(const ResolvedRule& rule, const SqlOps& ops, std::uint32_t variable);

}  // namespace satura::rules
