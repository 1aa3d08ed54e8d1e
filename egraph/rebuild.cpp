// EGraph::rebuild: congruence, canonical sets and bags, analysis values and witnesses, each to its
// fixpoint.
#include <algorithm>
#include <functional>
#include <limits>

#include "egraph/egraph.hpp"
#include "egraph/hash.hpp"

namespace satura::egraph {

namespace {

constexpr std::uint32_t renewal_weight = 4;   // of a row whose key is made anew, in budget steps
constexpr std::uint32_t analysis_weight = 8;  // of a value made anew

}  // namespace

void EGraph::rebuild() {
    if (is_clean()) return;
    Budget unlimited;
    rebuild(unlimited);
}

bool EGraph::rebuild(Budget& budget) {
    while (!is_clean()) {
        if (!renew_dirty(budget) || !propagate_values(budget) || !propagate_witnesses(budget))
            return false;
    }
    return true;
}

// Rows of a fixed shape are renewed as they are met; the others may be wide and used by many merged
// classes, so they are renewed once for all of those.
bool EGraph::renew_dirty(Budget& budget) {
    while (renew_segments(budget) && renew_wide(budget)) {
        if (dirty_.empty()) {
            pending_uses_ = 0;
            return true;
        }
        renewing_.swap(dirty_);
    }
    return false;
}

bool EGraph::renew_segments(Budget& budget) {
    for (std::size_t at = 0; at < renewing_.size(); ++at) {
        Segment& segment = renewing_[at];
        for (std::uint32_t use = segment.first;; use = uses_[use].next) {
            if (!budget.step(renewal_weight) || !budget.admits_renewal(*this)) {
                segment.first = use;
                renewing_.drop_front(at);
                return false;
            }
            pending_uses_ -= pending_uses_ != 0;
            std::uint32_t node = uses_[use].node;
            if (tables_[raw(nodes_[node].op)].shape() == Shape::fixed) {
                renew_node(node);
            } else {
                wide_.push_back(node);
            }
            if (use == segment.last) break;
        }
    }
    renewing_.clear();
    return true;
}

bool EGraph::renew_wide(Budget& budget) {
    if (wide_.empty()) return true;
    std::sort(wide_.begin(), wide_.end());
    wide_.resize(static_cast<std::size_t>(std::unique(wide_.begin(), wide_.end()) - wide_.begin()));
    for (std::size_t at = 0; at < wide_.size(); ++at) {
        auto width = static_cast<std::uint32_t>(node(NodeId{wide_[at]}).children.size());
        if (!budget.step(renewal_weight + width) || !budget.admits_renewal(*this)) {
            wide_.drop_front(at);
            return false;
        }
        renew_node(wide_[at]);
    }
    wide_.clear();
    return true;
}

void EGraph::renew_node(std::uint32_t id) {
    const Node node = nodes_[id];
    Table& table = tables_[raw(node.op)];
    if (table.is_dead(node.row)) return;
    auto before = table.children(node.row);
    std::vector<std::uint32_t> children = std::move(scratch_);
    children.assign(before.begin(), before.end());
    std::uint32_t reduced = none;
    if (table.shape() == Shape::set || table.shape() == Shape::bag) {
        reduced = reduce(node.op, children);
    } else {
        for (std::uint32_t& c : children) c = uf_.find(c);
    }
    if (reduced != none) {
        kill(id);
        merge(NodeId{id}, NodeId{reduced}, {UnionReason::Kind::collapse, RuleId{none}, 0, 0, 0});
        ensure_matchable(uf_.find(id));
    } else if (!std::equal(children.begin(), children.end(), before.begin(), before.end())) {
        renew_key(id, children);
    }
    scratch_ = std::move(children);
}

void EGraph::renew_key(std::uint32_t id, std::span<const std::uint32_t> children) {
    const Node node = nodes_[id];
    Table& table = tables_[raw(node.op)];
    std::uint32_t hash = hash_key(table.payload(node.row), children);
    std::uint32_t twin = table.lookup(table.payload(node.row), children, hash);
    if (twin == none) {
        table.rekey(node.row, children);
        table.enter(node.row, hash);
        table.set_stamp(node.row, stamp_);
        ++growth_;
        inform(id);
        if (options_.witnesses) improve_witness(id);
        return;
    }
    NodeId kept{table.node(twin)};
    bool was_subsumed = table.is_subsumed(node.row);
    kill(id);
    merge(NodeId{id}, kept, {UnionReason::Kind::congruence, RuleId{none}, 0, 0, 0});
    if (was_subsumed) subsume(kept);
    if (options_.witnesses) {
        Witness& witness = witnesses_[uf_.find(id)];
        if (witness.node == id) witness.node = raw(kept);
        improve_witness(raw(kept));
    }
    ensure_matchable(uf_.find(id));
}

// The last matchable row of a class is gone, as it met a subsumed one or came down to its own
// class: the smallest term is matched again, or the first.
void EGraph::ensure_matchable(std::uint32_t cls) {
    Class& c = classes_[cls];
    if (c.matchable != 0) return;
    std::uint32_t chosen = c.first_node;
    while (!is_live(NodeId{chosen})) chosen = nodes_[chosen].next_in_class;
    if (options_.witnesses) chosen = witnesses_[cls].node;
    tables_[raw(nodes_[chosen].op)].unsubsume(nodes_[chosen].row, stamp_);
    c.matchable = 1;
    ++changes_;
}

void EGraph::kill(std::uint32_t id) {
    const Node& node = nodes_[id];
    Table& table = tables_[raw(node.op)];
    if (table.is_matchable(node.row)) --classes_[uf_.find(id)].matchable;
    table.kill(node.row);
    --live_nodes_;
    ++changes_;
}

void EGraph::inform(std::uint32_t id) {
    NodeView view = node(NodeId{id});
    for (std::size_t i = 0; i < analyses_.size(); ++i) {
        Analysis::Value value =
            analyses_[i].analysis->make(*this, AnalysisId{static_cast<std::uint32_t>(i)}, view);
        if (value != 0) learn(i, uf_.find(id), value, id);
    }
}

void EGraph::learn(std::size_t analysis, std::uint32_t cls, Analysis::Value value,
                   std::uint32_t witness) {
    AnalysisData& data = analyses_[analysis];
    if (data.is_frozen) return;
    Known& known = data.values[cls];
    Analysis::Value joined = known.value == 0 ? value : data.analysis->join(known.value, value);
    if (joined == known.value) return;
    if (known.changes >= options_.value_changes_max) return give_up(analysis, cls);
    bool queued = known.queued || classes_[cls].first_use != none;
    if (queued && !known.queued) informed_.push_back({static_cast<std::uint32_t>(analysis), cls});
    known.value = joined;
    known.witness = witness;
    known.stamp = stamp_;
    known.queued = queued;
    ++known.changes;
    data.news.push_back({cls, stamp_});
    ++changes_, ++growth_;
}

void EGraph::give_up(std::size_t analysis, std::uint32_t cls) {
    AnalysisData& data = analyses_[analysis];
    data.is_frozen = true;
    const Node& node = nodes_[data.values[cls].witness];
    unsettled_ =
        "analysis " + data.analysis->name() + " does not settle: its value of one class changed " +
        std::to_string(options_.value_changes_max) + " times; the last one, by operator " +
        (*signature_)[node.op].name + ", is " + data.analysis->text(data.values[cls].value);
}

// Calls f with the nodes that use the class, until it returns false; true if all were visited.
// Leaves uses by dead nodes out of the list for good. Requires that no segment of it waits in
// dirty_.
template <class F>
bool EGraph::for_each_user(std::uint32_t cls, F&& f) {
    std::uint32_t last = none;
    for (std::uint32_t use = classes_[cls].first_use; use != none; use = uses_[use].next) {
        Class& c = classes_[cls];
        if (!is_live(NodeId{uses_[use].node})) {
            --c.use_count;
            continue;
        }
        (last == none ? c.first_use : uses_[last].next) = use;
        last = use;
        if (!f(uses_[use].node)) return false;  // what follows is linked as it was
    }
    Class& c = classes_[cls];
    (last == none ? c.first_use : uses_[last].next) = none;
    c.last_use = last;
    return true;
}

bool EGraph::propagate_values(Budget& budget) {
    for (std::size_t at = 0; at < informed_.size(); ++at) {
        auto [analysis, cls] = informed_[at];
        if (uf_.find(cls) != cls) continue;  // the merge has renewed its uses
        analyses_[analysis].values[cls].queued = false;
        bool done = for_each_user(cls, [&, a = analysis](std::uint32_t user) {
            if (!budget.step(analysis_weight) || !budget.admits_renewal(*this)) return false;
            Analysis::Value value =
                analyses_[a].analysis->make(*this, AnalysisId{a}, node(NodeId{user}));
            if (value != 0) learn(a, uf_.find(user), value, user);
            return true;
        });
        if (done) continue;
        Known& known = analyses_[analysis].values[cls];
        informed_.drop_front(at + known.queued);  // again behind the others if it queued itself
        known.queued = true;
        return false;
    }
    informed_.clear();
    return true;
}

// Sizes saturate, and from there on depth counts the saturated levels only. So (size, depth)
// shrinks strictly from a class to the operands of its witness, and for one class it never grows
// while those only shrink: witnesses are acyclic, also while a rebuild is under way.
EGraph::Witness EGraph::witness_of(std::uint32_t id) const {
    NodeView view = node(NodeId{id});
    Shape shape = tables_[raw(view.op)].shape();
    bool ordered = shape == Shape::fixed || shape == Shape::sequence;
    std::uint64_t key = signature_->content_key(view.op, view.payload);
    std::uint64_t sum = 0;
    std::uint64_t size = 1;
    std::uint32_t depth = 0, saturated_depth = 0;
    for (std::uint32_t child : view.children) {
        const Witness& w = witnesses_[uf_.find(child)];
        size += w.size;
        std::uint32_t& deepest = w.size == Witness::size_max ? saturated_depth : depth;
        deepest = std::max(deepest, w.depth);
        if (ordered) {
            key = mix(key, w.key);
        } else {
            sum += w.key * 0x9E3779B97F4A7C15ULL + 1;
        }
    }
    if (!ordered) key = mix(key, sum);
    if (size >= Witness::size_max) return {id, Witness::size_max, saturated_depth + 1, key};
    return {id, static_cast<std::uint32_t>(size), depth + 1, key};
}

void EGraph::improve_witness(std::uint32_t id) {
    Witness made = witness_of(id);
    std::uint32_t cls = uf_.find(id);
    Witness& best = witnesses_[cls];
    if (made == best) return;
    if (made.before(best)) {
        best = made;
    } else if (best.node == id) {
        // Its key followed its operands' and became later in the order: another node may be first
        // now.
        best = made;
        classes_[cls].witness_doubtful = true;
    } else {
        return;
    }
    queue_witness(cls);
}

void EGraph::queue_witness(std::uint32_t cls) {
    if (classes_[cls].witness_queued) return;
    classes_[cls].witness_queued = true;
    improved_.push_back({witnesses_[cls].size, witnesses_[cls].depth, cls});
}

// Smaller terms first: what uses a class has a larger one, so a change at every level of a deep
// term goes up through it once, not once for each level.
bool EGraph::propagate_witnesses(Budget& budget) {
    if (!dirty_.empty()) return true;  // rows that name merged classes come first
    std::greater<> later;
    std::make_heap(improved_.begin(), improved_.end(), later);
    while (!improved_.empty()) {
        std::pop_heap(improved_.begin(), improved_.end(), later);
        std::uint32_t cls = improved_.back().cls;
        improved_.resize(improved_.size() - 1);
        std::size_t ordered = improved_.size();
        if (uf_.find(cls) != cls) continue;  // the merge has renewed its uses
        bool done = propagate_witness(cls, budget);
        while (ordered < improved_.size()) {
            std::push_heap(improved_.begin(), improved_.begin() + ++ordered, later);
        }
        if (done) continue;
        queue_witness(cls);
        return false;
    }
    return true;
}

bool EGraph::propagate_witness(std::uint32_t cls, Budget& budget) {
    classes_[cls].witness_queued = false;
    if (classes_[cls].witness_doubtful) choose_witness(cls);
    return for_each_user(cls, [&](std::uint32_t user) {
        if (!budget.step(renewal_weight) || !budget.admits_renewal(*this)) return false;
        improve_witness(user);
        return true;
    });
}

void EGraph::choose_witness(std::uint32_t cls) {
    Class& c = classes_[cls];
    c.witness_doubtful = false;
    std::uint32_t last = none;
    for (std::uint32_t n = c.first_node; n != none; n = nodes_[n].next_in_class) {
        if (!is_live(NodeId{n})) continue;
        (last == none ? c.first_node : nodes_[last].next_in_class) = n;  // leaves dead nodes out
        last = n;
        Witness other = witness_of(n);
        if (other.before(witnesses_[cls])) witnesses_[cls] = other;
    }
    nodes_[last].next_in_class = none;
    c.last_node = last;
}

namespace {

std::string at_node(const char* what, std::uint32_t node) {
    return std::string(what) + " at n" + std::to_string(node);
}

}  // namespace

std::string EGraph::invariant() const {
    if (!is_clean()) return "not rebuilt";
    std::uint32_t live = 0;
    std::uint32_t class_count = 0;
    std::vector<std::uint32_t> matchable(uf_.size(), 0);
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        const Node& n = nodes_[id];
        const Table& table = tables_[raw(n.op)];
        if (table.node(n.row) != id) return at_node("row and node disagree", id);
        if (uf_.find(id) == id) ++class_count;
        if (table.is_dead(n.row)) continue;
        ++live;
        matchable[uf_.find(id)] += table.is_matchable(n.row);
        if (table.cls(n.row) != uf_.find(id)) return at_node("row's class is not canonical", id);
        auto children = table.children(n.row);
        for (std::uint32_t c : children) {
            if (uf_.find(c) != c) return at_node("child is not canonical", id);
        }
        bool sorted = table.shape() == Shape::set || table.shape() == Shape::bag;
        if (sorted) {
            std::vector<std::uint32_t> reduced(children.begin(), children.end());
            if (reduce(n.op, reduced) != none) return at_node("set or bag is not reduced", id);
            if (!std::equal(children.begin(), children.end(), reduced.begin(), reduced.end())) {
                return at_node("children are not sorted", id);
            }
        }
        if (table.lookup(table.payload(n.row), children,
                         hash_key(table.payload(n.row), children)) != n.row) {
            return at_node("hash-cons does not find the node", id);
        }
        for (std::size_t i = 0; i < analyses_.size(); ++i) {
            Analysis& analysis = *analyses_[i].analysis;
            Analysis::Value held = analyses_[i].values[uf_.find(id)].value;
            Analysis::Value made =
                analysis.make(*this, AnalysisId{static_cast<std::uint32_t>(i)}, node(NodeId{id}));
            bool lags = made != 0 && (held == 0 || analysis.join(held, made) != held);
            if (lags && !analyses_[i].is_frozen) {
                return at_node(("analysis " + analysis.name() + " lags").c_str(), id);
            }
        }
        if (options_.witnesses) {
            const Witness& best = witnesses_[uf_.find(id)];
            if (witness_of(id).before(best)) return at_node("smallest term is not smallest", id);
        }
    }
    if (live != live_nodes_) return "node count is wrong";
    if (class_count != class_count_) return "class count is wrong";
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        if (uf_.find(id) != id) continue;
        if (classes_[id].matchable != matchable[id]) {
            return at_node("matchable count is wrong", id);
        }
        if (matchable[id] == 0) return at_node("class has no row to match", id);
        if (options_.witnesses) {
            const Witness& best = witnesses_[id];
            if (!is_live(NodeId{best.node}) || uf_.find(best.node) != id) {
                return at_node("smallest term is of no row", id);
            }
            if (!(witness_of(best.node) == best)) return at_node("smallest term lags", id);
            for (std::uint32_t c : node(NodeId{best.node}).children) {
                const Witness& inner = witnesses_[c];
                if (std::pair(inner.size, inner.depth) >= std::pair(best.size, best.depth) &&
                    inner.size == best.size) {
                    return at_node("smallest terms cycle", id);
                }
            }
        }
        std::uint32_t counted = 0;
        for (std::uint32_t n = classes_[id].first_node; n != none; n = nodes_[n].next_in_class) {
            if (uf_.find(n) != id) return at_node("class lists a stranger", n);
            ++counted;
        }
        if (counted == 0) return at_node("class is empty", id);
    }
    return {};
}

}  // namespace satura::egraph
