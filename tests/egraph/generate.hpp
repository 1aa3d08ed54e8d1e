// Random terms and rules over a small algebra with every shape of operator.
#pragma once

#include <string>
#include <vector>

#include "tests/egraph/analyses.hpp"
#include "tests/egraph/naive.hpp"
#include "tests/egraph/random.hpp"
#include "tests/egraph/text.hpp"

namespace satura::egraph::test {

// Operators: leaves a b c d k:0 k:1, one/0 and nil/0 (unit and zero), f/1, g/2, h/3, the set s, the
// bag m, the sequence q.
class Generator {
  public:
    struct Generated {
        Rule rule;
        std::vector<MaskCondition> conditions;
    };

    explicit Generator(std::uint64_t seed) : random(seed) {
        algebra.set("s");
        algebra.bag("m");
        algebra.sequence("q");
        for (const char* leaf : {"a", "b", "c", "d", "k", "one", "nil"}) fixed(leaf, 0);
        fixed("f", 1), fixed("g", 2), fixed("h", 3);
        if (random.chance(50)) algebra.unit("s", "one");
        if (random.chance(50)) algebra.zero("s", "nil");
        if (random.chance(50)) algebra.unit("m", "nil");
        if (random.chance(30)) algebra.zero("m", "one");
    }

    std::shared_ptr<Analysis> marks() const {
        const Signature& s = algebra.signature;
        return std::make_shared<Marks>(std::map<OpId, Analysis::Value>{
            {*s.find("a"), 1}, {*s.find("b"), 2}, {*s.find("f"), 4}});
    }

    std::string term(int depth) {
        if (depth == 0 || random.chance(20)) return leaf();
        return apply(depth, [this](int d) { return term(d); }, [](bool) { return std::string(); });
    }

    bool fixed_only = false;  // no sets, bags and sequences

    // `normalising`: percent of `~>` rules.
    Generated rule(std::uint32_t normalising, int right_depth = 2) {
        variables_.clear();
        rests_.clear();
        std::string left = pattern(2);
        if (random.chance(25)) left += " & " + pattern(1);
        if (random.chance(5)) {
            left = "?x";
            variables_ = {left};
            rests_.clear();
        }
        bool normalises = random.chance(normalising);
        Generated made;
        made.rule = algebra.rule(left + (normalises ? " ~> " : " => ") + right(right_depth));
        while (random.chance(45)) add_condition(made);
        return made;
    }

    Algebra algebra;
    Random random;

  private:
    void fixed(const char* name, std::uint32_t arity) { algebra.signature.fixed(name, arity); }

    std::string leaf() {
        static const std::vector<std::string> leaves{"a",   "b",   "c",   "d",
                                                     "k:0", "k:1", "one", "nil"};
        return random.pick(leaves);
    }

    template <class Child, class Rest>
    std::string apply(int depth, Child&& child, Rest&& rest) {
        static const std::vector<std::string> names{"f", "f", "g", "g", "h", "s", "s", "m", "q"};
        std::string name = random.pick(names);
        if (fixed_only && (name == "s" || name == "m" || name == "q")) name = "g";
        std::string text = "(" + name;
        std::uint32_t count = name == "f" ? 1 : name == "g" ? 2 : name == "h" ? 3 : random.below(4);
        bool open = name == "s" || name == "m" || name == "q";
        if (name == "q") text += rest(true);
        for (std::uint32_t i = 0; i < count; ++i) text += " " + child(depth - 1);
        if (open) text += rest(false);
        return text + ")";
    }

    std::string variable() {
        static const std::vector<std::string> names{"?x", "?y", "?z"};
        variables_.push_back(random.pick(names));
        return variables_.back();
    }

    std::string pattern(int depth) {
        if (depth == 0 || random.chance(15)) {
            if (random.chance(70)) return variable();
            return random.chance(30) ? random.chance(50) ? "k:?p" : "k:*" : leaf();
        }
        auto rest = [this](bool) {
            if (random.chance(40)) return std::string();
            rests_.push_back("...r" + std::to_string(rests_.size()));
            return " " + rests_.back();
        };
        return apply(depth, [this](int d) { return pattern(d); }, rest);
    }

    std::string right(int depth) {
        if (depth == 0 || random.chance(40)) {
            return variables_.empty() || random.chance(15) ? leaf() : random.pick(variables_);
        }
        auto rest = [this](bool) {
            if (rests_.empty() || random.chance(30)) return std::string();
            if (random.chance(20)) return " (each ?e " + random.pick(rests_) + " (f ?e))";
            return " " + random.pick(rests_);
        };
        return apply(depth, [this](int d) { return right(d); }, rest);
    }

    void add_condition(Generated& made) {
        std::vector<std::string> names = variables_;
        names.insert(names.end(), rests_.begin(), rests_.end());
        if (names.empty()) return;
        std::uint32_t slot = Algebra::slot_of(made.rule, random.pick(names));
        MaskCondition c{AnalysisId{0}, slot, 1U + random.below(7), random.chance(50)};
        made.conditions.push_back(c);
        made.rule.conditions.push_back(
            engine_condition(c, made.rule.slots[slot] == SlotKind::rest));
    }

    std::vector<std::string> variables_;
    std::vector<std::string> rests_;
};

}  // namespace satura::egraph::test
