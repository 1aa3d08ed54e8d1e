// The program of docs/egraph-tutorial.md: arithmetic as a language of one's own.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egraph/explanation.hpp"
#include "egraph/extract.hpp"
#include "egraph/runner.hpp"

using namespace satura::egraph;

namespace {

struct Language {
    Signature signature;
    OpId num = signature.fixed("num", 0);  // its payload is the number
    OpId a = signature.fixed("a", 0);
    OpId times = signature.fixed("*", 2);
    OpId divided = signature.fixed("/", 2);

    Language() {
        signature.payload_text = [this](OpId op, Payload payload) -> std::optional<std::string> {
            if (op != num) return std::nullopt;
            return std::to_string(payload);
        };
    }
};

// 1 where the class is known not to be 0; 0 where nothing is known.
class Nonzero : public Analysis {
  public:
    explicit Nonzero(const Language& language) : language_(language) {}
    std::string name() const override { return "nonzero"; }
    Value make(const EGraph& graph, AnalysisId self, const NodeView& node) override {
        if (node.op == language_.num) return node.payload != 0 ? 1 : 0;
        if (node.op != language_.times) return 0;
        const auto factor = [&](int i) { return graph.value(self, ClassId{node.children[i]}); };
        return factor(0) & factor(1);
    }
    Value join(Value one, Value other) override { return one | other; }

  private:
    const Language& language_;
};

// (x * y) / z  =>  x * (y / z)
Rule associate(const Language& l) {
    Rule rule;
    rule.name = "associate";
    const auto x = rule.add_slot(SlotKind::cls, "?x");
    const auto y = rule.add_slot(SlotKind::cls, "?y");
    const auto z = rule.add_slot(SlotKind::cls, "?z");
    Pattern& left = rule.left;
    left.root = left.node(l.divided, {},
                          {left.node(l.times, {}, {left.slot(x), left.slot(y)}), left.slot(z)});
    Pattern& right = rule.right;
    right.root = right.node(
        l.times, {}, {right.slot(x), right.node(l.divided, {}, {right.slot(y), right.slot(z)})});
    return rule;
}

// x / x  ~>  1   where x is not 0
Rule cancel(const Language& l, AnalysisId nonzero) {
    Rule rule;
    rule.name = "cancel";
    rule.normalises = true;
    const auto x = rule.add_slot(SlotKind::cls, "?x");
    rule.left.root = rule.left.node(l.divided, {}, {rule.left.slot(x), rule.left.slot(x)});
    rule.right.root = rule.right.node(l.num, PayloadRef::constant(1), {});
    rule.conditions.push_back(
        {"?x is not 0",
         [=](const Match& match) { return match.graph().value(nonzero, match.cls(x)) == 1; },
         {{nonzero, x}}});
    return rule;
}

// x * 1  =>  x
Rule times_one(const Language& l) {
    Rule rule;
    rule.name = "times-one";
    const auto x = rule.add_slot(SlotKind::cls, "?x");
    const auto one = rule.left.node(l.num, PayloadRef::constant(1), {});
    rule.left.root = rule.left.node(l.times, {}, {rule.left.slot(x), one});
    rule.right.root = rule.right.slot(x);
    return rule;
}

// m * n  =>  their product   for two numbers
Rule fold(const Language& l) {
    Rule rule;
    rule.name = "fold";
    const auto m = rule.add_slot(SlotKind::payload, "?m");
    const auto n = rule.add_slot(SlotKind::payload, "?n");
    const auto product = rule.add_slot(SlotKind::payload, "?product");
    const auto left_num = rule.left.node(l.num, PayloadRef::slot(m), {});
    const auto right_num = rule.left.node(l.num, PayloadRef::slot(n), {});
    rule.left.root = rule.left.node(l.times, {}, {left_num, right_num});
    rule.right.root = rule.right.node(l.num, PayloadRef::slot(product), {});
    rule.computations.push_back({"?m * ?n",
                                 [=](Match& match) {
                                     const auto value =
                                         std::uint64_t{match.payload(m)} * match.payload(n);
                                     if (value >= none) return false;  // the rule does not apply
                                     match.set_payload(product, static_cast<Payload>(value));
                                     return true;
                                 },
                                 {}});
    return rule;
}

// A number is cheaper than a name, and all nodes count.
class Cost : public CostModel {
  public:
    explicit Cost(const Language& language) : language_(language) {}
    double cost(const EGraph&, const NodeView& node, std::uint32_t /*variant*/,
                std::span<const double> operands) const override {
        return std::accumulate(operands.begin(), operands.end(),
                               node.op == language_.a ? 2.0 : 1.0);
    }

  private:
    const Language& language_;
};

// Which terms are not 0, by the terms alone. Operands come before what they stand in.
std::vector<bool> find_nonzero(const Language& l, const Terms& terms) {
    std::vector<bool> nonzero;
    for (std::uint32_t id = 0; id < terms.size(); ++id) {
        const Term term = terms[TermId{id}];
        const auto is_nonzero = [&](std::uint32_t operand) { return nonzero[operand]; };
        nonzero.push_back(term.op == l.num     ? term.payload != 0
                          : term.op == l.times ? std::ranges::all_of(term.children, is_nonzero)
                                               : false);
    }
    return nonzero;
}

// Whether the condition of a step's rule holds and its computed part is right.
bool admits(const Language& l, const Explanation& why, const Explanation::Step& step,
            const Rule* rule) {
    if (rule == nullptr) return false;  // two terms that somebody merged: here nobody did
    const auto bound = [&](const char* variable) {
        return *std::ranges::find(step.bindings, variable, &Explanation::Binding::variable);
    };
    if (rule->name == "cancel") return find_nonzero(l, why.terms)[raw(bound("?x").terms[0])];
    if (rule->name != "fold") return false;
    return std::uint64_t{bound("?m").payload} * bound("?n").payload == bound("?product").payload;
}

}  // namespace

int main() {
    Language l;
    EGraph graph(l.signature);
    const AnalysisId nonzero = graph.add_analysis(std::make_shared<Nonzero>(l));
    const std::vector<Rule> rules{associate(l), cancel(l, nonzero), times_one(l), fold(l)};

    const auto number = [&](Payload value) { return graph.add(l.num, value); };
    const ClassId a = graph.add(l.a);
    const ClassId above = graph.add(l.times, 0, {a, number(6)});
    const ClassId below = graph.add(l.times, 0, {number(2), number(3)});
    const ClassId term = graph.add(l.divided, 0, {above, below});  // (a * 6) / (2 * 3)

    Runner runner(graph, rules);
    const Report report = runner.run({.iterations = 100, .nodes = 10'000, .time_ms = 50});
    std::printf("%s: %u nodes in %u classes\n", std::string(stop_name(report.stop)).c_str(),
                graph.node_count(), graph.class_count());

    const auto cheapest = [&] { return Extraction(graph, Cost(l)).text(term); };
    std::printf("%s\n", cheapest().c_str());

    const auto why = explain(graph, runner, term, a);
    if (!why) return 1;
    std::printf("%s", why->text().c_str());

    const std::string wrong =
        check(*why, rules, [&](const auto& explanation, const auto& step, const Rule* rule) {
            return admits(l, explanation, step, rule);
        });
    std::printf("%s\n", wrong.empty() ? "the explanation holds" : wrong.c_str());

    runner.push();
    graph.merge(a, number(7));
    runner.run({});
    std::printf("if a is 7: %s\n", cheapest().c_str());
    runner.pop();
    std::printf("if not: %s\n", cheapest().c_str());
}
