#include "rules/encode.hpp"

#include <algorithm>

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
    Encoder(const Exprs& exprs, EGraph& graph, SqlOps& ops, Scope& scope)
        : exprs_(exprs), graph_(graph), ops_(ops), scope_(scope) {}

    std::vector<NodeId> run(std::span<const ExprId> roots) {
        std::vector<bool> wanted = reachable(exprs_, roots);
        made_.assign(wanted.size(), NodeId{egraph::none});
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

    NodeId add(ExprId id) {
        const ExprNode& node = exprs_[id];
        children_.clear();
        if (node.op == Op::and_ || node.op == Op::or_) {
            collect(id);
        } else if (node.op == Op::case_) {
            add_pairs(id);
        } else {
            for (ExprId c : exprs_.children(id)) children_.push_back(egraph::raw(made_[index(c)]));
        }
        egraph::Payload payload = node.payload;
        egraph::OpId op = ops_[node.op];
        if (node.op == Op::call) {
            SqlOps::Call call = ops_.call(node.payload);
            op = call.op, payload = call.payload;
            if (op == ops_[Op::call]) scope_.call_types[payload] = node.type;
        } else if (node.op == Op::opaque) {
            scope_.opaque_types[payload] = node.type;
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
        NodeId made = graph_.add_node(op, payload, children_);
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
                children_.push_back(egraph::raw(made_[index(id)]));
                continue;
            }
            auto children = exprs_.children(id);
            todo.insert(todo.end(), children.rbegin(), children.rend());
        }
    }

    void add_pairs(ExprId id) {
        auto children = exprs_.children(id);
        for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
            std::uint32_t pair[2] = {egraph::raw(made_[index(children[i])]),
                                     egraph::raw(made_[index(children[i + 1])])};
            children_.push_back(egraph::raw(graph_.add_node(ops_.when(), 0, pair)));
        }
        children_.push_back(egraph::raw(made_[index(children.back())]));
    }

    const Exprs& exprs_;
    EGraph& graph_;
    SqlOps& ops_;
    Scope& scope_;
    std::vector<NodeId> made_;
    std::vector<bool> nested_;
    std::vector<std::uint32_t> children_;
};

}  // namespace

std::vector<NodeId> encode_all(const Exprs& exprs, std::span<const ExprId> roots, EGraph& graph,
                               SqlOps& ops, Scope& scope) {
    return Encoder(exprs, graph, ops, scope).run(roots);
}

ClassId encode(const Exprs& exprs, ExprId root, EGraph& graph, SqlOps& ops, Scope& scope,
               std::vector<NodeId>* nodes) {
    std::vector<NodeId> made = encode_all(exprs, {&root, 1}, graph, ops, scope);
    ClassId cls = graph.class_of(made[index(root)]);
    if (nodes != nullptr) *nodes = std::move(made);
    return cls;
}

}  // namespace satura::rules
