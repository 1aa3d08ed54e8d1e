// What the explainer asks for is enough: the terms and only those unions, in a graph of their own, come to the same equality.
#include <doctest/doctest.h>

#include <random>

#include "egraph/explain.hpp"
#include "egraph/runner.hpp"

using namespace satura::egraph;

namespace {

struct Operators {
    Signature signature;
    std::vector<OpId> leaves;
    OpId f, g, sum, all, list, yes;

    Operators() {
        for (const char* name : {"a", "b", "c", "d", "e"})
            leaves.push_back(signature.fixed(name, 0));
        f = signature.fixed("f", 1);
        g = signature.fixed("g", 2);
        yes = signature.fixed("yes", 0);
        sum = signature.add("sum", Shape::bag);
        all = signature.add("all", Shape::set);
        list = signature.add("list", Shape::sequence);
        signature.set_unit(all, yes, 0);
    }
};

class RandomGraph {
  public:
    RandomGraph(const Operators& operators, std::uint64_t seed)
        : operators_(operators), graph(operators.signature), engine_(seed) {}

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
    NodeId any() { return NodeId{below(graph.id_count())}; }

    void add_term() {
        if (graph.id_count() < 3 || below(3) == 0) {
            graph.add(operators_.leaves[below(5)]);
            return;
        }
        const OpId ops[] = {operators_.f, operators_.g, operators_.sum, operators_.all,
                            operators_.list};
        const OpId op = ops[below(5)];
        const Operator& o = operators_.signature[op];
        std::vector<ClassId> children(o.shape == Shape::fixed ? o.arity : 1 + below(4));
        for (ClassId& child : children) {
            child = graph.class_of(any());
            // A nested set would be opened in a graph without unions, but not in this one: other terms.
            if (graph.node(NodeId{raw(child)}).op == op) child = graph.class_of(NodeId{0});
        }
        if (graph.node(NodeId{raw(graph.class_of(NodeId{0}))}).op != op) graph.add(op, 0, children);
    }

    void merge_some() {
        graph.merge(any(), any(), UnionReason{});
        if (below(2) == 0) graph.rebuild();
    }

  private:
    const Operators& operators_;

  public:
    EGraph graph;

  private:
    std::mt19937_64 engine_;
};

// The terms that nodes were born as, in a graph of their own, with the asserted ones of some unions.
bool is_enough(const Operators& operators, const EGraph& graph,
               const std::vector<std::uint32_t>& entries, NodeId a, NodeId b) {
    EGraph alone(operators.signature);
    std::vector<ClassId> terms;
    for (std::uint32_t id = 0; id < graph.id_count(); ++id) {
        std::vector<ClassId> children;
        for (std::uint32_t child : graph.first_children(NodeId{id}))
            children.push_back(terms[child]);
        const NodeView node = graph.node(NodeId{id});
        terms.push_back(alone.add(node.op, node.payload, children));
    }
    for (std::uint32_t entry : entries) {
        const UnionEntry& union_ = graph.log().entries()[entry];
        if (union_.reason.kind == UnionReason::Kind::asserted)
            alone.merge(terms[raw(union_.a)], terms[raw(union_.b)]);
    }
    alone.rebuild();
    return alone.find(terms[raw(a)]) == alone.find(terms[raw(b)]);
}

}  // namespace

TEST_CASE("what an equality stands on is enough for it") {
    const Operators operators;
    const std::vector<Rule> rules;
    const std::vector<Query> queries;
    std::size_t asked = 0, fewer = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        RandomGraph random(operators, seed);
        for (int i = 0; i < 40; ++i) random.add_term();
        for (int i = 0; i < 12; ++i) {
            random.merge_some();
            random.add_term();
        }
        random.graph.rebuild();
        const EGraph& graph = random.graph;
        for (int i = 0; i < 30; ++i) {
            const NodeId a = random.any(), b = random.any();
            Explainer explainer(graph, rules, queries);
            const bool is_equal = graph.class_of(a) == graph.class_of(b);
            CHECK(explainer.want(raw(a), raw(b), none) == is_equal);
            if (!is_equal || a == b) continue;
            const auto entries = explainer.run();
            ++asked;
            fewer += entries.size() < graph.log().entries().size();
            CHECK_MESSAGE(is_enough(operators, graph, entries, a, b),
                          "seed " << seed << ": n" << raw(a) << " and n" << raw(b));
        }
    }
    CHECK(asked > 500);
    CHECK(fewer * 10 > asked * 9);
}

TEST_CASE("an equality of then is not explained by later unions") {
    Operators operators;
    EGraph graph(operators.signature);
    const ClassId a = graph.add(operators.leaves[0]), b = graph.add(operators.leaves[1]),
                  c = graph.add(operators.leaves[2]);
    graph.merge(a, b);
    graph.rebuild();
    const auto then = static_cast<std::uint32_t>(graph.log().entries().size());
    graph.merge(b, c);
    graph.rebuild();
    const std::vector<Rule> rules;
    const std::vector<Query> queries;
    Explainer explainer(graph, rules, queries);
    CHECK(explainer.equal(raw(a), raw(b), then));
    CHECK_FALSE(explainer.equal(raw(a), raw(c), then));
    CHECK_FALSE(explainer.want(raw(a), raw(c), then));
    CHECK(explainer.want(raw(a), raw(c), none));
    CHECK(explainer.run().size() == 2);
    CHECK(explainer.members(raw(a), then, 10).size() == 2);
    CHECK(explainer.members(raw(a), none, 10).size() == 3);
}

TEST_CASE("a chain of 100,000 unions is explained without recursion") {
    Signature signature;
    const OpId leaf = signature.add("leaf", Shape::fixed, 0), f = signature.fixed("f", 1);
    EGraph graph(signature);
    constexpr std::uint32_t length = 100'000;
    std::vector<ClassId> leaves;
    for (std::uint32_t i = 0; i < length; ++i) leaves.push_back(graph.add(leaf, i));
    ClassId deep = leaves[0], other = leaves[length - 1];
    for (int i = 0; i < 1'000; ++i)
        deep = graph.add(f, 0, {deep}), other = graph.add(f, 0, {other});
    for (std::uint32_t i = 1; i < length; ++i) graph.merge(leaves[i - 1], leaves[i]);
    graph.rebuild();
    REQUIRE(graph.find(deep) == graph.find(other));
    const std::vector<Rule> rules;
    const std::vector<Query> queries;
    Explainer explainer(graph, rules, queries);
    CHECK(explainer.want(raw(deep), raw(other), none));
    CHECK(explainer.run().size() == length - 1 + 1'000);
}
