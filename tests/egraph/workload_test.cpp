// Published counts, and that nothing depends on the order of insertion.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "egraph/extract.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/generate.hpp"
#include "tests/egraph/workloads.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

std::string choice_text(const EGraph& graph, const Extraction& extraction, ClassId cls) {
    NodeView node = graph.node(extraction.choice(cls));
    std::vector<std::string> children;
    for (std::uint32_t c : node.children) {
        children.push_back(choice_text(graph, extraction, ClassId{c}));
    }
    Shape shape = graph.signature()[node.op].shape;
    if (shape == Shape::set || shape == Shape::bag) std::sort(children.begin(), children.end());
    std::string text = "(" + graph.signature().text(node.op, node.payload);
    for (const std::string& c : children) text += " " + c;
    return text + ")";
}

// The extracted terms of all start terms.
std::string answers(const EGraph& graph, const std::map<std::string, ClassId>& terms) {
    Extraction extraction(graph, TermSize());
    std::string out;
    for (const auto& [term, cls] : terms) {
        out += term + " = " + choice_text(graph, extraction, graph.find(cls)) + "\n";
    }
    return out;
}

}  // namespace

TEST_CASE("math workload: nodes and classes by iteration") {
    struct Count {
        std::uint32_t nodes, classes;
    };
    const Count expected[] = {{35, 35},   {69, 50},    {118, 71},    {208, 116},   {389, 197},
                              {784, 361}, {1576, 666}, {3160, 1347}, {8113, 3576}, {28303, 12445}};
    for (bool witnesses : {false, true}) {
        MathWorkload math;
        EGraph graph(math.algebra.signature, {witnesses, true});
        std::vector<ClassId> roots;
        for (const std::string& term : math.terms) roots.push_back(math.algebra.add(graph, term));
        CHECK(graph.node_count() == expected[0].nodes);
        Runner runner(graph, math.rules);
        for (std::uint32_t k = 1; k <= 9; ++k) {
            Report report = runner.run({.iterations = 1});
            CHECK(report.stop == StopReason::iteration_limit);
            CHECK(graph.node_count() == expected[k].nodes);
            CHECK(graph.class_count() == expected[k].classes);
        }
        CHECK(graph.invariant() == "");
        Extraction extraction(graph, TermSize());
        std::vector<double> costs;
        for (ClassId root : roots) costs.push_back(extraction.cost(root));
        CHECK(costs == std::vector<double>{4, 6, 6, 7, 11, 13, 15});
    }
}

TEST_CASE("math workload: backoff puts rules off and keeps the e-graph small") {
    MathWorkload math;
    EGraph graph(math.algebra.signature, {false, true});
    for (const std::string& term : math.terms) math.algebra.add(graph, term);
    Runner runner(graph, math.rules, backoff_scheduler(1000, 5));
    runner.run({.iterations = 5});
    CHECK(graph.node_count() == 784);  // no rule has 1,000 matches yet
    runner.run({.iterations = 7});
    CHECK(graph.node_count() < 136446);
    std::uint32_t bans = 0;
    for (const RuleStatistics& statistics : runner.statistics()) bans += statistics.banned;
    CHECK(bans > 0);
    CHECK(graph.invariant() == "");
}

TEST_CASE("associativity and commutativity saturate at the closed form") {
    const std::uint32_t iterations[] = {0, 0, 0, 4, 6, 7, 8, 8};
    for (std::uint32_t n = 3; n <= 7; ++n) {
        Algebra algebra;
        std::vector<Rule> rules{algebra.rule("(+ ?a ?b) => (+ ?b ?a)"),
                                algebra.rule("(+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)")};
        EGraph graph(algebra.signature);
        std::string term = std::to_string(n), other = "1";
        for (std::uint32_t i = n - 1; i > 0; --i)
            term = "(+ " + std::to_string(i) + " " + term + ")";
        for (std::uint32_t i = 2; i <= n; ++i)
            other = "(+ " + std::to_string(i) + " " + other + ")";
        ClassId root = algebra.add(graph, term);
        Report report = Runner(graph, rules).run({});
        CHECK(report.stop == StopReason::saturated);
        CHECK(report.iterations == iterations[n]);
        std::uint32_t power2 = 1, power3 = 1;
        for (std::uint32_t i = 0; i < n; ++i) power2 *= 2, power3 *= 3;
        CHECK(graph.class_count() == power2 - 1);
        CHECK(graph.node_count() == power3 - 2 * power2 + 1 + n);
        CHECK(graph.find(algebra.add(graph, other)) == graph.find(root));
    }
}

TEST_CASE("two runs give the same bytes; another order of insertion gives the same answers") {
    std::uint32_t compared = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Generator generator(seed);
        std::vector<Rule> rules;
        for (int i = 0; i < 4; ++i) {
            Rule rule = generator.rule(50, 1).rule;
            if (Runner::check(rule, generator.algebra.signature).empty()) rules.push_back(rule);
        }
        std::vector<std::string> terms;
        for (int i = 0; i < 5; ++i) terms.push_back(generator.term(3));
        std::string results[3], dumps[3];
        StopReason stop = StopReason::saturated;
        for (int run = 0; run < 3; ++run) {
            EGraph graph(generator.algebra.signature);
            graph.add_analysis(generator.marks());
            std::vector<std::string> order = terms;
            if (run == 2) std::reverse(order.begin(), order.end());
            std::map<std::string, ClassId> classes;
            for (const std::string& term : order) {
                classes.emplace(term, generator.algebra.add(graph, term));
            }
            Report report = Runner(graph, rules).run({.iterations = 6, .nodes = 300});
            if (report.stop != StopReason::saturated) stop = report.stop;
            dumps[run] = dump(graph);
            results[run] = answers(graph, classes);
        }
        CHECK_MESSAGE(dumps[0] == dumps[1], "seed " << seed);
        CHECK_MESSAGE(results[0] == results[1], "seed " << seed);
        if (stop != StopReason::saturated) continue;
        ++compared;
        CHECK_MESSAGE(results[0] == results[2], "seed " << seed);
    }
    CHECK(compared > 200);
}
