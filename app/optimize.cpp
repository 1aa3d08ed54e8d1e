// satura optimize
#include <fmt/core.h>

#include <iostream>

#include "app/answer_json.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/plan_report.hpp"
#include "app/proof_json.hpp"
#include "app/query_file.hpp"
#include "app/settings.hpp"
#include "optimizer/optimizer.hpp"

namespace satura::app {

namespace {

// What is wrong with the words of the command line; empty if nothing is.
std::string words_mistake(const OptimizeOptions& options) {
    if (options.format == "html")
        return "--format " + options.format + " is not available in this version";
    const std::string& format = options.format;
    if (format != "text" && format != "sql" && format != "json" && format != "dot")
        return "unknown format \"" + format + "\"; there are text, sql, json and dot";
    if (options.file == "-" && options.schema == "-")
        return "standard input cannot be both the queries and the schema";
    return {};
}

// One run: reads all, optimizes query by query, and gives its output at the end, so that a mistake
// in the last query leaves nothing on standard output.
class OptimizeRun {
  public:
    OptimizeRun(const OptimizeOptions& options, Optimizer& optimizer)
        : options_(options), limits_(options.limits), optimizer_(optimizer) {}

    // Says on standard error what is wrong, and returns false then.
    bool run(lang::Dialect dialect) {
        if (!queries_.read(options_.file, options_.schema, dialect)) return false;
        if (!queries_.set_schema(optimizer_)) return false;
        limits_.interrupt = &watch_interrupts();
        for (const FileStatement& statement : queries_.statements()) {
            if (is_interrupted()) break;
            if (statement.kind == FileStatement::Kind::query && !optimize(statement)) return false;
        }
        if (query_count_ == 0 && !is_interrupted()) {
            std::cerr << fmt::format("satura: warning: there is no query in {}\n",
                                     queries_.file().name);
        }
        return true;
    }

    const std::string& output() const { return output_; }
    const std::string& proofs() const { return proofs_; }

  private:
    bool optimize(const FileStatement& statement) {
        auto result = optimizer_.optimize({queries_.text_of(statement), limits_,
                                           options_.format == "dot", !options_.proof.empty()});
        if (auto* error = std::get_if<RequestError>(&result))
            return queries_.fail(std::move(error->diagnostic), statement);
        const auto& answer = std::get<OptimizeAnswer>(result);
        const std::uint32_t begin = statement.span.begin;
        for (const std::string& warning : answer.warnings) queries_.warn(begin, warning);
        if (answer.stop != egraph::StopReason::saturated) {
            std::cerr << fmt::format("{}stopped early: {}\n", place_text(queries_.file(), begin),
                                     egraph::stop_name(answer.stop));
        }
        if (answer.proof)
            proofs_ += proof_json(*answer.proof) + '\n';
        else if (!options_.proof.empty())
            queries_.warn(begin, "no proof was found: " + answer.unproved);
        write(statement, answer);
        return true;
    }

    void write(const FileStatement& statement, const OptimizeAnswer& answer) {
        ++query_count_;
        if (options_.format == "json") {
            output_ += answer_json(std::to_string(query_count_), answer) + '\n';
            return;
        }
        if (options_.format == "dot") {
            output_ += answer.join_graph;
            return;
        }
        if (options_.format == "text") {
            if (query_count_ > 1) output_ += '\n';
            output_ += plan_report(statement_as_written(queries_.file().text, statement), answer);
        } else {
            output_ += answer.result + ";\n";
        }
        if (options_.explain) output_ += explanation_comments(answer);
    }

    const OptimizeOptions& options_;
    egraph::Limits limits_;
    Optimizer& optimizer_;
    QueryFile queries_;
    std::uint32_t query_count_ = 0;
    std::string output_;
    std::string proofs_;  // JSON, one a line
};

}  // namespace

int run_optimize(const OptimizeOptions& options) {
    std::string mistake = words_mistake(options);
    const auto dialect = read_dialect(options.dialect);
    if (const auto* error = std::get_if<std::string>(&dialect)) mistake = *error;
    if (!mistake.empty()) {
        std::cerr << "satura: " << mistake << "\n";
        return exit_mistake;
    }
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    const auto known = std::get<lang::Dialect>(dialect);
    Optimizer optimizer(lang::Semantics::of(known), std::move(more));
    for (const std::string& error : optimizer.rule_errors()) std::cerr << error;
    if (!optimizer.rule_errors().empty()) return exit_mistake;

    OptimizeRun run(options, optimizer);
    if (!run.run(known)) return exit_mistake;
    if (!options.proof.empty() && !write_file(options.proof, run.proofs())) return exit_internal;
    std::cout << run.output();
    return exit_done;
}

}  // namespace satura::app
