#include "prove/rule_formula.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace satura::prove {

using lang::Op;
using rules::no_term;
using rules::ResolvedTerm;
using rules::TermKind;
using rules::terms_under;
using rules::VariableKind;

RuleFormula::RuleFormula(const rules::ResolvedRule& rule, const rules::SqlOps& ops,
                         const rules::RuleSorts& sorts, Formulas& formulas, Arithmetic arithmetic,
                         lang::NanOrder nan)
    : rule_(rule),
      ops_(ops),
      sorts_(sorts),
      f_(formulas),
      arithmetic_(arithmetic),
      nan_(nan),
      types_(rule, ops, arithmetic),
      v_(formulas),
      folds_(formulas, v_),
      casts_(rule, types_, formulas, v_) {
    make_variables();
    make_lets();
    Values values;
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i) values.push_back(term(i, values));
    take_conditions();
    take_lists();
    casts_.add_axioms(assumptions_);
    const auto each = [&](std::uint32_t root, Truth value) {
        for (std::uint32_t i : terms_under(rule, root)) {
            const ResolvedTerm& t = rule.terms[i];
            if (t.kind == TermKind::variable && rule.variables[t.variable].element_of != no_term)
                return element(root, t.variable, value, values);
        }
        return std::optional<Truth>();
    };
    if (!folds_.add_axioms(each, assumptions_)) look_outside("each over other variables");
    differs_ = f_.not_(v_.identical(values[rule.left], values[rule.right]));
}

bool RuleFormula::is_narrowed() const {
    for (std::uint32_t i = 0; i < rule_.terms.size(); ++i) {
        const RuleType& type = types_[types_.of_term(i)];
        if (type.is_summed && !(type.is_integer && type.is_ring)) return true;
    }
    return false;
}

void RuleFormula::look_outside(const std::string& what) {
    if (outside_.empty()) outside_ = what + " is not looked into";
}

bool RuleFormula::may_be_nan(std::uint32_t type) const {
    const RuleType& t = types_[type];
    return nan_ == lang::NanOrder::ieee && !t.is_boolean && !t.has_order && !t.is_integer &&
           !t.is_summed;
}

// Equal integers are identical.
SqlValue RuleFormula::fitted(SqlValue value, std::uint32_t type) {
    const RuleType& t = types_[type];
    if (!t.is_boolean && (t.is_integer || t.is_summed)) value.tag = f_.number(0);
    return value;
}

SqlValue RuleFormula::variable_named(const std::string& name, std::uint32_t v) {
    const std::uint32_t type = types_.of_variable(v);
    return fitted(v_.unknown(name, types_[type].is_boolean, may_be_nan(type)), type);
}

void RuleFormula::make_variables() {
    for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
        variables_.push_back(variable_named("?" + rule_.variables[v].name, v));
        if (sorts_.variables[v] != rules::Sort::truth) continue;
        variables_[v].null = f_.boolean(false);
        folds_.set_elements(v, {Truth::false_, Truth::true_});
    }
}

SqlValue RuleFormula::term(std::uint32_t i, const Values& values) {
    const ResolvedTerm& t = rule_.terms[i];
    if (t.kind == TermKind::variable) return variables_[t.variable];
    if (t.kind == TermKind::apply) return apply(i, values);
    return v_.null(types_[types_.of_term(i)].is_boolean);  // seen by the operator above
}

