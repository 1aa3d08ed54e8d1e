// No equality that does not follow: `~>` and `=>` rules in every mix, against the naive closure of
// the rules as equations, and against a model: identities of Boolean algebra, where each term has a
// truth table.
#include <doctest/doctest.h>

#include <memory>
#include <optional>

#include "egraph/extract.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/generate.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

// Adds every node of the run, as it was when it was added, to a new e-graph, closes that under the
// rules as equations, and looks whether classes of the run are split there. `closed` counts the
// instances whose closure is finite.
std::string check_against_equations(std::uint64_t seed, std::uint32_t& closed) {
    Generator generator(seed);
    generator.fixed_only = true;
    std::vector<Rule> rules, equations;
    for (std::uint32_t i = 0, n = 1 + generator.random.below(4); i < n; ++i) {
        Generator::Generated made = generator.rule(60, 1);
        made.rule.conditions.clear();
        if (!Runner::check(made.rule, generator.algebra.signature).empty()) continue;
        rules.push_back(made.rule);
        made.rule.normalises = false;
        equations.push_back(made.rule);
    }
    EGraph graph(generator.algebra.signature);
    for (std::uint32_t i = 0, n = 2 + generator.random.below(4); i < n; ++i) {
        generator.algebra.add(graph, generator.term(3));
    }
    Runner(graph, rules).run({.iterations = 6, .nodes = 100});
    std::string wrong = graph.invariant();
    if (!wrong.empty()) return "invariant: " + wrong;

    EGraph closure(generator.algebra.signature);
    std::vector<ClassId> ids;
    for (std::uint32_t id = 0; id < graph.id_count(); ++id) {
        NodeView node = graph.node(NodeId{id});
        std::vector<ClassId> children;
        for (std::uint32_t c : graph.first_children(NodeId{id})) children.push_back(ids[c]);
        ids.push_back(closure.add(node.op, node.payload, children));
    }
    Report report = Runner(closure, equations).run({.iterations = 30, .nodes = 3000});
    if (report.stop != StopReason::saturated) return {};
    ++closed;
    for (std::uint32_t id = 0; id < graph.id_count(); ++id) {
        if (closure.find(ids[id]) == closure.find(ids[graph.find(id)])) continue;
        return "equality that does not follow";
    }
    return {};
}

using Truth = std::uint32_t;  // a truth table of three variables, 8 bits
constexpr Truth all_true = 0xFF;

struct Boolean {
    Algebra algebra;
    std::vector<Rule> pool;

    Boolean() {
        algebra.set("and"), algebra.set("or"), algebra.bag("xor");
        algebra.unit("and", "true"), algebra.zero("and", "false");
        algebra.unit("or", "false"), algebra.zero("or", "true");
        algebra.unit("xor", "false");
        for (const char* leaf : {"p", "q", "r"}) algebra.signature.fixed(leaf, 0);
        for (const char* text : {
                 "(not (not ?x)) ~> ?x",
                 "(not true) ~> false",
                 "(not false) ~> true",
                 "(and ?x (not ?x) ...r) ~> false",
                 "(or ?x (not ?x) ...r) ~> true",
                 "(imp ?x ?y) ~> (or (not ?x) ?y)",
                 "(or (not ?x) ?y) => (imp ?x ?y)",
                 "(and ?x (or ?x ...s) ...r) ~> (and ?x ...r)",
                 "(or ?x (and ?x ...s) ...r) ~> (or ?x ...r)",
                 "(and (or ?x ...s) (or ?x ...t) ...r) => (and (or ?x (and (or ...s) (or ...t))) "
                 "...r)",
                 "(and ?x (or ?y ...s) ...r) => (or (and ?x ?y ...r) (and ?x (or ...s) ...r))",
                 "(not (and ...r)) => (or (each ?e ...r (not ?e)))",
                 "(not (or ...r)) => (and (each ?e ...r (not ?e)))",
                 "(xor ?x ?x ...r) ~> (xor ...r)",
                 "(xor ?x (not ?x) ...r) ~> (xor true ...r)",
                 "(xor true ?x ...r) => (xor (not ?x) ...r)",
                 "(and ?x (xor ?x ...s) ...r) => (and ?x (not (xor ...s)) ...r)",
                 "(or ?x ?y) => (xor ?x ?y (and ?x ?y))",
                 "(ite true ?x ?y) ~> ?x",
                 "(ite false ?x ?y) ~> ?y",
                 "(ite ?c ?x ?x) ~> ?x",
                 "(ite ?c ?x ?y) => (or (and ?c ?x) (and (not ?c) ?y))",
                 "(and ?x ?y ...r) & (imp ?x ?y) => (and ?x (imp ?x ?y) ...r)",
             }) {
            pool.push_back(algebra.rule(text));
        }
        pool.push_back(implied());
        pool.push_back(known("true", 1));
        pool.push_back(known("false", 2));
    }

