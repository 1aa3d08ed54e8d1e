// Proofs of simplifications replay, and a proof that was changed anywhere is refused at the step that was changed.
// SATURA_RANDOM_CASES makes the number of random expressions (10,000) a tenth of what it says.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>

#include "lang/sql_expr.hpp"
#include "optimizer/simplifier.hpp"
#include "proof/replay.hpp"
#include "tests/lang/random_expr.hpp"
#include "tests/optimizer/changed_proof.hpp"

using namespace satura;

namespace {

lang::Semantics semantics(lang::Dialect dialect = lang::Dialect::postgres) {
    return lang::Semantics::of(dialect);
}

proof::Proof prove(Simplifier& simplifier, const SimplifyRequest& request) {
    const auto result = simplifier.simplify(request);
    REQUIRE(std::holds_alternative<Answer>(result));
    const Answer& answer = std::get<Answer>(result);
    REQUIRE_MESSAGE(answer.proof.has_value(), request.expr << ": " << answer.unproved);
    return *answer.proof;
}

SimplifyRequest request_for(const std::string& columns, const std::string& expr,
                            bool as_filter = false) {
    SimplifyRequest request;
    request.columns = columns;
    request.expr = expr;
    if (as_filter) request.context = SimplifyRequest::Context::filter;
    request.proof = true;
    return request;
}

struct Example {
    std::string columns, expr;
    bool as_filter = false;
};

const std::vector<Example> examples = {
    {"x smallint", "cast(x as int) > 40000"},
    {"x smallint", "cast(x as int) between 5 and 7 and cast(x as int) <> 70000"},
    {"x smallint, y smallint", "cast(x as int) in (1, 2, 3, 40000) or cast(y as bigint) = 5"},
    {"a boolean, b boolean, c boolean", "not (a and not b) or (a and not (b or c)) or (a and a)"},
    {"a boolean, b boolean", "(a and (a or b)) or (b and false)", true},
    {"q int not null", "coalesce(q, 0) > 5 and 1 + 2 = 3"},
    {"q int", "case when q is null then 1 + 1 when true then 5 else q end = 5"},
    {"q int, r int", "not (q < r or q = 3) and (q is null) is not null", true},
    {"d decimal(5,2)", "cast(d as double precision) >= 1.5 or cast(d as decimal(9,4)) = 2.5"},
};

}  // namespace

TEST_CASE("proofs of examples replay") {
    Simplifier simplifier(semantics());
    proof::Verifier verifier(semantics());
    for (const Example& example : examples) {
        const proof::Proof proof =
            prove(simplifier, request_for(example.columns, example.expr, example.as_filter));
        CHECK_MESSAGE(!proof.steps.empty(), example.expr);
        const proof::Verdict verdict = verifier.verify(proof);
        CHECK_MESSAGE(verdict.refusal.empty(),
                      example.expr << ": step " << verdict.step << ": " << verdict.refusal);
    }
}

TEST_CASE("an input that stays as it is has a proof of no steps") {
    Simplifier simplifier(semantics());
    const proof::Proof proof = prove(simplifier, request_for("x int", "x = 5"));
    CHECK(proof.steps.empty());
    CHECK(proof::Verifier(semantics()).verify(proof).refusal.empty());
}

TEST_CASE("an expression that was not proved is refused") {
    Simplifier simplifier(semantics());
    proof::Verifier verifier(semantics());
    for (const Example& example : examples) {
        const proof::Proof proof =
            prove(simplifier, request_for(example.columns, example.expr, example.as_filter));
        proof::Proof other = proof;
        other.after = "not (" + proof.after + ")";
        CHECK_MESSAGE(!verifier.verify(other).refusal.empty(), example.expr);
        other = proof;
        other.before = "(" + proof.before + ") is true";
        if (!example.as_filter)
            CHECK_MESSAGE(!verifier.verify(other).refusal.empty(), example.expr);
        other = proof;
        other.steps.pop_back();
        CHECK_MESSAGE(!verifier.verify(other).refusal.empty(),
                      example.expr << ": the last step is not needed");
    }
}

TEST_CASE("a step that was changed is refused by its number") {
    Simplifier simplifier(semantics());
    proof::Verifier verifier(semantics());
    const std::vector<std::string> rules = {"no-such-rule", "not-not", "cast-above-never[>]"};
    std::size_t tried = 0;
    for (const Example& example : examples) {
        const proof::Proof proof =
            prove(simplifier, request_for(example.columns, example.expr, example.as_filter));
        for (std::size_t at = 0; at < proof.steps.size(); ++at) {
            for (const proof::Proof& other : test::changed_proofs(proof, at, rules)) {
                ++tried;
                const proof::Verdict verdict = verifier.verify(other);
                CHECK_MESSAGE(verdict.step == at + 1,
                              example.expr << ": step " << at + 1 << ", " << proof.steps[at].rule
                                           << ": " << verdict.step << " " << verdict.refusal);
            }
        }
    }
    CHECK(tried > 200);
}

