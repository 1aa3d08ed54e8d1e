#include "rules/analyses.hpp"

#include "lang/evaluate.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeView;
using lang::Op;

namespace {

lang::Type class_type(const EGraph& graph, egraph::AnalysisId type, std::uint32_t cls) {
    egraph::Analysis::Value value = graph.value(type, ClassId{cls});
    return value == 0 ? lang::Type{} : lang::Type::from_bits(value - 1);
}

thread_local std::vector<lang::Type> type_scratch;
thread_local std::vector<Possible> possible_scratch;

std::span<const lang::Type> operand_types(const SqlOps& ops, const EGraph& graph,
                                          egraph::AnalysisId type, const NodeView& node) {
    type_scratch.clear();
    for_each_operand(ops, graph, node, [&](std::uint32_t child) {
        type_scratch.push_back(class_type(graph, type, child));
    });
    return type_scratch;
}

lang::Type type_of_leaf(const SqlOps& ops, const Scope& scope, const NodeView& node, bool& known) {
    const SqlOps::Meaning& m = ops.meaning(node.op);
    known = true;
    if (m.op == Op::column) return scope.columns[node.payload].type;
    if (m.op == Op::literal) return ops.context().literals[lang::LiteralId{node.payload}].type;
    if (m.op == Op::cast || m.op == Op::try_cast) return lang::Type::from_bits(node.payload);
    if (m.op == Op::opaque) {
        auto it = scope.opaque_types.find(node.payload);
        if (it != scope.opaque_types.end()) return it->second;
    }
    if (node.op == ops[Op::call]) {
        auto it = scope.call_types.find(node.payload);
        if (it != scope.call_types.end()) return it->second;
    }
    known = false;
    return {};
}

}  // namespace

egraph::Analysis::Value TypeAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                           const NodeView& node) {
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    if (m.is_when || m.sort != Sort::value) return 0;
    bool known = false;
    lang::Type type = type_of_leaf(ops_, scope_, node, known);
    if (known) return type.bits() + 1;
    auto types = operand_types(ops_, graph, self, node);
    auto result =
        lang::result_type(m.op, ops_.lang_payload(node.op, node.payload), types, ops_.context());
    if (!result) result = scope_.bound_type;
    if (!result &&
        (lang::is_comparison(m.op) || m.op == Op::in || m.op == Op::between || m.op == Op::like)) {
        result = lang::Type{lang::TypeKind::boolean};
    }
    return result ? result->bits() + 1 : 0;
}

egraph::Analysis::Value PossibleAnalysis::intern(const Possible& possible) {
    std::uint64_t key =
        std::uint64_t{possible.mask} << 33 |
        (possible.constant ? 1ULL << 32 | static_cast<std::uint32_t>(*possible.constant) : 0);
    auto [it, fresh] = by_content_.try_emplace(key, static_cast<Value>(entries_.size()));
    if (fresh) entries_.push_back(possible);
    return it->second;
}

egraph::Analysis::Value PossibleAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                               const NodeView& node) {
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    if (m.is_when || m.sort != Sort::value) return 0;
    lang::Type type = class_type(graph, type_, egraph::raw(graph.find(graph.class_of(node.id))));
    if (type.kind() == lang::TypeKind::unknown && m.op != Op::literal) return 0;
    if (m.op == Op::literal)
        return intern(possible_of_literal(lang::LiteralId{node.payload}, ops_.context()));
    if (m.op == Op::column)
        return intern(possible_of_leaf(type, scope_.columns[node.payload].nullable));
    if (m.op == Op::exists) return intern({Possible::true_ | Possible::false_, {}});
    if (m.op >= Op::opaque || node.op == ops_[Op::call])
        return intern(possible_of_leaf(type, true));
    auto types = operand_types(ops_, graph, type_, node);
    possible_scratch.clear();
    for_each_operand(ops_, graph, node, [&](std::uint32_t child) {
        possible_scratch.push_back((*this)[graph.value(self, ClassId{child})]);
    });
    return intern(possible_of(m.op, type, ops_.lang_payload(node.op, node.payload),
                              possible_scratch, types, ops_.context()));
}

