// Every built-in rule: its examples fire and hold, its `keep` terms do not fire it, and the soundness checker finds nothing.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "optimizer/example_check.hpp"
#include "optimizer/optimizer.hpp"
#include "optimizer/simplifier.hpp"
#include "rules/checker.hpp"
#include "rules/sql_language.hpp"
#include "tests/golden.hpp"

using namespace satura;

namespace {

Simplifier& simplifier(lang::NanOrder nan = lang::NanOrder::total) {
    auto make = [](lang::NanOrder order) {
        lang::Semantics semantics = lang::Semantics::of(lang::Dialect::postgres);
        semantics.nan = order;
        return Simplifier(semantics);
    };
    static Simplifier total = make(lang::NanOrder::total);
    static Simplifier ieee = make(lang::NanOrder::ieee);
    return nan == lang::NanOrder::total ? total : ieee;
}

// What each built-in rule is about.
rules::Sort sort_of(const std::string& rule) {
    static const std::map<std::string, rules::Sort> sorts = [] {
        lang::Context context;
        rules::SqlOps ops(context);
        rules::SqlLanguage language(ops);
        const rules::Loaded loaded = rules::load(rules::built_in_sources(), language);
        std::map<std::string, rules::Sort> out;
        for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
            for (const rules::ResolvedRule& instance : loaded.book.resolve(i, language))
                out[loaded.book.rules[i].name] = rules::sort_of(instance, ops);
        }
        return out;
    }();
    return sorts.at(rule);
}

// An expression of a rule on values; a query of any other.
std::variant<RuleTrial, RequestError> try_rule(const rules::BookRule& rule,
                                               const rules::ExampleSyntax& example) {
    if (sort_of(rule.name) != rules::Sort::value) {
        static Optimizer optimizer(lang::Semantics::of(lang::Dialect::postgres));
        return optimizer.try_rule(rule.name, example_schema, example.left.text, example.right.text);
    }
    bool is_ieee = !rules::is_enabled(rule.settings, lang::Semantics::of(lang::Dialect::postgres));
    return simplifier(is_ieee ? lang::NanOrder::ieee : lang::NanOrder::total)
        .try_rule(rule.name, example.columns.text, example.left.text, example.right.text);
}

RuleTrial trial(const rules::BookRule& rule, const rules::ExampleSyntax& example) {
    auto result = try_rule(rule, example);
    if (const auto* error = std::get_if<RequestError>(&result)) {
        FAIL(rule.name << ": " << error->in << ": " << error->diagnostic.message);
    }
    return std::get<RuleTrial>(result);
}

}  // namespace

TEST_CASE("built-in rules load without errors") { CHECK(simplifier().rule_errors().empty()); }

TEST_CASE("a mistake that each instance of a rule repeats is said once") {
    Simplifier mistaken(
        lang::Semantics::of(lang::Dialect::postgres),
        {{"a.rules", "rule a:\n    ?x ?op ?y   ~>   ?x ?op ?v\n    for ?op in > >=\n"}});
    REQUIRE(mistaken.rule_errors().size() == 1);
    CHECK(mistaken.rule_errors()[0].starts_with("a.rules:2:29: error: ?v is not on the left side"));
}

TEST_CASE("examples of rules fire and hold") {
    for (const rules::BookRule& rule : simplifier().book().rules) {
        bool has_example = false;
        for (const rules::ExampleSyntax& example : rule.examples) {
            if (example.keep) continue;
            RuleTrial t = trial(rule, example);
            CHECK_MESSAGE(t.fired, rule.name << " does not fire on " << example.left.text);
            CHECK_MESSAGE(t.equal, rule.name << ": not equal in the end: " << example.left.text
                                             << " and " << example.right.text
                                             << (t.result.empty() ? "" : "; it is " + t.result));
            has_example = true;
        }
        CHECK_MESSAGE(has_example, rule.name << " has no term on which it fires");
    }
}

