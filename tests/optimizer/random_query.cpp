#include "tests/optimizer/random_query.hpp"

#include <fmt/format.h>

namespace satura::test {

const char* const random_query_schema =
    "create table t1(id int primary key, a int, b int not null, n numeric, f boolean, s text);"
    "create table t2(id int primary key, a int, b bigint not null, n numeric(6,2),"
    " f boolean not null, s text not null);"
    "create table t3(id bigint primary key, a int not null, b int, n double precision, f boolean,"
    " s varchar(3));"
    "create table t4(id int, a int, b smallint, n double precision not null, f boolean, s "
    "char(3));";

RandomQuery::From RandomQuery::table(const std::string& alias) {
    From out;
    out.text = fmt::format("t{} {}", 1 + below(4), alias);
    for (const char* name : {"id", "a", "b", "n"})
        out.columns.push_back({alias + '.' + name, Kind::number});
    out.columns.push_back({alias + ".f", Kind::boolean});
    out.columns.push_back({alias + ".s", Kind::text});
    return out;
}

// A derived table: computed columns, groups, DISTINCT, UNION ALL.
RandomQuery::From RandomQuery::derived() {
    const From inner = table(alias());
    const std::string outer = alias();
    From out;
    const std::string where = chance(50) ? " where " + predicate(inner.columns, 1) : std::string();
    const std::string key = inner.columns[1 + below(3)].text;
    switch (below(5)) {
        case 0:
            out.text = fmt::format(
                "(select {0} as k, count(*) as c, max({1}) as m from {2}{3} group by {0}{4}) {5}",
                key, inner.columns[1].text, inner.text, where,
                chance(50) ? " having count(*) > 1" : "", outer);
            out.columns = {{outer + ".k", Kind::number},
                           {outer + ".c", Kind::number},
                           {outer + ".m", Kind::number}};
            break;
        case 1:
            out.text = fmt::format("(select distinct {} as k, {} as f from {}{}) {}", key,
                                   inner.columns[4].text, inner.text, where, outer);
            out.columns = {{outer + ".k", Kind::number}, {outer + ".f", Kind::boolean}};
            break;
        case 2: {
            const From other = table(alias());
            out.text = fmt::format(
                "(select {} as k, {} as s from {}{} union all select {}, {} from {}) {}", key,
                inner.columns[5].text, inner.text, where, other.columns[1].text,
                other.columns[5].text, other.text, outer);
            out.columns = {{outer + ".k", Kind::number}, {outer + ".s", Kind::text}};
            break;
        }
        default:
            out.text = fmt::format("(select {} as k, {} as x, {} as f, {} as s from {}{}) {}", key,
                                   number(inner.columns, 1), predicate(inner.columns, 0),
                                   text(inner.columns, 1), inner.text, where, outer);
            out.columns = {{outer + ".k", Kind::number},
                           {outer + ".x", Kind::number},
                           {outer + ".f", Kind::boolean},
                           {outer + ".s", Kind::text}};
    }
    return out;
}

RandomQuery::From RandomQuery::item(int depth) {
    if (depth > 0 && chance(70)) return join(depth - 1);
    return chance(20) ? derived() : table(alias());
}

std::string RandomQuery::join_condition(const Columns& left, const Columns& right) {
    Columns both = left;
    both.insert(both.end(), right.begin(), right.end());
    std::string out;
    if (chance(75)) {
        const Column* a = column(left, Kind::number);
        const Column* b = chance(30) ? &right[0] : column(right, Kind::number);  // often a key
        if (a != nullptr && b != nullptr)
            out = a->text + (chance(85) ? " = " : " is not distinct from ") + b->text;
    }
    if (out.empty() || chance(50)) {
        if (!out.empty()) out += " and ";
        out += predicate(focused(both), 1);
    }
    return out;
}

RandomQuery::From RandomQuery::join(int depth) {
    From left = item(depth);
    From right = item(depth - 1);
    static const std::vector<std::string> kinds = {
        "join",       "join",       "left join", "left join", "left join",
        "right join", "right join", "full join", "full join", "cross join"};
    const std::string kind = pick(kinds);
    From out;
    out.columns = left.columns;
    out.columns.insert(out.columns.end(), right.columns.begin(), right.columns.end());
    const bool is_tables = left.text.find(' ') == 2 && right.text.find(' ') == 2 &&
                           left.text.size() < 8 && right.text.size() < 8;
    std::string condition;
    if (kind != "cross join") {
        static const std::vector<std::string> names = {"id", "a", "b"};
        condition = is_tables && chance(15) ? " using (" + pick(names) + ')'
                                            : " on " + join_condition(left.columns, right.columns);
    }
    out.text = fmt::format("({} {} {}{})", left.text, kind, right.text, condition);
    return chance(12) ? half_join(std::move(out)) : out;
}

RandomQuery::From RandomQuery::half_join(From left) {
    const From right = table((chance(50) ? "hs" : "ha") + std::to_string(aliases_++));
    left.text = fmt::format("({} join {} on {})", left.text, right.text,
                            join_condition(left.columns, right.columns));
    return left;
}

const RandomQuery::Column* RandomQuery::column(const Columns& columns, Kind kind) {
    std::vector<const Column*> fit;
    for (const Column& column : columns) {
        if (column.kind == kind) fit.push_back(&column);
    }
    return fit.empty() ? nullptr : pick(fit);
}

RandomQuery::Columns RandomQuery::focused(const Columns& columns) {
    if (!is_focused_ || columns.size() < 4) return columns;
    Columns out;
    for (std::uint32_t i = 2 + below(3); i > 0; --i) out.push_back(pick(columns));
    return out;
}

std::string RandomQuery::number_constant() {
    static const std::vector<std::string> constants = {"0",
                                                       "1",
                                                       "1",
                                                       "2",
                                                       "2",
                                                       "3",
                                                       "1.0",
                                                       "1.00",
                                                       "1.5",
                                                       "-1",
                                                       "null::int",
                                                       "'NaN'::numeric",
                                                       "'-0.0'::double precision",
                                                       "'-0.0'::double precision",
                                                       "'NaN'::double precision",
                                                       "2147483647",
                                                       "0.0",
                                                       "'Infinity'::double precision"};
    return chance(has_odd_numbers_ ? 50 : 95) ? std::to_string(below(4)) : pick(constants);
}

std::string RandomQuery::number(const Columns& columns, int depth) {
    const Column* c = column(columns, Kind::number);
    if (c == nullptr) return number_constant();
    if (depth <= 0 || chance(55)) return chance(75) ? c->text : number_constant();
    if (may_raise_ && chance(40)) {
        return chance(50) ? fmt::format("({} / {})", number(columns, 0), c->text)
                          : fmt::format("({} + 2147483646)::int", c->text);
    }
    switch (below(9)) {
        case 0:
            return fmt::format("({} + {})", c->text, number(columns, depth - 1));
        case 1:
            return fmt::format("({} * {})", c->text, number(columns, depth - 1));
        case 2: {
            static const std::vector<std::string> types = {
                "bigint", "numeric", "numeric(6,2)", "double precision", "int", "smallint", "real"};
            return fmt::format("{}::{}", c->text, pick(types));
        }
        case 3:
            return fmt::format("coalesce({}, {})", c->text, number(columns, depth - 1));
        case 4:
            return fmt::format("case when {} then {} else {} end", predicate(columns, depth - 1),
                               number(columns, 0), number(columns, 0));
        case 5:
            return fmt::format("nullif({}, {})", c->text, number(columns, 0));
        case 6:
            return fmt::format("greatest({}, {})", c->text, number(columns, 0));
        case 7:
            return fmt::format("abs({})", c->text);
        default:
            return fmt::format("(- {})", c->text);
    }
}

std::string RandomQuery::text(const Columns& columns, int depth) {
    static const std::vector<std::string> constants = {"'a'",  "'b'",  "''",
                                                       "'a '", "'ab'", "null::text"};
    const Column* c = column(columns, Kind::text);
    if (c == nullptr || chance(25)) return pick(constants);
    if (depth <= 0 || chance(60)) return c->text;
    switch (below(4)) {
        case 0:
            return fmt::format("coalesce({}, {})", c->text, text(columns, 0));
        case 1:
            return fmt::format("{}::text", c->text);
        case 2:
            return fmt::format("upper({})", c->text);
        default:
            return fmt::format("case when {} then {} else {} end", predicate(columns, depth - 1),
                               c->text, text(columns, 0));
    }
}

std::string RandomQuery::comparison(const Columns& columns, int depth) {
    static const std::vector<std::string> ops = {
        "=", "=", "=", "=", "<>", "<", "<=", ">", ">=", "<=>", "is distinct from"};
    if (chance(80))
        return fmt::format("{} {} {}", number(columns, depth), pick(ops), number(columns, depth));
    static const std::vector<std::string> text_ops = {"=", "=",  "=",    "<>",
                                                      "<", ">=", "like", "is not distinct from"};
    return fmt::format("{} {} {}", text(columns, depth), pick(text_ops), text(columns, depth));
}

std::string RandomQuery::null_test(const Columns& columns, int depth) {
    const std::string test = chance(50) ? " is null" : " is not null";
    if (chance(70)) return number(columns, depth) + test;
    if (chance(50)) return text(columns, depth) + test;
    return fmt::format("({}){}", predicate(columns, depth - 1), test);
}

std::string RandomQuery::list_test(const Columns& columns, int depth) {
    const std::string negated = chance(25) ? "not " : "";
    if (chance(40)) {
        return fmt::format("{} {}between {} and {}", number(columns, 0), negated,
                           number(columns, 0), number(columns, depth));
    }
    std::string list = number(columns, 0);
    for (std::uint32_t i = below(3); i > 0; --i) list += ", " + number_constant();
    return fmt::format("{} {}in ({})", number(columns, 0), negated, list);
}

std::string RandomQuery::subquery_test(const Columns& columns) {
    ++subqueries_;
    From inner = table(alias());
    if (chance(30)) {
        From wider = join(0);
        if (column(wider.columns, Kind::number) != nullptr) inner = std::move(wider);
    }
    const std::string key = column(inner.columns, Kind::number)->text;
    Columns both = inner.columns;
    both.insert(both.end(), columns.begin(), columns.end());
    const std::string negated = chance(50) ? "not " : "";
    if (chance(50)) {
        return fmt::format("{}exists (select 1 from {} where {} = {} and {})", negated, inner.text,
                           key, number(columns, 0), predicate(both, 1));
    }
    return fmt::format("{} {}in (select {}{} from {} where {})", number(columns, 0), negated,
                       chance(20) ? "distinct " : "", key, inner.text, predicate(both, 1));
}

std::string RandomQuery::predicate(const Columns& columns, int depth) {
    const Column* flag = column(columns, Kind::boolean);
    if (depth > 0 && chance(45)) {
        const std::string a = predicate(columns, depth - 1), b = predicate(columns, depth - 1);
        switch (below(6)) {
            case 0:
            case 1:
                return fmt::format("({} or {})", a, b);
            case 2:
                return fmt::format("not ({})", a);
            case 3:
                return fmt::format("({} and {})", a, b);
            case 4: {
                static const std::vector<std::string> tests = {"is true",    "is not true",
                                                               "is false",   "is not false",
                                                               "is unknown", "is not unknown"};
                return fmt::format("(({}) {})", a, pick(tests));
            }
            default:
                return fmt::format("(({}) {} ({}))", a, chance(50) ? "=" : "<=>", b);
        }
    }
    switch (below(20)) {
        case 0:
        case 1:
        case 2:
        case 3:
            return null_test(columns, depth);
        case 4:
        case 5:
            return list_test(columns, depth);
        case 6:
        case 7:
            if (flag != nullptr) return flag->text;
            break;
        case 8:
            if (flag != nullptr) return fmt::format("not {}", flag->text);
            break;
        case 9:
            if (flag != nullptr && column(columns, Kind::boolean) != nullptr)
                return fmt::format("{} = {}", flag->text, column(columns, Kind::boolean)->text);
            break;
        case 10:
            if (chance(30)) return chance(50) ? "true" : (chance(50) ? "false" : "null::boolean");
            break;
        case 11:
            if (subqueries_ < 2 && chance(60)) return subquery_test(columns);
            break;
        default:
            break;
    }
    return comparison(columns, depth);
}

std::string RandomQuery::grouped(const From& from, const std::string& where) {
    const Column& grouping = pick(from.columns);
    const std::string& key = grouping.text;
    const Column* number = column(from.columns, Kind::number);
    std::string having;
    const bool counts = chance(65);
    if (counts && chance(60)) {
        having = " having " + predicate({grouping, {"count(*)", Kind::number}}, 0);
        if (number != nullptr && chance(50)) having += " and count(" + number->text + ") > 0";
        if (chance(40)) having += " and " + key + (chance(50) ? " is not null" : " is null");
    }
    const std::string extra = number == nullptr ? "" : ", max(" + number->text + ") as m";
    return fmt::format("select {0} as k{1}{2} from {3}{4} group by {0}{5}", key,
                       counts ? ", count(*) as c" : "", extra, from.text, where, having);
}

std::string RandomQuery::select(bool is_part) {
    From from = item(2);
    if (chance(10)) from = half_join(std::move(from));
    std::string where;
    if (chance(85)) {
        const Columns read = focused(from.columns);
        where = " where " + predicate(read, 2);
        for (std::uint32_t i = below(is_focused_ ? 5 : 3); i > 0; --i)
            where += " and " + predicate(read, 1);
    }
    if (is_part) {
        const Column* number = column(from.columns, Kind::number);
        return fmt::format("select {} as x from {}{}", number == nullptr ? "0" : number->text,
                           from.text, where);
    }
    if (chance(12)) return grouped(from, where);
    std::string list;
    const bool is_sparse = chance(40);
    const std::size_t first =
        is_sparse ? below(static_cast<std::uint32_t>(from.columns.size())) : 0;
    for (std::size_t i = first; i < from.columns.size(); ++i) {
        const Column& c = from.columns[i];
        if (!list.empty() && chance(is_sparse ? 85 : 40)) continue;
        list += fmt::format("{}{} as c{}", list.empty() ? "" : ", ", c.text, aliases_++);
    }
    if (chance(15)) list += fmt::format(", {} as c{}", number(from.columns, 1), aliases_++);
    return fmt::format("select {}{} from {}{}", chance(15) ? "distinct " : "", list, from.text,
                       where);
}

std::string RandomQuery::schema_with_checks() {
    subqueries_ = 2;  // none in a CHECK
    std::string out = random_query_schema;
    for (int i = 1; i <= 4; ++i) {
        if (chance(40)) continue;
        const Columns columns = {{"id", Kind::number}, {"a", Kind::number},  {"b", Kind::number},
                                 {"n", Kind::number},  {"f", Kind::boolean}, {"s", Kind::text}};
        const Columns read = focused(columns);
        for (std::uint32_t checks = 1 + below(2); checks > 0; --checks)
            out += fmt::format("alter table t{} add check ({});", i, predicate(read, 1));
    }
    return out;
}

// At times as a derived table with a predicate over it, or two of them one after the other.
std::string RandomQuery::sql() {
    if (chance(9)) {
        static const std::vector<std::string> operations = {"union all", "union", "intersect",
                                                            "except", "except all"};
        const std::string left = select(true);
        return left + ' ' + pick(operations) + ' ' + select(true);
    }
    if (chance(12)) {
        const std::string name = alias();
        const Columns columns{{name + ".x", Kind::number}};
        const From other = table(alias());
        Columns both = columns;
        both.insert(both.end(), other.columns.begin(), other.columns.end());
        return fmt::format("select {0}.x, {1} from ({2}) {0} left join {3} on {4} where {5}", name,
                           other.columns[1].text, select(true), other.text, predicate(both, 1),
                           predicate(both, 1));
    }
    return select(false);
}

}  // namespace satura::test
