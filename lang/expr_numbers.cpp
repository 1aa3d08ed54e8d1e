#include "lang/expr_numbers.hpp"

#include <string_view>

#include "lang/evaluate.hpp"

namespace satura::lang {
namespace {

void append(std::string& key, std::uint32_t n) {
    key.append(reinterpret_cast<const char*>(&n), sizeof n);
}

}  // namespace

std::uint32_t ExprNumbers::operator()(ExprId id) {
    extend();
    return numbers_[static_cast<std::uint32_t>(id)];
}

bool ExprNumbers::is_volatile(ExprId id) {
    extend();
    return volatile_[static_cast<std::uint32_t>(id)];
}

std::string ExprNumbers::key_of(ExprId id) const {
    const ExprNode& node = exprs_[id];
    std::string key(1, static_cast<char>(node.op));
    append(key, node.type.bits());
    for (const ExprId child : exprs_.children(id))
        append(key, numbers_[static_cast<std::uint32_t>(child)]);
    if (node.op == Op::opaque) {
        key += context_.opaques[node.payload].text;
    } else if (node.op == Op::call) {
        const std::string_view name = context_.names[node.payload];
        key += name.substr(0, name.find('\x01'));
    } else {
        append(key, node.payload);
    }
    append(key, node.count);
    return key;
}

void ExprNumbers::extend() {
    for (std::size_t i = numbers_.size(); i < exprs_.size(); ++i) {
        const ExprId id{static_cast<std::uint32_t>(i)};
        const auto next = static_cast<std::uint32_t>(by_key_.size());
        numbers_.push_back(by_key_.emplace(key_of(id), next).first->second);
        bool unstable = satura::lang::is_volatile(exprs_[id].op, exprs_[id].payload, context_);
        for (const ExprId child : exprs_.children(id)) {
            unstable = unstable || volatile_[static_cast<std::uint32_t>(child)];
        }
        volatile_.push_back(unstable);
    }
}

}  // namespace satura::lang
