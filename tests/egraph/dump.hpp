// An e-graph as text that does not depend on ids: each class is named by its smallest term, worked
// out here by plain relaxation (fewest nodes, then the text itself), and lists its nodes over such
// names.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "egraph/egraph.hpp"

namespace satura::egraph::test {

inline std::string node_text(const EGraph& graph, const NodeView& node,
                             const std::vector<std::string>& names, bool& complete) {
    std::vector<std::string> children;
    for (std::uint32_t c : node.children) {
        const std::string& name = names[graph.find(c)];
        complete = complete && !name.empty();
        children.push_back(name);
    }
    Shape shape = graph.signature()[node.op].shape;
    if (shape == Shape::set || shape == Shape::bag) std::sort(children.begin(), children.end());
    std::string text = graph.signature().text(node.op, node.payload);
    if (children.empty() && shape == Shape::fixed) return text;
    text = "(" + text;
    for (const std::string& c : children) text += " " + c;
    return text + ")";
}

// The smallest term of each class, by canonical id.
inline std::vector<std::string> smallest_terms(const EGraph& graph) {
    std::vector<std::string> names(graph.id_count());
    auto size = [](const std::string& s) {
        return std::count(s.begin(), s.end(), ' ') + std::count(s.begin(), s.end(), '(');
    };
    bool changed = true;
    while (changed) {
        changed = false;
        graph.for_each_class([&](ClassId cls) {
            std::string& best = names[raw(cls)];
            graph.for_each_node(cls, [&](const NodeView& node) {
                bool complete = true;
                std::string text = node_text(graph, node, names, complete);
                if (!complete) return;
                if (!best.empty() && std::pair(size(best), best) <= std::pair(size(text), text)) {
                    return;
                }
                best = text;
                changed = true;
            });
        });
    }
    return names;
}

inline std::string dump(const EGraph& graph) {
    std::vector<std::string> names = smallest_terms(graph);
    std::map<std::string, std::vector<std::string>> classes;
    graph.for_each_class([&](ClassId cls) {
        std::vector<std::string>& nodes = classes[names[raw(cls)]];
        for (std::uint32_t a = 0; a < graph.analysis_count(); ++a) {
            nodes.push_back("#" + std::to_string(graph.value(AnalysisId{a}, cls)));
        }
        graph.for_each_node(cls, [&](const NodeView& node) {
            bool complete = true;
            std::string flag = graph.is_subsumed(node.id) ? "-" : "";
            nodes.push_back(flag + node_text(graph, node, names, complete));
        });
    });
    std::string out;
    for (auto& [name, nodes] : classes) {
        std::sort(nodes.begin(), nodes.end());
        out += name + ":";
        for (const std::string& node : nodes) out += "  " + node;
        out += "\n";
    }
    return out;
}

// The term along the witnesses; empty where they cycle.
inline std::string witness_text(const EGraph& graph, ClassId cls, int depth_max = 100) {
    if (depth_max == 0) return {};
    NodeView node = graph.node(graph.witness(cls));
    std::vector<std::string> children;
    for (std::uint32_t c : node.children) {
        children.push_back(witness_text(graph, ClassId{c}, depth_max - 1));
        if (children.back().empty()) return {};
    }
    Shape shape = graph.signature()[node.op].shape;
    if (shape == Shape::set || shape == Shape::bag) std::sort(children.begin(), children.end());
    std::string text = graph.signature().text(node.op, node.payload);
    if (children.empty()) return text;
    text = "(" + text;
    for (const std::string& c : children) text += " " + c;
    return text + ")";
}

}  // namespace satura::egraph::test
