// push and pop, copies, clear: what was undone leaves no trace.
#include <doctest/doctest.h>

#include "egraph/dot.hpp"
#include "egraph/runner.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/generate.hpp"
#include "tests/egraph/workloads.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

// An e-graph that random operations are done to, the same ones where the random numbers are.
class Subject {
  public:
    Subject(Generator& generator, const std::vector<Rule>& rules)
        : generator_(&generator), graph(generator.algebra.signature) {
        graph.add_analysis(generator.marks());
        runner = std::make_unique<Runner>(graph, rules, backoff_scheduler(3, 2));
    }

    // Adds, merges, subsumes, rebuilds, runs; the ids that came out are part of what is compared.
    void operate(Random& random, int count) {
        for (int i = 0; i < count; ++i) {
            std::uint32_t kind = random.below(10);
            if (kind < 4 || graph.id_count() == 0) {
                Random own(random.next());
                std::swap(own, generator_->random);
                std::string term = generator_->term(3);
                std::swap(own, generator_->random);
                seen += " " + std::to_string(raw(generator_->algebra.add(graph, term)));
            } else if (kind < 6) {
                graph.merge(ClassId{random.below(graph.id_count())},
                            ClassId{random.below(graph.id_count())});
            } else if (kind < 7) {
                NodeId node{random.below(graph.id_count())};
                if (graph.is_live(node)) seen += graph.subsume(node) ? " s" : " r";
            } else if (kind < 8) {
                graph.rebuild();
            } else {
                Report report = runner->run({.iterations = 1 + random.below(2), .nodes = 200});
                seen += " " + std::string(stop_name(report.stop));
            }
        }
    }

    // Everything: terms, ids, values, what the rules found.
    std::string text() {
        graph.rebuild();
        std::string all = seen + "\n" + dump(graph) + to_dot(graph) + graph.invariant();
        for (const RuleStatistics& s : runner->statistics()) {
            all += " " + std::to_string(s.matches) + "/" + std::to_string(s.applied);
        }
        all += " log " + std::to_string(graph.log().entries().size());
        return all;
    }

  private:
    Generator* generator_;

  public:
    EGraph graph;
    std::unique_ptr<Runner> runner;
    std::string seen;
};

std::vector<Rule> some_rules(Generator& generator) {
    std::vector<Rule> rules;
    for (int i = 0; i < 3; ++i) {
        Rule rule = generator.rule(30, 1).rule;
        if (Runner::check(rule, generator.algebra.signature).empty()) rules.push_back(rule);
    }
    return rules;
}

}  // namespace

TEST_CASE("what happens between push and pop leaves no trace") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Generator generator(seed);
        std::vector<Rule> rules = some_rules(generator);
        Subject plain(generator, rules), undone(generator, rules);
        for (int round = 0; round < 3; ++round) {
            std::uint64_t shared = generator.random.next();
            for (Subject* subject : {&plain, &undone}) {
                Random random(shared);
                subject->operate(random, 8);
            }
            std::string seen = undone.seen;
            undone.runner->push();
            undone.operate(generator.random, 6);
            if (generator.random.chance(50)) {
                undone.runner->push();
                undone.operate(generator.random, 6);
                undone.runner->pop();
                undone.operate(generator.random, 3);
            }
            undone.runner->pop();
            undone.seen = seen;
            // Sometimes with a rebuild pending from before the push.
            if (generator.random.chance(50) && plain.text() != undone.text()) FAIL("seed " << seed);
        }
        if (plain.text() != undone.text()) FAIL("seed " << seed);
    }
}

namespace {

// Every node as it stands, by id: what a snapshot has to bring back, and more than terms say.
std::string raw_text(const EGraph& graph) {
    std::string out = "stamp " + std::to_string(graph.stamp()) + "\n";
    const auto add = [&](std::uint32_t number) { out += " " + std::to_string(number); };
    for (std::uint32_t id = 0; id < graph.id_count(); ++id) {
        const NodeView node = graph.node(NodeId{id});
        out += graph.signature().text(node.op, node.payload);
        for (std::uint32_t child : node.children) add(child);
        out += " first";
        for (std::uint32_t child : graph.first_children(NodeId{id})) add(child);
        out += graph.is_live(NodeId{id}) ? " live" : " dead";
        out += graph.is_subsumed(NodeId{id}) ? " subsumed" : "";
        const ClassId cls = graph.find(ClassId{id});
        const AnalysisId marks{0};
        for (std::uint32_t number : {raw(cls), raw(graph.next_node(NodeId{id})),
                                     graph.stamp_of(NodeId{id}), raw(graph.witness(cls)),
                                     graph.value(marks, cls), raw(graph.value_witness(marks, cls))})
            add(number);
        out += "\n";
    }
    for (const UnionEntry& entry : graph.log().entries())
        add(raw(entry.a)), add(raw(entry.b)), add(raw(entry.reason.rule));
    return out;
}

}  // namespace

