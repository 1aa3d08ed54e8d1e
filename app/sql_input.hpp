// The SQL that `satura optimize` reads: a schema, and queries over it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/statements.hpp"
#include "lang/diagnostic.hpp"

namespace satura::app {

struct SqlFile {
    std::string name;  // as messages show it
    std::string text;
};

// The file, or standard input for "-". If it cannot be read, it says so on standard error; then
// nothing.
std::optional<SqlFile> read_sql_file(const std::string& path);

// "file:line:column: ", where the offset stands.
std::string place_text(const SqlFile& file, std::uint32_t offset);

// The schema of a run: what --schema names, then the DDL of the file with the queries. It is one
// text, because a schema is set as a whole, and it knows which file each piece came from.
class SchemaText {
  public:
    // The file of --schema stands alone until DDL is added.
    explicit SchemaText(const SqlFile* schema) : schema_(schema) {
        if (schema_ != nullptr) text_ = schema_->text;
    }

    // `statements` are those of the file. False where none of them is DDL: nothing was added.
    bool add_ddl(const SqlFile& file, const std::vector<FileStatement>& statements);

    const std::string& text() const { return text_; }

    // Moves the span into the file that it came from, and returns that.
    const SqlFile& locate(lang::Span& span) const;

  private:
    const SqlFile* schema_;
    const SqlFile* queries_ = nullptr;
    std::uint32_t queries_begin_ = 0;  // in text_
    std::string text_;
};

}  // namespace satura::app
