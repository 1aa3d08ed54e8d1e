// satura check
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

#include "app/check_prove.hpp"
#include "app/commands.hpp"
#include "app/settings.hpp"
#include "optimizer/critical_pairs.hpp"
#include "optimizer/example_check.hpp"
#include "optimizer/rule_review.hpp"
#include "rules/checker.hpp"
#include "rules/loader.hpp"
#include "rules/sql_language.hpp"

namespace satura::app {

namespace {

// One rule under all semantics in which it is on.
struct Summary {
    std::uint64_t instances = 0;
    std::uint64_t cases = 0;
    bool is_on_relations = false;  // then instances are examples
    std::string unchecked;         // why it was not checked
    std::string
        finding;  // a counterexample with the instance and semantics; empty if there is none
};

// By its examples, among all rules.
void check_on_relations(RuleEngine& engine, const rules::BookRule& rule, Summary& summary) {
    if (!summary.finding.empty()) return;
    const auto index = engine.book.find(rule.name);
    if (!index || engine.book.rules[*index].text != rule.text) {
        summary.unchecked = "a built-in rule has this name";
        return;
    }
    // A rule may fire on its examples in one dialect only.
    const ExampleCheck result = check_examples(engine, rule);
    summary.instances += result.examples;
    summary.cases += result.cases;
    if (summary.instances > 0) {
        summary.unchecked.clear();
    } else {
        summary.unchecked = result.mistake.empty() ? "it has no example" : result.mistake;
    }
    if (result.counterexample.empty()) return;
    summary.finding = fmt::format("members of a class differ ({})\n{}",
                                  place_text(engine.context.semantics), result.counterexample);
}

struct Checked {
    const std::vector<rules::Source>& sources;
    const std::vector<rules::Source>& user_sources;  // those of them that are not built in
    const std::string& only;                         // a rule's name; empty: all
};

void check_under(const lang::Semantics& semantics, const Checked& checked,
                 std::vector<Summary>& summaries) {
    lang::Context context;
    context.semantics = semantics;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    rules::Loaded loaded = rules::load(checked.sources, language);
    std::unique_ptr<RuleEngine> engine;
    summaries.resize(loaded.book.rules.size());
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        const rules::BookRule& rule = loaded.book.rules[i];
        if (!checked.only.empty() && rule.name != checked.only) continue;
        if (!rules::is_enabled(rule.settings, semantics)) continue;
        for (const rules::ResolvedRule& instance : loaded.book.resolve(i, language)) {
            if (!summaries[i].finding.empty()) break;
            if (is_on_relations(instance, ops)) {
                summaries[i].is_on_relations = true;
                break;
            }
            rules::CheckResult result = rules::check_rule(instance, ops);
            summaries[i].instances += result.instances;
            summaries[i].cases += result.cases;
            if (result.verdict == rules::CheckResult::Verdict::not_by_values)
                summaries[i].unchecked = "values of one row say nothing of it";
            if (result.counterexample.empty()) continue;
            const char* what = result.verdict == rules::CheckResult::Verdict::raises
                                   ? "the right side raises where the left does not"
                                   : "the sides differ";
            summaries[i].finding = fmt::format("{} ({}, {})\n{}", what, instance.name,
                                               place_text(semantics), result.counterexample);
        }
        if (!summaries[i].is_on_relations) continue;
        if (engine == nullptr)
            engine = std::make_unique<RuleEngine>(semantics, checked.user_sources,
                                                  RuleEngine::Use::plans);
        check_on_relations(*engine, rule, summaries[i]);
    }
}

// Of the built-in rules, or of a user's with each other and with these.
int check_pairs(const std::vector<rules::Source>& user_sources) {
    RuleEngine engine(lang::Semantics::of(lang::Dialect::postgres), user_sources,
                      RuleEngine::Use::plans);
    for (const std::string& error : engine.errors) std::cerr << error;
    if (!engine.errors.empty()) return exit_mistake;
    const auto first =
        user_sources.empty() ? 0 : static_cast<std::uint32_t>(rules::built_in_sources().size());
    const CriticalPairs found = find_critical_pairs(engine, first);
    std::cout << describe(found);
    const bool all_meet = std::ranges::all_of(found.pairs, &CriticalPair::joins_by_exploring);
    return all_meet ? exit_done : exit_no;
}

// Of a user's rules beside the built-in ones, or of these.
int review(const std::vector<rules::Source>& user_sources, const CheckOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    lang::Semantics semantics = lang::Semantics::of(lang::Dialect::postgres);
    if (options.dialect == "duckdb") semantics = lang::Semantics::of(lang::Dialect::duckdb);
    RuleEngine engine(semantics, user_sources, RuleEngine::Use::plans);
    for (const std::string& error : engine.errors) std::cerr << error;
    if (!engine.errors.empty()) return exit_mistake;
    const auto first =
        user_sources.empty() ? 0 : static_cast<std::uint32_t>(rules::built_in_sources().size());
    std::cout << describe(review_rules(engine, first, options.rule)) << time_text(start)
              << "; no seed: instances are gone through in one order\n";
    return exit_done;
}

}  // namespace

