// The e-graph: terms up to equality.
//
//   Signature signature;
//   OpId plus = signature.fixed("+", 2), x = signature.fixed("x", 0), y = signature.fixed("y", 0);
//   EGraph graph(signature);
//   ClassId a = graph.add(x), b = graph.add(y);
//   ClassId sum = graph.add(plus, 0, {a, b});
//   graph.merge(a, b);
//   graph.rebuild();                                  // now x + y and y + x are one class
//
// A *node* is (operator, payload, child classes), hash-consed per operator (Table). A *class* is a
// set of equal nodes. merge only records; rebuild restores congruence, the canonical form of sets
// and bags, analyses and witnesses, and must have run before matching or extraction. Ids: see
// ids.hpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "egraph/analysis.hpp"
#include "egraph/budget.hpp"
#include "egraph/buffer.hpp"
#include "egraph/ids.hpp"
#include "egraph/signature.hpp"
#include "egraph/table.hpp"
#include "egraph/uncopied.hpp"
#include "egraph/union_find.hpp"
#include "egraph/union_log.hpp"

namespace satura::egraph {

struct EGraphOptions {
    bool witnesses = true;  // keep each class's smallest term; needed by sets, bags and `~>` rules
    bool log = true;  // keep the union log and the nodes' first keys, from which explanations come
    // An analysis whose value of one class changes more often than that does not settle: it has
    // chains of joins without end, or a bug. Its values are frozen then (EGraph::unsettled).
    std::uint32_t value_changes_max = 100'000;
};

// An e-graph can be copied: the copy has the same ids, goes its own way, and begins without the
// original's snapshots. Both refer to the same signature and the same analyses (whose values are
// handles that the analysis interned), so they belong to one thread. Cost: that of copying the
// arrays.
class EGraph {
  public:
    // The signature must outlive the e-graph; operators may be added to it later.
    explicit EGraph(const Signature& signature, EGraphOptions options = {});

    const Signature& signature() const { return *signature_; }

    // Registers an analysis; requires an empty e-graph.
    AnalysisId add_analysis(std::shared_ptr<Analysis> analysis);

    // Adds a node, or finds it. For a set or bag: flattens nested ones (along the children's
    // smallest terms), sorts, drops units, and returns the class of the single element, the unit or
    // the zero where it comes down to that.
    ClassId add(OpId op, Payload payload, std::span<const ClassId> children);
    ClassId add(OpId op, Payload payload = 0, std::initializer_list<ClassId> children = {}) {
        return add(op, payload, std::span<const ClassId>(children.begin(), children.size()));
    }
    // As add; the answer is the row's node where there is one, else the class it came down to (as a
    // node's id).
    NodeId add_node(OpId op, Payload payload, std::span<const std::uint32_t> children) {
        return add_row(op, payload, children).node;
    }
    struct Added {
        NodeId node;
        bool is_row;  // false: a set or bag that came down to a class
    };
    Added add_row(OpId op, Payload payload, std::span<const std::uint32_t> children);
    // The class of such a node if it is there. Children need not be canonical.
    std::optional<ClassId> lookup(OpId op, Payload payload,
                                  std::span<const ClassId> children) const;

    // Makes two classes one; true if they were two. The e-graph is dirty until rebuild.
    bool merge(ClassId a, ClassId b);
    bool merge(NodeId a, NodeId b, const UnionReason& reason);

    ClassId find(ClassId id) const { return ClassId{uf_.find(raw(id))}; }
    std::uint32_t find(std::uint32_t id) const { return uf_.find(id); }

    // Restores all invariants. Cost: in proportion to the nodes that use merged classes.
    void rebuild();
    // As far as the budget goes; true if that was to the end. Else the e-graph is not clean: all
    // that it holds is true, but congruent nodes may still stand in two classes, children may have
    // names of classes that were merged, and values and witnesses lag. It may be read, extracted
    // from, changed and copied; a later rebuild goes on where this one stopped.
    bool rebuild(Budget& budget);
    bool is_clean() const {
        return dirty_.empty() && renewing_.empty() && wide_.empty() && improved_.empty() &&
               informed_.empty();
    }
    // About how many uses of merged classes wait for rebuild.
    std::uint64_t pending_uses() const { return pending_uses_; }

    // What is wrong if an analysis did not settle (EGraphOptions::value_changes_max), with its name
    // and its last value; else empty. Values of that analysis are then what they were when it was
    // given up: each true of its class, but not all that follows.
    const std::string& unsettled() const { return unsettled_; }

    // Marks a node as seen: it is matched no more. Refused (false) for the last matchable node of
    // its class.
    bool subsume(NodeId node);

