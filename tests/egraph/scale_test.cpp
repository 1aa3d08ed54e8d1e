// Large structures: nothing recurses on data, nothing is quadratic. Each case takes well under a
// second where it is right and minutes, or the stack, where it is not.
#include <doctest/doctest.h>

#include <ctime>
#include <memory>

#include "egraph/dot.hpp"
#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "tests/egraph/analyses.hpp"
#include "tests/egraph/text.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

constexpr std::uint32_t many = 100'000;

// Fails after some seconds of work: far more than it takes, far less than a quadratic run.
class Stopwatch {
  public:
    ~Stopwatch() { CHECK(std::clock() - start_ < 20 * CLOCKS_PER_SEC); }

  private:
    std::clock_t start_ = std::clock();
};

struct Fixture {
    Algebra algebra;
    OpId leaf, f, g, set, bag;
    std::unique_ptr<EGraph> graph;
    AnalysisId marks{0};
    Stopwatch stopwatch;

    Fixture() {
        leaf = algebra.signature.fixed("leaf", 0);
        f = algebra.signature.fixed("f", 1), g = algebra.signature.fixed("g", 2);
        set = algebra.set("s"), bag = algebra.bag("m");
        algebra.unit("s", "one");
        graph = std::make_unique<EGraph>(algebra.signature);
        marks = graph->add_analysis(std::make_shared<Marks>(
            std::map<OpId, Analysis::Value>{{algebra.signature.fixed("a", 0), 1}}));
    }
    ClassId chain(ClassId bottom, std::uint32_t length) {
        for (std::uint32_t i = 0; i < length; ++i) bottom = graph->add(f, 0, {bottom});
        return bottom;
    }
    std::vector<ClassId> leaves(std::uint32_t count) {
        std::vector<ClassId> out;
        for (std::uint32_t i = 0; i < count; ++i) out.push_back(graph->add(leaf, i));
        return out;
    }
    void finish() {
        graph->rebuild();
        CHECK(graph->invariant() == "");
    }
};

}  // namespace

TEST_CASE("chains 100,000 deep: add, merge, rebuild, analyse, extract, draw") {
    Fixture f;
    ClassId x = f.graph->add(f.leaf, 1), y = f.graph->add(f.leaf, 2);
    ClassId a = f.chain(x, many), b = f.chain(y, many);
    CHECK(Extraction(*f.graph, TermSize()).cost(a) == many + 1);
    f.graph->merge(x, y);
    f.finish();
    CHECK(f.graph->find(a) == f.graph->find(b));
    CHECK(f.graph->node_count() == many + 2);
    f.graph->merge(y, f.algebra.add(*f.graph, "a"));
    f.finish();
    CHECK(f.graph->value(f.marks, a) == 1);
    CHECK(Extraction(*f.graph, TermSize()).cost(a) == many + 1);
    CHECK(to_dot(*f.graph).size() > many);
}

TEST_CASE("a chain 100,000 deep that a rule takes down") {
    Fixture f;
    ClassId x = f.graph->add(f.leaf, 1), top = f.chain(x, many);
    Runner runner(*f.graph, {f.algebra.rule("(f ?x) ~> ?x")});
    CHECK(runner.run({}).stop == StopReason::saturated);
    CHECK(f.graph->find(top) == f.graph->find(x));
    f.finish();
}

TEST_CASE("shared terms 100,000 deep: sizes have no bound") {
    Fixture f;
    ClassId x = f.graph->add(f.leaf, 1), y = f.graph->add(f.leaf, 2), a = x, b = y;
    for (std::uint32_t i = 0; i < many; ++i) {
        a = f.graph->add(f.g, 0, {a, a});
        b = f.graph->add(f.g, 0, {b, b});
    }
    f.graph->merge(x, y);
    f.finish();
    CHECK(f.graph->find(a) == f.graph->find(b));
    f.graph->merge(a, x);
    f.finish();
    CHECK(Extraction(*f.graph, TermSize()).cost(a) == 1);
}

TEST_CASE("100,000 classes merged one by one into one, used and unused") {
    for (bool used : {false, true}) {
        for (bool rebuild_each : {false, true}) {
            Fixture f;
            std::vector<ClassId> leaves = f.leaves(many);
            if (used) {
                for (ClassId leaf : leaves) f.graph->add(f.f, 0, {leaf});
            }
            for (std::uint32_t i = many - 1; i > 0; --i) {
                f.graph->merge(leaves[i], leaves[i - 1]);
                if (rebuild_each) f.graph->rebuild();
            }
            f.finish();
            CHECK(f.graph->class_count() == (used ? 2 : 1));
            CHECK(f.graph->node_count() == many + (used ? 1 : 0));
        }
    }
}

TEST_CASE("a class with 100,000 nodes and 100,000 users: extract, draw, match, learn") {
    Fixture f;
    std::vector<ClassId> leaves = f.leaves(many);
    for (ClassId leaf : leaves) f.graph->merge(leaf, leaves[0]);
    f.graph->rebuild();
    for (std::uint32_t i = 0; i < many; ++i) f.graph->add(f.g, i, {leaves[0], leaves[0]});
    f.graph->merge(leaves[0], f.algebra.add(*f.graph, "a"));
    f.finish();
    CHECK(Extraction(*f.graph, TermSize()).cost(leaves[0]) == 1);
    CHECK(to_dot(*f.graph).size() > many);
    Runner runner(*f.graph, {f.algebra.rule("(f ?x) => ?x"), f.algebra.rule("?x => ?x")});
    CHECK(runner.run({}).stop == StopReason::saturated);
}

TEST_CASE("a set of 5,000 elements that merge one by one") {
    for (bool rebuild_each : {false, true}) {
        for (bool pairs : {false, true}) {
            Fixture f;
            std::vector<ClassId> leaves = f.leaves(5'000);
            ClassId wide = f.graph->add(f.set, 0, leaves);
            f.graph->add(f.bag, 0, leaves);
            for (std::uint32_t i = 1; i < leaves.size(); i += pairs ? 2 : 1) {
                f.graph->merge(leaves[i], leaves[i - 1]);
                if (rebuild_each && i % 4 < 2) f.graph->rebuild();
            }
            f.finish();
            auto count = f.graph->node(NodeId{raw(wide)}).children.size();
            if (pairs) CHECK(count == 2'500);
            if (!pairs) CHECK(f.graph->find(wide) == f.graph->find(leaves[0]));
        }
    }
}

TEST_CASE("a set of 10,000 elements of which a rule drops half at once") {
    Fixture f;
    std::vector<ClassId> elements = f.leaves(10'000);
    for (std::uint32_t i = 0; i < elements.size(); i += 2) {
        elements[i] = f.graph->add(f.f, 0, {elements[i]});
    }
    f.graph->add(f.set, 0, elements);
    Runner runner(*f.graph, {f.algebra.rule("(s (f ?x) ...r) ~> (s ...r)")});
    runner.run({.iterations = 1});
    CHECK(runner.statistics()[0].applied == 5'000);
    f.finish();
}

TEST_CASE("values that improve 100,000 times in one class with 100,000 users") {
    Fixture f;
    ClassId hub = f.graph->add(f.leaf, 0);
    for (std::uint32_t i = 0; i < many; ++i) f.graph->add(f.g, i, {hub, hub});
    for (std::uint32_t i = 0; i < many; ++i) {
        f.graph->merge(hub, f.graph->add(f.leaf, i + 1));
    }
    f.finish();
}
