#include "optimizer/equality.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "optimizer/fact_items.hpp"
#include "optimizer/flat_query.hpp"
#include "optimizer/join_forms.hpp"
#include "optimizer/joint_plan.hpp"
#include "optimizer/plan_match.hpp"
#include "rules/plan_encode.hpp"

namespace satura {

using lang::ColumnId;
using lang::InstanceId;
using lang::Plan;
using lang::RelationId;
using lang::RelOp;

namespace {

// Each round names the columns of one more level of a query, so this is as deep as any is written.
constexpr std::uint32_t rounds_max = 64;
// Further forms of projections and joins give rules more to do, and what these find gives more forms.
constexpr std::uint32_t forms_rounds_max = 3;

// The mentions of one table in both queries, in the order in which they are written.
struct Mentions {
    std::vector<InstanceId> of[2];
    std::vector<std::uint32_t> order;  // of the query with more of them
};

using TableName = std::tuple<std::uint32_t, std::string, std::string, bool>;

std::vector<Mentions> mentions_of(const FlatQuery (&queries)[2]) {
    std::map<TableName, Mentions> by_table;
    for (int side : {0, 1}) {
        const Plan& plan = queries[side].plan;
        std::set<std::uint32_t> scanned;
        for (RelationId id : lang::reachable(plan, plan.root)) {
            if (plan[id].op == RelOp::scan) scanned.insert(plan[id].payload);
        }
        for (std::uint32_t instance : scanned) {
            const lang::TableInstance& i = plan.instances[instance];
            const bool is_known = i.table.has_value();
            const TableName name{is_known ? static_cast<std::uint32_t>(*i.table) : lang::no_index,
                                 is_known ? "" : i.schema, is_known ? "" : i.name, i.only};
            by_table[name].of[side].push_back(InstanceId{instance});
        }
    }
    std::vector<Mentions> out;
    for (auto& [name, mentions] : by_table) {
        const std::size_t most = std::max(mentions.of[0].size(), mentions.of[1].size());
        for (std::uint32_t i = 0; i < most; ++i) mentions.order.push_back(i);
        if (!mentions.of[0].empty() && !mentions.of[1].empty()) out.push_back(std::move(mentions));
    }
    return out;
}

// The next way to pair mentions; false after the last one. Ways that differ only in what finds no partner are one.
bool advance(std::vector<Mentions>& all) {
    for (Mentions& mentions : all) {
        const std::size_t paired = std::min(mentions.of[0].size(), mentions.of[1].size());
        std::reverse(mentions.order.begin() + static_cast<std::ptrdiff_t>(paired),
                     mentions.order.end());
        if (std::ranges::next_permutation(mentions.order).found) return true;
    }
    return false;
}

// Pairs the columns of two mentions: of a table by their places, of an open one by their names.
void unite(const Plan& first, InstanceId a, const Plan& second, InstanceId b, Renaming& renaming) {
    const lang::TableInstance& x = first[a];
    const lang::TableInstance& y = second[b];
    Renaming extended = renaming;
    if (x.table) {
        if (x.columns.size() != y.columns.size()) return;
        for (std::size_t i = 0; i < x.columns.size(); ++i) {
            const lang::PlanColumn& c = first[x.columns[i]];
            const lang::PlanColumn& d = second[y.columns[i]];
            if (c.ordinal != d.ordinal || c.whole_row != d.whole_row || c.name != d.name ||
                !extended.unite(first, x.columns[i], second, y.columns[i]))
                return;
        }
    } else {
        for (ColumnId d : y.columns) {
            for (ColumnId c : x.columns) {
                const bool is_same =
                    first[c].name == second[d].name && first[c].whole_row == second[d].whole_row;
                if (is_same && !extended.unite(first, c, second, d)) return;
            }
        }
    }
    extended.instances[index(b)] = a;
    renaming = std::move(extended);
}

class Comparison {
  public:
    Comparison(RuleEngine& engine, const lang::Catalog& catalog, const FlatQuery (&queries)[2],
               const egraph::Limits& limits)
        : engine_(engine), catalog_(catalog), queries_(queries), limits_(limits) {}

    EqualAnswer run() {
        std::vector<Mentions> mentions = mentions_of(queries_);
        do {
            ++out_.tries;
            if (try_pairs(mentions)) break;
            if (is_interrupted()) out_.stop = egraph::StopReason::interrupted;
            if (is_interrupted() || !advance(mentions)) break;
        } while (out_.tries < equality_tries_max && spent_ms() < equality_tries_time_ms_max &&
                 spent_ms() < limits_.time_ms);
        return std::move(out_);
    }

  private:
    double spent_ms() const {
        const auto spent = std::chrono::steady_clock::now() - start_;
        return std::chrono::duration<double, std::milli>(spent).count();
    }

    bool is_interrupted() const {
        return limits_.interrupt != nullptr && limits_.interrupt->load(std::memory_order_relaxed);
    }

    egraph::Report saturate() {
        egraph::Limits left = limits_;
        left.time_ms = std::max(0.0, limits_.time_ms - spent_ms());
        left.iterations = limits_.iterations - std::min(limits_.iterations, iterations_);
        const egraph::Report report = engine_.saturate_plans(left);
        iterations_ += report.iterations;
        return report;
    }

