#include "optimizer/plan_proof.hpp"

#include <algorithm>
#include <unordered_map>

#include "optimizer/prover.hpp"
#include "proof/query_replay.hpp"

namespace satura {

using egraph::ClassId;
using egraph::NodeId;
using egraph::NodeView;
using lang::Op;
using lang::RelationId;
using proof::Known;
using proof::TermId;
using rules::Sort;

namespace {

// The terms that were chosen, from classes downwards.
class ChosenTerms {
  public:
    ChosenTerms(RuleEngine& engine, const rules::PlanDecoding& chosen)
        : engine_(engine), chosen_(chosen) {}

    // Calls `add` with each chosen node below the class and what it gave for the node's operands, those first; what it gave for
    // the class itself.
    template <class Add>
    std::uint32_t run(ClassId root, Add&& add) {
        const Wanted whole{egraph::raw(engine_.graph.find(root)), false};
        std::vector<Wanted> todo{whole};
        while (!todo.empty()) {
            const Wanted wanted = todo.back();
            const NodeView node = node_of(wanted);
            const std::size_t before = todo.size();
            if (!made_.contains(key(wanted))) {
                for (std::uint32_t child : node.children) {
                    const Wanted below = below_of(wanted, node, child);
                    if (!made_.contains(key(below))) todo.push_back(below);
                }
            }
            if (todo.size() > before) continue;
            todo.pop_back();
            if (made_.contains(key(wanted))) continue;
            std::vector<std::uint32_t> children;
            for (std::uint32_t child : node.children)
                children.push_back(made_.at(key(below_of(wanted, node, child))));
            made_.emplace(key(wanted), add(node, children));
        }
        return made_.at(key(whole));
    }

  private:
    // A class in the context in which it is wanted.
    struct Wanted {
        std::uint32_t cls;
        bool as_filter;
    };
    static std::uint64_t key(Wanted wanted) {
        return std::uint64_t{wanted.cls} << 1 | (wanted.as_filter ? 1 : 0);
    }

    Sort sort_of(std::uint32_t cls) const {
        const NodeView node = engine_.graph.node(engine_.graph.first_node(ClassId{cls}));
        return engine_.ops.meaning(node.op).sort;
    }

    NodeView node_of(Wanted wanted) const {
        const ClassId cls{wanted.cls};
        switch (sort_of(wanted.cls)) {
            case Sort::relation:
                return engine_.graph.node(chosen_.relation(cls));
            case Sort::columns:
                return engine_.graph.node(engine_.graph.first_node(cls));
            default:
                return engine_.graph.node(chosen_.exprs.choice(cls, wanted.as_filter));
        }
    }

    Wanted below_of(Wanted wanted, const NodeView& node, std::uint32_t child) const {
        const std::uint32_t cls = engine_.graph.find(child);
        const bool is_relation = engine_.ops.meaning(node.op).sort == Sort::relation;
        const bool as_filter = is_relation
                                   ? sort_of(cls) == Sort::truth
                                   : rules::keeps_filter(engine_.ops, wanted.as_filter, node);
        return {cls, as_filter};
    }

    RuleEngine& engine_;
    const rules::PlanDecoding& chosen_;
    std::unordered_map<std::uint64_t, std::uint32_t> made_;
};

class PlanProof {
  public:
    PlanProof(RuleEngine& engine, const lang::Statement& statement, const lang::Catalog& catalog,
              const rules::EncodedPlan& input, const rules::PlanDecoding& chosen,
              const std::string& after)
        : engine_(engine),
          statement_(statement),
          catalog_(catalog),
          input_(input),
          chosen_(chosen),
          after_(after),
          prover_(engine, goal()) {}

    std::optional<proof::Proof> run(std::string& why) {
        std::vector<NodeId> nodes;
        ChosenTerms terms(engine_, chosen_);
        for (NodeId root : roots(input_)) {
            if (egraph::raw(root) == egraph::none) continue;
            nodes.push_back(root);
            terms.run(engine_.graph.class_of(root),
                      [&](const NodeView& node, const std::vector<std::uint32_t>&) {
                          nodes.push_back(node.id);
                          return 0U;
                      });
        }
        prover_.connect_parts(nodes);
        std::vector<std::uint32_t> opened;
        for (NodeId node : nodes) opened.push_back(egraph::raw(node));
        auto proof = prover_.prove(std::move(opened));
        if (!proof) why = prover_.why();
        return proof;
    }

