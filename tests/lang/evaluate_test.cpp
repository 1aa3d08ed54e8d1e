#include <doctest/doctest.h>

#include <cmath>

#include "lang/boundary.hpp"
#include "lang/evaluate.hpp"
#include "lang/evaluator.hpp"
#include "lang/like.hpp"
#include "lang/number.hpp"
#include "tests/lang/values.hpp"

using namespace satura::lang;
using namespace satura::test;

namespace {

using State = Outcome::State;

const Type boolean(TypeKind::boolean);

Context context_of(Dialect dialect) {
    Context context;
    context.semantics = Semantics::of(dialect);
    return context;
}

Outcome outcome_of(std::string_view text, Type type, const Semantics& s) {
    Outcome o;
    if (text == "error") {
        o.state = State::error;
        o.error = "an error";
    } else if (text == "unknown") {
        o.state = State::unknown;
    } else {
        o.value = value_of(text, type, s);
    }
    return o;
}

std::string shown(const Outcome& o, Type type) {
    if (o.state == State::error) return "error";
    if (o.state == State::unknown) return "unknown";
    return value_text(o.value, type);
}

// op over texts of one type.
std::string applied(Op op, Type type, std::initializer_list<const char*> texts, Mode mode,
                    const Context& context, std::uint32_t payload = 0,
                    std::optional<Type> result = {}) {
    std::vector<Outcome> arguments;
    for (const char* text : texts) arguments.push_back(outcome_of(text, type, context.semantics));
    const std::vector<Type> types(arguments.size(), type);
    const Type out = result ? *result : result_type(op, payload, types, context).value_or(Type());
    return shown(apply(op, out, payload, arguments, types, context, mode), out);
}

}  // namespace

TEST_CASE("AND and OR decide from left to right whether an error counts") {
    const Context context = context_of(Dialect::postgres);
    struct Row {
        const char* a;
        const char* b;
        const char* raising_and;
        const char* total_and;
        const char* raising_or;
    };
    for (const Row& r : {Row{"true", "false", "false", "false", "true"},
                         Row{"true", "null", "null", "null", "true"},
                         Row{"false", "null", "false", "false", "null"},
                         Row{"null", "null", "null", "null", "null"},
                         Row{"false", "error", "false", "false", "error"},
                         Row{"error", "false", "error", "error", "error"},
                         Row{"true", "error", "error", "error", "true"},
                         Row{"null", "error", "error", "error", "error"},
                         Row{"false", "unknown", "false", "false", "unknown"},
                         Row{"unknown", "false", "unknown", "false", "unknown"},
                         Row{"unknown", "error", "unknown", "unknown", "unknown"},
                         Row{"unknown", "true", "unknown", "unknown", "unknown"},
                         Row{"null", "unknown", "unknown", "unknown", "unknown"}}) {
        CAPTURE(r.a);
        CAPTURE(r.b);
        CHECK(applied(Op::and_, boolean, {r.a, r.b}, Mode::raising, context) == r.raising_and);
        CHECK(applied(Op::and_, boolean, {r.a, r.b}, Mode::total, context) == r.total_and);
        CHECK(applied(Op::or_, boolean, {r.a, r.b}, Mode::raising, context) == r.raising_or);
    }
    CHECK(applied(Op::or_, boolean, {"unknown", "true"}, Mode::total, context) == "true");
    CHECK(applied(Op::and_, boolean, {"true", "true", "null", "false"}, Mode::raising, context) ==
          "false");
}

