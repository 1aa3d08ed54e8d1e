// The e-graph as a Graphviz drawing: a cluster for each class, an edge from each node's operand to
// the operand's class.
#pragma once

#include <string>

#include "egraph/egraph.hpp"

namespace satura::egraph {

// Text in the DOT language. Classes and nodes come in the order of their ids; subsumed nodes are
// dashed.
std::string to_dot(const EGraph& graph);

}  // namespace satura::egraph
