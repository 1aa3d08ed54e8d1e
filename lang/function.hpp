// The registry of scalar functions: those of PostgreSQL and DuckDB that queries commonly use, what holds for each, and how
// some are evaluated. An operator that is spelled by symbols or words of its own (||, ~, ILIKE) and a piece of syntax that
// PostgreSQL reads as a call (EXTRACT, AT TIME ZONE) are functions too.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lang/evaluate.hpp"

namespace satura::lang {

// A set of dialects.
using Dialects = std::uint8_t;
constexpr Dialects only(Dialect dialect) {
    return static_cast<Dialects>(1U << static_cast<unsigned>(dialect));
}
inline constexpr Dialects everywhere = 0xFF;
inline constexpr Dialects in_postgres = only(Dialect::postgres);
inline constexpr Dialects in_duckdb = only(Dialect::duckdb);
inline constexpr Dialects in_both = in_postgres | in_duckdb;

// One call with evaluated arguments; none of them is NULL where the function is strict.
struct Call {
    std::span<const Value* const> arguments;
    std::span<const Type> types;
    Type result;
    const Semantics& semantics;
    Mode mode;

    const Value& operator[](std::size_t i) const { return *arguments[i]; }
};

struct Function {
    using Types = std::span<const Type>;
    // Of arguments that are not known at the time of the question there is null.
    using Constants = std::span<const Value* const>;
    // Nothing where the function does not take such arguments, or their result is not known here.
    using ResultType = std::optional<Type> (*)(Types arguments, const Semantics& semantics);
    using MayRaise = bool (*)(Types arguments, Constants constants, const Semantics& semantics);
    using Evaluate = Outcome (*)(const Call& call);

    // How it is written, where not as name(argument, …).
    enum class Syntax : std::uint8_t {
        call,
        word,          // current_date
        infix,         // a || b, in the order of other operators
        like,          // a ilike b escape c, in the order of LIKE
        extract,       // extract(a from b)
        position,      // position(b in a)
        at_time_zone,  // b at time zone a
    };

    std::string_view name;   // lower case
    std::uint8_t least = 1;  // number of arguments
    std::uint8_t most = 1;
    Dialects dialects = everywhere;
    bool is_strict = true;     // NULL where an argument is
    bool is_volatile = false;  // else the same for the same arguments within a statement
    bool gives_value =
        false;  // NULL only where strict and an argument is NULL, or where it may raise
    Syntax syntax = Syntax::call;
    ResultType result_type = nullptr;
    MayRaise may_raise = nullptr;  // null: never over types that it takes
    Evaluate evaluate = nullptr;   // null: no value can be said

    bool takes(std::size_t count) const { return count >= least && count <= most; }
};

// The function of that name in a dialect, or null: unknown names are volatile, may raise, and have no type.
const Function* find_function(std::string_view name, Dialect dialect);

// One call. Over types that the function does not take (abs of a text) the engine picks another reading: unknown.
Outcome call_function(const Function& function, const Call& call);

}  // namespace satura::lang