    // Drops an element that another one implies: x = (or y ...) beside y. Two elements may imply
    // each other, so that not both may go.
    Rule implied() {
        Rule rule = algebra.rule("(and ?x ...r) ~> (and ...r)", "implied");
        std::uint32_t x = Algebra::slot_of(rule, "?x"), r = Algebra::slot_of(rule, "...r");
        OpId disjunction = *algebra.signature.find("or");
        auto holds = [x, r, disjunction](const Match& match) {
            const auto& rest = match.sequence(r);
            bool found = false;
            match.graph().for_each_node(match.cls(x), [&](const NodeView& node) {
                if (node.op != disjunction) return;
                for (std::uint32_t c : node.children) {
                    found = found || std::count(rest.begin(), rest.end(), c) != 0;
                }
            });
            return found;
        };
        rule.conditions.push_back({"implied", holds, {}, false});
        return rule;
    }

    Rule known(const std::string& leaf, std::uint32_t mask) {
        Rule rule = algebra.rule("?x ~> " + leaf);
        rule.conditions.push_back(engine_condition({AnalysisId{0}, 0, mask}, false));
        return rule;
    }

    std::string term(Random& random, int depth) {
        static const std::vector<std::string> leaves{"p", "q", "r", "p", "q", "r", "true", "false"};
        static const std::vector<std::string> ops{"not", "and", "and", "or",
                                                  "or",  "xor", "imp", "ite"};
        if (depth == 0 || random.chance(15)) return random.pick(leaves);
        const std::string& op = random.pick(ops);
        std::uint32_t count = op == "not" ? 1 : op == "imp" ? 2 : op == "ite" ? 3 : random.below(5);
        std::string text = "(" + op;
        for (std::uint32_t i = 0; i < count; ++i) text += " " + term(random, depth - 1);
        return text + ")";
    }

    Truth eval(const std::string& op, const std::vector<Truth>& x) const {
        if (op == "p") return 0xAA;
        if (op == "q") return 0xCC;
        if (op == "r") return 0xF0;
        if (op == "true") return all_true;
        if (op == "false") return 0;
        if (op == "not") return ~x[0] & all_true;
        if (op == "imp") return (~x[0] | x[1]) & all_true;
        if (op == "ite") return (x[0] & x[1]) | (~x[0] & x[2] & all_true);
        Truth value = op == "and" ? all_true : 0;
        for (Truth v : x) value = op == "and" ? value & v : op == "or" ? value | v : value ^ v;
        return value;
    }
};

// Known to be true (1) or false (2) by constants.
class Constants : public Analysis {
  public:
    std::string name() const override { return "constants"; }
    Value make(const EGraph& graph, AnalysisId self, const NodeView& node) override {
        const std::string& op = graph.signature()[node.op].name;
        auto value = [&](std::size_t i) { return graph.value(self, ClassId{node.children[i]}); };
        if (op == "true") return 1;
        if (op == "false") return 2;
        if (op == "not") return (value(0) & 1U) << 1U | value(0) >> 1U;
        if (op == "imp") return value(0) == 2 || value(1) == 1 ? 1 : 0;
        bool all = true, any = false;
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            all = all && value(i) == 1;
            any = any || value(i) == 2;
        }
        return op != "and" ? 0 : any ? 2 : all ? 1 : 0;
    }
    Value join(Value a, Value b) override { return a | b; }
};

