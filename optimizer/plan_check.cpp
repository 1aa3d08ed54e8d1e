#include "optimizer/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "lang/evaluate.hpp"
#include "lang/plan_tree.hpp"
#include "optimizer/free_columns.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeId;
using egraph::NodeView;
using lang::Bag;
using lang::ColumnId;
using lang::ExprId;
using lang::Op;
using lang::RelationId;
using lang::RelOp;
using rules::Sort;

namespace {

constexpr int bindings_max = 3;  // of outer columns, on one database
const egraph::TermSize term_size;

bool is_value(const lang::RunOutcome& outcome) {
    return outcome.state == lang::Outcome::State::value;
}

// Of several relations that define a CTE all but the first by themselves: what scans it sees one definition.
std::vector<lang::RunOutcome> run_roots(const lang::Plan& plan,
                                        const std::vector<RelationId>& roots,
                                        const lang::Database& database,
                                        const lang::Context& context,
                                        std::span<const lang::Binding> outer) {
    std::vector<RelationId> together;
    std::vector<bool> is_alone, is_defined(plan.ctes.size(), false);
    for (RelationId id : roots) {
        const bool is_definition = plan[id].op == RelOp::with;
        is_alone.push_back(is_definition && is_defined[plan[id].payload]);
        if (is_definition) is_defined[plan[id].payload] = true;
        if (!is_alone.back()) together.push_back(id);
    }
    auto outcomes = lang::run_each(plan, together, database, context, lang::Mode::total, outer);
    std::vector<lang::RunOutcome> out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        out.push_back(is_alone[i]
                          ? lang::run(plan, roots[i], database, context, lang::Mode::total, outer)
                          : std::move(outcomes[at++]));
    }
    return out;
}

bool has_columns(const Bag& bag, std::span<const ColumnId> columns) {
    const auto places = lang::places_of(bag, columns);
    return std::ranges::find(places, lang::no_index) == places.end();
}

// Each row once.
std::vector<lang::Row> different_rows(std::vector<lang::Row> rows) {
    std::vector<lang::Row> out;
    std::unordered_multimap<std::uint64_t, std::size_t> by_hash;
    for (lang::Row& row : rows) {
        const auto [first, last] = by_hash.equal_range(lang::hash_row(row));
        const bool is_known = std::any_of(
            first, last, [&](const auto& at) { return lang::identical_rows(out[at.second], row); });
        if (is_known) continue;
        by_hash.emplace(lang::hash_row(row), out.size());
        out.push_back(std::move(row));
    }
    return out;
}

bool same_over(const Bag& a, const Bag& b, std::span<const ColumnId> columns, bool is_loose) {
    if (!has_columns(a, columns) || !has_columns(b, columns)) return false;
    std::vector<lang::Row> x = lang::rows_over(a, columns), y = lang::rows_over(b, columns);
    if (is_loose) {
        x = different_rows(std::move(x));
        y = different_rows(std::move(y));
    }
    return lang::same_rows(x, y);
}

std::string shown(const lang::Value& value, lang::Type type) {
    return value.is_null() ? "NULL" : lang::value_text(value, type);
}

}  // namespace

PlanCheck::PlanCheck(RuleEngine& engine, const lang::Catalog& catalog,
                     const rules::EncodedPlan& input)
    : engine_(engine), catalog_(catalog), input_(input) {
    extraction_ = std::make_unique<egraph::Extraction>(engine.graph, term_size);
    find_classes();
    decode();
    for (Class& cls : classes_) add_facts(cls);
    find_outer_columns();
    for (const Class& cls : classes_) {
        ++counts_.classes;
        counts_.members += cls.members.size();
        counts_.facts += cls.facts.size() + cls.null_columns.size();
    }
}
PlanCheck::~PlanCheck() = default;

rules::PlanDecoding PlanCheck::decoding() const {
    rules::PlanDecoding out;
    out.relation = [this](ClassId cls) { return extraction_->choice(cls); };
    out.exprs.choice = [this](ClassId cls, bool) { return extraction_->choice(cls); };
    return out;
}

