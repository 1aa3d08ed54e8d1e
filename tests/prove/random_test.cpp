// Random rules over booleans and comparisons of integers, which trying values decides: of three variables only their order and NULL
// matter, so three different numbers are enough. The prover must say the same, of every rule.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>

#include "prove/prove.hpp"
#include "rules/checker.hpp"
#include "rules/loader.hpp"
#include "rules/sql_language.hpp"

using namespace satura;
using prove::Proof;

namespace {

constexpr int rules_count = 1'500;

class RandomRule {
  public:
    explicit RandomRule(unsigned seed) : random_(seed) {}

    // A rule as text; the right side has no variable that the left has not.
    std::string next(int number) {
        numbers_ = {"?a", "?b", "?c"};
        truths_ = {"?p", "?q"};
        const bool is_boolean = pick(4) != 0;
        const std::string left = is_boolean ? truth(3) : value(2);
        std::erase_if(numbers_, [&](const auto& v) { return left.find(v) == left.npos; });
        std::erase_if(truths_, [&](const auto& v) { return left.find(v) == left.npos; });
        const std::string right = is_boolean ? truth(2) : value(2);
        std::string out = fmt::format("rule r{}:\n    {}   =>   {}\n", number, left, right);
        for (std::size_t i = 0; i < numbers_.size(); ++i)
            out += fmt::format("{}integer({})", i == 0 ? "    where " : "; ", numbers_[i]);
        return out + "\n\n";
    }

  private:
    std::size_t pick(std::size_t n) { return random_() % n; }

    // NOLINTBEGIN(misc-no-recursion): as deep as is asked for.
    std::string truth(int depth) {
        if (depth == 0 || pick(6) == 0) {
            if (!truths_.empty() && pick(4) != 0) return truths_[pick(truths_.size())];
            if (numbers_.empty() || pick(2) == 0) return words[pick(3)];
            return comparison(0);
        }
        switch (pick(9)) {
            case 0:
                return fmt::format("({} and {})", truth(depth - 1), truth(depth - 1));
            case 1:
                return fmt::format("({} or {})", truth(depth - 1), truth(depth - 1));
            case 2:
                return fmt::format("(not {})", truth(depth - 1));
            case 3:
                return fmt::format("({} is {})", truth(depth - 1), tests[pick(4)]);
            case 4:
                return fmt::format("case(when({}, {}), {})", truth(depth - 1), truth(depth - 1),
                                   truth(depth - 1));
            case 5:
                return fmt::format("coalesce({}, {})", truth(depth - 1), truth(depth - 1));
            case 6:
                return fmt::format("({} (<=>) {})", truth(depth - 1), truth(depth - 1));
            default:
                return numbers_.empty() ? truth(0) : comparison(depth - 1);
        }
    }

    std::string comparison(int depth) {
        switch (pick(6)) {
            case 0:
                return fmt::format("({} is null)", value(depth));
            case 1:
                return fmt::format("({} in ({}, {}))", value(depth), value(0), value(0));
            case 2:
                return fmt::format("({} between {} and {})", value(depth), value(0), value(0));
            default:
                return fmt::format("({} {} {})", value(depth), signs[pick(6)], value(depth));
        }
    }

    std::string value(int depth) {
        if (numbers_.empty()) numbers_ = {"?a"};  // then the rule is refused
        if (depth == 0 || pick(3) == 0) return numbers_[pick(numbers_.size())];
        switch (pick(3)) {
            case 0:
                return fmt::format("case(when({}, {}), {})", truth(depth - 1), value(depth - 1),
                                   value(depth - 1));
            case 1:
                return fmt::format("nullif({}, {})", value(depth - 1), value(depth - 1));
            default:
                return fmt::format("coalesce({}, {})", value(depth - 1), value(depth - 1));
        }
    }
    // NOLINTEND(misc-no-recursion)

    static constexpr const char* words[] = {"true", "false", "null"};
    static constexpr const char* tests[] = {"null", "true", "false", "unknown"};
    static constexpr const char* signs[] = {"=", "<>", "<", "<=", ">", ">="};
    std::mt19937 random_;
    std::vector<std::string> numbers_, truths_;
};

// Whether the sides have one value in each row of three numbers, of truth values, and of NULLs.
bool is_equal(const rules::ResolvedRule& rule, rules::SqlOps& ops) {
    using lang::Value;
    const std::vector<Value> numbers = {Value::null(), Value::integer(1), Value::integer(2),
                                        Value::integer(3)};
    const std::vector<Value> truths = {Value::null(), Value::boolean(false), Value::boolean(true)};
    std::vector<const std::vector<Value>*> choices;
    std::vector<rules::CaseVariable> row(rule.variables.size());
    std::size_t rows = 1;
    for (std::size_t v = 0; v < row.size(); ++v) {
        const bool is_number = rule.variables[v].name[0] < 'p';
        choices.push_back(is_number ? &numbers : &truths);
        row[v].type = lang::Type{is_number ? lang::TypeKind::integer : lang::TypeKind::boolean};
        rows *= choices[v]->size();
    }
    for (std::size_t n = 0; n < rows; ++n) {
        std::size_t rest = n;
        for (std::size_t v = 0; v < row.size(); ++v) {
            row[v].value = (*choices[v])[rest % choices[v]->size()];
            rest /= choices[v]->size();
        }
        const auto verdict = rules::check_case(rule, ops, row).verdict;
        if (verdict == rules::CheckResult::Verdict::different) return false;
        REQUIRE(verdict == rules::CheckResult::Verdict::sound);
    }
    return true;
}

}  // namespace

TEST_CASE("random rules over truth values and comparisons are decided as by trying all rows") {
    if (!prove::RuleProver::is_available()) {
        MESSAGE("skipped: built without Z3");
        return;
    }
    RandomRule random(20'261'201);
    std::string text;
    for (int i = 0; i < rules_count; ++i) text += random.next(i);
    lang::Context context;
    context.semantics = lang::Semantics::of(lang::Dialect::postgres);
    rules::SqlOps ops(context);
    rules::SqlLanguage language(ops);
    // Some are refused: a set of one operand twice, a variable that is not on the left.
    const rules::Loaded loaded = rules::load({{"random.rules", text}}, language);
    prove::RuleProver prover;
    int right = 0, wrong = 0;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        for (const rules::ResolvedRule& rule : loaded.book.resolve(i, language)) {
            const bool equal = is_equal(rule, ops);
            const Proof proof = prover.prove(rule, ops);
            const auto wanted = equal ? Proof::Verdict::proved : Proof::Verdict::counterexample;
            CHECK_MESSAGE(proof.verdict == wanted, loaded.book.rules[i].text
                                                       << "\n"
                                                       << proof.reason << proof.counterexample);
            ++(equal ? right : wrong);
        }
    }
    MESSAGE(right << " right and " << wrong << " wrong rules of " << rules_count);
    CHECK(right > 50);
    CHECK(right + wrong > rules_count / 2);
}
