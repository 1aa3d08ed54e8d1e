#include "rules/encode.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace satura::rules {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using lang::ExprId;
using lang::ExprNode;
using lang::Exprs;
using lang::Op;

namespace {

std::vector<bool> reachable(const Exprs& exprs, std::span<const ExprId> roots) {
    std::uint32_t size = 0;
    for (ExprId root : roots) size = std::max(size, index(root) + 1);
    std::vector<bool> seen(size, false);
    for (ExprId root : roots) seen[index(root)] = true;
    for (std::uint32_t i = size; i-- > 0;) {
        if (!seen[i]) continue;
        for (ExprId c : exprs.children(ExprId{i})) seen[index(c)] = true;
    }
    return seen;
}

class Encoder {
  public:
    Encoder(NodeTaker& taker, const Exprs& exprs, SqlOps& ops, Scope& scope)
        : exprs_(exprs), taker_(taker), ops_(ops), scope_(scope) {}

    std::vector<std::uint32_t> run(std::span<const ExprId> roots) {
        std::vector<bool> wanted = reachable(exprs_, roots);
        made_.assign(wanted.size(), egraph::none);
        skip_nested(roots, wanted);
        for (std::uint32_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i] && !nested_[i]) made_[i] = add(ExprId{i});
        }
        return std::move(made_);
    }

  private:
    // An `and` whose only user is an `and` is part of it: adding it by itself would cost a set for each level.
    void skip_nested(std::span<const ExprId> roots, const std::vector<bool>& wanted) {
        nested_.assign(wanted.size(), false);
        std::vector<std::uint8_t> users(wanted.size(), 0);
        for (ExprId root : roots) users[index(root)] = 2;
        for (std::uint32_t i = 0; i < wanted.size(); ++i) {
            if (!wanted[i]) continue;
            for (ExprId c : exprs_.children(ExprId{i}))
                users[index(c)] = static_cast<std::uint8_t>(std::min(users[index(c)] + 1, 2));
        }
        for (std::uint32_t i = 0; i < wanted.size(); ++i) {
            Op op = exprs_[ExprId{i}].op;
            if (!wanted[i] || (op != Op::and_ && op != Op::or_)) continue;
            for (ExprId c : exprs_.children(ExprId{i})) {
                if (exprs_[c].op == op && users[index(c)] == 1) nested_[index(c)] = true;
            }
        }
    }

    // A piece that names a collation, whatever else it says.
    void find_collation(std::uint32_t opaque) {
        constexpr std::string_view word = "collate";
        const std::string& text = ops_.context().opaques[opaque].text;
        const auto at = std::ranges::search(text, word, {}, [](char c) {
            return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        });
        if (!at.empty()) ops_.context().has_collations = true;
    }

    std::uint32_t add(ExprId id) {
        const ExprNode& node = exprs_[id];
        children_.clear();
        if (node.op == Op::and_ || node.op == Op::or_) {
            collect(id);
        } else if (node.op == Op::case_) {
            add_pairs(id);
        } else {
            for (ExprId c : exprs_.children(id)) children_.push_back(made_[index(c)]);
        }
        egraph::Payload payload = node.payload;
        egraph::OpId op = ops_[node.op];
        if (node.op == Op::call) {
            SqlOps::Call call = ops_.call(node.payload);
            op = call.op, payload = call.payload;
            if (op == ops_[Op::call]) scope_.call_types[payload] = node.type;
        } else if (node.op == Op::opaque) {
            scope_.opaque_types[payload] = node.type;
            find_collation(payload);
        } else if (node.op == Op::is_unknown) {
            op = ops_[Op::is_null];
        } else if (node.op == Op::like && children_.size() == 3) {
            op = ops_.like_escape();
        } else if (node.op == Op::cast || node.op == Op::try_cast) {
            payload = node.type.bits();
        } else if (node.op != Op::literal && node.op != Op::column && node.op < Op::exists) {
            payload = 0;
        }
        scope_.bound_type = node.type;
        const std::uint32_t made = taker_.add(op, payload, children_);
        scope_.bound_type.reset();
        return made;
    }

    // The leaves of a tree of one set operator, from left to right.
    void collect(ExprId root) {
        std::vector<ExprId> todo{root};
        while (!todo.empty()) {
            ExprId id = todo.back();
            todo.pop_back();
            if (id != root && !nested_[index(id)]) {
                children_.push_back(made_[index(id)]);
                continue;
            }
            auto children = exprs_.children(id);
            todo.insert(todo.end(), children.rbegin(), children.rend());
        }
    }

    void add_pairs(ExprId id) {
        auto children = exprs_.children(id);
        for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
            const std::uint32_t pair[2] = {made_[index(children[i])],
                                           made_[index(children[i + 1])]};
            children_.push_back(taker_.add(ops_.when(), 0, pair));
        }
        children_.push_back(made_[index(children.back())]);
    }

    const Exprs& exprs_;
    NodeTaker& taker_;
    SqlOps& ops_;
    Scope& scope_;
    std::vector<std::uint32_t> made_;
    std::vector<bool> nested_;
    std::vector<std::uint32_t> children_;
};

}  // namespace