TEST_CASE("CASE and COALESCE look no further than they need") {
    const Context context = context_of(Dialect::postgres);
    const auto run = [&](Op op, std::initializer_list<const char*> texts) {
        return applied(op, boolean, texts, Mode::raising, context);
    };
    CHECK(run(Op::case_, {"true", "false", "error", "error", "error"}) == "false");
    CHECK(run(Op::case_, {"null", "error", "false"}) == "false");
    CHECK(run(Op::case_, {"error", "true", "false"}) == "error");
    CHECK(run(Op::case_, {"false", "true", "error"}) == "error");
    CHECK(run(Op::case_, {"unknown", "true", "true"}) == "unknown");
    CHECK(run(Op::coalesce, {"null", "true", "error"}) == "true");
    CHECK(run(Op::coalesce, {"null", "error", "true"}) == "error");
    CHECK(run(Op::coalesce, {"null", "null"}) == "null");
    CHECK(run(Op::nullif, {"true", "true"}) == "null");
    CHECK(run(Op::nullif, {"true", "null"}) == "true");
}

TEST_CASE("tests of truth") {
    const Context context = context_of(Dialect::postgres);
    const auto run = [&](Op op, const char* text) {
        return applied(op, boolean, {text}, Mode::total, context);
    };
    for (const auto& [op, t, f, n] : {std::tuple{Op::not_, "false", "true", "null"},
                                      {Op::is_null, "false", "false", "true"},
                                      {Op::is_true, "true", "false", "false"},
                                      {Op::is_false, "false", "true", "false"},
                                      {Op::is_unknown, "false", "false", "true"}}) {
        CAPTURE(op_name(op));
        CHECK(run(op, "true") == t);
        CHECK(run(op, "false") == f);
        CHECK(run(op, "null") == n);
        CHECK(run(op, "unknown") == "unknown");
    }
}

TEST_CASE("comparisons see NaN as the semantics say") {
    Context context = context_of(Dialect::postgres);
    const Type d(TypeKind::double_);
    const auto run = [&](Op op, const char* a, const char* b) {
        return applied(op, d, {a, b}, Mode::total, context);
    };
    CHECK(run(Op::eq, "NaN", "NaN") == "true");
    CHECK(run(Op::gt, "NaN", "Infinity") == "true");
    CHECK(run(Op::eq, "0", "-0") == "true");
    CHECK(run(Op::eq, "NaN", "null") == "null");
    CHECK(run(Op::null_safe_eq, "NaN", "null") == "false");
    CHECK(run(Op::null_safe_eq, "null", "null") == "true");
    CHECK(run(Op::greatest, "NaN", "1") == "NaN");
    context.semantics.nan = NanOrder::ieee;
    for (const Op op : {Op::eq, Op::lt, Op::le, Op::gt, Op::ge})
        CHECK(run(op, "NaN", "1") == "false");
    CHECK(run(Op::ne, "NaN", "NaN") == "true");
    CHECK(run(Op::null_safe_eq, "NaN", "NaN") == "true");
    CHECK(run(Op::null_safe_eq, "NaN", "1") == "false");
    CHECK(run(Op::greatest, "NaN", "1") == "unknown");
}

TEST_CASE("IN, BETWEEN, GREATEST") {
    Context context = context_of(Dialect::postgres);
    const Type i(TypeKind::integer);
    const auto run = [&](Op op, std::initializer_list<const char*> texts) {
        return applied(op, i, texts, Mode::raising, context);
    };
    CHECK(run(Op::in, {"1", "2", "1"}) == "true");
    CHECK(run(Op::in, {"1", "2", "null"}) == "null");
    CHECK(run(Op::in, {"1", "null", "1"}) == "true");
    CHECK(run(Op::in, {"1", "2", "3"}) == "false");
    CHECK(run(Op::in, {"null", "1"}) == "null");
    CHECK(run(Op::in, {"1", "1", "error"}) == "true");
    CHECK(run(Op::between, {"5", "1", "9"}) == "true");
    CHECK(run(Op::between, {"5", "6", "null"}) == "false");
    CHECK(run(Op::between, {"5", "null", "4"}) == "false");
    CHECK(run(Op::between, {"5", "null", "9"}) == "null");
    CHECK(run(Op::greatest, {"1", "null", "3"}) == "3");
    CHECK(run(Op::least, {"null", "null"}) == "null");
    context.semantics.greatest_ignores_null = false;
    CHECK(run(Op::greatest, {"1", "null", "3"}) == "null");
    CHECK(is_strict(Op::greatest, 0, context));
}