// In the order in which they were made, those of demand before, inner ones first: a difference is shown where it arises, and what
// follows from it is not reached.
void PlanCheck::find_classes() {
    const EGraph& graph = engine_.graph;
    const rules::PlanKnowledge& knowledge = *engine_.plan_knowledge;
    graph.for_each_class([&](ClassId id) {
        const NodeView first = graph.node(graph.first_node(id));
        if (engine_.ops.meaning(first.op).sort != Sort::relation || !extraction_->has_choice(id))
            return;
        Class cls;
        cls.cls = id;
        cls.columns = engine_.plan_scope.column_sets[knowledge.columns(graph, id)];
        const rules::Facts& facts = knowledge.facts(graph, id);
        for (ColumnId column : engine_.plan_scope.column_sets[facts.null_columns]) {
            if (std::ranges::binary_search(cls.columns, column)) cls.null_columns.push_back(column);
        }
        graph.for_each_node(id, [&](const NodeView& node) {
            const bool is_decodable = std::ranges::all_of(node.children, [&](std::uint32_t c) {
                return extraction_->has_choice(ClassId{c});
            });
            if (is_decodable) cls.members.push_back({node.id, {}});
        });
        for (std::uint32_t i = 0; i < input_.relations.size(); ++i) {
            const NodeId node = input_.relations[i];
            if (egraph::raw(node) != egraph::none && graph.class_of(node) == id)
                cls.members.push_back({node, RelationId{i}, true});
        }
        if (!cls.members.empty()) classes_.push_back(std::move(cls));
    });
    const auto first_made = [](const Class& cls) {
        return std::ranges::min_element(cls.members, {}, &Member::node)->node;
    };
    find_loose();
    std::ranges::sort(classes_, {}, [&](const Class& cls) {
        const bool is_loose = std::ranges::any_of(cls.members, &Member::is_loose);
        return std::tuple(!is_loose, is_loose ? extraction_->cost(cls.cls) : 0, first_made(cls));
    });
}

// From `dedup` up to the consumers that do not count.
void PlanCheck::find_loose() {
    const EGraph& graph = engine_.graph;
    const rules::PlanOps& plan = engine_.ops.plan();
    std::unordered_set<std::uint32_t> loose;
    const auto is_loose_member = [&](const Member& member) {
        const NodeView node = graph.node(member.node);
        const auto below = [&](std::size_t i) {
            return loose.contains(graph.find(node.children[i]));
        };
        if (node.op == plan.dedup) return true;
        if (node.op == plan.narrow || node.op == plan.filter || node.op == plan.pad)
            return below(1);
        const auto shaped = engine_.ops.shaped(node.op);
        if (shaped == RelOp::project) return below(1);
        const auto kind = engine_.ops.join_kind(node.op);
        if (!kind) return false;
        const bool is_half = kind == lang::JoinKind::semi || kind == lang::JoinKind::anti;
        return below(1) || (!is_half && below(2));
    };
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (Class& cls : classes_) {
            for (Member& member : cls.members) {
                if (member.is_input || member.is_loose || !is_loose_member(member)) continue;
                member.is_loose = is_new = true;
                loose.insert(egraph::raw(cls.cls));
            }
        }
    }
}

void PlanCheck::decode() {
    std::vector<NodeId> nodes;
    for (const Class& cls : classes_) {
        for (const Member& member : cls.members) {
            if (!member.is_input) nodes.push_back(member.node);
        }
    }
    rules::DecodedMembers decoded =
        rules::decode_members(engine_.steps->classes(), engine_.ops, input_, decoding(), nodes);
    plan_ = std::move(decoded.decoded.plan);
    std::size_t i = 0;
    for (Class& cls : classes_) {
        for (Member& member : cls.members) {
            if (!member.is_input) member.root = decoded.roots[i++];
        }
    }
}

