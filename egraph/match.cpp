#include "egraph/match.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "egraph/hash.hpp"

namespace satura::egraph {

const std::vector<std::uint32_t>& Match::sequence(std::uint32_t slot) const {
    if (sequences_.size() < query_->rests.size()) sequences_.resize(query_->rests.size());
    Sequence& sequence = sequences_[slot];
    if (sequence.known) return sequence.classes;
    sequence.known = true;
    sequence.classes.clear();
    const RestSource& source = query_->rests[slot];
    if (source.kind == RestSource::Kind::none) return sequence.classes;
    auto children = graph_->node(NodeId{slots_[source.row]}).children;
    std::uint32_t offset = source.kind == RestSource::Kind::others ? 0 : slots_[source.offset];
    if (source.kind == RestSource::Kind::before) {
        sequence.classes.assign(children.begin(), children.begin() + offset);
    } else if (source.kind == RestSource::Kind::after) {
        sequence.classes.assign(children.begin() + offset + source.length, children.end());
    } else {
        sequence.classes.assign(children.begin(), children.end());
        for (std::uint32_t member : source.members) {
            auto at =
                std::lower_bound(sequence.classes.begin(), sequence.classes.end(), slots_[member]);
            if (at != sequence.classes.end() && *at == slots_[member]) sequence.classes.erase(at);
        }
    }
    return sequence.classes;
}

void Match::set_sequence(std::uint32_t slot, std::vector<std::uint32_t> classes) {
    if (sequences_.size() < query_->rests.size()) sequences_.resize(query_->rests.size());
    sequences_[slot] = {true, std::move(classes)};
}

namespace {

class Finder {
  public:
    Finder(const EGraph& graph, const Rule& rule, const Query& query, std::uint32_t since,
           std::size_t limit, MatchList& out, Budget& budget)
        : graph_(graph),
          rule_(rule),
          query_(query),
          since_(since),
          limit_(limit),
          out_(out),
          budget_(budget),
          ids_(graph.id_count()),
          env_(slots_.data(), rule.slots.size()),
          match_(graph, query, env_) {
        out_.width = static_cast<std::uint32_t>(rule.slots.size());
    }

    void run() {
        if (query_.atoms.empty()) {
            run_over_classes();
            return;
        }
        all_ = (1ULL << query_.atoms.size()) - 1;
        for (std::uint32_t d = 0; d < query_.atoms.size() && !out_.stopped; ++d) {
            if (query_.atoms[d].kind != Atom::Kind::row) continue;
            delta_ = d;
            run_delta(d);
            if (since_ == 0) return;  // all rows are new: the first pass has found everything
        }
        run_reads();
    }

  private:
    static constexpr std::uint32_t row_count_in_step = 4;  // of a table that is read as a whole
    static constexpr std::uint32_t condition_weight = 32;  // a look at an analysis, or much more

    void run_delta(std::uint32_t d) {
        const Atom& atom = query_.atoms[d];
        const Table& table = graph_.table(atom.op);
        if (is_leaf_lookup(atom)) {
            std::uint32_t row =
                table.lookup(atom.payload.value, {}, hash_key(atom.payload.value, {}));
            if (row != none && table.is_matchable(row) && table.stamp(row) >= since_)
                try_row(d, row, all_, 0);
            return;
        }
        for (std::uint32_t row : recent(table)) {
            if (out_.stopped) return;
            try_row(d, row, all_, 0);
        }
    }

    // Ends the search where the budget is spent.
    bool spend(std::uint32_t weight) {
        if (!budget_.step(weight)) out_.stopped = true;
        return !out_.stopped;
    }

    bool take(std::size_t bytes) {
        if (!budget_.admits_bytes(graph_, bytes)) out_.stopped = true;
        return !out_.stopped;
    }

