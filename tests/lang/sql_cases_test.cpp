#include <doctest/doctest.h>
#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "lang/sql_expr.hpp"
#include "lang/sql_write.hpp"
#include "tests/golden.hpp"
#include "tests/lang/dump_expr.hpp"

using namespace satura;
using namespace satura::lang;
using namespace satura::test;

namespace {

// Reads the text, writes it and reads that: both trees must be the same, and so the second text.
void check_stable(const std::string& id, const std::string& columns_text, const std::string& text) {
    CAPTURE(id);
    CAPTURE(text);
    Context context;
    context.semantics = Semantics::of(Dialect::postgres);
    const auto columns = parse_columns(columns_text, context);
    REQUIRE_MESSAGE(columns, columns.error().message);
    Exprs exprs;
    const auto root = parse_expr(text, *columns, exprs, context);
    CHECK_MESSAGE(root, root.error().message);
    if (!root) return;
    const std::string written = write_expr(exprs, *root, *columns, context);
    CAPTURE(written);
    const auto again = parse_expr(written, *columns, exprs, context);
    CHECK_MESSAGE(again, again.error().message);
    if (!again) return;
    const std::string trees = dump_expr(exprs, *root, *columns, context) + "  /  " +
                              dump_expr(exprs, *again, *columns, context);
    CHECK_MESSAGE(same_expr(exprs, *root, context, exprs, *again, context), trees);
    CHECK(write_expr(exprs, *again, *columns, context) == written);
}

std::vector<nlohmann::json> lines_of(const std::string& name) {
    std::vector<nlohmann::json> lines;
    const auto folder = shared_folder();
    if (!folder) {
        MESSAGE("skipped: no folder of case files (set SATURA_SHARED)");
        return lines;
    }
    std::ifstream in(*folder / "cases" / name);
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

}  // namespace

TEST_CASE("cases of casts are read and written") {
    for (const auto& line : lines_of("casts.jsonl")) {
        const std::string columns = "x " + line.at("col_type").get<std::string>();
        std::vector<std::string> texts{line.at("expr"), line.at("expected")};
        if (line.contains("alts")) {
            for (const auto& alt : line.at("alts")) texts.push_back(alt);
        }
        for (const auto& text : texts) check_stable(line.at("id"), columns, text);
    }
}

TEST_CASE("cases of expressions are read and written") {
    for (const auto& line : lines_of("expressions.jsonl")) {
        std::string columns;
        for (const auto& [name, type] : line.at("cols").items()) {
            if (!columns.empty()) columns += ", ";
            columns += fmt::format("{} {}", name, type.get<std::string>());
        }
        for (const auto* key : {"expr", "expected"})
            check_stable(line.at("id"), columns, line.at(key));
    }
}
