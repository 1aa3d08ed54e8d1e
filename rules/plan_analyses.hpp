// What the e-graph knows of relations: their columns and the facts that hold for each of their rows. Of values and truths:
// the columns that they read.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "egraph/egraph.hpp"
#include "rules/analyses.hpp"
#include "rules/plan_scope.hpp"

namespace satura::rules {

// Value: 1 + the number of a set of columns. Of a relation: those that it has. Of a value or truth: those that it reads; a
// class has a member that reads no more than these.
class ColumnsAnalysis : public egraph::Analysis {
  public:
    ColumnsAnalysis(const SqlOps& ops, PlanScope& scope) : ops_(ops), scope_(scope) {}
    std::string name() const override { return "columns"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override;

  private:
    std::uint32_t own_columns(const egraph::NodeView& node) const;

    const SqlOps& ops_;
    PlanScope& scope_;
};

// What holds for every row of a relation: truths, and columns that are NULL. Equal relations have the same rows, so what any
// member knows, the class knows. Outer joins do not pass on what their null-extended side knows.
struct Facts {
    std::vector<std::uint32_t> truths;  // classes, ascending
    std::uint32_t null_columns = 0;     // set of columns
    auto operator<=>(const Facts&) const = default;
};

// Value: the number of a Facts; 0 is nothing.
class FactsAnalysis : public egraph::Analysis {
  public:
    FactsAnalysis(const SqlOps& ops, PlanScope& scope, egraph::AnalysisId columns)
        : ops_(ops), scope_(scope), columns_(columns) {
        intern({});
    }
    std::string name() const override { return "facts"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override;

    Value intern(Facts facts);
    const Facts& operator[](Value value) const { return *entries_[value]; }

  private:
    Value of_shaped(const egraph::EGraph& graph, egraph::AnalysisId self,
                    const egraph::NodeView& node);
    Value about(const egraph::EGraph& graph, Value facts, std::uint32_t columns);

    const SqlOps& ops_;
    PlanScope& scope_;
    egraph::AnalysisId columns_;
    std::vector<const Facts*> entries_;
    std::map<Facts, Value> numbers_;
};

// Value: 1 + the number of a set of columns that some outer join in the relation pads with NULLs.
class PaddedAnalysis : public egraph::Analysis {
  public:
    PaddedAnalysis(const SqlOps& ops, PlanScope& scope, egraph::AnalysisId columns)
        : ops_(ops), scope_(scope), columns_(columns) {}
    std::string name() const override { return "padded"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override;

  private:
    const SqlOps& ops_;
    PlanScope& scope_;
    egraph::AnalysisId columns_;
};

// Value: the number of a list of keys: sets of columns in which no two rows of the relation are equal, where none of them is
// NULL; a relation of at most one row has the empty set. 0 is none known.
class KeysAnalysis : public egraph::Analysis {
  public:
    using Keys = std::vector<std::uint32_t>;  // numbers of sets of columns, ascending

    KeysAnalysis(const SqlOps& ops, PlanScope& scope, egraph::AnalysisId columns)
        : ops_(ops), scope_(scope), columns_(columns) {
        intern({});
    }
    std::string name() const override { return "keys"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override;
    const Keys& operator[](Value value) const { return *entries_[value]; }

  private:
    static constexpr std::size_t keys_max = 8;
    Value intern(Keys keys);
    Keys of_shaped(const egraph::EGraph& graph, egraph::AnalysisId self,
                   const egraph::NodeView& node) const;
    Keys of_join(const Keys& left, const Keys& right) const;
    Keys within(const Keys& keys, std::uint32_t columns) const;

    const SqlOps& ops_;
    PlanScope& scope_;
    egraph::AnalysisId columns_;
    std::vector<const Keys*> entries_;
    std::map<Keys, Value> numbers_;
};

// The analyses, registered in an e-graph behind those of Knowledge.
class PlanKnowledge {
  public:
    PlanKnowledge(egraph::EGraph& graph, const SqlOps& ops, PlanScope& scope);

    // Of a relation, value or truth; see ColumnsAnalysis.
    std::uint32_t columns(const egraph::EGraph& graph, egraph::ClassId cls) const {
        const auto value = graph.value(ids_[0], cls);
        return value == 0 ? 0 : value - 1;
    }
    const Facts& facts(const egraph::EGraph& graph, egraph::ClassId relation) const {
        return (*facts_)[graph.value(ids_[1], relation)];
    }
    // Columns that an outer join in the relation may pad: only there does it help to know that one is not NULL.
    std::uint32_t padded(const egraph::EGraph& graph, egraph::ClassId relation) const {
        const auto value = graph.value(ids_[2], relation);
        return value == 0 ? 0 : value - 1;
    }
    const KeysAnalysis::Keys& keys(const egraph::EGraph& graph, egraph::ClassId relation) const {
        return (*keys_)[graph.value(ids_[3], relation)];
    }
    bool is_loose(const egraph::EGraph& graph, egraph::ClassId relation) const {
        return graph.value(ids_[4], relation) != 0;
    }
    PlanScope& scope() const { return *scope_; }
    static constexpr std::uint32_t first = Knowledge::count, count = 5;

  private:
    PlanScope* scope_;
    std::shared_ptr<FactsAnalysis> facts_;
    std::shared_ptr<KeysAnalysis> keys_;
    std::array<egraph::AnalysisId, count> ids_{};
};

}  // namespace satura::rules
