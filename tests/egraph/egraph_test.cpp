// Terms, unions, sets and bags, analyses, the union log, clear.
#include "egraph/egraph.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "tests/egraph/analyses.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/text.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

// An e-graph with and (unit true, zero false), plus (a bag, unit 0) and row (a sequence).
struct Fixture {
    Algebra algebra;
    std::unique_ptr<EGraph> graph;

    Fixture() {
        algebra.set("and"), algebra.bag("plus"), algebra.sequence("row"), algebra.set("plain");
        algebra.unit("and", "true"), algebra.zero("and", "false"), algebra.unit("plus", "0");
        graph = std::make_unique<EGraph>(algebra.signature);
    }
    ClassId add(std::string_view text) { return algebra.add(*graph, text); }
    bool same(std::string_view a, std::string_view b) {
        ClassId x = add(a), y = add(b);
        graph->rebuild();
        return graph->find(x) == graph->find(y);
    }
    void merge(std::string_view a, std::string_view b) {
        graph->merge(add(a), add(b));
        graph->rebuild();
        CHECK(graph->invariant() == "");
    }
};

}  // namespace

TEST_CASE("a node is made once; lookup finds what add made") {
    Fixture f;
    ClassId a = f.add("(f (g a b))");
    CHECK(f.add("(f (g a b))") == a);
    CHECK(f.graph->node_count() == 4);
    CHECK(f.graph->class_count() == 4);
    OpId g = *f.algebra.signature.find("g");
    ClassId x = f.add("a"), y = f.add("b");
    CHECK(f.graph->lookup(g, 0, std::vector<ClassId>{x, y}) == f.add("(g a b)"));
    CHECK(!f.graph->lookup(g, 0, std::vector<ClassId>{y, x}));
    CHECK(!f.graph->lookup(g, 1, std::vector<ClassId>{x, y}));
}

TEST_CASE("lookup of a set or bag reduces as add does") {
    Fixture f;
    OpId conjunction = *f.algebra.signature.find("and");
    auto lookup = [&](std::vector<ClassId> children) {
        return f.graph->lookup(conjunction, 0, children);
    };
    ClassId a = f.add("a"), b = f.add("b"), c = f.add("c"), set = f.add("(and a b)");
    ClassId wide = f.add("(and (and a b) c)");
    CHECK(lookup({b, a}) == set);
    CHECK(lookup({a, a, b, f.add("true")}) == set);
    CHECK(lookup({a, f.add("true")}) == a);
    CHECK(lookup({}) == f.add("true"));
    CHECK(lookup({a, f.add("false")}) == f.add("false"));
    CHECK(lookup({set, c}) == wide);
    CHECK(!lookup({b, c}));
}

TEST_CASE("unions are symmetric, transitive and congruent") {
    Fixture f;
    f.add("(f (g a c))"), f.add("(f (g b c))"), f.add("(f (f b))");
    CHECK(!f.same("(f (g a c))", "(f (g b c))"));
    f.merge("a", "b");
    CHECK(f.same("(f (g a c))", "(f (g b c))"));
    CHECK(!f.same("(f a)", "a"));
    f.merge("(f a)", "a");
    CHECK(f.same("(f (f b))", "b"));
    CHECK(f.same("(f (f (f (f a))))", "b"));
}

TEST_CASE("a second union of the same classes changes nothing") {
    Fixture f;
    ClassId a = f.add("a"), b = f.add("b");
    CHECK(f.graph->merge(a, b));
    CHECK(!f.graph->merge(b, a));
    f.graph->rebuild();
    CHECK(f.graph->log().entries().size() == 1);
    CHECK(f.graph->class_count() == 1);
    CHECK(f.graph->node_count() == 2);
}

