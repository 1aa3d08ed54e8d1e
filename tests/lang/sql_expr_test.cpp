#include <doctest/doctest.h>
#include <fmt/core.h>

#include <chrono>

#include "lang/sql_expr.hpp"
#include "lang/sql_write.hpp"
#include "tests/golden.hpp"
#include "tests/lang/dump_expr.hpp"

using namespace satura;
using namespace satura::lang;
using namespace satura::test;

namespace {

Context context_of(const Block& block) {
    Context context;
    bool found = false;
    context.semantics =
        Semantics::of(dialect_from_name(block.value("dialect").value_or("postgres"), found));
    return context;
}

std::string one_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

// bind: the tree, what is written for it, and a remark where that is read as another tree.
std::string bind(const Block& block) {
    Context context = context_of(block);
    const auto columns = parse_columns(block.value("columns").value_or(""), context);
    if (!columns) return render(columns.error(), "columns", block.value("columns").value_or(""));
    std::string out;
    std::string_view rest = block.input;
    while (!rest.empty()) {
        const std::string line(rest.substr(0, rest.find('\n')));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        Exprs exprs;
        const auto root = parse_expr(line, *columns, exprs, context);
        if (!root) {
            out += render(root.error(), "expr", line);
            if (!out.ends_with('\n')) out += '\n';
            continue;
        }
        const std::string text = write_expr(exprs, *root, *columns, context);
        out += fmt::format("{}\n    {}\n", text, dump_expr(exprs, *root, *columns, context));
        Exprs again;
        const auto second = parse_expr(text, *columns, again, context);
        if (!second) {
            out += "    NOT READ BACK: " + second.error().message + '\n';
        } else if (!same_expr(exprs, *root, context, again, *second, context)) {
            out += "    READ BACK AS: " + dump_expr(again, *second, *columns, context) + '\n';
        }
    }
    return out;
}

std::string columns_command(const Block& block) {
    Context context = context_of(block);
    const std::string text = one_line(block.input);
    const auto columns = parse_columns(text, context);
    if (!columns) return render(columns.error(), "columns", text);
    std::string out;
    for (const Column& column : *columns) {
        out += fmt::format("{} {}{}\n", write_name(column.name, context.semantics.dialect),
                           write_type(column.type, context), column.nullable ? "" : " not null");
    }
    return out;
}

std::string answer(const Block& block) {
    if (block.command == "bind") return bind(block);
    if (block.command == "columns") return columns_command(block);
    return "unknown command";
}

std::string repeated(std::string_view first, std::string_view more, int times) {
    std::string text(first);
    for (int i = 0; i < times; ++i) text += more;
    return text;
}

// Far above what is needed, for loaded machines and sanitizers; an exponential or cubic reader is beyond it.
constexpr double seconds_max = 60;

struct Parsed {
    bool ok = false;
    Diagnostic error;
    std::string text;
    double seconds = 0;
};

Parsed parse(const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    Context context;
    context.semantics = Semantics::of(Dialect::postgres);
    const std::vector<Column> columns{{"x", Type(TypeKind::integer), true},
                                      {"b", Type(TypeKind::boolean), true}};
    Exprs exprs;
    Parsed parsed;
    const auto root = parse_expr(text, columns, exprs, context);
    parsed.ok = static_cast<bool>(root);
    if (!root) {
        parsed.error = root.error();
    } else {
        parsed.text = write_expr(exprs, *root, columns, context);
    }
    parsed.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return parsed;
}

}  // namespace

TEST_CASE("golden files of the SQL reader and writer") {
    for (const auto& path : golden_files("tests/data/sql")) run_golden(path, answer);
}

TEST_CASE("long flat chains are read and written") {
    constexpr int links = 10'000;
    for (const auto& [first, more] :
         {std::pair{"b", " and x > 1"}, std::pair{"b", " or x > 1"}, std::pair{"x", " + 1"},
          std::pair{"x", "::bigint::integer"}, std::pair{"b", " is true"},
          std::pair{"b", " and b or b"}, std::pair{"x", " - x * 2"}}) {
        CAPTURE(more);
        const std::string text =
            repeated(first, more, more == std::string("::bigint::integer") ? links / 2 : links);
        const Parsed parsed = parse(text);
        CHECK_MESSAGE(parsed.ok, parsed.error.message);
        CHECK(parsed.seconds < seconds_max);
        if (std::string_view(more) == " + 1") CHECK(parsed.text == text);
    }
}

TEST_CASE("deep nesting is read, or refused with a position") {
    for (const auto& [open, middle, close] :
         {std::tuple{"(", "x", ")"}, std::tuple{"not ", "b", ""}, std::tuple{"- ", "x", ""},
          std::tuple{"f(", "x", ")"}, std::tuple{"b and (b or (", "b", "))"},
          std::tuple{"case when b then ", "1", " end"}}) {
        CAPTURE(open);
        for (const int levels : {100, 1'000, 10'000, 100'000}) {
            const Parsed parsed =
                parse(repeated("", open, levels) + middle + repeated("", close, levels));
            CHECK(parsed.seconds < seconds_max);
            if (!parsed.ok) CHECK(parsed.error.code == "too-deep");
            if (levels <= 100) CHECK(parsed.ok);
        }
    }
}

TEST_CASE("chains beyond the limit are refused") {
    for (const std::string_view more : {" + 1", "::bigint"}) {
        const Parsed parsed = parse(repeated("x", more, 30'000));
        CHECK_FALSE(parsed.ok);
        CHECK(parsed.error.code == "too-deep");
        CHECK(parsed.error.span.begin > 0);
    }
}

TEST_CASE("text that is no text is refused") {
    CHECK(parse(std::string("x > 1\0or true", 13)).error.code == "invalid-text");
    CHECK(parse("x = '\xff'").error.span.begin == 5);
    CHECK(parse("").error.code == "syntax-error");
    CHECK(parse("  -- nothing\n").error.code == "syntax-error");
}
