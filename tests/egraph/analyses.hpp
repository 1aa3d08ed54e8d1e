// Analyses for tests.
#pragma once

#include <map>

#include "egraph/egraph.hpp"

namespace satura::egraph::test {

// Which marked operators occur in some term of a class: a set of bits that only grows.
class Marks : public Analysis {
  public:
    explicit Marks(std::map<OpId, Value> bits) : bits_(std::move(bits)) {}
    std::string name() const override { return "marks"; }
    Value make(const EGraph& graph, AnalysisId self, const NodeView& node) override {
        auto own = bits_.find(node.op);
        Value value = own == bits_.end() ? 0 : own->second;
        for (std::uint32_t c : node.children) value |= graph.value(self, ClassId{c});
        return value;
    }
    Value join(Value a, Value b) override { return a | b; }

  private:
    std::map<OpId, Value> bits_;
};

}  // namespace satura::egraph::test
