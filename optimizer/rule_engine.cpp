#include "optimizer/rule_engine.hpp"

#include <algorithm>
#include <chrono>

#include "rules/compile.hpp"

namespace satura {

namespace {

constexpr std::size_t interned_max = 200'000;

lang::Context with(lang::Semantics semantics) {
    lang::Context context;
    context.semantics = std::move(semantics);
    return context;
}

}  // namespace

RuleEngine::RuleEngine(lang::Semantics semantics, const std::vector<rules::Source>& more, Use use)
    : context(with(std::move(semantics))),
      ops(context),
      language(ops),
      graph(ops.signature()),
      knowledge(graph, ops, scope) {
    language.set_knowledge(&knowledge);
    if (use == Use::plans) {
        plan_knowledge.emplace(graph, ops, plan_scope);
        steps.emplace(graph, ops, knowledge, *plan_knowledge);
        language.set_plan(&*steps);
    }
    std::vector<rules::Source> sources = rules::built_in_sources();
    sources.insert(sources.end(), more.begin(), more.end());
    rules::Loaded loaded = rules::load(std::move(sources), language);
    for (const rules::SourceError& error : loaded.errors)
        errors.push_back(loaded.book.render(error));
    book = std::move(loaded.book);
    std::vector<egraph::Rule> compiled;
    for (std::size_t i = 0; i < book.rules.size(); ++i) {
        if (!rules::is_enabled(book.rules[i].settings, context.semantics)) continue;
        for (rules::ResolvedRule& rule : book.resolve(i, language)) {
            if (use == Use::expressions && rules::sort_of(rule, ops) != rules::Sort::value)
                continue;
            by_phase[book.rules[i].phase].push_back(static_cast<std::uint32_t>(compiled.size()));
            compiled.push_back(rules::compile_rule(rule, language));
            resolved.push_back(std::move(rule));
        }
    }
    runner = std::make_unique<egraph::Runner>(graph, std::move(compiled));
}

bool RuleEngine::is_bloated() const {
    return context.literals.size() + context.opaques.size() + context.volatile_calls > interned_max;
}

void RuleEngine::reset() {
    graph.clear();
    knowledge.clear();
    runner->reset();
    if (steps) steps->reset();
    scope.opaque_types.clear();
    scope.call_types.clear();
    context.has_collations = false;
}

egraph::Report RuleEngine::saturate_plans(const egraph::Limits& limits) {
    egraph::Report total;
    egraph::Limits left = limits;
    const auto start = std::chrono::steady_clock::now();
    const auto run = [&](const std::vector<std::uint32_t>& rules, std::uint32_t iterations_max) {
        left.iterations = std::min(iterations_max, limits.iterations - total.iterations);
        const auto spent = std::chrono::steady_clock::now() - start;
        left.time_ms = limits.time_ms - std::chrono::duration<double, std::milli>(spent).count();
        const egraph::Report report = runner->run(left, rules);
        total.iterations += report.iterations;
        total.stop = report.stop;
        const bool is_pause =
            report.stop == egraph::StopReason::iteration_limit && left.iterations == iterations_max;
        return is_pause || report.stop == egraph::StopReason::saturated;
    };
    std::vector<std::uint32_t> values, plans;
    for (const auto& [phase, added] : by_phase) {
        std::vector<std::uint32_t>& rules = phase == 0 ? values : plans;
        rules.insert(rules.end(), added.begin(), added.end());
        if (phase == 0) continue;
        for (;;) {
            if (!run(values, limits.iterations)) return total;
            if (!run(plans, 1)) return total;
            if (total.stop == egraph::StopReason::saturated) break;
        }
    }
    return total;
}

bool RuleEngine::is_applied(std::string_view rule) const {
    for (std::size_t i = 0; i < runner->rules().size(); ++i) {
        const std::string_view name = runner->rules()[i].name;
        if (name.substr(0, name.find('[')) == rule && runner->statistics()[i].applied > 0)
            return true;
    }
    return false;
}

std::vector<std::pair<std::string, std::uint64_t>> RuleEngine::applied_rules() const {
    std::vector<std::pair<std::string, std::uint64_t>> out;
    for (std::size_t i = 0; i < runner->rules().size(); ++i) {
        const std::uint64_t applied = runner->statistics()[i].applied;
        if (applied == 0) continue;
        std::string name = runner->rules()[i].name;
        name = name.substr(0, name.find('['));
        if (!out.empty() && out.back().first == name) {
            out.back().second += applied;
        } else {
            out.emplace_back(std::move(name), applied);
        }
    }
    return out;
}

}  // namespace satura
