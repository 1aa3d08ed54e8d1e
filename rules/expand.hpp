// `for` and `<=>`: the instances of a rule, and what flip, negate and the other maps make of an operator.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/syntax.hpp"

namespace satura::rules {

inline constexpr std::size_t instance_max = 1000;

// One choice of operators, in one direction.
struct Instance {
    std::vector<std::pair<std::string, std::string>>
        operators;      // a `for` variable's name, its operator
    bool back = false;  // right to left

    const std::string* find(std::string_view variable) const;
    std::string suffix() const;  // of the rule's name: "", "/back", "[<]", "/back[<, and]"
};

// In the order of the operators, the last `for` fastest; for `<=>` each once forward and once back. Empty where there would
// be more than instance_max.
std::vector<Instance> instances(const RuleSyntax& rule);

// The operator that a map gives; nothing where it has none for it. docs/rules.md has the table.
std::optional<std::string> mapped(OperatorMap map, const std::string& op);

}  // namespace satura::rules
