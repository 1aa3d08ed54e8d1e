// A semilattice value per class, made from its nodes and joined where classes merge.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "egraph/ids.hpp"

namespace satura::egraph {

class EGraph;

// A node as analyses and cost functions see it; children are canonical classes at the time of the
// call.
struct NodeView {
    NodeId id;
    OpId op;
    Payload payload;
    std::span<const std::uint32_t> children;
};

// Values are 32-bit handles of the analysis' own; 0 means "nothing known" and is the neutral
// element of join. A value may only gain information: join(a, b) knows what a knows and what b
// knows (they are of one class, so both hold). Chains of joins must be finite.
class Analysis {
  public:
    using Value = std::uint32_t;

    virtual ~Analysis() = default;
    virtual std::string name() const = 0;
    // What the node tells, given the values of its children's classes.
    virtual Value make(const EGraph& graph, AnalysisId self, const NodeView& node) = 0;
    virtual Value join(Value a, Value b) = 0;
    // Text of a value, for printing.
    virtual std::string text(Value value) const { return std::to_string(value); }
};

}  // namespace satura::egraph
