#include "bench/optimize_bench.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <string_view>
#include <variant>
#include <vector>

#include "app/sql_input.hpp"
#include "app/statements.hpp"
#include "bench/times.hpp"
#include "optimizer/optimizer.hpp"

namespace satura::bench {

namespace {

using app::FileStatement;

constexpr lang::Dialect dialect = lang::Dialect::postgres;

int fail(const lang::Diagnostic& error, std::string_view name, std::string_view text) {
    fmt::print(stderr, "{}", lang::render(error, name, text));
    return 2;
}

void print_times(std::string_view which, std::string_view stop, std::uint32_t rounds,
                 const Times& times) {
    fmt::print("{{\"bench\": \"optimize\", \"query\": {}, \"stop\": \"{}\", \"rounds\": {}, {}}}\n",
               which, stop, rounds, times.json_fields());
}

// Runs all queries in each round, so that none of them finds only its own traces in the caches.
int measure(Optimizer& optimizer, const std::vector<std::string>& queries, std::uint32_t rounds) {
    std::vector<Times> by_query(queries.size());
    std::vector<std::string_view> stops(queries.size());
    Times all;
    for (std::uint32_t round = 0; round <= rounds; ++round) {
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const Moment begin = Moment::now();
            const auto result = optimizer.optimize({queries[i], {}});
            const Moment end = Moment::now();
            if (const auto* error = std::get_if<RequestError>(&result))
                return fail(error->diagnostic, "query", queries[i]);
            stops[i] = egraph::stop_name(std::get<OptimizeAnswer>(result).stop);
            if (round == 0) continue;
            by_query[i].add(begin, end);
            all.add(begin, end);
        }
    }
    std::string_view worst = "saturated";
    for (std::size_t i = 0; i < queries.size(); ++i) {
        print_times(std::to_string(i + 1), stops[i], rounds, by_query[i]);
        if (stops[i] != "saturated") worst = stops[i];
    }
    print_times("\"all\"", worst, rounds, all);
    return 0;
}

}  // namespace

int run_optimize(const std::string& path, std::uint32_t rounds) {
    const auto file = app::read_sql_file(path);
    if (!file) return 2;
    const auto statements = app::split_statements(file->text, dialect);
    if (!statements) return fail(statements.error(), path, file->text);
    Optimizer optimizer(lang::Semantics::of(dialect));
    if (const auto error = optimizer.set_schema(
            app::only_statements(file->text, *statements, FileStatement::Kind::schema))) {
        return fail(*error, path, file->text);
    }
    std::vector<std::string> queries;
    for (const auto& [kind, span] : *statements) {
        if (kind == FileStatement::Kind::query)
            queries.push_back(file->text.substr(span.begin, span.end - span.begin));
    }
    return measure(optimizer, queries, rounds);
}

}  // namespace satura::bench
