// In place of solver_z3.cpp where the program is built without Z3.
#include "prove/solver.hpp"

namespace satura::prove {

struct Solver::Z3 {};

bool Solver::is_available() { return false; }
Solver::Solver(const Formulas&, unsigned) {}
Solver::~Solver() = default;
Solver::Answer Solver::ask(std::span<const Formula>) { return Answer::unknown; }
bool Solver::truth_of(Formula) { return false; }
std::optional<std::int64_t> Solver::number_of(Formula) { return std::nullopt; }

}  // namespace satura::prove
