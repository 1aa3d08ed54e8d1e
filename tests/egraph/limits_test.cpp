// Limits strike in the middle of searches, applications and rebuilds, and nothing is lost by that.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/generate.hpp"
#include "tests/egraph/workloads.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

struct Math {
    MathWorkload workload;
    EGraph graph{workload.algebra.signature};
    Runner runner{graph, workload.rules};
    std::vector<ClassId> roots;

    Math() {
        for (const std::string& term : workload.terms) {
            roots.push_back(workload.algebra.add(graph, term));
        }
    }
    // Also where a rebuild is pending.
    void check_extraction() const {
        Extraction extraction(graph, TermSize());
        for (ClassId root : roots) CHECK(extraction.has_choice(root));
    }
    void check_usable() {
        check_extraction();
        graph.rebuild();
        CHECK(graph.invariant() == "");
        check_extraction();
    }
};

// Stops what it limits after a number of looks at the clock.
class Slice {
  public:
    explicit Slice(std::uint32_t polls) : left_(polls) {}
    Limits limits(Limits limits = {}) {
        limits.interrupt = &token_;
        limits.poll_steps = 1;
        return limits;
    }
    void count() {
        if (left_ == 0 || --left_ == 0) token_ = true;
    }

  private:
    std::uint32_t left_;
    std::atomic<bool> token_{false};
};

// Runs with so many looks at the clock.
Report run_slice(Runner& runner, std::uint32_t polls) {
    Slice slice(polls);
    runner.progress_interval_ms = 0;
    runner.on_progress = [&](const Progress&) { slice.count(); };
    return runner.run(slice.limits());
}

// An analysis whose values have no end: the length of the longest path down.
class Depth : public Analysis {
  public:
    std::string name() const override { return "depth"; }
    Value make(const EGraph& graph, AnalysisId self, const NodeView& node) override {
        Value depth = 0;
        for (std::uint32_t c : node.children) {
            depth = std::max(depth, graph.value(self, ClassId{c}));
        }
        return depth + 1;
    }
    Value join(Value a, Value b) override { return std::max(a, b); }
};

}  // namespace

TEST_CASE("byte limits: never exceeded, and not struck long before") {
    for (std::size_t bytes = 100'000; bytes < 4'000'000; bytes += bytes / 5) {
        Math math;
        CHECK(math.runner.run({.nodes = 100'000'000, .bytes = bytes}).stop ==
              StopReason::memory_limit);
        CHECK(math.graph.bytes() <= bytes + bytes / 100);
        CHECK(math.graph.bytes() > bytes / 3);
        math.check_usable();
    }
}