std::vector<bool> PlanCheck::columns_made_below(const Class& cls) const {
    std::vector<bool> made(plan_.columns.size(), false);
    for (const Member& member : cls.members) {
        for (RelationId id : lang::reachable(plan_, member.root)) {
            for (ColumnId column : lang::output_columns(plan_, id)) made[index(column)] = true;
        }
    }
    return made;
}

// Facts may be about columns that a projection has dropped.
bool PlanCheck::reads_only(ExprId expr, const Class& cls,
                           const std::vector<bool>& made_below) const {
    return std::ranges::all_of(lang::nodes_below(plan_.exprs, expr), [&](ExprId e) {
        const lang::ExprNode& node = plan_.exprs[e];
        return node.op != Op::column || !made_below[node.payload] ||
               std::ranges::binary_search(cls.columns, ColumnId{node.payload});
    });
}

void PlanCheck::add_facts(Class& cls) {
    const rules::Facts& facts = engine_.plan_knowledge->facts(engine_.graph, cls.cls);
    if (facts.truths.empty() || cls.members.empty()) return;
    const std::vector<bool> made = columns_made_below(cls);
    const rules::PlanDecoding chosen = decoding();
    rules::Decoder decoder(engine_.steps->classes(), engine_.ops, chosen.exprs, plan_.exprs);
    for (std::uint32_t truth : facts.truths) {
        if (!extraction_->has_choice(ClassId{truth})) continue;
        const ExprId expr = decoder.run(ClassId{truth}, true);
        if (!reads_only(expr, cls, made)) continue;
        lang::Relation filter;
        filter.op = RelOp::filter;
        filter.payload = static_cast<std::uint32_t>(expr);
        const RelationId root = plan_.add(filter, std::span(&cls.members[0].root, 1));
        cls.facts.push_back({ClassId{truth}, expr, root});
    }
}

// Calls f with each relation of a class that is run and whether it is one of the query's plan; members first.
template <class F>
void PlanCheck::for_each_root(const Class& cls, F&& f) const {
    for (const Member& member : cls.members) f(member.root, member.is_input);
    for (const Fact& fact : cls.facts) f(fact.filter, false);
}

void PlanCheck::find_outer_columns() {
    std::vector<RelationId> roots, input_roots;
    for (const Class& cls : classes_) {
        for_each_root(cls, [&](RelationId root, bool is_input) {
            (is_input ? input_roots : roots).push_back(root);
        });
    }
    const FreeColumns free(plan_, roots), input_free(*engine_.plan_scope.plan, input_roots);
    std::vector<bool> found(plan_.columns.size(), false);
    for (Class& cls : classes_) {
        for_each_root(cls, [&](RelationId root, bool is_input) {
            for (std::uint32_t column : (is_input ? input_free : free).of(root)) {
                cls.is_open = true;
                if (!found[column]) outer_.push_back(ColumnId{column});
                found[column] = true;
            }
        });
    }
    std::ranges::sort(outer_);
}

bool PlanCheck::run_random(lang::RandomTables options, std::uint32_t databases) {
    const lang::Plan* plans[] = {engine_.plan_scope.plan};
    const lang::TableMaker maker(catalog_, plans, engine_.context);
    for (std::uint32_t i = 0; i < databases; ++i, ++options.seed) {
        const auto database = maker.random(options);
        if (database && !run(*database)) return false;
    }
    return true;
}

bool PlanCheck::run_all(lang::AllTables options, std::uint64_t runs_max) {
    const lang::Plan* plans[] = {engine_.plan_scope.plan};
    const lang::TableMaker maker(catalog_, plans, engine_.context);
    std::uint64_t all = 0;
    const auto count = [&] {
        all = 0;
        return maker.all(options, [&](const lang::Database&) { return ++all > 0; });
    };
    while (!count() && options.values_max > 1) --options.values_max;
    const std::uint64_t step = 1 + all / std::max<std::uint64_t>(1, runs_max);
    std::uint64_t i = 0;
    maker.all(options,
              [&](const lang::Database& database) { return i++ % step != 0 || run(database); });
    return !difference_;
}

