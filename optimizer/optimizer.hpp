// Optimizing queries: bind, saturate, extract, write.
//
//   satura::Optimizer optimizer(satura::lang::Semantics::of(satura::lang::Dialect::postgres));
//   if (auto error = optimizer.set_schema("create table t(a int)")) …
//   auto answer = optimizer.optimize({.sql = "select * from t where a::bigint = 5"});
//
// One object serves many queries, one after the other; use one a thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"
#include "optimizer/answer.hpp"
#include "optimizer/equal_answer.hpp"
#include "rules/loader.hpp"

namespace satura {

struct OptimizeRequest {
    std::string sql;  // one query; a semicolon may end it
    egraph::Limits limits;
    bool join_graph = false;  // whether the answer has it
    bool proof = false;       // whether the answer has it
};

// A relation of a plan, for printing: children are indexes into the same vector, smaller than the
// relation's own.
struct PlanNode {
    std::string op;      // "scan", "inner join", …
    std::string detail;  // "t1.a = t2.a and t2.b > 1", "t1", …; may be empty
    double rows = 0;     // estimated
    double cost = 0;     // of the relation and all below it
    std::vector<std::uint32_t> children;
};

// A plan as people read it; the root is the last node.
struct PlanText {
    std::vector<PlanNode> nodes;
    std::string tree;  // lines with ├─ └─ │, each with its estimated rows; ends with a newline
};

// A rule that led to the chosen plan.
struct AppliedRule {
    std::string rule;
    std::string where;   // the relation or expression that it made, in one line
    std::string reason;  // the first sentence of the rule's comment
};

struct OptimizeAnswer : Answer {
    PlanText before;
    PlanText after;
    std::vector<std::string> joins;        // of the chosen plan: "inner", "left", …, "cross"
    std::vector<AppliedRule> explanation;  // in the order of the plan, from below
    std::string join_graph;                // of the chosen plan, in Graphviz's language
};

class Optimizer {
  public:
    // Loads the built-in rules and `more` (a user's files). Errors in those are in rule_errors();
    // such rules are left out.
    explicit Optimizer(lang::Semantics semantics, std::vector<rules::Source> more = {});
    ~Optimizer();
    Optimizer(Optimizer&&) noexcept;

    // Error texts of user's rule files, rendered with file, line and caret; empty if all is well.
    const std::vector<std::string>& rule_errors() const;
    const rules::RuleBook& book() const;

    // Reads CREATE TABLE, CREATE INDEX and ALTER TABLE … ADD; replaces the schema before. Nothing:
    // done. Without any table, tables are open: each has the columns that a query names.
    std::optional<lang::Diagnostic> set_schema(const std::string& ddl);
    // What set_schema skipped, one line each.
    const std::vector<lang::Diagnostic>& schema_warnings() const;

    // Saturates the query `left` over the tables of `schema` with all rules and says what the rule did, and whether
    // `right` (may be empty) is the SQL that comes out, but for line breaks. The schema set before stays. An error's
    // `in` is "schema" or "sql".
    std::variant<RuleTrial, RequestError> try_rule(std::string_view rule, const std::string& schema,
                                                   const std::string& left,
                                                   const std::string& right);

    // The cheapest equal query. A statement that is no query comes back as it is written. A limit
    // that strikes still gives the best plan so far. An error's `in` is "sql".
    std::variant<OptimizeAnswer, RequestError> optimize(const OptimizeRequest& request);

    // Whether the request's query and `equal_to` give the same rows on every database: see EqualAnswer. An error's `in` is
    // "sql" or "equal_to".
    std::variant<EqualAnswer, RequestError> prove_equal(const OptimizeRequest& request,
                                                        const std::string& equal_to);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace satura
