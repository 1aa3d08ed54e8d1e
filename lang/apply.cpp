// One operator on evaluated arguments.
#include "lang/arithmetic.hpp"
#include "lang/evaluator.hpp"
#include "lang/function.hpp"
#include "lang/like.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using State = Outcome::State;
using Arguments = std::span<const Outcome* const>;
using Types = std::span<const Type>;

bool is_null(const Outcome& o) { return o.state == State::value && o.value.is_null(); }

// What a strict operator gives without looking at its arguments' values; nothing when all are
// values and none is NULL. An unknown argument may raise, so in Mode::raising it outweighs a NULL.
std::optional<Outcome> strict_outcome(Arguments arguments, Mode mode) {
    bool null = false;
    bool unknown = false;
    for (const Outcome* argument : arguments) {
        if (argument->state == State::error) return *argument;
        unknown = unknown || argument->state == State::unknown;
        null = null || is_null(*argument);
    }
    if (unknown && (mode == Mode::raising || !null)) return unknown_outcome();
    if (null) return null_outcome();
    return std::nullopt;
}

// AND (deciding = false) and OR (deciding = true), fed with one argument after the other from left
// to right.
class Connective {
  public:
    Connective(bool deciding, Mode mode) : deciding_(deciding), mode_(mode) {}

    // False once the outcome is settled.
    bool take(const Outcome& argument) {
        if (argument.state == State::error) {
            // Behind something unknown, which may decide before it.
            settled_ = unknown_ ? unknown_outcome() : argument;
            return false;
        }
        if (argument.state == State::unknown || !is_truth(argument.value)) {
            unknown_ = true;
            return true;
        }
        if (argument.value.is_null()) {
            null_ = true;
            return true;
        }
        if (argument.value.as_boolean() != deciding_) return true;
        // In Mode::raising something unknown on the left may raise first.
        settled_ =
            unknown_ && mode_ == Mode::raising ? unknown_outcome() : boolean_outcome(deciding_);
        return false;
    }

    Outcome outcome() const {
        if (settled_) return *settled_;
        if (unknown_) return unknown_outcome();
        return null_ ? null_outcome() : boolean_outcome(!deciding_);
    }

  private:
    static bool is_truth(const Value& v) { return v.is_null() || v.kind() == Value::Kind::boolean; }

    bool deciding_;
    Mode mode_;
    bool unknown_ = false;
    bool null_ = false;
    std::optional<Outcome> settled_;
};

Outcome connect(Arguments arguments, bool deciding, Mode mode) {
    Connective connective(deciding, mode);
    for (const Outcome* argument : arguments) {
        if (!connective.take(*argument)) break;
    }
    return connective.outcome();
}

bool holds(Op op, int order) {
    switch (op) {
        case Op::eq:
            return order == 0;
        case Op::ne:
            return order != 0;
        case Op::lt:
            return order < 0;
        case Op::le:
            return order <= 0;
        case Op::gt:
            return order > 0;
        default:
            return order >= 0;
    }
}

// A pair that no comparison here is for; floats are, and then no order means NaN.
bool is_comparable(const Value& a, const Value& b) {
    const auto number = [](const Value& v) {
        return v.kind() >= Value::Kind::integer && v.kind() <= Value::Kind::double_;
    };
    return a.kind() == b.kind() || (number(a) && number(b));
}

// Two chars compare without trailing blanks, a char with another text as texts.
Type compared_type(Type a, Type b) {
    return a.kind() == TypeKind::char_ && b.kind() != TypeKind::char_ ? Type(TypeKind::text) : a;
}

bool is_known_order(Type a, Type b) {
    return a.kind() != TypeKind::opaque && b.kind() != TypeKind::opaque;
}

Outcome compare_values(Op op, const Value& a, Type a_type, const Value& b, Type b_type,
                       const Semantics& semantics) {
    if (!is_known_order(a_type, b_type) || !is_comparable(a, b)) return unknown_outcome();
    const std::optional<int> order = compare(a, b, compared_type(a_type, b_type), semantics);
    return boolean_outcome(order ? holds(op, *order) : op == Op::ne);
}

Outcome compare_strictly(Op op, const Outcome& a, Type a_type, const Outcome& b, Type b_type,
                         const Semantics& semantics, Mode mode) {
    const Outcome* const both[] = {&a, &b};
    if (std::optional<Outcome> early = strict_outcome(both, mode)) return *std::move(early);
    return compare_values(op, a.value, a_type, b.value, b_type, semantics);
}