SqlValue RuleFormula::apply(std::uint32_t i, const Values& values) {
    const ResolvedTerm& t = rule_.terms[i];
    if (t.is_literal) {
        const lang::Value& value = ops_.context().literals[lang::LiteralId{t.payload}].value;
        return v_.truth(value.is_null()   ? Truth::null
                        : value.is_true() ? Truth::true_
                                          : Truth::false_);
    }
    const rules::SqlOps::Meaning& meaning = ops_.meaning(t.op);
    if (meaning.sort != rules::Sort::value) return apply_truth(t, values);
    if (meaning.is_when) return values[t.operands[1]];
    if (meaning.is_like_escape) return opaque(i, values);
    std::vector<SqlValue> operands;
    for (std::uint32_t o : t.operands) operands.push_back(values[o]);
    switch (meaning.op) {
        case Op::and_:
        case Op::or_:
            return junction(t, meaning.op == Op::or_, values);
        case Op::not_:
            return v_.not_(operands[0]);
        case Op::is_null:
        case Op::is_unknown:
            return v_.boolean(operands[0].null);
        case Op::is_true:
            return v_.boolean(v_.is_true(operands[0]));
        case Op::is_false:
            return v_.boolean(v_.is_false(operands[0]));
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
        case Op::null_safe_eq:
            return v_.compare(meaning.op, operands[0], operands[1]);
        case Op::between: {
            const SqlValue bounds[] = {v_.compare(Op::ge, operands[0], operands[1]),
                                       v_.compare(Op::le, operands[0], operands[2])};
            return v_.and_(bounds);
        }
        case Op::in:
            return in(t, values);
        case Op::case_:
            return case_of(t, values);
        case Op::coalesce:
            return coalesce_of(t, values);
        case Op::nullif: {
            const SqlValue equal = v_.compare(Op::eq, operands[0], operands[1]);
            return v_.choose(v_.is_true(equal), v_.null(operands[0].is_boolean), operands[0]);
        }
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
        case Op::neg:
            return arithmetic(i, meaning.op, operands);
        case Op::cast:
        case Op::try_cast:
            return fitted(casts_.of_term(i, operands[0], meaning.op == Op::try_cast,
                                         may_be_nan(types_.of_term(i))),
                          types_.of_term(i));
        default:
            return opaque(i, values);
    }
}

SqlValue RuleFormula::apply_truth(const ResolvedTerm& t, const Values& values) {
    const rules::PlanOps& plan = ops_.plan();
    if (t.op == plan.yes || t.op == plan.no) return v_.boolean(f_.boolean(t.op == plan.yes));
    if (t.op == plan.holds) return v_.boolean(v_.is_true(values[t.operands[0]]));
    if (t.op == plan.same) return same(t, values);
    return junction(t, t.op == plan.any, values);
}

SqlValue RuleFormula::junction(const ResolvedTerm& t, bool is_or, const Values& values) {
    std::vector<SqlValue> operands;
    for (std::uint32_t o : t.operands) {
        const ResolvedTerm& operand = rule_.terms[o];
        if (operand.kind == TermKind::rest) {
            operands.push_back(folds_.fold(operand.variable, is_or, std::nullopt));
        } else if (operand.kind == TermKind::each) {
            operands.push_back(folds_.fold(operand.over, is_or, operand.operands[0]));
        } else {
            operands.push_back(values[o]);
        }
    }
    return is_or ? v_.or_(operands) : v_.and_(operands);
}

// What the term under an `each` makes of one element; nothing where it asks for more than the element.
std::optional<Truth> RuleFormula::element(std::uint32_t root, std::uint32_t variable, Truth value,
                                          const Values& values) {
    Values with = values;
    for (std::uint32_t i : terms_under(rule_, root)) {
        const ResolvedTerm& t = rule_.terms[i];
        const bool is_element = t.kind == TermKind::variable && t.variable == variable;
        with[i] = is_element ? v_.truth(value) : term(i, with);
    }
    const auto null = f_.constant(with[root].null);
    if (null && *null) return Truth::null;
    const auto truth = f_.constant(with[root].truth);
    if (!null || !truth) return std::nullopt;
    return *truth ? Truth::true_ : Truth::false_;
}

