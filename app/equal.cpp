// satura equal
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/query_file.hpp"
#include "app/settings.hpp"
#include "lang/sql_scan.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

namespace {

using lang::Token;

// A part of the file.
struct Part {
    lang::Span span;
    std::string text;
};

int say(const EqualAnswer& answer) {
    if (answer.stop != egraph::StopReason::saturated)
        std::cerr << "satura: stopped early: " << egraph::stop_name(answer.stop) << "\n";
    if (answer.is_equal) {
        std::cout << "equal\n";
        if (!answer.rules.empty())
            std::cout << fmt::format("rules: {}\n", fmt::join(answer.rules, ", "));
        return exit_done;
    }
    std::cout << "not proved equal\n";
    if (!answer.reason.empty()) std::cout << fmt::format("reason: {}\n", answer.reason);
    return exit_no;
}

int fail(lang::Diagnostic error, const SqlFile& file, std::uint32_t offset = 0) {
    error.span.begin += offset;
    error.span.end += offset;
    std::cerr << lang::render(error, file.name, file.text);
    return exit_mistake;
}

// What is wrong with the number of things to compare: one too many, or none where the text ends.
lang::Diagnostic not_two(const char* what, const SqlFile& file,
                         const std::vector<lang::Span>& spans) {
    const auto end = static_cast<std::uint32_t>(file.text.find_last_not_of(" \t\r\n") + 1);
    return {"not-two", spans.size() > 2 ? spans[2] : lang::Span{end, end},
            fmt::format("two {} are compared, and here {}", what,
                        spans.size() > 2 ? "is one more" : "the text ends"),
            fmt::format("write two {} with a semicolon between them", what)};
}

// The text between semicolons, without what is blank.
std::vector<Part> split_expressions(const std::string& text) {
    std::vector<Part> parts;
    const auto add = [&](std::uint32_t begin, std::uint32_t end) {
        constexpr const char* blanks = " \t\r\n";
        const std::string part = text.substr(begin, end - begin);
        const auto first = part.find_first_not_of(blanks);
        if (first == std::string::npos) return;
        const auto last = part.find_last_not_of(blanks) + 1;
        const auto at = begin + static_cast<std::uint32_t>(first);
        parts.push_back(
            {{at, begin + static_cast<std::uint32_t>(last)}, part.substr(first, last - first)});
    };
    std::uint32_t begin = 0;
    for (const Token& token : lang::scan_tokens(text)) {
        if (text[token.begin] != ';') continue;
        add(begin, token.begin);
        begin = token.end;
    }
    add(begin, static_cast<std::uint32_t>(text.size()));
    return parts;
}

int compare_expressions(const EqualOptions& options, const lang::Semantics& semantics,
                        std::vector<rules::Source> more) {
    const auto file = read_sql_file(options.file);
    if (!file) return exit_mistake;
    if (const auto bad = lang::first_bad_byte(file->text)) {
        return fail({"bad-text", {*bad, *bad + 1}, "this is no text in UTF-8 without NUL", {}},
                    *file);
    }
    const std::vector<Part> parts = split_expressions(file->text);
    std::vector<lang::Span> spans;
    for (const Part& part : parts) spans.push_back(part.span);
    if (parts.size() != 2) return fail(not_two("expressions", *file, spans), *file);
    Simplifier simplifier(semantics, std::move(more));
    for (const std::string& error : simplifier.rule_errors()) std::cerr << error;
    if (!simplifier.rule_errors().empty()) return exit_mistake;
    SimplifyRequest request{*options.columns, parts[0].text, SimplifyRequest::Context::value,
                            options.limits};
    if (options.context == "filter") request.context = SimplifyRequest::Context::filter;
    request.limits.interrupt = &watch_interrupts();
    const auto result = simplifier.prove_equal(request, parts[1].text);
    if (const auto* error = std::get_if<RequestError>(&result)) {
        if (error->in == "columns") return fail(error->diagnostic, {"--columns", *options.columns});
        return fail(error->diagnostic, *file, spans[error->in == "equal_to"].begin);
    }
    return say(std::get<EqualAnswer>(result));
}

int compare_queries(const EqualOptions& options, const lang::Semantics& semantics,
                    std::vector<rules::Source> more) {
    QueryFile file;
    if (!file.read(options.file, options.schema, semantics.dialect)) return exit_mistake;
    std::vector<FileStatement> queries;
    std::vector<lang::Span> spans;
    for (const FileStatement& statement : file.statements()) {
        if (statement.kind != FileStatement::Kind::query) continue;
        queries.push_back(statement);
        spans.push_back(statement.span);
    }
    if (queries.size() != 2) return fail(not_two("queries", file.file(), spans), file.file());
    Optimizer optimizer(semantics, std::move(more));
    for (const std::string& error : optimizer.rule_errors()) std::cerr << error;
    if (!optimizer.rule_errors().empty() || !file.set_schema(optimizer)) return exit_mistake;
    OptimizeRequest request{file.text_of(queries[0]), options.limits};
    request.limits.interrupt = &watch_interrupts();
    const auto result = optimizer.prove_equal(request, file.text_of(queries[1]));
    if (const auto* error = std::get_if<RequestError>(&result)) {
        file.fail(error->diagnostic, queries[error->in == "equal_to"]);
        return exit_mistake;
    }
    return say(std::get<EqualAnswer>(result));
}

// What is wrong with the words of the command line; empty if nothing is.
std::string words_mistake(const EqualOptions& options) {
    if (options.columns && !options.schema.empty())
        return "--schema goes with queries and --columns with expressions";
    if (!options.columns && options.context != "value")
        return "--context goes with expressions, whose columns --columns names";
    if (options.file == "-" && options.schema == "-")
        return "standard input cannot be both the queries and the schema";
    return {};
}

}  // namespace

int run_equal(const EqualOptions& options) {
    std::string mistake = words_mistake(options);
    const auto dialect = read_dialect(options.dialect);
    if (const auto* error = std::get_if<std::string>(&dialect)) mistake = *error;
    if (!mistake.empty()) {
        std::cerr << "satura: " << mistake << "\n";
        return exit_mistake;
    }
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    const auto semantics = lang::Semantics::of(std::get<lang::Dialect>(dialect));
    const auto compare = options.columns ? compare_expressions : compare_queries;
    return compare(options, semantics, std::move(more));
}

}  // namespace satura::app
