#include "lang/fold_aggregate.hpp"

#include <algorithm>
#include <cmath>

#include "lang/arithmetic.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {
namespace {

using Members = std::vector<const Value*>;

// The non-NULL values of the one argument.
Members present_values(std::span<const Row> arguments) {
    Members out;
    for (const Row& row : arguments) {
        if (!row[0].is_null()) out.push_back(&row[0]);
    }
    return out;
}

Outcome cannot_say(std::string_view reason) {
    Outcome out = unknown_outcome();
    out.error = reason;
    return out;
}

// Whether floating-point numbers add up to the same in every order: all are multiples of one unit and few enough of it.
bool adds_exactly(const Members& values, Type type) {
    constexpr double unit = 1.0 / (1 << 16);
    const double room = type.kind() == TypeKind::real ? std::ldexp(1.0, 24) : std::ldexp(1.0, 53);
    double sum = 0;
    for (const Value* value : values) {
        const double steps = value->as_double() / unit;
        if (!std::isfinite(steps) || steps != std::floor(steps) ||
            (steps == 0 && std::signbit(steps)))
            return false;
        sum += std::fabs(steps);
        if (sum > room) return false;
    }
    return true;
}

// The sum as a value of type `type`, exact: where a sum of integers leaves the type's range it stays what it is.
Outcome sum_of(const Members& values, Type from, Type type, const Context& context) {
    if (is_float(from) && !adds_exactly(values, from))
        return cannot_say("a sum that depends on the order of its rows");
    Outcome sum = cast_value(*values[0], from, type, context.semantics, Mode::total);
    for (std::size_t i = 1; i < values.size() && sum.state == Outcome::State::value; ++i) {
        const Outcome next = cast_value(*values[i], from, type, context.semantics, Mode::total);
        if (next.state != Outcome::State::value) return next;
        sum = arithmetic(Op::add, type, sum.value, type, next.value, type, context.semantics,
                         Mode::total);
    }
    return sum;
}

// In Mode::raising an integer sum out of range raises; where only the order of adding decides, nothing can be said.
Outcome checked_sum(const Members& values, Type from, Type type, const Context& context,
                    Mode mode) {
    Outcome sum = sum_of(values, from, type, context);
    if (mode == Mode::total || !is_integer(type) || sum.state != Outcome::State::value) return sum;
    if (!fits_integer(sum.value, type)) return error_outcome("integer out of range");
    Wide low = 0;
    Wide high = 0;
    for (const Value* value : values) {
        const Wide digits = Number::digits(*value);
        (digits < 0 ? low : high) += digits;
    }
    const bool fits =
        fits_integer(Number::integer(low), type) && fits_integer(Number::integer(high), type);
    return fits ? sum : cannot_say("a sum that may overflow on the way");
}

Outcome average_of(const Members& values, Type from, Type type, const Context& context) {
    const auto n = static_cast<std::int64_t>(values.size());
    if (from.kind() == TypeKind::interval) return cannot_say("an average of intervals");
    if (type.kind() == TypeKind::numeric) {
        const Outcome sum = sum_of(values, from, type, context);
        if (sum.state != Outcome::State::value) return sum;
        return arithmetic(Op::div, type, sum.value, type, Number::decimal(Wide(n), 0), type,
                          context.semantics, Mode::total);
    }
    if (type.kind() != TypeKind::double_) return cannot_say("an average of that type");
    if (is_float(from)) {
        if (!adds_exactly(values, Type(TypeKind::double_)))
            return cannot_say("an average that depends on the order");
        double sum = 0;
        for (const Value* value : values) sum += value->as_double();
        return value_outcome(Value::double_(sum / static_cast<double>(n)));
    }
    const Outcome sum = sum_of(values, from, Type(TypeKind::numeric), context);
    if (sum.state != Outcome::State::value) return sum;
    if (Number::is_nan(sum.value) || !sum.value.is_small())
        return cannot_say("an average of that size");
    return value_outcome(Value::double_(
        nearest_double(Number::digits(sum.value), Wide(n) * power_of_ten(sum.value.scale()))));
}

Outcome extreme_of(const Members& values, Type from, Type type, bool greatest,
                   const Context& context) {
    if (from.kind() == TypeKind::char_) return cannot_say("an extreme of padded texts");
    const Value* best = values[0];
    bool open = false;
    for (const Value* value : values) {
        const auto order = compare(*value, *best, from, context.semantics);
        if (!order) return cannot_say("an extreme of values without an order");
        if (*order == 0) open = open || !identical(*value, *best);
        if (greatest ? *order <= 0 : *order >= 0) continue;
        best = value;
        open = false;
    }
    if (open) return cannot_say("which of several equal values is the extreme");
    return cast_value(*best, from, type, context.semantics, Mode::total);
}

// AND or OR of truth values without NULL.
Outcome truth_of(const Members& values, bool any) {
    const auto is_true = [](const Value* value) { return value->is_true(); };
    return boolean_outcome(any ? std::ranges::any_of(values, is_true)
                               : std::ranges::all_of(values, is_true));
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

Outcome fold_aggregate(const AggregateCall& call, std::span<const Row> arguments,
                       std::span<const Type> types, Type result, const Context& context,
                       Mode mode) {
    const std::string& name = call.function;
    const bool known = is_one_of(
        name, {"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every", "any_value"});
    if (!known || call.variadic || call.within_group) return cannot_say("the aggregate " + name);
    if (call.star) {
        if (name != "count" || call.distinct) return cannot_say("the aggregate " + name + "(*)");
        return value_outcome(Value::integer(static_cast<std::int64_t>(arguments.size())));
    }
    if (types.size() != 1) return cannot_say("an aggregate of several arguments");
    Members values = present_values(arguments);
    Groups groups({types[0]}, context.semantics);
    if (call.distinct) {
        for (const Value* value : values) groups.add({*value});
        values.clear();
        for (std::uint32_t i = 0; i < groups.size(); ++i) {
            const bool matters = name == "sum" || name == "avg";
            if (matters && !groups.is_uniform(i))
                return cannot_say("which of several equal values is added");
            values.push_back(&groups.key(i)[0]);
        }
    }
    if (name == "count")
        return value_outcome(Value::integer(static_cast<std::int64_t>(values.size())));
    if (values.empty()) return null_outcome();
    if (is_one_of(name, {"bool_and", "bool_or", "every"})) {
        if (types[0].kind() != TypeKind::boolean)
            return cannot_say("the aggregate " + name + " of that type");
        return truth_of(values, name == "bool_or");
    }
    if (name == "any_value") {
        const bool fixed =
            std::ranges::all_of(values, [&](const Value* v) { return identical(*v, *values[0]); });
        return fixed ? value_outcome(*values[0]) : cannot_say("any value of several");
    }
    if (name == "min" || name == "max") {
        // Distinct values that are equal and not identical are one here.
        const Members all = present_values(arguments);
        return extreme_of(all, types[0], result, name == "max", context);
    }
    if (result.kind() == TypeKind::opaque)
        return cannot_say("the aggregate " + name + " of that type");
    if (name == "sum") return checked_sum(values, types[0], result, context, mode);
    return average_of(values, types[0], result, context);
}

}  // namespace satura::lang
