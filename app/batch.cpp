// satura batch
#include <fmt/core.h>

#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/answer_json.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/line_input.hpp"
#include "app/request.hpp"
#include "app/settings.hpp"
#include "optimizer/optimizer.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

namespace {

// The answer is the first query's or expression's, and it is not whole where the proof was interrupted.
template <class A>
void add_equality(const EqualAnswer& equality, A& answer) {
    answer.time_us += equality.time_us;
    if (equality.stop == egraph::StopReason::interrupted) answer.stop = equality.stop;
}

// An Optimizer, and the schema that it has: many queries in a row share one.
class QueryEngine {
  public:
    QueryEngine(const lang::Semantics& semantics, const std::vector<rules::Source>& more)
        : optimizer_(semantics, more) {}

    std::string answer(const std::string& id, const QueryRequest& request,
                       const std::optional<std::string>& equal_to) {
        if (schema_ != request.schema) {
            schema_.reset();
            if (auto error = optimizer_.set_schema(request.schema))
                return error_json(id, "schema", *error, request.schema);
            schema_ = request.schema;
        }
        auto result = optimizer_.optimize(request.optimize);
        if (const auto* error = std::get_if<RequestError>(&result))
            return error_json(id, error->in, error->diagnostic, request.optimize.sql);
        auto& answer = std::get<OptimizeAnswer>(result);
        std::vector<std::string> warnings = schema_warnings();
        answer.warnings.insert(answer.warnings.begin(), warnings.begin(), warnings.end());
        if (!equal_to) return answer_json(id, answer);
        auto compared = optimizer_.prove_equal(request.optimize, *equal_to);
        if (const auto* error = std::get_if<RequestError>(&compared))
            return error_json(id, error->in, error->diagnostic, *equal_to);
        const EqualAnswer& equality = std::get<EqualAnswer>(compared);
        add_equality(equality, answer);
        return answer_json(id, answer, equality.is_equal);
    }

  private:
    std::vector<std::string> schema_warnings() const {
        std::vector<std::string> warnings;
        for (const lang::Diagnostic& warning : optimizer_.schema_warnings()) {
            const lang::Place place = lang::place_of(*schema_, warning.span.begin);
            warnings.push_back(
                fmt::format("schema:{}:{}: {}", place.line, place.column, warning.message));
        }
        return warnings;
    }

    Optimizer optimizer_;
    std::optional<std::string> schema_;  // nothing: none, or one with a mistake
};

class ExpressionEngine {
  public:
    ExpressionEngine(const lang::Semantics& semantics, const std::vector<rules::Source>& more)
        : simplifier_(semantics, more) {}

    std::string answer(const std::string& id, const SimplifyRequest& request,
                       const std::optional<std::string>& equal_to) {
        auto result = simplifier_.simplify(request);
        if (const auto* error = std::get_if<RequestError>(&result)) {
            return error_json(id, error->in, error->diagnostic,
                              error->in == "columns" ? request.columns : request.expr);
        }
        auto& answer = std::get<Answer>(result);
        if (!equal_to) return answer_json(id, answer);
        auto compared = simplifier_.prove_equal(request, *equal_to);
        if (const auto* error = std::get_if<RequestError>(&compared))
            return error_json(id, error->in, error->diagnostic, *equal_to);
        const EqualAnswer& equality = std::get<EqualAnswer>(compared);
        add_equality(equality, answer);
        return answer_json(id, answer, equality.is_equal);
    }

  private:
    Simplifier simplifier_;
};

// Engines with their rules loaded, one for each semantics that requests have asked for.
template <class Engine>
class Engines {
  public:
    explicit Engines(const std::vector<rules::Source>& more) : more_(more) {}

    Engine& of(const Request& request) {
        auto it = engines_.find(request.semantics_key);
        if (it != engines_.end()) return *it->second;
        if (engines_.size() >= engines_max) engines_.clear();
        auto made = std::make_unique<Engine>(request.semantics, more_);
        return *engines_.emplace(request.semantics_key, std::move(made)).first->second;
    }
    void drop(const Request& request) { engines_.erase(request.semantics_key); }

  private:
    static constexpr std::size_t engines_max = 32;
    const std::vector<rules::Source>& more_;
    std::map<std::string, std::unique_ptr<Engine>> engines_;
};

class Batch {
  public:
    Batch(const std::vector<rules::Source>& more, const std::atomic<bool>& interrupt)
        : interrupt_(interrupt), expressions_(more), queries_(more) {}

    std::string answer(const std::string& line) {
        auto read = read_request(line);
        if (const auto* bad = std::get_if<BadRequest>(&read))
            return error_json(bad->id, "request", bad->diagnostic, bad->has_place ? line : "");
        Request& request = std::get<Request>(read);
        if (auto* query = std::get_if<QueryRequest>(&request.task)) {
            query->optimize.limits.interrupt = &interrupt_;
            return answer_by(queries_, request, *query);
        }
        auto& expression = std::get<SimplifyRequest>(request.task);
        expression.limits.interrupt = &interrupt_;
        return answer_by(expressions_, request, expression);
    }

  private:
    template <class Engine, class Task>
    static std::string answer_by(Engines<Engine>& engines, const Request& request,
                                 const Task& task) try {
        return engines.of(request).answer(request.id, task, request.equal_to);
    } catch (const std::exception& error) {
        // A bug of ours costs this request, not the run; what the engine holds is in doubt.
        engines.drop(request);
        return error_json(
            request.id, "request",
            {"internal-error", {}, fmt::format("internal error: {}", error.what()), {}}, "");
    }

    const std::atomic<bool>& interrupt_;
    Engines<ExpressionEngine> expressions_;
    Engines<QueryEngine> queries_;
};

}  // namespace

int run_batch(const BatchOptions& options) {
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    if (!more.empty()) {
        const Optimizer probe(lang::Semantics::of(lang::Dialect::postgres), more);
        for (const std::string& error : probe.rule_errors()) std::cerr << error;
        if (!probe.rule_errors().empty()) return exit_mistake;
    }
    std::ios::sync_with_stdio(false);
    Batch batch(more, watch_interrupts());
    std::string line;
    LineInput input;
    for (;;) {
        if (!input.has_line()) std::cout.flush();
        if (!input.next(line)) break;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::cout << batch.answer(line) << '\n';
    }
    std::cout.flush();
    return std::cout ? exit_done : exit_internal;
}

}  // namespace satura::app
