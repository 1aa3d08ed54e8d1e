#include "lang/plan_tree.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "lang/sql_expr.hpp"
#include "lang/sql_opaque.hpp"

namespace satura::lang {
namespace {

class TreeWriter {
  public:
    TreeWriter(const Plan& plan, const Context& context, const PlanNote& note)
        : plan_(plan),
          context_(context),
          note_(note),
          dialect_(context.semantics.dialect),
          names_(plan_column_names(plan, dialect_)) {}

    std::string write(RelationId root) {
        stack_.push_back({root, "", Place::root, ""});
        while (!stack_.empty()) {
            const Item item = std::move(stack_.back());
            stack_.pop_back();
            line(item);
            push_children(item);
        }
        return std::move(out_);
    }

  private:
    enum class Place : std::uint8_t { root, inner, last };
    struct Item {
        RelationId relation;
        std::string prefix;  // of its own line, without the branch
        Place place = Place::root;
        std::string title;  // before the operator: "subquery 1: "
    };
    static constexpr std::size_t prefix_bytes_max = 1000;  // deeper lines are not indented further

    void line(const Item& item) {
        out_ += item.prefix;
        if (item.place != Place::root) out_ += item.place == Place::last ? "└─ " : "├─ ";
        out_ += item.title + describe(item.relation);
        if (note_) out_ += note_(item.relation);
        out_ += '\n';
    }

    void push_children(const Item& item) {
        std::vector<Item> below;
        std::string prefix = item.prefix;
        if (item.place != Place::root && prefix.size() < prefix_bytes_max) {
            prefix += item.place == Place::last ? "   " : "│  ";
        }
        for (const RelationId child : inputs(item.relation))
            below.push_back({child, prefix, Place::inner, ""});
        for (const SubqueryId id : subqueries(item.relation)) {
            below.push_back({plan_[id].relation, prefix, Place::inner,
                             fmt::format("subquery {}: ", static_cast<std::uint32_t>(id) + 1)});
        }
        if (below.empty()) return;
        below.back().place = Place::last;
        for (auto child = below.rbegin(); child != below.rend(); ++child)
            stack_.push_back(std::move(*child));
    }

    // A chain of one set operation is shown as one with many inputs.
    std::vector<RelationId> inputs(RelationId id) const {
        const auto children = plan_.children(id);
        std::vector<RelationId> out(children.begin(), children.end());
        const Relation& top = plan_[id];
        if (top.op != RelOp::set_union) return out;
        std::vector<RelationId> reversed;
        RelationId next = id;
        while (plan_[next].op == RelOp::set_union && plan_[next].all == top.all) {
            reversed.push_back(plan_.children(next)[1]);
            next = plan_.children(next)[0];
        }
        reversed.push_back(next);
        return {reversed.rbegin(), reversed.rend()};
    }

    std::vector<SubqueryId> subqueries(RelationId id) const {
        std::vector<SubqueryId> found;
        std::vector<ExprId> open = own_expressions(plan_, id);
        while (!open.empty()) {
            const ExprId expr = open.back();
            open.pop_back();
            const ExprNode& node = plan_.exprs[expr];
            if (node.op >= Op::exists) found.push_back(SubqueryId{node.payload});
            for (const ExprId child : plan_.exprs.children(expr)) open.push_back(child);
        }
        std::ranges::sort(found);
        const auto repeated = std::ranges::unique(found);
        found.erase(repeated.begin(), repeated.end());
        return found;
    }

    std::string expr(ExprId id) const { return write_plan_expr(plan_, id, names_, context_); }
    const std::string& name(ColumnId column) const {
        return names_[static_cast<std::uint32_t>(column)];
    }

