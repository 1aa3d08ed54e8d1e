#include "app/statements.hpp"

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_parse.hpp"

namespace satura::app {

namespace {

using lang::ParsedSql;
using lang::Token;

FileStatement::Kind kind_of(const PgQuery__Node& statement) {
    switch (statement.node_case) {
        case PG_QUERY__NODE__NODE_SELECT_STMT:
        case PG_QUERY__NODE__NODE_INSERT_STMT:
        case PG_QUERY__NODE__NODE_UPDATE_STMT:
        case PG_QUERY__NODE__NODE_DELETE_STMT:
        case PG_QUERY__NODE__NODE_MERGE_STMT:
        case PG_QUERY__NODE__NODE_EXPLAIN_STMT:
            return FileStatement::Kind::query;
        default:
            return FileStatement::Kind::schema;
    }
}

// From its first token to its last: comments around it and the semicolon are left out.
lang::Span span_of(const ParsedSql& sql, const PgQuery__RawStmt& raw) {
    const std::vector<Token>& tokens = sql.tokens();
    const auto begin = static_cast<std::uint32_t>(std::max(0, raw.stmt_location));
    const std::size_t first = sql.token_at(begin);
    const std::size_t end = raw.stmt_len > 0
                                ? sql.token_at(begin + static_cast<std::uint32_t>(raw.stmt_len))
                                : tokens.size();
    std::size_t last = std::min(end, tokens.size());
    while (last > first && sql.text()[tokens[last - 1].begin] == ';') --last;
    if (last == first) return {};
    return {sql.offset(tokens[first].begin), sql.offset(tokens[last - 1].end)};
}

// Where the line before the one that begins at `line_begin` begins.
std::size_t line_before(std::string_view text, std::size_t line_begin) {
    if (line_begin < 2) return 0;
    const std::size_t end = text.rfind('\n', line_begin - 2);
    return end == std::string_view::npos ? 0 : end + 1;
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t") == std::string_view::npos;
}

bool is_comment(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size())).starts_with("--");
}

}  // namespace

lang::Result<std::vector<FileStatement>> split_statements(std::string_view text,
                                                          lang::Dialect dialect) {
    const auto sql = lang::parse_sql(text, dialect);
    if (!sql) return sql.error();
    std::vector<FileStatement> statements;
    for (std::size_t i = 0; i < sql->tree().n_stmts; ++i) {
        const PgQuery__RawStmt& raw = *sql->tree().stmts[i];
        statements.push_back({kind_of(*raw.stmt), span_of(*sql, raw)});
    }
    return statements;
}

std::string only_statements(std::string_view text, const std::vector<FileStatement>& statements,
                            FileStatement::Kind kind) {
    std::string result(text.size(), ' ');
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') result[i] = '\n';
    }
    for (const FileStatement& statement : statements) {
        if (statement.kind != kind) continue;
        const lang::Span span = statement.span;
        result.replace(span.begin, span.end - span.begin,
                       text.substr(span.begin, span.end - span.begin));
        if (span.end < text.size()) result[span.end] = ';';
    }
    return result;
}

std::string statement_as_written(std::string_view text, const FileStatement& statement) {
    const lang::Span span = statement.span;
    const std::string_view before = text.substr(0, span.begin);
    const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
    std::string written;
    if (is_blank(before.substr(line))) {
        std::size_t begin = line;
        while (begin > 0) {
            const std::size_t above = line_before(text, begin);
            if (!is_comment(text.substr(above, begin - above))) break;
            begin = above;
        }
        written = text.substr(begin, line - begin);
    }
    return written.append(text.substr(span.begin, span.end - span.begin)).append(";");
}

}  // namespace satura::app