Outcome null_safe_equal(Arguments arguments, Types types, const Semantics& semantics) {
    const Outcome& a = *arguments[0];
    const Outcome& b = *arguments[1];
    if (a.state == State::error) return a;
    if (b.state == State::error) return b;
    if (a.state == State::unknown || b.state == State::unknown) return unknown_outcome();
    if (a.value.is_null() || b.value.is_null())
        return boolean_outcome(a.value.is_null() && b.value.is_null());
    if (Number::is_nan(a.value) && Number::is_nan(b.value)) return boolean_outcome(true);
    return compare_values(Op::eq, a.value, types[0], b.value, types[1], semantics);
}

Outcome test_truth(Op op, const Outcome& argument) {
    if (argument.state != State::value) return argument;
    const Value& v = argument.value;
    if (op == Op::is_null || op == Op::is_unknown) return boolean_outcome(v.is_null());
    if (!v.is_null() && v.kind() != Value::Kind::boolean) return unknown_outcome();
    return boolean_outcome(op == Op::is_true ? v.is_true() : v.is_false());
}

Outcome negate_truth(const Outcome& argument) {
    if (argument.state != State::value || argument.value.is_null()) return argument;
    if (argument.value.kind() != Value::Kind::boolean) return unknown_outcome();
    return boolean_outcome(!argument.value.as_boolean());
}

Outcome choose_case(Arguments arguments) {
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
        const Outcome& condition = *arguments[i];
        if (condition.state != State::value) return condition;
        if (condition.value.is_true()) return *arguments[i + 1];
        if (!condition.value.is_null() && condition.value.kind() != Value::Kind::boolean)
            return unknown_outcome();
    }
    return *arguments.back();
}

Outcome first_present(Arguments arguments) {
    for (const Outcome* argument : arguments) {
        if (!is_null(*argument)) return *argument;
    }
    return null_outcome();
}

Outcome null_if_equal(Arguments arguments, Types types, const Semantics& semantics, Mode mode) {
    const Outcome& a = *arguments[0];
    const Outcome& b = *arguments[1];
    const Outcome equal = compare_strictly(Op::eq, a, types[0], b, types[1], semantics, mode);
    if (equal.state != State::value) return equal;
    return equal.value.is_true() ? null_outcome() : a;
}

Outcome extreme(Op op, Arguments arguments, Types types, const Semantics& semantics) {
    const Outcome* best = nullptr;
    Type best_type;
    bool null = false;
    bool unknown = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Outcome& argument = *arguments[i];
        if (argument.state == State::error) return argument;
        unknown = unknown || argument.state == State::unknown;
        if (argument.state == State::unknown) continue;
        if (argument.value.is_null()) {
            null = true;
            continue;
        }
        if (best == nullptr) {
            best = &argument;
            best_type = types[i];
            continue;
        }
        if (!is_known_order(best_type, types[i])) return unknown_outcome();
        const auto order =
            compare(argument.value, best->value, compared_type(best_type, types[i]), semantics);
        // Which of two equal values, not identical (-0.0 and 0.0, 30 days and a month), an engine
        // hands on, is known of PostgreSQL: the first.
        const bool tie = order == 0 && !identical(argument.value, best->value);
        if (!order || (tie && semantics.dialect != Dialect::postgres)) {
            unknown = true;
        } else if (op == Op::greatest ? *order > 0 : *order < 0) {
            best = &argument;
            best_type = types[i];
        }
    }
    if (unknown) return unknown_outcome();
    if (best == nullptr || (null && !semantics.greatest_ignores_null)) return null_outcome();
    // DuckDB may give 0.0 for a real -0.0.
    const bool negative_zero =
        best->value.kind() == Value::Kind::real && best->value.as_double() == 0.0;
    if (negative_zero && semantics.dialect == Dialect::duckdb) return unknown_outcome();
    return *best;
}

// x IN (a, b): x = a OR x = b.
Outcome is_member(Arguments arguments, Types types, const Semantics& semantics, Mode mode) {
    Connective any(true, mode);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const Outcome equal = compare_strictly(Op::eq, *arguments[0], types[0], *arguments[i],
                                               types[i], semantics, mode);
        if (!any.take(equal)) break;
    }
    return any.outcome();
}

// x BETWEEN a AND b: x >= a AND x <= b.
Outcome is_between(Arguments arguments, Types types, const Semantics& semantics, Mode mode) {
    Connective both(false, mode);
    const Outcome above =
        compare_strictly(Op::ge, *arguments[0], types[0], *arguments[1], types[1], semantics, mode);
    if (both.take(above)) {
        both.take(compare_strictly(Op::le, *arguments[0], types[0], *arguments[2], types[2],
                                   semantics, mode));
    }
    return both.outcome();
}

