#include "optimizer/optimizer.hpp"

#include <algorithm>
#include <chrono>

#include "lang/catalog.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_plan_write.hpp"
#include "lang/sql_select.hpp"
#include "optimizer/equality.hpp"
#include "optimizer/join_graph.hpp"
#include "optimizer/plan_search.hpp"
#include "optimizer/plan_text.hpp"
#include "optimizer/rule_engine.hpp"

namespace satura {

using egraph::NodeId;
using lang::RelationId;

struct Optimizer::State {
    lang::Semantics semantics;
    std::vector<rules::Source> more;  // the user's rule files
    std::string schema;
    std::unique_ptr<RuleEngine> engine;
    lang::Catalog catalog;
    std::vector<lang::Diagnostic> warnings;

    State(lang::Semantics s, std::vector<rules::Source> user_rules)
        : semantics(std::move(s)), more(std::move(user_rules)) {
        renew();
    }

    void renew() { engine = std::make_unique<RuleEngine>(semantics, more, RuleEngine::Use::plans); }

    std::optional<lang::Diagnostic> read_schema() {
        catalog = {};
        warnings.clear();
        auto read = catalog.read(schema, engine->context);
        if (!read) {
            catalog = {};
            return read.error();
        }
        warnings = std::move(*read);
        return std::nullopt;
    }

    // Keeps what is interned within bounds.
    void refresh() {
        if (!engine->is_bloated()) return;
        renew();
        read_schema();
    }

