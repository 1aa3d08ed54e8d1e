// Running rules to a fixpoint, within limits.
//
//   Runner runner(graph, {rule1, rule2});
//   Report report = runner.run({.nodes = 100'000});
//   // report.stop == StopReason::saturated: nothing more follows from the rules
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/apply.hpp"
#include "egraph/budget.hpp"
#include "egraph/egraph.hpp"
#include "egraph/match.hpp"

namespace satura::egraph {

struct RuleStatistics {
    std::uint64_t matches = 0;  // found, conditions included
    std::uint64_t applied = 0;
    std::uint32_t banned = 0;  // times that the scheduler put it off
    double time_search_ms = 0;
    double time_apply_ms = 0;
};

struct Report {
    StopReason stop = StopReason::saturated;
    // Whether the e-graph is as after EGraph::rebuild. False only where a limit struck and
    // rebuilding would have gone far beyond it (see Runner::run).
    bool is_clean = true;
    std::string message;           // of an analysis_limit: EGraph::unsettled
    std::uint32_t iterations = 0;  // begun; the one that finds saturation counts
    double time_search_ms = 0;
    double time_apply_ms = 0;
    double time_rebuild_ms = 0;
};

// What a run does at some moment.
struct Progress {
    enum class Phase : std::uint8_t { search, apply, rebuild };
    Phase phase = Phase::rebuild;
    std::uint32_t rule = none;     // that is searched or applied
    std::uint32_t iterations = 0;  // begun in this run
    std::uint32_t nodes = 0;
    std::uint32_t classes = 0;
    std::size_t bytes = 0;  // of e-graph, indexes and matches
    double time_ms = 0;     // since the run began
};

// Which rules run when. The default lets every rule run in every iteration.
class Scheduler {
  public:
    virtual ~Scheduler() = default;
    virtual bool may_run(std::uint32_t /*rule*/, std::uint32_t /*iteration*/) { return true; }
    virtual std::size_t match_limit(std::uint32_t /*rule*/) { return static_cast<std::size_t>(-1); }
    virtual void exceeded(std::uint32_t /*rule*/, std::uint32_t /*iteration*/) {
    }  // its matches are dropped, not lost
    virtual bool may_stop(std::uint32_t /*iteration*/) {
        return true;
    }  // asked when nothing changed
    virtual void reset() {}  // the e-graph was cleared
    virtual void push() {}   // keeps what it has counted,
    virtual void pop() {}    // goes back to what it last kept
};

// Exponential back-off: a rule with more than `match_limit << bans` matches rests for `ban_length
// << bans` iterations. Source: egg (Willsey et al., POPL 2021), BackoffScheduler; what a rest drops
// is found again later, as a rule's stamp advances only when its matches are applied.
std::unique_ptr<Scheduler> backoff_scheduler(std::size_t match_limit = 1000,
                                             std::uint32_t ban_length = 5);

class Runner {
  public:
    // Compiles the rules. Requires them to be well formed (Runner::check) and outliving nothing:
    // they are copied.
    Runner(EGraph& graph, std::vector<Rule> rules, std::unique_ptr<Scheduler> scheduler = nullptr);

    // What is wrong with a rule as the engine sees it; empty if nothing.
    static std::string check(Rule rule, const Signature& signature);

    // Runs the rules of `subset` (all where empty) until nothing changes or a limit strikes. May be
    // called again, after more terms were added too: only what is new is searched.
    //
    // Limits hold in the middle of a search, of a rule's application and of a rebuild:
    //   nodes     never exceeded by rules, but for what a single computation adds
    //   bytes     asked for before arrays and hash tables double; exceeded by less than 1 %, but for
    //             what a single computation adds or a set takes over from nested ones
    //   time_ms, interrupt
    //             exceeded by at most 10 ms or, if that is more, 5 % of the time spent, but for a
    //             single call of a condition, computation, analysis or callback that takes longer
    // The e-graph is clean after, as applying stops early enough to rebuild in time. Only where the
    // rebuild takes longer than that, Report::is_clean is false: EGraph::rebuild, or the next run,
    // goes on with it. Nothing is lost by a stop: matches that were not applied are found again.
    Report run(const Limits& limits, const std::vector<std::uint32_t>& subset = {});
    // Called before each iteration and after each that no limit cut short, the one that finds
    // nothing new included; false ends the run (as an iteration limit). They may add terms and merge
    // classes.
    std::function<bool(const Report&)> before_iteration;
    std::function<bool(const Report&)> after_iteration;
    // Called about every `progress_interval_ms`, within long searches and rebuilds too. Must not
    // change the e-graph, which may be in the middle of a rebuild.
    std::function<void(const Progress&)> on_progress;
    double progress_interval_ms = 100;

    const std::vector<Rule>& rules() const { return rules_; }
    const std::vector<Query>& queries() const {
        return queries_;
    }  // the rules' left sides, compiled
    const std::vector<RuleStatistics>& statistics() const { return statistics_; }
    // Forgets what was searched, for an e-graph that was cleared. Statistics go back to zero. (A run
    // notices by itself that the e-graph was cleared or popped, and searches all of it.)
    void reset();
    // EGraph::push and pop of the e-graph, along with what was searched and counted: what comes
    // after pop is as if nothing had been run since push. Pairs, not mixed with the e-graph's own.
    void push();
    void pop();

  private:
    struct Run;  // budget, clock and report of one call
    bool may_begin(Run& run) const;
    bool iterate(Run& run, const std::vector<std::uint32_t>& subset);
    bool search_all(Run& run, const std::vector<std::uint32_t>& subset, std::uint32_t iteration);
    void search(Run& run, std::uint32_t rule);
    void apply_all(Run& run);
    void apply(Run& run, std::uint32_t rule);
    bool rebuild(Run& run);
    void finish(Run& run);
    void watch(Run& run);
    struct Saved {
        std::vector<std::uint32_t> since;
        std::vector<RuleStatistics> statistics;
        std::uint32_t iterations;
        std::size_t snapshot_count;  // of the e-graph
    };
    double expected_rebuild_ms(const Budget& budget) const;

    EGraph& graph_;
    std::vector<Rule> rules_;
    std::vector<Query> queries_;
    std::vector<std::uint32_t> all_;    // the numbers of the rules
    std::vector<std::uint32_t> ready_;  // the rules to apply in this iteration
    std::vector<std::uint32_t> since_;
    // How many changes the e-graph had seen when a rule was last searched and applied; with no more, there is nothing new.
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::vector<std::uint64_t> searched_;
    std::vector<MatchList> matches_;
    std::vector<RuleStatistics> statistics_;
    double rebuild_ms_ = 0;         // of all rebuilds so far,
    double rebuild_uses_ = 0;       // and the uses that waited for them
    std::uint32_t iterations_ = 0;  // of all runs: what schedulers count
    std::unique_ptr<Scheduler> scheduler_;
    std::uint64_t era_;  // of the e-graph, in which since_ was counted
    std::vector<Saved> saved_;
};

}  // namespace satura::egraph
