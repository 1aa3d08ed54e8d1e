// SIGINT ends what the program is at, and it says what it has by then.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/app/program.hpp"
#include "tests/golden.hpp"

using namespace satura::test;

namespace {

constexpr int interrupted = 130;
constexpr double time_s_max = 30;  // the runs would take 60 s; a loaded machine is no failure

const char* const endless = "tests/data/app/files/endless.rules";

// Whether the process has a handler of its own for SIGINT.
bool catches_interrupts(int process) {
    std::ifstream file(fmt::format("/proc/{}/status", process));
    const std::string key = "SigCgt:";
    for (std::string word; file >> word;) {
        if (word != key) continue;
        std::string mask;
        file >> mask;
        constexpr int hexadecimal = 16;
        return ((std::stoull(mask, nullptr, hexadecimal) >> (SIGINT - 1)) & 1) != 0;
    }
    return false;
}

// Hundredths of a second that the process has computed.
long computed(int process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    constexpr int field = 14;
    std::string word;
    for (int i = 0; i < field; ++i) file >> word;
    return file ? std::stol(word) : 0;
}

template <class Holds>
void wait_until(Holds&& holds) {
    constexpr int tries = 10'000;
    for (int i = 0; i < tries && !holds(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

// In hundredths of a second, more than it takes to load the rules and read the input, and much less than the endless rules take.
#ifdef __SANITIZE_ADDRESS__
constexpr long enough = 400;
#else
constexpr long enough = 10;
#endif

// Sends the signal when the rules are at work.
void interrupt(int process, int /*output*/) {
    wait_until([&] { return catches_interrupts(process); });
    const long begin = computed(process);
    wait_until([&] { return computed(process) >= begin + enough; });
    kill(process, SIGINT);
}

ProgramResult run_interrupted(const std::vector<std::string>& words, std::string_view input) {
    ProgramResult result =
        run_program(satura_program(), words, input, source_root().string(), {interrupt});
    CHECK(result.status == interrupted);
    CHECK(result.time_s < time_s_max);
    return result;
}

}  // namespace

TEST_CASE("an interrupt: optimize gives the best plan so far, and leaves out later queries") {
    const ProgramResult result =
        run_interrupted({"optimize", "--format", "sql", "--rules", endless},
                        "select a from t where a::bigint = 5;\n"
                        "select upper(s) from t where a::bigint = 5;\n"
                        "select b from t where b::bigint = 5;\n");
    CHECK(result.output.starts_with("select a from t where"));
    CHECK(result.output.find("upper(") != std::string::npos);
    CHECK(result.output.find("select b") == std::string::npos);
    CHECK(result.errors == "<stdin>:2:1: stopped early: interrupted\n");
}

TEST_CASE("an interrupt: simplify gives the best expression so far") {
    const ProgramResult result =
        run_interrupted({"simplify", "--rules", endless, "--columns", "x smallint, s text", "--",
                         "upper(s) = 'A' and cast(x as int) = 5"},
                        "");
    CHECK(result.output.find("x = 5") != std::string::npos);
    CHECK(result.errors == "satura: stopped early: interrupted\n");
}

TEST_CASE("an interrupt: equal has proved nothing by then") {
    const ProgramResult queries = run_interrupted({"equal", "--rules", endless},
                                                  "select upper(s) from t; select lower(s) from t");
    const ProgramResult expressions = run_interrupted(
        {"equal", "--rules", endless, "--columns", "s text"}, "upper(s) = 'A'; upper(s) = 'B'");
    for (const ProgramResult* result : {&queries, &expressions}) {
        CHECK(result->output == "not proved equal\n");
        CHECK(result->errors == "satura: stopped early: interrupted\n");
    }
}

TEST_CASE("an interrupt: batch completes the answer that it is at, and no other") {
    for (const char* request : {R"({"id":2,"columns":"s text","expr":"upper(s) = 'A'"})",
                                R"({"id":2,"sql":"select upper(s) from t"})"}) {
        const ProgramResult result = run_interrupted(
            {"batch", "--rules", endless},
            fmt::format("{{\"id\":1,\"expr\":\"1 = 1\"}}\n{}\n{{\"id\":3,\"expr\":\"1 = 1\"}}\n",
                        request));
        CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 2);
        CHECK(result.output.find("{\"id\":2,\"ok\":true") != std::string::npos);
        CHECK(result.output.find("\"stop\":\"interrupted\"") != std::string::npos);
        CHECK(result.errors.empty());
    }
}

TEST_CASE("an interrupt: batch waits for no more input, and has answered what it had") {
    const auto act = [](int process, int output) {
        pollfd answer{output, POLLIN, 0};
        poll(&answer, 1, -1);
        kill(process, SIGINT);
    };
    const ProgramResult result = run_program(
        satura_program(), {"batch"}, "{\"id\":1,\"expr\":\"1 = 1\"}\n{\"id\":2,", ".", {act, true});
    CHECK(result.status == interrupted);
    CHECK(result.time_s < time_s_max);
    CHECK(result.output.starts_with("{\"id\":1,\"ok\":true"));
    CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 1);
}

TEST_CASE("a second interrupt ends the program at once") {
    // Nobody reads its answer, which is longer than a pipe: after the first it would wait for ever.
    const auto act = [](int process, int output) {
        interrupt(process, output);
        wait_until([&] { return !catches_interrupts(process); });
        kill(process, SIGINT);
    };
    constexpr std::size_t length = 40'000;
    const std::string query = "select upper(s), '" + std::string(length, 'a') + "' from t;";
    const ProgramResult result = run_program(satura_program(), {"optimize", "--rules", endless},
                                             query, source_root().string(), {act});
    CHECK(result.status == interrupted);
    CHECK(!result.output.ends_with(";\n"));
}