    // An index, brought up to date if there is memory for it; else an empty one, and the search
    // ends.
    const Index& index(const Table& table, std::uint32_t which) {
        if (table.is_indexed(which)) return table.index(which, ids_);
        static const Index empty;
        if (!take(table.index_growth(which, ids_))) return empty;
        const Index& made = table.index(which, ids_);
        spend(table.size() / row_count_in_step + 1);
        return made;
    }

    const Buffer<std::uint32_t>& recent(const Table& table) {
        static const Buffer<std::uint32_t> empty;
        if (!table.knows_recent(since_)) {
            if (!take(table.size() * sizeof(std::uint32_t))) return empty;
            spend(table.size() / row_count_in_step);
        }
        return table.recent(since_);
    }

    static bool is_leaf_lookup(const Atom& atom) {
        return atom.shape == Shape::fixed && atom.slots.empty() &&
               atom.payload.kind == PayloadRef::Kind::constant;
    }

    // A pattern that is a bare slot: every class that has a new row, or a new value that a
    // condition reads.
    void run_over_classes() {
        std::vector<std::uint32_t> classes;
        if (since_ == 0) {
            graph_.for_each_class([&](ClassId cls) { classes.push_back(raw(cls)); });
        } else {
            for (std::uint32_t op = 0; graph_.has_table(OpId{op}); ++op) {
                const Table& table = graph_.table(OpId{op});
                for (std::uint32_t row : recent(table)) classes.push_back(table.cls(row));
            }
            for (const Read& read : query_.reads) add_informed(read, classes);
            sort_unique(classes);
        }
        for (std::size_t i = 0; i < classes.size() && !out_.stopped; ++i) {
            env_[query_.root_class] = classes[i];
            emit();
        }
    }

    void add_informed(const Read& read, std::vector<std::uint32_t>& classes) const {
        graph_.for_each_informed(read.analysis, since_,
                                 [&](ClassId cls) { classes.push_back(raw(cls)); });
    }

    static void sort_unique(std::vector<std::uint32_t>& classes) {
        std::sort(classes.begin(), classes.end());
        classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    }

    // Passes in which an analysis value is what is new; the rows are all old, or were found before.
    void run_reads() {
        delta_ = none;
        std::size_t before = out_.size();
        std::vector<std::uint32_t> classes;
        for (std::size_t r = 0; r < query_.reads.size(); ++r) {
            const std::uint32_t slot = query_.reads[r].slot;
            const auto is_of_slot = [slot](const Read& read) { return read.slot == slot; };
            const auto begin = query_.reads.begin(), here = begin + static_cast<std::ptrdiff_t>(r);
            if (std::any_of(begin, here, is_of_slot)) continue;  // done with the first of the slot
            classes.clear();
            for (const Read& read : query_.reads) {
                if (is_of_slot(read)) add_informed(read, classes);
            }
            sort_unique(classes);
            for (std::size_t i = 0; i < classes.size() && !out_.stopped; ++i) {
                run_read(query_.reads[r], classes[i]);
            }
        }
        if (out_.size() > before) drop_repetitions();
    }

    void run_read(const Read& read, std::uint32_t cls) {
        if (rule_.slots[read.slot] == SlotKind::cls) {
            env_[read.slot] = cls;
            step(all_, 1ULL << read.slot);
            return;
        }
        // An element of a rest learned something: start from the rows that hold it.
        const RestSource& source = query_.rests[read.slot];
        for (std::uint32_t i = 0; i < query_.atoms.size(); ++i) {
            const Atom& atom = query_.atoms[i];
            if (atom.kind != Atom::Kind::row || atom.row != source.row) continue;
            for (std::uint32_t row : index(graph_.table(atom.op), 1).rows(cls))
                try_row(i, row, all_, 0);
        }
    }

    void drop_repetitions() {
        std::vector<std::uint32_t> order(out_.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        auto less = [this](std::uint32_t a, std::uint32_t b) {
            auto x = out_[a], y = out_[b];
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        };
        std::sort(order.begin(), order.end(), less);
        MatchList unique{out_.width, {}, out_.stopped, out_.looks_at_rests};
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0 && !less(order[i - 1], order[i])) continue;
            auto slots = out_[order[i]];
            unique.slots.append(slots);
        }
        out_ = std::move(unique);
    }