TEST_CASE("pop brings back every byte, also what waited for a rebuild") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Generator generator(seed);
        Subject subject(generator, some_rules(generator));
        subject.operate(generator.random, 12);
        const std::string before = raw_text(subject.graph);
        const bool was_clean = subject.graph.is_clean();
        subject.runner->push();
        subject.operate(generator.random, 8);
        subject.runner->pop();
        if (raw_text(subject.graph) != before || subject.graph.is_clean() != was_clean)
            FAIL("seed " << seed);
    }
}

TEST_CASE("a copy goes its own way") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Generator generator(seed);
        std::vector<Rule> rules = some_rules(generator);
        Subject subject(generator, rules);
        subject.operate(generator.random, 12);
        subject.graph.rebuild();
        std::string before = dump(subject.graph);
        EGraph copy = subject.graph;
        CHECK(dump(copy) == before);
        CHECK(copy.snapshot_count() == 0);
        subject.operate(generator.random, 6);
        CHECK(dump(copy) == before);
        CHECK(copy.invariant() == "");
        Runner(copy, rules).run({.iterations = 3, .nodes = 200});
        CHECK(copy.invariant() == "");
        subject.graph.rebuild();
        CHECK(subject.graph.invariant() == "");
    }
}

TEST_CASE("snapshots of an e-graph without a runner; a run notices") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    Runner runner(graph, {algebra.rule("(f ?x) => ?x")});
    ClassId a = algebra.add(graph, "(f a)");
    graph.push();
    std::size_t bytes = graph.bytes();
    runner.run({});
    CHECK(graph.find(a) == graph.find(algebra.add(graph, "a")));
    graph.pop();
    CHECK(graph.snapshot_count() == 0);
    CHECK(graph.bytes() < bytes);
    CHECK(graph.node_count() == 2);
    CHECK(graph.find(a) != graph.find(algebra.add(graph, "a")));
    CHECK(runner.run({}).stop == StopReason::saturated);
    CHECK(graph.find(a) == graph.find(algebra.add(graph, "a")));
    graph.clear();
    a = algebra.add(graph, "(f a)");
    runner.run({});  // without reset
    CHECK(graph.find(a) == graph.find(algebra.add(graph, "a")));
}

TEST_CASE("snapshots in a row, and clear drops them") {
    MathWorkload math;
    EGraph graph(math.algebra.signature);
    for (const std::string& term : math.terms) math.algebra.add(graph, term);
    Runner runner(graph, math.rules);
    std::vector<std::uint32_t> counts;
    for (int i = 0; i < 6; ++i) {
        runner.push();
        counts.push_back(graph.node_count());
        runner.run({.iterations = 1});
    }
    CHECK(graph.node_count() == 1576);
    while (!counts.empty()) {
        runner.pop();
        CHECK(graph.node_count() == counts.back());
        counts.pop_back();
    }
    runner.run({.iterations = 8});
    CHECK(graph.node_count() == 8113);
    CHECK(graph.invariant() == "");
    graph.push();
    graph.clear();
    CHECK(graph.snapshot_count() == 0);
}

TEST_CASE("clear keeps memory: the second use takes no more") {
    MathWorkload math;
    EGraph graph(math.algebra.signature);
    Runner runner(graph, math.rules);
    std::size_t bytes = 0;
    for (int use = 0; use < 3; ++use) {
        for (const std::string& term : math.terms) math.algebra.add(graph, term);
        runner.run({.iterations = 6});
        CHECK(graph.node_count() == 1576);
        if (use == 0) bytes = graph.bytes();
        CHECK(graph.bytes() == bytes);
        graph.clear();
        runner.reset();
        CHECK(graph.bytes() == bytes);
        CHECK(graph.node_count() == 0);
        CHECK(graph.invariant() == "");
    }
}
