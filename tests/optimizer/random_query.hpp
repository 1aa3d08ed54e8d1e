// Random queries with nests of joins, for tests of plan rules.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace satura::test {

// The tables of the queries: keys, NOT NULL, mixed types.
extern const char* const random_query_schema;

// One query. The right side of an inner join under an alias that begins with hs or ha is read by its condition alone: such a
// join may become a semi or an anti join, which SQL has no syntax for.
class RandomQuery {
  public:
    explicit RandomQuery(std::uint64_t seed) : engine_(seed) {
        has_odd_numbers_ = chance(40);
        may_raise_ = chance(20);
        is_focused_ = chance(60);
    }
    std::string sql();
    // The schema with a CHECK on some of the tables.
    std::string schema_with_checks();

  private:
    enum class Kind : std::uint8_t { number, boolean, text };
    struct Column {
        std::string text;
        Kind kind = Kind::number;
    };
    using Columns = std::vector<Column>;
    struct From {
        std::string text;
        Columns columns;
    };

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
    bool chance(std::uint32_t percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(static_cast<std::uint32_t>(from.size()))];
    }
    std::string alias() { return "r" + std::to_string(aliases_++); }

    From table(const std::string& alias);
    From derived();
    From item(int depth);
    From join(int depth);
    From half_join(From left);
    std::string select(bool is_part);
    std::string grouped(const From& from, const std::string& where);

    const Column* column(const Columns& columns, Kind kind);
    std::string number(const Columns& columns, int depth);
    std::string number_constant();
    std::string text(const Columns& columns, int depth);
    std::string comparison(const Columns& columns, int depth);
    std::string null_test(const Columns& columns, int depth);
    std::string list_test(const Columns& columns, int depth);
    std::string subquery_test(const Columns& columns);
    std::string predicate(const Columns& columns, int depth);
    std::string join_condition(const Columns& left, const Columns& right);

    Columns focused(const Columns& columns);

    std::mt19937_64 engine_;
    // Of the whole query: constants beside small integers, expressions that may raise, predicates on a few columns only, so
    // that they meet.
    bool has_odd_numbers_ = false, may_raise_ = false, is_focused_ = false;
    int aliases_ = 1;
    int subqueries_ = 0;
};

}  // namespace satura::test
