#include "lang/expr.hpp"

#include <cassert>

namespace satura::lang {

ExprId Exprs::add(Op op, Type type, std::uint32_t payload, std::span<const ExprId> children,
                  std::uint32_t position, bool implicit) {
    const auto id = static_cast<std::uint32_t>(nodes_.size());
    ExprNode node;
    node.op = op;
    node.implicit = implicit;
    node.type = type;
    node.payload = payload;
    node.first = static_cast<std::uint32_t>(children_.size());
    node.count = static_cast<std::uint32_t>(children.size());
    node.position = position;
    // The children may lie in children_ itself (a copied node), so they are read by index while it
    // grows.
    const bool own = !children_.empty() && children.data() >= children_.data() &&
                     children.data() < children_.data() + children_.size();
    const std::size_t offset =
        own ? static_cast<std::size_t>(children.data() - children_.data()) : 0;
    for (std::size_t i = 0; i < node.count; ++i) {
        const ExprId child = own ? children_[offset + i] : children[i];
        assert(static_cast<std::uint32_t>(child) < id);
        children_.push_back(child);
    }
    nodes_.push_back(node);
    return ExprId{id};
}

void Exprs::clear() {
    nodes_.clear();
    children_.clear();
}

}  // namespace satura::lang
