// Long and deep expressions through batch: accepted, or refused with a position, in bounded time.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
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

// A request for `text`, and a good one behind it.
ProgramResult batch(const std::string& text) {
    const std::string start = text.substr(0, text.find(' '));
    const bool is_query = start == "select" || start == "(select";
    const std::string task =
        is_query
            ? fmt::format("\"schema\":\"create table t(x int, b boolean)\",\"sql\":\"{}\"", text)
            : fmt::format("\"columns\":\"x int, b boolean\",\"expr\":\"{}\"", text);
    return run_satura({"batch"},
                      fmt::format("{{\"id\":1,{}}}\n{{\"id\":2,\"expr\":\"1=1\"}}\n", task));
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool is_refused_with_place(const std::string& output) {
    return holds(output, "{\"id\":1,\"ok\":false") && holds(output, "nested too deeply") &&
           holds(output, "\"line\":1,\"column\":");
}

// The program lives on, and answers what comes behind.
void check_run(const ProgramResult& result, double time_s_max) {
    CHECK(result.status == 0);
    CHECK(result.errors.empty());
    CHECK(holds(result.output, "{\"id\":2,\"ok\":true"));
    CHECK(result.time_s < time_s_max);
}

void check_accepted(const std::string& text) {
    const ProgramResult result = batch(text);
    check_run(result, accept_s_max);
    CHECK_MESSAGE(holds(result.output, "{\"id\":1,\"ok\":true"), result.output.substr(0, 300));
}

void check_refused(const std::string& text) {
    const ProgramResult result = batch(text);
    check_run(result, refuse_s_max);
    CHECK_MESSAGE(is_refused_with_place(result.output), result.output.substr(0, 300));
}

void check_answered(const std::string& text) {
    const ProgramResult result = batch(text);
    check_run(result, refuse_s_max);
    const bool accepted = holds(result.output, "{\"id\":1,\"ok\":true");
    CHECK_MESSAGE((accepted || is_refused_with_place(result.output)), result.output.substr(0, 300));
}

// The most levels of brackets in one another.
int json_levels(const std::string& json) {
    int depth = 0, most = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            most = std::max(most, ++depth);
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return most;
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

TEST_CASE("a query with 10,000 links in a row is accepted") {
    const auto where = [](const std::string& condition) {
        check_accepted("select x from t where " + condition);
    };
    SUBCASE("and") {
        where(joined(many, " and ", [](int i) { return fmt::format("x <> {}", i); }));
    }
    SUBCASE("or") {
        where(joined(many, " or ", [](int i) { return fmt::format("x = {}", i); }));
    }
    SUBCASE("+ of a column") { where("x" + repeated(many, " + x") + " > 5"); }
    SUBCASE("+ of constants") { check_accepted("select 1" + repeated(many, " + 1") + " from t"); }
    SUBCASE("casts to one type") { where("x" + repeated(many, "::bigint") + " > 5"); }
    SUBCASE("casts to and fro") { where("x" + repeated(many / 2, "::bigint::int") + " > 5"); }
    SUBCASE("an IN list") {
        where("x in (" + joined(many, ",", [](int i) { return std::to_string(i); }) + ")");
    }
    SUBCASE("items of SELECT") {
        check_accepted("select " + joined(many / 10, ", ", [](int) { return "x"; }) + " from t");
    }
    SUBCASE("rows of VALUES") {
        check_accepted("select * from (values " +
                       joined(many, ", ", [](int i) { return fmt::format("({})", i); }) + ") v(x)");
    }
}

// A program that reads JSON by recursion can read each answer.
TEST_CASE("10,000 set operations in a row are accepted, their plan is no deeper than documented") {
    constexpr int levels_max = 500;
    for (const char* operation : {" union ", " union all ", " except ", " intersect "}) {
        CAPTURE(operation);
        const ProgramResult result =
            batch(joined(many, operation, [](int) { return "select x from t"; }));
        check_run(result, accept_s_max);
        CHECK_MESSAGE(holds(result.output, "{\"id\":1,\"ok\":true"), result.output.substr(0, 300));
        CHECK(json_levels(result.output) < levels_max);
    }
}

TEST_CASE("10,000 levels in a query are accepted or refused with the place") {
    const auto where = [](const std::string& condition) {
        check_answered("select x from t where " + condition);
    };
    SUBCASE("parentheses") { where(repeated(many, "(") + "b" + repeated(many, ")")); }
    SUBCASE("not") { where(repeated(many, "not ") + "b"); }
    SUBCASE("not (") { where(repeated(many, "not (") + "b" + repeated(many, ")")); }
    SUBCASE("minus") { where(repeated(many, "- ") + "x > 5"); }
    SUBCASE("calls") { where(repeated(many, "abs(") + "x" + repeated(many, ")") + " > 5"); }
    SUBCASE("exists") {
        where(repeated(many, "exists (select 1 from t where ") + "b" + repeated(many, ")"));
    }
    SUBCASE("derived tables") {
        check_answered(repeated(many, "select * from (") + "select x from t" +
                       repeated(many, ") d"));
    }
    SUBCASE("parentheses around the query") {
        check_answered(repeated(many, "(") + "select x from t" + repeated(many, ")"));
    }
    SUBCASE("only opened") { where(repeated(many, "(")); }
}

TEST_CASE("a query's chains beyond the documented number are refused") {
    SUBCASE("+") { check_refused("select x" + repeated(too_many, " + x") + " from t"); }
    SUBCASE("union") {
        check_refused(joined(too_many, " union ", [](int) { return "select x from t"; }));
    }
    SUBCASE("joins") { check_refused("select 1 from t" + repeated(too_many, " cross join t")); }
    SUBCASE("not") { check_refused("select x from t where " + repeated(too_many, "not ") + "b"); }
}

// The same in a file, where the place counts from the file's start.
TEST_CASE("satura optimize refuses 10,000 levels with the place in the file") {
    const std::string deep = repeated(many, "not ") + "b";
    const ProgramResult result = run_satura(
        {"optimize"}, "create table t(x int, b boolean);\nselect x from t\nwhere " + deep + ";\n");
    CHECK(result.status == 2);
    CHECK(result.output.empty());
    CHECK_MESSAGE(result.errors.starts_with("<stdin>:3:"), result.errors.substr(0, 300));
    CHECK(holds(result.errors, "nested too deeply"));
    CHECK(result.time_s < refuse_s_max);
}
