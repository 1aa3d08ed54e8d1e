// Explanations as steps, and what their check refuses.
#include <doctest/doctest.h>

#include <memory>

#include "egraph/explanation.hpp"
#include "tests/egraph/text.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

// (a * 2) / 2 is a, because of three rules one after the other.
struct Halves {
    Algebra algebra;
    std::vector<Rule> rules{algebra.rule("(/ (* ?x ?y) ?z) => (* ?x (/ ?y ?z))", "associate"),
                            algebra.rule("(/ ?x ?x) => 1", "cancel"),
                            algebra.rule("(* ?x 1) => ?x", "times-one")};
    EGraph graph{algebra.signature};
    ClassId whole = algebra.add(graph, "(/ (* a 2) 2)"), a = algebra.add(graph, "a");
    Runner runner{graph, rules};

    Explanation explanation() {
        runner.run({});
        auto why = explain(graph, runner, whole, a);
        REQUIRE(why.has_value());
        return *why;
    }
};

}  // namespace

TEST_CASE("an explanation as text, and its check") {
    Halves halves;
    const Explanation why = halves.explanation();
    CHECK(why.text() ==
          "1  (/ (* a 2) 2) = (* a (/ 2 2))   associate: ?x = a, ?y = 2, ?z = 2\n"
          "2  (/ 2 2) = 1   cancel: ?x = 2\n"
          "3  (* a 1) = a   times-one: ?x = a\n");
    CHECK(why.terms.text(why.left) == "(/ (* a 2) 2)");
    CHECK(why.terms.text(why.right) == "a");
    CHECK(check(why, halves.rules) == "");
}

TEST_CASE("a changed explanation is refused") {
    Halves halves;
    const Explanation why = halves.explanation();
    const auto refusal = [&](auto&& change) {
        Explanation other = why;
        change(other);
        return check(other, halves.rules);
    };
    // Neither of these stands on the other.
    CHECK(refusal([](Explanation& e) { std::swap(e.steps[1], e.steps[2]); }).empty());
    CHECK(refusal([](Explanation& e) { e.steps.erase(e.steps.begin() + 1); }) ==
          "the steps do not lead from the one term to the other");
    CHECK(refusal([](Explanation& e) { e.steps[1].rule = "times-one"; }) ==
          "step 2: rule times-one: its left side is another term");
    CHECK(refusal([](Explanation& e) { e.steps[1].rule = "divide"; }) ==
          "step 2: there is no rule divide");
    CHECK(refusal([](Explanation& e) { e.steps[0].bindings[0].terms = {e.left}; }) ==
          "step 1: rule associate: its left side is another term");
    CHECK(refusal([](Explanation& e) { e.steps[0].bindings.pop_back(); }) ==
          "step 1: rule associate: a variable stands for nothing");
    CHECK(refusal([](Explanation& e) { e.steps[0].bindings[1].variable = "?x"; }) ==
          "step 1: rule associate: ?x cannot stand for that");
    CHECK(refusal([](Explanation& e) { e.steps[0].bindings[1].variable = "?w"; }) ==
          "step 1: rule associate: it has no variable ?w");
    CHECK(refusal([](Explanation& e) { e.steps[2].right = e.steps[1].right; }) ==
          "step 3: rule times-one: its right side is another term");
    CHECK(refusal([](Explanation& e) { e.steps[2].left = TermId{1000}; }) ==
          "step 3: it names a term that is not there");
    CHECK(refusal([](Explanation& e) { e.right = e.steps[1].right; }) ==
          "the steps do not lead from the one term to the other");
}

TEST_CASE("a step that stands on the one before it is refused without it") {
    Algebra algebra;
    const std::vector<Rule> rules{algebra.rule("(f a) => b", "first"),
                                  algebra.rule("(g ?x ?x) => ?x", "second")};
    EGraph graph(algebra.signature);
    const ClassId from = algebra.add(graph, "(g (f a) b)"), to = algebra.add(graph, "b");
    Runner runner(graph, rules);
    runner.run({});
    auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    REQUIRE(why->steps.size() == 2);
    why->steps[1].left = why->left;  // as it stands in the e-graph; congruence brings it to (g b b)
    CHECK(check(*why, rules) == "");
    std::swap(why->steps[0], why->steps[1]);
    CHECK(check(*why, rules) == "step 1: rule second: its left side is another term");
}

