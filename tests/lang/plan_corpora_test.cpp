// Queries that people wrote and benchmarks use, where a folder of them is at hand.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "lang/plan_tree.hpp"
#include "tests/golden.hpp"
#include "tests/lang/plan_test.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

// A query with the text of its schema.
struct Request {
    std::string id;
    std::string schema;
    std::string sql;
};

std::vector<nlohmann::json> lines_of(const std::filesystem::path& path) {
    std::vector<nlohmann::json> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

// The requests as the check of real queries forms them: its Python code rewrites the schemas.
std::vector<Request> real_requests(const std::filesystem::path& folder) {
    const std::string script =
        "import sys, json, pathlib\n"
        "check, corpora = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])\n"
        "sys.path.insert(0, str(check))\n"
        "import real_sql\n"
        "for line in open(corpora / 'real-sql.jsonl'):\n"
        "    body = json.loads(line)\n"
        "    if body['parse'] == 'OK' or body.get('sql_pg'):\n"
        "        print(json.dumps(real_sql.Query(body, corpora, False).request()))\n";
    const std::string command =
        fmt::format("/usr/bin/python3 -c \"{}\" '{}' '{}' 2>/dev/null", script,
                    (folder / "check").string(), (folder / "corpora").string());
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return {};
    std::array<char, 1 << 16> buffer{};
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
        output.append(buffer.data(), n);
    pclose(pipe);
    std::vector<Request> requests;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = output.find('\n', at);
        const auto line = nlohmann::json::parse(output.substr(at, end - at));
        requests.push_back({line.at("id"), line.at("schema"), line.at("sql")});
        at = end == std::string::npos ? output.size() : end + 1;
    }
    return requests;
}

struct Count {
    int all = 0;
    int bound = 0;
    int kept_whole = 0;  // among the bound
    std::map<std::string, std::vector<std::string>> reasons;
};

void bind(const Request& request, Count& count) {
    CAPTURE(request.id);
    ++count.all;
    BoundText bound;
    bind_text(request.schema, request.sql, Dialect::postgres, bound);
    if (!bound.error.empty()) {
        const std::size_t begin = bound.error.find("error: ");
        const std::string message =
            bound.error.substr(begin, bound.error.find('\n', begin) - begin);
        count.reasons[bound.error_code].push_back(request.id + ": " + message);
        return;
    }
    ++count.bound;
    for (const Statement& statement : bound.statements) {
        if (statement.kind != Statement::Kind::query) continue;
        CHECK(plan_fault(statement) == "");
        CHECK(!write_plan_tree(statement.plan, statement.plan.root, bound.context).empty());
        if (statement.warnings.empty()) continue;
        ++count.kept_whole;
        count.reasons["kept whole"].push_back(request.id);
    }
}

void report(const std::string& name, const Count& count) {
    MESSAGE(name << ": " << count.bound << " of " << count.all << " are bound, " << count.kept_whole
                 << " as a text");
    for (const auto& [code, who] : count.reasons) {
        MESSAGE(code << ": " << who.size());
        for (std::size_t i = 0; i < who.size() && std::getenv("SATURA_VERBOSE") != nullptr; ++i)
            MESSAGE("  " << who[i]);
    }
}

bool skipped() {
    if (shared_folder()) return false;
    MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
    return true;
}

}  // namespace

TEST_CASE("queries that people wrote are bound") {
    if (skipped()) return;
    Count count;
    for (const Request& request : real_requests(*shared_folder())) bind(request, count);
    if (count.all == 0) {
        MESSAGE("skipped: the schemas could not be rewritten");
        return;
    }
    report("real queries", count);
    // The others name tables and columns that their schemas lack, or compare types that PostgreSQL
    // does not compare: it refuses each of them too.
    CHECK(count.bound * 100 >= count.all * 83);
    CHECK(count.kept_whole == 0);
}

TEST_CASE("cases of joins are bound") {
    if (skipped()) return;
    Count count;
    for (const auto& line : lines_of(*shared_folder() / "cases" / "joins.jsonl")) {
        for (const char* field : {"sql", "expected_sql"}) {
            if (!line.contains(field) || !line[field].is_string()) continue;
            bind({line.at("id").get<std::string>() + '/' + field, line.at("schema"), line[field]},
                 count);
        }
    }
    report("cases of joins", count);
    CHECK(count.bound == count.all);
    CHECK(count.kept_whole == 0);
}

TEST_CASE("queries of benchmarks are bound") {
    if (skipped()) return;
    for (const char* name : {"tpch", "tpcds", "job", "ssb"}) {
        const auto folder = *shared_folder() / "corpora" / name;
        std::string schema = read_file(folder / "schema.sql");
        if (std::filesystem::exists(folder / "fk.sql"))
            schema += '\n' + read_file(folder / "fk.sql");
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "queries"))
            files.push_back(entry.path());
        std::ranges::sort(files);
        Count count;
        for (const auto& file : files)
            bind({file.filename().string(), schema, read_file(file)}, count);
        report(name, count);
        CHECK(count.bound == count.all);
    }
}
