// Reviews of rules: what grows, and what follows from others.
#include "optimizer/rule_review.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace satura;

namespace {

std::vector<RuleReview> review_text(const std::string& text) {
    RuleEngine engine(lang::Semantics::of(lang::Dialect::postgres), {{"text.rules", text}},
                      RuleEngine::Use::plans);
    REQUIRE(engine.errors.empty());
    return review_rules(engine, static_cast<std::uint32_t>(rules::built_in_sources().size()), "");
}

}  // namespace

TEST_CASE("a rule that is there already under another name follows from it") {
    const auto reviews = review_text(R"(
rule my-turn:
    ?a < ?b   =>   ?b > ?a
)");
    REQUIRE(reviews.size() == 1);
    CHECK(reviews[0].follows);
    CHECK(std::ranges::find(reviews[0].from, "turn") != reviews[0].from.end());
    CHECK(!reviews[0].growth);
}

TEST_CASE("a rule that only it can apply does not follow") {
    const auto reviews = review_text(R"(
rule upper-of-lower:
    upper(lower(?x))   ~>   upper(?x)
)");
    REQUIRE(reviews.size() == 1);
    CHECK(reviews[0].instances > 0);
    CHECK(!reviews[0].follows);
}

// Two of a user's rules, each from the other: both are named.
TEST_CASE("rules that are one follow from each other") {
    const auto reviews = review_text(R"(
rule first:
    upper(lower(?x))   ~>   upper(?x)

rule second:
    upper(lower(?y))   =>   upper(?y)
)");
    REQUIRE(reviews.size() == 2);
    CHECK(reviews[0].follows);
    CHECK(reviews[0].from == std::vector<std::string>{"second"});
    CHECK(reviews[1].from == std::vector<std::string>{"first"});
}

TEST_CASE("a rule on truths follows from others, or does not") {
    const auto reviews = review_text(R"(
rule holds-and-again:
    holds(?a and ?b and ...?ps)   =>   all{holds(?a), holds(?b), each holds(?p)}

rule same-known:
    same{?x, ?y}   =>   all{same{?x, ?y}, same{?x}}
)");
    REQUIRE(reviews.size() == 2);
    CHECK(reviews[0].follows);
    CHECK(std::ranges::find(reviews[0].from, "holds-and") != reviews[0].from.end());
    CHECK(reviews[1].instances > 0);
    CHECK(!reviews[1].follows);
}

TEST_CASE("a right side grows by nodes or by a variable that stands there more often") {
    const auto reviews = review_text(R"(
rule longer:
    upper(?x)   =>   upper(lower(upper(?x)))

rule more-often:
    coalesce(?x, ?y, ?z)   =>   coalesce(?x, ?y, ?x)
    where always_null(?z)

rule shorter:
    upper(upper(?x))   ~>   upper(?x)
)");
    REQUIRE(reviews.size() == 3);
    REQUIRE(reviews[0].growth);
    CHECK(reviews[0].growth->left == 2);
    CHECK(reviews[0].growth->right == 4);
    REQUIRE(reviews[1].growth);
    CHECK(reviews[1].growth->repeated == "x");
    CHECK(!reviews[2].growth);
}