TEST_CASE("chars compare without trailing blanks, texts do not") {
    Context context = context_of(Dialect::postgres);
    const Outcome pair[] = {outcome_of("a", type_of("char(3)"), context.semantics),
                            outcome_of("a", type_of("char(5)"), context.semantics)};
    const Type chars[] = {type_of("char(3)"), type_of("char(5)")};
    CHECK(apply(Op::eq, boolean, 0, pair, chars, context, Mode::total).value.is_true());
    const Type texts[] = {type_of("text"), type_of("text")};
    CHECK(apply(Op::eq, boolean, 0, pair, texts, context, Mode::total).value.is_false());
    CHECK(applied(Op::lt, type_of("text"), {"a\t", "a "}, Mode::total, context) == "true");
}

TEST_CASE("arithmetic of PostgreSQL") {
    const Context context = context_of(Dialect::postgres);
    struct Row {
        const char* type;
        Op op;
        const char* a;
        const char* b;
        const char* raising;
        const char* total;
    };
    for (const Row& r :
         {Row{"smallint", Op::add, "32767", "1", "error", "32768"},
          Row{"bigint", Op::mul, "9223372036854775807", "2", "error", "18446744073709551614"},
          Row{"integer", Op::div, "7", "-2", "-3", nullptr},
          Row{"integer", Op::mod, "-7", "2", "-1", nullptr},
          Row{"integer", Op::div, "1", "0", "error", "null"},
          Row{"integer", Op::mod, "1", "0", "error", "null"},
          Row{"integer", Op::div, "-2147483648", "-1", "error", "2147483648"},
          Row{"bigint", Op::div, "-9223372036854775808", "-1", "error", "9223372036854775808"},
          Row{"integer", Op::mod, "-2147483648", "-1", "0", nullptr},
          Row{"numeric", Op::add, "1.5", "2.25", "3.75", nullptr},
          Row{"numeric", Op::mul, "1.5", "2.25", "3.375", nullptr},
          Row{"numeric", Op::div, "10", "3", "3.3333333333333333", nullptr},
          Row{"numeric", Op::div, "1", "3", "0.33333333333333333333", nullptr},
          Row{"numeric", Op::div, "100000000000000000000", "7", "14285714285714285714", nullptr},
          Row{"numeric", Op::div, "1", "0.0", "error", "null"},
          Row{"numeric", Op::div, "NaN", "0", "NaN", nullptr},
          Row{"numeric", Op::mod, "-7.5", "2", "-1.5", nullptr},
          Row{"double", Op::mul, "1e308", "10", "error", "Infinity"},
          Row{"double", Op::mul, "1e-300", "1e-300", "error", "0"},
          Row{"double", Op::div, "1e300", "Infinity", "0", nullptr},
          Row{"double", Op::div, "0", "0", "error", "null"},
          Row{"double", Op::div, "NaN", "0", "NaN", nullptr},
          Row{"real", Op::add, "16777216", "1", "1.6777216e+07", nullptr},
          Row{"real", Op::mul, "1e38", "10", "error", "Infinity"},
          Row{"date", Op::sub, "2024-03-01", "2024-02-01", "29", nullptr},
          Row{"timestamp(6)", Op::sub, "2020-01-02 12:00", "2019-01-01 13:00",
              "365 days 82800 seconds", nullptr},
          Row{"interval", Op::add, "1 month", "2 days", "1 month 2 days", nullptr}}) {
        CAPTURE(r.type);
        CAPTURE(r.a);
        CAPTURE(r.b);
        CHECK(applied(r.op, type_of(r.type), {r.a, r.b}, Mode::raising, context) == r.raising);
        CHECK(applied(r.op, type_of(r.type), {r.a, r.b}, Mode::total, context) ==
              (r.total ? r.total : r.raising));
    }
    CHECK(applied(Op::neg, type_of("smallint"), {"-32768"}, Mode::raising, context) == "error");
    CHECK(applied(Op::neg, type_of("smallint"), {"-32768"}, Mode::total, context) == "32768");
    CHECK(applied(Op::add, type_of("integer"), {"null", "error"}, Mode::raising, context) ==
          "error");
    CHECK(applied(Op::add, type_of("integer"), {"null", "unknown"}, Mode::raising, context) ==
          "unknown");
    CHECK(applied(Op::add, type_of("integer"), {"null", "unknown"}, Mode::total, context) ==
          "null");
}