    const Plan& plan(int side) const { return queries_[side].plan; }

    bool try_pairs(const std::vector<Mentions>& mentions) {
        Renaming renaming(plan(0), plan(1));
        for (const Mentions& m : mentions) {
            const bool is_first_longer = m.of[0].size() > m.of[1].size();
            const std::size_t paired = std::min(m.of[0].size(), m.of[1].size());
            for (std::size_t i = 0; i < paired; ++i) {
                const InstanceId a = m.of[0][is_first_longer ? m.order[i] : i];
                const InstanceId b = m.of[1][is_first_longer ? i : m.order[i]];
                unite(plan(0), a, plan(1), b, renaming);
            }
        }
        if (!pair_roots(renaming)) return false;
        std::vector<bool> total(plan(0).size(), false);
        for (std::uint32_t round = 0; round < rounds_max; ++round) {
            if (is_proved_by(renaming, total)) return true;
            if (!is_extended_ || is_interrupted()) return false;
        }
        return false;
    }

    // The result is compared by position.
    bool pair_roots(Renaming& renaming) const {
        const auto& a = plan(0).projects[plan(0)[plan(0).root].payload];
        const auto& b = plan(1).projects[plan(1)[plan(1).root].payload];
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (!renaming.unite(plan(0), a[i].column, plan(1), b[i].column)) return false;
        }
        renaming.relations[index(plan(1).root)] = plan(0).root;
        return true;
    }

    bool is_proved_by(Renaming& renaming, std::vector<bool>& total) {
        const JointPlan joint = join_plans(queries_[0], queries_[1], renaming, total);
        engine_.reset();
        const rules::EncodedPlan encoded =
            rules::encode_plans(joint.plan, joint.roots, joint.shapes, catalog_, engine_.graph,
                                engine_.ops, engine_.scope, engine_.plan_scope);
        const auto root = [&](int side) {
            return engine_.graph.class_of(encoded.relations[index(joint.roots[side])]);
        };
        egraph::Report report = saturate();
        for (std::uint32_t i = 0; i < forms_rounds_max && root(0) != root(1); ++i) {
            const bool has_items = add_items_by_facts(engine_);
            const bool has_joins = add_joins_in_order(engine_);
            if (!has_items && !has_joins) break;
            report = saturate();
        }
        out_.is_equal = root(0) == root(1);
        if (out_.is_equal || out_.tries == 1) {
            out_.stop = report.stop;
            out_.iterations = iterations_;
            out_.rules.clear();
            for (const auto& [name, times] : engine_.applied_rules()) out_.rules.push_back(name);
        }
        is_extended_ = false;
        if (!out_.is_equal) {
            PlanMatch match(engine_, queries_[0], queries_[1], joint, encoded);
            is_extended_ = match.extend(renaming, total);
        }
        return out_.is_equal;
    }

    RuleEngine& engine_;
    const lang::Catalog& catalog_;
    const FlatQuery (&queries_)[2];
    const egraph::Limits& limits_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::uint32_t iterations_ = 0;
    bool is_extended_ = false;
    EqualAnswer out_;
};

bool is_query(const lang::Statement& statement) {
    return statement.kind == lang::Statement::Kind::query && !statement.result.empty();
}

// What about their results tells them apart before anything is proved; empty for nothing.
std::string difference(const FlatQuery& a, const FlatQuery& b) {
    if (a.width != b.width) return "the results have different numbers of columns";
    const auto& x = a.plan.projects[a.plan[a.plan.root].payload];
    const auto& y = b.plan.projects[b.plan[b.plan.root].payload];
    for (std::uint32_t i = 0; i < a.width; ++i) {
        if (a.plan[x[i].column].type != b.plan[y[i].column].type)
            return "column " + std::to_string(i + 1) + " of the results has different types";
    }
    const bool is_same_order =
        std::ranges::equal(a.order, b.order, [](const lang::SortKey& k, const lang::SortKey& l) {
            return k.descending == l.descending && k.nulls_first == l.nulls_first &&
                   k.using_operator == l.using_operator;
        });
    return is_same_order ? "" : "the results are in different orders";
}

}  // namespace

EqualAnswer compare_queries(RuleEngine& engine, const lang::Catalog& catalog,
                            const lang::Statement& first, const lang::Statement& second,
                            const egraph::Limits& limits) {
    EqualAnswer out;
    if (!is_query(first) || !is_query(second)) {
        out.reason = "a statement is no query with known columns";
        return out;
    }
    auto a = flatten(first, engine.context), b = flatten(second, engine.context);
    if (!a || !b) {
        out.reason =
            "a query calls what may have another value each time, or holds a piece that is not "
            "compared";
        return out;
    }
    out.reason = difference(*a, *b);
    if (!out.reason.empty()) return out;
    const FlatQuery queries[] = {std::move(*a), std::move(*b)};
    return Comparison(engine, catalog, queries, limits).run();
}

}  // namespace satura
