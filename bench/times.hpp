// Times of many runs, by the clock and by the processor.
#pragma once

#include <string>
#include <vector>

namespace satura::bench {

// Microseconds since some fixed moment: of the clock, and of the processor for all threads of this
// process, which a loaded machine does not change.
struct Moment {
    double wall_us = 0;
    double cpu_us = 0;

    static Moment now();
};

class Times {
  public:
    void add(const Moment& begin, const Moment& end);

    // JSON fields: "time_median_us": 20.1, "time_p99_us", "time_cpu_median_us", "time_cpu_p99_us".
    std::string json_fields() const;

  private:
    std::vector<double> wall_us_;
    std::vector<double> cpu_us_;
};

}  // namespace satura::bench