TEST_CASE("months end where they end") {
    const Context context = context_of(Dialect::postgres);
    const Type stamp = type_of("timestamp(6)");
    const Type types[] = {stamp, type_of("interval")};
    const Outcome arguments[] = {outcome_of("2020-03-31 10:00", stamp, context.semantics),
                                 outcome_of("1 month", types[1], context.semantics)};
    CHECK(shown(apply(Op::sub, stamp, 0, arguments, types, context, Mode::raising), stamp) ==
          "2020-02-29 10:00:00");
    CHECK(result_type(Op::add, 0, types, context) == stamp);
}

TEST_CASE("arithmetic of DuckDB") {
    const Context context = context_of(Dialect::duckdb);
    const auto run = [&](const char* type, Op op, const char* a, const char* b) {
        return applied(op, type_of(type), {a, b}, Mode::raising, context);
    };
    CHECK(run("integer", Op::div, "7", "2") == "3.5");
    CHECK(run("integer", Op::div, "1", "0") == "Infinity");
    CHECK(run("integer", Op::mod, "1", "0") == "null");
    CHECK(run("integer", Op::mod, "-2147483648", "-1") == "error");
    CHECK(run("double", Op::div, "0", "0") == "NaN");
    CHECK(run("double", Op::mul, "1e308", "10") == "Infinity");
    CHECK(run("decimal(38,0)", Op::add, "99999999999999999999999999999999999999", "1") == "error");
    CHECK(applied(Op::add, type_of("decimal(38,0)"),
                  {"99999999999999999999999999999999999999", "1"}, Mode::total,
                  context) == "100000000000000000000000000000000000000");
    CHECK(run("decimal(3,1)", Op::add, "99.9", "0.1") == "100.0");
}

TEST_CASE("what arithmetic does not raise has its total value") {
    for (const Dialect dialect : {Dialect::postgres, Dialect::duckdb, Dialect::spark}) {
        const Context context = context_of(dialect);
        for (const Type type : all_types()) {
            if (!is_numeric(type)) continue;
            const std::vector<Value> values = sample(type, context.semantics, 6, 8);
            const Type types[] = {type, type};
            for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::mod}) {
                const std::optional<Type> result = result_type(op, 0, types, context);
                if (!result) continue;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    Outcome arguments[2];
                    arguments[0].value = values[i];
                    arguments[1].value = values[(i * 7 + 3) % values.size()];
                    const Outcome raising =
                        apply(op, *result, 0, arguments, types, context, Mode::raising);
                    const Outcome total =
                        apply(op, *result, 0, arguments, types, context, Mode::total);
                    CAPTURE(text_of(type));
                    CAPTURE(op_name(op));
                    CAPTURE(value_text(arguments[0].value, type));
                    CAPTURE(value_text(arguments[1].value, type));
                    CHECK(total.state != State::error);
                    if (raising.state == State::value) CHECK(total.state == State::value);
                    if (raising.state == State::value) CHECK(identical(raising.value, total.value));
                    if (raising.state == State::error)
                        CHECK(may_raise(op, *result, 0, types, context));
                }
            }
        }
    }
}

