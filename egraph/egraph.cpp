#include "egraph/egraph.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "egraph/hash.hpp"

namespace satura::egraph {

EGraph::EGraph(const Signature& signature, EGraphOptions options)
    : signature_(&signature), options_(options) {}

AnalysisId EGraph::add_analysis(std::shared_ptr<Analysis> analysis) {
    assert(nodes_.empty());
    analyses_.push_back({std::move(analysis), {}, {}, false});
    return AnalysisId{static_cast<std::uint32_t>(analyses_.size() - 1)};
}

void EGraph::ensure_tables() {
    for (std::size_t op = tables_.size(); op < signature_->size(); ++op) {
        const Operator& o = (*signature_)[OpId{static_cast<std::uint32_t>(op)}];
        tables_.emplace_back(o.shape, o.arity);
        special_leaves_.emplace_back(none, none);
    }
}

ClassId EGraph::add(OpId op, Payload payload, std::span<const ClassId> children) {
    static_assert(sizeof(ClassId) == sizeof(std::uint32_t));
    std::span<const std::uint32_t> raw_children(
        reinterpret_cast<const std::uint32_t*>(children.data()), children.size());
    return class_of(add_node(op, payload, raw_children));
}

EGraph::Added EGraph::add_row(OpId op, Payload payload, std::span<const std::uint32_t> children) {
    if (tables_.size() < signature_->size()) ensure_tables();
    constexpr std::size_t inline_children = 8;
    std::uint32_t few[inline_children];
    std::vector<std::uint32_t> many;
    std::span<std::uint32_t> canonical;
    Shape shape = tables_[raw(op)].shape();
    if (shape == Shape::fixed && children.size() <= inline_children) {
        for (std::size_t i = 0; i < children.size(); ++i) few[i] = uf_.find(children[i]);
        canonical = {few, children.size()};
    } else {
        many.assign(children.begin(), children.end());
        if (shape == Shape::set || shape == Shape::bag) {
            ensure_special_leaves(op);
            if (options_.witnesses) flatten_nested(op, payload, many);
            std::uint32_t reduced = reduce(op, many);
            if (reduced != none) return {NodeId{reduced}, false};
        } else {
            for (std::uint32_t& c : many) c = uf_.find(c);
        }
        canonical = many;
    }
    std::uint32_t hash = hash_key(payload, canonical);
    const Table& table = tables_[raw(op)];
    std::uint32_t row = table.lookup(payload, canonical, hash);
    if (row != none) return {NodeId{table.node(row)}, true};
    return {NodeId{new_node(op, payload, canonical, hash)}, true};
}

std::optional<ClassId> EGraph::lookup(OpId op, Payload payload,
                                      std::span<const ClassId> children) const {
    if (raw(op) >= tables_.size()) return std::nullopt;
    std::vector<std::uint32_t> canonical;
    canonical.reserve(children.size());
    for (ClassId c : children) canonical.push_back(raw(c));
    const Table& table = tables_[raw(op)];
    if (table.shape() == Shape::set || table.shape() == Shape::bag) {
        if (options_.witnesses) flatten_nested(op, payload, canonical);
        std::uint32_t reduced = reduce(op, canonical);
        if (reduced != none) return ClassId{reduced};
    } else {
        for (std::uint32_t& c : canonical) c = uf_.find(c);
    }
    std::uint32_t row = table.lookup(payload, canonical, hash_key(payload, canonical));
    if (row == none) return std::nullopt;
    return find(ClassId{table.cls(row)});
}

std::uint32_t EGraph::new_node(OpId op, Payload payload, std::span<const std::uint32_t> children,
                               std::uint32_t hash) {
    std::uint32_t id = uf_.add();
    Table& table = tables_[raw(op)];
    std::uint32_t row = table.append(id, id, stamp_, payload, children, hash);
    nodes_.push_back({op, row, none, static_cast<std::uint32_t>(first_children_.size())});
    Class own;
    own.first_node = own.last_node = id;
    own.matchable = 1;
    classes_.push_back(own);
    link_uses(id, children);
    if (options_.log) first_children_.append(children);
    ++live_nodes_, ++class_count_, ++changes_;
    growth_ += 1 + children.size();
    if (options_.witnesses) {
        witnesses_.push_back({});
        witnesses_[id] = witness_of(id);
    }
    for (AnalysisData& data : analyses_) data.values.push_back({});
    if (!analyses_.empty()) inform(id);
    return id;
}

void EGraph::link_uses(std::uint32_t node, std::span<const std::uint32_t> children) {
    for (std::uint32_t child : children) {
        auto use = static_cast<std::uint32_t>(uses_.size());
        uses_.push_back({node, none});
        Class& c = classes_[child];
        if (c.last_use == none) {
            c.first_use = use;
        } else {
            uses_[c.last_use].next = use;
        }
        c.last_use = use;
        ++c.use_count;
    }
}

std::uint32_t EGraph::leaf_class(const Operator::Leaf& leaf) {
    NodeId node = add_node(leaf.op, leaf.payload, {});
    classes_[uf_.find(raw(node))].special = true;
    return raw(node);
}

// Nested sets are opened once, when a node is inserted, and only along smallest terms: a class may
// hold a set over itself.
void EGraph::flatten_nested(OpId op, Payload payload, std::vector<std::uint32_t>& children) const {
    const Table& table = tables_[raw(op)];
    auto nested = [&](std::uint32_t c) -> std::span<const std::uint32_t> {
        const Node& witness = nodes_[witnesses_[uf_.find(c)].node];
        if (witness.op != op || table.payload(witness.row) != payload) return {};
        return table.children(witness.row);
    };
    auto is_nested = [&](std::uint32_t c) { return !nested(c).empty(); };
    if (std::none_of(children.begin(), children.end(), is_nested)) return;
    std::vector<std::uint32_t> flat;
    for (std::uint32_t c : children) {
        auto inner = nested(c);
        if (inner.empty()) {
            flat.push_back(c);
        } else {
            flat.insert(flat.end(), inner.begin(), inner.end());
        }
    }
    children = std::move(flat);
}

void EGraph::ensure_special_leaves(OpId op) {
    const Operator& o = (*signature_)[op];
    if (o.unit && special_leaves_[raw(op)].first == none) {
        std::uint32_t made = leaf_class(*o.unit);
        special_leaves_[raw(op)].first = made;
    }
    if (o.zero && special_leaves_[raw(op)].second == none) {
        std::uint32_t made = leaf_class(*o.zero);
        special_leaves_[raw(op)].second = made;
    }
}

std::uint32_t EGraph::reduce(OpId op, std::vector<std::uint32_t>& children) const {
    canonicalise_sorted(children);
    if (tables_[raw(op)].shape() == Shape::set) {
        children.erase(std::unique(children.begin(), children.end()), children.end());
    }
    auto [unit, zero] = special_leaves_[raw(op)];
    if (zero != none && std::binary_search(children.begin(), children.end(), uf_.find(zero))) {
        return uf_.find(zero);
    }
    if (unit != none) std::erase(children, uf_.find(unit));
    if (children.empty() && unit != none) return uf_.find(unit);
    const bool collapses = children.size() == 1 && !(*signature_)[op].keeps_single;
    return collapses ? children[0] : none;
}

// Children that are sorted but for those whose class lost its name: those are sorted by themselves
// and merged in.
void EGraph::canonicalise_sorted(std::vector<std::uint32_t>& children) const {
    std::size_t kept = 0;
    std::vector<std::uint32_t> moved;
    for (std::uint32_t c : children) {
        std::uint32_t now = uf_.find(c);
        if (now == c && (kept == 0 || children[kept - 1] <= c)) {
            children[kept++] = c;
        } else {
            moved.push_back(now);
        }
    }
    if (moved.empty()) return;
    std::sort(moved.begin(), moved.end());
    std::copy(moved.begin(), moved.end(), children.begin() + static_cast<std::ptrdiff_t>(kept));
    std::inplace_merge(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(kept),
                       children.end());
}

bool EGraph::merge(ClassId a, ClassId b) {
    return merge(NodeId{raw(a)}, NodeId{raw(b)}, UnionReason{});
}

bool EGraph::merge(NodeId a, NodeId b, const UnionReason& reason) {
    std::uint32_t winner = uf_.find(raw(a));
    std::uint32_t loser = uf_.find(raw(b));
    if (winner == loser) return false;
    if (options_.log) log_.add(a, b, reason);
    auto weight = [this](std::uint32_t c) { return classes_[c].use_count + classes_[c].matchable; };
    if (weight(winner) < weight(loser) || (weight(winner) == weight(loser) && loser < winner))
        std::swap(winner, loser);
    uf_.hang(loser, winner);
    Class& w = classes_[winner];
    Class& l = classes_[loser];
    for (std::uint32_t n = l.first_node; n != none; n = nodes_[n].next_in_class) {
        Table& table = tables_[raw(nodes_[n].op)];
        table.set_class(nodes_[n].row, winner);
        table.set_stamp(nodes_[n].row, stamp_);
    }
    await({l.first_use, l.last_use}, l.use_count);
    // A set or bag of the winner's uses may have another unit or zero now. (The loser's uses are
    // renewed anyway.)
    if (l.special) await({w.first_use, w.last_use}, w.use_count);
    nodes_[w.last_node].next_in_class = l.first_node;
    w.last_node = l.last_node;
    if (l.first_use != none) {
        if (w.last_use == none) {
            w.first_use = l.first_use;
        } else {
            uses_[w.last_use].next = l.first_use;
        }
        w.last_use = l.last_use;
    }
    w.use_count += l.use_count;
    w.matchable += l.matchable;
    w.special |= l.special;
    --class_count_, ++changes_, ++growth_;
    for (std::size_t i = 0; i < analyses_.size(); ++i) {
        Known lost = analyses_[i].values[loser];
        if (lost.value != 0) learn(i, winner, lost.value, lost.witness);
    }
    if (options_.witnesses) {
        w.witness_doubtful |= l.witness_doubtful;
        if (witnesses_[loser].before(witnesses_[winner])) witnesses_[winner] = witnesses_[loser];
        if (witnesses_[winner].node == witnesses_[loser].node || w.witness_doubtful) {
            queue_witness(winner);
        }
    }
    return true;
}

void EGraph::await(const Segment& segment, std::uint32_t count) {
    if (segment.first == none) return;
    dirty_.push_back(segment);
    pending_uses_ += count;
}

bool EGraph::subsume(NodeId node) {
    Node& n = nodes_[raw(node)];
    Table& table = tables_[raw(n.op)];
    Class& c = classes_[uf_.find(raw(node))];
    if (!table.is_matchable(n.row) || c.matchable < 2) return false;
    table.subsume(n.row);
    --c.matchable;
    ++changes_;
    return true;
}

NodeView EGraph::node(NodeId id) const {
    const Node& n = nodes_[raw(id)];
    const Table& table = tables_[raw(n.op)];
    return {id, n.op, table.payload(n.row), table.children(n.row)};
}

std::span<const std::uint32_t> EGraph::first_children(NodeId id) const {
    assert(options_.log);
    std::size_t begin = nodes_[raw(id)].first_children;
    std::size_t end =
        raw(id) + 1 < nodes_.size() ? nodes_[raw(id) + 1].first_children : first_children_.size();
    return {first_children_.data() + begin, end - begin};
}

bool EGraph::structurally_before(ClassId a, ClassId b) const {
    return witnesses_[raw(find(a))].before(witnesses_[raw(find(b))]);
}

bool EGraph::structurally_before(NodeId a, NodeId b) const {
    return witness_of(raw(a)).before(witness_of(raw(b)));
}

std::size_t EGraph::bytes() const {
    std::size_t total = uf_.bytes() + log_.bytes() + nodes_.bytes() + classes_.bytes() +
                        uses_.bytes() + witnesses_.bytes() + first_children_.bytes() +
                        renewing_.bytes() + wide_.bytes() + dirty_.bytes() + informed_.bytes() +
                        improved_.bytes();
    for (const Table& table : tables_) total += table.bytes();
    for (const AnalysisData& data : analyses_) {
        total += data.values.bytes() + data.news.bytes();
    }
    for (const EGraph& snapshot : snapshots_) total += snapshot.bytes();
    return total;
}

std::size_t EGraph::bytes_with_room(std::size_t nodes, std::size_t renewals) const {
    std::size_t total = bytes();
    auto add = [&](const auto& buffer, std::size_t count) {
        total += buffer.bytes_with(count) - buffer.bytes();
    };
    add(uf_, nodes), add(nodes_, nodes), add(classes_, nodes), add(uses_, nodes);
    if (options_.witnesses) add(witnesses_, nodes), add(improved_, renewals);
    if (options_.log) add(log_, renewals), add(first_children_, nodes);
    add(renewing_, renewals), add(wide_, renewals), add(dirty_, renewals);
    for (const AnalysisData& data : analyses_) {
        add(data.values, nodes), add(data.news, renewals), add(informed_, renewals);
    }
    std::uint32_t stride = 0;
    for (const Table& table : tables_) {
        total += table.growth_with(nodes, renewals);
        stride = std::max(stride, table.stride());
    }
    return total + nodes * stride * sizeof(std::uint32_t);
}

void EGraph::clear() {
    uf_.clear();
    for (Table& table : tables_) table.clear();
    std::fill(special_leaves_.begin(), special_leaves_.end(), std::pair{none, none});
    nodes_.clear();
    classes_.clear();
    uses_.clear();
    witnesses_.clear();
    for (AnalysisData& data : analyses_) {
        data.values.clear();
        data.news.clear();
        data.is_frozen = false;
    }
    renewing_.clear();
    wide_.clear();
    dirty_.clear();
    informed_.clear();
    improved_.clear();
    pending_uses_ = 0;
    unsettled_.clear();
    first_children_.clear();
    log_.clear();
    stamp_ = 1;
    live_nodes_ = class_count_ = 0;
    changes_ = growth_ = 0;
    snapshots_.clear();
    ++era_;
}

void EGraph::push() { snapshots_.push_back(*this); }

void EGraph::pop() {
    assert(!snapshots_.empty());
    EGraph saved = std::move(snapshots_.back());
    snapshots_.pop_back();
    saved.snapshots_ = std::move(snapshots_);
    saved.era_ = era_ + 1;
    *this = std::move(saved);
}

}  // namespace satura::egraph