    std::variant<lang::Statement, RequestError> bind(const std::string& sql, const char* in) const;
    OptimizeAnswer optimize(lang::Statement& statement, const OptimizeRequest& request);
    void prove(const PlanSearch& search, const lang::Statement& statement, bool is_input,
               OptimizeAnswer& answer) const;
};

namespace {

// Pieces that no rule looks into.
std::uint32_t count_opaque(const lang::Plan& plan) {
    std::uint32_t count = 0;
    std::vector<bool> seen(plan.exprs.size(), false);
    for (RelationId id : lang::reachable(plan, plan.root)) {
        count += plan[id].op == lang::RelOp::opaque;
        for (lang::ExprId root : lang::own_expressions(plan, id)) {
            for (lang::ExprId e : lang::nodes_below(plan.exprs, root)) {
                const auto i = static_cast<std::uint32_t>(e);
                if (!seen[i]) count += plan.exprs[e].op == lang::Op::opaque;
                seen[i] = true;
            }
        }
    }
    return count;
}

// Line breaks and runs of blanks outside of quotes as one blank.
std::string with_single_blanks(std::string_view sql) {
    std::string out;
    char quote = 0;
    for (char c : sql) {
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        const bool is_blank = quote == 0 && (c == ' ' || c == '\n');
        if (!is_blank)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
}

}  // namespace

std::variant<lang::Statement, RequestError> Optimizer::State::bind(const std::string& sql,
                                                                   const char* in) const {
    auto statements = lang::parse_statements(sql, catalog, engine->context);
    if (!statements) return RequestError{statements.error(), in};
    if (statements->size() == 1) return std::move(statements->front());
    const lang::Span place = statements->empty() ? lang::Span{0, 0} : (*statements)[1].span;
    return RequestError{{"not-one-query", place, "one query is expected here and nothing else", {}},
                        in};
}

void Optimizer::State::prove(const PlanSearch& search, const lang::Statement& statement,
                             bool is_input, OptimizeAnswer& answer) const {
    if (!is_input) {
        answer.proof = search.prove(statement, answer.result, answer.unproved);
    } else {
        answer.proof.emplace();
        answer.proof->semantics = semantics;
        answer.proof->is_query = true;
        answer.proof->before = answer.proof->after = statement.text;
    }
    if (answer.proof) answer.proof->schema = schema.substr(0, schema.find_last_not_of(" \n") + 1);
}

OptimizeAnswer Optimizer::State::optimize(lang::Statement& statement,
                                          const OptimizeRequest& request) {
    OptimizeAnswer answer;
    for (const lang::Diagnostic& warning : statement.warnings)
        answer.warnings.push_back(warning.message);
    if (statement.kind != lang::Statement::Kind::query) {
        answer.result = statement.text;
        answer.warnings.emplace_back("no query: written back as it is");
        return answer;
    }
    engine->reset();
    PlanSearch search(*engine, catalog, statement.plan);
    const egraph::Report report = search.saturate(request.limits);
    ChosenPlan chosen = search.choose();
    answer.stop = report.stop;
    answer.iterations = report.iterations;
    answer.nodes = engine->graph.node_count();
    answer.classes = engine->graph.class_count();
    answer.rules = engine->applied_rules();
    answer.opaque = count_opaque(statement.plan);
    answer.result = statement.text;
    if (!chosen.is_input) {
        const lang::Written written =
            lang::write_query(chosen.decoded.plan, statement.result, catalog, engine->context);
        chosen.is_input = !written.exact;  // no text is sure to mean that plan
        if (written.exact) answer.result = written.text;
    }
    if (request.proof) prove(search, statement, chosen.is_input, answer);
    const lang::Plan& plan = chosen.is_input ? statement.plan : chosen.decoded.plan;
    answer.cost_before = search.cost_of_input();
    answer.cost_after = chosen.is_input ? answer.cost_before : chosen.cost;
    answer.before = plan_text(statement.plan, engine->context, search.estimates_of_input());
    answer.after = chosen.is_input ? answer.before
                                   : plan_text(plan, engine->context, search.estimates(chosen));
    answer.joins = join_kinds(plan);
    if (request.join_graph) answer.join_graph = write_join_graphs(plan, engine->context);
    if (!chosen.is_input) answer.explanation = search.explain(chosen);
    return answer;
}

Optimizer::Optimizer(lang::Semantics semantics, std::vector<rules::Source> more)
    : state_(std::make_unique<State>(std::move(semantics), std::move(more))) {}
Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;

const std::vector<std::string>& Optimizer::rule_errors() const { return state_->engine->errors; }
const rules::RuleBook& Optimizer::book() const { return state_->engine->book; }

std::optional<lang::Diagnostic> Optimizer::set_schema(const std::string& ddl) {
    state_->schema = ddl;
    auto error = state_->read_schema();
    if (error) state_->schema.clear();
    return error;
}

const std::vector<lang::Diagnostic>& Optimizer::schema_warnings() const { return state_->warnings; }

std::variant<RuleTrial, RequestError> Optimizer::try_rule(std::string_view rule,
                                                          const std::string& schema,
                                                          const std::string& left,
                                                          const std::string& right) {
    const std::string before = state_->schema;
    if (auto error = set_schema(schema)) {
        set_schema(before);
        return RequestError{std::move(*error), "schema"};
    }
    auto result = optimize({.sql = left, .limits = {}});
    const bool is_fired = state_->engine->is_applied(rule);
    set_schema(before);
    if (auto* error = std::get_if<RequestError>(&result)) return std::move(*error);
    RuleTrial trial;
    trial.fired = is_fired;
    trial.result = std::move(std::get<OptimizeAnswer>(result).result);
    trial.equal = with_single_blanks(trial.result) == with_single_blanks(right);
    return trial;
}

std::variant<OptimizeAnswer, RequestError> Optimizer::optimize(const OptimizeRequest& request) {
    const auto start = std::chrono::steady_clock::now();
    State& s = *state_;
    s.refresh();
    auto statement = s.bind(request.sql, "sql");
    if (auto* error = std::get_if<RequestError>(&statement)) return std::move(*error);
    OptimizeAnswer answer = s.optimize(std::get<lang::Statement>(statement), request);
    answer.time_us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

std::variant<EqualAnswer, RequestError> Optimizer::prove_equal(const OptimizeRequest& request,
                                                               const std::string& equal_to) {
    const auto start = std::chrono::steady_clock::now();
    State& s = *state_;
    s.refresh();
    auto first = s.bind(request.sql, "sql");
    if (auto* error = std::get_if<RequestError>(&first)) return std::move(*error);
    auto second = s.bind(equal_to, "equal_to");
    if (auto* error = std::get_if<RequestError>(&second)) return std::move(*error);
    EqualAnswer answer = compare_queries(*s.engine, s.catalog, std::get<lang::Statement>(first),
                                         std::get<lang::Statement>(second), request.limits);
    answer.time_us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

}  // namespace satura
