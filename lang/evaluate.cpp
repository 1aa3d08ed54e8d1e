#include <algorithm>

#include "lang/evaluator.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

constexpr std::size_t inline_arguments = 8;

}  // namespace

Evaluator::Evaluator(const Exprs& exprs, ExprId root, const Context& context, Mode mode)
    : context_(&context), mode_(mode) {
    const std::vector<ExprId> nodes = nodes_below(exprs, root);
    results_.resize(nodes.size());
    steps_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ExprNode& node = exprs[nodes[i]];
        Step step{node.op, node.type, node.payload, static_cast<std::uint32_t>(arguments_.size()),
                  node.count};
        for (const ExprId child : exprs.children(nodes[i])) {
            const auto at = std::lower_bound(nodes.begin(), nodes.end(), child);
            arguments_.push_back(&results_[static_cast<std::size_t>(at - nodes.begin())]);
            types_.push_back(exprs[child].type);
        }
        if (node.op == Op::literal)
            results_[i] = value_outcome(context.literals[LiteralId{node.payload}].value);
        steps_.push_back(step);
    }
}

const Outcome& Evaluator::run(std::span<const Value> row) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        if (step.op == Op::literal) continue;
        if (step.op == Op::column) {
            if (step.payload < row.size()) {
                results_[i].state = Outcome::State::value;
                results_[i].value = row[step.payload];
            } else {
                results_[i] = unknown_outcome();
            }
            continue;
        }
        results_[i] =
            apply_to(step.op, step.type, step.payload, {arguments_.data() + step.first, step.count},
                     {types_.data() + step.first, step.count}, *context_, mode_);
    }
    return results_.back();
}

Outcome evaluate(const Exprs& exprs, ExprId root, std::span<const Value> row,
                 const Context& context, Mode mode) {
    return Evaluator(exprs, root, context, mode).run(row);
}

Outcome apply(Op op, Type type, std::uint32_t payload, std::span<const Outcome> arguments,
              std::span<const Type> argument_types, const Context& context, Mode mode) {
    if (arguments.size() <= inline_arguments) {
        const Outcome* pointers[inline_arguments] = {};
        for (std::size_t i = 0; i < arguments.size(); ++i) pointers[i] = &arguments[i];
        return apply_to(op, type, payload, {pointers, arguments.size()}, argument_types, context,
                        mode);
    }
    std::vector<const Outcome*> pointers;
    pointers.reserve(arguments.size());
    for (const Outcome& argument : arguments) pointers.push_back(&argument);
    return apply_to(op, type, payload, pointers, argument_types, context, mode);
}

}  // namespace satura::lang
