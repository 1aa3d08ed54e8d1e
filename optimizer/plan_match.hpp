// After saturation: which relations of two queries turned out to do the same to the same inputs, but for the names of the
// columns that they make. Each such pair is one more thing that a Renaming can say.
#pragma once

#include <string>
#include <vector>

#include "optimizer/joint_plan.hpp"
#include "optimizer/rule_engine.hpp"
#include "rules/plan_encode.hpp"

namespace satura {

class PlanMatch {
  public:
    // Of the engine's e-graph, which must be clean and hold the joint plan. Refers to all that it is given.
    PlanMatch(RuleEngine& engine, const FlatQuery& first, const FlatQuery& second,
              const JointPlan& joint, const rules::EncodedPlan& encoded);

    // Adds to the renaming what was found, and to `total` the topns of the first query whose order leaves nothing open.
    // False if nothing is new.
    bool extend(Renaming& renaming, std::vector<bool>& total);

  private:
    using Classes = std::vector<std::uint32_t>;
    // A key or a call of an aggregate or window: equal ones compute the same.
    struct Item {
        std::string text;
        Classes classes;
        bool operator==(const Item&) const = default;
    };
    // A relation's node with its own expressions, item by item.
    struct Side {
        const lang::Plan& plan;
        lang::RelationId id;
        egraph::NodeView node;
    };

    void find_nodes();
    bool try_pair(lang::RelationId a, lang::RelationId b, Renaming& renaming);
    bool try_nodes(const Side& a, const Side& b, Renaming& renaming) const;
    bool match_items(const Side& a, const Side& b, Renaming& renaming) const;
    bool match_sets(const Side& a, const Side& b, Renaming& renaming) const;
    bool match_values(const Side& a, const Side& b, Renaming& renaming) const;
    Classes own_classes(const Side& side) const;
    bool has_same_inputs(const Side& a, const Side& b) const;
    bool extend_subqueries(Renaming& renaming) const;
    bool is_total(const lang::TopN& topn, const egraph::NodeView& node) const;

    RuleEngine& engine_;
    const FlatQuery& first_;
    const FlatQuery& second_;
    const JointPlan& joint_;
    const rules::EncodedPlan& encoded_;
    std::vector<std::vector<egraph::NodeId>>
        nodes_;  // by RelationId of the joint plan: of its shape
    std::vector<bool>* total_ = nullptr;
};

}  // namespace satura
