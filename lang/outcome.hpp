// Short ways to make an Outcome; used inside the evaluator.
#pragma once

#include <utility>

#include "lang/evaluate.hpp"

namespace satura::lang {

inline Outcome value_outcome(Value value) {
    Outcome o;
    o.value = std::move(value);
    return o;
}

inline Outcome null_outcome() { return {}; }

inline Outcome boolean_outcome(bool b) { return value_outcome(Value::boolean(b)); }

inline Outcome error_outcome(std::string_view message) {
    Outcome o;
    o.state = Outcome::State::error;
    o.error = message;
    return o;
}

inline Outcome unknown_outcome() {
    Outcome o;
    o.state = Outcome::State::unknown;
    return o;
}

// The value, which in Mode::raising is an error unless it is in range: the shape of most total
// extensions.
inline Outcome checked_outcome(Value value, bool in_range, Mode mode, std::string_view message) {
    if (mode == Mode::raising && !in_range) return error_outcome(message);
    return value_outcome(std::move(value));
}

}  // namespace satura::lang