TEST_CASE("result types") {
    struct Row {
        Dialect dialect;
        Op op;
        const char* a;
        const char* b;
        const char* result;
    };
    constexpr Dialect pg = Dialect::postgres;
    constexpr Dialect duck = Dialect::duckdb;
    for (const Row& r : {Row{pg, Op::add, "smallint", "smallint", "smallint"},
                         Row{pg, Op::add, "smallint", "integer", "integer"},
                         Row{pg, Op::mul, "decimal(5,2)", "decimal(5,2)", "numeric"},
                         Row{pg, Op::add, "integer", "real", "double"},
                         Row{pg, Op::add, "real", "real", "real"},
                         Row{pg, Op::div, "integer", "integer", "integer"},
                         Row{pg, Op::mod, "double", "double", "-"},
                         Row{pg, Op::add, "date", "integer", "date"},
                         Row{pg, Op::add, "date", "interval", "timestamp(6)"},
                         Row{pg, Op::sub, "date", "date", "integer"},
                         Row{pg, Op::add, "boolean", "integer", "-"},
                         Row{pg, Op::add, "date", "date", "-"},
                         Row{pg, Op::lt, "integer", "text", "-"},
                         Row{pg, Op::lt, "integer", "unknown", "boolean"},
                         Row{duck, Op::add, "decimal(5,2)", "decimal(3,1)", "decimal(6,2)"},
                         Row{duck, Op::add, "decimal(18,0)", "decimal(5,2)", "decimal(18,2)"},
                         Row{duck, Op::add, "decimal(19,0)", "decimal(5,2)", "decimal(22,2)"},
                         Row{duck, Op::mul, "decimal(5,2)", "decimal(3,1)", "decimal(8,3)"},
                         Row{duck, Op::div, "integer", "integer", "double"},
                         Row{duck, Op::add, "integer", "real", "real"},
                         Row{duck, Op::add, "ubigint", "bigint", "hugeint"},
                         Row{duck, Op::sub, "date", "date", "bigint"}}) {
        const Context context = context_of(r.dialect);
        const Type types[] = {type_of(r.a), type_of(r.b)};
        const std::optional<Type> result = result_type(r.op, 0, types, context);
        CAPTURE(r.a);
        CAPTURE(r.b);
        CHECK((result ? text_of(*result) : "-") == std::string(r.result));
    }
}

TEST_CASE("LIKE") {
    struct Row {
        const char* text;
        const char* pattern;
        bool matches;
    };
    for (const Row& r :
         {Row{"", "", true}, Row{"", "%", true}, Row{"", "_", false}, Row{"abc", "a%", true},
          Row{"abc", "%c", true}, Row{"abc", "%b%", true}, Row{"abc", "_b_", true},
          Row{"abc", "ab", false}, Row{"abcabc", "%abc", true}, Row{"aab", "%ab", true},
          Row{"a%c", "a\\%c", true}, Row{"abc", "a\\%c", false}, Row{"\\", "\\\\", true},
          Row{"\xC3\xA9", "_", true}, Row{"a\xC3\xA9z", "a_z", true}, Row{"%", "\\%", true}}) {
        CAPTURE(r.text);
        CAPTURE(r.pattern);
        CHECK(like_matches(r.text, r.pattern, "\\") == r.matches);
    }
    CHECK_FALSE(like_matches("a", "a\\", "\\").has_value());
    CHECK(like_matches("a\\", "a\\", "") == true);
    CHECK(like_matches("a%", "a#%", "#") == true);
    const std::string many(20000, 'a');
    CHECK(like_matches(many, "%a%a%a%a%a%b", "\\") == false);
}

