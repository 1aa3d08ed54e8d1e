// Rules that run: each feature of the language on a toy algebra.
#include <doctest/doctest.h>

#include "tests/rules/toy_language.hpp"

namespace satura::rules {

using test::run;

namespace {

const std::string operators = R"(
operator a
operator b
operator c
operator v1
operator f/1
operator g/1
operator h/2
operator k/3
operator not/1
operator =/2
operator <>/2
operator </2
operator >/2
operator <=/2
operator >=/2
operator and set unit true zero false
operator or set unit false zero true
operator + bag unit 0
operator in sequence
operator list sequence
operator cast/1
)";

std::string best(const std::string& text) { return run(operators + text).best; }

}  // namespace

TEST_CASE("a rest is what the pattern leaves over") {
    CHECK(best("start a and b and c\nrule r:\n  a and ...?rest => g(b) and ...?rest\n") ==
          "(and a b c)");
    CHECK(best("start k(a and b and c, a, b)\nrule r:\n  k(a and ...?rest, ?x, ?y) => "
               "and{...?rest}\n") == "(and b c)");
    CHECK(best("start f(list(a, b, c))\nrule r:\n  f(list(...?before, b, ...?after)) => "
               "list(...?after, "
               "...?before)\n") == "(list c a)");
    CHECK(best("start f(list(a, b, c))\nrule r:\n  f(list(?x, ...?after)) => ?x\n") == "a");
    CHECK(best("start f(list(a, b, c))\nrule r:\n  f(list(...?before, ?x)) => ?x\n") == "c");
}

TEST_CASE("a set pattern without a rest has exactly its elements") {
    CHECK(best("start f(a and b)\nrule r:\n  f(?x and ?y) => c\n") == "c");
    CHECK(best("start f(a and b and c)\nrule r:\n  f(?x and ?y) => c\n") == "(f (and a b c))");
}

TEST_CASE("infix operators of a bag are flat, of a fixed shape they are not") {
    CHECK(best("start f(a + b + c)\nrule r:\n  f(?x + ?y + ?z) => g(?x)\n").starts_with("(g "));
    CHECK(best("start f(a + b + c)\nrule r:\n  f(b + ...?rest) => +{...?rest}\n") == "(+ a c)");
}

TEST_CASE("each repeats its term over a rest") {
    CHECK(best("start g(not (a and b and c))\n"
               "rule r:\n  not (?q and ...?ps) => not ?q or each not ?p\n"
               "rule n:\n  not a ~> b\nrule m:\n  not b ~> a\nrule o:\n  not c ~> c\n"
               "rule s:\n  g(?x) => ?x\n") == "(or a b c)");
    CHECK(best("start f(list(a, b))\nrule r:\n  f(list(...?xs)) => list(each g(?x))\n") ==
          "(f (list a b))");
    CHECK(
        best(
            "start k(list(a, b), c, c)\nrule r:\n  k(list(...?xs), ?y, c) => list(each h(?x, ?y))\n"
            "rule s:\n  h(?x, ?y) ~> ?x\n") == "(list a b)");
}

TEST_CASE("for ranges over operators, and maps turn them") {
    const std::string rule = "rule r:\n  f(?x ?op ?y) => ?y flip(?op) ?x\n  for ?op in < <=\n";
    CHECK(best("start f(a < b)\n" + rule) == "(> b a)");
    CHECK(best("start f(a <= b)\n" + rule) == "(>= b a)");
    CHECK(best("start f(a > b)\n" + rule) == "(f (> a b))");
    CHECK(best("start f(not (a < b))\nrule r:\n  f(not (?x ?op ?y)) => ?x negate(?op) ?y\n"
               "  for ?op in < =\n") == "(>= a b)");
    CHECK(best("start f(a and b)\nrule r:\n  f(?op{?x, ...?xs}) => swap(?op){?x, ...?xs}\n"
               "  for ?op in and or\n") == "(or a b)");
    CHECK(best("start f(a < b)\nrule r:\n  f(?x ?op ?y) => ?x\n  for ?op in < <=\n"
               "  where is_less(?op)\n") == "a");
    CHECK(best("start f(a <= b)\nrule r:\n  f(?x ?op ?y) => ?x\n  for ?op in < <=\n"
               "  where is_less(?op)\n") == "(f (<= a b))");
}

