#include "proof/replay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "lang/sql_expr.hpp"
#include "proof/query_replay.hpp"
#include "proof/written.hpp"
#include "rules/sql_language.hpp"

namespace satura::proof {

using lang::ExprId;
using lang::Op;

std::uint32_t KnownTaker::add(egraph::OpId op, egraph::Payload payload,
                              std::span<const std::uint32_t> children) {
    std::vector<TermId> terms;
    for (std::uint32_t child : children) terms.push_back(TermId{child});
    return index(known_.add(op, payload, std::move(terms)));
}

bool is_shown(Known& known, KnownTaker& taker, TermId start, const lang::Exprs& exprs, ExprId root,
              const std::vector<std::uint32_t>& made, bool as_filter) {
    const std::uint32_t whole = made[lang::index(root)];
    if (!as_filter) return known.equal(start, TermId{whole});
    const rules::SqlOps& ops = known.ops();
    const std::uint32_t tested = taker.add(ops[Op::is_true], 0, {&whole, 1});
    if (known.equal(start, TermId{tested})) return true;
    return known.equal(start, TermId{rules::filter_form(taker, exprs, root, made, ops)});
}

namespace {

lang::Context with(lang::Semantics semantics) {
    lang::Context context;
    context.semantics = std::move(semantics);
    return context;
}

Verdict refused(std::string why, std::uint32_t step = 0) { return {std::move(why), step}; }

}  // namespace

struct Verifier::State {
    lang::Context context;
    rules::SqlOps ops;
    rules::SqlLanguage language;
    std::vector<std::string> errors;
    // By name; expressions are shown by those on values alone.
    std::map<std::string, rules::ResolvedRule, std::less<>> rules;

    Verdict verify_query(const Proof& proof, const RuleNamed& rule_named, StepWatcher* watcher);
    Verdict verify_expression(const Proof& proof, const RuleNamed& rule_named,
                              StepWatcher* watcher);

    State(lang::Semantics semantics, const std::vector<rules::Source>& more)
        : context(with(std::move(semantics))), ops(context), language(ops) {
        std::vector<rules::Source> sources = rules::built_in_sources();
        sources.insert(sources.end(), more.begin(), more.end());
        rules::Loaded loaded = rules::load(std::move(sources), language);
        for (const rules::SourceError& error : loaded.errors)
            errors.push_back(loaded.book.render(error));
        for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
            if (!rules::is_enabled(loaded.book.rules[i].settings, context.semantics)) continue;
            for (rules::ResolvedRule& rule : loaded.book.resolve(i, language))
                rules.emplace(rule.name, std::move(rule));
        }
    }
};

Verifier::Verifier(lang::Semantics semantics, const std::vector<rules::Source>& more)
    : state_(std::make_unique<State>(std::move(semantics), more)) {}
Verifier::~Verifier() = default;

const std::vector<std::string>& Verifier::rule_errors() const { return state_->errors; }

namespace {

std::optional<Step> with_terms(const Step& step, const std::vector<TermId>& made) {
    Step out = step;
    bool is_there = true;
    const auto replace = [&](TermId& id) {
        is_there = is_there && index(id) < made.size();
        if (is_there) id = made[index(id)];
    };
    replace(out.left);
    replace(out.right);
    for (Binding& binding : out.bindings) {
        for (TermId& id : binding.terms) replace(id);
    }
    if (!is_there) return std::nullopt;
    return out;
}

}  // namespace

Verdict replay_steps(const Proof& proof, std::span<const Piece> pieces, Known& known,
                     const RuleNamed& rule_named, std::vector<TermId>& made, StepWatcher* watcher) {
    for (std::size_t i = 0; i < proof.terms.size(); ++i) {
        const auto term = read_term(proof.terms[i], made, pieces, known);
        if (!term) return refused(fmt::format("term {} cannot be read", i));
        made.push_back(*term);
    }
    for (std::uint32_t i = 0; i < proof.steps.size(); ++i) {
        const auto step = with_terms(proof.steps[i], made);
        if (!step) return refused("it names a term that is not there", i + 1);
        const rules::ResolvedRule* rule = rule_named(step->rule);
        if (rule == nullptr) return refused("there is no rule " + step->rule, i + 1);
        if (watcher != nullptr && !watcher->begins(i)) continue;
        StepCheck check(known, *rule, *step);
        const auto why = check.run();
        const bool goes_on = watcher != nullptr && watcher->ended(i, *step, check, !why, known);
        if (why && !goes_on) return refused(*why, i + 1);
        if (why) known.merge(step->left, step->right);
    }
    return {};
}

