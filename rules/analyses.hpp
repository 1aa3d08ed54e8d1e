// What the e-graph knows of every class of SQL expressions: its type, its possible values, and whether it is stable and
// whether some member of it cannot raise.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "egraph/egraph.hpp"
#include "lang/expr.hpp"
#include "rules/possible.hpp"
#include "rules/ranges.hpp"
#include "rules/sql_ops.hpp"

namespace satura::rules {

// What is not in the node itself: the columns of the scope and the types of opaque pieces and unknown calls.
struct Scope {
    std::vector<lang::Column> columns;
    std::unordered_map<std::uint32_t, lang::Type> opaque_types;  // by payload of Op::opaque
    std::unordered_map<std::uint32_t, lang::Type> call_types;    // by name id of an unknown call
    std::unordered_set<std::uint32_t> stable_subqueries;         // payloads of subquery operators
    std::unordered_set<std::uint32_t> unstable_shapes;           // payloads of `shape`
    // What the binder says of the node that is being added: for operators over opaque types, whose result only it knows.
    std::optional<lang::Type> bound_type;
};

// Value: the type's bits + 1.
class TypeAnalysis : public egraph::Analysis {
  public:
    TypeAnalysis(const SqlOps& ops, const Scope& scope) : ops_(ops), scope_(scope) {}
    std::string name() const override { return "type"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override { return a < b ? a : b; }  // equal for well-typed classes

  private:
    const SqlOps& ops_;
    const Scope& scope_;
};

// Value: index + 1 of an interned Possible.
class PossibleAnalysis : public egraph::Analysis {
  public:
    PossibleAnalysis(SqlOps& ops, const Scope& scope, egraph::AnalysisId type)
        : ops_(ops), scope_(scope), type_(type) {}
    std::string name() const override { return "possible"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override { return intern(both((*this)[a], (*this)[b])); }
    // Of a value of this analysis; 0 is anything.
    const Possible& operator[](Value value) const { return entries_[value]; }

  private:
    Value intern(const Possible& possible);

    SqlOps& ops_;
    const Scope& scope_;
    egraph::AnalysisId type_;
    std::vector<Possible> entries_{Possible{}};
    std::unordered_map<std::uint64_t, Value> by_content_;
};

// Value: a set of flags; each only ever becomes true.
class FlagsAnalysis : public egraph::Analysis {
  public:
    static constexpr Value stable = 1;  // some member is free of volatile calls (then all are)
    static constexpr Value total = 2;   // some member never raises
    static constexpr Value bounded =
        4;  // the class's value lies within its type: it did not come from an operator that overflows

    FlagsAnalysis(const SqlOps& ops, const Scope& scope, egraph::AnalysisId type)
        : ops_(ops), scope_(scope), type_(type) {}
    std::string name() const override { return "flags"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override { return a | b; }

  private:
    const SqlOps& ops_;
    const Scope& scope_;
    egraph::AnalysisId type_;
};

// Value: index + 1 of what a predicate says of one operand, or how an expression follows from one.
class AboutAnalysis : public egraph::Analysis {
  public:
    AboutAnalysis(SqlOps& ops, const PossibleAnalysis& possible,
                  std::span<const egraph::AnalysisId> ids)
        : ops_(ops), possible_(possible), type_(ids[0]), values_(ids[1]), flags_(ids[2]) {}
    std::string name() const override { return "about"; }
    Value make(const egraph::EGraph&, egraph::AnalysisId self,
               const egraph::NodeView& node) override;
    Value join(Value a, Value b) override;
    // Forgets all values; the e-graph must have been cleared.
    void clear() { entries_.clear(); }
    // Of a value of this analysis; null for 0.
    const About* operator[](Value value) const {
        return value == 0 ? nullptr : &entries_[value - 1];
    }

  private:
    Subject subject(const egraph::EGraph& graph, egraph::AnalysisId self, std::uint32_t cls) const;

    SqlOps& ops_;
    const PossibleAnalysis& possible_;
    egraph::AnalysisId type_, values_, flags_;
    std::deque<About> entries_;
};

// The analyses registered in an e-graph, and what they say of a class.
class Knowledge {
  public:
    Knowledge(egraph::EGraph& graph, SqlOps& ops, const Scope& scope);
    // For an e-graph that was cleared: what its values stood for would pile up.
    void clear() { about_->clear(); }

    lang::Type type(const egraph::EGraph& graph, egraph::ClassId cls) const;
    const Possible& possible(const egraph::EGraph& graph, egraph::ClassId cls) const;
    bool is_stable(const egraph::EGraph& graph, egraph::ClassId cls) const;
    bool is_total(const egraph::EGraph& graph, egraph::ClassId cls) const;
    bool is_bounded(const egraph::EGraph& graph, egraph::ClassId cls) const;
    const About* about(const egraph::EGraph& graph, egraph::ClassId cls) const;
    static constexpr std::uint32_t about_id = 3;
    static constexpr std::uint32_t count = 4;  // analyses 0 to 3 of the e-graph

  private:
    std::shared_ptr<PossibleAnalysis> possible_;
    std::shared_ptr<AboutAnalysis> about_;
    std::array<egraph::AnalysisId, count> ids_{};
};

// The operands of a node as lang's operator takes them: the pairs of a CASE are opened into when, then, …, else. `graph` is an
// e-graph or TermClasses.
template <class Graph, class F>
void for_each_operand(const SqlOps& ops, const Graph& graph, const egraph::NodeView& node, F&& f) {
    const SqlOps::Meaning& m = ops.meaning(node.op);
    for (std::uint32_t child : node.children) {
        bool is_pair = false;
        if (m.op == lang::Op::case_ && !m.is_when) {
            graph.for_each_node(egraph::ClassId{child}, [&](const egraph::NodeView& n) {
                if (is_pair || n.op != ops.when()) return;
                is_pair = true;
                for (std::uint32_t part : n.children) f(part);
            });
        }
        if (!is_pair) f(child);
    }
}

// Whether a node of e-graph operator `op` may raise for some operands of these types.
bool node_may_raise(const SqlOps& ops, const egraph::EGraph& graph, const egraph::NodeView& node,
                    egraph::AnalysisId type);

}  // namespace satura::rules
