// Long and deep expressions through batch: accepted, or refused with a position, in bounded time.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <functional>
#include <string>

#include "tests/app/program.hpp"

using namespace satura::test;

namespace {

constexpr int many = 10'000;
constexpr int too_many = 20'100;  // docs/batch.md: 20,000 in one chain
// Sanitizers and loaded machines take their time; what is measured here is the order of growth.
constexpr double accept_s_max = 60;
constexpr double refuse_s_max = 10;

std::string repeated(int times, const std::function<std::string(int)>& piece) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece(i);
    return text;
}

std::string repeated(int times, const std::string& piece) {
    return repeated(times, [&](int) { return piece; });
}

std::string joined(int times, const std::string& by, const std::function<std::string(int)>& piece) {
    return repeated(times, [&](int i) { return (i == 0 ? "" : by) + piece(i); });
}

// A request with the expression, and a good one behind it.
ProgramResult batch(const std::string& expression) {
    return run_satura({"batch"},
                      fmt::format("{{\"id\":1,\"columns\":\"x int, b boolean\",\"expr\":\"{}\"}}\n"
                                  "{{\"id\":2,\"expr\":\"1=1\"}}\n",
                                  expression));
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void check_accepted(const std::string& expression) {
    const ProgramResult result = batch(expression);
    CHECK(result.status == 0);
    CHECK(result.errors.empty());
    CHECK_MESSAGE(holds(result.output, "{\"id\":1,\"ok\":true"), result.output.substr(0, 300));
    CHECK(holds(result.output, "{\"id\":2,\"ok\":true"));
    CHECK(result.time_s < accept_s_max);
}

void check_refused(const std::string& expression) {
    const ProgramResult result = batch(expression);
    CHECK(result.status == 0);
    CHECK_MESSAGE(holds(result.output, "{\"id\":1,\"ok\":false"), result.output.substr(0, 300));
    CHECK(holds(result.output, "nested too deeply"));
    CHECK(holds(result.output, "\"line\":1,\"column\":"));
    CHECK(holds(result.output, "{\"id\":2,\"ok\":true"));
    CHECK(result.time_s < refuse_s_max);
}

void check_answered(const std::string& expression) {
    const ProgramResult result = batch(expression);
    CHECK(result.status == 0);
    const bool accepted = holds(result.output, "{\"id\":1,\"ok\":true");
    const bool refused =
        holds(result.output, "nested too deeply") && holds(result.output, "\"line\":1,\"column\":");
    CHECK_MESSAGE((accepted || refused), result.output.substr(0, 300));
    CHECK(holds(result.output, "{\"id\":2,\"ok\":true"));
    CHECK(result.time_s < refuse_s_max);
}

}  // namespace

TEST_CASE("10,000 ANDs, ORs, additions and casts in a row are accepted") {
    SUBCASE("and") {
        check_accepted(joined(many, " and ", [](int i) { return fmt::format("x <> {}", i); }));
    }
    SUBCASE("or") {
        check_accepted(joined(many, " or ", [](int i) { return fmt::format("x = {}", i); }));
    }
    SUBCASE("+ of a column") { check_accepted("x" + repeated(many, " + x") + " > 5"); }
    SUBCASE("+ of constants") { check_accepted("1" + repeated(many, " + 1") + " > 5"); }
    SUBCASE("casts to one type") { check_accepted("x" + repeated(many, "::bigint") + " > 5"); }
    SUBCASE("casts to and fro") {
        check_accepted("x" + repeated(many / 2, "::bigint::int") + " > 5");
    }
    SUBCASE("an IN list") {
        check_accepted("x in (" + joined(many, ",", [](int i) { return fmt::format("{}", i); }) +
                       ")");
    }
    SUBCASE("arms of a CASE") {
        check_accepted(
            "case" +
            repeated(many / 10, [](int i) { return fmt::format(" when x = {0} then {0}", i); }) +
            " end = 7");
    }
}

TEST_CASE("10,000 levels are accepted or refused with the place") {
    SUBCASE("parentheses") {
        check_answered(repeated(many, "(") + "x" + repeated(many, ")") + " > 5");
    }
    SUBCASE("not") { check_answered(repeated(many, "not ") + "b"); }
    SUBCASE("not (") { check_answered(repeated(many, "not (") + "b" + repeated(many, ")")); }
    SUBCASE("minus") { check_answered(repeated(many, "- ") + "x > 5"); }
    SUBCASE("cast(") {
        check_answered(repeated(many, "cast(") + "x" + repeated(many, " as bigint)") + " > 5");
    }
    SUBCASE("case") {
        check_answered(repeated(many, "case when b then 1 else ") + "0" + repeated(many, " end") +
                       " > 5");
    }
    SUBCASE("calls") {
        check_answered(repeated(many, "abs(") + "x" + repeated(many, ")") + " > 5");
    }
    SUBCASE("subqueries") {
        check_answered(repeated(many, "(select ") + "1" + repeated(many, ")"));
    }
    SUBCASE("only opened") { check_answered(repeated(many, "(")); }
}

TEST_CASE("chains beyond the documented number are refused") {
    SUBCASE("+") { check_refused("x" + repeated(too_many, " + x")); }
    SUBCASE("casts") { check_refused("x" + repeated(too_many, "::bigint")); }
    SUBCASE("not") { check_refused(repeated(too_many, "not ") + "b"); }
    SUBCASE("parentheses") {
        check_refused(repeated(too_many, "(") + "x" + repeated(too_many, ")"));
    }
}