TEST_CASE("a byte limit holds for the matches of a search") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    for (int i = 0; i < 300; ++i) algebra.add(graph, "(f p" + std::to_string(i) + ")");
    Runner runner(graph, {algebra.rule("(f ?x) & (f ?y) => (g ?x ?y)")});
    std::size_t before = graph.bytes();
    CHECK(runner.run({.bytes = before + 100'000}).stop == StopReason::memory_limit);
    CHECK(runner.statistics()[0].applied == 0);
    CHECK(graph.bytes() <= before + 100'000);
}

TEST_CASE("node limits: never exceeded") {
    for (std::uint32_t nodes = 36; nodes < 9'000; nodes += nodes / 7) {
        Math math;
        CHECK(math.runner.run({.nodes = nodes}).stop == StopReason::node_limit);
        CHECK(math.graph.node_count() <= nodes);
        math.check_usable();
    }
}

TEST_CASE("node limits: sets, sequences and joint matches") {
    std::uint32_t struck = 0;
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        Generator generator(seed);
        std::vector<Rule> rules;
        for (int i = 0; i < 4; ++i) {
            Rule rule = generator.rule(30).rule;
            if (Runner::check(rule, generator.algebra.signature).empty()) rules.push_back(rule);
        }
        EGraph graph(generator.algebra.signature);
        graph.add_analysis(generator.marks());
        for (int i = 0; i < 4; ++i) generator.algebra.add(graph, generator.term(3));
        std::uint32_t limit = graph.node_count() + generator.random.below(10);
        Report report = Runner(graph, rules).run({.iterations = 8, .nodes = limit});
        struck += report.stop == StopReason::node_limit;
        // Two leaves more: the unit and zero of a set that is made for the first time.
        if (graph.node_count() > limit + 2) FAIL("seed " << seed << ": " << graph.node_count());
        if (graph.invariant() != "") FAIL("seed " << seed << ": " << graph.invariant());
    }
    CHECK(struck > 100);
}

TEST_CASE("a fixpoint that needs all the nodes of the limit is reached") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    algebra.add(graph, "(+ p q)");
    Runner runner(graph, {algebra.rule("(+ ?a ?b) => (+ ?b ?a)")});
    CHECK(runner.run({.nodes = 3}).stop == StopReason::node_limit);
    CHECK(runner.run({.nodes = 4}).stop == StopReason::saturated);
    CHECK(graph.node_count() == 4);
}

TEST_CASE("runs in many slices that end anywhere reach the fixpoint of one run") {
    std::uint32_t compared = 0, pending = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        Generator generator(seed);
        generator.fixed_only = true;
        std::vector<Rule> rules;
        for (int i = 0; i < 4; ++i) {
            Rule rule = generator.rule(0).rule;
            if (Runner::check(rule, generator.algebra.signature).empty()) rules.push_back(rule);
        }
        EGraph whole(generator.algebra.signature), sliced(generator.algebra.signature);
        whole.add_analysis(generator.marks());
        sliced.add_analysis(generator.marks());
        for (int i = 0; i < 4; ++i) {
            std::string term = generator.term(3);
            generator.algebra.add(whole, term);
            generator.algebra.add(sliced, term);
        }
        Report report = Runner(whole, rules).run({.iterations = 20, .nodes = 300});
        if (report.stop != StopReason::saturated) continue;
        Runner runner(sliced, rules);
        for (std::uint32_t polls = 1;; polls += 1 + generator.random.below(1 + polls / 4)) {
            report = run_slice(runner, polls);
            if (report.stop == StopReason::saturated) break;
            CHECK(report.stop == StopReason::interrupted);
            pending += !report.is_clean;
        }
        ++compared;
        if (sliced.invariant() != "") FAIL("seed " << seed << ": " << sliced.invariant());
        if (dump(whole) != dump(sliced)) FAIL("seed " << seed);
    }
    CHECK(compared > 200);
    CHECK(pending == 0);  // small rebuilds are finished after a stop
}

TEST_CASE("a rebuild in slices gives what one rebuild gives, and may be read in between") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Generator generator(seed);
        EGraph whole(generator.algebra.signature), sliced(generator.algebra.signature);
        for (EGraph* graph : {&whole, &sliced}) graph->add_analysis(generator.marks());
        ClassId last{0};
        std::uint32_t slices = 0;
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 6; ++i) {
                std::string term = generator.term(3);
                ClassId now = generator.algebra.add(whole, term);
                generator.algebra.add(sliced, term);
                if (generator.random.chance(60)) whole.merge(last, now), sliced.merge(last, now);
                last = now;
            }
            whole.rebuild();
            for (std::uint32_t polls = 1;; ++polls, ++slices) {
                Slice slice(polls);
                Budget budget(slice.limits());
                budget.watch = [&] { slice.count(); };
                if (sliced.rebuild(budget)) break;
                CHECK(!sliced.is_clean());
                CHECK(budget.reason() == StopReason::interrupted);
                CHECK(Extraction(sliced, TermSize()).has_choice(last));
            }
            CHECK(sliced.is_clean());
            if (sliced.invariant() != "") FAIL("seed " << seed << ": " << sliced.invariant());
            if (dump(whole) != dump(sliced)) FAIL("seed " << seed);
        }
    }
}

TEST_CASE("after interrupts anywhere the math workload goes on to the known counts") {
    Math math;
    for (std::uint32_t polls : {3U, 50U, 400U, 3'000U, 20'000U}) {
        CHECK(run_slice(math.runner, polls).stop == StopReason::interrupted);
        math.check_usable();
    }
    Math other;
    other.runner.run({.iterations = 4});
    std::atomic<bool> token{true};
    Report report = other.runner.run({.interrupt = &token});
    CHECK(report.stop == StopReason::interrupted);
    CHECK(report.iterations == 0);
    token = false;
    other.runner.run({.iterations = 4, .interrupt = &token});
    CHECK(other.graph.node_count() == 8113);
    CHECK(other.graph.class_count() == 3576);
}