// Outer columns are NULL at first, and then as rows of some class have them.
bool PlanCheck::run(const lang::Database& database) {
    if (difference_) return false;
    ++counts_.databases;
    Bindings outer;
    for (ColumnId column : outer_) outer.push_back({column, {}});
    Outcomes outcomes;
    if (!run(database, outer, false, outcomes)) return false;
    for (int i = 1; i < bindings_max && !outer_.empty(); ++i) {
        Outcomes more;
        if (!run(database,
                 draw(outcomes, counts_.databases * bindings_max + static_cast<std::uint64_t>(i)),
                 true, more))
            return false;
    }
    return true;
}

PlanCheck::Bindings PlanCheck::draw(const Outcomes& outcomes, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::map<std::uint32_t, std::vector<lang::Value>> values;
    for (ColumnId column : outer_) values[index(column)] = {};
    for (const lang::RunOutcome& outcome : outcomes) {
        for (std::size_t c = 0; c < outcome.bag.columns.size(); ++c) {
            const auto pool = values.find(index(outcome.bag.columns[c]));
            if (pool == values.end()) continue;
            for (const lang::Row& row : outcome.bag.rows) pool->second.push_back(row[c]);
        }
    }
    Bindings out;
    for (ColumnId column : outer_) {
        const std::vector<lang::Value>& pool = values[index(column)];
        out.push_back({column, pool.empty() ? lang::Value() : pool[random() % pool.size()]});
    }
    return out;
}

// In the order of classes and for_each_root.
PlanCheck::Outcomes PlanCheck::outcomes_of(const lang::Database& database, const Bindings& outer,
                                           bool only_open) const {
    std::vector<RelationId> roots[2];
    std::vector<bool> order;
    for (const Class& cls : classes_) {
        if (only_open && !cls.is_open) continue;
        for_each_root(cls, [&](RelationId root, bool is_input) {
            roots[is_input ? 1 : 0].push_back(root);
            order.push_back(is_input);
        });
    }
    const auto run = [&](const lang::Plan& plan, const std::vector<RelationId>& wanted) {
        return run_roots(plan, wanted, database, engine_.context, outer);
    };
    Outcomes parts[2] = {run(plan_, roots[0]), run(*engine_.plan_scope.plan, roots[1])};
    Outcomes out;
    std::size_t at[2] = {0, 0};
    for (const bool is_input : order) {
        const int part = is_input ? 1 : 0;
        out.push_back(std::move(parts[part][at[part]++]));
    }
    return out;
}

// Members first: a wrong one makes facts wrong too.
bool PlanCheck::run(const lang::Database& database, const Bindings& outer, bool only_open,
                    Outcomes& out) {
    out = outcomes_of(database, outer, only_open);
    for (const bool are_members : {true, false}) {
        std::size_t at = 0;
        for (const Class& cls : classes_) {
            if (only_open && !cls.is_open) continue;
            const std::span<const lang::RunOutcome> all(out.data() + at,
                                                        cls.members.size() + cls.facts.size());
            at += all.size();
            const bool is_same = are_members ? compare_members(cls, all, database, outer)
                                             : compare_facts(cls, all, database, outer);
            if (!is_same) return false;
        }
    }
    return true;
}

bool PlanCheck::compare_members(const Class& cls, std::span<const lang::RunOutcome> outcomes,
                                const lang::Database& database, const Bindings& outer) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < cls.members.size(); ++i) {
        ++counts_.compared;
        if (!is_value(outcomes[i])) {
            ++counts_.unknown;
        } else if (!first) {
            first = i;
        } else if (!same_over(outcomes[*first].bag, outcomes[i].bag, cls.columns,
                              cls.members[*first].is_loose && cls.members[i].is_loose)) {
            report(cls, cls.members[*first], cls.members[i], database, outer);
            return false;
        }
    }
    return true;
}

