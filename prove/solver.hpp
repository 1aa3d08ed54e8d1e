// A solver for formulas: Z3, where the program was built with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "prove/formula.hpp"

namespace satura::prove {

class Solver {
  public:
    enum class Answer : std::uint8_t { unsatisfiable, satisfiable, unknown };

    static bool is_available();  // built with Z3

    // The formulas must outlive this object; more may be made. Requires is_available().
    Solver(const Formulas& formulas, unsigned seed);
    ~Solver();

    // Whether all can hold together. Unknown where a fixed amount of work does not tell, the same on every machine.
    Answer ask(std::span<const Formula> formulas);
    // In what makes the last formulas hold; requires that the answer was `satisfiable`. Nothing for a number that is no
    // small integer.
    bool truth_of(Formula f);
    std::optional<std::int64_t> number_of(Formula f);

    std::uint64_t questions() const { return questions_; }  // asked so far

  private:
    struct Z3;
    std::unique_ptr<Z3> z3_;
    std::uint64_t questions_ = 0;
};

}  // namespace satura::prove
