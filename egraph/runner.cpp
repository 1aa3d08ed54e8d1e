#include "egraph/runner.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace satura::egraph {

namespace {

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

    void reset() override {
        states_.clear();
        saved_.clear();
    }
    void push() override { saved_.push_back(states_); }
    void pop() override {
        states_ = std::move(saved_.back());
        saved_.pop_back();
    }

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
    std::vector<std::vector<State>> saved_;
};

}  // namespace

std::unique_ptr<Scheduler> backoff_scheduler(std::size_t match_limit, std::uint32_t ban_length) {
    return std::make_unique<Backoff>(match_limit, ban_length);
}

struct Runner::Run {
    Budget budget;
    Report report = {};
    Progress progress = {};
    double progress_at_ms = 0;
    double lap_start_ms = 0;

    // Looks at the clock; the time since the last lap.
    double lap() {
        budget.poll();
        double ms = budget.now_ms() - lap_start_ms;
        lap_start_ms = budget.now_ms();
        return ms;
    }
};

Runner::Runner(EGraph& graph, std::vector<Rule> rules, std::unique_ptr<Scheduler> scheduler)
    : graph_(graph), rules_(std::move(rules)), scheduler_(std::move(scheduler)), era_(graph.era()) {
    if (!scheduler_) scheduler_ = std::make_unique<Scheduler>();
    for (Rule& rule : rules_) {
        std::string error;
        queries_.push_back(Query::compile(rule, graph.signature(), error));
        assert(error.empty());
    }
    for (std::uint32_t i = 0; i < rules_.size(); ++i) all_.push_back(i);
    since_.assign(rules_.size(), 0);
    searched_.assign(rules_.size(), never);
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
    searched_.assign(rules_.size(), never);
    statistics_.assign(rules_.size(), {});
    scheduler_->reset();
    iterations_ = 0;
    era_ = graph_.era();
    saved_.clear();
}

void Runner::push() {
    graph_.push();
    scheduler_->push();
    saved_.push_back({since_, statistics_, iterations_, graph_.snapshot_count()});
}

void Runner::pop() {
    assert(!saved_.empty() && saved_.back().snapshot_count == graph_.snapshot_count());
    graph_.pop();
    scheduler_->pop();
    since_ = std::move(saved_.back().since);
    searched_.assign(rules_.size(), never);
    statistics_ = std::move(saved_.back().statistics);
    iterations_ = saved_.back().iterations;
    saved_.pop_back();
    era_ = graph_.era();
}

Report Runner::run(const Limits& limits, const std::vector<std::uint32_t>& subset) {
    Run run{Budget(limits)};
    if (era_ != graph_.era()) {
        since_.assign(rules_.size(), 0);
        searched_.assign(rules_.size(), never);
        era_ = graph_.era();
    }
    run.budget.watch = [&] { watch(run); };
    run.progress_at_ms = progress_interval_ms;
    for (const MatchList& list : matches_) run.budget.other_bytes += list.slots.bytes();
    auto agrees = [&](const std::function<bool(const Report&)>& hook) {
        return !hook || hook(run.report) || run.budget.stop(StopReason::iteration_limit);
    };
    bool changed = rebuild(run);
    while (changed && may_begin(run) && agrees(before_iteration) && rebuild(run)) {
        changed = iterate(run, subset.empty() ? all_ : subset);
        if (run.budget.is_stopped()) break;
        if (!changed && after_iteration) after_iteration(run.report);
        if (changed && !agrees(after_iteration)) break;
    }
    finish(run);
    return std::move(run.report);
}

bool Runner::may_begin(Run& run) const {
    Budget& budget = run.budget;
    if (!budget.has_nodes_left(graph_, 0)) return budget.stop(StopReason::node_limit);
    if (!budget.admits_growth(graph_, 0)) return false;
    return run.report.iterations < budget.limits().iterations ||
           budget.stop(StopReason::iteration_limit);
}

// One iteration: search all rules on the frozen e-graph, then apply, then rebuild. False at the end
// of the run.
bool Runner::iterate(Run& run, const std::vector<std::uint32_t>& subset) {
    run.progress.iterations = ++run.report.iterations;
    std::uint32_t iteration = iterations_++;
    std::uint64_t changes = graph_.change_count();
    if (!search_all(run, subset, iteration)) return false;
    graph_.next_stamp();
    apply_all(run);
    if (run.budget.is_stopped() || !rebuild(run)) return false;
    return graph_.change_count() != changes || !scheduler_->may_stop(iteration);
}

