// The statements of an SQL file: those that make its schema, and its queries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"

namespace satura::app {

struct FileStatement {
    enum class Kind : std::uint8_t {
        schema,  // DDL, and whatever else sets the stage for queries
        query,   // reads or changes rows
    };
    Kind kind = Kind::schema;
    lang::Span span;  // in the file, without the semicolon
};

// Cuts a text at its semicolons, or says where it is no SQL. No name is looked up.
lang::Result<std::vector<FileStatement>> split_statements(std::string_view text,
                                                          lang::Dialect dialect);

// The text with everything but the statements of one kind blanked: lines and offsets stay.
std::string only_statements(std::string_view text, const std::vector<FileStatement>& statements,
                            FileStatement::Kind kind);

// The statement as it is written, with its semicolon and the comment lines right above it.
std::string statement_as_written(std::string_view text, const FileStatement& statement);

}  // namespace satura::app
