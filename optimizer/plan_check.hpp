// The soundness of plan rules by evaluation: every member of every class of relations is run on small databases, and all
// members of a class must have the same rows.
//
//     PlanSearch search(engine, catalog, plan);
//     search.saturate(limits);
//     PlanCheck check(engine, catalog, search.input());
//     check.run_random({.seed = 7}, 20);
//     if (check.difference()) std::cerr << check.difference()->text;
//
// The inputs of a member are the smallest terms of their classes, whichever they are: other members of these are checked
// themselves, so the difference is found where it arises. The relations of the query as it was written are members too. What the facts of a class say must hold for each of its rows.
// Values and truths are not checked here (rules/checker.hpp does).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egraph/extract.hpp"
#include "lang/bag.hpp"
#include "lang/catalog.hpp"
#include "lang/random_tables.hpp"
#include "lang/run_plan.hpp"
#include "optimizer/rule_engine.hpp"
#include "rules/plan_decode.hpp"

namespace satura {

struct PlanCheckCounts {
    std::uint64_t classes = 0;  // of relations
    std::uint64_t members = 0;  // live nodes, subsumed ones too, and the query's own relations
    std::uint64_t facts = 0;    // of classes, as far as they read columns that the class has
    std::uint64_t databases = 0;
    std::uint64_t compared =
        0;                      // a member, or a fact, on a database (and binding of outer columns)
    std::uint64_t unknown = 0;  // the same, where nothing can be said
};

struct PlanDifference {
    std::string rule;  // that made the member, or "a fact", "an expression"
    std::string text;  // both plans, the database, both bags; ends with a newline
};

class PlanCheck {
  public:
    // Of the engine's e-graph as it is, which must be clean. Refers to all that it is given. Cost: one decoding of all.
    PlanCheck(RuleEngine& engine, const lang::Catalog& catalog, const rules::EncodedPlan& input);
    ~PlanCheck();

    // Runs everything on a database. False where there is a difference; the first one is kept, and ends it.
    bool run(const lang::Database& database);
    bool run_random(lang::RandomTables options,
                    std::uint32_t databases);  // of seeds from options.seed on
    // All databases of that size, or about `runs_max` of them, evenly; with fewer values where there are too many to count.
    bool run_all(lang::AllTables options, std::uint64_t runs_max);

    const PlanCheckCounts& counts() const { return counts_; }
    const std::optional<PlanDifference>& difference() const { return difference_; }

  private:
    struct Member {
        egraph::NodeId node;
        lang::RelationId root;
        bool is_input =
            false;  // a relation of the query, with its inputs and expressions as they were written
        bool is_loose =
            false;  // for a consumer that does not count: how often a row is there is not said
    };
    struct Fact {
        egraph::ClassId truth;
        lang::ExprId expr;
        lang::RelationId filter;  // the first member's rows for which it holds
    };
    struct Class {
        egraph::ClassId cls;
        std::vector<lang::ColumnId> columns;
        std::vector<lang::ColumnId> null_columns;
        std::vector<Member> members;
        std::vector<Fact> facts;
        bool is_open = false;  // reads outer columns
    };

    rules::PlanDecoding decoding() const;
    void find_classes();
    void find_loose();
    void decode();
    void add_facts(Class& cls);
    void find_outer_columns();
    bool reads_only(lang::ExprId expr, const Class& cls, const std::vector<bool>& made_below) const;
    std::vector<bool> columns_made_below(const Class& cls) const;

    template <class F>
    void for_each_root(const Class& cls, F&& f) const;
    const lang::Plan& plan_of(const Member& member) const {
        return member.is_input ? *engine_.plan_scope.plan : plan_;
    }

    using Bindings = std::vector<lang::Binding>;
    using Outcomes = std::vector<lang::RunOutcome>;
    bool run(const lang::Database& database, const Bindings& outer, bool only_open, Outcomes& out);
    Outcomes outcomes_of(const lang::Database& database, const Bindings& outer,
                         bool only_open) const;
    // The outcomes of a class: its members', then its facts'.
    bool compare_members(const Class& cls, std::span<const lang::RunOutcome> outcomes,
                         const lang::Database& database, const Bindings& outer);
    bool compare_facts(const Class& cls, std::span<const lang::RunOutcome> outcomes,
                       const lang::Database& database, const Bindings& outer);
    Bindings draw(const Outcomes& outcomes, std::uint64_t seed) const;

    void report(const Class& cls, const Member& a, const Member& b, const lang::Database& database,
                const Bindings& outer);
    void report_fact(const Class& cls, const std::string& fact, const lang::Bag& bag,
                     const lang::Database& database, const Bindings& outer);
    void keep(std::string rule, const std::string& a, const std::string& b,
              const std::string& place);
    std::string side_text(const lang::Plan& plan, lang::RelationId root,
                          const lang::RunOutcome& outcome) const;
    std::vector<std::uint32_t> path(egraph::NodeId from, egraph::NodeId to) const;
    std::string rule_of(const egraph::UnionReason& reason) const;
    std::string place_text(const lang::Database& database, const Bindings& outer) const;

    RuleEngine& engine_;
    const lang::Catalog& catalog_;
    const rules::EncodedPlan& input_;
    std::unique_ptr<egraph::Extraction> extraction_;
    std::vector<Class> classes_;
    lang::Plan plan_;                    // all members but those of the query
    std::vector<lang::ColumnId> outer_;  // that some class reads and does not make
    PlanCheckCounts counts_;
    std::optional<PlanDifference> difference_;
};

}  // namespace satura
