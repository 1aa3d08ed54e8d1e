// Every equality that rules find in random algebras, with conditions and `~>`, has an explanation that its check takes; a changed
// one is taken only where what it says is true all the same.
#include <doctest/doctest.h>

#include "egraph/explanation.hpp"
#include "tests/egraph/dump.hpp"
#include "tests/egraph/generate.hpp"

using namespace satura::egraph;
using namespace satura::egraph::test;

namespace {

using Step = Explanation::Step;

struct Counts {
    std::uint32_t asked = 0, missing = 0, steps = 0;
    std::uint32_t changed = 0, refused = 0, compared = 0;
};

class Trial {
  public:
    Trial(std::uint64_t seed, Counts& counts)
        : counts_(counts), generator_(seed), graph_(generator_.algebra.signature) {
        graph_.add_analysis(generator_.marks());
        generator_.fixed_only = generator_.random.chance(50);
        for (std::uint32_t i = 0, n = 1 + generator_.random.below(5); i < n; ++i) {
            Generator::Generated made = generator_.rule(generator_.fixed_only ? 0 : 40);
            if (!Runner::check(made.rule, generator_.algebra.signature).empty()) continue;
            made.rule.name = std::to_string(i) + " " + made.rule.name;
            rules_.push_back(made.rule);
            conditions_.push_back(made.conditions);
        }
        // What no term is: a rule that is always wrong.
        rules_.push_back(generator_.algebra.rule("(zap ?x) => ?x", "zap"));
        conditions_.emplace_back();
    }

    std::string run() {
        for (std::uint32_t i = 0, n = 3 + generator_.random.below(4); i < n; ++i) {
            generator_.algebra.add(graph_, generator_.term(3));
            if (!generator_.random.chance(25)) continue;
            const NodeId a = any(), b = any();
            graph_.merge(a, b, UnionReason{});
        }
        Runner runner(graph_, rules_);
        const Report report =
            runner.run({.iterations = 1 + generator_.random.below(5), .nodes = 150});
        is_complete_ = generator_.fixed_only && report.stop == StopReason::saturated;
        graph_.rebuild();
        for (int i = 0; i < 6; ++i) {
            const ClassId a = any_with_others();
            const std::vector<std::uint32_t> others = members(a);
            const ClassId b{generator_.random.pick(others)};
            if (a == b) continue;
            const auto why = explain(graph_, runner, a, b);
            std::string wrong = judge(why);
            if (!wrong.empty()) return wrong;
        }
        const Extraction extraction(graph_, TermSize());
        const ClassId cls = any_with_others();
        const auto why = explain(graph_, runner, cls, extraction);
        std::string wrong = judge(why);
        // Terms open sets in sets and drop units, which a choice may hold.
        const std::string chosen = extraction.text(cls);
        const bool has_sets =
            chosen.find("(s") != std::string::npos || chosen.find("(m") != std::string::npos;
        const bool is_it = !why || has_sets || why->terms.text(why->right) == chosen;
        return wrong.empty() && !is_it ? "another term than the chosen one" : wrong;
    }

  private:
    NodeId any() { return NodeId{generator_.random.below(graph_.id_count())}; }

    // A term whose class has further ones, if there are such.
    ClassId any_with_others() {
        ClassId id{raw(any())};
        for (int i = 0; i < 20 && members(id).size() == 1; ++i) id = ClassId{raw(any())};
        return id;
    }

    std::vector<std::uint32_t> members(ClassId cls) const {
        std::vector<std::uint32_t> out;
        for (std::uint32_t id = 0; id < graph_.id_count(); ++id) {
            if (graph_.find(id) == graph_.find(raw(cls))) out.push_back(id);
        }
        return out;
    }

    std::string judge(const std::optional<Explanation>& why) {
        ++counts_.asked;
        if (!why) {
            ++counts_.missing;
            return {};
        }
        counts_.steps += static_cast<std::uint32_t>(why->steps.size());
        const std::string wrong = check_it(*why);
        if (!wrong.empty()) return wrong + "\n" + why->text() + rules_text();
        for (int i = 0; i < 3 && !why->steps.empty(); ++i) {
            const std::string taken = try_changed(*why);
            if (!taken.empty()) return taken + "\n" + why->text() + rules_text();
        }
        return {};
    }

