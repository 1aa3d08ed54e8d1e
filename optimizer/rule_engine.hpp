// An e-graph with its language, rules and analyses: what simplifying expressions and optimizing plans have in common.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egraph/runner.hpp"
#include "rules/loader.hpp"
#include "rules/plan_steps.hpp"
#include "rules/sql_language.hpp"

namespace satura {

struct RuleEngine {
    enum class Use : std::uint8_t { expressions, plans };

    lang::Context context;
    rules::SqlOps ops;
    rules::SqlLanguage language;
    rules::RuleBook book;
    std::vector<std::string> errors;  // of a user's rule files, rendered
    rules::Scope scope;
    rules::PlanScope plan_scope;
    egraph::EGraph graph;
    rules::Knowledge knowledge;
    std::optional<rules::PlanKnowledge> plan_knowledge;  // for plans
    std::optional<rules::PlanSteps> steps;
    std::unique_ptr<egraph::Runner> runner;
    std::vector<rules::ResolvedRule> resolved;  // what the runner's rules were compiled from
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_phase;  // indexes of the runner's rules

    // Loads the built-in rules and `more`, those that the semantics enable; for expressions, those on values only.
    RuleEngine(lang::Semantics semantics, const std::vector<rules::Source>& more, Use use);
    RuleEngine(const RuleEngine&) = delete;
    RuleEngine& operator=(const RuleEngine&) = delete;

    // A long run of requests interns ever more constants, names and texts; then all is to be made anew.
    bool is_bloated() const;
    void reset();

    // Truths and values to their fixpoint, then one iteration of the plan's rules, and again, until neither changes anything;
    // the rules of later phases join in when those of earlier ones are done. Limits hold for the whole. Requires Use::plans.
    egraph::Report saturate_plans(const egraph::Limits& limits);

    // Whether the rule was applied, in one of its instances.
    bool is_applied(std::string_view rule) const;
    // Rules that were applied, by name without their operators, with how often.
    std::vector<std::pair<std::string, std::uint64_t>> applied_rules() const;
};

}  // namespace satura