    template <class T, class F>
    std::string listed(const std::vector<T>& items, const F& text) const {
        std::string out;
        for (const T& item : items) out += (out.empty() ? "" : ", ") + text(item);
        return out;
    }
    std::string listed(const std::vector<ColumnId>& columns) const {
        return listed(columns, [&](ColumnId column) { return name(column); });
    }
    std::string listed(const std::vector<ExprId>& exprs) const {
        return listed(exprs, [&](ExprId id) { return expr(id); });
    }
    std::string listed(const std::vector<ProjectItem>& items) const {
        return listed(items, [&](const ProjectItem& item) {
            const ExprNode& node = plan_.exprs[item.expr];
            if (node.op == Op::column && ColumnId{node.payload} == item.column)
                return name(item.column);
            return name(item.column) + " := " + expr(item.expr);
        });
    }
    std::string listed(const std::vector<SortKey>& keys) const {
        return listed(keys, [&](const SortKey& key) {
            std::string text = expr(key.expr);
            if (!key.using_operator.empty()) {
                text += " using " + key.using_operator;
            } else if (key.descending) {
                text += " desc";
            }
            const bool usual = key.nulls_first == (dialect_ == Dialect::postgres && key.descending);
            return usual ? text : text + (key.nulls_first ? " nulls first" : " nulls last");
        });
    }

    std::string describe_call(const AggregateCall& call) const {
        std::string text = name(call.column) + " := " + call.function + '(';
        if (call.star) text += '*';
        if (call.distinct) text += "distinct ";
        if (call.variadic) text += "variadic ";
        text += listed(call.arguments);
        if (!call.order.empty() && !call.within_group) text += " order by " + listed(call.order);
        text += ')';
        if (call.within_group) text += " within group (order by " + listed(call.order) + ')';
        if (call.filter != no_expr) text += " filter (where " + expr(call.filter) + ')';
        return text;
    }

    std::string bound(FrameBound bound, ExprId offset) const {
        switch (bound) {
            case FrameBound::unbounded_preceding:
                return "unbounded preceding";
            case FrameBound::preceding:
                return expr(offset) + " preceding";
            case FrameBound::current_row:
                return "current row";
            case FrameBound::following:
                return expr(offset) + " following";
            case FrameBound::unbounded_following:
                break;
        }
        return "unbounded following";
    }

    std::string describe_frame(const Frame& frame) const {
        constexpr std::array<std::string_view, 3> modes{"range", "rows", "groups"};
        constexpr std::array<std::string_view, 4> exclusions{"", " exclude current row",
                                                             " exclude group", " exclude ties"};
        return fmt::format(" {} between {} and {}{}", modes[static_cast<std::size_t>(frame.mode)],
                           bound(frame.start, frame.start_offset),
                           bound(frame.end, frame.end_offset),
                           exclusions[static_cast<std::size_t>(frame.exclusion)]);
    }

    std::string describe_window(const WindowCall& window) const {
        std::string over;
        if (!window.partition.empty()) over += "partition by " + listed(window.partition);
        if (!window.order.empty())
            over += (over.empty() ? "order by " : " order by ") + listed(window.order);
        if (window.frame.written) over += describe_frame(window.frame);
        return describe_call(window.call) + " over (" + over + ')';
    }

    std::string describe_aggregate(const Aggregate& aggregate) const {
        std::string text = "aggregate";
        if (!aggregate.keys.empty()) text += " by " + listed(aggregate.keys);
        if (!aggregate.sets.empty()) {
            text += aggregate.distinct_sets ? " in distinct sets " : " in sets ";
            text += listed(aggregate.sets, [&](const std::vector<std::uint32_t>& set) {
                return '(' +
                       listed(set,
                              [&](std::uint32_t key) { return name(aggregate.keys[key].column); }) +
                       ')';
            });
        }
        if (!aggregate.calls.empty()) {
            text += ": " + listed(aggregate.calls,
                                  [&](const AggregateCall& call) { return describe_call(call); });
        }
        if (!aggregate.dependents.empty()) text += " with " + listed(aggregate.dependents);
        return text;
    }

    std::string describe_values(const Values& values) const {
        constexpr std::size_t cells_max = 30;
        std::string text = "values (" + listed(values.columns) + ')';
        if (values.cells.size() > cells_max) return text + fmt::format(" {} rows", values.rows);
        const std::size_t width = values.columns.size();
        for (std::size_t row = 0; row < values.rows; ++row) {
            const auto begin = values.cells.begin() + static_cast<std::ptrdiff_t>(row * width);
            text += " (" +
                    listed(std::vector<ExprId>(begin, begin + static_cast<std::ptrdiff_t>(width))) +
                    ')';
        }
        return text;
    }

