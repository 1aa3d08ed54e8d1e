// Every match is found when it comes to be: after each iteration, what the deltas found so far is
// what a brute-force matcher finds from scratch.
#include <doctest/doctest.h>

#include <memory>
#include <optional>

#include "tests/egraph/generate.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

using Key = std::vector<std::uint32_t>;

class Trial {
  public:
    explicit Trial(std::uint64_t seed) : generator_(seed) {
        for (std::uint32_t i = 0, n = 1 + random().below(4); i < n; ++i) {
            Generator::Generated made = generator_.rule(20);
            std::string error;
            Query query = Query::compile(made.rule, generator_.algebra.signature, error);
            if (!error.empty()) continue;
            rules_.push_back(std::move(made));
            queries_.push_back(std::move(query));
        }
        since_.assign(rules_.size(), 0);
        found_.resize(rules_.size());
        graph_ = std::make_unique<EGraph>(generator_.algebra.signature);
        graph_->add_analysis(generator_.marks());
    }

    // Empty, or what went wrong.
    std::string run() {
        for (std::uint32_t i = 0, n = 2 + random().below(4); i < n; ++i) add_term();
        for (int iteration = 0; iteration < 5; ++iteration) {
            disturb();
            graph_->rebuild();
            std::string wrong = graph_->invariant();
            if (!wrong.empty()) return "invariant: " + wrong;
            if (graph_->node_count() > node_count_max) return {};
            wrong = iterate();
            if (!wrong.empty()) return "iteration " + std::to_string(iteration) + ": " + wrong;
        }
        return {};
    }

  private:
    static constexpr std::uint32_t node_count_max = 45;  // brute force gets slow

    Random& random() { return generator_.random; }
    void add_term() { generator_.algebra.add(*graph_, generator_.term(3)); }

    // What a user does between iterations: add terms, merge classes.
    void disturb() {
        if (random().chance(30)) add_term();
        while (random().chance(60)) {
            graph_->merge(ClassId{random().below(graph_->id_count())},
                          ClassId{random().below(graph_->id_count())});
        }
    }

    std::string iterate() {
        std::vector<MatchList> lists(rules_.size());
        std::vector<bool> ready(rules_.size(), false);
        for (std::uint32_t r = 0; r < rules_.size(); ++r) {
            ready[r] = !random().chance(25);  // as a banned rule
            if (!ready[r]) continue;
            find_matches(*graph_, rules_[r].rule, queries_[r], since_[r], 100'000, lists[r]);
            std::string wrong = compare(r, lists[r]);
            if (!wrong.empty()) return rules_[r].rule.name + ": " + wrong;
        }
        graph_->next_stamp();
        for (std::uint32_t r = 0; r < rules_.size(); ++r) {
            if (!ready[r]) continue;
            Budget budget({.nodes = 4 * node_count_max});
            Applier(*graph_, rules_[r].rule, RuleId{r}, queries_[r], budget).apply(lists[r]);
            since_[r] = graph_->stamp();
        }
        return {};
    }

    std::string compare(std::uint32_t r, MatchList& list) {
        const Rule& rule = rules_[r].rule;
        NaiveMatcher naive(*graph_, rule, queries_[r], rules_[r].conditions);
        std::set<Key> expected;
        for (const Key& slots : naive.all()) expected.insert(key(r, slots));
        std::set<Key> known;
        for (const Key& old : found_[r]) {
            auto now = renewed(r, old);
            if (now) known.insert(*now);
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            Key now = key(r, Key(list[i].begin(), list[i].end()));
            if (expected.count(now) == 0) return "a match that is none" + text(now);
            known.insert(now);
        }
        for (const Key& k : expected) {
            if (known.count(k) == 0) return "a match was missed" + text(k);
        }
        found_[r] = std::move(known);
        return {};
    }

    // The slots, then each rest's elements.
    Key key(std::uint32_t r, Key slots) {
        const Rule& rule = rules_[r].rule;
        Match match(*graph_, queries_[r], slots);
        Key out = slots;
        for (std::uint32_t s = 0; s < rule.slots.size(); ++s) {
            if (rule.slots[s] != SlotKind::rest) continue;
            const auto& elements = match.sequence(s);
            out.push_back(static_cast<std::uint32_t>(elements.size()));
            out.insert(out.end(), elements.begin(), elements.end());
        }
        return out;
    }

    // An earlier match in terms of today's classes; none where one of its rows is gone.
    std::optional<Key> renewed(std::uint32_t r, Key old) {
        const Rule& rule = rules_[r].rule;
        std::size_t at = rule.slots.size();
        Key out;
        for (std::uint32_t s = 0; s < rule.slots.size(); ++s) {
            if (rule.slots[s] == SlotKind::node && !graph_->is_live(NodeId{old[s]})) return {};
            bool bound = rule.slots[s] == SlotKind::cls && rule.slot_names[s] != "?e";
            out.push_back(bound ? graph_->find(old[s]) : old[s]);
        }
        for (std::uint32_t s = 0; s < rule.slots.size(); ++s) {
            if (rule.slots[s] != SlotKind::rest) continue;
            Key elements;
            std::uint32_t count = old[at++];
            for (std::uint32_t i = 0; i < count; ++i) elements.push_back(graph_->find(old[at++]));
            Shape shape = shape_of(r, s, old);
            if (shape != Shape::sequence) std::sort(elements.begin(), elements.end());
            if (shape == Shape::set) {
                elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
            }
            out.push_back(static_cast<std::uint32_t>(elements.size()));
            out.insert(out.end(), elements.begin(), elements.end());
        }
        return out;
    }

    Shape shape_of(std::uint32_t r, std::uint32_t slot, const Key& slots) {
        NodeId row{slots[queries_[r].rests[slot].row]};
        return graph_->signature()[graph_->node(row).op].shape;
    }

    static std::string text(const Key& key) {
        std::string out;
        for (std::uint32_t k : key) out += " " + std::to_string(k);
        return out;
    }

    Generator generator_;
    std::vector<Generator::Generated> rules_;
    std::vector<Query> queries_;
    std::vector<std::uint32_t> since_;
    std::vector<std::set<Key>> found_;
    std::unique_ptr<EGraph> graph_;
};

}  // namespace

TEST_CASE("deltas find what brute force finds") {
    for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
        std::string wrong = Trial(seed).run();
        if (!wrong.empty()) FAIL("seed " << seed << ": " << wrong);
    }
}
