#include "app/plan_report.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace satura::app {

namespace {

std::string indented(std::string_view lines) {
    std::string result;
    while (!lines.empty()) {
        const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
        result.append("  ").append(lines.substr(0, end));
        lines.remove_prefix(end);
    }
    return result;
}

// Three digits of a small cost, all before the point of a large one.
std::string cost_text(double cost) {
    constexpr double large = 100;
    return cost < large ? fmt::format("{:.3g}", cost) : fmt::format("{:.0f}", cost);
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

}  // namespace

std::string plan_report(std::string_view written, const OptimizeAnswer& answer) {
    // A statement that is no query has no plan.
    if (answer.before.nodes.empty()) return fmt::format("{}\n{};\n", written, answer.result);
    return fmt::format("{}\nbefore, cost {}:\n{}after, cost {}:\n{}{};\n", written,
                       cost_text(answer.cost_before), indented(answer.before.tree),
                       cost_text(answer.cost_after), indented(answer.after.tree), answer.result);
}

std::string explanation_comments(const OptimizeAnswer& answer) {
    std::string lines;
    for (const AppliedRule& applied : answer.explanation) {
        std::string line = applied.rule;
        if (!applied.where.empty()) line += " at " + applied.where;
        if (!applied.reason.empty()) line += ": " + applied.reason;
        lines += "-- " + one_line(std::move(line)) + '\n';
    }
    return lines;
}

}  // namespace satura::app
