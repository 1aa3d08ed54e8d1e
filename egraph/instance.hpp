// A rule's sides with what its variables stand for in a step of an explanation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egraph/explanation.hpp"
#include "egraph/term_closure.hpp"

namespace satura::egraph {

class Instance {
  public:
    // All must outlive it.
    Instance(const Rule& rule, const Explanation::Step& step, TermClosure& closure);

    // What is wrong with what the variables stand for; empty if nothing.
    const std::string& mistake() const { return mistake_; }
    // The side as a term; nothing where a variable stands for nothing.
    std::optional<TermId> left() { return build(rule_.left, rule_.left.root); }
    std::optional<TermId> right() { return build(rule_.right, rule_.right.root); }

  private:
    struct Value {
        bool is_bound = false;
        std::vector<TermId> terms;
        Payload payload = 0;
    };
    void bind(const Explanation::Binding& binding);
    std::optional<TermId> build(const Pattern& pattern, std::uint32_t root);
    bool add_operand(const Pattern& pattern, std::uint32_t index, const std::vector<TermId>& made,
                     std::vector<TermId>& out);
    std::optional<Payload> payload_of(const Pattern& pattern, std::uint32_t index) const;

    const Rule& rule_;
    TermClosure& closure_;
    std::vector<Value> values_;        // by slot
    std::vector<Payload> payloads_;    // of the nodes that take any
    std::vector<std::uint32_t> open_;  // these nodes, of the left side
    std::string mistake_;
};

// The nodes of a rule's left side, further roots included, that take any payload, in order.
std::vector<std::uint32_t> nodes_of_any_payload(const Rule& rule);

}  // namespace satura::egraph
