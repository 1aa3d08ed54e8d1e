#include "egraph/runner.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace satura::egraph {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

class Backoff : public Scheduler {
  public:
    Backoff(std::size_t match_limit, std::uint32_t ban_length)
        : match_limit_(match_limit), ban_length_(ban_length) {}

    bool may_run(std::uint32_t rule, std::uint32_t iteration) override {
        return iteration >= state(rule).banned_until;
    }
    std::size_t match_limit(std::uint32_t rule) override {
        return match_limit_ << state(rule).bans;
    }
    void exceeded(std::uint32_t rule, std::uint32_t iteration) override {
        State& s = state(rule);
        s.banned_until = iteration + (ban_length_ << s.bans);
        s.bans = std::min(s.bans + 1, bans_max);
    }
    // While a rule is banned the run is not at its end: the bans are shortened so that the first
    // one ends now.
    bool may_stop(std::uint32_t iteration) override {
        std::uint32_t least = none;
        for (const State& s : states_) {
            if (s.banned_until > iteration) least = std::min(least, s.banned_until);
        }
        if (least == none) return true;
        for (State& s : states_) {
            if (s.banned_until > iteration) s.banned_until -= least - iteration;
        }
        return false;
    }

    void reset() override { states_.clear(); }

  private:
    static constexpr std::uint32_t bans_max = 20;  // limits and rests grow no more from there
    struct State {
        std::uint32_t banned_until = 0;
        std::uint32_t bans = 0;
    };
    State& state(std::uint32_t rule) {
        if (states_.size() <= rule) states_.resize(rule + 1);
        return states_[rule];
    }
    std::size_t match_limit_;
    std::uint32_t ban_length_;
    std::vector<State> states_;
};

}  // namespace

std::unique_ptr<Scheduler> backoff_scheduler(std::size_t match_limit, std::uint32_t ban_length) {
    return std::make_unique<Backoff>(match_limit, ban_length);
}

std::string_view stop_name(StopReason stop) {
    switch (stop) {
        case StopReason::saturated:
            return "saturated";
        case StopReason::iteration_limit:
            return "iteration_limit";
        case StopReason::node_limit:
            return "node_limit";
        case StopReason::memory_limit:
            return "memory_limit";
        case StopReason::time_limit:
            return "time_limit";
    }
    return "";
}

struct Runner::Run {
    const Limits& limits;
    Clock::time_point start = Clock::now();
    Clock::time_point now = start;
    Clock::time_point lap_start = start;
    std::uint64_t changes_measured = 0;
    bool measured = false;
    Report report = {};
    bool stopped = false;

    bool stop(StopReason reason) {
        if (!stopped) report.stop = reason;
        stopped = true;
        return false;
    }
    void tick() { now = Clock::now(); }
    double lap() {
        tick();
        double ms = milliseconds(now - lap_start);
        lap_start = now;
        return ms;
    }
    // By the clock of the last tick. Counting bytes costs more than an iteration of a small run:
    // after the first time it waits for enough changes.
    bool within(const EGraph& graph) {
        constexpr std::uint64_t changes_between = 256;
        if (stopped) return false;
        if (graph.node_count() > limits.nodes) return stop(StopReason::node_limit);
        if (!measured || graph.change_count() >= changes_measured + changes_between) {
            measured = true;
            changes_measured = graph.change_count();
            if (graph.bytes() > limits.bytes) return stop(StopReason::memory_limit);
        }
        if (milliseconds(now - start) > limits.time_ms) return stop(StopReason::time_limit);
        return true;
    }
};

Runner::Runner(EGraph& graph, std::vector<Rule> rules, std::unique_ptr<Scheduler> scheduler)
    : graph_(graph), rules_(std::move(rules)), scheduler_(std::move(scheduler)) {
    if (!scheduler_) scheduler_ = std::make_unique<Scheduler>();
    for (Rule& rule : rules_) {
        std::string error;
        queries_.push_back(Query::compile(rule, graph.signature(), error));
        assert(error.empty());
    }
    for (std::uint32_t i = 0; i < rules_.size(); ++i) all_.push_back(i);
    since_.assign(rules_.size(), 0);
    matches_.resize(rules_.size());
    statistics_.resize(rules_.size());
}

std::string Runner::check(Rule rule, const Signature& signature) {
    std::string error;
    Query::compile(rule, signature, error);
    if (!error.empty()) return error;
    for (const Condition& condition : rule.conditions) {
        if (condition.unstable && rule.normalises)
            return "a `~>` rule must not have the unstable condition " + condition.text;
    }
    return {};
}

void Runner::reset() {
    since_.assign(rules_.size(), 0);
    statistics_.assign(rules_.size(), {});
    scheduler_->reset();
    iterations_ = 0;
}

Report Runner::run(const Limits& limits, const std::vector<std::uint32_t>& subset) {
    Run run{limits};
    graph_.rebuild();
    while (iterate(run, subset.empty() ? all_ : subset)) {
        if (after_iteration && !after_iteration(run.report)) {
            run.stop(StopReason::iteration_limit);
            break;
        }
    }
    return run.report;
}

// One iteration: search all rules on the frozen e-graph, then apply, then rebuild. False at the end
// of the run.
bool Runner::iterate(Run& run, const std::vector<std::uint32_t>& subset) {
    run.lap();
    if (!run.within(graph_)) return false;
    if (run.report.iterations >= run.limits.iterations) {
        return run.stop(StopReason::iteration_limit);
    }
    ++run.report.iterations;
    std::uint32_t iteration = iterations_++;
    std::uint64_t changes = graph_.change_count();
    ready_.clear();
    for (std::uint32_t rule : subset) {
        if (!scheduler_->may_run(rule, iteration)) continue;
        search(run, rule);
        if (!run.within(graph_)) return false;
        if (!matches_[rule].stopped) {
            ready_.push_back(rule);
        } else {
            scheduler_->exceeded(rule, iteration);
            ++statistics_[rule].banned;
        }
    }
    graph_.next_stamp();
    for (std::uint32_t rule : ready_) {
        if (!apply(run, rule)) break;
        since_[rule] = graph_.stamp();
    }
    graph_.rebuild();
    run.report.time_rebuild_ms += run.lap();
    if (run.stopped) return false;
    return graph_.change_count() != changes || !scheduler_->may_stop(iteration);
}

void Runner::search(Run& run, std::uint32_t rule) {
    find_matches(graph_, rules_[rule], queries_[rule], since_[rule], scheduler_->match_limit(rule),
                 matches_[rule]);
    double ms = run.lap();
    run.report.time_search_ms += ms;
    statistics_[rule].time_search_ms += ms;
    statistics_[rule].matches += matches_[rule].size();
}

bool Runner::apply(Run& run, std::uint32_t rule) {
    if (matches_[rule].size() == 0) return true;
    auto go_on = [&] {
        run.tick();
        return run.within(graph_);
    };
    Applier applier(graph_, rules_[rule], RuleId{rule}, queries_[rule], go_on);
    statistics_[rule].applied += applier.apply(matches_[rule]);
    double ms = run.lap();
    run.report.time_apply_ms += ms;
    statistics_[rule].time_apply_ms += ms;
    return !run.stopped;
}

}  // namespace satura::egraph
