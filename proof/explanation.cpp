#include "proof/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lang/sql_expr.hpp"
#include "proof/term_text.hpp"

namespace satura::proof {

namespace {

constexpr std::size_t replayed_steps_max = 200;

// Writes down what each step says.
class Reader : public StepWatcher {
  public:
    bool begins(std::uint32_t) override { return true; }

    bool ended(std::uint32_t, const Step& step, const StepCheck& check, bool holds,
               const Known& known) override {
        if (!holds) return false;
        if (!text_) text_.emplace(known);
        const auto of = [&](TermId id) { return text_->of(id); };
        ExplainedStep out;
        out.rule = step.rule;
        out.left = of(step.left);
        out.right = of(step.right);
        for (const Binding& binding : step.bindings) {
            const bool is_shape = binding.terms.size() == 1 &&
                                  known.terms()[binding.terms[0]].op == known.ops().plan().shape;
            if (is_shape) continue;  // a number that says nothing to people
            std::vector<std::string> terms;
            for (TermId term : binding.terms) terms.push_back(of(term));
            std::string text = fmt::format("{}", fmt::join(terms, ", "));
            if (binding.kind == Binding::Kind::rest) text = "[" + text + "]";
            if (binding.kind == Binding::Kind::type)
                text = lang::write_type(binding.type, known.ops().context());
            out.with.emplace_back(binding.variable, std::move(text));
        }
        for (const StepCheck::Reason& reason : check.reasons()) {
            std::vector<std::string> terms;
            for (TermId term : reason.terms) terms.push_back(of(term));
            out.because.emplace_back(reason.condition, fmt::format("{}", fmt::join(terms, "; ")));
        }
        steps.push_back(std::move(out));
        return true;
    }

    std::vector<ExplainedStep> steps;

  private:
    std::optional<TermText> text_;
};

// Leaves one step out and sees which others are refused then.
class Without : public StepWatcher {
  public:
    explicit Without(std::uint32_t step) : step_(step) {}

    bool begins(std::uint32_t step) override { return step != step_; }

    bool ended(std::uint32_t number, const Step&, const StepCheck&, bool holds,
               const Known&) override {
        if (!holds) refused.push_back(number);
        return true;
    }

    std::vector<std::uint32_t> refused;

  private:
    std::uint32_t step_;
};

void add_lines(const ExplainedStep& step, const std::string& margin, std::string& out) {
    out += fmt::format("{}    {}\n{}    = {}\n", margin, step.left, margin, step.right);
    for (const auto& [variable, text] : step.with)
        out += fmt::format("{}    where ?{} is {}\n", margin, variable, text);
    for (const auto& [condition, terms] : step.because) {
        out += fmt::format("{}    because {}", margin, condition);
        out += terms.empty() ? "\n" : fmt::format(", of {}\n", terms);
    }
}

}  // namespace

Explanation explain(Verifier& verifier, const Proof& proof) {
    Explanation out;
    Reader reader;
    out.verdict = verifier.verify(proof, &reader);
    out.steps = std::move(reader.steps);
    std::vector<bool> is_last(out.steps.size(), true);
    const bool is_short = out.steps.size() <= replayed_steps_max;
    for (std::uint32_t step = 0; is_short && step < out.steps.size(); ++step) {
        Without without(step);
        verifier.verify(proof, &without);
        for (std::uint32_t other : without.refused) {
            if (other >= out.steps.size()) continue;
            out.steps[other].after.push_back(step + 1);
            is_last[step] = false;
        }
    }
    for (std::uint32_t step = 0; step < is_last.size(); ++step) {
        if (is_last[step]) out.last.push_back(step + 1);
    }
    return out;
}

std::string flat_text(const Explanation& explanation) {
    std::string out;
    for (std::size_t i = 0; i < explanation.steps.size(); ++i) {
        const ExplainedStep& step = explanation.steps[i];
        out += fmt::format("step {}: {}", i + 1, step.rule);
        if (!step.after.empty())
            out += fmt::format(", after step{} {}", step.after.size() > 1 ? "s" : "",
                               fmt::join(step.after, ", "));
        out += '\n';
        add_lines(step, "", out);
    }
    return out;
}

std::string tree_text(const Explanation& explanation) {
    std::string out;
    std::vector<bool> is_written(explanation.steps.size() + 1, false);
    struct Line {
        std::uint32_t step;
        std::size_t depth;
    };
    std::vector<Line> todo;
    for (std::size_t i = explanation.last.size(); i-- > 0;)
        todo.push_back({explanation.last[i], 0});
    while (!todo.empty()) {
        const Line line = todo.back();
        todo.pop_back();
        const ExplainedStep& step = explanation.steps[line.step - 1];
        const std::string margin(line.depth * 2, ' ');
        out += fmt::format("{}step {}: {}", margin, line.step, step.rule);
        out += is_written[line.step] ? " (above)\n" : "\n";
        if (is_written[line.step]) continue;
        is_written[line.step] = true;
        add_lines(step, margin, out);
        for (std::size_t i = step.after.size(); i-- > 0;)
            todo.push_back({step.after[i], line.depth + 1});
    }
    return out;
}

}  // namespace satura::proof
