#include "egraph/budget.hpp"

#include <algorithm>

#include "egraph/egraph.hpp"

namespace satura::egraph {

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
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::analysis_limit:
            return "analysis_limit";
    }
    return "";
}

namespace {

Limits no_limits() {
    Limits limits;
    limits.iterations = limits.nodes = std::numeric_limits<std::uint32_t>::max();
    limits.bytes = std::numeric_limits<std::size_t>::max();
    limits.time_ms = std::numeric_limits<double>::infinity();
    return limits;
}

}  // namespace

Budget::Budget() : Budget(no_limits()) {}

Budget::Budget(const Limits& limits)
    : limits_(limits), deadline_ms_(limits.time_ms), start_(Clock::now()) {
    limits_.poll_steps = std::max(limits_.poll_steps, 1U);
    steps_left_ = limits_.poll_steps;
}

bool Budget::stop(StopReason reason) {
    if (reason_ == StopReason::saturated) reason_ = reason;
    stopped_ = true;
    steps_left_ = 0;
    return false;
}

bool Budget::poll() {
    if (stopped_) return false;
    steps_left_ = limits_.poll_steps;
    last_ms_ = now_ms_;
    now_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    if (watch) watch();
    if (!in_grace_ && limits_.interrupt != nullptr &&
        limits_.interrupt->load(std::memory_order_relaxed)) {
        return stop(StopReason::interrupted);
    }
    if (now_ms_ >= deadline_ms_ - reserve_ms_) return stop(StopReason::time_limit);
    return true;
}

bool Budget::has_nodes_left(const EGraph& graph, std::size_t more) const {
    return graph.node_count() + more <= limits_.nodes;
}

bool Budget::has_byte_limit() const {
    return limits_.bytes != std::numeric_limits<std::size_t>::max();
}

std::size_t Budget::measure(const EGraph& graph, std::size_t nodes, std::size_t renewals) const {
    return graph.bytes_with_room(nodes, renewals) + other_bytes;
}

// Much room at once where there is much: the next measurement is then far away.
bool Budget::admits_growth(const EGraph& graph, std::size_t units) {
    std::uint64_t now = graph.growth() + graph.pending_uses();
    if (now + units <= room_until_ && !stopped_) return true;
    if (stopped_) return false;
    if (!has_byte_limit()) return true;
    for (std::size_t room : {units + 4096, units + 256, units}) {
        held_bytes_ = measure(graph, room, room + graph.pending_uses());
        if (held_bytes_ > limits_.bytes) continue;
        room_until_ = now + room;
        return true;
    }
    return stop(StopReason::memory_limit);
}

bool Budget::admits_renewal(const EGraph& graph) {
    constexpr std::size_t units = 4;
    if (graph.growth() + units <= renewal_room_until_ && !stopped_) return true;
    if (stopped_) return false;
    if (!has_byte_limit()) return true;
    for (std::size_t room : {units + 4096, units + 256, units}) {
        held_bytes_ = measure(graph, 0, room);
        if (held_bytes_ > limits_.bytes) continue;
        renewal_room_until_ = graph.growth() + room;
        return true;
    }
    return stop(StopReason::memory_limit);
}

bool Budget::admits_bytes(const EGraph& graph, std::size_t growth) {
    if (stopped_) return false;
    if (!has_byte_limit()) return true;
    if (held_bytes_ != 0 && held_bytes_ + growth <= limits_.bytes) {
        held_bytes_ += growth;
        return true;
    }
    held_bytes_ = measure(graph, 0, 0) + growth;
    room_until_ = renewal_room_until_ = 0;
    return held_bytes_ <= limits_.bytes || stop(StopReason::memory_limit);
}

void Budget::grant_grace() {
    now_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
    // The token may have been set just after the last look that did not see it.
    double limit_ms = std::max(limits_.time_ms, 0.0);
    double from = reason_ == StopReason::interrupted ? std::min(last_ms_, limit_ms) : limit_ms;
    deadline_ms_ = from + std::max(grace_ms_min, grace_part * now_ms_);
    limits_.bytes += std::min(limits_.bytes / grace_bytes_part,
                              std::numeric_limits<std::size_t>::max() - limits_.bytes);
    reserve_ms_ = 0;
    room_until_ = renewal_room_until_ = 0;
    in_grace_ = true;
    stopped_ = false;
    steps_left_ = limits_.poll_steps;
}

}  // namespace satura::egraph
