// What a proof has shown so far: which terms are equal, and what follows for their values.
//
// A congruence closure over the terms (egraph::TermClosure), and for each class of equal terms its type, possible values, and whether it is
// stable and some form of it cannot raise; for relations their columns, keys, and what holds for each of their rows: what any
// member of a class says holds for all. It is written without the e-graph, so that a fault of the one is not one of the other.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "egraph/term_closure.hpp"
#include "proof/terms.hpp"
#include "rules/term_classes.hpp"
#include "rules/words.hpp"

namespace satura::proof {

class Known : public rules::TermClasses {
  public:
    // All must outlive this object. What no node says, the types of columns and opaque pieces, is in `scope`; what relations
    // say only by a number, in `plan`, null for terms without relations. Terms that are there already are known as terms.
    Known(Terms& terms, rules::SqlOps& ops, const rules::Scope& scope,
          rules::PlanScope* plan = nullptr)
        : terms_(terms), ops_(ops), scope_(scope), plan_(plan), closure_(terms) {
        enter_new();
    }

    // Adds a term or finds it.
    TermId add(egraph::OpId op, egraph::Payload payload, std::vector<TermId> children);
    // Makes known the terms that were added to `terms` by others.
    void enter_new();
    bool equal(TermId a, TermId b) const { return closure_.equal(a, b); }
    // Makes two terms equal, and what follows by congruence. Cost: in proportion to the terms over merged classes.
    void merge(TermId a, TermId b);

    // What the words of rules are told of a term.
    rules::Operand operand(TermId term);
    const Terms& terms() const { return terms_; }
    rules::SqlOps& ops() const { return ops_; }
    const rules::Scope& scope() const { return scope_; }

    using TermClasses::find;
    std::uint32_t find(std::uint32_t id) const override { return closure_.find(id); }
    std::uint32_t id_count() const override { return terms_.size(); }
    egraph::NodeView node(egraph::NodeId id) const override;
    egraph::NodeView first_node(egraph::ClassId cls) const override;
    egraph::NodeView witness(egraph::ClassId cls) const override { return first_node(cls); }
    std::optional<egraph::ClassId> lookup(egraph::OpId op, egraph::Payload payload,
                                          std::span<const egraph::ClassId> children) const override;
    lang::Type type(egraph::ClassId value) const override { return type(TermId{raw(value)}); }
    const rules::Possible& possible(egraph::ClassId value) const override {
        return facts_[find(egraph::raw(value))].possible;
    }
    std::uint32_t columns(egraph::ClassId cls) const override {
        return columns_[find(egraph::raw(cls))].value_or(0);
    }
    const rules::Facts& facts(egraph::ClassId relation) const override {
        return rows_[find(egraph::raw(relation))].facts;
    }
    // Sets of columns in which no two rows are equal where none of them is NULL.
    const std::vector<std::uint32_t>& keys(egraph::ClassId relation) const {
        return rows_[find(egraph::raw(relation))].keys;
    }
    bool is_stable(TermId term) const { return facts_[find(index(term))].stable; }
    rules::PlanScope& plan_scope() const override { return *plan_; }
    const rules::PlanScope* plan() const { return plan_; }

  private:
    struct Facts {
        std::optional<lang::Type> type;
        rules::Possible possible;
        bool stable = false;
        bool bounded = false;
        const rules::About* about = nullptr;
    };
    // Of a relation's rows.
    struct Rows {
        rules::Facts facts;
        std::vector<std::uint32_t> keys;
    };
    void visit(egraph::ClassId cls, Visitor visitor) const override;
    void settle();
    void learn(std::uint32_t term);
    bool learn_columns(std::uint32_t term);
    bool learn_rows(std::uint32_t term);
    std::uint32_t columns_of(const Term& term) const;
    std::uint32_t own_columns(const Term& term) const;
    Rows rows_of(const Term& term) const;
    bool has_limit_one(const lang::Relation& relation) const;
    void add_shaped(const Term& term, Rows& rows) const;
    Facts facts_of(TermId id);
    std::optional<lang::Type> type_of(const Term& term, std::span<const lang::Type> operands);
    std::vector<TermId> operands_of(const Term& term) const;
    lang::Type type(TermId id) const;
    rules::Subject subject(std::uint32_t id);
    const rules::About* about_of(TermId id, lang::Op op, lang::Type type,
                                 std::span<const TermId> operands);

    Terms& terms_;
    rules::SqlOps& ops_;
    const rules::Scope& scope_;
    rules::PlanScope* plan_;
    egraph::TermClosure closure_;
    // By class.
    std::vector<Facts> facts_;
    std::vector<std::optional<std::uint32_t>> columns_;
    std::vector<Rows> rows_;
    std::shared_ptr<std::deque<rules::About>> abouts_ =
        std::make_shared<std::deque<rules::About>>();  // shared by copies
    std::vector<std::uint32_t> stale_;                 // terms to be looked at again
};

}  // namespace satura::proof
