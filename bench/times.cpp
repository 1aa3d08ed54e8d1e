#include "bench/times.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace satura::bench {

namespace {

double read_us(clockid_t clock) {
    constexpr double us_per_s = 1e6, ns_per_us = 1e3;
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * us_per_s +
           static_cast<double>(now.tv_nsec) / ns_per_us;
}

// The value below which that part of all lies; 0 of none.
double percentile(const std::vector<double>& sorted, double part) {
    if (sorted.empty()) return 0;
    const long at = std::lround(part * static_cast<double>(sorted.size() - 1));
    return sorted[static_cast<std::size_t>(at)];
}

std::vector<double> sorted(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
}

}  // namespace

Moment Moment::now() { return {read_us(CLOCK_MONOTONIC), read_us(CLOCK_PROCESS_CPUTIME_ID)}; }

void Times::add(const Moment& begin, const Moment& end) {
    wall_us_.push_back(end.wall_us - begin.wall_us);
    cpu_us_.push_back(end.cpu_us - begin.cpu_us);
}

std::string Times::json_fields() const {
    constexpr double median = 0.5, p99 = 0.99;
    const std::vector<double> wall = sorted(wall_us_), cpu = sorted(cpu_us_);
    return fmt::format(
        "\"time_median_us\": {:.1f}, \"time_p99_us\": {:.1f}, \"time_cpu_median_us\": {:.1f}, "
        "\"time_cpu_p99_us\": {:.1f}",
        percentile(wall, median), percentile(wall, p99), percentile(cpu, median),
        percentile(cpu, p99));
}

}  // namespace satura::bench