class BooleanTrial {
  public:
    explicit BooleanTrial(std::uint64_t seed) : random_(seed), graph_(boolean_.algebra.signature) {
        graph_.add_analysis(std::make_shared<Constants>());
    }

    std::string run() {
        std::vector<Rule> rules;
        for (const Rule& rule : boolean_.pool) {
            if (!random_.chance(50)) continue;
            rules.push_back(rule);
            if (random_.chance(30)) rules.back().normalises = !rule.normalises;
        }
        std::vector<ClassId> terms;
        for (int i = 0; i < 4; ++i) {
            terms.push_back(boolean_.algebra.add(graph_, boolean_.term(random_, 3)));
        }
        graph_.rebuild();
        Runner runner(graph_, rules);
        for (int iteration = 0; iteration < 5; ++iteration) {
            std::string wrong = evaluate();
            if (!wrong.empty()) return wrong;
            merge_equals();
            graph_.rebuild();
            runner.run({.iterations = 1, .nodes = 400});
            wrong = graph_.invariant();
            if (!wrong.empty()) return "invariant: " + wrong;
            if (graph_.node_count() > 400) break;
        }
        std::string wrong = evaluate();
        return wrong.empty() ? check_choices() : wrong;
    }

  private:
    std::optional<Truth> value_of(const NodeView& node) const {
        std::vector<Truth> children;
        for (std::uint32_t c : node.children) {
            if (!values_[graph_.find(c)]) return {};
            children.push_back(*values_[graph_.find(c)]);
        }
        return boolean_.eval(graph_.signature()[node.op].name, children);
    }

    // The truth table of each class; complains where two nodes of a class differ.
    std::string evaluate() {
        values_.assign(graph_.id_count(), {});
        bool changed = true;
        std::string wrong;
        while (changed && wrong.empty()) {
            changed = false;
            graph_.for_each_class([&](ClassId cls) {
                graph_.for_each_node(cls, [&](const NodeView& node) {
                    auto value = value_of(node);
                    if (!value) return;
                    auto& known = values_[raw(cls)];
                    if (known && *known != *value) wrong = "unequal terms in one class";
                    changed = changed || !known;
                    known = value;
                });
            });
        }
        return wrong;
    }

    // What a user may assert: terms of the same truth table are equal.
    void merge_equals() {
        for (std::uint32_t i = 0; i < 2 && random_.chance(40); ++i) {
            std::uint32_t a = random_.below(graph_.id_count());
            for (std::uint32_t b = 0; b < values_.size(); ++b) {
                std::uint32_t x = graph_.find(a), y = graph_.find(b);
                if (x < values_.size() && y < values_.size() && values_[x] &&
                    values_[x] == values_[y] && random_.chance(30)) {
                    graph_.merge(ClassId{a}, ClassId{b});
                }
            }
        }
    }

    std::string check_choices() {
        Extraction extraction(graph_, TermSize());
        std::string wrong;
        graph_.for_each_class([&](ClassId cls) {
            if (!extraction.has_choice(cls)) wrong = "a class without a term";
            if (witness_text(graph_, cls).empty()) wrong = "witnesses cycle";
        });
        return wrong;
    }

    Boolean boolean_;
    Random random_;
    EGraph graph_;
    std::vector<std::optional<Truth>> values_;
};

}  // namespace

TEST_CASE("rules derive no more than the same rules as equations") {
    std::uint32_t closed = 0;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        std::string wrong = check_against_equations(seed, closed);
        if (!wrong.empty()) FAIL("seed " << seed << ": " << wrong);
    }
    CHECK(closed > 500);
}

TEST_CASE("terms of Boolean algebra keep their truth tables") {
    for (std::uint64_t seed = 1; seed <= 700; ++seed) {
        std::string wrong = BooleanTrial(seed).run();
        if (!wrong.empty()) FAIL("seed " << seed << ": " << wrong);
    }
}