    bool is_bound(std::uint64_t bound, std::uint32_t slot) const {
        return (bound >> slot & 1U) != 0;
    }

    // The number of candidates of an atom, or none where it cannot be next.
    std::uint32_t estimate(const Atom& atom, std::uint64_t bound) {
        const Table& table = graph_.table(atom.op);
        if (atom.kind != Atom::Kind::row) {
            if (!is_bound(bound, atom.row)) return none;
            if (atom.kind == Atom::Kind::member && is_bound(bound, atom.slots[0])) return 1;
            auto size =
                static_cast<std::uint32_t>(graph_.node(NodeId{env_[atom.row]}).children.size());
            if (atom.kind == Atom::Kind::member) return size;
            auto length = static_cast<std::uint32_t>(atom.slots.size());
            return length > size ? 0 : size - length + 1;  // an empty run stands in an empty row
        }
        std::uint32_t best = table.size();
        if (is_bound(bound, atom.cls))
            best = std::min(best, count(index(table, 0), env_[atom.cls]));
        if (atom.shape == Shape::fixed) {
            bool all_bound = atom.payload.kind == PayloadRef::Kind::constant ||
                             (atom.payload.kind == PayloadRef::Kind::slot &&
                              is_bound(bound, atom.payload.value));
            for (std::uint32_t i = 0; i < atom.slots.size(); ++i) {
                if (is_bound(bound, atom.slots[i])) {
                    if (best > 1)
                        best = std::min(best, count(index(table, 1 + i), env_[atom.slots[i]]));
                } else {
                    all_bound = false;
                }
            }
            return all_bound ? std::min(best, 1U) : best;
        }
        for (std::uint32_t member : atom.members) {
            if (is_bound(bound, member))
                best = std::min(best, count(index(table, 1), env_[member]));
        }
        return best;
    }
    static std::uint32_t count(const Index& index, std::uint32_t key) {
        return static_cast<std::uint32_t>(index.rows(key).size());
    }

    void step(std::uint64_t remaining, std::uint64_t bound) {
        if (!spend(1)) return;
        if (remaining == 0) {
            emit();
            return;
        }
        std::uint32_t best = none, best_count = none;
        for (std::uint64_t rest = remaining; rest != 0; rest &= rest - 1) {
            auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
            std::uint32_t n =
                (remaining & (remaining - 1)) == 0 ? 1 : estimate(query_.atoms[i], bound);
            if (n == 0) return;
            if (n < best_count) best = i, best_count = n;
        }
        const Atom& atom = query_.atoms[best];
        if (atom.kind == Atom::Kind::member) {
            step_member(best, remaining, bound);
        } else if (atom.kind == Atom::Kind::run) {
            step_run(best, remaining, bound);
        } else {
            step_row(best, remaining, bound);
        }
    }

    void step_row(std::uint32_t at, std::uint64_t remaining, std::uint64_t bound) {
        const Atom& atom = query_.atoms[at];
        const Table& table = graph_.table(atom.op);
        if (atom.shape == Shape::fixed && lookup_row(at, remaining, bound)) return;
        std::span<const std::uint32_t> rows;
        std::size_t fewest = none;
        auto consider = [&](const Index& candidates, std::uint32_t key) {
            auto found = candidates.rows(key);
            if (found.size() < fewest) rows = found, fewest = found.size();
        };
        if (is_bound(bound, atom.cls)) consider(index(table, 0), env_[atom.cls]);
        if (atom.shape == Shape::fixed) {
            for (std::uint32_t i = 0; i < atom.slots.size() && fewest > 1; ++i) {
                if (is_bound(bound, atom.slots[i]))
                    consider(index(table, 1 + i), env_[atom.slots[i]]);
            }
        } else {
            for (std::uint32_t member : atom.members) {
                if (is_bound(bound, member)) consider(index(table, 1), env_[member]);
            }
        }
        if (fewest != none) {
            for (std::size_t i = 0; i < rows.size() && !out_.stopped; ++i) {
                try_row(at, rows[i], remaining, bound);
            }
            return;
        }
        for (std::uint32_t row = 0; row < table.size() && !out_.stopped; ++row) {
            if (table.is_matchable(row)) try_row(at, row, remaining, bound);
        }
    }

