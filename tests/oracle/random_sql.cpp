#include "tests/oracle/random_sql.hpp"

#include <fmt/format.h>

namespace satura::test {

std::string_view RandomSql::one_of(std::initializer_list<std::string_view> choices) {
    return choices.begin()[below(choices.size())];
}

RandomSql::Maker RandomSql::family() {
    switch (below(5)) {
        case 0:
            return &RandomSql::text;
        case 1:
            return &RandomSql::time;
        default:
            return &RandomSql::number;
    }
}

std::string RandomSql::value(int depth) {
    return below(4) == 0 ? predicate(depth) : (this->*family())(depth);
}

std::string RandomSql::branches(Maker make, int depth) {
    const auto next = [&] { return (this->*make)(depth); };
    switch (below(7)) {
        case 0:
            return fmt::format("coalesce({}, {})", next(), next());
        case 1:
            return fmt::format("greatest({}, {}, {})", next(), next(), next());
        case 2:
            return fmt::format("least({}, {})", next(), next());
        case 3:
            return fmt::format("nullif({}, {})", next(), next());
        case 4:
            return fmt::format("case when {} then {} end", predicate(depth), next());
        case 5:
            return fmt::format("case {} when {} then {} when {} then {} else {} end", next(),
                               next(), next(), next(), next(), next());
        default:
            return fmt::format("case when {} then {} else {} end", predicate(depth), next(),
                               next());
    }
}

std::string RandomSql::number(int depth) {
    if (depth <= 0 || below(4) == 0) {
        if (below(3) != 0) return std::string(one_of({"a", "b", "c", "d", "e", "f", "g"}));
        return std::string(one_of({"0",
                                   "1",
                                   "-1",
                                   "2",
                                   "3",
                                   "5",
                                   "10",
                                   "100",
                                   "127",
                                   "128",
                                   "-129",
                                   "32767",
                                   "32768",
                                   "-32768",
                                   "40000",
                                   "2147483647",
                                   "-2147483648",
                                   "2147483648",
                                   "9223372036854775807",
                                   "0.5",
                                   "1.0",
                                   "1.50",
                                   "2.5",
                                   "-99.99",
                                   "100.55",
                                   "1000.555",
                                   "1e3",
                                   "1e-7",
                                   "null",
                                   "'5'",
                                   "'1.5'",
                                   "cast(2 as smallint)",
                                   "cast(0.1 as real)",
                                   "cast(0.1 as double precision)"}));
    }
    --depth;
    switch (below(9)) {
        case 0:
        case 1:
        case 2:
            return branches(&RandomSql::number, depth);
        case 3:
            return fmt::format("(- {})", number(depth));
        case 4:
            return fmt::format("cast({} as {})", below(8) == 0 ? predicate(depth) : number(depth),
                               one_of({"smallint", "integer", "bigint", "real", "double precision",
                                       "decimal(5,2)", "decimal(10,4)", "decimal(3,0)"}));
        case 5:
            return fmt::format("{}({})", one_of({"abs", "ceil", "floor", "round", "sign"}),
                               number(depth));
        default:
            return fmt::format("({} {} {})", number(depth), one_of({"+", "-", "*", "/", "%"}),
                               number(depth));
    }
}

std::string RandomSql::text(int depth) {
    if (depth <= 0 || below(4) == 0)
        return std::string(one_of({"s", "s", "v", "v", "'a'", "'abc'", "'abcd'", "''", "' '", "'5'",
                                   "null", "cast('a' as varchar(3))"}));
    --depth;
    switch (below(5)) {
        case 0:
            return fmt::format("({} || {})", text(depth), text(depth));
        case 1:
            return fmt::format("{}({})", one_of({"lower", "trim", "ltrim", "rtrim"}), text(depth));
        case 2:
            return fmt::format("cast({} as {})", text(depth),
                               one_of({"varchar(2)", "text", "varchar"}));
        default:
            return branches(&RandomSql::text, depth);
    }
}

std::string RandomSql::time(int depth) {
    if (depth <= 0 || below(4) == 0)
        return std::string(one_of({"h", "h", "i", "i", "date '2024-02-29'", "'1999-12-31'",
                                   "timestamp '2024-01-01 12:00:00'", "null"}));
    --depth;
    switch (below(4)) {
        case 0:
            return fmt::format("cast({} as {})", time(depth), one_of({"date", "timestamp"}));
        case 1:
            return fmt::format("({} {} {})", one_of({"h", "date '2024-02-29'"}), one_of({"+", "-"}),
                               one_of({"1", "b", "31", "interval '1 month'"}));
        default:
            return branches(&RandomSql::time, depth);
    }
}

std::string RandomSql::comparison(int depth) {
    const Maker make = family();
    const auto next = [&] { return (this->*make)(depth); };
    switch (below(8)) {
        case 0:
            return fmt::format("({} is {}null)", next(), one_of({"", "not "}));
        case 1: {
            std::string items = next();
            for (std::size_t i = below(4); i > 0; --i) items += ", " + next();
            return fmt::format("({} {}in ({}))", next(), one_of({"", "not "}), items);
        }
        case 2:
            return fmt::format("({} {}between {} and {})", next(), one_of({"", "not "}), next(),
                               next());
        case 3:
            return fmt::format("({} {}like {})", text(depth), one_of({"", "not "}),
                               one_of({"'a%'", "'%'", "'abc'", "'_b%'", "''", "v", "null"}));
        default:
            return fmt::format("({} {} {})", next(),
                               one_of({"=", "<>", "<", "<=", ">", ">=", "is distinct from",
                                       "is not distinct from"}),
                               next());
    }
}

std::string RandomSql::predicate(int depth) {
    if (depth <= 0) return std::string(one_of({"p", "q", "p", "q", "true", "false", "null"}));
    --depth;
    switch (below(9)) {
        case 0:
        case 1:
            return fmt::format("({} and {})", predicate(depth), predicate(depth));
        case 2:
            return fmt::format("({} or {})", predicate(depth), predicate(depth));
        case 3:
            return fmt::format("(not {})", predicate(depth));
        case 4:
            return fmt::format("({} is {}{})", predicate(depth), one_of({"", "not "}),
                               one_of({"true", "false", "unknown", "null"}));
        default:
            return comparison(depth);
    }
}

}  // namespace satura::test
