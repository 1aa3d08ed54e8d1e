// satura verify
#include <fmt/core.h>

#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "app/commands.hpp"
#include "app/proof_json.hpp"
#include "app/settings.hpp"
#include "proof/explanation.hpp"
#include "proof/replay.hpp"

namespace satura::app {

namespace {

// Proofs one after the other; verifiers are kept by their semantics.
class Verification {
  public:
    Verification(const std::vector<rules::Source>& more, const VerifyOptions& options)
        : more_(more), is_quiet_(options.quiet), form_(options.explain) {}

    // A proof or an answer that holds one. `place` begins messages.
    void run(const std::string& text, const std::string& place) {
        const auto read = read_proof(text);
        if (const auto* bad = std::get_if<BadProof>(&read)) {
            std::cerr << place << ": error: " << bad->message << "\n";
            ++mistakes_;
        } else if (const auto* none = std::get_if<NoProof>(&read)) {
            if (!none->is_error) ++missing_;
            if (!none->is_error) std::cout << place << ": no proof: " << none->why << "\n";
        } else {
            verify(std::get<ReadProof>(read), place);
        }
    }

    int status() const {
        std::cout << fmt::format("{} hold, {} refused, {} without a proof, {} steps\n", held_,
                                 refused_, missing_, steps_);
        if (mistakes_ > 0) return exit_mistake;
        return refused_ + missing_ > 0 ? exit_no : exit_done;
    }

  private:
    void verify(const ReadProof& read, const std::string& place) {
        std::unique_ptr<proof::Verifier>& verifier = verifiers_[read.semantics_key];
        if (verifier == nullptr)
            verifier = std::make_unique<proof::Verifier>(read.proof.semantics, more_);
        proof::Explanation explanation;
        if (form_.empty())
            explanation.verdict = verifier->verify(read.proof);
        else
            explanation = proof::explain(*verifier, read.proof);
        const proof::Verdict& verdict = explanation.verdict;
        steps_ += read.proof.steps.size();
        if (verdict.refusal.empty()) {
            ++held_;
            if (!is_quiet_)
                std::cout << fmt::format("{}: holds, {} steps: {} is {}\n", place,
                                         read.proof.steps.size(), read.proof.before,
                                         read.proof.after);
            explain(explanation);
            return;
        }
        ++refused_;
        const std::string at = verdict.step == 0 ? "" : fmt::format(" step {}:", verdict.step);
        std::cout << fmt::format("{}: refused:{} {}\n", place, at, verdict.refusal);
        explain(explanation);
    }

    void explain(const proof::Explanation& explanation) const {
        if (form_ == "flat") std::cout << proof::flat_text(explanation);
        if (form_ == "tree") std::cout << proof::tree_text(explanation);
        if (form_ == "json") std::cout << explanation_json(explanation) << "\n";
    }

    const std::vector<rules::Source>& more_;
    bool is_quiet_;
    std::string form_;  // of explanations; empty: none
    std::map<std::string, std::unique_ptr<proof::Verifier>> verifiers_;
    std::size_t held_ = 0, refused_ = 0, missing_ = 0, mistakes_ = 0, steps_ = 0;
};

bool is_blank(const std::string& line) {
    return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

int run_verify(const VerifyOptions& options) {
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    const proof::Verifier probe(lang::Semantics::of(lang::Dialect::postgres), more);
    for (const std::string& error : probe.rule_errors()) std::cerr << error;
    if (!probe.rule_errors().empty()) return exit_mistake;
    const auto text = read_input(options.file);
    if (!text) {
        std::cerr << "satura: cannot read " << options.file << "\n";
        return exit_mistake;
    }
    const std::string name = options.file == "-" ? "input" : options.file;
    Verification verification(more, options);
    // One proof over several lines, or one a line.
    const bool is_one = std::holds_alternative<ReadProof>(read_proof(*text));
    if (is_one) {
        verification.run(*text, name);
        return verification.status();
    }
    std::istringstream lines(*text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        if (!is_blank(line)) verification.run(line, fmt::format("{}:{}", name, number));
    }
    return verification.status();
}

}  // namespace satura::app