    // Reading. Classes are canonical ids; nodes are visited in the order in which they joined the
    // class.
    std::uint32_t id_count() const { return uf_.size(); }
    std::uint32_t node_count() const {
        return live_nodes_;
    }  // e-nodes, congruent ones counted once
    std::uint32_t class_count() const { return class_count_; }
    NodeView node(NodeId id) const;
    ClassId class_of(NodeId id) const { return ClassId{uf_.find(raw(id))}; }
    bool is_live(NodeId id) const {  // not dead, that is: not congruent to an earlier node
        return !tables_[raw(nodes_[raw(id)].op)].is_dead(nodes_[raw(id)].row);
    }
    bool is_subsumed(NodeId id) const {
        return tables_[raw(nodes_[raw(id)].op)].is_subsumed(nodes_[raw(id)].row);
    }
    std::uint32_t stamp_of(NodeId id) const {
        return tables_[raw(nodes_[raw(id)].op)].stamp(nodes_[raw(id)].row);
    }
    NodeId first_node(ClassId cls) const {
        return NodeId{classes_[raw(cls)].first_node};
    }  // none at the end
    NodeId next_node(NodeId node) const { return NodeId{nodes_[raw(node)].next_in_class}; }
    template <class F>
    void for_each_node(ClassId cls, F&& f) const {  // live nodes, subsumed ones included
        for (NodeId n = first_node(cls); raw(n) != none; n = next_node(n)) {
            if (is_live(n)) f(node(n));
        }
    }
    template <class F>
    void for_each_class(F&& f) const {
        for (std::uint32_t id = 0; id < id_count(); ++id) {
            if (uf_.find(id) == id) f(ClassId{id});
        }
    }

    // The node of the class's smallest term (fewest nodes, then depth, then structural order);
    // following witnesses down never cycles, even where a class holds a set over itself.
    NodeId witness(ClassId cls) const { return NodeId{witnesses_[raw(find(cls))].node}; }
    // Orders classes by their smallest terms, whatever the ids: for ties and printing.
    bool structurally_before(ClassId a, ClassId b) const;
    bool structurally_before(NodeId a,
                             NodeId b) const;  // nodes, over their operands' smallest terms

    Analysis::Value value(AnalysisId analysis, ClassId cls) const {
        return analyses_[raw(analysis)].values[uf_.find(raw(cls))].value;
    }
    // The node from which the class's value came.
    NodeId value_witness(AnalysisId analysis, ClassId cls) const {
        return NodeId{analyses_[raw(analysis)].values[uf_.find(raw(cls))].witness};
    }
    std::uint32_t value_stamp(AnalysisId analysis, std::uint32_t canonical) const {
        return analyses_[raw(analysis)].values[canonical].stamp;
    }
    // Calls f with the classes whose value is new since a stamp; a class may come more than once.
    template <class F>
    void for_each_informed(AnalysisId analysis, std::uint32_t since, F&& f) const {
        const auto& news = analyses_[raw(analysis)].news;
        for (std::size_t i = news.size(); i > 0 && news[i - 1].stamp >= since; --i) {
            std::uint32_t cls = uf_.find(news[i - 1].cls);
            if (value_stamp(analysis, cls) >= since) f(ClassId{cls});
        }
    }
    Analysis& analysis(AnalysisId id) { return *analyses_[raw(id)].analysis; }
    std::size_t analysis_count() const { return analyses_.size(); }

    // Stamps: rows and analysis values changed from now on carry the current stamp; semi-naive
    // matching compares them.
    std::uint32_t stamp() const { return stamp_; }
    void next_stamp() { ++stamp_; }
    std::uint64_t change_count() const {
        return changes_;
    }  // grows with every new node, union and analysis value

    const Table& table(OpId op) const { return tables_[raw(op)]; }
    bool has_table(OpId op) const { return raw(op) < tables_.size(); }
    NodeId row_node(OpId op, std::uint32_t row) const { return NodeId{tables_[raw(op)].node(row)}; }

    const UnionLog& log() const { return log_; }
    UnionLog& log() { return log_; }
    bool keeps_log() const { return options_.log; }
    // The node's children as they were when it was added (class ids of that time). Requires the
    // log.
    std::span<const std::uint32_t> first_children(NodeId id) const;

    std::size_t bytes() const;  // held, caches and snapshots included
    // Grows with every element of an array that grows: with a node by one and its number of
    // children, with a union, a value and a renewed key by one each, with the log's slots.
    std::uint64_t growth() const { return growth_ + log_.slot_count(); }
    // The bytes held once new nodes have made `nodes` units of growth, and then unions and rebuild
    // `renewals` units more, however these are spread.
    std::size_t bytes_with_room(std::size_t nodes, std::size_t renewals) const;
    // Drops everything, snapshots too; keeps memory and analyses.
    void clear();

    // Snapshots, a stack. pop brings back the e-graph as it was at the last push, down to ids and
    // stamps: ids given out since mean nothing. What the user or an analysis interned stays. A
    // Runner has to go along: Runner::push, Runner::pop. Cost: push copies the arrays, pop frees.
    void push();
    void pop();  // requires a snapshot
    std::size_t snapshot_count() const { return snapshots_.size(); }
    // Changes with clear and pop: stamps seen before say nothing of the rows now.
    std::uint64_t era() const { return era_; }

    // Checks the whole structure; empty if sound, else what is wrong. Requires a clean e-graph.
    // Cost: linear.
    std::string invariant() const;

