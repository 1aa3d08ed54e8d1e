#include "prove/prove.hpp"

#include <limits>
#include <optional>

#include "prove/rule_formula.hpp"
#include "prove/solver.hpp"
#include "rules/checker.hpp"

namespace satura::prove {

using lang::Type;
using lang::TypeKind;
using lang::Value;
using rules::no_term;
using rules::ResolvedRule;
using rules::VariableKind;

namespace {

constexpr int cases_max = 12;    // that the solver may propose for one rule
constexpr int number_bound = 3;  // of a case: -3 to 3

bool has_word(const ResolvedRule& rule, std::uint32_t variable,
              std::initializer_list<std::string_view> words) {
    for (const rules::ResolvedCondition& condition : rule.conditions) {
        for (const rules::ResolvedWord& word : condition.alternatives) {
            for (std::string_view wanted : words) {
                if (word.word->name == wanted && variable_of(word.arguments[0]) == variable)
                    return true;
            }
        }
    }
    return false;
}

bool has_arithmetic(const ResolvedRule& rule, const rules::SqlOps& ops) {
    for (const rules::ResolvedTerm& term : rule.terms) {
        if (term.kind != rules::TermKind::apply || term.is_literal) continue;
        const lang::Op op = ops.meaning(term.op).op;
        if (op >= lang::Op::add && op <= lang::Op::neg) return true;
    }
    return false;
}

// Cases of a rule in which its sides may differ, as the solver proposes them.
class CaseSearch {
  public:
    CaseSearch(const ResolvedRule& rule, rules::SqlOps& ops, RuleFormula& formula, Formulas& f,
               Solver& solver)
        : rule_(rule), ops_(ops), formula_(formula), f_(f), solver_(solver) {
        wanted_ = formula.assumptions();
        wanted_.push_back(formula.differs());
        wanted_.push_back(formula.casts().changes_no_number());
        for (std::uint32_t v = 0; v < rule.variables.size(); ++v) add_bounds(v);
    }

    // One that the evaluator confirms.
    std::optional<std::string> run() {
        for (int i = 0; i < cases_max; ++i) {
            if (solver_.ask(wanted_) != Solver::Answer::satisfiable) return std::nullopt;
            for (TypeKind numbers : {TypeKind::integer, TypeKind::double_}) {
                const auto found = rules::check_case(rule_, ops_, read(numbers));
                if (found.verdict == rules::CheckResult::Verdict::different)
                    return found.counterexample;
            }
            wanted_.push_back(another());
        }
        return std::nullopt;
    }

  private:
    // A small whole number.
    void add_bounds(std::uint32_t v) {
        const SqlValue& value = formula_.variable(v);
        if (value.is_boolean) return;
        std::vector<Formula> choices;
        for (int n = -number_bound; n <= number_bound; ++n)
            choices.push_back(f_.equal(value.number, f_.number(n)));
        wanted_.push_back(f_.any(choices));
    }

    // Not the same values again. What the solver last gave must be read before it is asked anew.
    Formula another() {
        std::vector<Formula> differs;
        for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
            const SqlValue& value = formula_.variable(v);
            const auto other = [&](Formula f) {
                differs.push_back(solver_.truth_of(f) ? f_.not_(f) : f);
            };
            other(value.null);
            if (value.is_boolean) {
                other(value.truth);
            } else if (const auto n = solver_.number_of(value.number)) {
                differs.push_back(f_.not_(f_.equal(value.number, f_.number(*n))));
            }
        }
        return f_.any(differs);
    }

    Type type_of(std::uint32_t type, TypeKind numbers) {
        const RuleType& t = formula_.types()[type];
        if (t.is_boolean) return Type{TypeKind::boolean};
        if (t.is_float || has_nan(type)) return Type{TypeKind::double_};
        if (formula_.casts().is_widened(type)) return Type{TypeKind::smallint};
        return Type{t.is_integer ? TypeKind::integer : numbers};
    }

    bool has_nan(std::uint32_t type) {
        for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
            if (formula_.types().of_variable(v) == type &&
                solver_.truth_of(formula_.variable(v).nan))
                return true;
        }
        return false;
    }

    Value value_of(const SqlValue& value, Type type) {
        if (solver_.truth_of(value.null)) return Value::null();
        if (value.is_boolean) return Value::boolean(solver_.truth_of(value.truth));
        const auto n = solver_.number_of(value.number).value_or(0);
        if (type.kind() != TypeKind::double_) return Value::integer(n);
        // In a total order NaN is the greatest.
        const bool is_total = ops_.context().semantics.nan == lang::NanOrder::total;
        const bool is_nan = is_total ? n == number_bound : solver_.truth_of(value.nan);
        return Value::double_(is_nan ? std::numeric_limits<double>::quiet_NaN()
                                     : static_cast<double>(n));
    }

    Truth truth_of(const SqlValue& value) {
        if (solver_.truth_of(value.null)) return Truth::null;
        return solver_.truth_of(value.truth) ? Truth::true_ : Truth::false_;
    }

