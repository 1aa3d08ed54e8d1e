// satura-bench: JSON, one object a line. Runs from the root of the source tree.
//
//   satura-bench [FOLDER]                  all of these
//   satura-bench simplify [FILE [ROUNDS]]  times of one simplify over cases/casts.jsonl of FOLDER
//   satura-bench optimize [FILE [ROUNDS]]  times of one optimize for each query of an SQL file;
//                                          default examples/seed.sql
//   satura-bench mm [K_MAX]                symbolic differentiation; status 1: a count is wrong
//
// FOLDER is that of the larger case files: the argument, else $SATURA_SHARED, else `shared` beside
// the source tree. Without it simplify is skipped.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/mm_bench.hpp"
#include "bench/optimize_bench.hpp"
#include "bench/simplify_bench.hpp"

namespace {

constexpr std::uint32_t k_default = 10;
constexpr std::uint32_t rounds_default = 10;
constexpr std::uint32_t query_rounds_default = 100;
constexpr long rounds_max = 100'000;

std::string case_file(const std::string& folder) {
    std::string root = folder;
    if (root.empty()) {
        const char* named = std::getenv("SATURA_SHARED");
        root = named != nullptr && *named != '\0' ? named : "../shared";
    }
    return root + "/cases/casts.jsonl";
}

// Skips where there is no such file.
int simplify_if_there(const std::string& path, std::uint32_t rounds) {
    if (std::filesystem::exists(path)) return satura::bench::run_simplify(path, rounds);
    std::fprintf(stderr, "satura-bench: skipped simplify: there is no %s (set SATURA_SHARED)\n",
                 path.c_str());
    return 0;
}

// The word as a number from 1 to max; 0 if it is none.
std::uint32_t number(const std::string& word, long max) {
    const long value = std::strtol(word.c_str(), nullptr, 10);
    return value >= 1 && value <= max ? static_cast<std::uint32_t>(value) : 0;
}

int usage() {
    std::fputs(
        "usage: satura-bench [FOLDER] | simplify [FILE [ROUNDS]] | optimize [FILE [ROUNDS]] | "
        "mm [K_MAX]\n",
        stderr);
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    using namespace satura::bench;
    const std::vector<std::string> words(arguments + 1, arguments + count);
    const std::string what = words.empty() ? "" : words[0];
    const char* mm_rules = "bench/mm.rules";
    const char* seed_queries = "examples/seed.sql";
    if (what == "mm") {
        const std::uint32_t k = words.size() > 1 ? number(words[1], mm_iterations_max) : k_default;
        return k == 0 ? usage() : run_mm(mm_rules, k);
    }
    if (what == "simplify") {
        const std::uint32_t rounds =
            words.size() > 2 ? number(words[2], rounds_max) : rounds_default;
        if (rounds == 0) return usage();
        return simplify_if_there(words.size() > 1 ? words[1] : case_file(""), rounds);
    }
    if (what == "optimize") {
        const std::uint32_t rounds =
            words.size() > 2 ? number(words[2], rounds_max) : query_rounds_default;
        if (rounds == 0) return usage();
        return run_optimize(words.size() > 1 ? words[1] : seed_queries, rounds);
    }
    if (words.size() > 1) return usage();
    int status = simplify_if_there(case_file(what), rounds_default);
    status = std::max(status, run_optimize(seed_queries, query_rounds_default));
    return std::max(status, run_mm(mm_rules, k_default));
}
