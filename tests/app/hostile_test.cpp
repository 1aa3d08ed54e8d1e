// Input that wants to break the program: what it may do is answer.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/app/program.hpp"
#include "tests/golden.hpp"

using namespace satura::test;

namespace {

std::string repeated(int times, const std::string& piece) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
}

// A folder that goes with the object.
struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "satura-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return (path / name).string();
    }
};

}  // namespace

TEST_CASE("JSON that is nested deeply stops neither the program nor the run") {
    constexpr int levels = 200'000;
    for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
        const std::string value = repeated(levels, open) + "1" + repeated(levels, close);
        const std::string input = fmt::format(
            "{{\"id\":{0},\"expr\":\"1=1\"}}\n{0}\n{1}\n{{\"id\":2,\"expr\":\"1=1\"}}\n", value,
            repeated(levels, open));
        const ProgramResult result = run_satura({"batch"}, input);
        CHECK(result.status == 0);
        CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 4);
        CHECK(result.output.find("{\"id\":2,\"ok\":true") != std::string::npos);
    }
}

TEST_CASE("every byte as a request, and in an expression, gets an answer") {
    constexpr int bytes = 256;
    std::string input;
    int lines = 0;
    for (int i = 0; i < bytes; ++i) {
        const char c = static_cast<char>(i);
        if (c == '\n') continue;
        input += fmt::format("{{\"expr\":\"1 {} 1\"}}\n", std::string(1, c));
        ++lines;
        if (c == ' ' || c == '\t' || c == '\r') continue;  // an empty line is none
        input += std::string(1, c) + '\n';
        ++lines;
    }
    const ProgramResult result = run_satura({"batch"}, input);
    CHECK(result.status == 0);
    CHECK(result.errors.empty());
    CHECK(std::count(result.output.begin(), result.output.end(), '\n') == lines);
}

TEST_CASE("every byte in a query and in a schema gets an answer") {
    constexpr int bytes = 256;
    std::string input;
    int lines = 0;
    for (int i = 0; i < bytes; ++i) {
        const std::string c(1, static_cast<char>(i));
        if (c == "\n") continue;
        input += fmt::format("{{\"sql\":\"select 1 {} 1\"}}\n", c);
        input +=
            fmt::format("{{\"schema\":\"create table t{}(a int)\",\"sql\":\"select 1\"}}\n", c);
        lines += 2;
    }
    const ProgramResult result = run_satura({"batch"}, input);
    CHECK(result.status == 0);
    CHECK(result.errors.empty());
    CHECK(std::count(result.output.begin(), result.output.end(), '\n') == lines);
}

namespace {

// Each of these is a process of its own: where fewer random cases are asked for (sanitizers), one in so many is run.
std::size_t stride() { return std::getenv("SATURA_RANDOM_CASES") != nullptr ? 8 : 1; }

}  // namespace

TEST_CASE("every byte in a file of queries gets an answer or a message") {
    constexpr std::size_t bytes = 256;
    for (std::size_t i = 0; i < bytes; i += stride()) {
        CAPTURE(i);
        if (i == '\n') continue;
        const std::string text =
            "select 1;\nselect 2 " + std::string(1, static_cast<char>(i)) + " 3";
        const ProgramResult result = run_satura({"optimize"}, text);
        CHECK((result.status == 0 || result.status == 2));
        CHECK(result.output.empty() == (result.status == 2));
        CHECK(result.errors.starts_with("<stdin>:2:") == (result.status == 2));
    }
}

// A statement cut anywhere: the parts before it are good, and their output must not come.
TEST_CASE("a file that ends anywhere gets an answer or a message with a place in it") {
    const std::string text =
        "create table t1(id int primary key, a int);\n"
        "create index on t1(a);\n"
        "select a from t1 where id::bigint = 5 and a in (select a from t1 where a > 1);\n"
        "select count(*) as \"n\" from t1 left join t1 as u using (id) where u.a = 'a' || 'b'\n";
    for (std::size_t length = 0; length < text.size(); length += stride()) {
        CAPTURE(length);
        const ProgramResult result = run_satura({"optimize"}, text.substr(0, length));
        CHECK((result.status == 0 || result.status == 2));
        if (result.status == 2) CHECK(result.output.empty());
        CHECK(result.errors.empty() == (result.status == 0 && !result.output.empty()));
    }
}

TEST_CASE("a query in a request and in a file has the same answer") {
    const std::string query = "select a from t where a::bigint = 5";
    const ProgramResult in_batch = run_satura(
        {"batch"},
        fmt::format("{{\"id\":1,\"schema\":\"create table t(a int)\",\"sql\":\"{}\"}}", query));
    const ProgramResult in_file = run_satura({"optimize", "--format", "json"},
                                             fmt::format("create table t(a int); {};", query));
    CHECK(masked(in_batch.output) == masked(in_file.output));
}

TEST_CASE("the last line needs no end") {
    const ProgramResult result = run_satura({"batch"}, R"({"expr":"1=1"})");
    CHECK(result.status == 0);
    CHECK(result.output.find("\"ok\":true") != std::string::npos);
}

TEST_CASE("output that cannot be written is an error") {
    if (!std::filesystem::exists("/dev/full") || !std::filesystem::exists("/bin/sh")) return;
    constexpr int internal_error = 3;
    for (const char* command : {"simplify 1", "rules", "batch", "optimize examples/seed.sql"}) {
        const ProgramResult result = run_program(
            "/bin/sh", {"-c", fmt::format("\"$SATURA_PROGRAM\" {} >/dev/full", command)},
            "{\"expr\":\"1=1\"}\n", source_root().string());
        CHECK(result.status == internal_error);
        CHECK(result.errors == "satura: cannot write to standard output\n");
    }
}

TEST_CASE("fmt writes the one layout, and then has nothing to do") {
    const Folder folder;
    const std::string file =
        folder.write("mine.rules", "rule a:\r\n  not not ?x=>?x\r\n  where boolean( ?x )\r\n");
    CHECK(run_satura({"fmt", "--check", file}, "").status == 1);
    CHECK(run_satura({"fmt", file}, "").status == 0);
    CHECK(read_file(file).find('\r') == std::string::npos);
    const ProgramResult again = run_satura({"fmt", "--check", file}, "");
    CHECK(again.status == 0);
    CHECK(again.output.empty());
    CHECK(run_satura({"check", file}, "").status == 0);
}

TEST_CASE("a rule file that is no text is refused at the byte") {
    const Folder folder;
    const std::string file = folder.write("mine.rules", std::string("-- a\n-- \xff\n"));
    for (const char* command : {"check", "fmt"}) {
        const ProgramResult result = run_satura({command, file}, "");
        CHECK(result.status == 2);
        CHECK(result.output.empty());
        CHECK(result.errors.find(file + ":2:4: error: the text is not valid UTF-8") == 0);
    }
    const std::string nul = folder.write("nul.rules", std::string("-- a\0\n", 6));
    CHECK(run_satura({"check", nul}, "").errors.find(nul + ":1:5: error: the text holds a NUL") ==
          0);
}

TEST_CASE("answers come while input is still open") {
    // Each answer is flushed when no further request waits.
    const ProgramResult result = run_program("/bin/sh",
                                             {"-c",
                                              "{ echo '{\"expr\":\"1=1\"}'; sleep 1; echo bad; } | "
                                              "\"$SATURA_PROGRAM\" batch | head -n 1"},
                                             "", ".");
    CHECK(result.output.find("\"ok\":true") != std::string::npos);
}
