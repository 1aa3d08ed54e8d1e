// What `satura optimize` and `satura equal` read: a schema and queries over it. Mistakes are said on standard error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/sql_input.hpp"
#include "app/statements.hpp"
#include "optimizer/optimizer.hpp"

namespace satura::app {

class QueryFile {
  public:
    // Reads both, "-" being standard input; `schema` is a file of more DDL, empty for none. False if that fails.
    bool read(const std::string& file, const std::string& schema, lang::Dialect dialect);

    // Gives the optimizer the DDL of both and says its warnings. False, if it is wrong.
    bool set_schema(Optimizer& optimizer) const;

    const SqlFile& file() const { return queries_; }
    const std::vector<FileStatement>& statements() const { return statements_; }
    std::string text_of(const FileStatement& statement) const;

    // Says a mistake whose span is within the statement; returns false.
    bool fail(lang::Diagnostic error, const FileStatement& statement) const;
    void warn(std::uint32_t offset, const std::string& message) const;

  private:
    bool set_schema(Optimizer& optimizer, const SchemaText& schema) const;

    std::optional<SqlFile> schema_;
    SqlFile queries_;
    std::vector<FileStatement> statements_;
};

}  // namespace satura::app
