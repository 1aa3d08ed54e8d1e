// Expressions as flat arrays: a node's children have smaller ids than the node, so every pass over an expression is a
// loop, never a recursion, and a shared sub-expression is one node.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lang/op.hpp"
#include "lang/type.hpp"

namespace satura::lang {

enum class ExprId : std::uint32_t {};
constexpr std::uint32_t index(ExprId id) { return static_cast<std::uint32_t>(id); }
inline constexpr std::uint32_t no_position = 0xFFFFFFFFU;

struct ExprNode {
    Op op = Op::literal;
    bool implicit =
        false;  // a cast that the binder inserted; the writer leaves it out where binding gives it back
    Type type;  // result type
    std::uint32_t payload = 0;
    std::uint32_t first = 0;               // index of the first child in Exprs' child array
    std::uint32_t count = 0;               // number of children
    std::uint32_t position = no_position;  // byte offset in the source text, for messages
};

class Exprs {
  public:
    // Adds a node over existing ones. Requires every child to be an id of this object.
    ExprId add(Op op, Type type, std::uint32_t payload, std::span<const ExprId> children,
               std::uint32_t position = no_position, bool implicit = false);

    const ExprNode& operator[](ExprId id) const { return nodes_[static_cast<std::uint32_t>(id)]; }
    std::span<const ExprId> children(ExprId id) const {
        const ExprNode& n = (*this)[id];
        return {children_.data() + n.first, n.count};
    }
    std::size_t size() const { return nodes_.size(); }
    void clear();

  private:
    std::vector<ExprNode> nodes_;
    std::vector<ExprId> children_;
};

// The nodes below the root, itself included, each once, in ascending order, so that children come
// first. Cost: n log n in their number, however many others there are.
std::vector<ExprId> nodes_below(const Exprs& exprs, ExprId root);

// A column as expressions see it.
struct Column {
    std::string name;
    Type type;
    bool nullable = true;
    bool has_collation = false;  // of its own: different texts may be equal in it
};

}  // namespace satura::lang