    std::vector<Value> elements_of(std::uint32_t v, Type type) {
        const auto folded = formula_.folds().elements_of(
            v, [this](const SqlValue& value) { return truth_of(value); });
        std::vector<Value> out;
        if (folded) {
            for (Truth t : *folded)
                out.push_back(t == Truth::null ? Value::null() : Value::boolean(t == Truth::true_));
            return out;
        }
        const auto run = formula_.run_of(v);
        if (!run) return out;
        const rules::RestRole role = rules::role_of_rest(rule_, ops_, v);
        if (role == rules::RestRole::arms) {
            if (!solver_.truth_of(run->is_taken)) return out;
            out.push_back(Value::boolean(true));
        }
        out.push_back(value_of(run->value, type));
        return out;
    }

    std::vector<rules::CaseVariable> read(TypeKind numbers) {
        std::vector<rules::CaseVariable> out;
        for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
            const Type type = type_of(formula_.types().of_variable(v), numbers);
            rules::CaseVariable variable;
            variable.type = type;
            variable.is_constant =
                has_word(rule_, v, {"always_null", "always_true", "never_true", "constant"});
            variable.never_null = has_word(rule_, v, {"never_null"});
            if (rule_.variables[v].kind == VariableKind::rest) {
                variable.elements = elements_of(v, type);
            } else if (rule_.variables[v].kind == VariableKind::type) {
                variable.type = cast_type(v, numbers);
            } else {
                variable.value = value_of(formula_.variable(v), type);
            }
            out.push_back(std::move(variable));
        }
        return out;
    }

    Type cast_type(std::uint32_t variable, TypeKind numbers) {
        for (std::uint32_t i = 0; i < rule_.terms.size(); ++i) {
            if (rule_.terms[i].payload_variable == variable)
                return type_of(formula_.types().of_term(i), numbers);
        }
        return Type{numbers};
    }

    const ResolvedRule& rule_;
    rules::SqlOps& ops_;
    RuleFormula& formula_;
    Formulas& f_;
    Solver& solver_;
    std::vector<Formula> wanted_;
};

}  // namespace

struct RuleProver::State {
    Formulas formulas;
    Solver solver{formulas, RuleProver::seed};

    Proof prove_with(const ResolvedRule& rule, rules::SqlOps& ops, const rules::RuleSorts& sorts,
                     Arithmetic arithmetic);
};

// A proof, where the sides cannot differ; else why there is none.
Proof RuleProver::State::prove_with(const ResolvedRule& rule, rules::SqlOps& ops,
                                    const rules::RuleSorts& sorts, Arithmetic arithmetic) {
    Proof out;
    RuleFormula formula(rule, ops, sorts, formulas, arithmetic, ops.context().semantics.nan);
    if (formula.types().is_contradictory()) {
        out.reason = "sums of floats";
        return out;
    }
    // Of conditions that exclude each other anything could be proved.
    if (solver.ask(formula.assumptions()) == Solver::Answer::unsatisfiable) {
        out.reason = "its conditions exclude each other";
        return out;
    }
    std::vector<Formula> wanted = formula.assumptions();
    wanted.push_back(formula.differs());
    const Solver::Answer answer = solver.ask(wanted);
    if (answer == Solver::Answer::unsatisfiable) {
        out.verdict =
            formula.is_narrowed() ? Proof::Verdict::proved_integers : Proof::Verdict::proved;
        return out;
    }
    if (auto found = CaseSearch(rule, ops, formula, formulas, solver).run()) {
        out.verdict = Proof::Verdict::counterexample;
        out.counterexample = std::move(*found);
        return out;
    }
    out.reason = formula.outside();
    if (out.reason.empty())
        out.reason = answer == Solver::Answer::unknown
                         ? "the solver does not know"
                         : "no proof, and no case in which the evaluator finds a difference";
    return out;
}

bool RuleProver::is_available() { return Solver::is_available(); }

RuleProver::RuleProver() : state_(std::make_unique<State>()) {}
RuleProver::~RuleProver() = default;

std::uint64_t RuleProver::questions() const { return state_->solver.questions(); }

Proof RuleProver::prove(const ResolvedRule& rule, rules::SqlOps& ops) {
    Proof out;
    const rules::RuleSorts sorts = rules::sorts_of(rule, ops);
    if (!sorts.is_over_values) {
        out.reason = "a rule on relations";
        return out;
    }
    if (!sorts.mistake.empty()) {
        out.verdict = Proof::Verdict::counterexample;
        out.counterexample = sorts.mistake;
        return out;
    }
    out = state_->prove_with(rule, ops, sorts, Arithmetic::opaque);
    if (out.verdict != Proof::Verdict::unknown || !has_arithmetic(rule, ops)) return out;
    return state_->prove_with(rule, ops, sorts, Arithmetic::integers);
}

}  // namespace satura::prove
