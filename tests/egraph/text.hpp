// Terms and rules of test algebras in prefix form:
//
//     (+ ?a (* ?b 2)) => (+ (* ?b 2) ?a)        both sides stay; "~>" normalises
//     (f ?x) & (g ?x) => ?x                     a further root
//     (and ?p ...r) => (and (not ?p) ...r)      "...r" is a rest
//     (and ...r) => (or (each ?e ...r (not ?e)))
//     (lit:?n) => (lit:3)                       payloads; "lit:*" is any
//
// An operator is declared by use; numbers and words without children are leaves.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/runner.hpp"

namespace satura::egraph::test {

class Algebra {
  public:
    Signature signature;

    OpId set(const std::string& name) { return signature.add(name, Shape::set); }
    OpId bag(const std::string& name) { return signature.add(name, Shape::bag); }
    OpId sequence(const std::string& name) { return signature.add(name, Shape::sequence); }
    void unit(const std::string& op, const std::string& leaf) {
        signature.set_unit(*signature.find(op), signature.fixed(leaf, 0), 0);
    }
    void zero(const std::string& op, const std::string& leaf) {
        signature.set_zero(*signature.find(op), signature.fixed(leaf, 0), 0);
    }

    ClassId add(EGraph& graph, std::string_view text) {
        Rule rule;
        Reader reader{text, 0};
        std::uint32_t root = read(reader, rule, rule.left);
        return build(graph, rule.left, root);
    }

    Rule rule(std::string_view text, std::string name = {}) {
        Rule rule;
        rule.name = name.empty() ? std::string(text) : std::move(name);
        Reader reader{text, 0};
        std::uint32_t left = read(reader, rule, rule.left);
        std::string arrow = word(reader);
        for (; arrow == "&"; arrow = word(reader)) {
            rule.also.push_back(read(reader, rule, rule.left));
        }
        rule.left.root = left;
        rule.normalises = arrow == "~>";
        std::uint32_t right = read(reader, rule, rule.right);
        rule.right.root = right;
        return rule;
    }

    static std::uint32_t slot_of(const Rule& rule, std::string_view name) {
        for (std::uint32_t i = 0; i < rule.slot_names.size(); ++i) {
            if (rule.slot_names[i] == name) return i;
        }
        return none;
    }

  private:
    struct Reader {
        std::string_view text;
        std::size_t at;
    };

    static void skip(Reader& r) {
        while (r.at < r.text.size() && r.text[r.at] == ' ') ++r.at;
    }
    static std::string word(Reader& r) {
        skip(r);
        std::size_t begin = r.at;
        while (r.at < r.text.size() && r.text[r.at] != ' ' && r.text[r.at] != '(' &&
               r.text[r.at] != ')')
            ++r.at;
        return std::string(r.text.substr(begin, r.at - begin));
    }

    static std::uint32_t slot(Rule& rule, const std::string& name, SlotKind kind) {
        std::uint32_t known = slot_of(rule, name);
        return known != none ? known : rule.add_slot(kind, name);
    }

    // "name", "name:7", "name:?p" or "name:*": cuts the payload off the name.
    static PayloadRef payload(Rule& rule, std::string& name) {
        std::size_t colon = name.find(':');
        if (colon == std::string::npos) return PayloadRef::constant(0);
        std::string text = name.substr(colon + 1);
        name.resize(colon);
        if (text == "*") return {PayloadRef::Kind::any, 0};
        if (text[0] == '?') return PayloadRef::slot(slot(rule, text, SlotKind::payload));
        return PayloadRef::constant(static_cast<Payload>(std::stoul(text)));
    }

    std::uint32_t read(Reader& r, Rule& rule, Pattern& pattern) {
        skip(r);
        if (r.text[r.at] != '(') {
            std::string w = word(r);
            if (w.starts_with("...")) return pattern.rest(slot(rule, w, SlotKind::rest));
            if (w.starts_with("?")) return pattern.slot(slot(rule, w, SlotKind::cls));
            PayloadRef p = payload(rule, w);
            return pattern.node(signature.fixed(w, 0), p, {});
        }
        ++r.at;
        std::string name = word(r);
        if (name == "each") return read_each(r, rule, pattern);
        PayloadRef p = payload(rule, name);
        std::vector<std::uint32_t> children;
        for (skip(r); r.text[r.at] != ')'; skip(r)) children.push_back(read(r, rule, pattern));
        ++r.at;
        auto known = signature.find(name);
        auto arity = static_cast<std::uint32_t>(children.size());
        OpId op = known ? *known : signature.fixed(name, arity);
        return pattern.node(op, p, children);
    }

    std::uint32_t read_each(Reader& r, Rule& rule, Pattern& pattern) {
        std::uint32_t element = slot(rule, word(r), SlotKind::cls);
        std::uint32_t over = slot(rule, word(r), SlotKind::rest);
        std::uint32_t body = read(r, rule, pattern);
        skip(r);
        ++r.at;
        return pattern.each(element, over, body);
    }

    static ClassId build(EGraph& graph, const Pattern& pattern, std::uint32_t root) {
        std::vector<ClassId> made(pattern.nodes.size());
        for (std::uint32_t i = 0; i <= root; ++i) {
            std::vector<ClassId> children;
            for (std::uint32_t c : pattern.nodes[i].children) children.push_back(made[c]);
            made[i] = graph.add(pattern.nodes[i].op, pattern.nodes[i].payload.value, children);
        }
        return made[root];
    }
};

}  // namespace satura::egraph::test