TEST_CASE("<=> goes both ways") {
    const std::string rule = "rule r:\n  f(f(?x)) <=> g(?x)\nrule s:\n  f(g(?x)) => ?x\n";
    CHECK(best("start f(f(a))\n" + rule) == "(g a)");
    CHECK(best("start h(g(b), a)\nrule r:\n  h(?x, ?y) <=> k(?y, ?x, ?y)\nrule s:\n  k(?x, ?y, ?x) "
               "=> ?y\n") == "(g b)");
}

TEST_CASE("literal variables are constants written out, and computed ones are new ones") {
    const std::string rule =
        "rule r:\n  f(?c) => ?d\n  let ?d = twice(?c)\n  where ?c: literal; small(?c)\n";
    CHECK(best("start f(4)\n" + rule) == "8");
    CHECK(best("start f(40)\n" + rule) == "(f 40)");
    CHECK(best("start f(a)\n" + rule) == "(f a)");
    // A condition on a computed part is asked when it is known.
    const std::string guarded =
        "rule r:\n  f(?c) => ?d\n  let ?d = twice(?c)\n  where ?c: literal; big(?d)\n";
    CHECK(best("start f(4)\n" + guarded) == "(f 4)");
    CHECK(best("start f(6)\n" + guarded) == "12");
    CHECK(best("start h(3, 3)\nrule r:\n  h(?c, ?c) => ?c\n  where ?c: literal\n") == "3");
    CHECK(best("start h(3, 4)\nrule r:\n  h(?c, ?c) => ?c\n  where ?c: literal\n") == "(h 3 4)");
}

TEST_CASE("a computed list takes a rest's place") {
    CHECK(best("start a in (1, 2, 3, 4)\nrule r:\n  ?x in (...?items) ~> ?x in (...?kept)\n"
               "  let ?kept = evens(...?items)\n") == "(in a 2 4)");
    CHECK(best("start a in (2, 4)\nrule r:\n  ?x in (...?items) ~> ?x in (...?kept)\n"
               "  let ?kept = evens(?items)\n") == "(in a 2 4)");
    CHECK(best("start f(list(20, 30))\nrule r:\n  f(list(...?xs)) => a\n  where big(...?xs)\n") ==
          "a");
    CHECK(best("start f(list(20, 3))\nrule r:\n  f(list(...?xs)) => a\n  where big(...?xs)\n") ==
          "(f (list 20 3))");
    CHECK(
        best("start f(list(20, 3))\nrule r:\n  f(list(20, ...?xs)) => a\n  where any(...?xs)\n") ==
        "a");
}

TEST_CASE("type variables hold payloads") {
    CHECK(best("start cast(a as int)\nrule r:\n  cast(?x as ?T) => ?x\n  where int_type(?T)\n") ==
          "a");
    CHECK(best("start cast(a as long)\nrule r:\n  cast(?x as ?T) => ?x\n  where int_type(?T)\n") ==
          "(cast:2 a)");
    CHECK(best("start f(cast(a as int))\nrule r:\n  f(cast(?x as ?T)) => cast(?x as ?U)\n"
               "  let ?U = wide(?T)\n") == "(cast:2 a)");
    CHECK(best("start h(cast(a as int), cast(b as int))\n"
               "rule r:\n  h(cast(?x as ?T), cast(?y as ?T)) => ?x\n") == "a");
    CHECK(best("start h(cast(a as int), cast(b as long))\n"
               "rule r:\n  h(cast(?x as ?T), cast(?y as ?T)) => ?x\n") != "a");
    CHECK(best("start cast(a as int)\nrule r:\n  cast(?x as long) => ?x\n") == "(cast:1 a)");
}

