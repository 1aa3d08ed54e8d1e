// Why two terms are equal, as steps that can be read, and checked without the e-graph.
//
//   const auto why = explain(graph, runner, before, after);
//   std::puts(why->text().c_str());
//   std::string wrong = check(*why, rules);   // empty: it holds
//
// A step says that one term equals another: by a rule, with what its variables stand for, or because the user of the engine
// merged them. That operands may be replaced by equal ones needs no step of its own. Each step stands on those before it and is
// there once, however often it is used; so is each term.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "egraph/terms.hpp"

namespace satura::egraph {

struct Explanation {
    struct Binding {
        // As the rule names it; empty: the payload of the left side's next node that takes any.
        std::string variable;
        SlotKind kind = SlotKind::cls;  // or rest or payload
        std::vector<TermId> terms;      // one, or of a rest its elements
        Payload payload = 0;
    };
    struct Step {
        std::string rule;  // empty: the user merged the two
        TermId left{}, right{};
        std::vector<Binding> bindings;
    };

    Terms terms;
    std::vector<Step> steps;
    TermId left{}, right{};  // what the steps lead from and to

    // A line for each step: "2  (/ 2 2) = 1   cancel: ?x = 2". Longer terms are cut.
    std::string text(std::size_t term_length_max = 100) const;
};

// Why the term that `from` was given out for equals that of `to`: an id names the term that it was made for, whatever its class is
// called today. Nothing where they are not equal, or where no explanation is found that `check` would take; that concerns sets
// and bags only. Requires a clean e-graph that keeps its log. Cost: linear in the e-graph and its log, for an explanation of
// few steps also quadratic in these, as each that can be left out is.
std::optional<Explanation> explain(const EGraph& graph, const Runner& runner, ClassId from,
                                   ClassId to);
// The same for the term that was chosen for the class.
std::optional<Explanation> explain(const EGraph& graph, const Runner& runner, ClassId from,
                                   const Extraction& extraction, std::uint32_t variant = 0);

// Asked about what terms alone do not show: whether the user's two terms are equal, where `rule` is null; else whether the rule's
// conditions hold, and its computed parts are right, for what the variables stand for.
using Admits = std::function<bool(const Explanation&, const Explanation::Step&, const Rule* rule)>;

// Replays the steps by a congruence closure over terms. Empty if each holds by those before it and they lead from left to right,
// else what is wrong. A step that would have to be admitted is refused where nobody admits it. Rules are found by their names.
// What a rule's further roots match needs only be terms. Cost: about linear.
std::string check(const Explanation& explanation, const std::vector<Rule>& rules,
                  const Admits& admits = {});

}  // namespace satura::egraph