TEST_CASE("functions") {
    Context context = context_of(Dialect::postgres);
    const auto run = [&](const char* name, const char* type, const char* text,
                         Mode mode = Mode::raising) {
        return applied(Op::call, type_of(type), {text}, mode, context, context.names.intern(name));
    };
    CHECK(run("abs", "smallint", "-5") == "5");
    CHECK(run("abs", "smallint", "-32768") == "error");
    CHECK(run("abs", "smallint", "-32768", Mode::total) == "32768");
    CHECK(run("upper", "text", "aBc") == "ABC");
    CHECK(run("upper", "text", "\xC3\xA9") == "unknown");
    CHECK(run("length", "char(3)", "a") == "1");
    CHECK(run("length", "text", "\xC3\xA9 ") == "2");
    CHECK(run("trim", "text", " a ") == "a");
    CHECK(run("ceil", "numeric", "-1.5") == "-1");
    CHECK(run("floor", "numeric", "-1.5") == "-2");
    CHECK(run("round", "double", "2.5") == "2");
    CHECK(run("round", "numeric", "2.5") == "3");
    CHECK(run("sqrt", "double", "-1") == "error");
    CHECK(run("sqrt", "double", "-1", Mode::total) == "null");
    CHECK(run("mystery", "integer", "1") == "unknown");
    CHECK(applied(Op::call, type_of("text"), {"a", "b"}, Mode::total, context,
                  context.names.intern("||")) == "ab");
    CHECK(is_volatile(Op::call, context.names.intern("random"), context));
    CHECK(is_volatile(Op::call, context.names.intern("mystery"), context));
    CHECK_FALSE(is_volatile(Op::call, context.names.intern("now"), context));
    CHECK_FALSE(is_volatile(Op::call, context.names.intern("lower"), context));
    const Type text[] = {type_of("text")};
    CHECK_FALSE(may_raise(Op::call, text[0], context.names.intern("lower"), text, context));
    CHECK(may_raise(Op::call, text[0], context.names.intern("mystery"), text, context));
}

TEST_CASE("a known divisor or pattern cannot raise") {
    const Context context = context_of(Dialect::postgres);
    const Type i = type_of("integer");
    const Type integers[] = {i, i};
    const Value two = Value::integer(2);
    const Value zero = Value::integer(0);
    const Value minus = Value::integer(-1);
    const auto divides = [&](const Value* divisor) {
        const Value* constants[] = {nullptr, divisor};
        return may_raise(Op::div, i, 0, integers, constants, context);
    };
    CHECK(may_raise(Op::div, i, 0, integers, context));
    CHECK_FALSE(divides(&two));
    CHECK(divides(&zero));
    CHECK(divides(&minus));
    // A price times a literal stays far from the bounds of numeric.
    const Type prices[] = {type_of("decimal(10,2)"), type_of("numeric")};
    const Value rate = value_of("1.19", prices[1], context.semantics);
    const Value* with_rate[] = {nullptr, &rate};
    CHECK(may_raise(Op::mul, prices[1], 0, prices, context));
    CHECK_FALSE(may_raise(Op::mul, prices[1], 0, prices, with_rate, context));
    CHECK_FALSE(may_raise(Op::div, prices[1], 0, prices, with_rate, context));
    const Value* casts[] = {&two};
    CHECK(may_raise(Op::cast, i, type_of("tinyint").bits(), integers, context));
    CHECK_FALSE(may_raise(Op::cast, i, type_of("tinyint").bits(), integers, casts, context));
    const Type texts[] = {type_of("text"), type_of("text")};
    const Value good = Value::text("a%");
    const Value bad = Value::text("a\\");
    const Value* with_good[] = {nullptr, &good};
    const Value* with_bad[] = {nullptr, &bad};
    CHECK(may_raise(Op::like, boolean, 0, texts, context));
    CHECK_FALSE(may_raise(Op::like, boolean, 0, texts, with_good, context));
    CHECK(may_raise(Op::like, boolean, 0, texts, with_bad, context));
}

