// What the path order accepts and what it refuses.
#include <doctest/doctest.h>

#include "tests/rules/toy_language.hpp"

namespace satura::rules {

namespace {

// Whether the rule, written without its arrow, passes as `~>`.
bool decreases(const std::string& left, const std::string& right, const std::string& clauses = "") {
    const std::string text =
        "order case; k; h; f; g; not; and or; + *\n"
        "operator a\noperator b\noperator f/1\noperator g/1\noperator h/2\noperator k/3\n"
        "operator not/1\noperator and set\noperator or set\noperator +/2\noperator */2\n"
        "operator in sequence\noperator case sequence\noperator bag bag\n"
        "rule r:\n    " +
        left + "   ~>   " + right + "\n" + clauses;
    const std::string errors = test::errors_of(text);
    CAPTURE(errors);
    const bool is_only_order =
        errors.empty() || errors.find("is not less than the left") != std::string::npos;
    CHECK(is_only_order);
    return errors.empty();
}

}  // namespace

TEST_CASE("what goes down") {
    CHECK(decreases("f(?x)", "?x"));
    CHECK(decreases("f(?x)", "1"));
    CHECK(decreases("f(?x)", "g(?x)"));
    CHECK(decreases("f(f(?x))", "f(?x)"));
    CHECK(decreases("f(?x)", "g(g(g(?x)))"));
    CHECK(decreases("h(?x, ?y)", "f(?x) + f(?y)"));
    CHECK(decreases("f(?x) * (?y + ?z)", "f(?x) * ?y"));
    CHECK(decreases("(?x + ?y) + ?z", "?x + (?y + ?z)"));  // from the left
    CHECK(decreases("?x * (?y + 1)", "?x * ?y"));
    CHECK(decreases("a", "1"));
    CHECK(decreases("f(1)", "g(2)"));
}

TEST_CASE("what does not") {
    CHECK(!decreases("f(?x)", "f(?x)"));
    CHECK(!decreases("g(?x)", "f(?x)"));
    CHECK(!decreases("?x + ?y", "?y + ?x"));
    CHECK(!decreases("?x + (?y + ?z)", "(?x + ?y) + ?z"));
    CHECK(!decreases("f(?x)", "h(?x, ?x)"));
    CHECK(!decreases("f(1)", "f(2)"));
    CHECK(!decreases("a", "b"));
    CHECK(!decreases("f(g(?x))", "f(f(?x))"));
    CHECK(!decreases("+{?x, 1}", "+{?x, ?x}"));
}

TEST_CASE("sets compare as multisets, rests may be empty") {
    CHECK(decreases("?p and true and ...?rest", "and{?p, ...?rest}"));
    CHECK(decreases("?p and f(?q) and ...?rest", "?p and g(?q) and ...?rest"));
    CHECK(decreases("?p and f(?q) and ...?rest", "?p and ?q and g(?q) and g(g(?q)) and ...?rest"));
    CHECK(decreases("?p and ...?rest", "?p"));
    CHECK(decreases("not (?q and ...?ps)", "not ?q or each not ?p"));
    CHECK(decreases("f(and{...?ps})", "or{each g(?p)}"));
    CHECK(!decreases("?p and ...?rest", "?p and ...?rest"));
    CHECK(!decreases("and{...?rest}", "or{...?rest}"));
    CHECK(!decreases("?p and ?q", "?q or ?p"));
    CHECK(!decreases("?p and ...?rest", "?p and ?p and ...?rest"));
    CHECK(!decreases("?p and g(?q)", "?p and f(?q)"));
    CHECK(!decreases("?q and ...?ps", "?q and each f(?p)"));
    CHECK(!decreases("g(and{...?ps})", "and{each f(?p)}"));
}

TEST_CASE("sequences compare by length, then from the first operand that differs") {
    CHECK(decreases("case(...?before, ?x, ?y, ...?after)", "case(...?before, ?x, ...?after)"));
    CHECK(decreases("case(...?before, ?x, ?y, ...?after)", "case(...?before, ?y)"));
    CHECK(decreases("case(...?before, f(?x), ...?after)", "case(...?before, ?x)"));
    CHECK(decreases("f(?x) in (...?items)", "?x in (...?items)"));
    CHECK(decreases("?x in (...?items)", "?x in (...?kept)", "    let ?kept = evens(?items)\n"));
    CHECK(decreases("f(?x) in (...?items)", "?x in (...?kept)", "    let ?kept = evens(?items)\n"));
    CHECK(
        !decreases("?x in (...?items)", "f(?x) in (...?kept)", "    let ?kept = evens(?items)\n"));
    CHECK(!decreases("case(...?before, ?x, ...?after)", "case(...?after, ?x, ...?before)"));
    CHECK(!decreases("case(?x, ...?after)", "case(...?after, ?x)"));
    CHECK(!decreases("in(?x, ...?ys)", "in(?x, each f(?y))"));
    CHECK(!decreases("in(?x, ...?ys)", "in(?x, ?x, ...?ys)"));
}

}  // namespace satura::rules
