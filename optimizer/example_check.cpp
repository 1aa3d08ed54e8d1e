#include "optimizer/example_check.hpp"

#include <algorithm>

#include "lang/sql_select.hpp"
#include "optimizer/plan_check.hpp"
#include "optimizer/plan_search.hpp"

namespace satura {

const char* const example_schema =
    "create table t1(id int primary key, a int, b int, c int not null, s text);"
    "create table t2(id int primary key, a int, b int, c int not null, s text);"
    "create table t3(id int primary key, a int, b int, c int not null, s text);";

namespace {

constexpr std::uint32_t random_rows_max = 3;

bool has_fired(const RuleEngine& engine, const std::string& rule) {
    return std::ranges::any_of(engine.applied_rules(),
                               [&](const auto& applied) { return applied.first == rule; });
}

}  // namespace

bool is_on_relations(const rules::ResolvedRule& rule, const rules::SqlOps& ops) {
    const rules::ResolvedTerm& left = rule.terms[rule.left];
    return left.kind == rules::TermKind::apply &&
           ops.meaning(left.op).sort == rules::Sort::relation;
}

ExampleCheck check_examples(RuleEngine& engine, const rules::BookRule& rule,
                            const ExampleCheckLimits& limits) {
    ExampleCheck out;
    lang::Catalog catalog;
    if (!catalog.read(example_schema, engine.context)) return out;
    for (const rules::ExampleSyntax& example : rule.examples) {
        if (example.keep) continue;
        auto statements = lang::parse_statements(example.left.text, catalog, engine.context);
        const bool is_query = statements && statements->size() == 1 &&
                              statements->front().kind == lang::Statement::Kind::query;
        if (!is_query) {
            out.mistake = "the example is no query over t1, t2, t3: " + example.left.text;
            if (!statements) out.mistake += ": " + statements.error().message;
            return out;
        }
        engine.reset();
        PlanSearch search(engine, catalog, statements->front().plan);
        search.saturate({});
        if (!has_fired(engine, rule.name)) {
            out.mistake = "the rule does not fire on its example: " + example.left.text;
            return out;
        }
        ++out.examples;
        PlanCheck check(engine, catalog, search.input());
        check.run_all({}, limits.databases_max);
        check.run_random({.rows_max = random_rows_max}, limits.random);
        out.cases += check.counts().compared - check.counts().unknown;
        if (!check.difference()) continue;
        out.counterexample = example.left.text + "\n" + check.difference()->text;
        return out;
    }
    return out;
}

}  // namespace satura
