#include "lang/run_plan.hpp"

#include <algorithm>

#include "lang/plan_runner.hpp"
#include "lang/sql_select.hpp"

namespace satura::lang {
namespace {

// The relations that are evaluated once to have the rows of `roots`: all below them but the right sides of lateral joins and
// the queries in expressions. Children come first.
std::vector<RelationId> frame_of(const Plan& plan, std::span<const RelationId> roots) {
    std::vector<RelationId> open(roots.begin(), roots.end());
    std::vector<RelationId> found;
    std::unordered_map<std::uint32_t, bool> seen;
    while (!open.empty()) {
        const RelationId id = open.back();
        open.pop_back();
        if (!seen.emplace(static_cast<std::uint32_t>(id), true).second) continue;
        found.push_back(id);
        const bool lateral = plan[id].op == RelOp::join && plan[id].lateral;
        const auto children = plan.children(id);
        for (std::size_t i = 0; i < (lateral ? 1 : children.size()); ++i)
            open.push_back(children[i]);
    }
    std::ranges::sort(found);
    return found;
}

std::size_t place_in(const std::vector<RelationId>& frame, RelationId id) {
    return static_cast<std::size_t>(std::ranges::lower_bound(frame, id) - frame.begin());
}

}  // namespace

PlanRunner::PlanRunner(const Plan& plan, const Database& database, const Context& context,
                       Mode mode)
    : plan_(plan),
      database_(database),
      context_(context),
      mode_(mode),
      bound_(plan.columns.size()) {}

void PlanRunner::bind(ColumnId column, const Value& value) {
    bound_[static_cast<std::uint32_t>(column)] = value;
}

const Value* PlanRunner::bound(ColumnId column) const {
    const auto& value = bound_[static_cast<std::uint32_t>(column)];
    return value ? &*value : nullptr;
}

PlanRunner::Binder::Binder(PlanRunner& runner, const std::vector<ColumnId>& columns)
    : runner_(runner), columns_(columns) {
    for (const ColumnId column : columns)
        before_.push_back(runner.bound_[static_cast<std::uint32_t>(column)]);
}

PlanRunner::Binder::~Binder() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        runner_.bound_[static_cast<std::uint32_t>(columns_[i])] = std::move(before_[i]);
    }
}

void PlanRunner::Binder::bind(const Row& row) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        runner_.bound_[static_cast<std::uint32_t>(columns_[i])] = row[i];
    }
}

Outcome PlanRunner::take_fault() {
    Outcome fault = std::move(*fault_);
    fault_.reset();
    return fault;
}

bool PlanRunner::cannot_say(std::string_view reason) {
    fault_ = Outcome{Outcome::State::unknown, {}, std::string(reason)};
    return false;
}

bool PlanRunner::raise(std::string_view message) {
    if (mode_ == Mode::total) return cannot_say(message);
    fault_ = Outcome{Outcome::State::error, {}, std::string(message)};
    return false;
}

bool PlanRunner::value_of(RowExpr& expr, Value& out) {
    const Outcome& outcome = expr.value();
    if (outcome.state != Outcome::State::value) {
        fault_ = outcome;
        if (fault_->error.empty()) fault_->error = "an expression that cannot be evaluated";
        return false;
    }
    out = outcome.value;
    return true;
}

bool PlanRunner::add_row(Bag& bag, Row row) {
    if ((bag.rows.size() + 1) * (bag.columns.size() + 1) > run_values_max)
        return cannot_say("too many rows");
    bag.rows.push_back(std::move(row));
    return true;
}

std::vector<Type> PlanRunner::types_of(std::span<const ColumnId> columns) const {
    std::vector<Type> types;
    for (const ColumnId column : columns) types.push_back(plan_[column].type);
    return types;
}

