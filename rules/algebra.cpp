#include "rules/algebra.hpp"

#include <algorithm>

#include "egraph/egraph.hpp"
#include "egraph/hash.hpp"

namespace satura::rules {

Algebra::Algebra() : literal_(signature_.fixed("literal", 0)) {
    signature_.payload_key = [this](egraph::OpId op, egraph::Payload payload) {
        return op == literal_ ? egraph::hash_text(context_.names[payload]) : payload;
    };
    signature_.payload_text = [this](egraph::OpId op,
                                     egraph::Payload payload) -> std::optional<std::string> {
        if (op != literal_) return std::nullopt;
        return context_.names[payload];
    };
}

std::optional<OperatorUse> Algebra::operator_named(std::string_view name, std::uint32_t) {
    const auto op = signature_.find(name);
    if (!op || *op == literal_) return std::nullopt;
    return OperatorUse{*op, 0};
}

std::string Algebra::operator_help(std::string_view name, std::uint32_t operands) const {
    const std::string text(name);
    if (operands == 0)
        return "a variable is written ?" + text + "; a leaf is declared: operator " + text;
    return "declare it: operator " + text + "/" + std::to_string(operands);
}

std::optional<egraph::Payload> Algebra::literal(std::string_view text, LiteralText) {
    return context_.names.intern(text);
}

std::optional<egraph::Operator::Leaf> Algebra::leaf(const std::string& text) {
    const bool is_word = text == "true" || text == "false" || text == "null";
    const char c = text[0];
    if (is_word || c == '\'' || c == '-' || (c >= '0' && c <= '9')) {
        return egraph::Operator::Leaf{literal_, context_.names.intern(text)};
    }
    const auto op = signature_.find(text);
    if (!op || signature_[*op].shape != egraph::Shape::fixed || signature_[*op].arity != 0) {
        return std::nullopt;
    }
    return egraph::Operator::Leaf{*op, 0};
}

std::optional<std::string> Algebra::declare(const OperatorSyntax& declaration) {
    using Shape = OperatorSyntax::Shape;
    const std::string& name = declaration.name.text;
    if (signature_.find(name)) return "the operator \"" + name + "\" is declared already";
    const bool is_flat = declaration.shape == Shape::set || declaration.shape == Shape::bag;
    std::optional<egraph::Operator::Leaf> leaves[2];
    const Name* written[2] = {&declaration.unit, &declaration.zero};
    for (int i = 0; i < 2; ++i) {
        if (written[i]->text.empty()) continue;
        if (!is_flat) return "only a set or bag has a unit or zero";
        leaves[i] = leaf(written[i]->text);
        if (!leaves[i]) return "\"" + written[i]->text + "\" is no leaf that is declared above";
    }
    egraph::Shape shape = egraph::Shape::fixed;
    if (declaration.shape == Shape::sequence) shape = egraph::Shape::sequence;
    if (declaration.shape == Shape::set) shape = egraph::Shape::set;
    if (declaration.shape == Shape::bag) shape = egraph::Shape::bag;
    const egraph::OpId op = signature_.add(name, shape, declaration.arity);
    if (leaves[0]) signature_.set_unit(op, leaves[0]->op, leaves[0]->payload);
    if (leaves[1]) signature_.set_zero(op, leaves[1]->op, leaves[1]->payload);
    names_.push_back(name);
    return std::nullopt;
}

Operand Algebra::operand(const egraph::EGraph& graph, egraph::ClassId cls) const {
    Operand out;
    out.id = egraph::raw(cls);
    out.stable = true;
    out.bounded = true;
    graph.for_each_node(cls, [&](const egraph::NodeView& node) {
        if (node.op == literal_) out.literal = static_cast<lang::LiteralId>(node.payload);
    });
    return out;
}

Argument Algebra::resolve(const egraph::Match& match, ParameterKind as, Place place) {
    Argument out;
    out.kind = as;
    switch (place.kind) {
        case VariableKind::expression:
            out.operand = operand(match.graph(), match.cls(place.slot));
            break;
        case VariableKind::literal:
            out.operand.literal = static_cast<lang::LiteralId>(match.payload(place.slot));
            out.operand.stable = true;
            out.operand.bounded = true;
            if (const auto cls = match.graph().lookup(literal_, match.payload(place.slot), {})) {
                out.operand.id = egraph::raw(*cls);
            }
            break;
        case VariableKind::facts:
            break;
        case VariableKind::type:
            out.type = lang::Type::from_bits(match.payload(place.slot));
            break;
        case VariableKind::rest:
            for (std::uint32_t cls : match.sequence(place.slot)) {
                out.elements.push_back(
                    operand(match.graph(), match.graph().find(egraph::ClassId{cls})));
            }
            break;
        case VariableKind::op:
            break;
    }
    return out;
}

bool Algebra::store(egraph::Match& match, Place place, const Computed& value) {
    if (const auto* literal = std::get_if<lang::LiteralId>(&value)) {
        match.set_payload(place.slot, static_cast<egraph::Payload>(*literal));
    } else if (const auto* type = std::get_if<lang::Type>(&value)) {
        match.set_payload(place.slot, type->bits());
    } else {
        std::vector<std::uint32_t> classes;
        for (const Element& element : std::get<std::vector<Element>>(value)) {
            if (const auto* id = std::get_if<std::uint32_t>(&element.value)) {
                classes.push_back(*id);
                continue;
            }
            const auto payload =
                static_cast<egraph::Payload>(std::get<lang::LiteralId>(element.value));
            classes.push_back(egraph::raw(match.mutable_graph().add(literal_, payload)));
        }
        match.set_sequence(place.slot, std::move(classes));
    }
    return true;
}

std::optional<Argument> Algebra::constant(std::string_view text, ArgumentSyntax::Kind how,
                                          ParameterKind as) {
    const bool is_leaf = how == ArgumentSyntax::Kind::number || how == ArgumentSyntax::Kind::string;
    if (!is_leaf || (as != ParameterKind::literal && as != ParameterKind::expression)) {
        return std::nullopt;
    }
    Argument out;
    out.kind = as;
    out.operand.literal = static_cast<lang::LiteralId>(context_.names.intern(text));
    return out;
}

}  // namespace satura::rules
