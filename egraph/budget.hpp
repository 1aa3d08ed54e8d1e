// What a run may spend, and the one place that says stop.
//
// Search, application and rebuild report each small piece of their work to a Budget. That costs a
// subtraction; only every `poll_steps` of them, some microseconds apart, the clock and the
// interrupt token are looked at. Memory is asked for before it is taken: arrays and hash tables
// grow by doubling, so what fits now may be half of what is held after one more node.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace satura::egraph {

class EGraph;

struct Limits {
    std::uint32_t iterations = 1'000'000;
    std::uint32_t nodes = 1'000'000;           // e-nodes
    std::size_t bytes = std::size_t{4} << 30;  // of e-graph, indexes and matches
    double time_ms = 60'000;
    // Ends the run where true. It is only read, so it may be set from another thread or a signal
    // handler, and stays set until its owner clears it. Must outlive the run.
    const std::atomic<bool>* interrupt = nullptr;
    // Steps of some nanoseconds between two looks at the clock and the token; at least 1.
    std::uint32_t poll_steps = 1024;
};

enum class StopReason : std::uint8_t {
    saturated,
    iteration_limit,
    node_limit,
    memory_limit,
    time_limit,
    interrupted,
    analysis_limit,  // an analysis does not settle: EGraph::unsettled
};
// "saturated", "node_limit", …: stable, used in output.
std::string_view stop_name(StopReason stop);

class Budget {
  public:
    Budget();  // no limit at all
    explicit Budget(const Limits& limits);

    // Counts some work, one step for about 10 ns. False: stop, now and at every later call.
    bool step(std::uint32_t weight = 1) {
        if (weight < steps_left_) {
            steps_left_ -= weight;
            return true;
        }
        return poll();
    }
    bool poll();  // looks at once; what `step` does every now and then

    bool is_stopped() const { return stopped_; }
    StopReason reason() const { return reason_; }  // the first one; saturated if there is none
    bool stop(StopReason reason);                  // returns false

    // Whether so many more e-nodes stay within the limit.
    bool has_nodes_left(const EGraph& graph, std::size_t more) const;
    // Whether the e-graph may take so many units (EGraph::growth) of new nodes and be rebuilt
    // after; else stops. Cost: a comparison, but for one call in some thousand units.
    bool admits_growth(const EGraph& graph, std::size_t units);
    // As that, for the few units of renewing a row in a rebuild.
    bool admits_renewal(const EGraph& graph);
    // As that, for memory that is taken in one piece.
    bool admits_bytes(const EGraph& graph, std::size_t growth);
    std::size_t other_bytes = 0;  // held beside the e-graph

    // Milliseconds from the construction to the last look at the clock.
    double now_ms() const { return now_ms_; }
    const Limits& limits() const { return limits_; }
    // The time limit strikes so much earlier, for what has to be done after it.
    void reserve(double ms) { reserve_ms_ = ms; }
    // Called at each look at the clock.
    std::function<void()> watch;

    // After a stop: a little more time (from the limit on) and memory, to bring the e-graph into
    // order. The reason stays the first one; the token is not looked at any more.
    static constexpr double grace_ms_min = 7;  // or if more, that part of the time spent
    static constexpr double grace_part = 0.035;
    static constexpr std::size_t grace_bytes_part = 128;  // of the limit, one in
    void grant_grace();

  private:
    using Clock = std::chrono::steady_clock;
    bool has_byte_limit() const;
    std::size_t measure(const EGraph& graph, std::size_t nodes, std::size_t renewals) const;

    Limits limits_;
    std::uint32_t steps_left_ = 0;
    bool stopped_ = false;
    bool in_grace_ = false;
    StopReason reason_ = StopReason::saturated;
    double now_ms_ = 0;
    double last_ms_ = 0;  // the look before that
    double deadline_ms_ = std::numeric_limits<double>::infinity();
    double reserve_ms_ = 0;
    std::uint64_t room_until_ = 0;          // up to this growth, pending uses included
    std::uint64_t renewal_room_until_ = 0;  // up to this growth, in a rebuild
    std::size_t held_bytes_ = 0;            // with that room, at most
    Clock::time_point start_;
};

}  // namespace satura::egraph
