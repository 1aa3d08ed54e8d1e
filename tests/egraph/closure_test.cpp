// Congruence: the e-graph against a naive closure over terms, to its fixpoint in O(n^3).
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "egraph/egraph.hpp"
#include "tests/egraph/random.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

// Terms as (operator, children by index), each made once; a partition by plain labels.
class NaiveClosure {
  public:
    explicit NaiveClosure(const Signature& signature) : signature_(signature) {}

    std::uint32_t add(OpId op, std::vector<std::uint32_t> children) {
        if (is_commutative(op)) {
            children = reduced(op, flat(op, children));
            if (children.size() == 1) return children[0];
        }
        for (std::uint32_t i = 0; i < terms_.size(); ++i) {
            if (terms_[i].op == op && terms_[i].children == children) return i;
        }
        terms_.push_back({op, children});
        labels_.push_back(static_cast<std::uint32_t>(labels_.size()));
        return static_cast<std::uint32_t>(terms_.size() - 1);
    }
    void merge(std::uint32_t a, std::uint32_t b) {
        std::uint32_t from = labels_[a], to = labels_[b];
        changed_ = changed_ || from != to;
        std::replace(labels_.begin(), labels_.end(), from, to);
    }
    bool same(std::uint32_t a, std::uint32_t b) const { return labels_[a] == labels_[b]; }

    // Where the unit is the zero, all terms are equal; the e-graph, which drops units early, does
    // not say so.
    bool is_degenerate() {
        for (std::uint32_t op = 0; op < signature_.size(); ++op) {
            const Operator& o = signature_[OpId{op}];
            if (o.unit && o.zero && same(leaf(o.unit->op), leaf(o.zero->op))) return true;
        }
        return false;
    }

    std::string text(std::uint32_t i) const {
        std::string out = "(" + signature_[terms_[i].op].name;
        for (std::uint32_t c : terms_[i].children) out += " " + text(c);
        return out + ")";
    }

    void close() {
        do {
            changed_ = false;
            for (std::uint32_t i = 0; i < terms_.size(); ++i) {
                if (is_commutative(terms_[i].op)) collapse(i);
                for (std::uint32_t j = 0; j < i; ++j) {
                    if (terms_[i].op == terms_[j].op && key(i) == key(j)) merge(i, j);
                }
            }
        } while (changed_);
    }

  private:
    struct Term {
        OpId op;
        std::vector<std::uint32_t> children;
    };
    bool is_commutative(OpId op) const {
        return signature_[op].shape == Shape::set || signature_[op].shape == Shape::bag;
    }
    std::vector<std::uint32_t> flat(OpId op, const std::vector<std::uint32_t>& children) const {
        std::vector<std::uint32_t> out;
        for (std::uint32_t c : children) {
            if (terms_[c].op == op && terms_[c].children.size() > 1) {
                out.insert(out.end(), terms_[c].children.begin(), terms_[c].children.end());
            } else {
                out.push_back(c);
            }
        }
        return out;
    }
    // As far as it goes by the terms alone; one element where it comes down to that.
    std::vector<std::uint32_t> reduced(OpId op, std::vector<std::uint32_t> children) {
        const Operator& o = signature_[op];
        std::sort(children.begin(), children.end());
        if (o.shape == Shape::set) {
            children.erase(std::unique(children.begin(), children.end()), children.end());
        }
        if (o.zero && std::count(children.begin(), children.end(), leaf(o.zero->op)) != 0) {
            return {leaf(o.zero->op)};
        }
        if (o.unit) std::erase(children, leaf(o.unit->op));
        if (o.unit && children.empty()) return {leaf(o.unit->op)};
        return children;
    }
    std::uint32_t leaf(OpId op) { return add(op, {}); }
    // The labels of the children as a set or bag: without units; one label where the zero is among
    // them.
    std::vector<std::uint32_t> key(std::uint32_t i) {
        const Operator& op = signature_[terms_[i].op];
        std::vector<std::uint32_t> out;
        for (std::uint32_t c : terms_[i].children) out.push_back(labels_[c]);
        if (!is_commutative(terms_[i].op)) return out;
        std::sort(out.begin(), out.end());
        if (op.shape == Shape::set) out.erase(std::unique(out.begin(), out.end()), out.end());
        if (op.zero) {
            std::uint32_t zero = labels_[leaf(op.zero->op)];
            if (std::count(out.begin(), out.end(), zero) != 0) return {zero};
        }
        if (op.unit) {
            std::uint32_t unit = labels_[leaf(op.unit->op)];
            std::erase(out, unit);
            if (out.empty()) out = {unit};
        }
        return out;
    }
    void collapse(std::uint32_t i) {
        std::vector<std::uint32_t> k = key(i);
        if (k.size() != 1) return;
        auto member = std::find(labels_.begin(), labels_.end(), k[0]);
        merge(i, static_cast<std::uint32_t>(member - labels_.begin()));
    }

