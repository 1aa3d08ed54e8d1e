// Simplifying scalar expressions: bind, saturate, extract, write.
//
//   satura::Simplifier simplifier(satura::lang::Semantics::of(satura::lang::Dialect::postgres));
//   auto answer = simplifier.simplify({"x smallint", "cast(x as int) > 40000"});
//   if (answer) std::puts(answer->result.c_str());   // x is null and null
//
// One object serves many requests, one after the other, and keeps its memory; use one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lang/semantics.hpp"
#include "optimizer/answer.hpp"
#include "optimizer/equal_answer.hpp"
#include "rules/loader.hpp"

namespace satura {

struct SimplifyRequest {
    std::string columns;  // "x smallint, y int not null"
    std::string expr;
    // filter: the result is used only as true or not, as in WHERE; value: NULL and FALSE are told apart.
    enum class Context : std::uint8_t { value, filter } context = Context::value;
    egraph::Limits limits;
    bool proof = false;  // whether the answer has one
};

class Simplifier {
  public:
    // Loads the built-in rules and `more` (a user's files). Errors in those are in rule_errors(); such rules are left out.
    explicit Simplifier(lang::Semantics semantics, std::vector<rules::Source> more = {});
    ~Simplifier();
    Simplifier(Simplifier&&) noexcept;

    // Error texts of user's rule files, rendered with file, line and caret; empty if all is well.
    const std::vector<std::string>& rule_errors() const;
    const rules::RuleBook& book() const;

    // Saturates `left` with all rules and says what the rule did, and whether `right` (may be empty) came out equal.
    // An error's `in` is "columns" or "expr".
    std::variant<RuleTrial, RequestError> try_rule(std::string_view rule,
                                                   const std::string& columns,
                                                   const std::string& left,
                                                   const std::string& right);

    // The cheapest equal expression that adds no error. A limit that strikes still gives the best expression so far.
    std::variant<Answer, RequestError> simplify(const SimplifyRequest& request);

    // Whether the request's expression and `equal_to` have the same value in every row, or as filters keep the same rows: see
    // EqualAnswer. An error's `in` is "columns", "expr" or "equal_to".
    std::variant<EqualAnswer, RequestError> prove_equal(const SimplifyRequest& request,
                                                        const std::string& equal_to);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace satura
