#include "lang/expr.hpp"

#include <algorithm>
#include <cassert>
#include <queue>

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

std::vector<ExprId> nodes_below(const Exprs& exprs, ExprId root) {
    // A parent's id is greater than its children's: taking the greatest id first, all parents of a
    // node are done before it, and its doubles come out side by side.
    std::priority_queue<ExprId> open;
    open.push(root);
    std::vector<ExprId> found;
    while (!open.empty()) {
        const ExprId id = open.top();
        open.pop();
        if (!found.empty() && found.back() == id) continue;
        found.push_back(id);
        for (const ExprId child : exprs.children(id)) open.push(child);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace satura::lang