  private:
    // The relations of the query and of its subqueries.
    std::vector<NodeId> roots(const rules::EncodedPlan& encoded) const {
        std::vector<NodeId> out{encoded.relations[lang::index(statement_.plan.root)]};
        out.insert(out.end(), encoded.subqueries.begin(), encoded.subqueries.end());
        return out;
    }

    ProofGoal goal() {
        ProofGoal goal;
        goal.plan = &scope_;
        goal.begin = [this](Known& known) {
            proof::KnownTaker taker(known);
            start_ = rules::encode_plan_to(taker, statement_.plan, catalog_, engine_.ops,
                                           engine_.scope, scope_);
        };
        goal.payload = [this](egraph::OpId op, egraph::Payload payload) {
            if (op != engine_.ops.plan().columns) return payload;
            return scope_.column_sets.intern(engine_.plan_scope.column_sets[payload]);
        };
        goal.is_reached = [this](Known& known) { return is_reached(known); };
        goal.results = [this] {
            std::vector<TermId> out;
            for (TermId result : results_) {
                if (result != proof::no_term) out.push_back(result);
            }
            return out;
        };
        goal.write = [this](proof::Proof& proof, const std::vector<std::uint32_t>& numbers) {
            proof.is_query = true;
            proof.before = statement_.text;
            proof.after = after_;
            for (TermId result : results_) {
                const bool is_there = result != proof::no_term;
                proof.results.push_back(is_there ? TermId{numbers[proof::index(result)]} : result);
            }
        };
        goal.pieces = proof::pieces_of(statement_.plan.exprs,
                                       proof::expressions_of(statement_.plan), engine_.ops);
        goal.replayed = [this](const proof::Proof& proof) {
            return proof::replay_query(proof, {statement_, catalog_}, engine_.ops, engine_.scope,
                                       [this](std::string_view name) {
                                           const auto rule = std::ranges::find(
                                               engine_.resolved, name, &rules::ResolvedRule::name);
                                           return rule == engine_.resolved.end() ? nullptr : &*rule;
                                       });
        };
        return goal;
    }

    // The chosen terms, each equal to the relation that it was chosen for.
    bool is_reached(Known& known) {
        ChosenTerms terms(engine_, chosen_);
        const std::vector<NodeId> graph_roots = roots(input_), starts = roots(start_);
        results_.assign(starts.size(), proof::no_term);
        bool is_reached = true;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            if (egraph::raw(starts[i]) == egraph::none) continue;
            const auto add = [&](const NodeView& node, const std::vector<std::uint32_t>& children) {
                std::vector<TermId> operands;
                for (std::uint32_t child : children) operands.push_back(TermId{child});
                egraph::Payload payload = node.payload;
                if (node.op == engine_.ops.plan().columns)
                    payload =
                        scope_.column_sets.intern(engine_.plan_scope.column_sets[node.payload]);
                return proof::index(known.add(node.op, payload, std::move(operands)));
            };
            results_[i] = TermId{terms.run(engine_.graph.class_of(graph_roots[i]), add)};
            is_reached = is_reached && known.equal(TermId{egraph::raw(starts[i])}, results_[i]);
        }
        return is_reached;
    }

    RuleEngine& engine_;
    const lang::Statement& statement_;
    const lang::Catalog& catalog_;
    const rules::EncodedPlan& input_;
    const rules::PlanDecoding& chosen_;
    const std::string& after_;
    rules::PlanScope scope_;  // of the proof's terms
    rules::EncodedPlan start_;
    std::vector<TermId> results_;
    Prover prover_;
};

}  // namespace

std::optional<proof::Proof> prove_plan(RuleEngine& engine, const lang::Statement& statement,
                                       const lang::Catalog& catalog,
                                       const rules::EncodedPlan& input,
                                       const rules::PlanDecoding& chosen, const std::string& after,
                                       std::string& why) {
    return PlanProof(engine, statement, catalog, input, chosen, after).run(why);
}

}  // namespace satura
