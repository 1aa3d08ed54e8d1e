#include <algorithm>
#include <queue>

#include "lang/evaluator.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

constexpr std::size_t inline_arguments = 8;

// The nodes below the root without doubles, in ascending order, so that children come first.
std::vector<std::uint32_t> nodes_below(const Exprs& exprs, ExprId root) {
    // A parent's id is greater than its children's: taking the greatest id first, all parents of a
    // node are done before it, and its doubles come out side by side.
    std::priority_queue<std::uint32_t> open;
    open.push(static_cast<std::uint32_t>(root));
    std::vector<std::uint32_t> found;
    while (!open.empty()) {
        const std::uint32_t id = open.top();
        open.pop();
        if (!found.empty() && found.back() == id) continue;
        found.push_back(id);
        for (const ExprId child : exprs.children(ExprId{id}))
            open.push(static_cast<std::uint32_t>(child));
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace

Evaluator::Evaluator(const Exprs& exprs, ExprId root, const Context& context, Mode mode)
    : context_(&context), mode_(mode) {
    const std::vector<std::uint32_t> nodes = nodes_below(exprs, root);
    results_.resize(nodes.size());
    steps_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const ExprNode& node = exprs[ExprId{nodes[i]}];
        Step step{node.op, node.type, node.payload, static_cast<std::uint32_t>(arguments_.size()),
                  node.count};
        for (const ExprId child : exprs.children(ExprId{nodes[i]})) {
            const auto at =
                std::lower_bound(nodes.begin(), nodes.end(), static_cast<std::uint32_t>(child));
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
