// Choosing terms, and drawing.
#include "egraph/extract.hpp"

#include <doctest/doctest.h>

#include "egraph/dot.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/text.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

std::string choice_text(const EGraph& graph, const Extraction& extraction, ClassId cls,
                        std::uint32_t variant = 0) {
    NodeView node = graph.node(extraction.choice(cls, variant));
    std::string text = graph.signature().text(node.op, node.payload);
    if (node.children.empty()) return text;
    text = "(" + text;
    for (std::uint32_t c : node.children) {
        text += " " + choice_text(graph, extraction, ClassId{c}, variant);
    }
    return text + ")";
}

// Variant 1 admits no operator called "raises".
class NoRaise : public TermSize {
  public:
    std::uint32_t variants() const override { return 2; }
    bool admits(const EGraph& graph, const NodeView& node, std::uint32_t variant) const override {
        return variant == 0 || graph.signature()[node.op].name != "raises";
    }
};

// Variant 1 is "sorted": a merge wants both of its operands sorted, a sort wants its operand as it
// comes.
class Sorted : public CostModel {
  public:
    std::uint32_t variants() const override { return 2; }
    bool admits(const EGraph& graph, const NodeView& node, std::uint32_t variant) const override {
        return variant == 0 || graph.signature()[node.op].name != "scan";
    }
    std::uint32_t child_variant(const EGraph& graph, const NodeView& node, std::size_t,
                                std::uint32_t) const override {
        return graph.signature()[node.op].name == "merge" ? 1 : 0;
    }
    double cost(const EGraph& graph, const NodeView& node, std::uint32_t,
                std::span<const double> children) const override {
        double sum = graph.signature()[node.op].name == "sort" ? 10 : 1;
        for (double c : children) sum += c;
        return sum;
    }
};

class Shrinking : public TermSize {
  public:
    double cost(const EGraph& graph, const NodeView& node, std::uint32_t v,
                std::span<const double> children) const override {
        if (graph.signature()[node.op].name == "shrink") return children[0] / 2;
        return TermSize::cost(graph, node, v, children);
    }
};

}  // namespace

TEST_CASE("the cheapest term, through cycles") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId x = algebra.add(graph, "(g (f (f p)) q)");
    graph.merge(algebra.add(graph, "(f (f p))"), algebra.add(graph, "p"));
    graph.merge(x, algebra.add(graph, "(f (g p q))"));
    graph.rebuild();
    Extraction extraction(graph, TermSize());
    CHECK(extraction.cost(x) == 3);
    CHECK(choice_text(graph, extraction, x) == "(g p q)");
}

TEST_CASE("ties go by structure, not by the order of insertion") {
    std::vector<std::string> answers;
    for (bool swapped : {false, true}) {
        Algebra algebra;
        EGraph graph(algebra.signature);
        std::vector<std::string> terms{"(g p q)", "(h q r)", "(g q p)", "(f (f s))"};
        if (swapped) std::reverse(terms.begin(), terms.end());
        ClassId x = algebra.add(graph, terms[0]);
        for (const std::string& term : terms) graph.merge(x, algebra.add(graph, term));
        graph.rebuild();
        Extraction extraction(graph, TermSize());
        answers.push_back(choice_text(graph, extraction, x));
        answers.push_back(std::to_string(extraction.key(x)));
    }
    CHECK(answers[0] == answers[2]);
    CHECK(answers[1] == answers[3]);
}

TEST_CASE("variants: no raising node, and a class that has no such term") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId x = algebra.add(graph, "(f (raises p))"), only = algebra.add(graph, "(raises q)");
    graph.merge(x, algebra.add(graph, "(g (g p q) q)"));
    graph.rebuild();
    Extraction extraction(graph, NoRaise());
    CHECK(choice_text(graph, extraction, x, 0) == "(f (raises p))");
    CHECK(choice_text(graph, extraction, x, 1) == "(g (g p q) q)");
    CHECK(extraction.cost(x, 0) == 3);
    CHECK(extraction.cost(x, 1) == 5);
    CHECK(extraction.has_choice(only, 0));
    CHECK(!extraction.has_choice(only, 1));
}

TEST_CASE("variants: operands in another variant than the node") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId a = algebra.add(graph, "(scan p)"), b = algebra.add(graph, "(index q)");
    ClassId join = algebra.add(graph, "(merge (scan p) (index q))");
    graph.merge(a, algebra.add(graph, "(sort (scan p))"));
    graph.merge(join, algebra.add(graph, "(nested (scan p) (index q))"));
    graph.rebuild();
    Extraction extraction(graph, Sorted());
    CHECK(extraction.cost(a, 0) == 2);
    CHECK(extraction.cost(a, 1) == 12);
    CHECK(extraction.cost(b, 1) == 2);
    CHECK(graph.node(extraction.choice(join)).op == *algebra.signature.find("nested"));
}

TEST_CASE("a cost below that of an operand is refused") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId x = algebra.add(graph, "(shrink (f p))"), y = algebra.add(graph, "(shrink q)");
    graph.merge(y, algebra.add(graph, "q"));
    graph.rebuild();
    Extraction extraction(graph, Shrinking());
    CHECK(!extraction.has_choice(x));
    CHECK(choice_text(graph, extraction, y) == "q");
}

TEST_CASE("subsumed nodes may be extracted") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId x = algebra.add(graph, "(f p)");
    graph.merge(x, algebra.add(graph, "(g p (g p p))"));
    graph.rebuild();
    CHECK(graph.subsume(NodeId{raw(x)}));
    CHECK(Extraction(graph, TermSize()).cost(x) == 2);
}

TEST_CASE("a drawing") {
    Algebra algebra;
    EGraph graph(algebra.signature);
    ClassId x = algebra.add(graph, "(f \"p\\)");
    graph.merge(x, algebra.add(graph, "q:3"));
    graph.rebuild();
    graph.subsume(NodeId{raw(x)});
    CHECK(to_dot(graph) == R"(digraph egraph {
  compound=true
  clusterrank=local
  subgraph cluster_0 {
    style=dotted
    n0 [label="\"p\\"]
  }
  subgraph cluster_1 {
    style=dotted
    n1 [label="f", style=dashed]
    n2 [label="q:3"]
  }
  n1 -> n0 [lhead=cluster_0]
}
)");
}
