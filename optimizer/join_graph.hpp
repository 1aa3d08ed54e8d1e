// The join graph of a block of inner joins: which inputs the conjuncts compare with each other.
#pragma once

#include <string>
#include <vector>

#include "lang/context.hpp"
#include "lang/plan.hpp"

namespace satura {

struct JoinGraph {
    // A block's inputs: relations that are no inner joins (filters over them are looked through).
    std::vector<lang::RelationId> inputs;
    struct Edge {
        std::uint32_t a = 0;  // indexes of inputs
        std::uint32_t b = 0;
        lang::ExprId condition{};  // the conjunct that reads both
    };
    std::vector<Edge> edges;
    std::uint32_t joins = 0;
    // Inputs that no chain of conjuncts connects are in different components; joining these is a cross product.
    std::uint32_t components = 1;
};

// One graph for each maximal block of inner joins that the root reaches, those in subqueries too, in order of their topmost
// joins. Lateral joins are inputs. A conjunct over three inputs makes an edge for each pair. Cost: linear but for such conjuncts.
std::vector<JoinGraph> join_graphs(const lang::Plan& plan);

// The graphs in Graphviz's language: nodes are inputs, edges carry their conjuncts.
std::string write_join_graphs(const lang::Plan& plan, const lang::Context& context);

}  // namespace satura
