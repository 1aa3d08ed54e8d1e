// The rule sets of the published workloads, in prefix form.
#pragma once

#include <string>
#include <vector>

#include "tests/egraph/text.hpp"

namespace satura::egraph::test {

// The math microbenchmark of egglog (tests/math-microbenchmark.egg): 24 rules, 7 start terms.
struct MathWorkload {
    Algebra algebra;
    std::vector<Rule> rules;
    std::vector<std::string> terms{
        "(i (ln x) x)",
        "(i (+ x (cos x)) x)",
        "(i (* (cos x) x) x)",
        "(d x (+ 1 (* 2 x)))",
        "(d x (- (pow x 3) (* 7 (pow x 2))))",
        "(+ (* y (+ x y)) (- (+ x 2) (+ x x)))",
        "(/ 1 (- (/ (+ 1 (sqrt five)) 2) (/ (- 1 (sqrt five)) 2)))",
    };

    MathWorkload() {
        for (const char* text : {
                 "(+ ?a ?b) => (+ ?b ?a)",
                 "(* ?a ?b) => (* ?b ?a)",
                 "(+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)",
                 "(* ?a (* ?b ?c)) => (* (* ?a ?b) ?c)",
                 "(- ?a ?b) => (+ ?a (* -1 ?b))",
                 "(+ ?a 0) => ?a",
                 "(* ?a 0) => 0",
                 "(* ?a 1) => ?a",
                 "(- ?a ?a) => 0",
                 "(* ?a (+ ?b ?c)) => (+ (* ?a ?b) (* ?a ?c))",
                 "(+ (* ?a ?b) (* ?a ?c)) => (* ?a (+ ?b ?c))",
                 "(* (pow ?a ?b) (pow ?a ?c)) => (pow ?a (+ ?b ?c))",
                 "(pow ?x 1) => ?x",
                 "(pow ?x 2) => (* ?x ?x)",
                 "(d ?x (+ ?a ?b)) => (+ (d ?x ?a) (d ?x ?b))",
                 "(d ?x (* ?a ?b)) => (+ (* ?a (d ?x ?b)) (* ?b (d ?x ?a)))",
                 "(d ?x (sin ?x)) => (cos ?x)",
                 "(d ?x (cos ?x)) => (* -1 (sin ?x))",
                 "(i 1 ?x) => ?x",
                 "(i (cos ?x) ?x) => (sin ?x)",
                 "(i (sin ?x) ?x) => (* -1 (cos ?x))",
                 "(i (+ ?f ?g) ?x) => (+ (i ?f ?x) (i ?g ?x))",
                 "(i (- ?f ?g) ?x) => (- (i ?f ?x) (i ?g ?x))",
                 "(i (* ?a ?b) ?x) => (- (* ?a (i ?b ?x)) (i (* (d ?x ?a) (i ?b ?x)) ?x))",
             }) {
            rules.push_back(algebra.rule(text));
        }
    }
};

}  // namespace satura::egraph::test
