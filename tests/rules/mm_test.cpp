// The mm workload as a rule file: numbers of nodes and classes that do not depend on the order of anything.
#include <doctest/doctest.h>

#include "egraph/egraph.hpp"
#include "egraph/runner.hpp"
#include "rules/algebra.hpp"
#include "rules/compile.hpp"
#include "rules/loader.hpp"
#include "tests/golden.hpp"

namespace satura::rules {

TEST_CASE("mm.rules gives the published counts") {
    Algebra algebra;
    const auto source = read_source((test::source_root() / "bench/mm.rules").string());
    REQUIRE(source);
    const Loaded loaded = load({*source}, algebra);
    for (const SourceError& error : loaded.errors) FAIL_CHECK(loaded.book.render(error));
    REQUIRE(loaded.book.rules.size() == 24);
    REQUIRE(loaded.book.starts.size() == 7);

    egraph::EGraph graph(algebra.signature());
    for (std::size_t i = 0; i < loaded.book.starts.size(); ++i) {
        add_term(graph, loaded.book.start(i, algebra));
    }
    std::vector<egraph::Rule> rules;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        for (egraph::Rule& rule : loaded.book.compile(i, algebra)) rules.push_back(std::move(rule));
    }
    graph.rebuild();
    CHECK(graph.node_count() == 35);
    CHECK(graph.class_count() == 35);

    struct Counts {
        std::uint32_t nodes, classes;
    };
    constexpr Counts expected[] = {{69, 50},   {118, 71},   {208, 116},   {389, 197},
                                   {784, 361}, {1576, 666}, {3160, 1347}, {8113, 3576}};
    egraph::Runner runner(graph, rules);
    for (std::uint32_t k = 0; k < 8; ++k) {
        CAPTURE(k + 1);
        runner.run({.iterations = 1});
        CHECK(graph.node_count() == expected[k].nodes);
        CHECK(graph.class_count() == expected[k].classes);
    }
}

}  // namespace satura::rules
