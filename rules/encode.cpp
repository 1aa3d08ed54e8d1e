#include "rules/encode.hpp"

#include <algorithm>

#include "egraph/hash.hpp"
#include "lang/evaluate.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using lang::ExprId;
using lang::ExprNode;
using lang::Exprs;
using lang::Op;

namespace {

std::uint32_t index(ExprId id) { return static_cast<std::uint32_t>(id); }

std::vector<bool> reachable(const Exprs& exprs, ExprId root) {
    std::vector<bool> seen(index(root) + 1, false);
    seen[index(root)] = true;
    for (std::uint32_t i = index(root) + 1; i-- > 0;) {
        if (!seen[i]) continue;
        for (ExprId c : exprs.children(ExprId{i})) seen[index(c)] = true;
    }
    return seen;
}

class Encoder {
  public:
    Encoder(const Exprs& exprs, EGraph& graph, SqlOps& ops, Scope& scope)
        : exprs_(exprs), graph_(graph), ops_(ops), scope_(scope) {}

    ClassId run(ExprId root, std::vector<NodeId>* nodes) {
        std::vector<bool> wanted = reachable(exprs_, root);
        made_.assign(index(root) + 1, NodeId{egraph::none});
        skip_nested(root, wanted);
        for (std::uint32_t i = 0; i <= index(root); ++i) {
            if (wanted[i] && !nested_[i]) made_[i] = add(ExprId{i});
        }
        if (nodes != nullptr) *nodes = made_;
        return graph_.class_of(made_[index(root)]);
    }

