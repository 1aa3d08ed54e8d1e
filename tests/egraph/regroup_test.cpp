// Sets and bags instead of associativity and commutativity: sums that differ in grouping, order and
// what cancels are one class, and redundant members of a conjunction go all at once.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "egraph/runner.hpp"
#include "tests/egraph/random.hpp"
#include "tests/egraph/text.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

struct Sums {
    Algebra algebra;
    std::vector<Rule> rules;

    Sums() {
        algebra.bag("+");
        algebra.unit("+", "0");
        for (const char* text : {"(+ ?x (neg ?x) ...r) ~> (+ ...r)", "(neg (neg ?x)) ~> ?x",
                                 "(neg (+ ...r)) ~> (+ (each ?e ...r (neg ?e)))", "(neg 0) ~> 0",
                                 "(+ (+ ...i) ...r) ~> (+ ...i ...r)"}) {
            rules.push_back(algebra.rule(text));
        }
    }
};

// A random tree over the elements in random order, with groups negated twice and pairs put in that
// cancel (not into negated groups: one that cancels down to a single element has no normal form by
// these rules).
class Regrouping {
  public:
    Regrouping(Random& random, const std::vector<std::string>& elements) : random_(random) {
        for (const std::string& e : elements) elements_.push_back({e, false});
    }

    std::string text() {
        for (int i = 0; i < 5; ++i) {
            std::string more = random_.chance(50) ? random_.pick(elements_).text
                                                  : "(f y" + std::to_string(random_.below(5)) + ")";
            elements_.push_back({more, true});
            elements_.push_back({negated(more), true});
        }
        for (std::size_t i = elements_.size(); i > 1; --i) {
            std::swap(elements_[i - 1], elements_[random_.below(static_cast<std::uint32_t>(i))]);
        }
        return group(0, elements_.size(), false);
    }

  private:
    struct Element {
        std::string text;
        bool cancels;
    };
    static std::string negated(const std::string& text) { return "(neg " + text + ")"; }

    bool cancels(std::size_t begin, std::size_t end) const {
        bool any = false;
        for (std::size_t i = begin; i < end; ++i) any = any || elements_[i].cancels;
        return any;
    }

    // Of the elements from begin to end, all negated or none.
    std::string group(std::size_t begin, std::size_t end, bool negative) {
        if (random_.chance(15) && !cancels(begin, end))
            return negated(group(begin, end, !negative));
        if (end - begin == 1)
            return negative ? negated(elements_[begin].text) : elements_[begin].text;
        std::string out = "(+";
        while (begin < end) {
            auto left = static_cast<std::uint32_t>(end - begin);
            std::size_t size = 1 + random_.below(left > 1 ? left - 1 : 1);
            out += " " + group(begin, begin + size, negative);
            begin += size;
        }
        return out + ")";
    }

    Random& random_;
    std::vector<Element> elements_;
};

// n/2 pairs of which one predicate implies the other, in random order.
std::string conjunction(Random& random, std::uint32_t n) {
    std::vector<std::string> predicates;
    for (std::uint32_t i = 0; i < n / 2; ++i) {
        std::string operand = " x" + std::to_string(i) + ")";
        predicates.push_back("(gt:" + std::to_string(5 + random.below(5)) + operand);
        predicates.push_back("(gt:" + std::to_string(1 + random.below(4)) + operand);
    }
    std::string out = "(and";
    for (std::size_t i = predicates.size(); i > 0; --i) {
        std::swap(predicates[i - 1], predicates[random.below(static_cast<std::uint32_t>(i))]);
        out += " " + predicates[i - 1];
    }
    return out + ")";
}

}  // namespace

TEST_CASE("100 random regroupings and cancellations of a bag of 30 are equal to it") {
    Sums sums;
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        std::vector<std::string> elements;
        for (int e = 0; e < 30; ++e) {
            std::string x = "x" + std::to_string(random.below(20));
            elements.push_back(random.chance(30) ? "(f " + x + ")" : x);
        }
        std::string plain = "(+";
        for (const std::string& e : elements) plain += " " + e;
        std::string other = Regrouping(random, elements).text();
        EGraph graph(sums.algebra.signature);
        ClassId a = sums.algebra.add(graph, plain + ")"), b = sums.algebra.add(graph, other);
        ClassId c = sums.algebra.add(graph, plain + " x0)");
        CHECK(Runner(graph, sums.rules).run({.nodes = 5'000}).stop == StopReason::saturated);
        CHECK_MESSAGE(graph.find(a) == graph.find(b), other);
        CHECK(graph.find(a) != graph.find(c));
        CHECK(graph.invariant() == "");
    }
}

TEST_CASE("200 predicates with 100 disjoint redundant pairs: a number of nodes in proportion") {
    constexpr std::uint32_t n = 200;
    for (bool normalises : {false, true}) {
        Algebra algebra;
        algebra.set("and");
        algebra.unit("and", "true");
        std::string arrow = normalises ? " ~> " : " => ";
        Rule rule =
            algebra.rule("(and (gt:?k ?x) (gt:?m ?x) ...r)" + arrow + "(and (gt:?k ?x) ...r)");
        std::uint32_t k = Algebra::slot_of(rule, "?k"), m = Algebra::slot_of(rule, "?m");
        rule.conditions.push_back(
            {"k > m",
             [k, m](const Match& match) { return match.payload(k) > match.payload(m); },
             {},
             false});
        Random random(7);
        EGraph graph(algebra.signature);
        ClassId root = algebra.add(graph, conjunction(random, n));
        std::uint32_t before = graph.node_count();
        CHECK(Runner(graph, {rule}).run({}).stop == StopReason::saturated);
        CHECK(graph.node_count() <= before + n);
        CHECK(graph.invariant() == "");
        CHECK(graph.node(graph.witness(root)).children.size() == n / 2);
    }
}
