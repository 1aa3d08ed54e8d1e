// Whether a rule's sides are equal for all values, by a solver (Z3) instead of by trying.
//
// What is proved is about values under total semantics: that the right side raises no error that the left does not, and how often volatile
// calls are made, is not in it; `check` without --prove tries the first and the compiler sees to the second. What the words of
// conditions mean is taken from docs/words.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::prove {

struct Proof {
    enum class Verdict : std::uint8_t {
        proved,           // for all values of all types that the rule allows
        proved_integers,  // the same, where sums and products are of integers, all of one type
        counterexample,   // a case, which the evaluator has confirmed
        unknown
    };
    Verdict verdict = Verdict::unknown;
    std::string counterexample;  // both sides as SQL, the row, both values
    std::string
        reason;  // of `unknown`: the first operator or word that is not looked into, or what else
};

class RuleProver {
  public:
    static bool is_available();  // the program was built with a solver
    static constexpr unsigned seed = 0;

    RuleProver();  // requires is_available()
    ~RuleProver();

    // One instance of a rule, under the order of NaN that the operators' context has; dialects differ in nothing that is looked into.
    // Deterministic.
    Proof prove(const rules::ResolvedRule& rule, rules::SqlOps& ops);

    std::uint64_t questions() const;  // asked of the solver so far

  private:
    struct State;
    std::unique_ptr<State> state_;  // kept from rule to rule: a solver is slow to make
};

}  // namespace satura::prove