TEST_CASE("steps in another order are refused where one stands on the other") {
    Simplifier simplifier(semantics());
    proof::Verifier verifier(semantics());
    // The constant must be folded before the cast is unwrapped around it.
    const proof::Proof proof =
        prove(simplifier, request_for("x smallint", "cast(x as int) > 20000 + 20000"));
    REQUIRE(proof.steps.size() >= 2);
    proof::Proof other = proof;
    std::swap(other.steps.front(), other.steps.back());
    const proof::Verdict verdict = verifier.verify(other);
    CHECK(verdict.step == 1);
}

TEST_CASE("a condition that does not hold is refused") {
    Simplifier simplifier(semantics());
    proof::Verifier verifier(semantics());
    const proof::Proof proof =
        prove(simplifier, request_for("q int not null", "coalesce(q, 0) > 5"));
    CHECK(verifier.verify(proof).refusal.empty());
    proof::Proof other = proof;
    other.columns = "q int";
    const proof::Verdict verdict = verifier.verify(other);
    CHECK(verdict.step == 1);
    CHECK(verdict.refusal.find("it is not shown that") != std::string::npos);
}

TEST_CASE("rules that a verifier does not know are refused, and those that it is given are used") {
    const std::vector<rules::Source> mine = {
        {"mine.rules", "rule swap:\n    ?x + ?y   =>   ?y + ?x\n    where integer(?x)\n"}};
    const auto request = request_for("x int, y int", "x + y = y + x");
    Simplifier simplifier(semantics(), mine);
    if (!simplifier.rule_errors().empty()) FAIL(simplifier.rule_errors()[0]);
    const proof::Proof proof = prove(simplifier, request);
    CHECK(proof::Verifier(semantics()).verify(proof).refusal == "there is no rule swap");
    CHECK(proof::Verifier(semantics(), mine).verify(proof).refusal.empty());
}

namespace {

struct Count {
    std::size_t proved = 0, steps = 0, unproved = 0, longest = 0;
};

void run(lang::Dialect dialect, std::size_t cases, std::uint64_t first_seed, Count& count) {
    lang::Context context;
    context.semantics = semantics(dialect);
    const std::vector<lang::Column> columns = test::sample_columns(dialect);
    Simplifier simplifier(context.semantics);
    proof::Verifier verifier(context.semantics);
    SimplifyRequest request = request_for(test::columns_text(columns, context), "");
    request.limits.nodes = 20'000;
    for (std::size_t i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + i;
        lang::Exprs exprs;
        test::RandomExpr random(seed, columns, exprs, context);
        const lang::ExprId root = random.boolean(2 + static_cast<int>(seed % 3));
        request.expr = lang::write_expr(exprs, root, columns, context);
        request.context =
            seed % 2 == 1 ? SimplifyRequest::Context::filter : SimplifyRequest::Context::value;
        const auto result = simplifier.simplify(request);
        REQUIRE(std::holds_alternative<Answer>(result));
        const Answer& answer = std::get<Answer>(result);
        if (!answer.proof) {
            ++count.unproved;
            MESSAGE("seed " << seed << ": " << request.expr << " is " << answer.result << ": "
                            << answer.unproved);
            continue;
        }
        ++count.proved;
        count.steps += answer.proof->steps.size();
        count.longest = std::max(count.longest, answer.proof->steps.size());
        const proof::Verdict verdict = verifier.verify(*answer.proof);
        CHECK_MESSAGE(verdict.refusal.empty(), "seed " << seed << ": " << request.expr << " is "
                                                       << answer.result << ": step " << verdict.step
                                                       << ": " << verdict.refusal);
    }
}

}  // namespace

TEST_CASE("every answer about a random expression has a proof that replays") {
    const char* asked = std::getenv("SATURA_RANDOM_CASES");
    const std::size_t cases = asked != nullptr ? std::strtoull(asked, nullptr, 10) / 10 : 10'000;
    Count count;
    run(lang::Dialect::postgres, cases / 2, 1, count);
    run(lang::Dialect::duckdb, cases - cases / 2, 1'000'001, count);
    std::cout << fmt::format(
        "proofs of random expressions: {}, {} steps, the longest {}; {} without\n", count.proved,
        count.steps, count.longest, count.unproved);
    // A condition of a step may stand on more than the log is asked for; see docs/proofs.md.
    CHECK(count.unproved * 200 <= cases);
    CHECK(count.steps > cases);
}
