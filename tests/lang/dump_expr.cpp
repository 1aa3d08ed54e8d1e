#include "tests/lang/dump_expr.hpp"

#include <fmt/core.h>

#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"

namespace satura::test {

using namespace lang;

std::string dump_expr(const Exprs& exprs, ExprId root, std::span<const Column> columns,
                      const Context& context) {
    const ExprNode& node = exprs[root];
    const auto children = exprs.children(root);
    std::string inner;
    for (const ExprId child : children) inner += " " + dump_expr(exprs, child, columns, context);
    switch (node.op) {
        case Op::column:
            return columns[node.payload].name;
        case Op::literal: {
            const Literal& literal = context.literals[LiteralId{node.payload}];
            const std::string type = write_type(literal.type, context);
            if (literal.value.is_null()) return fmt::format("{} null", type);
            const bool opaque = literal.type.kind() == TypeKind::opaque;
            return fmt::format("{} '{}'", type,
                               opaque ? std::string(literal.value.as_text())
                                      : value_text(literal.value, literal.type));
        }
        case Op::cast:
            if (node.implicit) return fmt::format("[{}{}]", write_type(node.type, context), inner);
            return fmt::format("(cast {}{})", write_type(node.type, context), inner);
        case Op::try_cast:
            return fmt::format("(try_cast {}{})", write_type(node.type, context), inner);
        case Op::call: {
            const std::string& name = context.names[node.payload];
            return fmt::format("({}:{}{})", name.substr(0, name.find('\x01')),
                               write_type(node.type, context), inner);
        }
        case Op::opaque:
            return fmt::format("(opaque:{} \"{}\"{})", write_type(node.type, context),
                               context.opaques[node.payload].text, inner);
        default:
            break;
    }
    const bool boolean = node.type.kind() == TypeKind::boolean;
    return fmt::format("({}{}{})", op_name(node.op),
                       boolean ? "" : ":" + write_type(node.type, context), inner);
}

}  // namespace satura::test
