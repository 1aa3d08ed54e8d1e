#include "rules/decode.hpp"

#include <algorithm>
#include <unordered_map>

#include "egraph/hash.hpp"
#include "lang/evaluate.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;
using lang::ExprNode;
using lang::Exprs;
using lang::Op;

namespace {

// Where an expression stands among its siblings in a printed conjunction.
struct Order {
    bool raises = false;
    std::uint32_t rank = egraph::none;    // when the input evaluates it
    std::uint32_t column = egraph::none;  // the first one it reads
    std::uint64_t key = 0;
};

}  // namespace

bool keeps_filter(const SqlOps& ops, bool as_filter, const egraph::NodeView& node) {
    const SqlOps::Meaning& m = ops.meaning(node.op);
    if (m.sort == Sort::truth) return node.op != ops.plan().same;
    return as_filter && (m.op == Op::and_ || m.op == Op::or_ || m.op == Op::is_true);
}

struct Decoder::State {
  public:
    State(const TermClasses& classes, const SqlOps& ops, const Decoding& decoding, Exprs& exprs,
          std::vector<NodeId>* origins)
        : classes_(classes), ops_(ops), decoding_(decoding), exprs_(exprs), origins_(origins) {}

    ExprId run(ClassId root, bool as_filter) {
        done_.resize(std::size_t{classes_.id_count()} * 2, ExprId{egraph::none});
        std::vector<Wanted> todo{{egraph::raw(classes_.find(root)), as_filter}};
        while (!todo.empty()) {
            Wanted state = todo.back();
            egraph::NodeView node =
                classes_.node(decoding_.choice(ClassId{state.cls}, state.as_filter));
            std::size_t before = todo.size();
            if (!is_done(state)) {
                for (std::uint32_t child : node.children) {
                    Wanted below{classes_.find(child), keeps_filter(ops_, state.as_filter, node)};
                    if (!is_done(below)) todo.push_back(below);
                }
            }
            if (todo.size() > before) continue;
            if (!is_done(state)) make(state, node);
            todo.pop_back();
        }
        return done({egraph::raw(classes_.find(root)), as_filter});
    }

  private:
    // A class in the context in which it is wanted.
    struct Wanted {
        std::uint32_t cls;
        bool as_filter;
    };
    ExprId& done(Wanted state) {
        return done_[std::size_t{state.cls} * 2 + (state.as_filter ? 1 : 0)];
    }
    bool is_done(Wanted state) { return index(done(state)) != egraph::none; }

