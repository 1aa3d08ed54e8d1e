// Terms in classes of equal ones, and what is known of each class: an e-graph with its analyses, or what a proof has shown so
// far. What only reads classes, closures of facts and the way back to plans, takes either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "egraph/egraph.hpp"
#include "rules/analyses.hpp"
#include "rules/plan_analyses.hpp"

namespace satura::rules {

class TermClasses {
  public:
    virtual ~TermClasses() = default;

    // Ids are those of classes; any id that a class once had leads to it.
    virtual std::uint32_t find(std::uint32_t id) const = 0;
    egraph::ClassId find(egraph::ClassId id) const {
        return egraph::ClassId{find(egraph::raw(id))};
    }
    egraph::ClassId class_of(egraph::NodeId id) const {
        return egraph::ClassId{find(egraph::raw(id))};
    }
    virtual std::uint32_t id_count() const = 0;
    virtual egraph::NodeView node(egraph::NodeId id) const = 0;
    // Some node of the class; and one that following such nodes down never leads back to.
    virtual egraph::NodeView first_node(egraph::ClassId cls) const = 0;
    virtual egraph::NodeView witness(egraph::ClassId cls) const = 0;
    virtual std::optional<egraph::ClassId> lookup(
        egraph::OpId op, egraph::Payload payload,
        std::span<const egraph::ClassId> children) const = 0;

    virtual lang::Type type(egraph::ClassId value) const = 0;
    virtual const Possible& possible(egraph::ClassId value) const = 0;
    // Of values, truths and relations: the set of columns; see ColumnsAnalysis.
    virtual std::uint32_t columns(egraph::ClassId cls) const = 0;
    virtual const Facts& facts(egraph::ClassId relation) const = 0;
    virtual PlanScope& plan_scope() const = 0;

    // Calls f with each node of the class. No nodes may be added meanwhile.
    template <class F>
    void for_each_node(egraph::ClassId cls, F&& f) const {
        using Callee = std::remove_reference_t<F>;
        visit(cls, {&f, [](const void* callee, const egraph::NodeView& node) {
                        (*static_cast<Callee*>(const_cast<void*>(callee)))(node);
                    }});
    }

  protected:
    struct Visitor {
        const void* callee;
        void (*call)(const void* callee, const egraph::NodeView& node);
    };
    virtual void visit(egraph::ClassId cls, Visitor visitor) const = 0;
};

// Of an e-graph. Refers to all that it is given; without `plan`, of expressions only.
class GraphClasses : public TermClasses {
  public:
    GraphClasses(const egraph::EGraph& graph, const Knowledge& knowledge,
                 const PlanKnowledge* plan = nullptr)
        : graph_(graph), knowledge_(knowledge), plan_(plan) {}

    using TermClasses::find;
    std::uint32_t find(std::uint32_t id) const override { return graph_.find(id); }
    std::uint32_t id_count() const override { return graph_.id_count(); }
    egraph::NodeView node(egraph::NodeId id) const override { return graph_.node(id); }
    egraph::NodeView first_node(egraph::ClassId cls) const override {
        return graph_.node(graph_.first_node(graph_.find(cls)));
    }
    egraph::NodeView witness(egraph::ClassId cls) const override {
        return graph_.node(graph_.witness(cls));
    }
    std::optional<egraph::ClassId> lookup(
        egraph::OpId op, egraph::Payload payload,
        std::span<const egraph::ClassId> children) const override {
        return graph_.lookup(op, payload, children);
    }
    lang::Type type(egraph::ClassId value) const override { return knowledge_.type(graph_, value); }
    const Possible& possible(egraph::ClassId value) const override {
        return knowledge_.possible(graph_, value);
    }
    std::uint32_t columns(egraph::ClassId cls) const override {
        return plan_->columns(graph_, cls);
    }
    const Facts& facts(egraph::ClassId relation) const override {
        return plan_->facts(graph_, relation);
    }
    PlanScope& plan_scope() const override { return plan_->scope(); }

  private:
    void visit(egraph::ClassId cls, Visitor visitor) const override {
        graph_.for_each_node(
            cls, [&](const egraph::NodeView& node) { visitor.call(visitor.callee, node); });
    }

    const egraph::EGraph& graph_;
    const Knowledge& knowledge_;
    const PlanKnowledge* plan_;
};

}  // namespace satura::rules
