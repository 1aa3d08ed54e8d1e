// A real database that says what an expression is on each row of a table.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/semantics.hpp"

namespace satura::test {

// What an expression gives on one row: a value's text, NULL, or an error with its message.
struct Tried {
    enum class State : std::uint8_t { value, null, error } state;
    std::string text;
    std::string type = {};  // of a value, as the engine names it

    bool operator==(const Tried&) const = default;
};

class Engine {
  public:
    virtual ~Engine() = default;
    virtual lang::Dialect dialect() const = 0;

    // Runs a statement without a result; the error's message, empty if there is none.
    virtual std::string run(const std::string& statement) = 0;

    // The expression on each row of the table `samples`, whose column n counts its `rows` rows from 0. An error on one row
    // says nothing of the others.
    virtual std::vector<Tried> evaluate(const std::string& expression, std::size_t rows) = 0;
    // On one row alone.
    virtual Tried evaluate_row(const std::string& expression, std::size_t row) = 0;
};

// An engine, or why there is none.
struct Found {
    std::unique_ptr<Engine> engine;
    std::string why_not;
};

// A private server that lives as long as the engine.
Found find_postgres();
// The library that SATURA_DUCKDB_LIBRARY names, else libduckdb.so; the database is in memory.
Found find_duckdb();

}  // namespace satura::test
