#include "optimizer/guards.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lang/evaluate.hpp"

namespace satura {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;
using lang::Op;

namespace {

struct Guard {
    using Outcome = GuardOutcome;
    std::uint32_t cls;
    Outcome outcome;
    auto operator<=>(const Guard&) const = default;
};
using Guards = std::vector<Guard>;  // sorted

Guards with(Guards guards, Guard guard) {
    auto at = std::lower_bound(guards.begin(), guards.end(), guard);
    if (at == guards.end() || *at != guard) guards.insert(at, guard);
    return guards;
}

// Each raising node with the guards of each of its positions.
using Positions = std::map<std::uint32_t, std::vector<Guards>>;

class Walker {
  public:
    // Beyond this many guards, over all positions, the answer is "cannot say".
    static constexpr std::size_t guards_kept_max = 2'000'000;

    Walker(const egraph::EGraph& graph, const rules::SqlOps& ops, const Placed& placed)
        : graph_(graph), ops_(ops), placed_(placed) {
        mark_raising();
    }

    bool raises() const { return contains_[index(placed_.root)]; }
    bool gave_up() const { return guards_kept_ > guards_kept_max; }

    // With `by_class`, also the guards of each position of each class that is passed on the way.
    Positions run(Positions* by_class = nullptr) {
        if (!raises()) return {};
        todo_.push_back({placed_.root, {}, false});
        while (!todo_.empty() && !gave_up()) {
            Visit visit = std::move(todo_.back());
            todo_.pop_back();
            const bool is_silent = visit.is_compared && is_calendar_cast(visit.id);
            if (raises_[index(visit.id)] && !is_silent) note(visit);
            if (by_class != nullptr) {
                auto& all = (*by_class)[class_of(visit.id)];
                if (std::ranges::find(all, visit.guards) == all.end()) all.push_back(visit.guards);
            }
            push_children(visit);
        }
        return std::move(positions_);
    }

    // The nodes with constants alone below them that raise, of the positions that run() passed.
    const std::set<std::uint32_t>& raising_constants() const { return raising_constants_; }

    // Whether a node raises only where its exact value is not one of its type.
    bool only_overflows(NodeId node) const {
        const Op op = ops_.meaning(graph_.node(node).op).op;
        if (op != Op::add && op != Op::sub && op != Op::mul && op != Op::neg) return false;
        for (std::uint32_t i = 0; i <= index(placed_.root); ++i) {
            const NodeId at = placed_.nodes[i];
            if (egraph::raw(at) == egraph::none || live(at) != node) continue;
            const auto is_exact = [&](ExprId e) {
                return lang::is_exact_numeric(placed_.exprs[e].type);
            };
            return is_exact(ExprId{i}) &&
                   std::ranges::all_of(placed_.exprs.children(ExprId{i}), is_exact);
        }
        return false;
    }

  private:
    struct Visit {
        ExprId id;
        Guards guards;
        bool is_compared = false;  // it is an operand of a comparison
    };

    // PostgreSQL compares a date with a timestamp without a cast; written out elsewhere it raises for late dates.
    bool is_calendar_cast(ExprId id) const {
        const lang::ExprNode& node = placed_.exprs[id];
        return node.op == Op::cast && node.implicit &&
               ops_.context().semantics.dialect == lang::Dialect::postgres &&
               placed_.exprs[placed_.exprs.children(id)[0]].type.kind() == lang::TypeKind::date;
    }

    void mark_raising() {
        std::size_t n = index(placed_.root) + 1;
        raises_.assign(n, false);
        contains_.assign(n, false);
        is_constant_.assign(n, false);
        std::vector<lang::Type> types;
        std::vector<const lang::Value*> constants;
        for (std::uint32_t i = 0; i < n; ++i) {
            const lang::ExprNode& node = placed_.exprs[ExprId{i}];
            types.clear();
            constants.clear();
            bool below = false;
            bool constant =
                node.op != Op::column && !lang::is_volatile(node.op, node.payload, ops_.context());
            for (ExprId c : placed_.exprs.children(ExprId{i})) {
                const lang::ExprNode& child = placed_.exprs[c];
                types.push_back(child.type);
                const lang::LiteralId literal{child.payload};
                constants.push_back(
                    child.op == Op::literal ? &ops_.context().literals[literal].value : nullptr);
                below = below || contains_[index(c)];
                constant = constant && is_constant_[index(c)];
            }
            is_constant_[i] = constant;
            bool leaf = node.op == Op::column || node.op == Op::literal;
            raises_[i] = !leaf && lang::may_raise(node.op, node.type, node.payload, types,
                                                  constants, ops_.context());
            contains_[i] = below || raises_[i];
        }
    }

    std::uint32_t class_of(ExprId id) const {
        NodeId node = placed_.nodes[index(id)];
        // A conjunction that became part of the one around it has no class: it guards like nothing else.
        if (egraph::raw(node) == egraph::none) return 0x80000000U | index(id);
        return graph_.find(egraph::raw(node));
    }

    // The live node with the same key, so that one node has one name on both sides.
    NodeId live(NodeId id) const {
        egraph::NodeView node = graph_.node(id);
        std::vector<ClassId> children;
        for (std::uint32_t c : node.children) children.push_back(ClassId{graph_.find(c)});
        NodeId found = id;
        ClassId cls = graph_.class_of(id);
        graph_.for_each_node(cls, [&](const egraph::NodeView& n) {
            bool same = n.op == node.op && n.payload == node.payload &&
                        n.children.size() == children.size();
            for (std::size_t i = 0; same && i < children.size(); ++i)
                same = n.children[i] == egraph::raw(children[i]);
            if (same) found = n.id;
        });
        return found;
    }