    const Signature& signature_;
    std::vector<Term> terms_;
    std::vector<std::uint32_t> labels_;
    bool changed_ = false;
};

struct Instance {
    Signature signature;
    std::vector<OpId> ops;

    explicit Instance(Random& random) {
        for (const char* name : {"a", "b", "c", "d", "t", "z"})
            ops.push_back(signature.fixed(name, 0));
        OpId t = ops[4], z = ops[5];
        ops.push_back(signature.fixed("f", 1));
        ops.push_back(signature.fixed("g", 2));
        OpId set = signature.add("s", Shape::set), other = signature.add("o", Shape::set);
        OpId bag = signature.add("m", Shape::bag), sequence = signature.add("q", Shape::sequence);
        for (OpId op : {set, other, bag, sequence}) ops.push_back(op);
        if (random.chance(60)) signature.set_unit(set, t, 0);
        if (random.chance(60)) signature.set_zero(set, z, 0);
        if (random.chance(60)) signature.set_unit(other, z, 0);
        if (random.chance(60)) signature.set_zero(other, t, 0);
        if (random.chance(60)) signature.set_unit(bag, ops[3], 0);
        if (random.chance(60)) signature.set_zero(bag, t, 0);
    }
};

// One random instance: terms and unions, both sides, compared after each rebuild.
class Trial {
  public:
    explicit Trial(std::uint64_t seed)
        : random_(seed),
          instance_(random_),
          options_{random_.chance(50), true},
          graph_(instance_.signature, options_),
          naive_(instance_.signature) {}

    // Empty, or what went wrong.
    std::string run() {
        for (std::uint32_t i = 0, n = 6 + random_.below(14); i < n; ++i) add(options_.witnesses);
        for (int round = 0; round < 4; ++round) {
            for (std::uint32_t i = 0, n = 1 + random_.below(8); i < n; ++i) step();
            graph_.rebuild();
            naive_.close();
            if (naive_.is_degenerate()) return {};
            std::string wrong = graph_.invariant();
            if (wrong.empty()) wrong = compare();
            if (!wrong.empty()) return wrong;
        }
        return {};
    }

  private:
    void step() {
        // Nested sets are opened along smallest terms, which the closure knows only before the
        // first union.
        if (!options_.witnesses && random_.chance(60)) return add(false);
        auto a = random_.pick(terms_), b = random_.pick(terms_);
        graph_.merge(a.first, b.first);
        naive_.merge(a.second, b.second);
    }

    void add(bool may_nest) {
        OpId op = random_.pick(instance_.ops);
        const Operator& o = instance_.signature[op];
        std::uint32_t count = o.shape == Shape::fixed ? o.arity : random_.below(5);
        bool commutes = o.shape == Shape::set || o.shape == Shape::bag;
        std::vector<ClassId> children;
        std::vector<std::uint32_t> naive_children;
        for (std::uint32_t i = 0; i < count && !terms_.empty(); ++i) {
            auto pick = random_.below(static_cast<std::uint32_t>(terms_.size()));
            if (commutes && is_set_[pick] && !may_nest) continue;
            children.push_back(terms_[pick].first);
            naive_children.push_back(terms_[pick].second);
        }
        if (o.shape == Shape::fixed && children.size() != o.arity) return;
        terms_.emplace_back(graph_.add(op, 0, children), naive_.add(op, naive_children));
        is_set_.push_back(commutes);
    }

    std::string compare() const {
        for (const auto& [c, t] : terms_) {
            for (const auto& [d, u] : terms_) {
                bool same = naive_.same(t, u);
                if ((graph_.find(c) == graph_.find(d)) == same) continue;
                std::string text = same ? "missing equality: " : "unfounded equality: ";
                return text + naive_.text(t) + " and " + naive_.text(u);
            }
        }
        return {};
    }

    Random random_;
    Instance instance_;
    EGraphOptions options_;
    EGraph graph_;
    NaiveClosure naive_;
    std::vector<std::pair<ClassId, std::uint32_t>> terms_;
    std::vector<bool> is_set_;
};

}  // namespace

TEST_CASE("congruence agrees with a naive closure") {
    for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
        std::string wrong = Trial(seed).run();
        if (!wrong.empty()) FAIL("seed " << seed << ": " << wrong);
    }
}
