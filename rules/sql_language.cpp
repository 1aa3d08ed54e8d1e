#include "rules/sql_language.hpp"

#include "lang/sql_expr.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::EGraph;
using lang::LiteralId;
using lang::Op;

std::optional<OperatorUse> SqlLanguage::operator_named(std::string_view name, std::uint32_t) {
    if (name == "<=>") name = lang::op_name(Op::null_safe_eq);
    if (auto known = ops_.signature().find(name)) return OperatorUse{*known, 0};
    const auto call = ops_.function_named(name);
    if (!call) return std::nullopt;
    return OperatorUse{call->op, call->payload};
}

std::vector<std::string> SqlLanguage::operator_names() const {
    std::vector<std::string> names;
    names.reserve(ops_.signature().size());
    for (std::uint32_t i = 0; i < ops_.signature().size(); ++i)
        names.push_back(ops_.signature()[egraph::OpId{i}].name);
    return names;
}

std::optional<egraph::Payload> SqlLanguage::literal(std::string_view text, LiteralText how) {
    if (how != LiteralText::word) return std::nullopt;
    if (text == "true") return static_cast<std::uint32_t>(ops_.true_literal());
    if (text == "false") return static_cast<std::uint32_t>(ops_.false_literal());
    if (text == "null") return static_cast<std::uint32_t>(ops_.null_literal());
    return std::nullopt;
}

std::string SqlLanguage::literal_help() const {
    return "numbers and strings have no type here; declare a variable `where ?c: literal` and "
           "describe it by a word";
}

std::optional<egraph::Payload> SqlLanguage::parse_type(std::string_view text) {
    auto type = lang::parse_type(text, ops_.context());
    if (!type) return std::nullopt;
    return type->bits();
}

std::optional<std::string> SqlLanguage::declare(const OperatorSyntax&) {
    return "SQL rules cannot declare operators; put an algebra of your own into a file by itself";
}

std::vector<Setting> SqlLanguage::settings() const {
    return {{"nan", {"total", "ieee"}},
            {"dialect", {"postgres", "duckdb", "spark", "mysql", "sqlite"}}};
}

Sort sort_of(const ResolvedRule& rule, const SqlOps& ops) {
    for (std::uint32_t side : {rule.left, rule.right}) {
        const ResolvedTerm& term = rule.terms[side];
        if (term.kind == TermKind::apply) return ops.meaning(term.op).sort;
    }
    return Sort::value;
}

bool is_enabled(const std::vector<SettingSyntax>& settings, const lang::Semantics& semantics) {
    for (const SettingSyntax& s : settings) {
        if (s.setting.text == "nan" &&
            (s.value.text == "ieee") != (semantics.nan == lang::NanOrder::ieee))
            return false;
        if (s.setting.text == "dialect" && s.value.text != lang::dialect_name(semantics.dialect))
            return false;
    }
    return true;
}

// Only what analyses may still learn can turn a negated condition false; types and constants are what they are.
bool SqlLanguage::is_unstable(const ConditionWord& word, bool negated) const {
    // There is no need to say it shorter once something shorter is known.
    for (std::string_view length : {"long_winded", "and_long_winded", "or_long_winded"}) {
        if (word.name == length) return true;
    }
    if (!negated) return false;
    for (std::string_view learned :
         {"stable", "bounded", "never_null", "always_null", "constant", "written"}) {
        if (word.name == learned) return true;
    }
    return false;
}

Operand SqlLanguage::operand(const EGraph& graph, ClassId cls) const {
    Operand o;
    o.id = egraph::raw(graph.find(cls));
    o.type = knowledge_->type(graph, cls);
    o.possible = knowledge_->possible(graph, cls);
    o.stable = knowledge_->is_stable(graph, cls);
    o.bounded = knowledge_->is_bounded(graph, cls);
    o.about = knowledge_->about(graph, cls);
    if (o.about != nullptr && o.about->ranges) {
        const ClassId subject = graph.find(ClassId{o.about->ranges->subject});
        o.subject = egraph::raw(subject);
        o.subject_never_null = knowledge_->possible(graph, subject).never_null();
    }
    // Folding puts the constant itself into the class of whatever has one value; what raises has none.
    o.literal = o.possible.constant;
    if (o.literal)
        o.written = graph.lookup(ops_[Op::literal], static_cast<std::uint32_t>(*o.literal), {}) ==
                    graph.find(cls);
    return o;
}

Operand SqlLanguage::literal_operand(const EGraph& graph, LiteralId literal) const {
    Operand o;
    auto cls = graph.lookup(ops_[Op::literal], static_cast<std::uint32_t>(literal), {});
    o.id = cls ? egraph::raw(*cls) : egraph::none;
    o.type = ops_.context().literals[literal].type;
    o.possible = possible_of_literal(literal, ops_.context());
    o.literal = literal;
    o.written = true;
    o.stable = true;
    o.bounded = true;
    return o;
}

