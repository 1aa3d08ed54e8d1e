#include "egraph/dot.hpp"

#include <fmt/format.h>

#include <iterator>
#include <vector>

namespace satura::egraph {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

}  // namespace

std::string to_dot(const EGraph& graph) {
    std::string out = "digraph egraph {\n  compound=true\n  clusterrank=local\n";
    auto append = std::back_inserter(out);
    graph.for_each_class([&](ClassId cls) {
        fmt::format_to(append, "  subgraph cluster_{} {{\n    style=dotted\n", raw(cls));
        graph.for_each_node(cls, [&](const NodeView& node) {
            std::string label = quoted(graph.signature().text(node.op, node.payload));
            const char* style = graph.is_subsumed(node.id) ? ", style=dashed" : "";
            fmt::format_to(append, "    n{} [label={}{}]\n", raw(node.id), label, style);
        });
        out += "  }\n";
    });
    // An edge to a class ends at one of its nodes and is cut at the cluster's border.
    std::vector<std::uint32_t> targets(graph.id_count(), none);
    graph.for_each_class([&](ClassId cls) {
        graph.for_each_node(cls, [&](const NodeView& node) {
            std::uint32_t& target = targets[raw(cls)];
            if (target == none) target = raw(node.id);
        });
    });
    graph.for_each_class([&](ClassId cls) {
        graph.for_each_node(cls, [&](const NodeView& node) {
            for (std::uint32_t child : node.children) {
                fmt::format_to(append, "  n{} -> n{} [lhead=cluster_{}]\n", raw(node.id),
                               targets[child], child);
            }
        });
    });
    return out + "}\n";
}

}  // namespace satura::egraph