TEST_CASE("sets: order and repetition do not matter; unit, zero, single element") {
    Fixture f;
    CHECK(f.same("(and a b c)", "(and c a b a)"));
    CHECK(f.same("(and a)", "a"));
    CHECK(f.same("(and)", "true"));
    CHECK(f.same("(and a true)", "a"));
    CHECK(f.same("(and a b false)", "false"));
    CHECK(f.same("(plain a)", "a"));
    CHECK(!f.same("(plain)", "(and)"));
}

TEST_CASE("a set may keep single elements: its elements are of another sort than it is") {
    Fixture f;
    f.algebra.set("same");
    f.algebra.signature.set_keeps_single(*f.algebra.signature.find("same"));
    CHECK(!f.same("(same a)", "a"));
    CHECK(f.same("(same a a)", "(same a)"));
    CHECK(!f.same("(same a b)", "(same a)"));
    f.merge("a", "b");
    CHECK(f.same("(same a b)", "(same a)"));
    CHECK(!f.same("(same a)", "a"));
}

TEST_CASE("bags: order does not matter, repetition does") {
    Fixture f;
    CHECK(f.same("(plus a b a)", "(plus a a b)"));
    CHECK(!f.same("(plus a a b)", "(plus a b)"));
    CHECK(f.same("(plus a 0 0)", "a"));
    CHECK(f.same("(plus)", "0"));
}

TEST_CASE("nested sets are opened when they are added, along the smallest term") {
    Fixture f;
    CHECK(f.same("(and (and a b) c)", "(and a (and b c))"));
    CHECK(f.same("(plus (plus a b) (plus a b))", "(plus a a b b)"));
    CHECK(!f.same("(row (row a b) c)", "(row a b c)"));
    CHECK(!f.same("(and (plus a b) c)", "(and a b c)"));
    CHECK(!f.same("(plain (plain) a)", "a"));  // no unit is known: an empty set is an element
}

TEST_CASE("sets with different payloads are not opened into each other") {
    Fixture f;
    OpId op = *f.algebra.signature.find("plain");
    ClassId a = f.add("a"), b = f.add("b"), c = f.add("c");
    ClassId inner = f.graph->add(op, 1, {a, b});
    ClassId outer = f.graph->add(op, 2, {inner, c});
    CHECK(f.graph->node(NodeId{raw(outer)}).children.size() == 2);
    CHECK(f.graph->node(NodeId{raw(f.graph->add(op, 1, {inner, c}))}).children.size() == 3);
}

TEST_CASE("sets follow unions of their elements") {
    Fixture f;
    f.add("(and a b)"), f.add("(and a b c)"), f.add("(plus a b)"), f.add("(row a b)");
    f.merge("a", "b");
    CHECK(f.same("(and a b)", "a"));
    CHECK(f.same("(and a b c)", "(and b c)"));
    CHECK(f.same("(plus a b)", "(plus a a)"));
    f.merge("a", "true");
    CHECK(f.same("(and a b c)", "c"));
    f.merge("c", "false");
    CHECK(f.same("(and a b c)", "false"));
}

TEST_CASE("an element that becomes the zero or the unit later") {
    Fixture f;
    ClassId set = f.add("(and p q r)"), sum = f.add("(plus p q)");
    f.merge("q", "false");
    CHECK(f.graph->find(set) == f.graph->find(f.add("false")));
    f.merge("p", "0");
    CHECK(f.graph->find(sum) == f.graph->find(f.add("q")));
}

TEST_CASE("the units of two operators become one: the sets of both shrink") {
    Algebra algebra;
    algebra.set("and"), algebra.set("or");
    algebra.unit("and", "true"), algebra.unit("or", "false");
    for (bool swapped : {false, true}) {
        EGraph graph(algebra.signature);
        ClassId x = algebra.add(graph, "(and (f false) x false)");
        ClassId y = algebra.add(graph, "(or (f true) y true)");
        ClassId t = algebra.add(graph, "true"), u = algebra.add(graph, "false");
        if (swapped) algebra.add(graph, "(g (f true) (g true true))");  // the other one wins
        graph.merge(t, u);
        graph.rebuild();
        CHECK(graph.invariant() == "");
        CHECK(graph.find(x) == graph.find(algebra.add(graph, "(and (f false) x)")));
        CHECK(graph.find(y) == graph.find(algebra.add(graph, "(or (f true) y)")));
    }
}

