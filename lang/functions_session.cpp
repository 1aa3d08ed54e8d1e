// Functions of the session, and those that give another value each time.
#include <array>

#include "lang/function_tables.hpp"

namespace satura::lang {

namespace {

using Syntax = Function::Syntax;

constexpr Function session(std::string_view name, Syntax syntax = Syntax::call) {
    return {.name = name,
            .least = 0,
            .most = 0,
            .dialects = in_both,
            .syntax = syntax,
            .result_type = unsaid};
}

constexpr Function volatile_(std::string_view name, std::uint8_t most,
                             Function::ResultType result_type, Dialects dialects = in_both) {
    return {.name = name,
            .least = 0,
            .most = most,
            .dialects = dialects,
            .is_volatile = true,
            .result_type = result_type,
            .may_raise = may_always_raise};
}

constexpr std::array functions = {
    session("current_user", Syntax::word),
    session("session_user", Syntax::word),
    session("user", Syntax::word),
    session("current_role", Syntax::word),
    session("current_catalog", Syntax::word),
    session("current_schema", Syntax::word),
    session("current_database"),
    session("version"),
    Function{.name = "random",
             .least = 0,
             .most = 0,
             .is_volatile = true,
             .result_type = always<TypeKind::double_>},
    volatile_("nextval", 1, always<TypeKind::bigint>, everywhere),
    volatile_("currval", 1, always<TypeKind::bigint>),
    volatile_("lastval", 0, always<TypeKind::bigint>, in_postgres),
    volatile_("setval", 3, always<TypeKind::bigint>, in_postgres),
    volatile_("setseed", 1, unsaid),
    volatile_("gen_random_uuid", 0, unsaid),
    volatile_("uuid", 0, unsaid, in_duckdb),
    volatile_("pg_sleep", 1, unsaid, in_postgres),
    volatile_("timeofday", 0, always<TypeKind::text>, in_postgres),
    volatile_("txid_current", 0, always<TypeKind::bigint>, in_postgres),
};

}  // namespace

std::span<const Function> session_functions() { return functions; }

}  // namespace satura::lang
