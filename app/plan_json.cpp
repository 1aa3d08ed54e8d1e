#include "app/plan_json.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace satura::app {

namespace {

using Json = nlohmann::ordered_json;

// Writes from the root down, with a stack of its own.
class PlanJson {
  public:
    explicit PlanJson(const std::vector<PlanNode>& nodes) : nodes_(nodes), below_(nodes.size()) {
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::uint32_t child : nodes[i].children) below_[i] += below_[child] + 1;
        }
    }

    std::string write() {
        open(static_cast<std::uint32_t>(nodes_.size() - 1));
        while (!stack_.empty()) {
            Level& top = stack_.back();
            const std::vector<std::uint32_t>& children = nodes_[top.node].children;
            if (top.next == children.size()) {
                close();
                continue;
            }
            if (top.next > 0) text_ += ',';
            open(children[top.next++]);
        }
        return std::move(text_);
    }

  private:
    struct Level {
        std::uint32_t node = 0;
        std::size_t next = 0;  // of its children
    };

    void open(std::uint32_t node) {
        const PlanNode& n = nodes_[node];
        const Json fields{{"op", n.op}, {"detail", n.detail}, {"rows", n.rows}, {"cost", n.cost}};
        text_ += fields.dump(-1, ' ', false, Json::error_handler_t::replace);
        text_.back() = ',';
        const bool is_cut = stack_.size() + 1 >= plan_levels_max && below_[node] > 0;
        if (is_cut) text_ += "\"omitted\":" + std::to_string(below_[node]) + ',';
        text_ += "\"children\":[";
        stack_.push_back({node, is_cut ? n.children.size() : 0});
    }

    void close() {
        text_ += "]}";
        stack_.pop_back();
    }

    const std::vector<PlanNode>& nodes_;
    std::vector<std::uint64_t> below_;  // relations under each, not itself
    std::vector<Level> stack_;
    std::string text_;
};

}  // namespace

std::string plan_json(const PlanText& plan) {
    return plan.nodes.empty() ? "null" : PlanJson(plan.nodes).write();
}

}  // namespace satura::app