Verdict replay(const Proof& proof, const Statement& statement, rules::SqlOps& ops,
               rules::Scope& scope, const RuleNamed& rule_named, StepWatcher* watcher) {
    Terms terms(ops.signature());
    Known known(terms, ops, scope);
    KnownTaker taker(known);
    const auto pieces = pieces_of(statement.before, {&statement.before_root, 1}, ops);
    std::uint32_t start = rules::encode_to(taker, statement.before, {&statement.before_root, 1},
                                           ops, scope)[lang::index(statement.before_root)];
    if (proof.as_filter) start = taker.add(ops[Op::is_true], 0, {&start, 1});
    std::vector<TermId> made;
    const Verdict verdict = replay_steps(proof, pieces, known, rule_named, made, watcher);
    if (!verdict.refusal.empty()) return verdict;
    const auto end =
        rules::encode_to(taker, statement.after, {&statement.after_root, 1}, ops, scope);
    if (!is_shown(known, taker, TermId{start}, statement.after, statement.after_root, end,
                  proof.as_filter))
        return refused("the steps do not lead from the input to the result");
    return {};
}

namespace {

// A piece as it reads.
std::string text_of(const Piece& piece, const lang::Context& context) {
    if (piece.op == Op::opaque) return context.opaques[piece.payload].text;
    const std::string& name = context.names[piece.payload];
    return name.substr(0, name.find('\x01'));
}

// The expression with the input's pieces in place of those that read the same, each of them once.
lang::Exprs with_pieces(const lang::Exprs& exprs, const std::vector<Piece>& pieces,
                        rules::SqlOps& ops) {
    lang::Exprs out;
    std::vector<bool> is_used(pieces.size(), false);
    for (std::uint32_t i = 0; i < exprs.size(); ++i) {
        const lang::ExprNode& node = exprs[ExprId{i}];
        std::uint32_t payload = node.payload;
        const bool is_call = node.op == Op::call && ops.call(node.payload).op == ops[Op::call];
        for (std::size_t p = 0; (is_call || node.op == Op::opaque) && p < pieces.size(); ++p) {
            const bool fits = pieces[p].op == node.op && !is_used[p] &&
                              text_of(pieces[p], ops.context()) ==
                                  text_of({node.op, node.payload}, ops.context());
            if (!fits) continue;
            payload = pieces[p].payload;
            is_used[p] = true;
            break;
        }
        out.add(node.op, node.type, payload, exprs.children(ExprId{i}), lang::no_position,
                node.implicit);
    }
    return out;
}

}  // namespace

Verdict Verifier::verify(const Proof& proof, StepWatcher* watcher) {
    State& s = *state_;
    const auto rule_named = [&](std::string_view name) -> const rules::ResolvedRule* {
        const auto rule = s.rules.find(name);
        return rule == s.rules.end() ? nullptr : &rule->second;
    };
    return proof.is_query ? s.verify_query(proof, rule_named, watcher)
                          : s.verify_expression(proof, rule_named, watcher);
}

Verdict Verifier::State::verify_query(const Proof& proof, const RuleNamed& rule_named,
                                      StepWatcher* watcher) {
    lang::Catalog catalog;
    const auto schema = catalog.read(proof.schema, context);
    if (!schema) return refused("the schema cannot be read: " + schema.error().message);
    const auto statements = lang::parse_statements(proof.before, catalog, context);
    if (!statements) return refused("the input cannot be read: " + statements.error().message);
    const bool is_query =
        statements->size() == 1 && statements->front().kind == lang::Statement::Kind::query;
    if (!is_query) return refused("the input is not one query");
    rules::Scope scope;
    return replay_query(proof, {statements->front(), catalog}, ops, scope, rule_named, watcher);
}

Verdict Verifier::State::verify_expression(const Proof& proof, const RuleNamed& rule_named,
                                           StepWatcher* watcher) {
    rules::Scope scope;
    context.has_collations = false;
    auto columns = lang::parse_columns(proof.columns, context);
    if (!columns) return refused("the columns cannot be read: " + columns.error().message);
    scope.columns = std::move(*columns);
    lang::Exprs before, after;
    const auto input = lang::parse_expr(proof.before, scope.columns, before, context);
    if (!input) return refused("the input cannot be read: " + input.error().message);
    const auto result = lang::parse_expr(proof.after, scope.columns, after, context);
    if (!result) return refused("the result cannot be read: " + result.error().message);
    const lang::Exprs shared = with_pieces(after, pieces_of(before, {&*input, 1}, ops), ops);
    return replay(proof, {before, *input, shared, *result}, ops, scope, rule_named, watcher);
}

}  // namespace satura::proof