std::shared_ptr<const Bag> PlanRunner::run(RelationId root) {
    if (depth_ == query_depth_max) {
        cannot_say("queries nested too deeply");
        return nullptr;
    }
    ++depth_;
    const auto outer_ctes = ctes_;
    const std::vector<RelationId> frame = frame_of(plan_, std::span(&root, 1));
    std::vector<Shared> bags(frame.size());
    std::vector<std::uint32_t> readers(frame.size(), 0);
    for (const RelationId id : frame) {
        for (const RelationId child : plan_.children(id)) {
            const std::size_t at = place_in(frame, child);
            if (at < frame.size() && frame[at] == child) ++readers[at];
        }
    }
    const Definitions definitions = definitions_in(frame);
    for (std::size_t i = 0; i < frame.size() && !fault_; ++i) {
        std::vector<Shared> inputs;
        for (const RelationId child : plan_.children(frame[i])) {
            const std::size_t at = place_in(frame, child);
            const bool here = at < frame.size() && frame[at] == child;
            inputs.push_back(here ? bags[at] : nullptr);
            if (here && --readers[at] == 0) bags[at].reset();
        }
        bags[i] = rows_of(frame[i], inputs, definitions);
    }
    --depth_;
    ctes_ = outer_ctes;
    return fault_ ? nullptr : bags.back();
}

std::vector<RunOutcome> PlanRunner::run_each(std::span<const RelationId> roots) {
    ++depth_;
    const std::vector<RelationId> frame = frame_of(plan_, roots);
    std::vector<Shared> bags(frame.size());
    std::vector<Outcome> faults(frame.size());  // where there is no bag
    const Definitions definitions = definitions_in(frame);
    for (std::size_t i = 0; i < frame.size(); ++i) {
        std::vector<Shared> inputs;
        std::optional<std::size_t> missing;
        for (const RelationId child : plan_.children(frame[i])) {
            const std::size_t at = place_in(frame, child);
            const bool here = at < frame.size() && frame[at] == child;
            inputs.push_back(here ? bags[at] : nullptr);
            if (here && bags[at] == nullptr) missing = at;
        }
        if (!missing) bags[i] = rows_of(frame[i], inputs, definitions);
        if (bags[i] == nullptr) faults[i] = missing ? faults[*missing] : take_fault();
    }
    --depth_;
    std::vector<RunOutcome> out;
    for (const RelationId root : roots) {
        const std::size_t at = place_in(frame, root);
        RunOutcome& outcome = out.emplace_back();
        if (bags[at] != nullptr) {
            outcome.bag = *bags[at];
        } else {
            outcome.state = faults[at].state;
            outcome.reason = faults[at].error;
        }
    }
    return out;
}

PlanRunner::Definitions PlanRunner::definitions_in(std::span<const RelationId> frame) {
    Definitions definitions;
    for (const RelationId id : frame) {
        if (plan_[id].op != RelOp::with) continue;
        definitions[static_cast<std::uint32_t>(plan_.children(id)[0])].push_back(plan_[id].payload);
        ctes_.erase(plan_[id].payload);
    }
    return definitions;
}

PlanRunner::Shared PlanRunner::rows_of(RelationId id, Inputs inputs,
                                       const Definitions& definitions) {
    if (plan_[id].op == RelOp::with) return inputs[1];
    auto bag = std::make_shared<Bag>();
    bag->columns = output_columns(plan_, id);
    if (!evaluate(id, inputs, *bag)) return nullptr;
    const auto defined = definitions.find(static_cast<std::uint32_t>(id));
    if (defined == definitions.end()) return bag;
    for (const std::uint32_t cte : defined->second) ctes_[cte] = bag;
    return bag;
}

bool PlanRunner::evaluate(RelationId id, Inputs inputs, Bag& out) {
    const Relation& r = plan_[id];
    switch (r.op) {
        case RelOp::one_row:
            return add_row(out, {});
        case RelOp::scan:
            return scan(r, out);
        case RelOp::values:
            return values(plan_.values[r.payload], out);
        case RelOp::filter:
            return filter(r, *inputs[0], out);
        case RelOp::project:
            return project(plan_.projects[r.payload], *inputs[0], out);
        case RelOp::join:
            return join(r, plan_.children(id)[1], inputs, out);
        case RelOp::aggregate:
            return aggregate(plan_.aggregates[r.payload], *inputs[0], out);
        case RelOp::distinct:
            return distinct(*inputs[0], out);
        case RelOp::distinct_on:
            return distinct_on(plan_.distinct_ons[r.payload], *inputs[0], out);
        case RelOp::topn:
            return topn(plan_.topns[r.payload], *inputs[0], out);
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            return set_operation(r, *inputs[0], *inputs[1], out);
        case RelOp::cte_scan:
            return cte_scan(plan_.cte_scans[r.payload], out);
        case RelOp::window:
            return cannot_say("a window");
        case RelOp::opaque:
            return cannot_say("an opaque relation");
        case RelOp::with:
            break;  // see run()
    }
    return cannot_say("an operator that is not known");
}