// Against the first member's rows, of which the facts are filters.
bool PlanCheck::compare_facts(const Class& cls, std::span<const lang::RunOutcome> outcomes,
                              const lang::Database& database, const Bindings& outer) {
    if (!is_value(outcomes[0])) return true;
    const Bag& bag = outcomes[0].bag;
    for (std::size_t i = 0; i < cls.facts.size(); ++i) {
        const lang::RunOutcome& kept = outcomes[cls.members.size() + i];
        ++counts_.compared;
        if (!is_value(kept)) {
            ++counts_.unknown;
        } else if (kept.bag.rows.size() != bag.rows.size()) {
            const auto names = lang::plan_column_names(plan_, engine_.context.semantics.dialect);
            report_fact(cls,
                        lang::write_plan_expr(plan_, cls.facts[i].expr, names, engine_.context),
                        bag, database, outer);
            return false;
        }
    }
    const auto places = lang::places_of(bag, cls.null_columns);
    for (std::size_t i = 0; i < places.size(); ++i) {
        ++counts_.compared;
        const auto is_null = [&](const lang::Row& row) { return row[places[i]].is_null(); };
        if (std::ranges::all_of(bag.rows, is_null)) continue;
        const auto names = lang::plan_column_names(plan_, engine_.context.semantics.dialect);
        report_fact(cls, names[index(cls.null_columns[i])] + " is null", bag, database, outer);
        return false;
    }
    return true;
}

// The shortest chain of unions that made two nodes one class, as entries of the log; empty where there is none.
std::vector<std::uint32_t> PlanCheck::path(NodeId from, NodeId to) const {
    const EGraph& graph = engine_.graph;
    const auto entries = graph.log().entries();
    std::multimap<std::uint32_t, std::uint32_t> unions;  // node, entry
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        if (graph.class_of(entries[i].a) != graph.class_of(from)) continue;
        unions.emplace(egraph::raw(entries[i].a), i);
        unions.emplace(egraph::raw(entries[i].b), i);
    }
    std::map<std::uint32_t, std::uint32_t> came_by{{egraph::raw(from), egraph::none}};
    std::vector<std::uint32_t> open{egraph::raw(from)};
    const auto other = [&](std::uint32_t node, std::uint32_t entry) {
        const std::uint32_t a = egraph::raw(entries[entry].a);
        return a == node ? egraph::raw(entries[entry].b) : a;
    };
    for (std::size_t i = 0; i < open.size() && !came_by.contains(egraph::raw(to)); ++i) {
        const auto [first, last] = unions.equal_range(open[i]);
        for (auto at = first; at != last; ++at) {
            const std::uint32_t next = other(open[i], at->second);
            if (came_by.try_emplace(next, at->second).second) open.push_back(next);
        }
    }
    std::vector<std::uint32_t> out;
    if (!came_by.contains(egraph::raw(to))) return out;
    for (std::uint32_t node = egraph::raw(to); came_by[node] != egraph::none;) {
        out.push_back(came_by[node]);
        node = other(node, came_by[node]);
    }
    std::ranges::reverse(out);
    return out;
}

std::string PlanCheck::rule_of(const egraph::UnionReason& reason) const {
    switch (reason.kind) {
        case egraph::UnionReason::Kind::rule:
            return engine_.runner->rules()[egraph::raw(reason.rule)].name;
        case egraph::UnionReason::Kind::congruence:
            return "congruence";
        default:
            return "the e-graph";
    }
}

