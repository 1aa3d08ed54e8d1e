// What relations say of themselves: their columns, their keys, and what holds for each of their rows.
#include <algorithm>

#include "lang/evaluate.hpp"
#include "proof/known.hpp"

namespace satura::proof {

using lang::JoinKind;
using lang::Op;
using lang::RelOp;
using rules::Sort;

namespace {

constexpr std::size_t keys_max = 32;  // of a relation

}  // namespace

std::uint32_t Known::own_columns(const Term& term) const {
    const rules::PlanOps& plan = ops_.plan();
    rules::ColumnSets& sets = plan_->column_sets;
    const rules::SqlOps::Meaning& m = ops_.meaning(term.op);
    if (term.op == ops_[Op::column]) return sets.intern({lang::ColumnId{term.payload}});
    if (term.op == plan.columns) return term.payload;
    if (term.op == plan.shape) return plan_->shape_columns[term.payload];
    if (term.op == plan.scan)
        return sets.intern((*plan_->plan)[lang::InstanceId{term.payload}].columns);
    const bool is_subquery = m.sort == Sort::value && m.op >= Op::exists;
    return is_subquery ? plan_->subquery_reads[term.payload] : 0;
}

// Of a relation those that it has; of a value or truth those that it reads.
std::uint32_t Known::columns_of(const Term& term) const {
    const rules::PlanOps& plan = ops_.plan();
    rules::ColumnSets& sets = plan_->column_sets;
    const auto of = [&](std::size_t i) { return columns(egraph::ClassId{term.children[i]}); };
    std::uint32_t set = own_columns(term);
    if (ops_.meaning(term.op).sort != Sort::relation) {
        for (std::size_t i = 0; i < term.children.size(); ++i) set = sets.unite(set, of(i));
        return set;
    }
    if (term.op == plan.filter) return of(1);
    if (term.op == plan.pad) return sets.unite(of(0), of(1));
    if (const auto kind = ops_.join_kind(term.op)) {
        const bool is_half = *kind == JoinKind::semi || *kind == JoinKind::anti;
        return is_half ? of(1) : sets.unite(of(1), of(2));
    }
    return term.children.empty() ? set : of(0);  // a set of columns or a shape
}

// A value that has a form without a column does not depend on it.
bool Known::learn_columns(std::uint32_t term) {
    const rules::ColumnSets& sets = plan_->column_sets;
    const std::uint32_t more = columns_of(terms_[TermId{term}]);
    std::optional<std::uint32_t>& mine = columns_[find(term)];
    if (mine == more) return false;
    if (mine) {
        const bool is_less =
            sets.is_subset(more, *mine) ||
            (!sets.is_subset(*mine, more) && sets[more].size() < sets[*mine].size());
        if (!is_less) return false;
    }
    mine = more;
    return true;
}

bool Known::has_limit_one(const lang::Relation& relation) const {
    const lang::TopN& topn = plan_->plan->topns[relation.payload];
    if (topn.limit == lang::no_expr || topn.with_ties) return false;
    const lang::ExprNode& count = plan_->plan->exprs[topn.limit];
    if (count.op != Op::literal) return false;
    const lang::Literal& literal = ops_.context().literals[lang::LiteralId{count.payload}];
    return !literal.value.is_null() && lang::value_text(literal.value, literal.type) == "1";
}

// A relation that rules do not take apart hands on its input's rows or makes others. What is known of columns that it hides
// does no harm.
void Known::add_shaped(const Term& term, Rows& rows) const {
    const auto op = ops_.shaped(term.op);
    const bool has_shape =
        op && !term.children.empty() && terms_[TermId{term.children[0]}].op == ops_.plan().shape;
    if (!has_shape) return;
    const std::uint32_t shape = terms_[TermId{term.children[0]}].payload;
    const lang::Relation& relation = (*plan_->plan)[lang::RelationId{shape}];
    if (relation.op != *op || term.children.size() <= relation.count) return;
    const Rows none;
    const Rows& input = relation.count == 0 ? none : rows_[find(term.children[1])];
    switch (*op) {
        case RelOp::topn:
            rows = input;
            if (has_limit_one(relation)) rows.keys = {0};
            return;
        case RelOp::filter:
        case RelOp::window:
        case RelOp::distinct_on:
            rows = input;
            return;
        case RelOp::project:
            rows.facts = input.facts;
            for (std::uint32_t key : input.keys) {
                const bool is_there =
                    plan_->column_sets.is_subset(key, plan_->shape_columns[shape]);
                if (is_there) rows.keys.push_back(key);
            }
            return;
        case RelOp::distinct:
            rows.facts = input.facts;
            rows.keys = {plan_->shape_columns[shape]};
            return;
        case RelOp::set_union:
        case RelOp::set_intersect:
        case RelOp::set_except:
            if (!relation.all) rows.keys = {plan_->shape_columns[shape]};
            return;
        case RelOp::aggregate: {
            const lang::Aggregate& aggregate = plan_->plan->aggregates[relation.payload];
            if (!aggregate.sets.empty()) return;
            rules::ColumnSets::Columns keys;
            for (const lang::ProjectItem& key : aggregate.keys) keys.push_back(key.column);
            rows.keys = {plan_->column_sets.intern(std::move(keys))};
            return;
        }
        default:
            return;
    }
}

Known::Rows Known::rows_of(const Term& term) const {
    const rules::PlanOps& plan = ops_.plan();
    rules::ColumnSets& sets = plan_->column_sets;
    Rows rows;
    const auto of = [&](std::size_t i) -> const Rows& { return rows_[find(term.children[i])]; };
    const auto add = [&](const rules::Facts& more) {
        rows.facts.truths.insert(rows.facts.truths.end(), more.truths.begin(), more.truths.end());
        rows.facts.null_columns = sets.unite(rows.facts.null_columns, more.null_columns);
    };
    if (term.op == plan.one_row) {
        rows.keys = {0};
    } else if (term.op == plan.scan) {
        for (egraph::ClassId truth : plan_->scan_truths[term.payload])
            rows.facts.truths.push_back(egraph::raw(truth));
        rows.keys = plan_->scan_keys[term.payload];
    } else if (term.op == plan.empty) {
        rows.keys = {0};
        // No row: anything holds for each.
        if (const auto no = lookup(plan.no, 0, {})) rows.facts.truths.push_back(egraph::raw(*no));
    } else if (term.op == plan.filter) {
        rows = of(1);
        rows.facts.truths.push_back(term.children[0]);
    } else if (term.op == plan.narrow) {
        rows.facts = of(1).facts;
        for (std::uint32_t key : of(1).keys) {
            if (sets.is_subset(key, columns(egraph::ClassId{term.children[0]})))
                rows.keys.push_back(key);
        }
    } else if (term.op == plan.dedup) {
        // A row may stand for others, which have only these columns in common with it.
        const std::uint32_t own = columns(egraph::ClassId{term.children[0]});
        const std::uint32_t seen = sets.unite(own, plan_->outer_columns);
        const rules::Facts& below = of(1).facts;
        rows.facts.null_columns = sets.intersect(below.null_columns, own);
        for (std::uint32_t truth : below.truths) {
            if (sets.is_subset(columns(egraph::ClassId{truth}), seen))
                rows.facts.truths.push_back(truth);
        }
    } else if (term.op == plan.pad) {
        rows = of(1);
        const std::uint32_t padded = columns(egraph::ClassId{term.children[0]});
        rows.facts.null_columns = sets.unite(rows.facts.null_columns, padded);
    } else if (const auto kind = ops_.join_kind(term.op)) {
        const bool is_half = *kind == JoinKind::semi || *kind == JoinKind::anti;
        const bool keeps_left = *kind != JoinKind::right && *kind != JoinKind::full;
        const bool keeps_right = *kind == JoinKind::right || *kind == JoinKind::inner;
        if (keeps_left) add(of(1).facts);
        if (keeps_right) add(of(2).facts);
        if (*kind == JoinKind::inner) rows.facts.truths.push_back(term.children[0]);
        if (is_half) rows.keys = of(1).keys;
        if (is_half || *kind == JoinKind::full) return rows;
        // A pair of rows is found by a key of each.
        for (std::uint32_t l : of(1).keys) {
            for (std::uint32_t r : of(2).keys) rows.keys.push_back(sets.unite(l, r));
        }
    } else {
        add_shaped(term, rows);
    }
    return rows;
}

bool Known::learn_rows(std::uint32_t term) {
    if (ops_.meaning(terms_[TermId{term}].op).sort != Sort::relation) return false;
    Rows more = rows_of(terms_[TermId{term}]);
    Rows& mine = rows_[find(term)];
    bool is_news = false;
    for (std::uint32_t truth : more.facts.truths) {
        const bool is_known = std::ranges::any_of(
            mine.facts.truths, [&](std::uint32_t t) { return find(t) == find(truth); });
        if (!is_known) mine.facts.truths.push_back(truth), is_news = true;
    }
    const std::uint32_t nulls =
        plan_->column_sets.unite(mine.facts.null_columns, more.facts.null_columns);
    is_news = is_news || nulls != mine.facts.null_columns;
    mine.facts.null_columns = nulls;
    for (std::uint32_t key : more.keys) {
        const bool is_known = std::ranges::find(mine.keys, key) != mine.keys.end();
        if (is_known || mine.keys.size() == keys_max) continue;
        mine.keys.push_back(key);
        is_news = true;
    }
    return is_news;
}

}  // namespace satura::proof