std::vector<std::uint32_t> encode_to(NodeTaker& taker, const Exprs& exprs,
                                     std::span<const ExprId> roots, SqlOps& ops, Scope& scope) {
    return Encoder(taker, exprs, ops, scope).run(roots);
}

std::uint32_t filter_form(NodeTaker& taker, const Exprs& exprs, ExprId root,
                          const std::vector<std::uint32_t>& made, const SqlOps& ops) {
    const auto is_open = [&](ExprId e) {
        const Op op = exprs[e].op;
        return op == Op::and_ || op == Op::or_ || op == Op::is_true;
    };
    std::vector<bool> wanted(index(root) + 1, false);
    wanted[index(root)] = true;
    for (std::uint32_t i = index(root) + 1; i-- > 0;) {
        if (!wanted[i] || !is_open(ExprId{i})) continue;
        for (ExprId c : exprs.children(ExprId{i})) wanted[index(c)] = true;
    }
    std::vector<std::uint32_t> form(wanted.size(), egraph::none);
    std::vector<std::uint32_t> children;
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
        if (!wanted[i]) continue;
        children.clear();
        if (!is_open(ExprId{i})) {
            form[i] = taker.add(ops[Op::is_true], 0, {&made[i], 1});
            continue;
        }
        const bool is_part = made[i] == egraph::none && i != index(root);
        if (is_part) continue;
        std::vector<ExprId> todo{ExprId{i}};
        const Op op = exprs[ExprId{i}].op;
        while (!todo.empty()) {
            const ExprId e = todo.back();
            todo.pop_back();
            const bool is_opened = e == ExprId{i} || form[index(e)] == egraph::none;
            if (!is_opened) children.push_back(form[index(e)]);
            const auto below = exprs.children(e);
            if (is_opened) todo.insert(todo.end(), below.rbegin(), below.rend());
        }
        form[i] = op == Op::is_true ? children[0] : taker.add(ops[op], 0, children);
    }
    return form[index(root)];
}

std::vector<NodeId> encode_all(const Exprs& exprs, std::span<const ExprId> roots, EGraph& graph,
                               SqlOps& ops, Scope& scope) {
    GraphTaker taker(graph);
    const std::vector<std::uint32_t> made = encode_to(taker, exprs, roots, ops, scope);
    std::vector<NodeId> nodes;
    nodes.reserve(made.size());
    for (std::uint32_t id : made) nodes.push_back(NodeId{id});
    return nodes;
}

ClassId encode(const Exprs& exprs, ExprId root, EGraph& graph, SqlOps& ops, Scope& scope,
               std::vector<NodeId>* nodes) {
    std::vector<NodeId> made = encode_all(exprs, {&root, 1}, graph, ops, scope);
    ClassId cls = graph.class_of(made[index(root)]);
    if (nodes != nullptr) *nodes = std::move(made);
    return cls;
}

}  // namespace satura::rules
