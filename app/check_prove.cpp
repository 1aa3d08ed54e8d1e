// satura check --prove
#include "app/check_prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "app/settings.hpp"
#include "prove/prove.hpp"
#include "rules/sql_language.hpp"

namespace satura::app {

namespace {

using prove::Proof;

// One rule under all semantics in which it is on: the worst verdict of its instances, and what belongs to it.
struct Proved {
    std::size_t instances = 0;
    Proof::Verdict verdict = Proof::Verdict::proved;
    std::string text;  // the counterexample, or why it is not known
};

void prove_under(const lang::Semantics& semantics, const std::vector<rules::Source>& sources,
                 const std::string& only, prove::RuleProver& prover, std::vector<Proved>& all) {
    lang::Context context;
    context.semantics = semantics;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    const rules::Loaded loaded = rules::load(sources, language);
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        const rules::BookRule& rule = loaded.book.rules[i];
        if (!only.empty() && rule.name != only) continue;
        if (!rules::is_enabled(rule.settings, semantics)) continue;
        for (const rules::ResolvedRule& instance : loaded.book.resolve(i, language)) {
            Proved& proved = all[i];
            if (proved.verdict == Proof::Verdict::counterexample) break;
            const Proof proof = prover.prove(instance, ops);
            ++proved.instances;
            const bool is_worse =
                proof.verdict == Proof::Verdict::counterexample || proof.verdict > proved.verdict;
            if (!is_worse || (proved.verdict == Proof::Verdict::unknown &&
                              proof.verdict != Proof::Verdict::counterexample))
                continue;
            proved.verdict = proof.verdict;
            proved.text = proof.verdict == Proof::Verdict::counterexample
                              ? fmt::format("the sides differ ({}, {})\n{}", instance.name,
                                            place_text(semantics), proof.counterexample)
                              : proof.reason;
        }
    }
}

void print(const std::string& name, const Proved& proved) {
    switch (proved.verdict) {
        case Proof::Verdict::proved:
            std::cout << fmt::format("{}: proved\n", name);
            break;
        case Proof::Verdict::proved_integers:
            std::cout << fmt::format("{}: proved for integers\n", name);
            break;
        case Proof::Verdict::counterexample:
            std::cout << fmt::format("{}: counterexample\n{}\n", name, indented(proved.text));
            break;
        case Proof::Verdict::unknown:
            std::cout << fmt::format("{}: unknown: {}\n", name, proved.text);
            break;
    }
}

}  // namespace

int prove_rules(const std::vector<rules::Source>& sources, const rules::RuleBook& book,
                const CheckOptions& options) {
    if (!prove::RuleProver::is_available()) {
        std::cerr << "satura: this program was built without Z3, which --prove needs\n"
                     "help: install libz3-dev, then ./dev fresh-setup and ./dev build\n";
        return exit_mistake;
    }
    const auto start = std::chrono::steady_clock::now();
    prove::RuleProver prover;
    std::vector<Proved> all(book.rules.size());
    // Dialects differ in nothing that proofs look into, but for the rules that are on.
    std::set<std::pair<lang::NanOrder, std::vector<bool>>> done;
    for (const lang::Semantics& semantics : checked_semantics(options.dialect)) {
        std::vector<bool> enabled;
        for (const rules::BookRule& rule : book.rules)
            enabled.push_back(rules::is_enabled(rule.settings, semantics));
        if (done.emplace(semantics.nan, enabled).second)
            prove_under(semantics, sources, options.rule, prover, all);
    }
    std::size_t counts[4] = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string& name = book.rules[i].name;
        if (!options.rule.empty() && name != options.rule) continue;
        if (all[i].instances == 0) {
            all[i].verdict = Proof::Verdict::unknown;
            all[i].text = "in no semantics that is checked it is on";
        }
        ++counts[static_cast<std::size_t>(all[i].verdict)];
        print(name, all[i]);
    }
    std::cout << fmt::format(
        "{} rules: {} proved, {} proved for integers, {} with a counterexample, {} unknown\n",
        counts[0] + counts[1] + counts[2] + counts[3], counts[0], counts[1], counts[2], counts[3]);
    std::cout << fmt::format("{} questions to Z3 in {}; its seed is {}\n", prover.questions(),
                             time_text(start), prove::RuleProver::seed);
    return counts[2] == 0 ? exit_done : exit_no;
}

}  // namespace satura::app
