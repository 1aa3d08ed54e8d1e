// The only file that takes in Z3.
#include <z3++.h>

#include <vector>

#include "prove/solver.hpp"

namespace satura::prove {

namespace {

// About two seconds of Z3's steps, and what stops it where a step takes long.
constexpr unsigned steps_max = 4'000'000;
constexpr unsigned time_ms_max = 20'000;

}  // namespace

struct Solver::Z3 {
    Z3(const Formulas& all, unsigned seed) : formulas(all), solver(context) {
        z3::params params(context);
        params.set("rlimit", steps_max);
        params.set("timeout", time_ms_max);
        params.set("ctrl_c", false);  // an interrupt is for the program, not for one question
        params.set("random_seed", seed);
        solver.set(params);
    }

    z3::sort sort_of(FormulaSort sort) {
        return sort == FormulaSort::boolean ? context.bool_sort() : context.real_sort();
    }

    z3::expr unknown(const Formulas::Node& node) {
        if (node.operands.empty()) return context.constant(node.name.c_str(), sort_of(node.sort));
        z3::sort_vector domain(context);
        z3::expr_vector operands(context);
        for (Formula o : node.operands) {
            domain.push_back(sort_of(formulas[o].sort));
            operands.push_back(made[raw(o)]);
        }
        return context.function(node.name.c_str(), domain, sort_of(node.sort))(operands);
    }

    z3::expr make(const Formulas::Node& node) {
        using Kind = Formulas::Kind;
        const auto operand = [&](std::size_t i) { return made[raw(node.operands[i])]; };
        z3::expr_vector operands(context);
        for (Formula o : node.operands) operands.push_back(made[raw(o)]);
        switch (node.kind) {
            case Kind::constant:
                if (node.sort == FormulaSort::boolean) return context.bool_val(node.number != 0);
                return context.real_val(node.number);
            case Kind::unknown:
                return unknown(node);
            case Kind::and_:
                return z3::mk_and(operands);
            case Kind::or_:
                return z3::mk_or(operands);
            case Kind::not_:
                return !operand(0);
            case Kind::choose:
                return z3::ite(operand(0), operand(1), operand(2));
            case Kind::equal:
                return operand(0) == operand(1);
            case Kind::less:
                return operand(0) < operand(1);
            case Kind::add:
                return operand(0) + operand(1);
            case Kind::sub:
                return operand(0) - operand(1);
            case Kind::mul:
                return operand(0) * operand(1);
        }
        return context.bool_val(false);
    }

    // Operands have smaller indexes.
    z3::expr of(Formula f) {
        for (std::size_t i = made.size(); i < formulas.size(); ++i)
            made.push_back(make(formulas[Formula{static_cast<std::uint32_t>(i)}]));
        return made[raw(f)];
    }

    const Formulas& formulas;
    z3::context context;
    z3::solver solver;
    std::vector<z3::expr> made;  // by formula
    std::optional<z3::model> model;
};

bool Solver::is_available() { return true; }

Solver::Solver(const Formulas& formulas, unsigned seed)
    : z3_(std::make_unique<Z3>(formulas, seed)) {}
Solver::~Solver() = default;

Solver::Answer Solver::ask(std::span<const Formula> formulas) {
    ++questions_;
    z3_->model.reset();
    z3_->solver.push();
    Answer answer = Answer::unknown;
    try {
        for (Formula f : formulas) z3_->solver.add(z3_->of(f));
        const z3::check_result result = z3_->solver.check();
        if (result == z3::unsat) answer = Answer::unsatisfiable;
        if (result == z3::sat) {
            answer = Answer::satisfiable;
            z3_->model = z3_->solver.get_model();
        }
    } catch (const z3::exception&) {
        answer = Answer::unknown;  // a limit, which Z3 may say by an exception
    }
    z3_->solver.pop();
    return answer;
}

bool Solver::truth_of(Formula f) { return z3_->model->eval(z3_->of(f), true).is_true(); }

std::optional<std::int64_t> Solver::number_of(Formula f) {
    const z3::expr value = z3_->model->eval(z3_->of(f), true);
    std::int64_t n = 0;
    if (!value.is_numeral() || !value.numerator().is_numeral_i64(n)) return std::nullopt;
    std::int64_t below = 0;
    if (!value.denominator().is_numeral_i64(below) || below != 1) return std::nullopt;
    return n;
}

}  // namespace satura::prove
