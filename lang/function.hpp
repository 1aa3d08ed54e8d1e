// The scalar functions that are known by name: what holds for each, and how it is evaluated.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "lang/evaluate.hpp"

namespace satura::lang {

// A known function. All of them are strict. `evaluate` is null where no value can be said
// (random(), now()).
struct Function {
    using Evaluate = Outcome (*)(const Value& argument, Type argument_type, Type result,
                                 const Semantics& semantics, Mode mode);
    using ResultType = std::optional<Type> (*)(std::span<const Type> arguments,
                                               const Semantics& semantics);
    enum class Raises : std::uint8_t { never, on_integers, always };

    std::string_view name;  // lower case
    std::uint32_t arity = 1;
    bool is_volatile = false;
    Raises raises = Raises::never;
    ResultType result_type = nullptr;
    Evaluate evaluate = nullptr;  // of one argument; "||" is apart
};

// The function of that name, or null: unknown names are volatile, may raise, and have no type.
const Function* find_function(std::string_view name);

// One call with evaluated, non-NULL arguments.
Outcome call_function(const Function& function, std::span<const Value* const> arguments,
                      std::span<const Type> argument_types, Type result, const Semantics& semantics,
                      Mode mode);

}  // namespace satura::lang