    void make(Wanted state, const egraph::NodeView& node) {
        if (decoding_.chosen != nullptr) decoding_.chosen->push_back(node.id);
        const SqlOps::Meaning& m = ops_.meaning(node.op);
        std::vector<ExprId> children;
        for (std::uint32_t child : node.children) {
            Wanted below{classes_.find(child), keeps_filter(ops_, state.as_filter, node)};
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
        const bool is_itself = m.sort == Sort::truth && node.op == ops_.plan().holds;
        if (is_itself || (state.as_filter && m.op == Op::is_true)) {
            done(state) = children[0];
            return;
        }
        if (m.sort == Sort::truth) {
            done(state) = make_truth(state.cls, node, children);
            return;
        }
        if (m.op == Op::and_ || m.op == Op::or_) sort(children);
        Op op = m.is_like_escape ? Op::like : m.op;
        lang::Type type = classes_.type(ClassId{state.cls});
        bool is_cast = op == Op::cast || op == Op::try_cast;
        ExprId id = exprs_.add(op, type, ops_.lang_payload(node.op, node.payload), children,
                               lang::no_position, is_cast);
        done(state) = id;
        remember(id, state.cls, node, children);
    }

    ExprId boolean(Op op, std::uint32_t cls, const egraph::NodeView& node,
                   const std::vector<ExprId>& children, std::uint32_t payload = 0) {
        const lang::Type type{lang::TypeKind::boolean};
        ExprId id = exprs_.add(op, type, payload, children);
        remember(id, cls, node, children);
        const NodeId value = value_node(op, payload, children);
        const bool is_value = egraph::raw(value) != egraph::none;
        class_of_[index(id)] = is_value ? egraph::raw(classes_.class_of(value)) : egraph::none;
        if (origins_ != nullptr) (*origins_)[index(id)] = value;
        return id;
    }

    // The value that a truth was made of, where the e-graph has it: what guards others is a value, not a truth.
    NodeId value_node(Op op, std::uint32_t payload, const std::vector<ExprId>& children) const {
        std::vector<ClassId> operands;
        for (ExprId c : children) {
            if (class_of_[index(c)] == egraph::none) return NodeId{egraph::none};
            operands.push_back(classes_.find(ClassId{class_of_[index(c)]}));
        }
        auto cls = classes_.lookup(ops_[op], payload, operands);
        if (!cls && op == Op::eq) {
            std::swap(operands[0], operands[1]);
            cls = classes_.lookup(ops_[op], payload, operands);
        }
        NodeId found{egraph::none};
        if (!cls) return found;
        std::ranges::sort(operands);
        classes_.for_each_node(*cls, [&](const egraph::NodeView& n) {
            std::vector<std::uint32_t> own(n.children.begin(), n.children.end());
            std::ranges::sort(own);
            const bool is_it =
                n.op == ops_[op] && n.payload == payload &&
                std::ranges::equal(own, operands, {}, {}, [](ClassId c) { return egraph::raw(c); });
            if (is_it) found = n.id;
        });
        return found;
    }

    ExprId junction(Op op, std::uint32_t cls, const egraph::NodeView& node,
                    std::vector<ExprId>& children) {
        if (children.size() == 1) return children[0];
        sort(children);
        return boolean(op, cls, node, children);
    }

    ExprId make_truth(std::uint32_t cls, const egraph::NodeView& node,
                      std::vector<ExprId>& children) {
        const PlanOps& plan = ops_.plan();
        if (node.op == plan.all) {
            // What stands inside of a part (`same` may be a conjunction itself) is a conjunct of its own.
            std::vector<ExprId> flat;
            for (ExprId c : children) {
                auto below = exprs_.children(c);
                if (exprs_[c].op == Op::and_) {
                    flat.insert(flat.end(), below.begin(), below.end());
                } else {
                    flat.push_back(c);
                }
            }
            return junction(Op::and_, cls, node, flat);
        }
        if (node.op == plan.any) return junction(Op::or_, cls, node, children);
        if (node.op == plan.same) return make_same(cls, node, children);
        const auto literal = node.op == plan.yes ? ops_.true_literal() : ops_.false_literal();
        return boolean(Op::literal, cls, node, {}, static_cast<std::uint32_t>(literal));
    }

    // Each other operand against the one constant; without one, or beside several, against the first that is none. Two texts
    // are never compared with each other: a column that equals both may have a collation of its own.
    ExprId make_same(std::uint32_t cls, const egraph::NodeView& node,
                     std::vector<ExprId>& children) {
        if (children.size() == 1) {
            const ExprId test = boolean(Op::is_null, cls, node, children);
            return boolean(Op::not_, cls, node, {test});
        }
        sort(children);
        const auto is_constant = [&](ExprId c) { return exprs_[c].op == Op::literal; };
        const bool by_constant = std::ranges::count_if(children, is_constant) == 1;
        const auto found = by_constant ? std::ranges::find_if(children, is_constant)
                                       : std::ranges::find_if_not(children, is_constant);
        const ExprId anchor = found != children.end() ? *found : children.front();
        std::vector<ExprId> equalities;
        for (ExprId c : children) {
            if (c == anchor) continue;
            equalities.push_back(by_constant ? boolean(Op::eq, cls, node, {c, anchor})
                                             : boolean(Op::eq, cls, node, {anchor, c}));
        }
        return junction(Op::and_, cls, node, equalities);
    }

    void remember(ExprId id, std::uint32_t cls, const egraph::NodeView& node,
                  const std::vector<ExprId>& children) {
        if (orders_.size() <= index(id)) orders_.resize(index(id) + 1);
        Order order;
        if (cls < decoding_.input_rank.size()) order.rank = decoding_.input_rank[cls];
        order.key = egraph::mix(static_cast<std::uint64_t>(exprs_[id].op) << 56,
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
        class_of_.resize(index(id) + 1, egraph::none);
        class_of_[index(id)] = cls;
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

    const TermClasses& classes_;
    const SqlOps& ops_;
    const Decoding& decoding_;
    Exprs& exprs_;
    std::vector<NodeId>* origins_;
    std::vector<ExprId> done_;
    std::vector<Order> orders_;  // by ExprId
    std::vector<std::uint32_t>
        class_of_;  // of values, by ExprId; none for truths that are no value
    std::unordered_map<std::uint32_t, std::pair<ExprId, ExprId>> pairs_;
};

Decoder::Decoder(const TermClasses& classes, const SqlOps& ops, const Decoding& decoding,
                 Exprs& exprs, std::vector<NodeId>* origins)
    : state_(std::make_unique<State>(classes, ops, decoding, exprs, origins)) {}
Decoder::~Decoder() = default;

ExprId Decoder::run(ClassId root, bool as_filter) { return state_->run(root, as_filter); }

ExprId decode(const TermClasses& classes, const SqlOps& ops, ClassId root, const Decoding& decoding,
              Exprs& exprs, std::vector<NodeId>* origins) {
    return Decoder(classes, ops, decoding, exprs, origins).run(root, decoding.as_filter);
}

}  // namespace satura::rules
