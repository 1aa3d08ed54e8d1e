#include "bench/mm_bench.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/runner.hpp"
#include "rules/algebra.hpp"
#include "rules/compile.hpp"
#include "rules/loader.hpp"

namespace satura::bench {

namespace {

struct Counts {
    std::uint32_t nodes, classes;
};

// Known from other engines; they do not depend on the order of anything.
constexpr Counts expected[] = {{69, 50},       {118, 71},       {208, 116},       {389, 197},
                               {784, 361},     {1576, 666},     {3160, 1347},     {8113, 3576},
                               {28303, 12445}, {136446, 58464}, {1047896, 443832}};
static_assert(std::size(expected) == mm_iterations_max);

// Prints one line; false where the counts are not the known ones.
bool run(const rules::RuleBook& book, rules::Language& language,
         const std::vector<egraph::Rule>& compiled, std::uint32_t k) {
    const auto begin = std::chrono::steady_clock::now();
    egraph::EGraph graph(language.signature());
    for (std::size_t i = 0; i < book.starts.size(); ++i) {
        rules::add_term(graph, book.start(i, language));
    }
    graph.rebuild();
    egraph::Runner runner(graph, compiled);
    const egraph::Report report = runner.run({.iterations = k, .nodes = 100'000'000});
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    const bool is_right = graph.node_count() == expected[k - 1].nodes &&
                          graph.class_count() == expected[k - 1].classes;
    fmt::print(
        "{{\"bench\": \"mm\", \"k\": {}, \"nodes\": {}, \"classes\": {}, \"right\": {}, "
        "\"time_ms\": {:.3f}, \"time_search_ms\": {:.3f}, \"time_apply_ms\": {:.3f}, "
        "\"time_rebuild_ms\": {:.3f}}}\n",
        k, graph.node_count(), graph.class_count(), is_right, time.count(), report.time_search_ms,
        report.time_apply_ms, report.time_rebuild_ms);
    return is_right;
}

}  // namespace

int run_mm(const std::string& path, std::uint32_t k_max) {
    rules::Algebra algebra;
    const auto source = rules::read_source(path);
    if (!source) {
        fmt::print(stderr, "satura-bench: cannot read {}\n", path);
        return 2;
    }
    const rules::Loaded loaded = rules::load({*source}, algebra);
    for (const rules::SourceError& e : loaded.errors) {
        fmt::print(stderr, "{}", loaded.book.render(e));
    }
    if (!loaded.errors.empty()) return 2;
    std::vector<egraph::Rule> compiled;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        for (egraph::Rule& rule : loaded.book.compile(i, algebra)) {
            compiled.push_back(std::move(rule));
        }
    }
    bool is_right = true;
    for (std::uint32_t k = 1; k <= k_max; ++k) {
        is_right = run(loaded.book, algebra, compiled, k) && is_right;
    }
    return is_right ? 0 : 1;
}

}  // namespace satura::bench