    void note(const Visit& visit) {
        NodeId node = placed_.nodes[index(visit.id)];
        if (egraph::raw(node) == egraph::none) return;
        const std::uint32_t key = egraph::raw(live(node));
        if (is_constant_[index(visit.id)] && !has_value(visit.id)) raising_constants_.insert(key);
        auto& all = positions_[key];
        if (std::find(all.begin(), all.end(), visit.guards) == all.end())
            all.push_back(visit.guards);
    }

    bool has_value(ExprId constant) const {
        return lang::evaluate(placed_.exprs, constant, {}, ops_.context(), lang::Mode::raising)
                   .state == lang::Outcome::State::value;
    }

    void push(ExprId id, const Guards& guards, bool is_compared = false) {
        if (!contains_[index(id)] || gave_up()) return;
        guards_kept_ += guards.size() + 1;
        todo_.push_back({id, guards, is_compared});
    }

    void push_children(const Visit& visit) {
        auto children = placed_.exprs.children(visit.id);
        Op op = placed_.exprs[visit.id].op;
        Guards guards = visit.guards;
        if (op == Op::case_) {
            for (std::size_t i = 0; i + 1 < children.size(); i += 2) {
                push(children[i], guards);
                push(children[i + 1],
                     with(guards, {class_of(children[i]), Guard::Outcome::is_true}));
                guards = with(guards, {class_of(children[i]), Guard::Outcome::not_true});
            }
            push(children.back(), guards);
            return;
        }
        const bool compares = lang::is_comparison(op) || op == Op::in || op == Op::between;
        for (std::size_t i = 0; i < children.size(); ++i) {
            push(children[i], guards, compares);
            std::uint32_t cls = class_of(children[i]);
            if (op == Op::and_) guards = with(guards, {cls, Guard::Outcome::not_false});
            if (op == Op::or_) guards = with(guards, {cls, Guard::Outcome::not_true});
            if (op == Op::coalesce) guards = with(guards, {cls, Guard::Outcome::is_null});
            // An item of IN is looked at when no item before it was equal: the same list guards itself, nothing else does.
            if (op == Op::in && i > 0)
                guards = with(guards, {class_of(visit.id), Guard::Outcome::reached});
            if (op == Op::between && i > 0)
                guards = with(guards, {class_of(visit.id), Guard::Outcome::reached});
        }
    }

    const egraph::EGraph& graph_;
    const rules::SqlOps& ops_;
    const Placed& placed_;
    std::vector<bool> raises_, contains_;  // itself; it or one below it
    std::vector<bool> is_constant_;        // no column below it, nothing volatile
    std::set<std::uint32_t> raising_constants_;
    std::vector<Visit> todo_;
    Positions positions_;
    std::size_t guards_kept_ = 0;
};

std::map<std::uint32_t, std::uint64_t> volatile_calls(const lang::Context& context,
                                                      const Placed& placed) {
    std::size_t n = index(placed.root) + 1;
    std::vector<std::uint64_t> times(n, 0);
    std::map<std::uint32_t, std::uint64_t> calls;
    times[index(placed.root)] = 1;
    for (std::size_t i = n; i-- > 0;) {
        if (times[i] == 0) continue;
        ExprId id{static_cast<std::uint32_t>(i)};
        const lang::ExprNode& node = placed.exprs[id];
        if (lang::is_volatile(node.op, node.payload, context)) {
            calls[node.payload | (node.op == Op::opaque ? 0x80000000U : 0)] += times[i];
        }
        for (ExprId c : placed.exprs.children(id)) times[index(c)] += times[i];
    }
    return calls;
}

}  // namespace

std::vector<NodeId> find_unguarded(const egraph::EGraph& graph, const rules::SqlOps& ops,
                                   const Placed& input, const Placed& output,
                                   const KnownGuard& known_guard) {
    std::vector<NodeId> found;
    Walker out(graph, ops, output);
    if (!out.raises()) return found;
    Walker in(graph, ops, input);
    Positions before_by_class;
    const Positions before = in.run(&before_by_class);
    const Positions after = out.run();
    const bool gave_up = in.gave_up() || out.gave_up();
    const auto is_reached = [&](const std::vector<Guards>& known, const Guards& guards) {
        return std::ranges::any_of(known, [&](const Guards& g) {
            return std::ranges::all_of(g, [&](const Guard& guard) {
                if (std::ranges::binary_search(guards, guard)) return true;
                const bool is_class = (guard.cls & 0x80000000U) == 0;
                return known_guard && is_class && known_guard(ClassId{guard.cls}, guard.outcome);
            });
        });
    };
    const auto is_fine = [&](const Positions& known, std::uint32_t key,
                             const std::vector<Guards>& positions) {
        const auto at = known.find(key);
        return at != known.end() && std::ranges::all_of(positions, [&](const Guards& guards) {
                   return is_reached(at->second, guards);
               });
    };
    for (const auto& [node, positions] : after) {
        // A guard does not keep an engine from computing constants beforehand.
        const bool is_computed_early =
            out.raising_constants().contains(node) && !in.raising_constants().contains(node);
        bool fine = !gave_up && !is_computed_early && is_fine(before, node, positions);
        // Exact arithmetic raises only where its value does not fit its type, and then all that is equal to it raises too.
        if (!fine && !gave_up && !is_computed_early && out.only_overflows(NodeId{node}))
            fine = is_fine(before_by_class, graph.find(node), positions);
        if (!fine) found.push_back(NodeId{node});
    }
    return found;
}

bool has_same_volatile_calls(const lang::Context& context, const Placed& input,
                             const Placed& output) {
    return volatile_calls(context, input) == volatile_calls(context, output);
}

}  // namespace satura