TEST_CASE("a variable used a different number of times must be stable") {
    CHECK(best("start h(a, b)\nrule r:\n  h(?x, ?y) => ?x\n") == "a");
    CHECK(best("start h(a, v1)\nrule r:\n  h(?x, ?y) => ?x\n") == "(h a v1)");
    CHECK(best("start f(v1)\nrule r:\n  f(?x) => ?x\n") == "v1");
    CHECK(best("start f(list(a, v1))\nrule r:\n  f(list(...?xs)) => a\n") == "(f (list a v1))");
    CHECK(best("start k(list(a, b), v1, a)\nrule r:\n  k(list(...?xs), ?y, a) => list(each h(?x, "
               "?y))\n"
               "rule s:\n  h(?x, ?y) ~> ?x\n") == "(k (list a b) v1 a)");
}

TEST_CASE("alternatives, negation and tables") {
    const std::string rule = "rule r:\n  f(?c) => a\n  where ?c: literal; small(?c) or big(?c)\n";
    CHECK(best("start f(3)\n" + rule) == "a");
    CHECK(best("start f(30)\n" + rule) == "a");
    CHECK(best("start f(3)\nrule r:\n  f(?c) => a\n  where ?c: literal; not small(?c)\n") ==
          "(f 3)");
    CHECK(best("start f(30)\nrule r:\n  f(?c) => a\n  where ?c: literal; not small(?c)\n") == "a");
    const std::string table =
        "table chain:\n      <  >\n  <  +  -\n  >  -  +\n"
        "rule r:\n  h(?a ?p ?b, ?b ?q ?c) => ?a ?p ?c\n  for ?p in < >\n"
        "  for ?q in < >\n  where chain(?p, ?q)\n";
    CHECK(best("start h(a < b, b < c)\n" + table) == "(< a c)");
    CHECK(best("start h(a < b, b > c)\n" + table) == "(h (< a b) (> b c))");
}

TEST_CASE("the book tells of its rules") {
    test::Toy toy;
    const std::string text =
        operators +
        "procedure join-order: too large for rules\n"
        "ruleset one\nphase 2\n"
        "-- far above\n\n-- why\n-- and why\n"
        "rule r:\n    f(?x) <=> g(?x)\n    when nan total\n"
        "    example x int: f(x) => g(x)\n    keep a\n"
        "rule s:\n    f(?x ?op ?y) => a\n    for ?op in < > =\n    may raise\n";
    const Loaded loaded = load({{"dir/toy.rules", text}}, toy);
    REQUIRE(loaded.errors.empty());
    const RuleBook& book = loaded.book;
    CHECK(book.counts().rules == 2);
    CHECK(book.counts().instances == 5);
    CHECK(book.counts().procedures == 1);
    CHECK(book.procedures[0].reason == "too large for rules");
    const BookRule& r = book.rules[*book.find("r")];
    CHECK(r.ruleset == "one");
    CHECK(r.phase == 2);
    CHECK(r.line == 30);
    CHECK(r.comment == "why\nand why");
    CHECK(r.text.starts_with("rule r:"));
    CHECK(r.text.ends_with("keep a"));
    CHECK(r.settings[0].value.text == "total");
    REQUIRE(r.examples.size() == 2);
    CHECK(r.examples[0].columns.text == "x int");
    CHECK(r.examples[0].left.text == "f(x)");
    CHECK(r.examples[0].right.text == "g(x)");
    CHECK(r.examples[1].keep);
    const auto instances = book.resolve(1, toy);
    REQUIRE(instances.size() == 3);
    CHECK(instances[0].name == "s[<]");
    CHECK(instances[0].written_name == "s");
    CHECK(instances[0].may_raise);
    CHECK(book.resolve(0, toy)[1].name == "r/back");
}

}  // namespace satura::rules
