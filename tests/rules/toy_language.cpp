#include "tests/rules/toy_language.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>

namespace satura::rules::test {

namespace {

using P = ParameterKind;

std::optional<long> number(const lang::Context& context, const Operand& operand) {
    if (!operand.literal) return std::nullopt;
    const std::string& text = context.names[static_cast<std::uint32_t>(*operand.literal)];
    long value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

lang::LiteralId number_literal(lang::Context& context, long value) {
    return static_cast<lang::LiteralId>(context.names.intern(std::to_string(value)));
}

constexpr std::uint32_t int_type = 1, long_type = 2;

}  // namespace

Toy::Toy() {
    conditions_ = {
        {"stable",
         {P::expression},
         "",
         [](lang::Context&, std::span<const Argument> a) { return a[0].operand.stable; }},
        {"small",
         {P::literal},
         "",
         [](lang::Context& c, std::span<const Argument> a) {
             return number(c, a[0].operand).value_or(100) < 10;
         }},
        {"big",
         {P::expression},
         "",
         [](lang::Context& c, std::span<const Argument> a) {
             return number(c, a[0].operand).value_or(0) >= 10;
         }},
        {"same",
         {P::expression, P::expression},
         "",
         [](lang::Context&, std::span<const Argument> a) {
             return a[0].operand.id == a[1].operand.id;
         }},
        {"int_type",
         {P::type},
         "",
         [](lang::Context&, std::span<const Argument> a) { return a[0].type.bits() == int_type; }},
        {"any",
         {P::rest},
         "",
         [](lang::Context&, std::span<const Argument> a) { return !a[0].elements.empty(); }},
        {"is_less",
         {P::op},
         "",
         [](lang::Context&, std::span<const Argument> a) { return a[0].op == lang::Op::lt; }},
    };
    computations_ = {
        {"twice",
         {P::literal},
         ResultKind::literal,
         "",
         [](lang::Context& c, std::span<const Argument> a) -> std::optional<Computed> {
             const auto value = number(c, a[0].operand);
             if (!value || *value > 50) return std::nullopt;
             return number_literal(c, *value * 2);
         }},
        {"evens",
         {P::rest},
         ResultKind::rest,
         "",
         [](lang::Context& c, std::span<const Argument> a) -> std::optional<Computed> {
             std::vector<Element> kept;
             for (const Operand& o : a[0].elements) {
                 if (number(c, o).value_or(0) % 2 == 0) kept.push_back({o.id});
             }
             if (kept.size() == a[0].elements.size()) return std::nullopt;
             return kept;
         }},
        {"wide",
         {P::type},
         ResultKind::type,
         "",
         [](lang::Context&, std::span<const Argument> a) -> std::optional<Computed> {
             if (a[0].type.bits() != int_type) return std::nullopt;
             return lang::Type::from_bits(long_type);
         }},
    };
}

std::optional<egraph::Payload> Toy::parse_type(std::string_view text) {
    if (text == "int") return int_type;
    if (text == "long") return long_type;
    return std::nullopt;
}

std::optional<Argument> Toy::constant(std::string_view text, ArgumentSyntax::Kind how,
                                      ParameterKind as) {
    Argument out;
    out.kind = as;
    if (as == ParameterKind::op && operator_named(text, 2)) {
        out.op = text == "<" ? lang::Op::lt : lang::Op::eq;
        return out;
    }
    if (as == ParameterKind::type) {
        const auto type = parse_type(text);
        if (!type) return std::nullopt;
        out.type = lang::Type::from_bits(*type);
        return out;
    }
    return Algebra::constant(text, how, as);
}

// Leaves v1, v2 … are volatile.
void Toy::set_stable(Operand& operand, const egraph::EGraph& graph) const {
    graph.for_each_node(egraph::ClassId{operand.id}, [&](const egraph::NodeView& node) {
        if (graph.signature()[node.op].name[0] == 'v') operand.stable = false;
    });
}

Argument Toy::resolve(const egraph::Match& match, ParameterKind as, Place place) {
    Argument out = Algebra::resolve(match, as, place);
    if (place.kind == VariableKind::expression) set_stable(out.operand, match.graph());
    for (Operand& o : out.elements) set_stable(o, match.graph());
    return out;
}

std::vector<Setting> Toy::settings() const { return {{"nan", {"total", "ieee"}}}; }

namespace {

std::string smallest(const egraph::EGraph& graph, egraph::ClassId cls) {
    const egraph::NodeView node = graph.node(graph.witness(cls));
    const std::string name = graph.signature().text(node.op, node.payload);
    if (node.children.empty()) return name;
    std::vector<std::string> children;
    for (std::uint32_t c : node.children) {
        children.push_back(smallest(graph, graph.find(egraph::ClassId{c})));
    }
    const egraph::Shape shape = graph.signature()[node.op].shape;
    if (shape == egraph::Shape::set || shape == egraph::Shape::bag) {
        std::sort(children.begin(), children.end());
    }
    std::string out = "(" + name;
    for (const std::string& c : children) out += " " + c;
    return out + ")";
}

}  // namespace

Outcome run(const std::string& text) {
    Toy toy;
    const Loaded loaded = load({{"toy.rules", text}}, toy);
    for (const SourceError& e : loaded.errors) FAIL_CHECK(loaded.book.render(e));
    if (loaded.book.starts.empty()) return {};
    egraph::EGraph graph(toy.signature());
    const egraph::ClassId root = add_term(graph, loaded.book.start(0, toy));
    graph.rebuild();
    std::vector<egraph::Rule> rules;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        for (egraph::Rule& rule : loaded.book.compile(i, toy)) rules.push_back(std::move(rule));
    }
    egraph::Runner runner(graph, rules);
    Outcome out;
    out.report = runner.run({.iterations = 50, .nodes = 10'000});
    out.best = smallest(graph, graph.find(root));
    out.nodes = graph.node_count();
    return out;
}

std::string errors_of(const std::string& text) {
    Toy toy;
    const Loaded loaded = load({{"toy.rules", text}}, toy);
    std::string out;
    for (const SourceError& e : loaded.errors) out += loaded.book.render(e);
    return out;
}

}  // namespace satura::rules::test
