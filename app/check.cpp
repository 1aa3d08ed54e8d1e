// satura check
#include <fmt/format.h>

#include <iostream>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "rules/checker.hpp"
#include "rules/loader.hpp"
#include "rules/sql_language.hpp"

namespace satura::app {

namespace {

// One rule under all semantics in which it is on.
struct Summary {
    std::uint64_t instances = 0;
    std::uint64_t cases = 0;
    std::string
        finding;  // a counterexample with the instance and semantics; empty if there is none
};

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

void check_under(const lang::Semantics& semantics, const std::vector<rules::Source>& sources,
                 const std::string& only, std::vector<Summary>& summaries) {
    lang::Context context;
    context.semantics = semantics;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    rules::Loaded loaded = rules::load(sources, language);
    summaries.resize(loaded.book.rules.size());
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        const rules::BookRule& rule = loaded.book.rules[i];
        if (!only.empty() && rule.name != only) continue;
        if (!rules::is_enabled(rule.settings, semantics)) continue;
        for (const rules::ResolvedRule& instance : loaded.book.resolve(i, language)) {
            if (!summaries[i].finding.empty()) break;
            rules::CheckResult result = rules::check_rule(instance, ops);
            summaries[i].instances += result.instances;
            summaries[i].cases += result.cases;
            if (result.counterexample.empty()) continue;
            const char* what = result.verdict == rules::CheckResult::Verdict::raises
                                   ? "the right side raises where the left does not"
                                   : "the sides differ";
            const char* nan = semantics.nan == lang::NanOrder::ieee ? "ieee" : "total";
            summaries[i].finding =
                fmt::format("{} ({}, dialect {}, nan {})\n{}", what, instance.name,
                            lang::dialect_name(semantics.dialect), nan, result.counterexample);
        }
    }
}

std::string indented(const std::string& text) {
    std::string out = "    ";
    for (char c : text) {
        out += c;
        if (c == '\n') out += "    ";
    }
    return out;
}

}  // namespace

int run_check(const CheckOptions& options) {
    std::vector<rules::Source> sources;
    if (options.files.empty()) sources = rules::built_in_sources();
    if (!read_rule_files(options.files, sources)) return exit_mistake;
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
    std::vector<Summary> summaries;
    for (const lang::Semantics& semantics : checked_semantics(options.dialect)) {
        check_under(semantics, sources, options.rule, summaries);
    }
    std::size_t unsound = 0, unchecked = 0, sound = 0;
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        const std::string& name = loaded.book.rules[i].name;
        if (!options.rule.empty() && name != options.rule) continue;
        const Summary& s = summaries[i];
        if (!s.finding.empty()) {
            ++unsound;
            std::cout << fmt::format("{}: UNSOUND\n{}\n", name, indented(s.finding));
        } else if (s.cases == 0) {
            ++unchecked;
            std::cout << fmt::format(
                "{}: not checked: no types and constants fulfil its conditions\n", name);
        } else {
            ++sound;
            std::cout << fmt::format("{}: no difference in {} cases of {} instances\n", name,
                                     s.cases, s.instances);
        }
    }
    std::cout << fmt::format("{} rules: {} without a difference, {} unsound, {} not checked\n",
                             sound + unsound + unchecked, sound, unsound, unchecked);
    return unsound + unchecked == 0 ? exit_done : exit_no;
}

}  // namespace satura::app
