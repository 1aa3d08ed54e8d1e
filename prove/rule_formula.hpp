// What a rule says, as formulas: under `assumptions` its sides never differ, or `differs` can hold.
//
// Sound for proofs: what is not looked into (functions, operators of texts, words that have no formula) may be anything, so if `differs`
// cannot hold, the sides are equal whatever it is. The other way round it is not: what makes `differs` hold may be no case of the rule, and
// whoever asks must try it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lang/semantics.hpp"
#include "prove/casts.hpp"
#include "prove/rest_folds.hpp"
#include "prove/rule_types.hpp"
#include "prove/sql_value.hpp"
#include "rules/check_sorts.hpp"

namespace satura::prove {

class RuleFormula {
  public:
    // Requires a rule over values without a mistake in its sorts; `sorts` must outlive this object, and so all else.
    RuleFormula(const rules::ResolvedRule& rule, const rules::SqlOps& ops,
                const rules::RuleSorts& sorts, Formulas& formulas, Arithmetic arithmetic,
                lang::NanOrder nan);

    const std::vector<Formula>& assumptions() const { return assumptions_; }
    Formula differs() const { return differs_; }
    // That the first such operator or word is not looked into; empty if there is none.
    const std::string& outside() const { return outside_; }
    // Some type is one of integers, or of one width of them, only because sums were looked into.
    bool is_narrowed() const;
    const RuleTypes& types() const { return types_; }
    Casts& casts() { return casts_; }

    // For reading a case back from a solver's answer.
    const SqlValue& variable(std::uint32_t v) const { return variables_[v]; }
    const RestFolds& folds() const { return folds_; }
    // A rest of COALESCE or CASE: the first value that is not NULL; whether an arm is taken, and its value.
    struct Run {
        Formula is_taken{};
        SqlValue value;
    };
    std::optional<Run> run_of(std::uint32_t rest) const;

  private:
    using Values = std::vector<SqlValue>;  // by term

    void make_variables();
    void make_lets();
    void make_let(const rules::ResolvedLet& let);
    SqlValue variable_named(const std::string& name, std::uint32_t v);
    SqlValue fitted(SqlValue value, std::uint32_t type);
    bool may_be_nan(std::uint32_t type) const;

    SqlValue term(std::uint32_t i, const Values& values);
    SqlValue apply(std::uint32_t i, const Values& values);
    SqlValue apply_truth(const rules::ResolvedTerm& term, const Values& values);
    SqlValue junction(const rules::ResolvedTerm& term, bool is_or, const Values& values);
    SqlValue same(const rules::ResolvedTerm& term, const Values& values);
    SqlValue case_of(const rules::ResolvedTerm& term, const Values& values);
    SqlValue coalesce_of(const rules::ResolvedTerm& term, const Values& values);
    SqlValue in(const rules::ResolvedTerm& term, const Values& values);
    SqlValue arithmetic(std::uint32_t i, lang::Op op, const std::vector<SqlValue>& operands);
    SqlValue opaque(std::uint32_t i, const Values& values);
    std::optional<Truth> element(std::uint32_t root, std::uint32_t variable, Truth value,
                                 const Values& values);

    // Rests of other operators.
    const Run& run(std::uint32_t rest, std::uint32_t type);
    Formula is_empty(std::uint32_t rest);
    SqlValue is_in_rest(std::uint32_t rest, const SqlValue& x);
    std::uint32_t same_items(std::uint32_t rest) const;  // the rest that has the same elements
    bool has_word(std::string_view word, std::uint32_t variable) const;

    // Words.
    void take_conditions();
    void take_rest_word(const rules::ResolvedWord& word);
    std::optional<Formula> formula_of(const rules::ResolvedWord& word);
    std::optional<Formula> formula_of_predicates(const rules::ResolvedWord& word);
    void take_lists();
    void look_outside(const std::string& what);

    const rules::ResolvedRule& rule_;
    const rules::SqlOps& ops_;
    const rules::RuleSorts& sorts_;
    Formulas& f_;
    Arithmetic arithmetic_;
    lang::NanOrder nan_;
    RuleTypes types_;
    SqlValues v_;
    RestFolds folds_;
    Casts casts_;
    std::vector<SqlValue> variables_;
    std::map<std::uint32_t, Run> runs_;
    std::vector<Formula> assumptions_;
    Formula differs_{};
    std::string outside_;
};

}  // namespace satura::prove
