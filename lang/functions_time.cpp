// Functions of dates and times. What depends on the session's zone or on the clock is the same throughout a statement, but
// has no value here.
#include <array>
#include <string_view>

#include "lang/calendar.hpp"
#include "lang/function_tables.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using Types = Function::Types;
using Constants = Function::Constants;
using Syntax = Function::Syntax;

constexpr std::array<std::string_view, 12> date_fields{"century",    "day",   "decade",  "dow",
                                                       "doy",        "epoch", "isodow",  "isoyear",
                                                       "millennium", "month", "quarter", "week"};
constexpr std::array<std::string_view, 6> clock_fields{"hour",   "microseconds", "milliseconds",
                                                       "minute", "second",       "julian"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& fields, std::string_view field) {
    return std::ranges::find(fields, field) != fields.end();
}

bool is_stamp(Type type) {
    return type.kind() == TypeKind::timestamp || type.kind() == TypeKind::timestamptz;
}
bool is_day(Type type) { return type.kind() == TypeKind::date || is_stamp(type); }

// The field that a call names by a constant, in lower case as it is nearly always written.
std::string_view field_of(Constants constants) {
    const Value* field = constant_at(constants, 0);
    const bool named = field != nullptr && field->kind() == Value::Kind::text;
    return named ? field->as_text() : std::string_view();
}

// --- Result types

std::optional<Type> field_number(Types types, const Semantics& semantics) {
    if (!is_text_like(types[0]) || !is_postgres(semantics)) return std::nullopt;
    return Type(TypeKind::numeric);
}

// DuckDB's part of a date is a bigint for most fields, a double for some.
std::optional<Type> field_double(Types types, const Semantics& semantics) {
    if (!is_text_like(types[0]) || !is_postgres(semantics)) return std::nullopt;
    return Type(TypeKind::double_);
}

// PostgreSQL's date_trunc takes a date for a timestamp with zone, DuckDB's gives dates and timestamps.
std::optional<Type> truncated(Types types, const Semantics& semantics) {
    if (!is_text_like(types[0])) return std::nullopt;
    const TypeKind kind = types[1].kind();
    if (is_stamp(types[1])) return Type::with_digits(kind, 6);
    if (kind == TypeKind::interval) return types[1];
    if (kind == TypeKind::date && is_postgres(semantics))
        return Type::with_digits(TypeKind::timestamptz, 6);
    return std::nullopt;
}

// A timestamp with a zone without it, and the reverse.
std::optional<Type> in_zone(Types types, const Semantics&) {
    if (!is_text_like(types[0])) return std::nullopt;
    if (types[1].kind() == TypeKind::timestamp) return Type::with_digits(TypeKind::timestamptz, 6);
    if (types[1].kind() == TypeKind::timestamptz) return Type::with_digits(TypeKind::timestamp, 6);
    return std::nullopt;
}

std::optional<Type> span_of_time(Types types, const Semantics&) {
    return std::ranges::all_of(types, is_day) ? std::optional(Type(TypeKind::interval))
                                              : std::nullopt;
}

std::optional<Type> part_number(Types types, const Semantics&) {
    return is_day(types[0]) ? std::optional(Type(TypeKind::bigint)) : std::nullopt;
}

std::optional<Type> part_count(Types types, const Semantics&) {
    const bool taken = is_text_like(types[0]) && is_day(types[1]) && is_day(types[2]);
    return taken ? std::optional(Type(TypeKind::bigint)) : std::nullopt;
}

std::optional<Type> day_name(Types types, const Semantics&) {
    return is_day(types[0]) ? std::optional(Type(TypeKind::text)) : std::nullopt;
}

std::optional<Type> day_of(Types types, const Semantics&) {
    return is_day(types[0]) ? std::optional(Type(TypeKind::date)) : std::nullopt;
}

std::optional<Type> truth_of_day(Types types, const Semantics&) {
    return is_day(types[0]) ? std::optional(Type(TypeKind::boolean)) : std::nullopt;
}

// Of other engines the clock's types are not said.
bool is_known(const Semantics& semantics) { return is_postgres(semantics) || is_duckdb(semantics); }

std::optional<Type> instant(Types, const Semantics& semantics) {
    if (!is_known(semantics)) return std::nullopt;
    return Type::with_digits(TypeKind::timestamptz, 6);
}

std::optional<Type> this_day(Types, const Semantics& semantics) {
    return is_known(semantics) ? std::optional(Type(TypeKind::date)) : std::nullopt;
}

// One argument is a number of seconds, two are a text and its format.
std::optional<Type> read_instant(Types types, const Semantics&) {
    const bool taken = types.size() == 1 ? is_numeric(types[0]) : are_text_like(types);
    return taken ? std::optional(Type::with_digits(TypeKind::timestamptz, 6)) : std::nullopt;
}

std::optional<Type> local_instant(Types, const Semantics&) {
    return Type::with_digits(TypeKind::timestamp, 6);
}

std::optional<Type> three_integers(Types types, const Semantics&) {
    return std::ranges::all_of(types, is_integer) ? std::optional(Type(TypeKind::date))
                                                  : std::nullopt;
}

// --- Errors

// A field of the clock is none of a date, an unknown one of nothing.
bool field_may_raise(Types types, Constants constants, const Semantics&) {
    const std::string_view field = field_of(constants);
    if (field == "year" || is_one_of(date_fields, field)) return !is_day(types[1]);
    return !is_one_of(clock_fields, field) || !is_stamp(types[1]);
}

