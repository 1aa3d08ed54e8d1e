#include "app/sql_input.hpp"

#include <algorithm>
#include <iostream>

#include "app/settings.hpp"

namespace satura::app {

std::optional<SqlFile> read_sql_file(const std::string& path) {
    std::optional<std::string> text = read_input(path);
    if (text) return SqlFile{path == "-" ? "<stdin>" : path, std::move(*text)};
    std::cerr << "satura: cannot read the file " << path << "\n";
    return std::nullopt;
}

std::string place_text(const SqlFile& file, std::uint32_t offset) {
    const lang::Place place = lang::place_of(file.text, offset);
    return file.name + ':' + std::to_string(place.line) + ':' + std::to_string(place.column) + ": ";
}

bool SchemaText::add_ddl(const SqlFile& file, const std::vector<FileStatement>& statements) {
    const bool has_ddl =
        std::any_of(statements.begin(), statements.end(), [](const FileStatement& statement) {
            return statement.kind == FileStatement::Kind::schema;
        });
    if (!has_ddl) return false;
    // The other file may end in a comment, or without a semicolon.
    if (!text_.empty()) text_ += "\n;\n";
    queries_ = &file;
    queries_begin_ = static_cast<std::uint32_t>(text_.size());
    text_ += only_statements(file.text, statements, FileStatement::Kind::schema);
    return true;
}

const SqlFile& SchemaText::locate(lang::Span& span) const {
    if (queries_ == nullptr || (schema_ != nullptr && span.begin < queries_begin_)) return *schema_;
    span.begin -= queries_begin_;
    span.end = std::max(span.end, queries_begin_) - queries_begin_;
    return *queries_;
}

}  // namespace satura::app
