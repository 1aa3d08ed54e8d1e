#include "optimizer/simplifier.hpp"

#include <chrono>
#include <map>
#include <unordered_map>

#include "egraph/extract.hpp"
#include "lang/sql_expr.hpp"
#include "optimizer/cost.hpp"
#include "optimizer/expression_proof.hpp"
#include "optimizer/guards.hpp"
#include "optimizer/rule_engine.hpp"
#include "rules/decode.hpp"
#include "rules/encode.hpp"
#include "rules/sql_language.hpp"

namespace satura {

using egraph::ClassId;
using egraph::NodeId;
using lang::ExprId;

namespace {

constexpr int extraction_attempts_max = 8;

// Adds nodes and remembers which.
class RecordingTaker : public rules::GraphTaker {
  public:
    using GraphTaker::GraphTaker;
    std::uint32_t add(egraph::OpId op, egraph::Payload payload,
                      std::span<const std::uint32_t> children) override {
        ids.push_back(GraphTaker::add(op, payload, children));
        return ids.back();
    }
    std::vector<std::uint32_t> ids;
};

struct KnownColumns {
    std::vector<lang::Column> columns;
    bool has_collations = false;
};

}  // namespace

struct Simplifier::State : RuleEngine {
    std::vector<rules::Source> more;  // the user's rule files
    lang::Exprs input, output;
    std::vector<NodeId> input_nodes, output_nodes;
    std::vector<NodeId> chosen_nodes;  // the output's, also those that are not written
    std::unordered_map<std::string, KnownColumns> known_columns;  // by the requests' texts

    State(lang::Semantics semantics, std::vector<rules::Source> user_rules)
        : RuleEngine(std::move(semantics), user_rules, Use::expressions),
          more(std::move(user_rules)) {}

    void reset() {
        RuleEngine::reset();
        input.clear();
        output.clear();
        input_nodes.clear();
        output_nodes.clear();
    }

    // The columns of a request; texts come again with the next expressions over the same columns.
    std::optional<lang::Diagnostic> read_columns(const std::string& text) {
        constexpr std::size_t known_max = 1000;
        auto known = known_columns.find(text);
        if (known == known_columns.end()) {
            auto columns = lang::parse_columns(text, context);
            if (!columns) return std::move(columns.error());
            if (known_columns.size() >= known_max) known_columns.clear();
            known = known_columns
                        .emplace(text, KnownColumns{std::move(*columns), context.has_collations})
                        .first;
        }
        scope.columns = known->second.columns;
        context.has_collations = known->second.has_collations;
        return std::nullopt;
    }

    // When the input first evaluates each class.
    std::vector<std::uint32_t> input_ranks() const {
        std::vector<std::uint32_t> ranks(graph.id_count(), egraph::none);
        for (std::uint32_t i = 0; i < input_nodes.size(); ++i) {
            if (egraph::raw(input_nodes[i]) == egraph::none) continue;
            std::uint32_t& rank = ranks[graph.find(egraph::raw(input_nodes[i]))];
            rank = std::min(rank, i);
        }
        return ranks;
    }

    // What is wrong with an expression of that type as a filter.
    std::optional<RequestError> no_filter(lang::Type type, const std::string& text,
                                          const char* in) const {
        if (type.kind() == lang::TypeKind::boolean) return std::nullopt;
        return RequestError{{"type-error",
                             {0, static_cast<std::uint32_t>(text.size())},
                             "a filter must be boolean, this is " + lang::write_type(type, context),
                             {}},
                            in};
    }

    // Whether a guard lets everything pass.
    bool always_comes_out(ClassId cls, GuardOutcome outcome) const {
        using rules::Possible;
        const std::uint8_t mask = knowledge.possible(graph, graph.find(cls)).mask;
        switch (outcome) {
            case GuardOutcome::is_true:
                return mask == Possible::true_;
            case GuardOutcome::not_true:
                return (mask & Possible::true_) == 0;
            case GuardOutcome::not_false:
                return (mask & Possible::false_) == 0;
            case GuardOutcome::is_null:
                return mask == Possible::null;
            case GuardOutcome::reached:
                break;
        }
        return false;
    }