TEST_CASE("a rule does not fire on its keep terms") {
    for (const rules::BookRule& rule : simplifier().book().rules) {
        bool has_keep = false;
        for (const rules::ExampleSyntax& example : rule.examples) {
            has_keep = has_keep || example.keep;
            if (!example.keep) continue;
            CHECK_MESSAGE(!trial(rule, example).fired,
                          rule.name << " fires on " << example.left.text);
        }
        CHECK_MESSAGE(has_keep, rule.name << " has no term on which it must not fire");
    }
}

TEST_CASE("every rule has a golden case in which it fires and one in which it must not") {
    std::set<std::string> fires, keeps;
    for (const char* folder : {"tests/data/simplify", "tests/data/optimize"}) {
        for (const auto& path : test::golden_files(folder)) {
            for (const test::Block& block : test::parse_golden(test::read_file(path))) {
                for (const test::Argument& argument : block.arguments) {
                    if (argument.name == "expect") fires.insert(argument.value);
                    if (argument.name == "expect-not") keeps.insert(argument.value);
                }
            }
        }
    }
    for (const rules::BookRule& rule : simplifier().book().rules) {
        CHECK_MESSAGE(fires.contains(rule.name), rule.name << " has no golden case with expect=");
        CHECK_MESSAGE(keeps.contains(rule.name),
                      rule.name << " has no golden case with expect-not=");
    }
}

TEST_CASE("docs/words.md describes every word") {
    std::string text = test::read_file(test::source_root() / "docs/words.md");
    for (const auto& word : rules::condition_words()) {
        CHECK_MESSAGE(text.find("| `" + std::string(word.name) + "(") != std::string::npos,
                      word.name);
    }
    for (const auto& word : rules::computed_words()) {
        CHECK_MESSAGE(text.find("| `" + std::string(word.name) + "(") != std::string::npos,
                      word.name);
    }
}