TEST_CASE("a class may hold a set over itself; its smallest term does not") {
    Fixture f;
    ClassId c = f.add("c");
    f.merge("c", "(and c g)");
    CHECK(witness_text(*f.graph, c) == "c");
    CHECK(f.same("(and c h)", "(and h c)"));
    f.merge("g", "true");
    CHECK(f.same("(and c g)", "c"));
}

TEST_CASE("smallest terms: fewest nodes, then depth, then structure, whatever the order") {
    Fixture f;
    ClassId x = f.add("(g (f a) b)");
    f.merge("(g (f a) b)", "(f (f b))");
    CHECK(witness_text(*f.graph, x) == "(f (f b))");
    f.merge("(f b)", "c");
    CHECK(witness_text(*f.graph, x) == "(f c)");
    CHECK(f.graph->structurally_before(x, f.add("(g a b)")));
    CHECK(!f.graph->structurally_before(f.add("(g a b)"), x));
}

TEST_CASE("smallest terms whose sizes have no bound stay acyclic") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    OpId g = algebra.signature.fixed("g", 2), f = algebra.signature.fixed("f", 1);
    std::vector<ClassId> levels{algebra.add(graph, "a")};
    for (int i = 0; i < 200; ++i) levels.push_back(graph.add(g, 0, {levels.back(), levels.back()}));
    ClassId top = levels.back();
    for (int i = 0; i < 10; ++i) top = graph.add(f, 0, {top});
    graph.merge(top, levels[150]);
    graph.merge(graph.add(f, 0, {top}), levels[120]);
    graph.rebuild();
    CHECK(graph.invariant() == "");
    std::uint32_t steps = 0;
    for (ClassId c = top; !graph.node(graph.witness(c)).children.empty() && steps < 1000; ++steps) {
        c = ClassId{graph.node(graph.witness(c)).children[0]};
    }
    CHECK(steps < 1000);
    graph.merge(levels[40], levels[0]);
    graph.rebuild();
    CHECK(graph.invariant() == "");
}

TEST_CASE("analysis values go up with unions and new terms") {
    Algebra algebra;
    algebra.set("and");
    OpId a = algebra.signature.fixed("a", 0), b = algebra.signature.fixed("b", 0);
    EGraph graph(algebra.signature);
    AnalysisId marks = graph.add_analysis(
        std::make_shared<Marks>(std::map<OpId, Analysis::Value>{{a, 1}, {b, 2}}));
    ClassId deep = algebra.add(graph, "(f (and (f a) c))"), c = algebra.add(graph, "c");
    CHECK(graph.value(marks, deep) == 1);
    CHECK(graph.value(marks, c) == 0);
    graph.merge(c, algebra.add(graph, "(f b)"));
    graph.rebuild();
    CHECK(graph.value(marks, c) == 2);
    CHECK(graph.value(marks, deep) == 3);
    CHECK(graph.node(graph.value_witness(marks, c)).op == *algebra.signature.find("f"));
    CHECK(graph.invariant() == "");
    std::vector<ClassId> informed;
    graph.next_stamp();
    graph.for_each_informed(marks, graph.stamp(), [&](ClassId cls) { informed.push_back(cls); });
    CHECK(informed.empty());
    graph.merge(algebra.add(graph, "d"), c);
    graph.rebuild();
    graph.for_each_informed(marks, graph.stamp(), [&](ClassId cls) { informed.push_back(cls); });
    for (ClassId cls : informed) CHECK(graph.value_stamp(marks, raw(cls)) == graph.stamp());
}

