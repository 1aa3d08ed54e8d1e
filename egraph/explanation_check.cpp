#include <algorithm>

#include "egraph/explanation.hpp"
#include "egraph/instance.hpp"
#include "egraph/term_closure.hpp"

namespace satura::egraph {

namespace {

class Check {
  public:
    Check(const Explanation& explanation, const std::vector<Rule>& rules, const Admits& admits)
        : explanation_(explanation),
          rules_(rules),
          admits_(admits),
          terms_(explanation.terms),
          closure_(terms_) {}

    std::string run() {
        const auto is_there = [&](TermId id) { return raw(id) < explanation_.terms.size(); };
        for (std::size_t i = 0; i < explanation_.steps.size(); ++i) {
            const Explanation::Step& step = explanation_.steps[i];
            std::string wrong = !is_there(step.left) || !is_there(step.right)
                                    ? "it names a term that is not there"
                                    : mistake(step);
            if (!wrong.empty()) return "step " + std::to_string(i + 1) + ": " + wrong;
            closure_.merge(step.left, step.right);
        }
        const bool is_reached = is_there(explanation_.left) && is_there(explanation_.right) &&
                                closure_.equal(explanation_.left, explanation_.right);
        return is_reached ? "" : "the steps do not lead from the one term to the other";
    }

  private:
    bool is_admitted(const Explanation::Step& step, const Rule* rule) const {
        return admits_ && admits_(explanation_, step, rule);
    }

    std::string mistake(const Explanation::Step& step) {
        if (step.rule.empty())
            return is_admitted(step, nullptr) ? "" : "nobody says that its terms are equal";
        const auto rule = std::ranges::find(rules_, step.rule, &Rule::name);
        if (rule == rules_.end()) return "there is no rule " + step.rule;
        std::string wrong = mistake(step, *rule);
        return wrong.empty() ? wrong : "rule " + step.rule + ": " + wrong;
    }

    std::string mistake(const Explanation::Step& step, const Rule& rule) {
        Instance instance(rule, step, closure_);
        if (!instance.mistake().empty()) return instance.mistake();
        const auto left = instance.left(), right = instance.right();
        if (!left || !right) return "a variable stands for nothing";
        if (!closure_.equal(*left, step.left)) return "its left side is another term";
        if (!closure_.equal(*right, step.right)) return "its right side is another term";
        const bool is_plain = rule.conditions.empty() && rule.computations.empty();
        return is_plain || is_admitted(step, &rule) ? "" : "its conditions are not shown";
    }

    const Explanation& explanation_;
    const std::vector<Rule>& rules_;
    const Admits& admits_;
    Terms terms_;  // those of the explanation, then instances
    TermClosure closure_;
};

}  // namespace

std::string check(const Explanation& explanation, const std::vector<Rule>& rules,
                  const Admits& admits) {
    return Check(explanation, rules, admits).run();
}

}  // namespace satura::egraph