TEST_CASE("what the user merged, and conditions, have to be admitted") {
    Algebra algebra;
    std::vector<Rule> rules{algebra.rule("(f ?x) => ?x", "f-is-nothing")};
    rules[0].conditions.push_back({"always", [](const Match&) { return true; }, {}, false});
    EGraph graph(algebra.signature);
    const ClassId from = algebra.add(graph, "(f a)"), to = algebra.add(graph, "b");
    graph.merge(algebra.add(graph, "a"), to);
    Runner runner(graph, rules);
    runner.run({});
    const auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    CHECK(why->text() ==
          "1  a = b   given\n"
          "2  (f a) = a   f-is-nothing: ?x = a\n");
    CHECK(check(*why, rules) == "step 1: nobody says that its terms are equal");
    const auto given = [](const Explanation& e, const Explanation::Step& step, const Rule* rule) {
        return rule == nullptr && e.terms.text(step.left) == "a" && e.terms.text(step.right) == "b";
    };
    CHECK(check(*why, rules, given) == "step 2: rule f-is-nothing: its conditions are not shown");
    const auto all = [](const Explanation&, const Explanation::Step&, const Rule*) { return true; };
    CHECK(check(*why, rules, all) == "");
}

TEST_CASE("sets: rests, units, matches that were applied together") {
    Algebra algebra;
    algebra.set("and");
    algebra.unit("and", "true");
    const std::vector<Rule> rules{algebra.rule("(and (p ?x) (q ?x) ...r) ~> (and (p ?x) ...r)"),
                                  algebra.rule("(s ?x) ~> true")};
    EGraph graph(algebra.signature);
    const ClassId from = algebra.add(graph, "(and (p a) (q a) (p b) (q b) (s c))"),
                  to = algebra.add(graph, "(and (p a) (p b))");
    Runner runner(graph, rules);
    runner.run({});
    REQUIRE(graph.find(from) == graph.find(to));
    const auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    CHECK(why->steps.size() == 3);
    CHECK(check(*why, rules) == "");
}

TEST_CASE("payloads, those that any may be included") {
    Algebra algebra;
    const std::vector<Rule> rules{algebra.rule("(add lit:?n lit:*) => (inc lit:?n)", "inc")};
    EGraph graph(algebra.signature);
    const ClassId from = algebra.add(graph, "(add lit:3 lit:7)"),
                  to = algebra.add(graph, "(inc lit:3)");
    Runner runner(graph, rules);
    runner.run({});
    auto why = explain(graph, runner, from, to);
    REQUIRE(why.has_value());
    CHECK(why->text() == "1  (add lit:3 lit:7) = (inc lit:3)   inc: ?n = 3\n");
    CHECK(check(*why, rules) == "");
    why->steps[0].bindings.back().payload = 8;
    CHECK(check(*why, rules) == "step 1: rule inc: its left side is another term");
}

TEST_CASE("an extracted term is explained") {
    Halves halves;
    const ClassId pair = halves.algebra.add(halves.graph, "(pair (/ (* b 2) 2) (/ 3 3))");
    halves.runner.run({});
    const Extraction extraction(halves.graph, TermSize());
    const auto why = explain(halves.graph, halves.runner, pair, extraction);
    REQUIRE(why.has_value());
    CHECK(why->terms.text(why->right) == "(pair b 1)");
    CHECK(why->terms.text(why->right) == extraction.text(pair));
    CHECK(why->steps.size() == 4);
    CHECK(check(*why, halves.rules) == "");
}

TEST_CASE("what is not equal has no explanation") {
    Halves halves;
    const ClassId b = halves.algebra.add(halves.graph, "b");
    halves.runner.run({});
    CHECK(!explain(halves.graph, halves.runner, halves.whole, b).has_value());
}
