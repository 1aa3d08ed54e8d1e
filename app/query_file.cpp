#include "app/query_file.hpp"

#include <fmt/core.h>

#include <iostream>

namespace satura::app {

namespace {

bool say(const lang::Diagnostic& error, const SqlFile& file) {
    std::cerr << lang::render(error, file.name, file.text);
    return false;
}

void say_warning(const SqlFile& file, std::uint32_t offset, const std::string& message) {
    std::cerr << fmt::format("{}warning: {}\n", place_text(file, offset), message);
}

}  // namespace

bool QueryFile::read(const std::string& file, const std::string& schema, lang::Dialect dialect) {
    if (!schema.empty()) {
        schema_ = read_sql_file(schema);
        if (!schema_) return false;
    }
    auto queries = read_sql_file(file);
    if (!queries) return false;
    queries_ = std::move(*queries);
    auto statements = split_statements(queries_.text, dialect);
    if (!statements) return say(statements.error(), queries_);
    statements_ = std::move(*statements);
    return true;
}

bool QueryFile::set_schema(Optimizer& optimizer) const {
    SchemaText schema(schema_ ? &*schema_ : nullptr);
    // Alone at first: at its end, a mistake would be one of what follows.
    if (schema_ && !set_schema(optimizer, schema)) return false;
    if (schema.add_ddl(queries_, statements_) && !set_schema(optimizer, schema)) return false;
    for (lang::Diagnostic warning : optimizer.schema_warnings()) {
        const SqlFile& file = schema.locate(warning.span);
        say_warning(file, warning.span.begin, warning.message);
    }
    return true;
}

bool QueryFile::set_schema(Optimizer& optimizer, const SchemaText& schema) const {
    auto error = optimizer.set_schema(schema.text());
    if (!error) return true;
    const SqlFile& file = schema.locate(error->span);
    return say(*error, file);
}

std::string QueryFile::text_of(const FileStatement& statement) const {
    return queries_.text.substr(statement.span.begin, statement.span.end - statement.span.begin);
}

bool QueryFile::fail(lang::Diagnostic error, const FileStatement& statement) const {
    error.span.begin += statement.span.begin;
    error.span.end += statement.span.begin;
    return say(error, queries_);
}

void QueryFile::warn(std::uint32_t offset, const std::string& message) const {
    say_warning(queries_, offset, message);
}

}  // namespace satura::app