    egraph::Report saturate(const egraph::Limits& limits);
    bool choose(ExprId root, ClassId wanted, bool as_filter, ExprId& result, double& cost);
    void prove(const SimplifyRequest& request, ExprId root, NodeId start,
               const lang::Exprs& result_exprs, ExprId result, Answer& answer);
};

// The rules of the lowest phase to their fixpoint, then those of the two lowest, and so on. Limits hold for the whole.
egraph::Report Simplifier::State::saturate(const egraph::Limits& limits) {
    egraph::Report total;
    egraph::Limits left = limits;
    std::vector<std::uint32_t> rules;
    auto start = std::chrono::steady_clock::now();
    for (const auto& [phase, added] : by_phase) {
        rules.insert(rules.end(), added.begin(), added.end());
        egraph::Report report = runner->run(left, rules);
        total.iterations += report.iterations;
        total.stop = report.stop;
        if (report.stop != egraph::StopReason::saturated) break;
        left.iterations = limits.iterations - total.iterations;
        left.time_ms = limits.time_ms - std::chrono::duration<double, std::milli>(
                                            std::chrono::steady_clock::now() - start)
                                            .count();
    }
    graph.rebuild();  // what a limit may have left
    return total;
}

// Extracts the cheapest term that adds no error and drops no volatile call; false where only the input itself is left.
bool Simplifier::State::choose(ExprId root, ClassId wanted, bool as_filter, ExprId& result,
                               double& cost) {
    std::uint32_t variant = as_filter ? ExpressionCost::filter : ExpressionCost::value;
    ExpressionCost model(ops);
    rules::Decoding decoding;
    decoding.input_rank = input_ranks();
    for (int attempt = 0; attempt < extraction_attempts_max; ++attempt) {
        egraph::Extraction extraction(graph, model);
        if (!extraction.has_choice(wanted, variant)) return false;
        decoding.as_filter = as_filter;
        decoding.choice = [&](ClassId c, bool filter) {
            return extraction.choice(c, filter ? ExpressionCost::filter : ExpressionCost::value);
        };
        output.clear();
        output_nodes.clear();
        chosen_nodes.clear();
        decoding.chosen = &chosen_nodes;
        result = rules::decode(rules::GraphClasses(graph, knowledge), ops, wanted, decoding, output,
                               &output_nodes);
        cost = extraction.cost(wanted, variant);
        Placed before{input, root, input_nodes}, after{output, result, output_nodes};
        if (!has_same_volatile_calls(context, before, after)) return false;
        std::vector<NodeId> unguarded = find_unguarded(
            graph, ops, before, after,
            [this](ClassId cls, GuardOutcome outcome) { return always_comes_out(cls, outcome); });
        if (unguarded.empty()) return true;
        model.banned.insert(model.banned.end(), unguarded.begin(), unguarded.end());
    }
    return false;
}

// The result goes into the e-graph too; a filter's form may be new there.
void Simplifier::State::prove(const SimplifyRequest& request, ExprId root, NodeId start,
                              const lang::Exprs& result_exprs, ExprId result, Answer& answer) {
    const bool as_filter = request.context == SimplifyRequest::Context::filter;
    RecordingTaker taker(graph);
    const auto made = rules::encode_to(taker, result_exprs, {&result, 1}, ops, scope);
    ProvedSide after{result_exprs, result, {}};
    if (&result_exprs == &output) after.nodes = chosen_nodes;
    if (as_filter) {
        taker.add(ops[lang::Op::is_true], 0, {&made[lang::index(result)], 1});
        const NodeId form{rules::filter_form(taker, result_exprs, result, made, ops)};
        if (graph.class_of(start) != graph.class_of(form)) saturate(request.limits);
    }
    for (std::uint32_t id : taker.ids) after.nodes.push_back(NodeId{id});
    answer.proof = prove_expression(*this, {input, root, input_nodes}, start, after, as_filter,
                                    answer.unproved);
    if (!answer.proof) return;
    answer.proof->columns = request.columns;
    answer.proof->before = request.expr;
    answer.proof->after = answer.result;
}

Simplifier::Simplifier(lang::Semantics semantics, std::vector<rules::Source> more)
    : state_(std::make_unique<State>(std::move(semantics), std::move(more))) {}
Simplifier::~Simplifier() = default;
Simplifier::Simplifier(Simplifier&&) noexcept = default;

const std::vector<std::string>& Simplifier::rule_errors() const { return state_->errors; }
const rules::RuleBook& Simplifier::book() const { return state_->book; }

std::variant<RuleTrial, RequestError> Simplifier::try_rule(std::string_view rule,
                                                           const std::string& columns,
                                                           const std::string& left,
                                                           const std::string& right) {
    State& s = *state_;
    s.reset();
    if (auto error = s.read_columns(columns)) return RequestError{*error, "columns"};
    auto root = lang::parse_expr(left, s.scope.columns, s.input, s.context);
    if (!root) return RequestError{root.error(), "expr"};
    ClassId left_class = rules::encode(s.input, *root, s.graph, s.ops, s.scope);
    s.saturate({});
    RuleTrial trial;
    trial.fired = s.is_applied(rule);
    if (right.empty()) return trial;
    auto other = lang::parse_expr(right, s.scope.columns, s.output, s.context);
    if (!other) return RequestError{other.error(), "expr"};
    ClassId right_class = rules::encode(s.output, *other, s.graph, s.ops, s.scope);
    s.saturate({});
    trial.equal = s.graph.find(left_class) == s.graph.find(right_class);
    return trial;
}

std::variant<Answer, RequestError> Simplifier::simplify(const SimplifyRequest& request) {
    const auto begin = std::chrono::steady_clock::now();
    if (state_->is_bloated())
        state_ = std::make_unique<State>(state_->context.semantics, state_->more);
    State& s = *state_;
    s.reset();
    if (auto error = s.read_columns(request.columns)) return RequestError{*error, "columns"};
    auto root = lang::parse_expr(request.expr, s.scope.columns, s.input, s.context);
    if (!root) return RequestError{root.error(), "expr"};

    bool as_filter = request.context == SimplifyRequest::Context::filter;
    if (as_filter) {
        if (auto error = s.no_filter(s.input[*root].type, request.expr, "expr")) return *error;
    }

    Answer answer;
    ClassId wanted = rules::encode(s.input, *root, s.graph, s.ops, s.scope, &s.input_nodes);
    NodeId start = s.input_nodes[lang::index(*root)];
    if (as_filter) {
        const std::uint32_t operand = egraph::raw(wanted);
        start = s.graph.add_node(s.ops[lang::Op::is_true], 0, {&operand, 1});
        wanted = s.graph.class_of(start);
    }
    egraph::Report report = s.saturate(request.limits);
    answer.stop = report.stop;
    answer.iterations = report.iterations;
    answer.nodes = s.graph.node_count();
    answer.classes = s.graph.class_count();
    answer.rules = s.applied_rules();
    const std::vector<double> written =
        costs_as_written(s.graph, ExpressionCost(s.ops), s.input, s.input_nodes);
    answer.cost_before = written[static_cast<std::uint32_t>(*root)];
    ExprId result{};
    if (s.choose(*root, wanted, as_filter, result, answer.cost_after) &&
        answer.cost_after <= answer.cost_before) {
        answer.result = lang::write_expr(s.output, result, s.scope.columns, s.context);
        if (request.proof) s.prove(request, *root, start, s.output, result, answer);
    } else {
        answer.cost_after = answer.cost_before;
        answer.result = lang::write_expr(s.input, *root, s.scope.columns, s.context);
        if (request.proof) s.prove(request, *root, start, s.input, *root, answer);
    }
    for (std::uint32_t i = 0; i < s.input.size(); ++i)
        answer.opaque += s.input[ExprId{i}].op == lang::Op::opaque;
    answer.time_us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

std::variant<EqualAnswer, RequestError> Simplifier::prove_equal(const SimplifyRequest& request,
                                                                const std::string& equal_to) {
    const auto start = std::chrono::steady_clock::now();
    if (state_->is_bloated())
        state_ = std::make_unique<State>(state_->context.semantics, state_->more);
    State& s = *state_;
    s.reset();
    if (auto error = s.read_columns(request.columns)) return RequestError{*error, "columns"};
    const auto first = lang::parse_expr(request.expr, s.scope.columns, s.input, s.context);
    if (!first) return RequestError{first.error(), "expr"};
    const auto second = lang::parse_expr(equal_to, s.scope.columns, s.output, s.context);
    if (!second) return RequestError{second.error(), "equal_to"};
    const lang::Type types[] = {s.input[*first].type, s.output[*second].type};
    const bool as_filter = request.context == SimplifyRequest::Context::filter;
    if (as_filter) {
        if (auto error = s.no_filter(types[0], request.expr, "expr")) return *error;
        if (auto error = s.no_filter(types[1], equal_to, "equal_to")) return *error;
    }
    EqualAnswer answer;
    if (types[0] == types[1]) {
        ClassId a = rules::encode(s.input, *first, s.graph, s.ops, s.scope);
        ClassId b = rules::encode(s.output, *second, s.graph, s.ops, s.scope);
        if (as_filter) {
            a = s.graph.add(s.ops[lang::Op::is_true], 0, {a});
            b = s.graph.add(s.ops[lang::Op::is_true], 0, {b});
        }
        const egraph::Report report = s.saturate(request.limits);
        answer.is_equal = s.graph.find(a) == s.graph.find(b);
        answer.stop = report.stop;
        answer.iterations = report.iterations;
        answer.tries = 1;
        for (const auto& [name, times] : s.applied_rules()) answer.rules.push_back(name);
    } else {
        answer.reason = "one is " + lang::write_type(types[0], s.context) + ", the other " +
                        lang::write_type(types[1], s.context);
    }
    answer.time_us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    return answer;
}

}  // namespace satura
