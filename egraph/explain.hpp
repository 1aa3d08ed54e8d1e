// What of the union log it takes to prove that nodes are equal.
//
//   Explainer explainer(graph, runner.rules(), runner.queries());
//   explainer.want(a, b);
//   for (std::uint32_t entry : explainer.run()) …   // entries of the union log, earlier ones first
//
// Every id names a term: its node's operator over the terms of the node's first children. Each entry of the log says that
// two such terms are equal, and each is used only for what came after it, so a proof never goes in circles. An entry joins
// two classes, so the entries are a forest, and between two terms there is one path. An entry of a rule stands on what its
// matched rows needed to match; one of congruence on its children. Source of the idea: Nieuwenhuis and Oliveras,
// "Proof-producing congruence closure" (RTA 2005); here sets, bags and subsumed rows take part.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "egraph/egraph.hpp"
#include "egraph/pattern.hpp"
#include "egraph/query.hpp"

namespace satura::egraph {

class Explainer {
  public:
    // Requires the log; rules and queries are the runner's. Refers to all that it is given; the e-graph must not change.
    // Cost: linear in the nodes and the log.
    Explainer(const EGraph& graph, const std::vector<Rule>& rules,
              const std::vector<Query>& queries);

    // Whether the terms were equal when the log had `before` entries.
    bool equal(std::uint32_t a, std::uint32_t b, std::uint32_t before) const {
        return root_at(a, before) == root_at(b, before);
    }
    // Asks for the entries by which they were equal then; false where they were not.
    bool want(std::uint32_t a, std::uint32_t b, std::uint32_t before);
    // Asks that those which were equal then be connected.
    void want_equal(std::vector<std::uint32_t> ids, std::uint32_t before);

    // The entries asked for and all that they stand on, in order. `more`, where given, is called once for each entry of a rule,
    // later ones first, and may ask for entries before it. What was returned is not forgotten: a later run returns it too.
    std::vector<std::uint32_t> run(const std::function<void(std::uint32_t entry)>& more = {});

    // The slots of the i-th match of a rule's entry.
    std::span<const std::uint32_t> slots(std::uint32_t entry, std::uint32_t match) const;
    // The elements of a rest slot in that match, as first children of the matched row. One that was equal to the unit then had
    // most often left the row; with `keeps_units` it is among them.
    std::vector<std::uint32_t> rest(std::uint32_t entry, std::uint32_t match, std::uint32_t slot,
                                    bool keeps_units = false) const;
    // Appends the nodes of a set's or bag's unit and zero, where they are there: elements that became equal to them are gone from a
    // row, but not from its term.
    void add_leaves(OpId op, std::vector<std::uint32_t>& ids) const;
    // The nodes, dead ones too, that had joined the class of `id` by then; at most `limit`.
    std::vector<std::uint32_t> members(std::uint32_t id, std::uint32_t before,
                                       std::size_t limit) const;

  private:
    std::uint32_t root_at(std::uint32_t id, std::uint32_t before) const;
    void build_unions();
    void build_forest();
    void need_entry(std::uint32_t entry);
    void need_congruence(std::uint32_t entry);
    void need_collapse(std::uint32_t entry);
    void need_match(std::uint32_t entry, std::uint32_t match);
    void need_atom(const Atom& atom, std::span<const std::uint32_t> slots, std::uint32_t before);
    void need_units(const Atom& atom, std::span<const std::uint32_t> children,
                    std::uint32_t before);
    void need_right(std::uint32_t entry);
    // The parts of a built term. What a template node came to, if that can be told, as a node.
    struct Building {
        const Rule& rule;
        std::uint32_t entry;
        std::uint32_t match;
        std::vector<std::uint32_t> ids;  // all that take part
    };
    void need_built(Building& building, std::uint32_t index, std::uint32_t target);
    std::optional<std::uint32_t> built_row(Building& building, std::uint32_t index,
                                           std::uint32_t target);
    void need_elements(Building& building, const PatternNode& node, std::uint32_t target,
                       std::optional<std::uint32_t> row);
    std::optional<std::uint32_t> row_of(const Building& building, std::uint32_t index,
                                        std::uint32_t element_slot, std::uint32_t element) const;
    void add_row(std::vector<std::uint32_t>& ids, std::uint32_t row) const;
    void add_element(Building& building, OpId op, std::uint32_t element);
    void add_bodies(Building& building, const PatternNode& each);
    std::uint32_t payload_of(const Building& building, const PatternNode& node) const;

    const EGraph& graph_;
    const std::vector<Rule>& rules_;
    const std::vector<Query>& queries_;
    // Who won each union, and when: without path compression, so that any earlier state can be asked for. Height: log n.
    std::vector<std::uint32_t> winner_, hung_at_;
    std::vector<std::uint32_t> next_member_;  // a ring of each class's ids in the end
    // The forest of entries.
    std::vector<std::uint32_t> parent_, parent_entry_, depth_;
    std::vector<bool> wanted_;  // by entry
    std::vector<std::uint32_t> heap_;
};

}  // namespace satura::egraph