    // One hash look-up where the whole key is known; false if it is not.
    bool lookup_row(std::uint32_t index, std::uint64_t remaining, std::uint64_t bound) {
        const Atom& atom = query_.atoms[index];
        if (atom.payload.kind == PayloadRef::Kind::any) return false;
        Payload payload = atom.payload.value;
        if (atom.payload.kind == PayloadRef::Kind::slot) {
            if (!is_bound(bound, payload)) return false;
            payload = env_[payload];
        }
        std::uint32_t key[8];
        if (atom.slots.size() > 8) return false;
        for (std::size_t i = 0; i < atom.slots.size(); ++i) {
            if (!is_bound(bound, atom.slots[i])) return false;
            key[i] = env_[atom.slots[i]];
        }
        const Table& table = graph_.table(atom.op);
        std::span<const std::uint32_t> children(key, atom.slots.size());
        std::uint32_t row = table.lookup(payload, children, hash_key(payload, children));
        if (row != none && table.is_matchable(row)) try_row(index, row, remaining, bound);
        return true;
    }

    // Binds the atom to a row, or finds that it does not fit, and goes on with the other atoms.
    void try_row(std::uint32_t index, std::uint32_t row, std::uint64_t remaining,
                 std::uint64_t bound) {
        if (!spend(1)) return;
        const Atom& atom = query_.atoms[index];
        const Table& table = graph_.table(atom.op);
        if (index < delta_ && delta_ != none && since_ != 0 && table.stamp(row) >= since_) return;
        if (delta_ == none && table.stamp(row) >= since_) return;
        if (!bind(atom.cls, table.cls(row), bound)) return;
        if (atom.payload.kind == PayloadRef::Kind::constant) {
            if (table.payload(row) != atom.payload.value) return;
        } else if (atom.payload.kind == PayloadRef::Kind::slot) {
            if (!bind(atom.payload.value, table.payload(row), bound)) return;
        }
        if (atom.shape == Shape::fixed) {
            const std::uint32_t* children = table.children_data(row);
            for (std::size_t i = 0; i < atom.slots.size(); ++i) {
                if (!bind(atom.slots[i], children[i], bound)) return;
            }
        } else if (atom.exact_count != none && table.children(row).size() != atom.exact_count) {
            return;
        }
        env_[atom.row] = table.node(row);
        bound |= 1ULL << atom.row;
        step(remaining & ~(1ULL << index), bound);
    }

    bool bind(std::uint32_t slot, std::uint32_t value, std::uint64_t& bound) {
        if (is_bound(bound, slot)) return env_[slot] == value;
        env_[slot] = value;
        bound |= 1ULL << slot;
        return true;
    }

    void step_member(std::uint32_t index, std::uint64_t remaining, std::uint64_t bound) {
        const Atom& atom = query_.atoms[index];
        auto children = graph_.node(NodeId{env_[atom.row]}).children;
        std::uint32_t slot = atom.slots[0];
        remaining &= ~(1ULL << index);
        if (is_bound(bound, slot)) {
            if (std::binary_search(children.begin(), children.end(), env_[slot]))
                step(remaining, bound);
            return;
        }
        for (std::size_t i = 0; i < children.size() && !out_.stopped; ++i) {
            if (i > 0 && children[i] == children[i - 1]) continue;
            env_[slot] = children[i];
            step(remaining, bound | 1ULL << slot);
        }
    }

