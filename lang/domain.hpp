// The values of an ordered type, numbered without gaps from low to high: the ground of exact cast unwrapping.
#pragma once

#include <functional>
#include <optional>

#include "lang/semantics.hpp"
#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::lang {

// Ordered types with a finite, gapless numbering: boolean, integers, decimal(p,s), real, double, date, timestamp(p).
// -0.0 and 0.0 share an ordinal (the value of it is 0.0). NaN, where the semantics order it, is the last ordinal.
// text, numeric, interval have none.
bool has_domain(Type type);

// Least and greatest value of the type as values, NaN included under NanOrder::total (and for decimal where the semantics
// let it hold NaN). Under NanOrder::ieee NaN is outside the domain. Dates and timestamps of PostgreSQL and DuckDB begin
// with '-infinity' and end with 'infinity'. Requires has_domain(type).
Value domain_min(Type type, const Semantics& semantics);
Value domain_max(Type type, const Semantics& semantics);

// The value just above or below; nothing at the end of the domain. Requires a value of that type, not NULL.
std::optional<Value> successor(Type type, const Value& value, const Semantics& semantics);
std::optional<Value> predecessor(Type type, const Value& value, const Semantics& semantics);

// For the monotone cast f from `from` to `to` and a non-NULL value c of type `to`:
//   lo = the least x of the domain with f(x) >= c,  hi = the least x with f(x) > c; nothing when there is none ("past
//   max").
// f is the total cast: where the engine raises, it is the declared extension, so the intervals are those of equality as
// expressions have it; success_range() says where f does not raise. Exact for lossless and many-to-one casts alike: a
// search over ordinals, a handful of evaluations of the cast near the guess cast(c as from), at most ~130 far from it.
// Source: shared formulae of monotone preimages; L = {f(x) < c}, E = {f(x) = c}, G = {f(x) > c} are three consecutive
// intervals. Requires cast_is_monotone(from, to, semantics), has_domain(from), and a c that is not NaN under
// NanOrder::ieee (which is in no interval).
struct Preimage {
    std::optional<Value> lo;
    std::optional<Value> hi;
};
Preimage preimage(Type from, Type to, const Value& c, const Semantics& semantics);

// The least value of the domain for which `holds`, which must not turn false again further up; nothing where there is none. A few
// questions where the guess is near, at most about 130. Requires has_domain(type) and a guess of that type.
std::optional<Value> least_value(Type type, const Value& guess, const Semantics& semantics,
                                 const std::function<bool(const Value&)>& holds);

// The values of `from` for which the cast does not raise, both ends included, where they are known to be one interval;
// nothing otherwise. It is what TRY_CAST needs: NULL outside.
struct ValueRange {
    Value low;
    Value high;
};
std::optional<ValueRange> success_range(Type from, Type to, const Semantics& semantics);

}  // namespace satura::lang