bool PlanRunner::scan(const Relation& r, Bag& out) {
    const TableInstance& instance = plan_.instances[r.payload];
    if (!instance.table) return cannot_say("a table that is not in the catalog");
    const auto table = static_cast<std::uint32_t>(*instance.table);
    if (table >= database_.tables.size()) return true;
    for (const Row& stored : database_.tables[table]) {
        Row row;
        for (const ColumnId column : out.columns) {
            const PlanColumn& made = plan_[column];
            if (made.whole_row || made.ordinal >= stored.size())
                return cannot_say("a column that no table stores");
            row.push_back(stored[made.ordinal]);
        }
        if (!add_row(out, std::move(row))) return false;
    }
    return true;
}

bool PlanRunner::values(const Values& values, Bag& out) {
    const std::size_t width = values.columns.size();
    for (std::size_t i = 0; i < values.rows; ++i) {
        Row row(width);
        for (std::size_t k = 0; k < width; ++k) {
            RowExpr cell(*this, values.cells[i * width + k]);
            if (!value_of(cell, row[k])) return false;
        }
        if (!add_row(out, std::move(row))) return false;
    }
    return true;
}

bool PlanRunner::filter(const Relation& r, const Bag& in, Bag& out) {
    RowExpr predicate(*this, ExprId{r.payload});
    Binder binder(*this, in.columns);
    for (const Row& row : in.rows) {
        binder.bind(row);
        Value kept;
        if (!value_of(predicate, kept)) return false;
        if (kept.is_true() && !add_row(out, row)) return false;
    }
    return true;
}

bool PlanRunner::project(const std::vector<ProjectItem>& items, const Bag& in, Bag& out) {
    std::vector<RowExpr> exprs;
    exprs.reserve(items.size());
    for (const ProjectItem& item : items) exprs.emplace_back(*this, item.expr);
    Binder binder(*this, in.columns);
    for (const Row& input : in.rows) {
        binder.bind(input);
        Row row(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (!value_of(exprs[i], row[i])) return false;
        }
        if (!add_row(out, std::move(row))) return false;
    }
    return true;
}

bool PlanRunner::cte_scan(const CteScan& scan, Bag& out) {
    const auto found = ctes_.find(static_cast<std::uint32_t>(scan.cte));
    if (found == ctes_.end()) return cannot_say("a CTE out of its scope");
    const std::vector<ColumnId>& columns = plan_[scan.cte].columns;
    const auto places = places_of(*found->second, columns);
    if (columns.size() != out.columns.size() ||
        std::ranges::find(places, no_index) != places.end()) {
        return cannot_say("a CTE whose columns do not fit");
    }
    for (Row& row : rows_over(*found->second, columns)) {
        if (!add_row(out, std::move(row))) return false;
    }
    return true;
}

RunOutcome run(const Plan& plan, RelationId relation, const Database& database,
               const Context& context, Mode mode, std::span<const Binding> outer) {
    PlanRunner runner(plan, database, context, mode);
    for (const Binding& binding : outer) runner.bind(binding.column, binding.value);
    RunOutcome out;
    if (const auto bag = runner.run(relation)) {
        out.bag = *bag;
        return out;
    }
    Outcome fault = runner.take_fault();
    out.state = fault.state;
    out.reason = std::move(fault.error);
    return out;
}

std::vector<RunOutcome> run_each(const Plan& plan, std::span<const RelationId> relations,
                                 const Database& database, const Context& context, Mode mode,
                                 std::span<const Binding> outer) {
    PlanRunner runner(plan, database, context, mode);
    for (const Binding& binding : outer) runner.bind(binding.column, binding.value);
    return runner.run_each(relations);
}

}  // namespace satura::lang
