// Proofs of rules: what is wrong is never proved, and nothing that is right has a counterexample.
#include "prove/prove.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "rules/checker.hpp"
#include "rules/loader.hpp"
#include "rules/sql_language.hpp"
#include "tests/golden.hpp"

using namespace satura;
using prove::Proof;

namespace {

// False, with a message, where there is no solver.
bool has_solver() {
    if (!prove::RuleProver::is_available()) MESSAGE("skipped: built without Z3");
    return prove::RuleProver::is_available();
}

using Each =
    std::function<void(const rules::BookRule&, const rules::ResolvedRule&, rules::SqlOps&)>;

// Every instance of every rule that is on under the order of NaN.
void for_each_instance(std::vector<rules::Source> sources, lang::NanOrder nan, const Each& each) {
    lang::Context context;
    context.semantics = lang::Semantics::of(lang::Dialect::postgres);
    context.semantics.nan = nan;
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    const rules::Loaded loaded = rules::load(std::move(sources), language);
    for (const auto& error : loaded.errors) FAIL(loaded.book.render(error));
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        if (!rules::is_enabled(loaded.book.rules[i].settings, context.semantics)) continue;
        for (const rules::ResolvedRule& instance : loaded.book.resolve(i, language))
            each(loaded.book.rules[i], instance, ops);
    }
}

constexpr lang::NanOrder orders[] = {lang::NanOrder::total, lang::NanOrder::ieee};

bool is_proved(const Proof& proof) {
    return proof.verdict == Proof::Verdict::proved ||
           proof.verdict == Proof::Verdict::proved_integers;
}

rules::Source source(const char* name, std::string_view text) { return {name, std::string(text)}; }

Proof prove_text(std::string_view text, lang::NanOrder nan = lang::NanOrder::total) {
    prove::RuleProver prover;
    Proof out;
    for_each_instance({source("text.rules", text)}, nan,
                      [&](const auto&, const rules::ResolvedRule& instance, rules::SqlOps& ops) {
                          out = prover.prove(instance, ops);
                      });
    return out;
}

}  // namespace

TEST_CASE("no built-in rule has a counterexample, and most on values are proved") {
    if (!has_solver()) return;
    prove::RuleProver prover;
    std::map<std::string, bool> proved;
    for (lang::NanOrder nan : orders) {
        for_each_instance(rules::built_in_sources(), nan,
                          [&](const rules::BookRule& rule, const rules::ResolvedRule& instance,
                              rules::SqlOps& ops) {
                              const Proof proof = prover.prove(instance, ops);
                              CHECK_MESSAGE(proof.counterexample.empty(),
                                            instance.name << "\n"
                                                          << proof.counterexample);
                              if (proof.reason == "a rule on relations") return;
                              const auto at = proved.try_emplace(rule.name, true).first;
                              at->second = at->second && is_proved(proof);
                          });
    }
    const auto count = std::ranges::count_if(proved, [](const auto& p) { return p.second; });
    MESSAGE(count << " of " << proved.size() << " built-in rules on values and truths are proved");
    CHECK(count * 10 >= static_cast<std::ptrdiff_t>(proved.size()) * 9);
}

TEST_CASE("no wrong rule is proved") {
    if (!has_solver()) return;
    const std::string text = test::read_file(test::source_root() / "tests/data/traps.rules");
    prove::RuleProver prover;
    int counterexamples = 0, rules = 0;
    for_each_instance(
        {{"traps.rules", text}}, lang::NanOrder::total,
        [&](const rules::BookRule& rule, const rules::ResolvedRule& instance, rules::SqlOps& ops) {
            // Equal values and a new error, which proofs are not about.
            if (rule.name.ends_with("-raises")) return;
            const Proof proof = prover.prove(instance, ops);
            CHECK_MESSAGE(!is_proved(proof), rule.name << " is proved");
            ++rules;
            counterexamples += proof.counterexample.empty() ? 0 : 1;
        });
    MESSAGE(counterexamples << " of " << rules << " wrong rules have a counterexample");
    CHECK(counterexamples + 3 >= rules);
}