egraph::Analysis::Value FlagsAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                            const NodeView& node) {
    Value flags = stable | total | bounded;
    for (std::uint32_t child : node.children) flags &= graph.value(self, ClassId{child});
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    if (node.op == ops_.plan().shape && scope_.unstable_shapes.contains(node.payload))
        flags &= ~stable;
    if (m.sort != Sort::value) return flags;
    if (m.is_when || node.children.empty()) {
        bool is_leaf = m.op == Op::column || m.op == Op::literal || m.is_when;
        if (is_leaf) return flags;
    }
    const bool is_stable_subquery =
        m.op >= Op::exists && scope_.stable_subqueries.contains(node.payload);
    if (!is_stable_subquery &&
        lang::is_volatile(m.op, ops_.lang_payload(node.op, node.payload), ops_.context()))
        flags &= ~stable;
    if (node_may_raise(ops_, graph, node, type_)) flags &= ~(total | bounded);
    // What nobody knows gives a value of its type, if it gives one.
    const bool is_unknown = m.op >= Op::opaque || node.op == ops_[Op::call];
    const lang::Type type =
        class_type(graph, type_, egraph::raw(graph.find(graph.class_of(node.id))));
    if (is_unknown || type.kind() == lang::TypeKind::boolean) flags |= bounded;
    return flags;
}

Subject AboutAnalysis::subject(const EGraph& graph, egraph::AnalysisId self,
                               std::uint32_t cls) const {
    const ClassId found = graph.find(ClassId{cls});
    Subject out;
    out.id = egraph::raw(found);
    out.type = class_type(graph, type_, out.id);
    out.bounded = (graph.value(flags_, found) & FlagsAnalysis::bounded) != 0;
    out.constant = possible_[graph.value(values_, found)].constant;
    out.about = (*this)[graph.value(self, found)];
    return out;
}

egraph::Analysis::Value AboutAnalysis::make(const EGraph& graph, egraph::AnalysisId self,
                                            const NodeView& node) {
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    if (m.is_when || m.sort != Sort::value || !may_be_about(m.op)) return 0;
    const std::uint32_t cls = egraph::raw(graph.find(graph.class_of(node.id)));
    const lang::Type type = class_type(graph, type_, cls);
    if (type.kind() == lang::TypeKind::unknown) return 0;
    std::vector<Subject> operands;
    for_each_operand(ops_, graph, node,
                     [&](std::uint32_t child) { operands.push_back(subject(graph, self, child)); });
    auto about = about_of(
        m.op, type, operands, [&](std::uint32_t id) { return subject(graph, self, id); },
        ops_.context());
    if (!about) return 0;
    entries_.push_back(std::move(*about));
    return static_cast<Value>(entries_.size());
}

egraph::Analysis::Value AboutAnalysis::join(Value a, Value b) {
    if (a == 0 || b == 0) return a == 0 ? b : a;
    return is_better(*(*this)[b], *(*this)[a]) ? b : a;
}

bool node_may_raise(const SqlOps& ops, const EGraph& graph, const NodeView& node,
                    egraph::AnalysisId type) {
    const SqlOps::Meaning& m = ops.meaning(node.op);
    if (m.sort != Sort::value || m.is_when || m.op == Op::column || m.op == Op::literal)
        return false;
    lang::Type result = class_type(graph, type, egraph::raw(graph.find(graph.class_of(node.id))));
    return lang::may_raise(m.op, result, ops.lang_payload(node.op, node.payload),
                           operand_types(ops, graph, type, node), ops.context());
}

Knowledge::Knowledge(EGraph& graph, SqlOps& ops, const Scope& scope) {
    ids_[0] = graph.add_analysis(std::make_shared<TypeAnalysis>(ops, scope));
    possible_ = std::make_shared<PossibleAnalysis>(ops, scope, ids_[0]);
    ids_[1] = graph.add_analysis(possible_);
    ids_[2] = graph.add_analysis(std::make_shared<FlagsAnalysis>(ops, scope, ids_[0]));
    about_ = std::make_shared<AboutAnalysis>(ops, *possible_, ids_);
    ids_[3] = graph.add_analysis(about_);
}

lang::Type Knowledge::type(const EGraph& graph, ClassId cls) const {
    return class_type(graph, ids_[0], egraph::raw(cls));
}

const Possible& Knowledge::possible(const EGraph& graph, ClassId cls) const {
    return (*possible_)[graph.value(ids_[1], cls)];
}

bool Knowledge::is_bounded(const EGraph& graph, ClassId cls) const {
    return (graph.value(ids_[2], cls) & FlagsAnalysis::bounded) != 0;
}

const About* Knowledge::about(const EGraph& graph, ClassId cls) const {
    return (*about_)[graph.value(ids_[3], cls)];
}

bool Knowledge::is_stable(const EGraph& graph, ClassId cls) const {
    return (graph.value(ids_[2], cls) & FlagsAnalysis::stable) != 0;
}

bool Knowledge::is_total(const EGraph& graph, ClassId cls) const {
    return (graph.value(ids_[2], cls) & FlagsAnalysis::total) != 0;
}

}  // namespace satura::rules
