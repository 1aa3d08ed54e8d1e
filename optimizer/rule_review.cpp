#include "optimizer/rule_review.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "rules/check_sorts.hpp"
#include "rules/checker.hpp"
#include "rules/encode.hpp"

namespace satura {

using egraph::ClassId;
using rules::ResolvedRule;
using rules::ResolvedTerm;
using rules::TermKind;

namespace {

constexpr std::uint64_t instances_max = 150;  // of one choice of `for`
constexpr std::uint32_t nodes_max = 3'000;    // of an e-graph in which two sides may meet
constexpr std::uint32_t iterations_max = 12;

// Both sides of an instance, and the columns that they are over.
struct Sides {
    const ResolvedRule* rule;
    lang::Exprs exprs;
    lang::ExprId left, right;
    std::vector<lang::Column> columns;
    std::vector<std::vector<lang::ExprId>> variables;
    std::vector<std::optional<lang::Type>> types;
};

// The side of a rule on truths in the e-graph, over what stands for its variables.
class TruthSide {
  public:
    TruthSide(RuleEngine& engine, const Sides& sides)
        : engine_(engine),
          rule_(*sides.rule),
          sides_(sides),
          sorts_(rules::sorts_of(*sides.rule, engine.ops)) {
        for (std::uint32_t v = 0; v < sides.variables.size(); ++v) {
            variables_.emplace_back();
            for (lang::ExprId expr : sides.variables[v]) {
                const ClassId value =
                    rules::encode(sides.exprs, expr, engine.graph, engine.ops, engine.scope);
                const bool is_truth = sorts_.variables[v] == rules::Sort::truth;
                variables_[v].push_back(is_truth ? holds(value) : value);
            }
        }
    }

    ClassId add(std::uint32_t root) {
        Made made(rule_.terms.size());
        // What is under an `each` is made for each element.
        std::vector<bool> is_inside(rule_.terms.size());
        for (std::uint32_t i = root + 1; i-- > 0;) {
            const bool is_each = rule_.terms[i].kind == TermKind::each;
            for (std::uint32_t o : rule_.terms[i].operands) is_inside[o] = is_each || is_inside[i];
        }
        for (std::uint32_t i = 0; i <= root; ++i) {
            if (!is_inside[i]) made[i] = terms(i, made);
        }
        return made[root][0];
    }

  private:
    using Made = std::vector<std::vector<ClassId>>;  // by term; of a rest each element

    ClassId holds(ClassId value) { return engine_.graph.add(engine_.ops.plan().holds, 0, {value}); }

    std::vector<ClassId> terms(std::uint32_t i, const Made& made) {
        const ResolvedTerm& term = rule_.terms[i];
        if (term.kind == TermKind::variable || term.kind == TermKind::rest)
            return variables_[term.variable];
        if (term.kind == TermKind::each) return each(term);
        return {node(term, made)};
    }

    std::vector<ClassId> each(const ResolvedTerm& term) {
        std::vector<ClassId> out;
        for (ClassId element : variables_[term.over]) {
            variables_[term.variable] = {element};
            Made made(rule_.terms.size());
            for (std::uint32_t i : rules::terms_under(rule_, term.operands[0])) {
                const ResolvedTerm& part = rule_.terms[i];
                if (part.kind == TermKind::apply)
                    made[i] = {node(part, made)};
                else
                    made[i] = variables_[part.variable];
            }
            out.push_back(made[term.operands[0]][0]);
        }
        return out;
    }

    ClassId node(const ResolvedTerm& term, const Made& made) {
        std::vector<ClassId> operands;
        for (std::uint32_t o : term.operands)
            operands.insert(operands.end(), made[o].begin(), made[o].end());
        const egraph::Payload payload = term.payload_variable == rules::no_term
                                            ? term.payload
                                            : sides_.types[term.payload_variable]->bits();
        return engine_.graph.add(term.op, payload, operands);
    }

    RuleEngine& engine_;
    const ResolvedRule& rule_;
    const Sides& sides_;
    rules::RuleSorts sorts_;
    std::vector<std::vector<ClassId>> variables_;  // by variable
};

struct SideSize {
    std::uint32_t nodes = 0;
    std::map<std::uint32_t, std::uint32_t> variables;  // how often each stands there
};

SideSize size_of(const ResolvedRule& rule, std::uint32_t root) {
    SideSize out;
    std::vector<std::uint32_t> todo{root};
    while (!todo.empty()) {
        const ResolvedTerm& term = rule.terms[todo.back()];
        todo.pop_back();
        ++out.nodes;
        if (term.kind == TermKind::variable || term.kind == TermKind::rest)
            ++out.variables[term.variable];
        todo.insert(todo.end(), term.operands.begin(), term.operands.end());
    }
    return out;
}

std::optional<RuleReview::Growth> growth_of(const ResolvedRule& rule) {
    const SideSize left = size_of(rule, rule.left), right = size_of(rule, rule.right);
    RuleReview::Growth out{left.nodes, right.nodes, ""};
    for (const auto& [variable, times] : right.variables) {
        const auto before = left.variables.find(variable);
        if (before != left.variables.end() && times > before->second && out.repeated.empty())
            out.repeated = rule.variables[variable].name;
    }
    if (right.nodes <= left.nodes && out.repeated.empty()) return std::nullopt;
    return out;
}

class Review {
  public:
    explicit Review(RuleEngine& engine) : engine_(engine) {}