namespace {

// The rule without one of its conditions or with it denied, with another computed part, with one operator in place of another: some are right, most are wrong.
std::vector<rules::ResolvedRule> changed(const rules::ResolvedRule& rule, rules::SqlOps& ops) {
    std::vector<rules::ResolvedRule> out;
    for (std::size_t i = 0; i < rule.conditions.size(); ++i) {
        out.push_back(rule);
        out.back().conditions.erase(out.back().conditions.begin() + static_cast<std::ptrdiff_t>(i));
        if (rule.conditions[i].alternatives.size() > 1) continue;
        out.push_back(rule);
        bool& negated = out.back().conditions[i].alternatives[0].negated;
        negated = !negated;
    }
    for (std::size_t i = 0; i < rule.lets.size(); ++i) {
        for (const char* word : {"exact", "round_up", "round_down"}) {
            const rules::ComputedWord* other = rules::find_computed(word);
            if (rule.lets[i].word->parameters != other->parameters) continue;
            out.push_back(rule);
            out.back().lets[i].word = other;
        }
    }
    using lang::Op;
    const std::pair<Op, Op> swaps[] = {{Op::and_, Op::or_},
                                       {Op::or_, Op::and_},
                                       {Op::lt, Op::le},
                                       {Op::le, Op::lt},
                                       {Op::gt, Op::ge},
                                       {Op::ge, Op::gt},
                                       {Op::eq, Op::null_safe_eq},
                                       {Op::null_safe_eq, Op::eq},
                                       {Op::ne, Op::eq},
                                       {Op::is_true, Op::is_false},
                                       {Op::is_false, Op::is_true},
                                       {Op::is_null, Op::is_true},
                                       {Op::add, Op::sub},
                                       {Op::sub, Op::add},
                                       {Op::mul, Op::add}};
    for (std::size_t i = 0; i < rule.terms.size(); ++i) {
        if (rule.terms[i].kind != rules::TermKind::apply) continue;
        for (const auto& [from, to] : swaps) {
            if (rule.terms[i].op != ops[from]) continue;
            out.push_back(rule);
            out.back().terms[i].op = ops[to];
            out.back().terms[i].name = lang::op_name(to);
        }
        const auto& plan = ops.plan();
        for (const auto& [from, to] : {std::pair(plan.all, plan.any), std::pair(plan.any, plan.all),
                                       std::pair(plan.yes, plan.no)}) {
            if (rule.terms[i].op != from) continue;
            out.push_back(rule);
            out.back().terms[i].op = to;
        }
    }
    return out;
}

}  // namespace

// The checker tries values and knows nothing of formulas.
TEST_CASE("of what is proved the checker finds no case in which the sides differ") {
    if (!has_solver()) return;
    prove::RuleProver prover;
    // Sanitizers are slow: every eighth is enough for them.
    const int stride = std::getenv("SATURA_RANDOM_CASES") != nullptr ? 8 : 1;
    int number = 0, tried = 0, proved = 0;
    for (lang::NanOrder nan : orders) {
        for_each_instance(
            rules::built_in_sources(), nan,
            [&](const auto&, const rules::ResolvedRule& instance, rules::SqlOps& ops) {
                for (const rules::ResolvedRule& other : changed(instance, ops)) {
                    if (++number % stride != 0) continue;
                    const Proof proof = prover.prove(other, ops);
                    ++tried;
                    // Of integers only: the checker would try the other types too.
                    if (proof.verdict != Proof::Verdict::proved) continue;
                    ++proved;
                    const auto found = rules::check_rule(other, ops, {2'000});
                    CHECK_MESSAGE(found.verdict != rules::CheckResult::Verdict::different,
                                  other.name << "\n"
                                             << found.counterexample);
                }
            });
    }
    MESSAGE(tried << " changed rules, " << proved << " of them proved");
    CHECK(proved * stride > 100);
    CHECK(tried > 3 * proved);
}

TEST_CASE("rests of any length are proved at once") {
    if (!has_solver()) return;
    CHECK(is_proved(prove_text(R"(
rule de-morgan:
    not (...?ps and ?q)   =>   not ?q or each not ?p
)")));
    CHECK(is_proved(prove_text(R"(
rule both:
    (?a and ...?ps) is true   =>   ?a is true and each (?p is true)
)")));
    // Wrong of two elements and more, right of one.
    CHECK(prove_text(R"(
rule all-for-one:
    (?a or ...?ps) is false   =>   ?a is false or each (?p is false)
)")
              .verdict == Proof::Verdict::counterexample);
}

TEST_CASE("equal values need not be identical") {
    if (!has_solver()) return;
    CHECK(!is_proved(prove_text(R"(
rule other-of-equal:
    case(when(?a = ?b, ?a), ?c)   =>   case(when(?a = ?b, ?b), ?c)
)")));
    CHECK(is_proved(prove_text(R"(
rule other-of-equal-integers:
    case(when(?a = ?b, ?a), ?c)   =>   case(when(?a = ?b, ?b), ?c)
    where integer(?a)
)")));
}

TEST_CASE("what NaN changes is seen in its order") {
    if (!has_solver()) return;
    constexpr std::string_view text = R"(
rule not-less:
    not (?a < ?b)   =>   ?a >= ?b
)";
    CHECK(is_proved(prove_text(text, lang::NanOrder::total)));
    CHECK(prove_text(text, lang::NanOrder::ieee).verdict == Proof::Verdict::counterexample);
}

TEST_CASE("that something is not known proves nothing") {
    if (!has_solver()) return;
    // A column of which it is not known that it is never NULL need not be NULL.
    CHECK(!is_proved(prove_text(R"(
rule always-null:
    ?p or true   =>   ?p is null
    where not never_null(?p)
)")));
}

TEST_CASE("conditions that exclude each other prove nothing") {
    if (!has_solver()) return;
    const Proof proof = prove_text(R"(
rule of-nothing:
    ?p and ?q   =>   true
    where always_null(?p); never_null(?p)
)");
    CHECK(proof.verdict == Proof::Verdict::unknown);
    CHECK(proof.reason == "its conditions exclude each other");
}