  private:
    // An `and` whose only user is an `and` is part of it: adding it by itself would cost a set for each level.
    void skip_nested(ExprId root, const std::vector<bool>& wanted) {
        nested_.assign(index(root) + 1, false);
        std::vector<std::uint8_t> users(index(root) + 1, 0);
        for (std::uint32_t i = 0; i <= index(root); ++i) {
            if (!wanted[i]) continue;
            for (ExprId c : exprs_.children(ExprId{i}))
                users[index(c)] = static_cast<std::uint8_t>(std::min(users[index(c)] + 1, 2));
        }
        for (std::uint32_t i = 0; i <= index(root); ++i) {
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
        } else if (node.op != Op::literal && node.op != Op::column) {
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

// Where an expression stands among its siblings in a printed conjunction.
struct Order {
    bool raises = false;
    std::uint32_t rank = egraph::none;    // when the input evaluates it
    std::uint32_t column = egraph::none;  // the first one it reads
    std::uint64_t key = 0;
};

class Decoder {
  public:
    Decoder(const EGraph& graph, const SqlOps& ops, const Knowledge& knowledge,
            const Decoding& decoding, Exprs& exprs, std::vector<NodeId>* origins)
        : graph_(graph),
          ops_(ops),
          knowledge_(knowledge),
          decoding_(decoding),
          exprs_(exprs),
          origins_(origins) {}

    ExprId run(ClassId root) {
        done_.assign(std::size_t{graph_.id_count()} * 2, ExprId{egraph::none});
        std::vector<State> todo{{egraph::raw(graph_.find(root)), decoding_.as_filter}};
        while (!todo.empty()) {
            State state = todo.back();
            egraph::NodeView node =
                graph_.node(decoding_.choice(ClassId{state.cls}, state.as_filter));
            std::size_t before = todo.size();
            if (!is_done(state)) {
                for (std::uint32_t child : node.children) {
                    State below{graph_.find(child), keeps_filter(state, node)};
                    if (!is_done(below)) todo.push_back(below);
                }
            }
            if (todo.size() > before) continue;
            if (!is_done(state)) make(state, node);
            todo.pop_back();
        }
        return done({egraph::raw(graph_.find(root)), decoding_.as_filter});
    }

  private:
    // A class in the context in which it is wanted.
    struct State {
        std::uint32_t cls;
        bool as_filter;
    };
    ExprId& done(State state) {
        return done_[std::size_t{state.cls} * 2 + (state.as_filter ? 1 : 0)];
    }
    bool is_done(State state) { return index(done(state)) != egraph::none; }

    // What of a filter is a filter itself.
    bool keeps_filter(State state, const egraph::NodeView& node) const {
        Op op = ops_.meaning(node.op).op;
        return state.as_filter && (op == Op::and_ || op == Op::or_ || op == Op::is_true);
    }

    void make(State state, const egraph::NodeView& node) {
        const SqlOps::Meaning& m = ops_.meaning(node.op);
        std::vector<ExprId> children;
        for (std::uint32_t child : node.children) {
            State below{graph_.find(child), keeps_filter(state, node)};
            // The pairs of a CASE have no expression of their own: their parts follow each other.
            if (m.op == Op::case_ && !m.is_when && pairs_.contains(below.cls)) {
                children.push_back(pairs_[below.cls].first);
                children.push_back(pairs_[below.cls].second);
            } else {
                children.push_back(done(below));
            }
        }
        if (m.is_when) {
            pairs_[state.cls] = {children[0], children[1]};
            done(state) = children[1];
            return;
        }
        if (state.as_filter && m.op == Op::is_true) {
            done(state) = children[0];
            return;
        }
        if (m.op == Op::and_ || m.op == Op::or_) sort(children);
        Op op = m.is_like_escape ? Op::like : m.op;
        lang::Type type = knowledge_.type(graph_, ClassId{state.cls});
        bool is_cast = op == Op::cast || op == Op::try_cast;
        ExprId id = exprs_.add(op, type, ops_.lang_payload(node.op, node.payload), children,
                               lang::no_position, is_cast);
        done(state) = id;
        remember(id, state.cls, node, children);
    }

    void remember(ExprId id, std::uint32_t cls, const egraph::NodeView& node,
                  const std::vector<ExprId>& children) {
        if (orders_.size() <= index(id)) orders_.resize(index(id) + 1);
        Order order;
        if (cls < decoding_.input_rank.size()) order.rank = decoding_.input_rank[cls];
        order.key = egraph::mix(static_cast<std::uint64_t>(ops_.meaning(node.op).op) << 56,
                                ops_.signature().content_key(node.op, node.payload));
        if (ops_.meaning(node.op).op == Op::column) order.column = node.payload;
        std::vector<lang::Type> types;
        for (ExprId c : children) {
            order.column = std::min(order.column, orders_[index(c)].column);
            order.raises = order.raises || orders_[index(c)].raises;
            order.key = egraph::mix(order.key, orders_[index(c)].key);
            types.push_back(exprs_[c].type);
        }
        const ExprNode& made = exprs_[id];
        order.raises = order.raises ||
                       lang::may_raise(made.op, made.type, made.payload, types, ops_.context());
        orders_[index(id)] = order;
        if (origins_ == nullptr) return;
        origins_->resize(index(id) + 1, NodeId{egraph::none});
        (*origins_)[index(id)] = node.id;
    }

    void sort(std::vector<ExprId>& children) const {
        std::stable_sort(children.begin(), children.end(), [this](ExprId a, ExprId b) {
            const Order &x = orders_[index(a)], &y = orders_[index(b)];
            if (x.raises != y.raises) return y.raises;
            if (x.raises && x.rank != y.rank) return x.rank < y.rank;
            if (x.column != y.column) return x.column < y.column;
            Op x_op = exprs_[a].op, y_op = exprs_[b].op;
            if (x_op != y_op) return x_op < y_op;
            if (auto order = compare_constants(a, b)) return *order < 0;
            return x.key < y.key;
        });
    }

    // Comparisons with constants stand in the order of the constants, where these compare.
    std::optional<int> compare_constants(ExprId a, ExprId b) const {
        auto x = exprs_.children(a), y = exprs_.children(b);
        if (x.size() != 2 || y.size() != 2 || orders_[index(x[0])].key != orders_[index(y[0])].key)
            return std::nullopt;
        const ExprNode &c = exprs_[x[1]], &d = exprs_[y[1]];
        if (c.op != Op::literal || d.op != Op::literal || c.type != d.type) return std::nullopt;
        const lang::Value& v = ops_.context().literals[lang::LiteralId{c.payload}].value;
        const lang::Value& w = ops_.context().literals[lang::LiteralId{d.payload}].value;
        if (v.is_null() || w.is_null()) return std::nullopt;
        auto order = lang::compare(v, w, c.type, ops_.context().semantics);
        return order == 0 ? std::nullopt : order;
    }

    const EGraph& graph_;
    const SqlOps& ops_;
    const Knowledge& knowledge_;
    const Decoding& decoding_;
    Exprs& exprs_;
    std::vector<NodeId>* origins_;
    std::vector<ExprId> done_;
    std::vector<Order> orders_;
    std::unordered_map<std::uint32_t, std::pair<ExprId, ExprId>> pairs_;
};

}  // namespace

ClassId encode(const Exprs& exprs, ExprId root, EGraph& graph, SqlOps& ops, Scope& scope,
               std::vector<NodeId>* nodes) {
    return Encoder(exprs, graph, ops, scope).run(root, nodes);
}

ExprId decode(const EGraph& graph, const SqlOps& ops, const Knowledge& knowledge, ClassId root,
              const Decoding& decoding, Exprs& exprs, std::vector<NodeId>* origins) {
    return Decoder(graph, ops, knowledge, decoding, exprs, origins).run(root);
}

}  // namespace satura::rules
