// An expression that a word computes: a small tree over the operands that the word was given and constants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lang/expr.hpp"
#include "lang/literals.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

struct Made {
    //   operand   an operand that the word was given; `value` is its id
    //   constant  `value` is a LiteralId
    //   apply     `op` over earlier nodes; of a CASE as lang has it: when, then, …, else
    struct Node {
        enum class Kind : std::uint8_t { operand, constant, apply };
        Kind kind = Kind::apply;
        lang::Op op = lang::Op::literal;
        std::uint32_t value = 0;
        lang::Type type;  // apply
        std::vector<std::uint32_t> children;
    };
    std::vector<Node> nodes;  // children first; the last is the whole

    std::uint32_t operand(std::uint32_t id) {
        return add({Node::Kind::operand, lang::Op::literal, id, {}, {}});
    }
    std::uint32_t constant(lang::LiteralId literal) {
        return add(
            {Node::Kind::constant, lang::Op::literal, static_cast<std::uint32_t>(literal), {}, {}});
    }
    std::uint32_t apply(lang::Op op, std::vector<std::uint32_t> children,
                        lang::Type type = lang::Type{lang::TypeKind::boolean}) {
        return add({Node::Kind::apply, op, 0, type, std::move(children)});
    }

  private:
    std::uint32_t add(Node node) {
        nodes.push_back(std::move(node));
        return static_cast<std::uint32_t>(nodes.size() - 1);
    }
};

// Adds the nodes by `add(OpId, Payload, children)`, which gives an id, and returns that of the whole. `of_operand` gives the id of an
// operand.
template <class Add, class OfOperand>
std::uint32_t add_made(const Made& made, const SqlOps& ops, Add&& add, OfOperand&& of_operand) {
    std::vector<std::uint32_t> ids;
    for (const Made::Node& node : made.nodes) {
        if (node.kind == Made::Node::Kind::operand) {
            ids.push_back(of_operand(node.value));
            continue;
        }
        if (node.kind == Made::Node::Kind::constant) {
            ids.push_back(add(ops[lang::Op::literal], node.value, std::vector<std::uint32_t>{}));
            continue;
        }
        std::vector<std::uint32_t> children;
        for (std::uint32_t child : node.children) children.push_back(ids[child]);
        if (node.op == lang::Op::case_) {
            std::vector<std::uint32_t> pairs;
            for (std::size_t i = 0; i + 1 < children.size(); i += 2)
                pairs.push_back(
                    add(ops.when(), 0, std::vector<std::uint32_t>{children[i], children[i + 1]}));
            pairs.push_back(children.back());
            children = std::move(pairs);
        }
        ids.push_back(add(ops[node.op], 0, std::move(children)));
    }
    return ids.back();
}

}  // namespace satura::rules
