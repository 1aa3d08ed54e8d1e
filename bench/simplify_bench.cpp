#include "bench/simplify_bench.hpp"

#include <fmt/core.h>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "app/settings.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::bench {

namespace {

using Json = nlohmann::json;

struct Case {
    SimplifyRequest request;
    Json semantics;  // parameters that differ from the dialect's
};

std::vector<Case> read_cases(std::ifstream& file) {
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);) {
        const Json body = Json::parse(line, nullptr, false);
        if (!body.is_object() || !body.contains("expr")) continue;
        Case& c = cases.emplace_back();
        c.request.columns = "x " + body.value("col_type", "integer");
        if (!body.value("nullable", true)) c.request.columns += " not null";
        c.request.expr = body["expr"];
        if (body.value("context", "value") == "filter") {
            c.request.context = SimplifyRequest::Context::filter;
        }
        c.semantics = body.value("sem", Json::object());
    }
    return cases;
}

// One Simplifier for each set of parameters, as a service would keep them.
class Simplifiers {
  public:
    explicit Simplifiers(lang::Dialect dialect) : dialect_(dialect) {}

    Simplifier& of(const Json& semantics) {
        auto& made = by_semantics_[semantics.dump()];
        if (!made) {
            lang::Semantics parameters = lang::Semantics::of(dialect_);
            for (const auto& [name, value] : semantics.items()) {
                if (value.is_string())
                    app::set_semantics(parameters, name, value.get<std::string>());
            }
            made = std::make_unique<Simplifier>(parameters);
        }
        return *made;
    }

  private:
    lang::Dialect dialect_;
    std::map<std::string, std::unique_ptr<Simplifier>> by_semantics_;
};

// Processor time of all threads in µs: what a loaded machine does not change.
double cpu_us() {
    constexpr double us_per_s = 1e6, ns_per_us = 1e3;
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * us_per_s +
           static_cast<double>(now.tv_nsec) / ns_per_us;
}

struct Times {
    std::vector<double> us;

    // The value below which that part of all lies; 0 of none.
    double percentile(double part) {
        if (us.empty()) return 0;
        std::sort(us.begin(), us.end());
        return us[static_cast<std::size_t>(part * static_cast<double>(us.size() - 1) + 0.5)];
    }
};

void measure(lang::Dialect dialect, const std::vector<Case>& cases, std::uint32_t rounds) {
    Simplifiers simplifiers(dialect);
    Times wall, cpu;
    std::uint32_t refused = 0;
    for (std::uint32_t round = 0; round <= rounds; ++round) {
        for (const Case& c : cases) {
            Simplifier& simplifier = simplifiers.of(c.semantics);
            const double cpu_begin = cpu_us();
            const auto begin = std::chrono::steady_clock::now();
            const auto result = simplifier.simplify(c.request);
            const std::chrono::duration<double, std::micro> time =
                std::chrono::steady_clock::now() - begin;
            const double cpu_end = cpu_us();
            const bool is_answer = std::holds_alternative<SimplifyAnswer>(result);
            if (round == 0) refused += !is_answer;
            if (round == 0 || !is_answer) continue;
            wall.us.push_back(time.count());
            cpu.us.push_back(cpu_end - cpu_begin);
        }
    }
    fmt::print(
        "{{\"bench\": \"simplify\", \"dialect\": \"{}\", \"cases\": {}, \"refused\": {}, "
        "\"rounds\": {}, \"time_median_us\": {:.1f}, \"time_p99_us\": {:.1f}, "
        "\"time_cpu_median_us\": {:.1f}, \"time_cpu_p99_us\": {:.1f}}}\n",
        lang::dialect_name(dialect), cases.size(), refused, rounds, wall.percentile(0.5),
        wall.percentile(0.99), cpu.percentile(0.5), cpu.percentile(0.99));
}

}  // namespace

int run_simplify(const std::string& path, std::uint32_t rounds) {
    std::ifstream file(path);
    if (!file) {
        fmt::print(stderr, "satura-bench: cannot read {}\n", path);
        return 2;
    }
    const std::vector<Case> cases = read_cases(file);
    for (lang::Dialect dialect : {lang::Dialect::postgres, lang::Dialect::duckdb}) {
        measure(dialect, cases, rounds);
    }
    return 0;
}

}  // namespace satura::bench