// Within the day of the earliest timestamp; its month may begin too early.
bool truncation_may_raise(Types types, Constants constants, const Semantics&) {
    const std::string_view field = field_of(constants);
    const bool within_day = field == "day" || (field != "julian" && is_one_of(clock_fields, field));
    return types.size() > 2 || !within_day || types[1].kind() != TypeKind::timestamp;
}

// --- Values

std::optional<CivilDate> date_argument(const Call& call, std::size_t i) {
    if (call.types[i].kind() != TypeKind::date) return std::nullopt;
    const std::optional<Int128> days = Number::int128(call[i]);
    if (!days || !temporal_range(call.types[i], call.semantics).holds(*days) ||
        is_infinite_time(*days)) {
        return std::nullopt;
    }
    return civil_from_days(static_cast<std::int64_t>(*days));
}

// PostgreSQL's year before 1 AD is -1, which year 0 stands for here.
Outcome field_value(const CivilDate& date, std::string_view field) {
    if (field == "year" && date.year > 0) return value_outcome(Value::integer(date.year));
    if (field == "month") return value_outcome(Value::integer(date.month));
    if (field == "day") return value_outcome(Value::integer(date.day));
    if (field == "quarter") return value_outcome(Value::integer((date.month + 2) / 3));
    return unknown_outcome();
}

Outcome extract_of(const Call& call) {
    if (call[0].kind() != Value::Kind::text) return unknown_outcome();
    const auto date = date_argument(call, 1);
    if (!date) return unknown_outcome();
    const Outcome field = field_value(*date, call[0].as_text());
    if (field.state != Outcome::State::value) return field;
    return value_outcome(Number::small_decimal(field.value.small(), 0));
}

template <char field>
Outcome part_of(const Call& call) {
    const auto date = date_argument(call, 0);
    if (!date) return unknown_outcome();
    return field_value(*date, field == 'y'   ? "year"
                              : field == 'm' ? "month"
                              : field == 'd' ? "day"
                                             : "quarter");
}

constexpr Function clock(std::string_view name, Function::ResultType result_type,
                         Dialects dialects = everywhere, Syntax syntax = Syntax::call) {
    return {.name = name,
            .least = 0,
            .most = 0,
            .dialects = dialects,
            .gives_value = true,
            .syntax = syntax,
            .result_type = result_type};
}

// Infinite dates have no parts.
constexpr Function part(std::string_view name, Function::Evaluate evaluate = nullptr) {
    return {.name = name, .dialects = in_duckdb, .result_type = part_number, .evaluate = evaluate};
}

constexpr std::array functions = {
    clock("now", instant),
    clock("current_date", this_day, everywhere, Syntax::word),
    clock("current_timestamp", instant, everywhere, Syntax::word),
    clock("localtimestamp", local_instant, in_both, Syntax::word),
    clock("current_time", unsaid, in_both, Syntax::word),
    clock("localtime", unsaid, in_both, Syntax::word),
    clock("transaction_timestamp", instant, in_both),
    clock("statement_timestamp", instant, in_postgres),
    clock("today", always<TypeKind::date>, in_duckdb),
    Function{.name = "clock_timestamp",
             .least = 0,
             .most = 0,
             .is_volatile = true,
             .result_type = instant},
    Function{.name = "extract",
             .least = 2,
             .most = 2,
             .dialects = in_both,
             .syntax = Syntax::extract,
             .result_type = field_number,
             .may_raise = field_may_raise,
             .evaluate = extract_of},
    Function{.name = "date_part",
             .least = 2,
             .most = 2,
             .dialects = in_both,
             .result_type = field_double,
             .may_raise = field_may_raise},
    Function{.name = "date_trunc",
             .least = 2,
             .most = 3,
             .dialects = in_both,
             .result_type = truncated,
             .may_raise = truncation_may_raise},
    Function{.name = "timezone",
             .least = 2,
             .most = 2,
             .dialects = in_both,
             .syntax = Syntax::at_time_zone,
             .result_type = in_zone,
             .may_raise = may_always_raise},
    Function{
        .name = "isfinite", .dialects = in_both, .gives_value = true, .result_type = truth_of_day},
    part("year", part_of<'y'>),
    part("month", part_of<'m'>),
    part("day", part_of<'d'>),
    part("quarter", part_of<'q'>),
    part("dayofmonth", part_of<'d'>),
    part("week"),
    part("weekofyear"),
    part("dayofweek"),
    part("weekday"),
    part("isodow"),
    part("dayofyear"),
    part("hour"),
    part("minute"),
    part("second"),
    raising("age", 1, 2, span_of_time),
    raising("make_date", 3, 3, three_integers),
    raising("make_timestamp", 6, 6, local_instant),
    raising("to_timestamp", 1, 2, read_instant),
    raising("to_date", 2, 2, always<TypeKind::date>, in_postgres),
    raising("to_char", 2, 2, always<TypeKind::text>, in_postgres),
    raising("date_diff", 3, 3, part_count, in_duckdb),
    raising("datediff", 3, 3, part_count, in_duckdb),
    raising("date_sub", 3, 3, part_count, in_duckdb),
    raising("datesub", 3, 3, part_count, in_duckdb),
    raising("last_day", 1, 1, day_of, in_duckdb),
    raising("dayname", 1, 1, day_name, in_duckdb),
    raising("monthname", 1, 1, day_name, in_duckdb),
    raising("strftime", 2, 2, always<TypeKind::text>, in_duckdb),
    raising("strptime", 2, 2, unsaid, in_duckdb),
};

}  // namespace

std::span<const Function> time_functions() { return functions; }

}  // namespace satura::lang
