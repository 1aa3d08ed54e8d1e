// Random SQL expressions as people write them: types are mixed and literals bare, so that the dialect decides on casts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>

namespace satura::test {

// Over the columns of sample_columns(). Not all of them are valid: the engine and the binder say which.
class RandomSql {
  public:
    explicit RandomSql(std::uint64_t seed) : random_(seed) {}

    std::string predicate(int depth);
    // A number, a text, a date or timestamp, or a predicate.
    std::string value(int depth);

  private:
    using Maker = std::string (RandomSql::*)(int);

    std::size_t below(std::size_t n) { return random_() % n; }
    std::string_view one_of(std::initializer_list<std::string_view> choices);
    std::string number(int depth);
    std::string text(int depth);
    std::string time(int depth);
    Maker family();
    std::string branches(Maker make, int depth);
    std::string comparison(int depth);

    std::mt19937_64 random_;
};

}  // namespace satura::test
