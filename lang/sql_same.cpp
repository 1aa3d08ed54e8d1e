#include <unordered_set>
#include <vector>

#include "lang/sql_write.hpp"

namespace satura::lang {
namespace {

struct Side {
    const Exprs& exprs;
    const Context& context;
};

struct Couple {
    ExprId a;
    ExprId b;
};

bool same_type(Type a, const Side& in_a, Type b, const Side& in_b) {
    if (a.kind() != TypeKind::opaque || b.kind() != TypeKind::opaque) return a == b;
    return in_a.context.type_names[a.opaque_name()] == in_b.context.type_names[b.opaque_name()];
}

std::string_view call_name(std::uint32_t payload, const Side& side) {
    const std::string_view name = side.context.names[payload];
    return name.substr(0, name.find('\x01'));
}

bool same_payload(const ExprNode& a, const Side& in_a, const ExprNode& b, const Side& in_b) {
    switch (a.op) {
        case Op::literal: {
            const Literal& x = in_a.context.literals[LiteralId{a.payload}];
            const Literal& y = in_b.context.literals[LiteralId{b.payload}];
            return same_type(x.type, in_a, y.type, in_b) && identical(x.value, y.value);
        }
        case Op::cast:
        case Op::try_cast:
            return same_type(Type::from_bits(a.payload), in_a, Type::from_bits(b.payload), in_b);
        case Op::call:
            return call_name(a.payload, in_a) == call_name(b.payload, in_b);
        case Op::opaque:
            return in_a.context.opaques[a.payload].text == in_b.context.opaques[b.payload].text;
        case Op::column:
            return a.payload == b.payload;
        default:
            return true;
    }
}

std::vector<ExprId> flat_children(const Exprs& exprs, ExprId root) {
    const Op op = exprs[root].op;
    const auto direct = exprs.children(root);
    std::vector<ExprId> out;
    if (op != Op::and_ && op != Op::or_) {
        out.assign(direct.begin(), direct.end());
        return out;
    }
    std::vector<ExprId> stack(direct.rbegin(), direct.rend());
    while (!stack.empty()) {
        const ExprId id = stack.back();
        stack.pop_back();
        if (exprs[id].op != op) {
            out.push_back(id);
            continue;
        }
        const auto below = exprs.children(id);
        stack.insert(stack.end(), below.rbegin(), below.rend());
    }
    return out;
}

}  // namespace

bool same_expr(const Exprs& a, ExprId root_a, const Context& context_a, const Exprs& b,
               ExprId root_b, const Context& context_b) {
    const Side in_a{a, context_a};
    const Side in_b{b, context_b};
    std::vector<Couple> stack{{root_a, root_b}};
    std::unordered_set<std::uint64_t> seen;
    while (!stack.empty()) {
        const Couple pair = stack.back();
        stack.pop_back();
        const std::uint64_t key =
            (static_cast<std::uint64_t>(pair.a) << 32U) | static_cast<std::uint64_t>(pair.b);
        if (!seen.insert(key).second) continue;
        const ExprNode& x = a[pair.a];
        const ExprNode& y = b[pair.b];
        if (x.op != y.op || !same_type(x.type, in_a, y.type, in_b) ||
            !same_payload(x, in_a, y, in_b))
            return false;
        const std::vector<ExprId> below_x = flat_children(a, pair.a);
        const std::vector<ExprId> below_y = flat_children(b, pair.b);
        if (below_x.size() != below_y.size()) return false;
        for (std::size_t i = 0; i < below_x.size(); ++i) stack.push_back({below_x[i], below_y[i]});
    }
    return true;
}

}  // namespace satura::lang
