// Terms 100,000 deep from one end to the other, and several e-graphs in threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "egraph/explanation.hpp"
#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "tests/egraph/workloads.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

constexpr std::uint32_t depth = 100'000;

std::size_t line_count(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a chain 100,000 deep: add, saturate, extract, print") {
    Algebra algebra;
    std::vector<Rule> rules{algebra.rule("(f (f ?x)) => (g ?x p)"),
                            algebra.rule("(g ?x ?y) => (g ?y ?x)"), algebra.rule("(f p) => q"),
                            algebra.rule("(h ?x) ~> (f ?x)")};
    EGraph graph(algebra.signature);
    OpId f = *algebra.signature.find("f"), h = *algebra.signature.find("h");
    ClassId top = algebra.add(graph, "p");
    for (std::uint32_t i = 0; i < depth; ++i) top = graph.add(i % 10 == 0 ? h : f, 0, {top});
    CHECK(Runner(graph, rules).run({.time_ms = 5'000}).stop == StopReason::saturated);
    CHECK(graph.invariant() == "");
    Extraction extraction(graph, TermSize());
    CHECK(extraction.cost(top) == depth);  // (f p) is q
    CHECK(extraction.text(top).size() > 3 * depth);
    CHECK(line_count(extraction.shared_text(top)) > depth / 2);  // or (g ?x p), which costs as much
}

TEST_CASE("a shared term 100,000 deep: add, saturate, extract, print") {
    Algebra algebra;
    std::vector<Rule> rules{algebra.rule("(g ?x ?y) => (g ?y ?x)"),
                            algebra.rule("(g ?x ?x) => (s ?x ?x ?x)")};
    OpId bag = algebra.bag("m");
    rules.push_back(algebra.rule("(s ?x ?y ?z) => (m ?x ?y ?z)"));
    EGraph graph(algebra.signature);
    OpId g = *algebra.signature.find("g");
    ClassId top = algebra.add(graph, "p"), inner = top;
    for (std::uint32_t i = 0; i < depth; ++i) {
        top = i % 2 == 0 ? graph.add(g, 0, {top, top}) : graph.add(bag, 0, {top, top});
        if (i == 899) inner = top;
    }
    CHECK(Runner(graph, rules).run({.time_ms = 5'000}).stop == StopReason::saturated);
    CHECK(graph.invariant() == "");
    Extraction extraction(graph, TermSize());
    CHECK(!extraction.has_choice(top));  // more nodes than a double can count
    CHECK(extraction.text(inner, 40) == "(m (g (m (g (m (g (m (g (m (g (m (g (m (…");
    CHECK(line_count(extraction.shared_text(inner)) == 901);
}

TEST_CASE("a chain 100,000 deep: explain, check, print") {
    Algebra algebra;
    const std::vector<Rule> rules{algebra.rule("(h ?x) ~> (f ?x)", "h-is-f")};
    EGraph graph(algebra.signature);
    const OpId f = *algebra.signature.find("f"), h = *algebra.signature.find("h");
    ClassId from = algebra.add(graph, "p"), to = from;
    for (std::uint32_t i = 0; i < depth; ++i)
        from = graph.add(h, 0, {from}), to = graph.add(f, 0, {to});
    Runner runner(graph, rules);
    CHECK(runner.run({}).stop == StopReason::saturated);
    const auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    CHECK(why->steps.size() == depth);
    CHECK(check(*why, rules) == "");
    CHECK(why->terms.text(why->left, 12) == "(h (h (h (h …");
    CHECK(why->terms.text(why->right).size() == 4 * depth + 1);
    CHECK(line_count(why->text()) == depth);
    const auto chosen = explain(graph, runner, from, Extraction(graph, TermSize()));
    REQUIRE(chosen.has_value());
    CHECK(check(*chosen, rules) == "");
}

TEST_CASE("a shared term 100,000 deep: explain, check, print") {
    Algebra algebra;
    OpId bag = algebra.bag("m");
    const std::vector<Rule> rules{algebra.rule("(g ?x ?y) ~> (m ?x ?y)", "g-is-m")};
    EGraph graph(algebra.signature);
    const OpId g = *algebra.signature.find("g"), f = algebra.signature.fixed("f", 1);
    ClassId from = algebra.add(graph, "p"), to = from;
    // The f between them keeps bags from being opened: there would be more elements than can be counted.
    for (std::uint32_t i = 0; i < depth / 2; ++i) {
        from = graph.add(g, 0, {from, from}), from = graph.add(f, 0, {from});
        to = graph.add(bag, 0, {to, to}), to = graph.add(f, 0, {to});
    }
    Runner runner(graph, rules);
    CHECK(runner.run({}).stop == StopReason::saturated);
    const auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    CHECK(why->steps.size() == depth / 2);
    CHECK(check(*why, rules) == "");
    CHECK(why->terms.text(why->left, 20) == "(f (g (f (g (f (g (f…");
    CHECK(line_count(why->text()) == depth / 2);
}

TEST_CASE("texts of chosen terms") {
    Algebra algebra;
    algebra.bag("m");
    EGraph graph(algebra.signature);
    ClassId small = algebra.add(graph, "(f p (f q p))");
    ClassId one = algebra.add(graph, "(m q (f p p) r)");
    ClassId other = algebra.add(graph, "(m r q (f p p))");
    Extraction extraction(graph, TermSize());
    CHECK(extraction.text(small) == "(f p (f q p))");
    CHECK(extraction.shared_text(small) == "#0 = p\n#1 = q\n#2 = (f #1 #0)\n#3 = (f #0 #2)\n");
    CHECK(extraction.text(small, 5) == "(f p …");
    CHECK(extraction.text(one) == extraction.text(other));
}

TEST_CASE("e-graphs in several threads, over one signature") {
    MathWorkload math;
    EGraph first(math.algebra.signature);  // makes all operators known before threads share them
    for (const std::string& term : math.terms) math.algebra.add(first, term);
    std::vector<std::thread> threads;
    std::vector<std::uint32_t> counts(4, 0);
    std::vector<std::string> texts(4);
    for (std::uint32_t i = 0; i < counts.size(); ++i) {
        threads.emplace_back([&, i] {
            Algebra algebra = math.algebra;
            EGraph graph(math.algebra.signature);
            ClassId root{0};
            for (const std::string& term : math.terms) root = algebra.add(graph, term);
            Runner runner(graph, math.rules, i % 2 == 0 ? nullptr : backoff_scheduler(100'000));
            runner.push();
            runner.run({.iterations = 3});
            runner.pop();
            runner.run({.iterations = 7});
            counts[i] = graph.node_count();
            texts[i] = Extraction(graph, TermSize()).text(graph.find(root));
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(counts == std::vector<std::uint32_t>(4, 3160));
    CHECK(texts == std::vector<std::string>(4, texts[0]));
}
