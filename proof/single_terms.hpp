// Terms read out as they are.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "proof/known.hpp"

namespace satura::proof {

// Terms that are equal to themselves alone, for reading a relation out as it is.
class SingleTerms : public rules::TermClasses {
  public:
    explicit SingleTerms(const Known& known) : known_(known) {}

    using TermClasses::find;
    std::uint32_t find(std::uint32_t id) const override { return id; }
    std::uint32_t id_count() const override { return known_.id_count(); }
    egraph::NodeView node(egraph::NodeId id) const override { return known_.node(id); }
    egraph::NodeView first_node(egraph::ClassId cls) const override {
        return node(egraph::NodeId{egraph::raw(cls)});
    }
    egraph::NodeView witness(egraph::ClassId cls) const override { return first_node(cls); }
    std::optional<egraph::ClassId> lookup(
        egraph::OpId op, egraph::Payload payload,
        std::span<const egraph::ClassId> children) const override {
        std::vector<TermId> terms;
        for (egraph::ClassId child : children) terms.push_back(TermId{egraph::raw(child)});
        const auto term = known_.terms().find(op, payload, terms);
        if (!term) return std::nullopt;
        return egraph::ClassId{index(*term)};
    }
    lang::Type type(egraph::ClassId value) const override { return known_.type(value); }
    const rules::Possible& possible(egraph::ClassId value) const override {
        return known_.possible(value);
    }
    std::uint32_t columns(egraph::ClassId cls) const override { return known_.columns(cls); }
    const rules::Facts& facts(egraph::ClassId relation) const override {
        return known_.facts(relation);
    }
    rules::PlanScope& plan_scope() const override { return known_.plan_scope(); }

  private:
    void visit(egraph::ClassId cls, Visitor visitor) const override {
        visitor.call(visitor.callee, first_node(cls));
    }

    const Known& known_;
};

}  // namespace satura::proof
