// Terms and rules of test algebras in prefix form: "(+ ?a (* ?b 2)) => (+ (* ?b 2) ?a)"; "...?r" is a rest, "~>" normalises.
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

    void set(const std::string& name) { signature.add(name, Shape::set); }
    void bag(const std::string& name) { signature.add(name, Shape::bag); }
    void sequence(const std::string& name) { signature.add(name, Shape::sequence); }

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
        rule.left.root = left;
        std::string arrow = word(reader);
        rule.normalises = arrow == "~>";
        std::uint32_t right = read(reader, rule, rule.right);
        rule.right.root = right;
        return rule;
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

    std::uint32_t slot(Rule& rule, const std::string& name, SlotKind kind) {
        for (std::uint32_t i = 0; i < rule.slots.size(); ++i) {
            if (rule.slot_names[i] == name) return i;
        }
        return rule.add_slot(kind, name);
    }

    std::uint32_t read(Reader& r, Rule& rule, Pattern& pattern) {
        skip(r);
        if (r.text[r.at] != '(') {
            std::string w = word(r);
            if (w.starts_with("...")) return pattern.rest(slot(rule, w.substr(3), SlotKind::rest));
            if (w.starts_with("?")) return pattern.slot(slot(rule, w, SlotKind::cls));
            return pattern.node(signature.fixed(w, 0), PayloadRef::constant(0), {});
        }
        ++r.at;
        std::string name = word(r);
        std::vector<std::uint32_t> children;
        for (skip(r); r.text[r.at] != ')'; skip(r)) children.push_back(read(r, rule, pattern));
        ++r.at;
        auto known = signature.find(name);
        OpId op =
            known ? *known : signature.fixed(name, static_cast<std::uint32_t>(children.size()));
        return pattern.node(op, PayloadRef::constant(0), children);
    }

    ClassId build(EGraph& graph, const Pattern& pattern, std::uint32_t root) {
        std::vector<ClassId> made(pattern.nodes.size());
        for (std::uint32_t i = 0; i <= root; ++i) {
            std::vector<ClassId> children;
            for (std::uint32_t c : pattern.nodes[i].children) children.push_back(made[c]);
            made[i] = graph.add(pattern.nodes[i].op, 0, children);
        }
        return made[root];
    }
};

}  // namespace satura::egraph::test