// Fills ready_ with the rules to apply.
bool Runner::search_all(Run& run, const std::vector<std::uint32_t>& subset,
                        std::uint32_t iteration) {
    ready_.clear();
    run.progress.phase = Progress::Phase::search;
    for (std::uint32_t rule : subset) {
        if (!scheduler_->may_run(rule, iteration)) continue;
        search(run, rule);
        if (run.budget.is_stopped()) return false;
        if (!matches_[rule].stopped) {
            ready_.push_back(rule);
        } else {
            scheduler_->exceeded(rule, iteration);
            ++statistics_[rule].banned;
        }
    }
    return true;
}

void Runner::search(Run& run, std::uint32_t rule) {
    if (searched_[rule] == graph_.change_count()) {
        matches_[rule].slots.clear();
        matches_[rule].stopped = false;
        return;
    }
    run.progress.rule = rule;
    const bool is_searched =
        find_matches(graph_, rules_[rule], queries_[rule], since_[rule],
                     scheduler_->match_limit(rule), matches_[rule], run.budget);
    if (!is_searched) return;
    double ms = run.lap();
    run.report.time_search_ms += ms;
    statistics_[rule].time_search_ms += ms;
    statistics_[rule].matches += matches_[rule].size();
}

void Runner::apply_all(Run& run) {
    run.progress.phase = Progress::Phase::apply;
    const std::uint64_t searched = graph_.change_count();
    for (std::uint32_t rule : ready_) {
        apply(run, rule);
        if (run.budget.is_stopped()) break;
        since_[rule] = graph_.stamp();
        searched_[rule] = searched;
    }
    run.budget.reserve(0);
}

void Runner::apply(Run& run, std::uint32_t rule) {
    if (matches_[rule].size() == 0) return;
    run.progress.rule = rule;
    Applier applier(graph_, rules_[rule], RuleId{rule}, queries_[rule], run.budget);
    statistics_[rule].applied += applier.apply(matches_[rule]);
    double ms = run.lap();
    run.report.time_apply_ms += ms;
    statistics_[rule].time_apply_ms += ms;
}

// True if the e-graph is clean now and the run may go on.
bool Runner::rebuild(Run& run) {
    if (!graph_.unsettled().empty()) run.budget.stop(StopReason::analysis_limit);
    if (graph_.is_clean() && run.report.iterations != 0) return !run.budget.is_stopped();
    run.progress.phase = Progress::Phase::rebuild;
    run.progress.rule = none;
    rebuild_uses_ += static_cast<double>(graph_.pending_uses());
    bool done = graph_.rebuild(run.budget);
    double ms = run.lap();
    run.report.time_rebuild_ms += ms;
    rebuild_ms_ += ms;
    if (!graph_.unsettled().empty()) run.budget.stop(StopReason::analysis_limit);
    return done && !run.budget.is_stopped();
}

// Brings the e-graph into order after a stop, if that can be done in little time and memory.
void Runner::finish(Run& run) {
    if (!graph_.is_clean()) {
        if (run.budget.is_stopped()) run.budget.grant_grace();
        rebuild(run);
    }
    run.report.stop = run.budget.reason();
    run.report.is_clean = graph_.is_clean();
    run.report.message = graph_.unsettled();
}

// What the pending rebuild will take, by what those before it took.
double Runner::expected_rebuild_ms(const Budget& budget) const {
    constexpr double use_ms = 0.0001, part_max = 0.3;
    constexpr double more = 1.5;  // larger e-graphs fit caches less well than those before
    double each_ms = more * (rebuild_ms_ + use_ms) / (rebuild_uses_ + 1);
    double all_ms = each_ms * static_cast<double>(graph_.pending_uses());
    return std::min(all_ms, part_max * budget.limits().time_ms);
}

// Called whenever the budget looks at the clock.
void Runner::watch(Run& run) {
    if (run.progress.phase == Progress::Phase::apply) {
        run.budget.reserve(expected_rebuild_ms(run.budget));
    }
    double now_ms = run.budget.now_ms();
    if (!on_progress || now_ms < run.progress_at_ms) return;
    run.progress_at_ms = now_ms + progress_interval_ms;
    run.progress.nodes = graph_.node_count();
    run.progress.classes = graph_.class_count();
    run.progress.bytes = graph_.bytes() + run.budget.other_bytes;
    run.progress.time_ms = now_ms;
    on_progress(run.progress);
}

}  // namespace satura::egraph