// All are equal to the first, and none is NULL. Operands that are one expression are one operand: under IEEE order a = a fails for NaN, and
// same{a} does not.
SqlValue RuleFormula::same(const ResolvedTerm& t, const Values& values) {
    std::vector<Formula> parts;
    const SqlValue* first = nullptr;
    std::uint32_t first_term = no_term;
    for (std::uint32_t o : t.operands) {
        if (rule_.terms[o].kind != TermKind::variable && rule_.terms[o].kind != TermKind::apply)
            continue;
        parts.push_back(f_.not_(values[o].null));
        if (first == nullptr) {
            first = &values[o];
            first_term = o;
            continue;
        }
        const Formula is_one = f_.all(
            {f_.unknown(fmt::format("one{}.{}", std::min(first_term, o), std::max(first_term, o)),
                        FormulaSort::boolean),
             v_.identical(*first, values[o])});
        parts.push_back(f_.any({v_.is_equal(*first, values[o]), is_one}));
    }
    for (std::uint32_t o : t.operands) {
        const ResolvedTerm& rest = rule_.terms[o];
        if (rest.kind == TermKind::each) {
            look_outside("each in same");
            parts.push_back(f_.unknown(fmt::format("same.each{}", o), FormulaSort::boolean));
        }
        if (rest.kind != TermKind::rest) continue;
        if (first == nullptr || may_be_nan(types_.of_term(o))) {
            look_outside("a rest in same");
            parts.push_back(f_.unknown(fmt::format("same.rest{}", o), FormulaSort::boolean));
            continue;
        }
        const std::string name = fmt::format("same{}", rest.variable);
        const Formula all_equal = f_.unknown(name, FormulaSort::boolean);
        const SqlValue& common = run(rest.variable, types_.of_term(o)).value;
        parts.push_back(
            f_.any({is_empty(rest.variable), f_.all({all_equal, v_.is_equal(*first, common)})}));
    }
    return v_.boolean(f_.all(parts));
}

const RuleFormula::Run& RuleFormula::run(std::uint32_t rest, std::uint32_t type) {
    const auto at = runs_.find(rest);
    if (at != runs_.end()) return at->second;
    const std::string name = fmt::format("run{}", rest);
    Run run{f_.unknown(name + ".taken", FormulaSort::boolean),
            fitted(v_.unknown(name, types_[type].is_boolean, may_be_nan(type)), type)};
    return runs_[rest] = run;
}

std::optional<RuleFormula::Run> RuleFormula::run_of(std::uint32_t rest) const {
    const auto at = runs_.find(rest);
    if (at == runs_.end()) return std::nullopt;
    return at->second;
}

Formula RuleFormula::is_empty(std::uint32_t rest) {
    return f_.unknown(fmt::format("rest{}.empty", same_items(rest)), FormulaSort::boolean);
}

SqlValue RuleFormula::case_of(const ResolvedTerm& t, const Values& values) {
    SqlValue out;
    for (std::size_t k = t.operands.size(); k-- > 0;) {
        const std::uint32_t o = t.operands[k];
        const ResolvedTerm& operand = rule_.terms[o];
        const bool is_last = k + 1 == t.operands.size();
        if (operand.kind == TermKind::each) {
            look_outside("each in case");
            return v_.unknown(fmt::format("case{}", o), values[o].is_boolean,
                              may_be_nan(types_.of_term(o)));
        }
        if (operand.kind == TermKind::rest) {
            const Run& arms = run(operand.variable, types_.of_term(o));
            out = is_last ? arms.value : v_.choose(arms.is_taken, arms.value, out);
        } else if (operand.kind == TermKind::apply && ops_.meaning(operand.op).is_when) {
            if (is_last) out = v_.null(values[o].is_boolean);
            out = v_.choose(v_.is_true(values[operand.operands[0]]), values[o], out);
        } else {
            out = values[o];
        }
    }
    return out;
}

SqlValue RuleFormula::coalesce_of(const ResolvedTerm& t, const Values& values) {
    SqlValue out;
    for (std::size_t k = t.operands.size(); k-- > 0;) {
        const std::uint32_t o = t.operands[k];
        const ResolvedTerm& operand = rule_.terms[o];
        if (operand.kind == TermKind::each) {
            look_outside("each in coalesce");
            return v_.unknown(fmt::format("coalesce{}", o), values[o].is_boolean,
                              may_be_nan(types_.of_term(o)));
        }
        const SqlValue value = operand.kind == TermKind::rest
                                   ? run(operand.variable, types_.of_term(o)).value
                                   : values[o];
        out = k + 1 == t.operands.size() ? value : v_.choose(value.null, out, value);
    }
    return out;
}

