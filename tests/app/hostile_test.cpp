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

TEST_CASE("the last line needs no end") {
    const ProgramResult result = run_satura({"batch"}, R"({"expr":"1=1"})");
    CHECK(result.status == 0);
    CHECK(result.output.find("\"ok\":true") != std::string::npos);
}

TEST_CASE("output that cannot be written is an error") {
    if (!std::filesystem::exists("/dev/full") || !std::filesystem::exists("/bin/sh")) return;
    constexpr int internal_error = 3;
    for (const char* command : {"simplify 1", "rules", "batch"}) {
        const ProgramResult result = run_program(
            "/bin/sh", {"-c", fmt::format("\"$SATURA_PROGRAM\" {} >/dev/full", command)},
            "{\"expr\":\"1=1\"}\n", ".");
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
