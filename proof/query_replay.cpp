#include "proof/query_replay.hpp"

#include <algorithm>

#include "lang/sql_plan_write.hpp"
#include "proof/single_terms.hpp"
#include "rules/plan_decode.hpp"

namespace satura::proof {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;
using lang::RelationId;

namespace {

// When the input first evaluates each term.
std::vector<std::uint32_t> input_ranks(const Known& known, const rules::EncodedPlan& input) {
    std::vector<std::uint32_t> by_class(known.id_count(), egraph::none);
    for (std::uint32_t i = 0; i < input.exprs.size(); ++i) {
        if (egraph::raw(input.exprs[i]) == egraph::none) continue;
        std::uint32_t& rank = by_class[known.find(egraph::raw(input.exprs[i]))];
        rank = std::min(rank, i);
    }
    std::vector<std::uint32_t> out;
    for (std::uint32_t id = 0; id < known.id_count(); ++id) out.push_back(by_class[known.find(id)]);
    return out;
}

std::string text_of(const Known& known, const rules::EncodedPlan& results,
                    std::vector<std::uint32_t> ranks, const QueryStatement& statement) {
    const SingleTerms terms(known);
    rules::PlanDecoding decoding;
    decoding.relation = [](ClassId cls) { return NodeId{egraph::raw(cls)}; };
    decoding.exprs.choice = [](ClassId cls, bool) { return NodeId{egraph::raw(cls)}; };
    decoding.exprs.input_rank = std::move(ranks);
    const rules::DecodedPlan decoded = rules::decode_plan(terms, known.ops(), results, decoding);
    return lang::write_query(decoded.plan, statement.before.result, statement.catalog,
                             known.ops().context())
        .text;
}

}  // namespace

std::vector<ExprId> expressions_of(const lang::Plan& plan) {
    std::vector<ExprId> out;
    for (RelationId id : lang::reachable(plan, plan.root)) {
        const auto own = lang::own_expressions(plan, id);
        out.insert(out.end(), own.begin(), own.end());
    }
    return out;
}

Verdict replay_query(const Proof& proof, const QueryStatement& statement, rules::SqlOps& ops,
                     rules::Scope& scope, const RuleNamed& rule_named, StepWatcher* watcher) {
    if (proof.results.empty()) {
        const bool is_same = proof.after == statement.before.text && proof.steps.empty();
        return {is_same ? "" : "the result is another query, and no relation for it is given", 0};
    }
    const lang::Plan& plan = statement.before.plan;
    rules::PlanScope plan_scope;
    Terms terms(ops.signature());
    Known known(terms, ops, scope, &plan_scope);
    KnownTaker taker(known);
    const rules::EncodedPlan input =
        rules::encode_plan_to(taker, plan, statement.catalog, ops, scope, plan_scope);
    const auto pieces = pieces_of(plan.exprs, expressions_of(plan), ops);
    std::vector<TermId> made;
    const Verdict verdict = replay_steps(proof, pieces, known, rule_named, made, watcher);
    if (!verdict.refusal.empty()) return verdict;

    rules::EncodedPlan results = input;
    if (proof.results.size() != plan.subqueries.size() + 1)
        return {"the result has not one relation for the query and each subquery", 0};
    for (std::size_t i = 0; i < proof.results.size(); ++i) {
        NodeId& relation =
            i == 0 ? results.relations[lang::index(plan.root)] : results.subqueries[i - 1];
        if (egraph::raw(relation) == egraph::none) continue;
        const std::uint32_t number = index(proof.results[i]);
        if (number >= made.size()) return {"the result names a term that is not there", 0};
        if (!known.equal(TermId{egraph::raw(relation)}, made[number]))
            return {i == 0 ? "the steps do not lead from the input to the result"
                           : "the steps do not lead to the result of a subquery",
                    0};
        relation = NodeId{index(made[number])};
    }
    const std::string text = text_of(known, results, input_ranks(known, input), statement);
    if (text != proof.after) return {"the steps lead to another query: " + text, 0};
    return {};
}

}  // namespace satura::proof