SqlValue RuleFormula::in(const ResolvedTerm& t, const Values& values) {
    const SqlValue& x = values[t.operands[0]];
    std::vector<SqlValue> parts;
    std::vector<Formula> empty;
    for (std::size_t k = 1; k < t.operands.size(); ++k) {
        const std::uint32_t o = t.operands[k];
        const ResolvedTerm& item = rule_.terms[o];
        if (item.kind == TermKind::each) {
            look_outside("each in a list");
            parts.push_back(v_.unknown(fmt::format("in{}", o), true, false));
        } else if (item.kind == TermKind::rest) {
            parts.push_back(is_in_rest(item.variable, x));
            empty.push_back(is_empty(item.variable));
        } else {
            parts.push_back(v_.compare(Op::eq, x, values[o]));
        }
    }
    // There is no list of nothing.
    if (empty.size() + 1 == t.operands.size()) assumptions_.push_back(f_.not_(f_.all(empty)));
    return v_.or_(parts);
}

// A list is any set of values: it says of each x whether it is one of them, or that one is NULL.
SqlValue RuleFormula::is_in_rest(std::uint32_t rest, const SqlValue& x) {
    const std::string name = fmt::format("in{}", same_items(rest));
    const SqlValue operands[] = {x};
    const SqlValue found = v_.applied(name, operands, true, false);
    Formula null = v_.applied_null(name, operands);
    if (has_word("always_null", rest)) null = f_.boolean(true);
    if (has_word("never_null", rest)) null = f_.boolean(false);
    const Formula empty = is_empty(rest);
    return v_.boolean(f_.all({f_.not_(empty), f_.any({x.null, null})}),
                      f_.all({f_.not_(empty), found.truth}));
}

SqlValue RuleFormula::arithmetic(std::uint32_t i, Op op, const std::vector<SqlValue>& operands) {
    const std::uint32_t type = types_.of_term(i);
    const std::string& name = rule_.terms[i].name;
    const bool is_division = op == Op::div || op == Op::mod;
    if (arithmetic_ == Arithmetic::integers && !is_division) {
        return v_.arithmetic(op, operands);
    }
    SqlValue out =
        fitted(v_.applied(name, operands, types_[type].is_boolean, may_be_nan(type)), type);
    out.null = v_.any_null(operands);
    if (!is_division) return out;
    const Formula has_none = v_.applied_null(name, operands);  // by zero
    if (arithmetic_ == Arithmetic::opaque) {
        look_outside(name);
        out.null = f_.any({out.null, has_none});
        return out;
    }
    // Of division by one something is known, of other divisions nothing.
    const Formula by_one = f_.equal(operands[1].number, f_.number(1));
    out.null = f_.any({out.null, f_.all({f_.not_(by_one), has_none})});
    out.number = f_.choose(by_one, op == Op::div ? operands[0].number : f_.number(0), out.number);
    return out;
}

// An operator or function of which no more is known than its name, or that it is NULL where an operand is.
SqlValue RuleFormula::opaque(std::uint32_t i, const Values& values) {
    const ResolvedTerm& t = rule_.terms[i];
    look_outside(t.name);
    std::string name = fmt::format("{}/{}", t.name, t.payload);
    std::vector<SqlValue> operands;
    for (std::uint32_t o : t.operands) {
        const ResolvedTerm& operand = rule_.terms[o];
        if (operand.kind == TermKind::rest) name += fmt::format(" rest{}", operand.variable);
        if (operand.kind == TermKind::each) name += fmt::format(" each{}", o);
        if (operand.kind == TermKind::variable || operand.kind == TermKind::apply)
            operands.push_back(values[o]);
    }
    const std::uint32_t type = types_.of_term(i);
    SqlValue out =
        fitted(v_.applied(name, operands, types_[type].is_boolean, may_be_nan(type)), type);
    const rules::SqlOps::Meaning& meaning = ops_.meaning(t.op);
    const ResolvedTerm& pattern = rule_.terms[t.operands.back()];
    if (meaning.op == Op::like && pattern.kind == TermKind::variable &&
        has_word("matches_all", pattern.variable)) {
        assumptions_.push_back(f_.not_(variables_[pattern.variable].null));
        out.truth = f_.boolean(true);
    }
    out.null = meaning.op == Op::like || meaning.is_like_escape ? v_.any_null(operands)
                                                                : v_.applied_null(name, operands);
    return out;
}

}  // namespace satura::prove