// DuckDB and SQLite have no escape character unless one is written; MySQL and SQLite do not see
// case.
Outcome matches_like(Arguments arguments, const Semantics& semantics, Mode mode) {
    if (std::optional<Outcome> early = strict_outcome(arguments, mode)) return *std::move(early);
    for (const Outcome* argument : arguments) {
        if (argument->value.kind() != Value::Kind::text) return unknown_outcome();
    }
    if (semantics.dialect == Dialect::mysql || semantics.dialect == Dialect::sqlite)
        return unknown_outcome();
    std::string_view escape = semantics.dialect == Dialect::duckdb ? "" : "\\";
    if (arguments.size() > 2) {
        escape = arguments[2]->value.as_text();
        if (escape.size() > 1) return unknown_outcome();  // an error, or a character beyond ASCII
    }
    const std::optional<bool> matches =
        like_matches(arguments[0]->value.as_text(), arguments[1]->value.as_text(), escape);
    return matches ? boolean_outcome(*matches) : unknown_outcome();
}

Outcome apply_cast(Op op, std::uint32_t payload, const Outcome& argument, Type from,
                   const Semantics& semantics, Mode mode) {
    if (argument.state != State::value) return argument;
    const Type to = Type::from_bits(payload);
    if (op == Op::cast) return cast_value(argument.value, from, to, semantics, mode);
    Outcome tried = cast_value(argument.value, from, to, semantics, Mode::raising);
    return tried.state == State::error ? null_outcome() : tried;
}

Outcome apply_call(std::uint32_t payload, Type type, Arguments arguments, Types types,
                   const Context& context, Mode mode) {
    const Function* function = find_function(context.names[payload], context.semantics.dialect);
    if (function == nullptr) {
        for (const Outcome* argument : arguments) {
            if (argument->state == State::error) return *argument;
        }
        return unknown_outcome();
    }
    std::vector<const Value*> values;
    for (const Outcome* argument : arguments) {
        if (!function->is_strict && argument->state != State::value) return *argument;
        values.push_back(&argument->value);
    }
    if (function->is_strict) {
        if (auto early = strict_outcome(arguments, mode)) return *std::move(early);
    }
    return call_function(*function, {values, types, type, context.semantics, mode});
}

Outcome apply_arithmetic(Op op, Type type, Arguments arguments, Types types,
                         const Semantics& semantics, Mode mode) {
    if (std::optional<Outcome> early = strict_outcome(arguments, mode)) return *std::move(early);
    if (op == Op::neg) return negate(arguments[0]->value, type, semantics, mode);
    return arithmetic(op, type, arguments[0]->value, types[0], arguments[1]->value, types[1],
                      semantics, mode);
}

}  // namespace

Outcome apply_to(Op op, Type type, std::uint32_t payload, Arguments arguments, Types types,
                 const Context& context, Mode mode) {
    const Semantics& semantics = context.semantics;
    switch (op) {
        case Op::literal:
            return value_outcome(context.literals[LiteralId{payload}].value);
        case Op::cast:
        case Op::try_cast:
            return apply_cast(op, payload, *arguments[0], types[0], semantics, mode);
        case Op::eq:
        case Op::ne:
        case Op::lt:
        case Op::le:
        case Op::gt:
        case Op::ge:
            return compare_strictly(op, *arguments[0], types[0], *arguments[1], types[1], semantics,
                                    mode);
        case Op::null_safe_eq:
            return null_safe_equal(arguments, types, semantics);
        case Op::and_:
            return connect(arguments, false, mode);
        case Op::or_:
            return connect(arguments, true, mode);
        case Op::not_:
            return negate_truth(*arguments[0]);
        case Op::is_null:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
            return test_truth(op, *arguments[0]);
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::div:
        case Op::mod:
        case Op::neg:
            return apply_arithmetic(op, type, arguments, types, semantics, mode);
        case Op::case_:
            return choose_case(arguments);
        case Op::coalesce:
            return first_present(arguments);
        case Op::nullif:
            return null_if_equal(arguments, types, semantics, mode);
        case Op::greatest:
        case Op::least:
            return extreme(op, arguments, types, semantics);
        case Op::in:
            return is_member(arguments, types, semantics, mode);
        case Op::between:
            return is_between(arguments, types, semantics, mode);
        case Op::like:
            return matches_like(arguments, semantics, mode);
        case Op::call:
            return apply_call(payload, type, arguments, types, context, mode);
        case Op::column:
        case Op::opaque:
        case Op::exists:
        case Op::in_subquery:
        case Op::scalar_subquery:
            break;
    }
    return unknown_outcome();
}

}  // namespace satura::lang
