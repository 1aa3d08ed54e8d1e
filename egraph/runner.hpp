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
#include "egraph/egraph.hpp"
#include "egraph/match.hpp"

namespace satura::egraph {

struct Limits {
    std::uint32_t iterations = 1'000'000;
    std::uint32_t nodes = 1'000'000;           // e-nodes
    std::size_t bytes = std::size_t{4} << 30;  // of the e-graph
    double time_ms = 60'000;
};

enum class StopReason : std::uint8_t {
    saturated,
    iteration_limit,
    node_limit,
    memory_limit,
    time_limit
};
std::string_view stop_name(
    StopReason stop);  // "saturated", "node_limit", …: stable, used in output

struct RuleStatistics {
    std::uint64_t matches = 0;  // found, conditions included
    std::uint64_t applied = 0;
    std::uint32_t banned = 0;  // times that the scheduler put it off
    double time_search_ms = 0;
    double time_apply_ms = 0;
};

struct Report {
    StopReason stop = StopReason::saturated;
    std::uint32_t iterations = 0;  // begun; the one that finds saturation counts
    double time_search_ms = 0;
    double time_apply_ms = 0;
    double time_rebuild_ms = 0;
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

    // Runs the rules of `subset` (all where empty) until nothing changes or a limit strikes. The
    // e-graph is clean after. May be called again, after more terms were added too: only what is
    // new is searched.
    Report run(const Limits& limits, const std::vector<std::uint32_t>& subset = {});
    // Called after each iteration; false ends the run (as an iteration limit).
    std::function<bool(const Report&)> after_iteration;

    const std::vector<Rule>& rules() const { return rules_; }
    const std::vector<Query>& queries() const {
        return queries_;
    }  // the rules' left sides, compiled
    const std::vector<RuleStatistics>& statistics() const { return statistics_; }
    // Forgets what was searched, for an e-graph that was cleared. Statistics go back to zero.
    void reset();

  private:
    struct Run;  // limits, clock and report of one call
    bool iterate(Run& run, const std::vector<std::uint32_t>& subset);
    void search(Run& run, std::uint32_t rule);
    bool apply(Run& run, std::uint32_t rule);

    EGraph& graph_;
    std::vector<Rule> rules_;
    std::vector<Query> queries_;
    std::vector<std::uint32_t> all_;    // the numbers of the rules
    std::vector<std::uint32_t> ready_;  // the rules to apply in this iteration
    std::vector<std::uint32_t> since_;
    std::vector<MatchList> matches_;
    std::vector<RuleStatistics> statistics_;
    std::uint32_t iterations_ = 0;  // of all runs: what schedulers count
    std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace satura::egraph