  private:
    struct Node {
        OpId op;
        std::uint32_t row;
        std::uint32_t next_in_class = none;
        std::uint32_t first_children = 0;  // where they begin, with the log
    };
    struct Class {
        std::uint32_t first_node = none, last_node = none;
        std::uint32_t first_use = none, last_use = none;
        std::uint32_t use_count = 0;
        std::uint32_t matchable : 29 = 0;        // nodes neither dead nor subsumed
        std::uint32_t special : 1 = 0;           // the unit or zero of some set or bag
        std::uint32_t witness_queued : 1 = 0;    // stands in improved_
        std::uint32_t witness_doubtful : 1 = 0;  // another node may have a smaller term
    };
    struct Use {
        std::uint32_t node;
        std::uint32_t next;
    };
    struct Witness {
        static constexpr std::uint32_t size_max = none - 1;
        std::uint32_t node = none;
        std::uint32_t size = none;  // saturates at size_max
        std::uint32_t depth = none;
        std::uint64_t key = 0;
        bool operator==(const Witness&) const = default;
        bool before(const Witness& o) const {
            return size != o.size     ? size < o.size
                   : depth != o.depth ? depth < o.depth
                                      : key < o.key;
        }
    };
    struct Known {
        Analysis::Value value = 0;
        std::uint32_t witness = none;
        std::uint32_t stamp = 0;
        std::uint32_t queued : 1 = 0;  // stands in informed_
        std::uint32_t changes : 31 = 0;
    };
    struct News {
        std::uint32_t cls, stamp;
    };
    struct AnalysisData {
        std::shared_ptr<Analysis> analysis;
        Buffer<Known> values;
        Buffer<News> news;       // each change of a value, in the order of stamps
        bool is_frozen = false;  // it did not settle
    };
    struct Informed {
        std::uint32_t analysis, cls;
    };
    struct Improved {
        std::uint32_t size, depth;  // of the witness when it was queued
        std::uint32_t cls;
        bool operator>(const Improved& o) const {
            return size != o.size ? size > o.size : depth > o.depth;
        }
    };
    struct Segment {  // uses to visit: of a class that lost its name, or of one that became special
        std::uint32_t first, last;
    };

    void ensure_tables();
    std::uint32_t new_node(OpId op, Payload payload, std::span<const std::uint32_t> children,
                           std::uint32_t hash);
    void link_uses(std::uint32_t node, std::span<const std::uint32_t> children);
    // Sorts and reduces the children of a set or bag in place; a class id if the node came down to
    // it, else none.
    std::uint32_t reduce(OpId op, std::vector<std::uint32_t>& children) const;
    void canonicalise_sorted(std::vector<std::uint32_t>& children) const;
    void flatten_nested(OpId op, Payload payload, std::vector<std::uint32_t>& children) const;
    void ensure_special_leaves(OpId op);
    std::uint32_t leaf_class(const Operator::Leaf& leaf);
    bool renew_dirty(Budget& budget);
    bool renew_segments(Budget& budget);
    bool renew_wide(Budget& budget);
    void await(const Segment& segment, std::uint32_t count);
    void give_up(std::size_t analysis, std::uint32_t cls);
    void renew_node(std::uint32_t node);
    void ensure_matchable(std::uint32_t cls);
    void renew_key(std::uint32_t node, std::span<const std::uint32_t> children);
    void kill(std::uint32_t node);
    void inform(std::uint32_t node);  // makes the analyses' values of a node
    void learn(std::size_t analysis, std::uint32_t cls, Analysis::Value value,
               std::uint32_t witness);
    bool propagate_values(Budget& budget);
    void improve_witness(std::uint32_t node);
    void queue_witness(std::uint32_t cls);
    void choose_witness(std::uint32_t cls);
    template <class F>
    bool for_each_user(std::uint32_t cls, F&& f);
    bool propagate_witnesses(Budget& budget);
    bool propagate_witness(std::uint32_t cls, Budget& budget);
    Witness witness_of(std::uint32_t node) const;

    const Signature* signature_;
    EGraphOptions options_;
    UnionFind uf_;
    std::vector<Table> tables_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        special_leaves_;  // per operator: unit and zero node, or none
    Buffer<Node> nodes_;
    Buffer<Class> classes_;
    Buffer<Use> uses_;
    Buffer<Witness> witnesses_;
    std::vector<AnalysisData> analyses_;
    // What waits for rebuild, in the order in which it is done.
    Buffer<Segment> renewing_;
    Buffer<std::uint32_t> wide_;  // nodes of other than fixed shape, found in renewing_
    Buffer<Segment> dirty_;       // renewing_ of the next round
    Buffer<Informed> informed_;   // classes with a new value
    Buffer<Improved> improved_;   // classes with another witness
    std::uint64_t pending_uses_ = 0;
    std::string unsettled_;
    Buffer<std::uint32_t> first_children_;
    std::vector<std::uint32_t> scratch_;
    UnionLog log_;
    std::uint32_t stamp_ = 1;
    std::uint32_t live_nodes_ = 0;
    std::uint32_t class_count_ = 0;
    std::uint64_t changes_ = 0;
    std::uint64_t growth_ = 0;
    std::uint64_t era_ = 0;
    Uncopied<std::vector<EGraph>> snapshots_;
};

}  // namespace satura::egraph
