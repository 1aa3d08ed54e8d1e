#include "rules/expand.hpp"

#include <algorithm>
#include <array>

namespace satura::rules {

namespace {

struct Pair {
    OperatorMap map;
    std::string_view from;
    std::string_view to;
    bool both_ways;
};

constexpr auto flip = OperatorMap::flip;
constexpr auto negate = OperatorMap::negate;
constexpr auto weaken = OperatorMap::weaken;
constexpr auto strengthen = OperatorMap::strengthen;
constexpr auto swap = OperatorMap::swap;

constexpr std::array<Pair, 22> pairs = {{
    {flip, "<", ">", true},         {flip, "<=", ">=", true},
    {flip, "=", "=", false},        {flip, "<>", "<>", false},
    {flip, "<=>", "<=>", false},    {negate, "<", ">=", true},
    {negate, ">", "<=", true},      {negate, "=", "<>", true},
    {weaken, "<", "<=", false},     {weaken, ">", ">=", false},
    {weaken, "<=", "<=", false},    {weaken, ">=", ">=", false},
    {strengthen, "<=", "<", false}, {strengthen, ">=", ">", false},
    {strengthen, "<", "<", false},  {strengthen, ">", ">", false},
    {swap, "left", "right", true},  {swap, "inner", "inner", false},
    {swap, "full", "full", false},  {swap, "cross", "cross", false},
    {swap, "and", "or", true},      {swap, "greatest", "least", true},

}};

}  // namespace

const std::string* Instance::find(std::string_view variable) const {
    for (const auto& [name, op] : operators) {
        if (name == variable) return &op;
    }
    return nullptr;
}

std::string Instance::suffix() const {
    std::string out = back ? "/back" : "";
    for (std::size_t i = 0; i < operators.size(); ++i) {
        out += (i == 0 ? "[" : ", ") + operators[i].second;
    }
    return operators.empty() ? out : out + "]";
}

std::vector<Instance> instances(const RuleSyntax& rule) {
    std::vector<Instance> out(1);
    for (const ForSyntax& clause : rule.fors) {
        if (out.size() * clause.operators.size() > instance_max) return {};
        std::vector<Instance> next;
        for (const Instance& instance : out) {
            for (const Name& op : clause.operators) {
                next.push_back(instance);
                next.back().operators.emplace_back(clause.variable.text, op.text);
            }
        }
        out = std::move(next);
    }
    if (rule.arrow != Arrow::both) return out;
    if (out.size() * 2 > instance_max) return {};
    const std::size_t count = out.size();
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(out[i]);
        out.back().back = true;
    }
    return out;
}

std::optional<std::string> mapped(OperatorMap map, const std::string& op) {
    if (map == OperatorMap::none) return op;
    for (const Pair& pair : pairs) {
        if (pair.map != map) continue;
        if (pair.from == op) return std::string(pair.to);
        if (pair.both_ways && pair.to == op) return std::string(pair.from);
    }
    return std::nullopt;
}

}  // namespace satura::rules