TEST_CASE("expressions are evaluated in one pass, however deep") {
    Context context = context_of(Dialect::postgres);
    const Type i(TypeKind::integer);
    Exprs exprs;
    const ExprId x = exprs.add(Op::column, i, 0, {});
    const ExprId one =
        exprs.add(Op::literal, i,
                  static_cast<std::uint32_t>(context.literals.intern(i, Value::integer(1))), {});
    ExprId sum = x;
    for (int n = 0; n < 100000; ++n) {
        const ExprId both[] = {sum, one};
        sum = exprs.add(Op::add, i, 0, both);
    }
    // Not below the sum: never looked at.
    exprs.add(Op::opaque, i, 0, {});
    const Value row[] = {Value::integer(5)};
    CHECK(evaluate(exprs, sum, row, context, Mode::raising).value.small() == 100005);
    Evaluator evaluator(exprs, sum, context, Mode::raising);
    for (const std::int64_t start : {1, 2, 2147483647}) {
        const Value other[] = {Value::integer(start)};
        const Outcome& o = evaluator.run(other);
        if (start == 2147483647) {
            CHECK(o.state == State::error);
        } else {
            CHECK(o.value.small() == start + 100000);
        }
    }
    CHECK(evaluate(exprs, sum, {}, context, Mode::total).state == State::unknown);
}

TEST_CASE("a shared square does not grow without bound") {
    Context context = context_of(Dialect::postgres);
    const Type i(TypeKind::bigint);
    Exprs exprs;
    ExprId square = exprs.add(Op::column, i, 0, {});
    for (int n = 0; n < 64; ++n) {
        const ExprId both[] = {square, square};
        square = exprs.add(Op::mul, i, 0, both);
    }
    const Value row[] = {Value::integer(3)};
    CHECK(evaluate(exprs, square, row, context, Mode::total).state == State::unknown);
    CHECK(evaluate(exprs, square, row, context, Mode::raising).state == State::error);
}

TEST_CASE("a parent sees the total value of its child") {
    Context context = context_of(Dialect::postgres);
    const Type i(TypeKind::integer);
    const Type tiny(TypeKind::tinyint);
    Exprs exprs;
    const ExprId x[] = {exprs.add(Op::column, i, 0, {})};
    const ExprId narrow[] = {exprs.add(Op::cast, tiny, tiny.bits(), x)};
    const ExprId wide[] = {exprs.add(Op::cast, i, i.bits(), narrow), x[0]};
    const ExprId same = exprs.add(Op::eq, boolean, 0, wide);
    const ExprId tried = exprs.add(Op::try_cast, tiny, tiny.bits(), x);
    const Value row[] = {Value::integer(300)};
    CHECK(evaluate(exprs, same, row, context, Mode::total).value.is_true());
    CHECK(evaluate(exprs, same, row, context, Mode::raising).state == State::error);
    CHECK(evaluate(exprs, tried, row, context, Mode::total).value.is_null());
    CHECK(evaluate(exprs, tried, row, context, Mode::raising).value.is_null());
}

TEST_CASE("operators flip and negate") {
    for (int i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        CHECK_FALSE(op_name(op).empty());
        if (!is_comparison(op)) continue;
        CHECK(flipped(flipped(op)) == op);
        if (op != Op::null_safe_eq) CHECK(negated(negated(op)) == op);
    }
    CHECK(flipped(Op::lt) == Op::gt);
    CHECK(negated(Op::lt) == Op::ge);
}

TEST_CASE("nodes may be copied from the same expressions") {
    Exprs exprs;
    const ExprId leaf = exprs.add(Op::column, boolean, 0, {});
    const ExprId both[] = {leaf, leaf};
    ExprId node = exprs.add(Op::and_, boolean, 0, both);
    for (int i = 0; i < 100; ++i) node = exprs.add(Op::or_, boolean, 0, exprs.children(node));
    CHECK(exprs.children(node).size() == 2);
    CHECK(exprs.children(node)[1] == leaf);
}
