// Which relations a consumer that does not count rows may get more cheaply; see dedup.rules.
#pragma once

#include "egraph/egraph.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

// Value: 1 where an outer join or a DISTINCT is in the relation and nothing that counts or chooses rows stands over it.
class LooseAnalysis : public egraph::Analysis {
  public:
    explicit LooseAnalysis(const SqlOps& ops) : ops_(ops) {}
    std::string name() const override { return "loose"; }
    Value make(const egraph::EGraph& graph, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override { return a | b; }

  private:
    const SqlOps& ops_;
};

}  // namespace satura::rules