Argument SqlLanguage::resolve(const egraph::Match& match, ParameterKind as, Place place) {
    Argument argument;
    argument.kind = as;
    const bool is_class = as == ParameterKind::truth || as == ParameterKind::relation ||
                          as == ParameterKind::shape || as == ParameterKind::facts;
    if (place.kind == VariableKind::facts) {
        argument.facts = match.payload(place.slot);
    } else if (is_class) {
        argument.operand.id = egraph::raw(match.cls(place.slot));
        if (as == ParameterKind::facts && steps_ != nullptr)
            argument.facts = steps_->facts_of(match.cls(place.slot));
    } else if (place.kind == VariableKind::type) {
        argument.type = lang::Type::from_bits(match.payload(place.slot));
    } else if (place.kind == VariableKind::literal) {
        argument.operand = literal_operand(match.graph(), LiteralId{match.payload(place.slot)});
    } else if (place.kind == VariableKind::rest) {
        const auto& classes = match.sequence(place.slot);
        argument.elements.reserve(classes.size());
        for (std::uint32_t c : classes)
            argument.elements.push_back(operand(match.graph(), ClassId{c}));
    } else {
        argument.operand = operand(match.graph(), match.cls(place.slot));
    }
    return argument;
}

void SqlLanguage::reads(std::string_view word, ParameterKind as, Place place,
                        std::vector<egraph::Read>& out) {
    if (place.kind != VariableKind::expression && place.kind != VariableKind::rest) return;
    if (as == ParameterKind::truth || as == ParameterKind::shape) return;
    if (as == ParameterKind::relation || as == ParameterKind::facts) {
        if (steps_ == nullptr) return;
        // But for the last, LooseAnalysis: no word waits for it.
        for (std::uint32_t i = 0; i + 1 < PlanKnowledge::count; ++i)
            out.push_back({egraph::AnalysisId{PlanKnowledge::first + i}, place.slot});
        return;
    }
    for (std::uint32_t analysis = 0; analysis < Knowledge::count; ++analysis) {
        if (analysis == Knowledge::about_id && !reads_about(word)) continue;
        out.push_back({egraph::AnalysisId{analysis}, place.slot});
    }
}

bool SqlLanguage::store(egraph::Match& match, Place place, const Computed& value) {
    auto node_of = [&](LiteralId literal) {
        return match.mutable_graph().add(ops_[Op::literal], static_cast<std::uint32_t>(literal));
    };
    auto node_of_made = [&](const Made& made) {
        const auto add = [&](egraph::OpId op, egraph::Payload payload,
                             const std::vector<std::uint32_t>& children) {
            return egraph::raw(match.mutable_graph().add_node(op, payload, children));
        };
        return add_made(made, ops_, add, [](std::uint32_t id) { return id; });
    };
    if (const auto* literal = std::get_if<LiteralId>(&value)) {
        if (place.kind == VariableKind::expression) {
            match.set_class(place.slot, node_of(*literal));
        } else {
            match.set_payload(place.slot, static_cast<std::uint32_t>(*literal));
        }
    } else if (const auto* cls = std::get_if<egraph::ClassId>(&value)) {
        match.set_class(place.slot, *cls);
    } else if (const auto* made = std::get_if<Made>(&value)) {
        match.set_class(place.slot, ClassId{node_of_made(*made)});
    } else if (const auto* facts = std::get_if<ComputedFacts>(&value)) {
        match.set_payload(place.slot, facts->id);
    } else if (const auto* type = std::get_if<lang::Type>(&value)) {
        match.set_payload(place.slot, type->bits());
    } else {
        std::vector<std::uint32_t> classes;
        for (const Element& e : std::get<std::vector<Element>>(value)) {
            if (const auto* id = std::get_if<std::uint32_t>(&e.value)) {
                classes.push_back(*id);
            } else if (const auto* part = std::get_if<Made>(&e.value)) {
                classes.push_back(node_of_made(*part));
            } else {
                classes.push_back(egraph::raw(node_of(std::get<LiteralId>(e.value))));
            }
        }
        match.set_sequence(place.slot, std::move(classes));
    }
    return true;
}

bool SqlLanguage::share_subject(const egraph::Match& match, Place a, Place b) {
    const EGraph& graph = match.graph();
    const auto subject = [&](Place place) {
        const ClassId cls = match.cls(place.slot);
        const About* about = knowledge_->about(graph, cls);
        const bool is_about_another = about != nullptr && about->ranges;
        return graph.find(is_about_another ? ClassId{about->ranges->subject} : cls);
    };
    const bool are_expressions =
        a.kind == VariableKind::expression && b.kind == VariableKind::expression;
    return !are_expressions || subject(a) == subject(b);
}

bool SqlLanguage::holds(const ConditionWord& word, const egraph::Match&,
                        std::span<const Argument> arguments) {
    if (word.holds != nullptr) return word.holds(context(), arguments);
    return steps_ != nullptr && word.holds_in_plan(*steps_, arguments);
}

std::optional<Computed> SqlLanguage::compute(const ComputedWord& word, egraph::Match&,
                                             std::span<const Argument> arguments) {
    if (word.compute != nullptr) return word.compute(context(), arguments);
    if (steps_ == nullptr) return std::nullopt;
    return word.compute_in_plan(*steps_, arguments);
}

std::optional<Argument> SqlLanguage::constant(std::string_view text, ArgumentSyntax::Kind,
                                              ParameterKind as) {
    Argument argument;
    argument.kind = as;
    if (as == ParameterKind::type) {
        auto type = lang::parse_type(text, ops_.context());
        if (!type) return std::nullopt;
        argument.type = *type;
        return argument;
    }
    if (as == ParameterKind::op) {
        auto known = ops_.signature().find(text);
        if (!known) return std::nullopt;
        argument.op = ops_.meaning(*known).op;
        return argument;
    }
    return std::nullopt;
}

}  // namespace satura::rules