TEST_CASE("the union log: every entry's two rows are of one class, with the reason") {
    Fixture f;
    f.add("(and (f a) (f b))"), f.add("(and x y)");
    f.merge("a", "b");
    f.merge("y", "true");
    int counts[4] = {0, 0, 0, 0};
    for (const UnionEntry& entry : f.graph->log().entries()) {
        CHECK(f.graph->class_of(entry.a) == f.graph->class_of(entry.b));
        ++counts[static_cast<int>(entry.reason.kind)];
    }
    CHECK(counts[static_cast<int>(UnionReason::Kind::asserted)] == 2);
    CHECK(counts[static_cast<int>(UnionReason::Kind::congruence)] == 1);
    CHECK(counts[static_cast<int>(UnionReason::Kind::collapse)] == 2);
}

TEST_CASE("first_children: a node's operands as they were") {
    Fixture f;
    ClassId a = f.add("a"), b = f.add("b"), set = f.add("(and b a)");
    f.merge("a", "c");
    f.merge("a", "d");
    auto first = f.graph->first_children(NodeId{raw(set)});
    CHECK(std::vector<std::uint32_t>(first.begin(), first.end()) ==
          std::vector<std::uint32_t>{raw(a), raw(b)});
    CHECK(f.graph->first_children(NodeId{raw(a)}).empty());
}

TEST_CASE("clear keeps nothing but memory") {
    Fixture f;
    std::string first, again;
    for (std::string* text : {&first, &again}) {
        f.graph->clear();
        CHECK(f.graph->node_count() == 0);
        CHECK(f.graph->log().entries().empty());
        f.add("(and (f a) b true)"), f.add("(plus a a)");
        f.merge("b", "true");
        *text = dump(*f.graph);
    }
    CHECK(first == again);
    CHECK(f.graph->bytes() > 0);
}

TEST_CASE("subsume refuses the last row of a class") {
    Fixture f;
    ClassId a = f.add("(f a)"), b = f.add("b");
    CHECK(!f.graph->subsume(NodeId{raw(a)}));
    f.graph->merge(a, b);
    f.graph->rebuild();
    CHECK(f.graph->subsume(NodeId{raw(a)}));
    CHECK(f.graph->is_subsumed(NodeId{raw(a)}));
    CHECK(!f.graph->subsume(NodeId{raw(a)}));
    CHECK(!f.graph->subsume(NodeId{raw(b)}));
    CHECK(f.graph->invariant() == "");
}

TEST_CASE("a row that meets a subsumed one is subsumed") {
    Fixture f;
    ClassId a = f.add("(f a)"), b = f.add("(f b)");
    f.graph->merge(a, f.add("u"));
    f.graph->merge(b, f.add("v"));
    f.graph->rebuild();
    CHECK(f.graph->subsume(NodeId{raw(b)}));
    f.merge("a", "b");
    CHECK(f.graph->is_live(NodeId{raw(a)}) != f.graph->is_live(NodeId{raw(b)}));
    for (ClassId id : {a, b}) {
        if (f.graph->is_live(NodeId{raw(id)})) CHECK(f.graph->is_subsumed(NodeId{raw(id)}));
    }
}

TEST_CASE(
    "the last live row of a class meets a subsumed one: one of the class stays to be matched") {
    Fixture f;
    ClassId a = f.add("(f a)"), b = f.add("(f b)");
    f.graph->merge(a, b);
    f.graph->rebuild();
    CHECK(f.graph->subsume(NodeId{raw(a)}));
    f.merge("a", "b");  // checks the invariant
    NodeId live = f.graph->is_live(NodeId{raw(a)}) ? NodeId{raw(a)} : NodeId{raw(b)};
    CHECK(!f.graph->is_subsumed(live));
}

TEST_CASE("the last live row of a class comes down to its class: one stays to be matched") {
    Fixture f;
    ClassId c = f.add("c");
    f.merge("c", "(and c g)");
    CHECK(f.graph->subsume(NodeId{raw(c)}));
    f.merge("g", "true");
    CHECK(!f.graph->is_subsumed(NodeId{raw(c)}));
}