    // What the user merged and what conditions ask is looked up in the e-graph.
    std::string check_it(const Explanation& why) {
        return check(why, rules_, [this](const Explanation& e, const Step& step, const Rule* rule) {
            if (rule == nullptr) return is_possible(e, step.left, step.right);
            for (const MaskCondition& condition :
                 conditions_[static_cast<std::size_t>(rule - rules_.data())]) {
                if (!holds(e, step, rule->slot_names[condition.slot], condition)) return false;
            }
            return true;
        });
    }

    bool holds(const Explanation& e, const Step& step, const std::string& variable,
               const MaskCondition& condition) {
        for (const Explanation::Binding& binding : step.bindings) {
            if (binding.variable != variable) continue;
            const auto has = [&](TermId id) {
                const auto cls = class_of(e, id);  // a set may be there in another form only
                return !cls ||
                       (graph_.value(condition.analysis, *cls) & condition.mask) == condition.mask;
            };
            const bool is_any = binding.kind == SlotKind::rest && condition.any;
            return is_any ? std::ranges::any_of(binding.terms, has)
                          : std::ranges::all_of(binding.terms, has);
        }
        return false;
    }

    // Where the term is in the e-graph; nothing where it is not there.
    std::optional<ClassId> class_of(const Explanation& e, TermId id) const {
        std::vector<std::optional<ClassId>> classes;
        for (std::uint32_t t = 0; t <= raw(id); ++t) {
            const Term term = e.terms[TermId{t}];
            std::vector<ClassId> children;
            for (std::uint32_t child : term.children) {
                if (classes[child]) children.push_back(*classes[child]);
            }
            classes.push_back(children.size() == term.children.size()
                                  ? graph_.lookup(term.op, term.payload, children)
                                  : std::nullopt);
        }
        return classes.back();
    }

    bool is_possible(const Explanation& e, TermId left, TermId right) const {
        const auto a = class_of(e, left), b = class_of(e, right);
        return !a || !b || *a == *b;
    }

    // Changes one thing. What is taken then must be equal in the e-graph, if that is complete.
    std::string try_changed(const Explanation& why) {
        Explanation other = why;
        Random& random = generator_.random;
        Step& step = other.steps[random.below(static_cast<std::uint32_t>(other.steps.size()))];
        const TermId stranger{random.below(other.terms.size())};
        bool is_surely_wrong = false;
        switch (random.below(5)) {
            case 0:
                if (step.bindings.empty()) return {};
                for (TermId& id :
                     step.bindings[random.below(static_cast<std::uint32_t>(step.bindings.size()))]
                         .terms)
                    id = stranger;
                break;
            case 1:
                step.rule = "zap";
                is_surely_wrong = true;
                break;
            case 2:
                (random.chance(50) ? step.left : step.right) = stranger;
                break;
            case 3:
                std::swap(step, other.steps.front());
                break;
            default:
                other.right = stranger;
                break;
        }
        ++counts_.changed;
        if (!check_it(other).empty()) {
            ++counts_.refused;
            return {};
        }
        if (is_surely_wrong) return "a wrong rule is taken";
        if (!is_complete_) return {};
        ++counts_.compared;
        for (const Step& s : other.steps) {
            if (!is_possible(other, s.left, s.right)) return "a wrong step is taken";
        }
        return is_possible(other, other.left, other.right) ? "" : "a wrong explanation is taken";
    }

    std::string rules_text() const {
        std::string text;
        for (const Rule& rule : rules_) text += rule.name + "\n";
        return text;
    }

    Counts& counts_;
    Generator generator_;
    EGraph graph_;
    bool is_complete_ = false;  // all that the rules say of its terms is in it
    std::vector<Rule> rules_;
    std::vector<std::vector<MaskCondition>> conditions_;
};

}  // namespace

TEST_CASE("explanations of random equalities hold, and changed ones say nothing wrong") {
    Counts counts;
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        const std::string wrong = Trial(seed, counts).run();
        if (!wrong.empty()) FAIL("seed " << seed << ": " << wrong);
    }
    MESSAGE(counts.asked << " asked, " << counts.missing << " without, " << counts.steps
                         << " steps, " << counts.changed << " changed, " << counts.refused
                         << " refused, " << counts.compared << " taken and compared");
    CHECK(counts.asked > 5'000);
    CHECK(counts.steps > 5'000);
    CHECK(counts.missing * 500 < counts.asked);
    CHECK(counts.refused > 3'000);
    CHECK(counts.compared > 100);
}