    void step_run(std::uint32_t index, std::uint64_t remaining, std::uint64_t bound) {
        const Atom& atom = query_.atoms[index];
        auto children = graph_.node(NodeId{env_[atom.row]}).children;
        if (children.size() < atom.slots.size()) return;
        std::size_t last = children.size() - atom.slots.size();
        std::size_t begin = atom.open_front && !atom.open_back ? last : 0;
        std::size_t end = atom.open_front ? last : 0;
        for (std::size_t offset = begin; offset <= end && !out_.stopped; ++offset) {
            std::uint64_t now = bound;
            bool fits = true;
            for (std::size_t i = 0; i < atom.slots.size() && fits; ++i) {
                fits = bind(atom.slots[i], children[offset + i], now);
            }
            if (!fits) continue;
            env_[atom.offset] = static_cast<std::uint32_t>(offset);
            step(remaining & ~(1ULL << index), now | 1ULL << atom.offset);
        }
    }

    // The elements picked from one set are distinct; from one bag each no more often than it stands
    // there.
    bool picks_are_distinct() const {
        for (const Atom& atom : query_.atoms) {
            if (atom.kind != Atom::Kind::row || atom.members.size() < 2) continue;
            for (std::size_t i = 0; i < atom.members.size(); ++i) {
                std::size_t wanted = 1;
                for (std::size_t j = 0; j < i; ++j)
                    wanted += env_[atom.members[j]] == env_[atom.members[i]];
                if (wanted == 1) continue;
                if (atom.shape == Shape::set) return false;
                auto children = graph_.node(NodeId{env_[atom.row]}).children;
                auto [low, high] =
                    std::equal_range(children.begin(), children.end(), env_[atom.members[i]]);
                if (static_cast<std::size_t>(high - low) < wanted) return false;
            }
        }
        return true;
    }

    void emit() {
        if (!picks_are_distinct()) return;
        match_.reset(env_);
        for (const Condition& condition : rule_.conditions) {
            if (!spend(condition_weight) || !condition.holds(match_)) return;
        }
        if (out_.size() >= limit_) {
            out_.stopped = true;
            return;
        }
        Buffer<std::uint32_t>& slots = out_.slots;
        std::size_t growth = slots.bytes_with(env_.size()) - slots.bytes();
        if (growth != 0 && !take(growth)) return;
        budget_.other_bytes += growth;
        out_.looks_at_rests = out_.looks_at_rests || match_.looked_at_rests();
        slots.append(env_);
    }

    const EGraph& graph_;
    const Rule& rule_;
    const Query& query_;
    std::uint32_t since_;
    std::size_t limit_;
    MatchList& out_;
    Budget& budget_;
    std::uint32_t ids_;
    std::array<std::uint32_t, slot_count_max> slots_{};
    std::span<std::uint32_t> env_;
    Match match_;
    std::uint32_t delta_ = none;
    std::uint64_t all_ = 0;
};

}  // namespace

namespace {

// Most rules name an operator that the e-graph has no node of.
bool has_rows(const EGraph& graph, const Query& query) {
    return std::ranges::all_of(query.atoms, [&](const Atom& atom) {
        return graph.has_table(atom.op) && graph.table(atom.op).size() != 0;
    });
}

}  // namespace

bool find_matches(const EGraph& graph, const Rule& rule, const Query& query, std::uint32_t since,
                  std::size_t limit, MatchList& out, Budget& budget) {
    assert(graph.is_clean());
    out.slots.clear();
    out.stopped = out.looks_at_rests = false;
    if (!has_rows(graph, query)) return false;
    Finder(graph, rule, query, since, limit, out, budget).run();
    return true;
}

void find_matches(const EGraph& graph, const Rule& rule, const Query& query, std::uint32_t since,
                  std::size_t limit, MatchList& out) {
    Budget unlimited;
    find_matches(graph, rule, query, since, limit, out, unlimited);
}

}  // namespace satura::egraph
