#include "bench/simplify_bench.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <variant>
#include <vector>

#include "app/settings.hpp"
#include "bench/times.hpp"
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

void measure(lang::Dialect dialect, const std::vector<Case>& cases, std::uint32_t rounds) {
    Simplifiers simplifiers(dialect);
    Times times;
    std::uint32_t refused = 0;
    for (std::uint32_t round = 0; round <= rounds; ++round) {
        for (const Case& c : cases) {
            Simplifier& simplifier = simplifiers.of(c.semantics);
            const Moment begin = Moment::now();
            const auto result = simplifier.simplify(c.request);
            const Moment end = Moment::now();
            const bool is_answer = std::holds_alternative<Answer>(result);
            if (round == 0) {
                refused += !is_answer;
            } else if (is_answer) {
                times.add(begin, end);
            }
        }
    }
    fmt::print(
        "{{\"bench\": \"simplify\", \"dialect\": \"{}\", \"cases\": {}, \"refused\": {}, "
        "\"rounds\": {}, {}}}\n",
        lang::dialect_name(dialect), cases.size(), refused, rounds, times.json_fields());
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