std::vector<lang::Semantics> checked_semantics(const std::string& dialect) {
    std::vector<lang::Semantics> all;
    for (lang::Dialect d : {lang::Dialect::postgres, lang::Dialect::duckdb}) {
        if (!dialect.empty() && dialect != lang::dialect_name(d)) continue;
        for (lang::NanOrder nan : {lang::NanOrder::total, lang::NanOrder::ieee}) {
            lang::Semantics semantics = lang::Semantics::of(d);
            semantics.nan = nan;
            all.push_back(semantics);
        }
    }
    return all;
}

std::string place_text(const lang::Semantics& semantics) {
    return fmt::format("dialect {}, nan {}", lang::dialect_name(semantics.dialect),
                       semantics.nan == lang::NanOrder::ieee ? "ieee" : "total");
}

std::string indented(const std::string& text) {
    std::string out = "    ";
    for (char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}

std::string time_text(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return fmt::format("{:.1f} seconds", spent.count());
}

int run_check(const CheckOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<rules::Source> user_sources;
    if (!read_rule_files(options.files, user_sources)) return exit_mistake;
    if (options.pairs) return check_pairs(user_sources);
    if (options.review) return review(user_sources, options);
    const std::vector<rules::Source> sources =
        options.files.empty() ? rules::built_in_sources() : user_sources;
    lang::Context context;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    rules::Loaded loaded = rules::load(sources, language);
    for (const rules::SourceError& error : loaded.errors) std::cerr << loaded.book.render(error);
    if (!loaded.errors.empty()) return exit_mistake;
    if (!options.rule.empty() && !loaded.book.find(options.rule)) {
        std::cerr << "satura: there is no rule " << options.rule << "\n";
        return exit_mistake;
    }
    if (options.prove) return prove_rules(sources, loaded.book, options);
    std::vector<Summary> summaries;
    for (const lang::Semantics& semantics : checked_semantics(options.dialect)) {
        check_under(semantics, {sources, user_sources, options.rule}, summaries);
    }
    std::size_t unsound = 0, unchecked = 0, sound = 0;
    std::uint64_t cases = 0;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        const std::string& name = loaded.book.rules[i].name;
        if (!options.rule.empty() && name != options.rule) continue;
        const Summary& s = summaries[i];
        cases += s.cases;
        if (!s.finding.empty()) {
            ++unsound;
            std::cout << fmt::format("{}: UNSOUND\n{}\n", name, indented(s.finding));
        } else if (!s.unchecked.empty()) {
            ++unchecked;
            std::cout << fmt::format("{}: not checked: {}\n", name, s.unchecked);
        } else if (s.cases == 0) {
            ++unchecked;
            std::cout << fmt::format(
                "{}: not checked: no types and constants fulfil its conditions\n", name);
        } else {
            ++sound;
            std::cout << fmt::format("{}: no difference in {} cases of {} {}\n", name, s.cases,
                                     s.instances, s.is_on_relations ? "examples" : "instances");
        }
    }
    std::cout << fmt::format("{} rules: {} without a difference, {} unsound, {} not checked\n",
                             sound + unsound + unchecked, sound, unsound, unchecked);
    std::cout << fmt::format("{} cases in {}; no seed: values are gone through in one order\n",
                             cases, time_text(start));
    return unsound + unchecked == 0 ? exit_done : exit_no;
}

}  // namespace satura::app
