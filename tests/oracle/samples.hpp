// The table `samples`: rows of boundary values that an engine holds.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/expr.hpp"
#include "tests/oracle/engine.hpp"

namespace satura::test {

class Samples {
  public:
    static constexpr std::size_t rows = 40;

    // Tries every boundary value of every column on the engine and makes the empty table.
    Samples(Engine& engine, const std::vector<lang::Column>& columns, lang::Context& context);

    // Other rows; the same seed gives the same on every machine.
    void fill(std::uint64_t seed);

    // " a=0 b=null …" of one row.
    std::string describe(std::size_t row) const;
    // How many values the engine did not take.
    std::size_t refused() const { return refused_; }
    // What went wrong, empty if nothing did.
    const std::string& error() const { return error_; }

  private:
    void run(const std::string& statement);

    Engine& engine_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> values_;  // SQL texts of the values of each column
    std::vector<std::vector<std::string>> table_;   // a row's texts
    std::size_t refused_ = 0;
    std::string error_;
};

}  // namespace satura::test