std::string PlanCheck::place_text(const lang::Database& database, const Bindings& outer) const {
    std::string out;
    std::vector<bool> is_written(catalog_.size(), false);
    for (const lang::TableInstance& instance : plan_.instances) {
        if (!instance.table || is_written[static_cast<std::uint32_t>(*instance.table)]) continue;
        const auto t = static_cast<std::uint32_t>(*instance.table);
        is_written[t] = true;
        const lang::Table& table = catalog_[*instance.table];
        std::string names;
        for (const lang::Column& column : table.columns)
            names += (names.empty() ? "" : ", ") + column.name;
        out += fmt::format("table {}({})\n", table.name, names);
        for (std::size_t r = 0; t < database.tables.size() && r < database.tables[t].size(); ++r) {
            std::string row;
            for (std::size_t c = 0; c < table.columns.size(); ++c) {
                row += (row.empty() ? "" : ", ") +
                       shown(database.tables[t][r][c], table.columns[c].type);
            }
            out += "  (" + row + ")\n";
        }
    }
    const auto names = lang::plan_column_names(plan_, engine_.context.semantics.dialect);
    for (const lang::Binding& binding : outer) {
        out += fmt::format("outer column {} = {}\n", names[index(binding.column)],
                           shown(binding.value, plan_[binding.column].type));
    }
    return out;
}

std::string PlanCheck::side_text(const lang::Plan& plan, RelationId root,
                                 const lang::RunOutcome& outcome) const {
    return lang::write_plan_tree(plan, root, engine_.context) + "rows\n" +
           lang::bag_text(outcome.bag, plan);
}

// The rule is that of the first union on the way whose ends differ; the ends are shown.
void PlanCheck::report(const Class& cls, const Member& a, const Member& b,
                       const lang::Database& database, const Bindings& outer) {
    if (a.is_input || b.is_input) {
        const auto side = [&](const Member& member) {
            const lang::Plan& plan = plan_of(member);
            return side_text(
                plan, member.root,
                lang::run(plan, member.root, database, engine_.context, lang::Mode::total, outer));
        };
        keep("an expression", side(a), side(b), place_text(database, outer));
        return;
    }
    const auto entries = engine_.graph.log().entries();
    const std::vector<std::uint32_t> way = path(a.node, b.node);
    std::vector<NodeId> nodes{a.node};
    for (std::uint32_t entry : way)
        nodes.push_back(entries[entry].a == nodes.back() ? entries[entry].b : entries[entry].a);
    if (way.empty()) nodes.push_back(b.node);
    const rules::DecodedMembers decoded =
        rules::decode_members(engine_.steps->classes(), engine_.ops, input_, decoding(), nodes);
    const lang::Plan& plan = decoded.decoded.plan;
    const Outcomes outcomes =
        lang::run_each(plan, decoded.roots, database, engine_.context, lang::Mode::total, outer);
    std::size_t x = 0, y = nodes.size() - 1;
    std::string rule = way.empty() ? "the e-graph" : rule_of(entries[way.back()].reason);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        const bool is_known = is_value(outcomes[i - 1]) && is_value(outcomes[i]);
        if (!is_known ||
            same_over(outcomes[i - 1].bag, outcomes[i].bag, cls.columns, a.is_loose && b.is_loose))
            continue;
        x = i - 1;
        y = i;
        if (!way.empty()) rule = rule_of(entries[way[x]].reason);
        break;
    }
    keep(std::move(rule), side_text(plan, decoded.roots[x], outcomes[x]),
         side_text(plan, decoded.roots[y], outcomes[y]), place_text(database, outer));
}

void PlanCheck::keep(std::string rule, const std::string& a, const std::string& b,
                     const std::string& place) {
    PlanDifference out;
    out.text =
        fmt::format("two members of a class differ, by {}\n{}and\n{}on\n{}", rule, a, b, place);
    out.rule = std::move(rule);
    difference_ = std::move(out);
}

void PlanCheck::report_fact(const Class& cls, const std::string& fact, const Bag& bag,
                            const lang::Database& database, const Bindings& outer) {
    PlanDifference out;
    out.rule = "a fact";
    out.text = fmt::format("a fact does not hold for each row: {}\n{}rows\n{}on\n{}", fact,
                           lang::write_plan_tree(plan_, cls.members[0].root, engine_.context),
                           lang::bag_text(bag, plan_), place_text(database, outer));
    difference_ = std::move(out);
}

}  // namespace satura
