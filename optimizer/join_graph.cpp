#include "optimizer/join_graph.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>
#include <unordered_map>

#include "lang/plan_tree.hpp"

namespace satura {

using lang::ExprId;
using lang::Op;
using lang::Plan;
using lang::Relation;
using lang::RelationId;
using lang::RelOp;

namespace {

struct Vertex {
    std::string label;
};
struct Link {
    std::string label;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Vertex, Link>;

bool is_inner(const Plan& plan, RelationId id) {
    const Relation& r = plan[id];
    return r.op == RelOp::join && r.join == lang::JoinKind::inner && !r.lateral;
}

// The join below filters, or the relation itself.
RelationId below_filters(const Plan& plan, RelationId id) {
    RelationId at = id;
    while (plan[at].op == RelOp::filter) at = plan.children(at)[0];
    return is_inner(plan, at) ? at : id;
}

class Block {
  public:
    Block(const Plan& plan, RelationId top) : plan_(plan) {
        std::vector<RelationId> todo{top};
        while (!todo.empty()) {
            const RelationId id = todo.back();
            todo.pop_back();
            if (!is_inner(plan, id)) {
                add_input(id);
                continue;
            }
            ++out_.joins;
            inside_.push_back(id);
            note(ExprId{plan[id].payload});
            const auto children = plan.children(id);
            for (std::size_t i = children.size(); i-- > 0;) {
                for (RelationId f = children[i];
                     plan[f].op == RelOp::filter && below_filters(plan, f) != f;
                     f = plan.children(f)[0])
                    note(ExprId{plan[f].payload});
                todo.push_back(below_filters(plan, children[i]));
            }
        }
    }

    JoinGraph run() {
        for (ExprId condition : conditions_) connect(condition);
        Graph graph(out_.inputs.size());
        for (const JoinGraph::Edge& edge : out_.edges) boost::add_edge(edge.a, edge.b, graph);
        std::vector<int> component(boost::num_vertices(graph));
        out_.components =
            static_cast<std::uint32_t>(boost::connected_components(graph, component.data()));
        return std::move(out_);
    }
    const std::vector<RelationId>& inside() const { return inside_; }

  private:
    void add_input(RelationId id) {
        for (lang::ColumnId column : lang::output_columns(plan_, id))
            input_of_[static_cast<std::uint32_t>(column)] =
                static_cast<std::uint32_t>(out_.inputs.size());
        out_.inputs.push_back(id);
    }

    void note(ExprId condition) {
        if (condition == lang::no_expr) return;
        std::vector<ExprId> todo{condition};
        while (!todo.empty()) {
            const ExprId id = todo.back();
            todo.pop_back();
            const auto children = plan_.exprs.children(id);
            if (plan_.exprs[id].op == Op::and_)
                todo.insert(todo.end(), children.rbegin(), children.rend());
            else
                conditions_.push_back(id);
        }
    }

    void connect(ExprId condition) {
        std::vector<std::uint32_t> read;
        for (ExprId e : lang::nodes_below(plan_.exprs, condition)) {
            const lang::ExprNode& node = plan_.exprs[e];
            const auto at = input_of_.find(node.payload);
            if (node.op == Op::column && at != input_of_.end()) read.push_back(at->second);
        }
        std::ranges::sort(read);
        const auto repeated = std::ranges::unique(read);
        read.erase(repeated.begin(), repeated.end());
        for (std::size_t i = 0; i < read.size(); ++i) {
            for (std::size_t j = i + 1; j < read.size(); ++j)
                out_.edges.push_back({read[i], read[j], condition});
        }
    }

    const Plan& plan_;
    JoinGraph out_;
    std::vector<RelationId> inside_;
    std::vector<ExprId> conditions_;
    std::unordered_map<std::uint32_t, std::uint32_t> input_of_;  // by column
};

}  // namespace

std::vector<JoinGraph> join_graphs(const Plan& plan) {
    std::vector<JoinGraph> out;
    const std::vector<RelationId> all = lang::reachable(plan, plan.root);
    std::vector<bool> done(plan.size(), false);
    for (std::size_t i = all.size(); i-- > 0;) {
        if (!is_inner(plan, all[i]) || done[static_cast<std::size_t>(all[i])]) continue;
        Block block(plan, all[i]);
        for (RelationId id : block.inside()) done[static_cast<std::size_t>(id)] = true;
        out.push_back(block.run());
    }
    std::ranges::reverse(out);
    return out;
}

std::string write_join_graphs(const Plan& plan, const lang::Context& context) {
    const std::vector<std::string> names = lang::plan_column_names(plan, context.semantics.dialect);
    Graph graph;
    for (const JoinGraph& block : join_graphs(plan)) {
        const auto first = boost::num_vertices(graph);
        for (const std::string& line : lang::describe_relations(plan, block.inputs, context))
            boost::add_vertex(Vertex{line}, graph);
        for (const JoinGraph::Edge& edge : block.edges) {
            const std::string text = lang::write_plan_expr(plan, edge.condition, names, context);
            boost::add_edge(first + edge.a, first + edge.b, Link{text}, graph);
        }
    }
    std::ostringstream out;
    boost::write_graphviz(out, graph, boost::make_label_writer(boost::get(&Vertex::label, graph)),
                          boost::make_label_writer(boost::get(&Link::label, graph)));
    return out.str();
}

}  // namespace satura
