// satura simplify
#include <iostream>

#include "app/answer_json.hpp"
#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/proof_json.hpp"
#include "app/settings.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

namespace {

// False where the file cannot be written; an answer without a proof is none of that.
bool write_proof(const std::string& path, const Answer& answer) {
    if (!answer.proof) {
        std::cerr << "satura: warning: no proof was found: " << answer.unproved << "\n";
        return true;
    }
    return write_file(path, proof_json(*answer.proof) + "\n");
}

}  // namespace

int run_simplify(const SimplifyOptions& options) {
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    SimplifyRequest request;
    request.columns = options.columns;
    request.expr = options.expr;
    if (options.expr == "-") request.expr = read_input("-").value_or("");
    request.limits = options.limits;
    request.proof = !options.proof.empty();
    if (options.context == "filter") request.context = SimplifyRequest::Context::filter;
    auto dialect = read_dialect(options.dialect);
    if (const auto* error = std::get_if<std::string>(&dialect)) {
        std::cerr << "satura: " << *error << "\n";
        return exit_mistake;
    }
    Simplifier simplifier(lang::Semantics::of(std::get<lang::Dialect>(dialect)), std::move(more));
    for (const std::string& error : simplifier.rule_errors()) std::cerr << error;
    if (!simplifier.rule_errors().empty()) return exit_mistake;

    request.limits.interrupt = &watch_interrupts();
    auto result = simplifier.simplify(request);
    if (auto* error = std::get_if<RequestError>(&result)) {
        const std::string& text = error->in == "columns" ? request.columns : request.expr;
        std::cerr << lang::render(error->diagnostic, error->in == "columns" ? "--columns" : "expr",
                                  text);
        return exit_mistake;
    }
    const Answer& answer = std::get<Answer>(result);
    for (const std::string& warning : answer.warnings)
        std::cerr << "satura: warning: " << warning << "\n";
    if (answer.stop != egraph::StopReason::saturated) {
        std::cerr << "satura: stopped early: " << egraph::stop_name(answer.stop) << "\n";
    }
    if (request.proof && !write_proof(options.proof, answer)) return exit_internal;
    std::cout << (options.format == "json" ? answer_json("null", answer) : answer.result) << "\n";
    return exit_done;
}

}  // namespace satura::app
