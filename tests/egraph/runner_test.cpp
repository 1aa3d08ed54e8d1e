// Limits, schedulers, reuse.
#include "egraph/runner.hpp"

#include <doctest/doctest.h>

#include "egraph/extract.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/text.hpp"
#include "tests/egraph/workloads.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

struct Math {
    MathWorkload workload;
    EGraph graph{workload.algebra.signature};
    std::vector<ClassId> roots;

    Math() { fill(); }
    void fill() {
        roots.clear();
        for (const std::string& term : workload.terms) {
            roots.push_back(workload.algebra.add(graph, term));
        }
    }
    void check_usable() const {
        CHECK(graph.invariant() == "");
        Extraction extraction(graph, TermSize());
        for (ClassId root : roots) CHECK(extraction.has_choice(root));
    }
};

}  // namespace

TEST_CASE("names of stop reasons") {
    CHECK(stop_name(StopReason::saturated) == "saturated");
    CHECK(stop_name(StopReason::iteration_limit) == "iteration_limit");
    CHECK(stop_name(StopReason::node_limit) == "node_limit");
    CHECK(stop_name(StopReason::memory_limit) == "memory_limit");
    CHECK(stop_name(StopReason::time_limit) == "time_limit");
    CHECK(stop_name(StopReason::interrupted) == "interrupted");
    CHECK(stop_name(StopReason::analysis_limit) == "analysis_limit");
}

TEST_CASE("limits strike, are named, and leave a sound e-graph") {
    Math math;
    Runner runner(math.graph, math.workload.rules);
    CHECK(runner.run({.iterations = 3}).stop == StopReason::iteration_limit);
    math.check_usable();
    CHECK(math.graph.node_count() == 208);
    CHECK(runner.run({.nodes = 2000}).stop == StopReason::node_limit);
    math.check_usable();
    CHECK(math.graph.node_count() > 2000 - 700);  // a rebuild may bring the number down again
    CHECK(math.graph.node_count() < 2100);
    CHECK(runner.run({.bytes = 2'000'000}).stop == StopReason::memory_limit);
    math.check_usable();
    CHECK(math.graph.bytes() > 1'000'000);  // what would double is asked for before
    CHECK(math.graph.bytes() <= 2'000'000);
    Report report = runner.run({.nodes = 100'000'000, .time_ms = 60});
    CHECK(report.stop == StopReason::time_limit);
    if (!report.is_clean) math.graph.rebuild();  // a busy machine may take too long for that
    math.check_usable();
}

TEST_CASE("a run that a limit stopped goes on where it was") {
    Math whole, pieces;
    Runner one(whole.graph, whole.workload.rules), many(pieces.graph, pieces.workload.rules);
    one.run({.iterations = 7});
    // Stops within an iteration: what was not applied is found again, so nothing is lost.
    for (std::uint32_t nodes : {60U, 150U, 500U, 900U}) many.run({.nodes = nodes});
    for (int i = 0; i < 4; ++i) many.run({.iterations = 1});
    while (pieces.graph.node_count() < whole.graph.node_count()) many.run({.iterations = 1});
    pieces.check_usable();
    // All that the one run knows, the other one knows: every node of the one is in the other.
    for (std::size_t i = 0; i < whole.roots.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (whole.graph.find(whole.roots[i]) != whole.graph.find(whole.roots[j])) continue;
            CHECK(pieces.graph.find(pieces.roots[i]) == pieces.graph.find(pieces.roots[j]));
        }
    }
}

TEST_CASE("terms added after a run are searched in the next one") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    Runner runner(graph, {algebra.rule("(f ?x) => ?x")});
    CHECK(runner.run({}).stop == StopReason::saturated);
    ClassId x = algebra.add(graph, "(f (f p))");
    CHECK(runner.run({}).stop == StopReason::saturated);
    CHECK(graph.find(x) == graph.find(algebra.add(graph, "p")));
}

TEST_CASE("a subset of the rules; the others find their matches later") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    Runner runner(graph, {algebra.rule("(f ?x) => (g ?x)"), algebra.rule("(g ?x) => ?x")});
    ClassId x = algebra.add(graph, "(f p)"), p = algebra.add(graph, "p");
    runner.run({}, {1});
    CHECK(graph.node_count() == 2);
    runner.run({}, {0});
    CHECK(graph.node_count() == 3);
    CHECK(graph.find(x) != graph.find(p));
    runner.run({}, {1});
    CHECK(graph.find(x) == graph.find(p));
}

TEST_CASE("backoff: a banned rule loses nothing, and a run does not end while one rests") {
    Algebra algebra;
    std::vector<Rule> rules{algebra.rule("(+ ?a ?b) => (+ ?b ?a)"),
                            algebra.rule("(+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)")};
    std::string term = "7";
    for (int i = 6; i > 0; --i) term = "(+ " + std::to_string(i) + " " + term + ")";
    EGraph graph(algebra.signature);
    algebra.add(graph, term);
    Runner runner(graph, rules, backoff_scheduler(4, 3));
    Report report = runner.run({});
    CHECK(report.stop == StopReason::saturated);
    CHECK(graph.class_count() == 127);
    CHECK(runner.statistics()[0].banned + runner.statistics()[1].banned > 3);
    CHECK(graph.invariant() == "");
}

TEST_CASE("backoff: rests count iterations of all runs") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    for (int i = 0; i < 10; ++i) algebra.add(graph, "(f p" + std::to_string(i) + ")");
    algebra.add(graph, "(l p0)");
    Runner runner(graph, {algebra.rule("(f ?x) => (g ?x)"), algebra.rule("(l ?x) => (l (s ?x))")},
                  backoff_scheduler(6, 3));
    for (int i = 0; i < 4; ++i) runner.run({.iterations = 1});
    CHECK(runner.statistics()[0].banned == 1);
    CHECK(runner.statistics()[0].applied == 10);
}

TEST_CASE("clear and reset: the second use is as the first") {
    Math math;
    Runner runner(math.graph, math.workload.rules, backoff_scheduler(50, 2));
    std::string first;
    for (int use = 0; use < 3; ++use) {
        if (use > 0) {
            math.graph.clear();
            runner.reset();
            math.fill();
        }
        runner.run({.iterations = 5});
        math.check_usable();
        std::string text = dump(math.graph);
        if (use == 0) first = text;
        CHECK(text == first);
    }
}

TEST_CASE("after_iteration may end a run") {
    Math math;
    Runner runner(math.graph, math.workload.rules);
    runner.after_iteration = [](const Report& report) { return report.iterations < 2; };
    Report report = runner.run({});
    CHECK(report.stop == StopReason::iteration_limit);
    CHECK(report.iterations == 2);
    CHECK(math.graph.node_count() == 118);
}