    std::string describe_scan(const TableInstance& instance) const {
        std::string text = instance.only ? "scan only " : "scan ";
        if (!instance.schema.empty()) text += write_name(instance.schema, dialect_) + '.';
        text += write_name(instance.name, dialect_);
        if (!instance.alias.empty()) text += " as " + write_name(instance.alias, dialect_);
        return text;
    }

    std::string describe_join(const Relation& r) const {
        std::string text =
            std::string(join_kind_name(r.join)) + (r.lateral ? " lateral join" : " join");
        if (ExprId{r.payload} != no_expr) text += " on " + expr(ExprId{r.payload});
        return text;
    }

    std::string describe_topn(const TopN& topn) const {
        std::string text = topn.limit == no_expr && topn.offset == no_expr ? "order" : "topn";
        if (!topn.keys.empty()) text += " by " + listed(topn.keys);
        if (topn.limit != no_expr)
            text += " limit " + expr(topn.limit) + (topn.with_ties ? " with ties" : "");
        if (topn.offset != no_expr) text += " offset " + expr(topn.offset);
        return text;
    }

    std::string describe_set(const Relation& r) const {
        const SetOperation& set = plan_.set_operations[r.payload];
        return std::string(rel_op_name(r.op)) + (r.all ? " all " : " ") + listed(set.columns);
    }

    std::string describe_opaque(const OpaqueRelation& opaque) const {
        std::vector<std::string> arguments;
        for (const ExprId argument : opaque.arguments) arguments.push_back(expr(argument));
        std::string text = fill_places(opaque.text, arguments);
        std::ranges::replace(text, '\n', ' ');
        if (!opaque.columns.empty()) text += " as " + listed(opaque.columns);
        return "opaque " + text;
    }

  public:
    std::string describe(RelationId id) const {
        const Relation& r = plan_[id];
        switch (r.op) {
            case RelOp::scan:
                return describe_scan(plan_.instances[r.payload]);
            case RelOp::values:
                return describe_values(plan_.values[r.payload]);
            case RelOp::filter:
                return "filter " + expr(ExprId{r.payload});
            case RelOp::project:
                return "project " + listed(plan_.projects[r.payload]);
            case RelOp::join:
                return describe_join(r);
            case RelOp::aggregate:
                return describe_aggregate(plan_.aggregates[r.payload]);
            case RelOp::distinct_on: {
                const DistinctOn& on = plan_.distinct_ons[r.payload];
                return "distinct on " + listed(on.keys) +
                       (on.order.empty() ? "" : " order by " + listed(on.order));
            }
            case RelOp::topn:
                return describe_topn(plan_.topns[r.payload]);
            case RelOp::set_union:
            case RelOp::set_intersect:
            case RelOp::set_except:
                return describe_set(r);
            case RelOp::window:
                return "window " + listed(plan_.windows[r.payload],
                                          [&](const WindowCall& w) { return describe_window(w); });
            case RelOp::with: {
                const Cte& cte = plan_.ctes[r.payload];
                return "with " + write_name(cte.name, dialect_) + " (" +
                       listed(cte.column_names,
                              [&](const std::string& n) { return write_name(n, dialect_); }) +
                       ')';
            }
            case RelOp::cte_scan: {
                const CteScan& scan = plan_.cte_scans[r.payload];
                return "cte scan " + write_name(plan_[scan.cte].name, dialect_) +
                       (scan.alias.empty() ? "" : " as " + write_name(scan.alias, dialect_)) +
                       " (" + listed(scan.columns) + ')';
            }
            case RelOp::opaque:
                return describe_opaque(plan_.opaques[r.payload]);
            default:
                return std::string(rel_op_name(r.op));
        }
    }

  private:
    const Plan& plan_;
    const Context& context_;
    const PlanNote& note_;
    Dialect dialect_;
    std::vector<std::string> names_;
    std::vector<Item> stack_;
    std::string out_;
};

}  // namespace

std::vector<std::string> describe_relations(const Plan& plan, std::span<const RelationId> relations,
                                            const Context& context) {
    const TreeWriter writer(plan, context, {});
    std::vector<std::string> lines;
    for (const RelationId id : relations) lines.push_back(writer.describe(id));
    return lines;
}

std::string write_plan_tree(const Plan& plan, RelationId root, const Context& context,
                            const PlanNote& note) {
    return TreeWriter(plan, context, note).write(root);
}

}  // namespace satura::lang