namespace {

struct Checked {
    rules::CheckResult::Verdict verdict = rules::CheckResult::Verdict::unused;
    std::string counterexample;
};

// All rules on values of the sources, by name, under one semantics; the worst verdict of a rule's instances.
std::map<std::string, Checked> check_all(std::vector<rules::Source> sources,
                                         const lang::Semantics& semantics) {
    lang::Context context;
    context.semantics = semantics;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    rules::Loaded loaded = rules::load(std::move(sources), language);
    for (const auto& error : loaded.errors) FAIL(loaded.book.render(error));
    std::map<std::string, Checked> out;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        if (!rules::is_enabled(loaded.book.rules[i].settings, semantics)) continue;
        const std::vector<rules::ResolvedRule> instances = loaded.book.resolve(i, language);
        Checked& checked = out[loaded.book.rules[i].name];
        for (const rules::ResolvedRule& instance : instances) {
            rules::CheckResult result = rules::check_rule(instance, ops, {20'000});
            bool bad = !result.counterexample.empty();
            if (bad || checked.verdict == rules::CheckResult::Verdict::unused)
                checked.verdict = result.verdict;
            if (bad) checked.counterexample = result.counterexample;
            if (bad) break;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("the checker finds no difference in the built-in rules") {
    // A rule may be on in one order of NaN only, so what was never exercised in one must be in the other.
    std::map<std::string, int> exercised;
    for (lang::NanOrder nan : {lang::NanOrder::total, lang::NanOrder::ieee}) {
        lang::Semantics semantics = lang::Semantics::of(lang::Dialect::postgres);
        semantics.nan = nan;
        for (const auto& [name, checked] : check_all(rules::built_in_sources(), semantics)) {
            if (checked.verdict == rules::CheckResult::Verdict::not_by_values) continue;
            CHECK_MESSAGE(checked.counterexample.empty(), name << "\n" << checked.counterexample);
            exercised[name] += checked.verdict == rules::CheckResult::Verdict::sound;
        }
    }
    for (const auto& [name, times] : exercised)
        CHECK_MESSAGE(times > 0, name << " was never exercised");
}

TEST_CASE("wrong rules are refused with a counterexample") {
    std::string text = test::read_file(test::source_root() / "tests/data/traps.rules");
    auto all = check_all({{"traps.rules", text}}, lang::Semantics::of(lang::Dialect::postgres));
    CHECK(all.size() >= 53);
    for (const auto& [name, checked] : all) {
        CHECK_MESSAGE(!checked.counterexample.empty(), name << " was not refused");
        bool by_error = name.find("raises") != std::string::npos;
        auto wanted =
            by_error ? rules::CheckResult::Verdict::raises : rules::CheckResult::Verdict::different;
        CHECK_MESSAGE(checked.verdict == wanted, name << "\n" << checked.counterexample);
    }
}

namespace {

std::map<std::string, Checked> check_text(std::string_view text, lang::NanOrder nan) {
    lang::Semantics semantics = lang::Semantics::of(lang::Dialect::postgres);
    semantics.nan = nan;
    return check_all({{"text.rules", std::string(text)}}, semantics);
}

}  // namespace

TEST_CASE("right rules of truths are sound") {
    constexpr std::string_view text = R"(
rule absorbed:
    all{?t, any{?t, ...?us}, ...?ts}   =>   all{?t, ...?ts}

rule chained:
    all{same{?a, ?b}, same{?b, ?c}}   =>   same{?a, ?b, ?c}

rule distributed:
    any{all{?t, ?u}, all{?t, ?v}}   =>   all{?t, any{?u, ?v}}

rule listed:
    holds(?x in (?a, ...?bs))   =>   any{holds(?x = ?a), each holds(?x = ?b)}

rule of-nothing:
    holds(null and ?p)   =>   no
)";
    for (lang::NanOrder nan : {lang::NanOrder::total, lang::NanOrder::ieee}) {
        for (const auto& [name, checked] : check_text(text, nan)) {
            CHECK_MESSAGE(checked.verdict == rules::CheckResult::Verdict::sound,
                          name << "\n"
                               << checked.counterexample);
        }
    }
}

TEST_CASE("a set of one expression twice is checked") {
    constexpr std::string_view text = R"(
rule equal:
    holds(?a = ?b)   =>   same{?a, ?b}
)";
    CHECK(check_text(text, lang::NanOrder::total)["equal"].verdict ==
          rules::CheckResult::Verdict::sound);
    CHECK(check_text(text, lang::NanOrder::ieee)["equal"].verdict ==
          rules::CheckResult::Verdict::different);
}

TEST_CASE("rules about relations are not checked by values") {
    constexpr std::string_view text = R"(
rule operators:
    filter(yes, ?r)   =>   ?r

rule condition:
    all{?t, ?u}   =>   ?t
    where unchanged(?t, ?u)

rule computed:
    all{?t, ?u}   =>   ?v
    let ?v = merged(?t, ?u)
)";
    const auto all = check_text(text, lang::NanOrder::total);
    CHECK(all.size() == 3);
    for (const auto& [name, checked] : all) {
        CHECK_MESSAGE(checked.verdict == rules::CheckResult::Verdict::not_by_values, name);
        CHECK(checked.counterexample.empty());
    }
}

TEST_CASE("under IEEE order a comparison of a value with itself is kept, for it may be NaN") {
    const auto optimized = [](lang::NanOrder nan, const std::string& where) {
        lang::Semantics semantics = lang::Semantics::of(lang::Dialect::duckdb);
        semantics.nan = nan;
        Optimizer optimizer(semantics);
        CHECK(!optimizer.set_schema("create table t(x double not null, i int not null)"));
        const auto result = optimizer.optimize({.sql = "select i from t where " + where});
        REQUIRE(std::holds_alternative<OptimizeAnswer>(result));
        return std::get<OptimizeAnswer>(result).result;
    };
    for (const char* where : {"x = x", "x <= x", "x <> x", "x is not null and x = x"}) {
        CHECK(optimized(lang::NanOrder::ieee, where).find(" x") != std::string::npos);
        CHECK(optimized(lang::NanOrder::total, where).find(" x") == std::string::npos);
    }
    CHECK(optimized(lang::NanOrder::ieee, "i = i").find(" = ") == std::string::npos);
}