    RuleReview run(const rules::BookRule& rule) {
        RuleReview out;
        out.name = rule.name;
        const std::vector<ResolvedRule> instances =
            engine_.book.resolve(*engine_.book.find(rule.name), engine_.language);
        std::vector<Sides> all;
        for (const ResolvedRule& instance : instances) {
            const auto growth = growth_of(instance);
            if (growth && (!out.growth || growth->right > out.growth->right)) out.growth = growth;
            rules::for_each_instance(
                instance, engine_.ops, instances_max, [&](const rules::InstanceSides& sides) {
                    Sides copy{&instance,     sides.exprs,     sides.left, sides.right,
                               sides.columns, sides.variables, sides.types};
                    if (!meet({copy}, {}, nullptr)) all.push_back(std::move(copy));
                });
        }
        out.instances = static_cast<std::uint32_t>(all.size());
        std::vector<std::string> others = names_without(rule.name);
        out.follows = !all.empty() && meet(all, others, &out.from);
        if (out.follows) make_least(all, out.from);
        engine_.reset();
        return out;
    }

  private:
    std::vector<std::string> names_without(const std::string& name) const {
        std::vector<std::string> out;
        for (const rules::BookRule& rule : engine_.book.rules) {
            if (rule.name != name) out.push_back(rule.name);
        }
        return out;
    }

    std::vector<std::uint32_t> rules_named(const std::vector<std::string>& names) const {
        std::vector<std::uint32_t> out;
        for (const auto& [phase, added] : engine_.by_phase) {
            for (std::uint32_t i : added) {
                const ResolvedRule& rule = engine_.resolved[i];
                if (rules::sort_of(rule, engine_.ops) != rules::Sort::relation &&
                    std::ranges::find(names, rule.written_name) != names.end())
                    out.push_back(i);
            }
        }
        std::ranges::sort(out);
        return out;
    }

    // Whether these rules, of those on values and truths, make the sides of all instances equal; `used` gets those that were applied, if it is there.
    bool meet(const std::vector<Sides>& all, const std::vector<std::string>& names,
              std::vector<std::string>* used) {
        const std::vector<std::uint32_t> chosen = rules_named(names);
        for (const Sides& sides : all) {
            engine_.reset();
            engine_.scope.columns = sides.columns;
            const auto [left, right] = add(sides);
            engine_.graph.rebuild();
            egraph::Limits limits;
            limits.nodes = nodes_max;
            limits.iterations = iterations_max;
            if (!chosen.empty()) engine_.runner->run(limits, chosen);  // none would be all
            if (engine_.graph.find(left) != engine_.graph.find(right)) return false;
            if (used != nullptr) add_applied(*used);
        }
        return true;
    }

    std::pair<ClassId, ClassId> add(const Sides& sides) {
        if (rules::sort_of(*sides.rule, engine_.ops) == rules::Sort::truth) {
            TruthSide side(engine_, sides);
            const ClassId left = side.add(sides.rule->left);
            return {left, side.add(sides.rule->right)};
        }
        const auto value = [&](lang::ExprId expr) {
            return rules::encode(sides.exprs, expr, engine_.graph, engine_.ops, engine_.scope);
        };
        const ClassId left = value(sides.left);
        return {left, value(sides.right)};
    }

    void add_applied(std::vector<std::string>& names) const {
        for (const auto& [name, times] : engine_.applied_rules()) {
            const std::string written = name.substr(0, name.find('/'));
            if (std::ranges::find(names, written) == names.end()) names.push_back(written);
        }
    }

    // Leaves out one rule after the other, as long as the rest does it.
    void make_least(const std::vector<Sides>& all, std::vector<std::string>& names) {
        for (std::size_t i = 0; i < names.size();) {
            std::vector<std::string> fewer = names;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            if (meet(all, fewer, nullptr)) {
                names = std::move(fewer);
            } else {
                ++i;
            }
        }
    }

    RuleEngine& engine_;
};

}  // namespace

std::vector<RuleReview> review_rules(RuleEngine& engine, std::uint32_t first_source,
                                     const std::string& only) {
    std::vector<RuleReview> out;
    Review review(engine);
    for (const rules::BookRule& rule : engine.book.rules) {
        const bool is_wanted = only.empty() || rule.name == only;
        if (is_wanted && rule.source >= first_source &&
            rules::is_enabled(rule.settings, engine.context.semantics))
            out.push_back(review.run(rule));
    }
    return out;
}

std::string describe(const std::vector<RuleReview>& reviews) {
    std::string out;
    std::size_t grow = 0, follow = 0, looked_at = 0;
    for (const RuleReview& review : reviews) {
        if (!review.growth) continue;
        ++grow;
        out += fmt::format("{} grows: {} nodes to {}{}\n", review.name, review.growth->left,
                           review.growth->right,
                           review.growth->repeated.empty()
                               ? ""
                               : fmt::format(", ?{} more often", review.growth->repeated));
    }
    for (const RuleReview& review : reviews) {
        looked_at += review.instances > 0 ? 1 : 0;
        if (!review.follows) continue;
        ++follow;
        out += fmt::format("{} follows from {}, in {} instances\n", review.name,
                           fmt::join(review.from, ", "), review.instances);
    }
    out += fmt::format("{} rules: {} grow; {} of {} on values and truths follow from others\n",
                       reviews.size(), grow, follow, looked_at);
    return out;
}

}  // namespace satura