TEST_CASE("another thread interrupts a run that would not end") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    // One search that has more to look at than anybody can wait for.
    for (int i = 0; i < 1'000; ++i) algebra.add(graph, "(g p" + std::to_string(i) + ")");
    Rule rule = algebra.rule("(g ?a) & (g ?b) & (g ?c) & (g ?d) => ?a");
    rule.conditions.push_back({"never", [](const Match&) { return false; }, {}, false});
    Runner runner(graph, {rule});
    std::atomic<bool> token{false};
    std::atomic<bool> began{false};
    runner.progress_interval_ms = 0;
    runner.on_progress = [&](const Progress&) { began = true; };
    std::thread other([&] {
        while (!began) std::this_thread::yield();
        token = true;
    });
    CHECK(runner.run({.interrupt = &token}).stop == StopReason::interrupted);
    other.join();
    CHECK(graph.invariant() == "");
}

TEST_CASE("progress comes from within a search, an application and a rebuild") {
    Math math;
    math.runner.run({.iterations = 6});
    std::uint32_t calls[3] = {};
    Progress last;
    math.runner.progress_interval_ms = 0;
    math.runner.on_progress = [&](const Progress& progress) {
        ++calls[static_cast<std::size_t>(progress.phase)];
        CHECK((progress.rule == none) == (progress.phase == Progress::Phase::rebuild));
        CHECK(progress.time_ms >= last.time_ms);
        CHECK(progress.bytes > 0);
        last = progress;
    };
    math.runner.run({.iterations = 1, .poll_steps = 16});
    CHECK(calls[0] > 200);
    CHECK(calls[1] > 200);
    CHECK(calls[2] > 200);
    CHECK(last.iterations == 1);
    CHECK(last.nodes == 3160);
}

TEST_CASE("progress waits for its interval") {
    Math math;
    std::uint32_t calls = 0;
    math.runner.progress_interval_ms = 1e9;
    math.runner.on_progress = [&](const Progress&) { ++calls; };
    math.runner.run({.iterations = 5});
    CHECK(calls == 0);
}

TEST_CASE("hooks come before and after every iteration, and may add terms") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    Runner runner(graph, {algebra.rule("(f ?x) => ?x")});
    std::string order;
    ClassId late{0};
    runner.before_iteration = [&](const Report& report) {
        order += "b" + std::to_string(report.iterations) + " ";
        if (report.iterations == 0) late = algebra.add(graph, "(f (f p))");
        return true;
    };
    runner.after_iteration = [&](const Report& report) {
        order += "a" + std::to_string(report.iterations) + " ";
        return true;
    };
    CHECK(runner.run({}).stop == StopReason::saturated);
    CHECK(order == "b0 a1 b1 a2 ");
    CHECK(graph.find(late) == graph.find(algebra.add(graph, "p")));
    runner.before_iteration = [](const Report&) { return false; };
    Report report = runner.run({});
    CHECK(report.stop == StopReason::iteration_limit);
    CHECK(report.iterations == 0);
}

TEST_CASE("an analysis that does not settle is given up, by name") {
    Algebra algebra;
    for (bool by_rule : {false, true}) {
        EGraph graph(algebra.signature, {.value_changes_max = 500});
        AnalysisId depth = graph.add_analysis(std::make_shared<Depth>());
        AnalysisId marks = graph.add_analysis(std::make_shared<Marks>(
            std::map<OpId, Analysis::Value>{{algebra.signature.fixed("p", 0), 1}}));
        ClassId x = algebra.add(graph, "(f (f p))");
        if (!by_rule) graph.merge(x, algebra.add(graph, "p"));
        Runner runner(graph, {algebra.rule("(f (f ?x)) => ?x")});
        Report report = runner.run({});
        CHECK(report.stop == StopReason::analysis_limit);
        CHECK(report.message.find("analysis depth does not settle") == 0);
        CHECK(report.message.find("changed 500 times; the last one, by operator f, is 999") !=
              std::string::npos);
        CHECK(report.is_clean);
        CHECK(graph.invariant() == "");
        CHECK(graph.value(marks, x) == 1);
        CHECK(graph.value(depth, x) > 499);
        graph.clear();
        algebra.add(graph, "(g p)");
        CHECK(runner.run({}).stop == StopReason::saturated);
    }
}
