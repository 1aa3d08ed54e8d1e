#include "rules/closure.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeView;
using lang::LiteralId;
using lang::Op;

namespace {

constexpr int depth_max = 64;              // of truths in truths; deeper ones say nothing
constexpr std::size_t subqueries_max = 3;  // within each other; deeper ones say nothing
constexpr std::uint8_t true_ = Possible::true_, false_ = Possible::false_;

Op op_of(const SqlOps& ops, const NodeView& node) { return ops.meaning(node.op).op; }

// Types whose order is the same everywhere; that of texts is the database's.
bool has_known_order(lang::Type type) {
    return lang::is_numeric(type) || type.kind() == lang::TypeKind::boolean ||
           has_identical_equals(type);
}

}  // namespace

bool has_identical_equals(lang::Type type) {
    switch (type.kind()) {
        case lang::TypeKind::boolean:
        case lang::TypeKind::tinyint:
        case lang::TypeKind::smallint:
        case lang::TypeKind::integer:
        case lang::TypeKind::bigint:
        case lang::TypeKind::hugeint:
        case lang::TypeKind::utinyint:
        case lang::TypeKind::usmallint:
        case lang::TypeKind::uinteger:
        case lang::TypeKind::ubigint:
        case lang::TypeKind::date:
        case lang::TypeKind::timestamp:
            return true;
        default:
            return false;
    }
}

namespace {

template <class Graph, class Witness>
std::vector<ClassId> conjuncts_in(const Graph& graph, const SqlOps& ops, ClassId truth,
                                  Witness&& witness) {
    std::vector<ClassId> out;
    std::vector<ClassId> todo{graph.find(truth)};
    std::unordered_map<std::uint32_t, bool> seen;
    while (!todo.empty()) {
        const ClassId cls = todo.back();
        todo.pop_back();
        if (!seen.try_emplace(egraph::raw(cls), true).second) continue;
        // The witness first: it takes the class apart without meeting it again.
        NodeView node = witness(cls);
        const bool is_known = node.op == ops.plan().yes || node.op == ops.plan().no;
        if (node.op != ops.plan().all && !is_known) {
            bool found = false;
            graph.for_each_node(cls, [&](const NodeView& n) {
                if (!found && n.op == ops.plan().all) node = n, found = true;
            });
        }
        if (node.op == ops.plan().yes) continue;
        const bool is_atom =
            node.op != ops.plan().all || std::ranges::any_of(node.children, [&](std::uint32_t c) {
                return graph.find(ClassId{c}) == cls;
            });
        if (is_atom) {
            out.push_back(cls);
            continue;
        }
        for (std::size_t i = node.children.size(); i-- > 0;)
            todo.push_back(graph.find(ClassId{node.children[i]}));
    }
    return out;
}

}  // namespace

std::vector<ClassId> conjuncts(const TermClasses& classes, const SqlOps& ops, ClassId truth) {
    return conjuncts_in(classes, ops, truth, [&](ClassId cls) { return classes.witness(cls); });
}

std::vector<ClassId> conjuncts(const egraph::EGraph& graph, const SqlOps& ops, ClassId truth) {
    return conjuncts_in(graph, ops, truth,
                        [&](ClassId cls) { return graph.node(graph.witness(cls)); });
}

Closure::Closure(const TermClasses& classes, SqlOps& ops) : classes_(classes), ops_(ops) {}

void Closure::assume(const Facts& facts) {
    null_columns_ = classes_.plan_scope().column_sets.unite(null_columns_, facts.null_columns);
    for (std::uint32_t truth : facts.truths) {
        for (ClassId atom : conjuncts(classes_, ops_, ClassId{truth})) assume_atom(atom);
    }
    closed_ = false;
}

void Closure::assume_atom(ClassId truth) {
    const std::uint32_t cls = egraph::raw(truth);
    if (!atom_known_.try_emplace(cls, false).second) return;
    atoms_.push_back(truth);
    bool in_groups = false;
    std::vector<std::uint32_t> values;
    classes_.for_each_node(truth, [&](const NodeView& node) {
        if (node.op == ops_.plan().no) contradictory_ = true;
        if (node.op == ops_.plan().same) {
            in_groups = true;
            for (std::uint32_t child : node.children) {
                const std::uint32_t first = classes_.find(node.children[0]);
                group(classes_.find(child));
                if (may_unite(first, child))
                    unite(first, classes_.find(child));
                else
                    in_groups = false;
            }
        } else if (node.op == ops_.plan().holds) {
            values.push_back(classes_.find(node.children[0]));
        }
    });
    for (std::uint32_t value : values) {
        assume_true(ClassId{value}, in_groups);
        classes_.for_each_node(ClassId{value}, [&](const NodeView& node) {
            if (op_of(ops_, node) != Op::null_safe_eq) return;
            const std::uint32_t a = classes_.find(node.children[0]),
                                b = classes_.find(node.children[1]);
            if (may_unite(a, b)) null_safe_.push_back({cls, a, b});
        });
    }
    atom_known_[cls] = in_groups;
}

void Closure::assume_true(ClassId value, bool& in_groups) {
    know(egraph::raw(value), true_);
    classes_.for_each_node(value, [&](const NodeView& node) {
        if (ops_.meaning(node.op).sort != Sort::value) return;
        const Op op = op_of(ops_, node);
        const auto child = [&](std::size_t i) { return classes_.find(node.children[i]); };
        if (op == Op::not_) know(child(0), false_);
        if (op == Op::is_null) know(child(0), Possible::null);
        if (op == Op::is_true) know(child(0), true_);
        if (op == Op::is_false) know(child(0), false_);
        if (op == Op::eq && may_unite(child(0), child(1))) {
            unite(child(0), child(1));
            in_groups = true;
        }
        if (lang::is_order_comparison(op)) in_groups = assume_comparison(node) || in_groups;
        if (op == Op::between && node.children.size() == 3) {
            const bool is_low = literal_of(child(1)).has_value();
            const bool is_high = literal_of(child(2)).has_value();
            if (is_low) assume_bound(Op::ge, child(0), child(1));
            if (is_high) assume_bound(Op::le, child(0), child(2));
        }
    });
}

// x < 5 and 5 > x: a bound of x. The order of texts is the database's.
bool Closure::assume_comparison(const NodeView& node) {
    const Op op = op_of(ops_, node);
    const std::uint32_t a = classes_.find(node.children[0]), b = classes_.find(node.children[1]);
    if (literal_of(b)) {
        assume_bound(op, a, b);
    } else if (literal_of(a)) {
        assume_bound(lang::flipped(op), b, a);
    } else {
        return false;
    }
    return agree(a, b) && has_known_order(classes_.type(ClassId{a}));
}

// Equality of values of one known type is transitive.
bool Closure::agree(std::uint32_t a, std::uint32_t b) const {
    const lang::Type type = classes_.type(ClassId{a});
    return type.kind() != lang::TypeKind::unknown && type == classes_.type(ClassId{b});
}

// Under IEEE order NaN does not.
bool Closure::equals_itself(std::uint32_t value) const {
    if (ops_.context().semantics.nan == lang::NanOrder::total) return true;
    const lang::Type type = classes_.type(ClassId{value});
    return !lang::is_float(type) && type.kind() != lang::TypeKind::unknown;
}

// A group says of its members no more than that all are equal, which x = x would be in any case.
bool Closure::may_unite(std::uint32_t a, std::uint32_t b) const {
    return agree(a, b) && equals_itself(a);
}

void Closure::assume_bound(Op op, std::uint32_t side, std::uint32_t literal_class) {
    const LiteralId literal = *literal_of(literal_class);
    const lang::Literal& constant = ops_.context().literals[literal];
    Group& its = groups_[group(side)];  // not NULL in any case
    if (!agree(side, literal_class)) return;
    if (constant.value.is_null()) {
        contradictory_ = true;
        return;
    }
    if (!has_known_order(constant.type)) return;
    if (!compare(literal, literal)) {  // NaN, before or after which nothing stands
        contradictory_ = true;
        return;
    }
    tighten(its, op, {literal, literal_class, op == Op::ge || op == Op::le});
}

void Closure::tighten(Group& group, Op op, const Bound& bound) {
    const bool is_low = op == Op::gt || op == Op::ge;
    std::optional<Bound>& mine = is_low ? group.low : group.high;
    if (!mine) {
        mine = bound;
        return;
    }
    const auto order = compare(bound.literal, mine->literal);
    if (!order) return;
    const bool is_tighter = is_low ? *order > 0 : *order < 0;
    if (is_tighter || (*order == 0 && !bound.inclusive)) mine = bound;
}

void Closure::know(std::uint32_t value, std::uint8_t mask) {
    auto [it, fresh] = known_.try_emplace(value, Possible::anything);
    it->second &= mask;
    if (it->second == 0) contradictory_ = true;
}

std::optional<LiteralId> Closure::literal_of(std::uint32_t cls) const {
    return classes_.possible(ClassId{cls}).constant;
}

std::optional<int> Closure::compare(LiteralId a, LiteralId b) const {
    const lang::Literal &x = ops_.context().literals[a], &y = ops_.context().literals[b];
    if (x.type != y.type || x.value.is_null() || y.value.is_null()) return std::nullopt;
    const auto order = lang::compare(x.value, y.value, x.type, ops_.context().semantics);
    // Texts that differ may be equal in a collation.
    return order && *order != 0 && lang::is_string(x.type) ? std::nullopt : order;
}

std::uint32_t Closure::group(std::uint32_t value) {
    const auto [it, fresh] =
        group_of_.try_emplace(value, static_cast<std::uint32_t>(groups_.size()));
    if (fresh) {
        Group one;
        one.members.push_back(value);
        one.constant = literal_of(value);
        if (one.constant && ops_.context().literals[*one.constant].value.is_null())
            contradictory_ = true;
        groups_.push_back(std::move(one));
    }
    return it->second;
}

void Closure::unite(std::uint32_t a, std::uint32_t b) {
    std::uint32_t into = group(a), from = group(b);
    if (into == from) return;
    if (groups_[into].members.size() < groups_[from].members.size()) std::swap(into, from);
    Group gone = std::move(groups_[from]);
    groups_[from] = {};
    Group& kept = groups_[into];
    for (std::uint32_t member : gone.members) group_of_[member] = into;
    kept.members.insert(kept.members.end(), gone.members.begin(), gone.members.end());
    if (gone.constant && kept.constant) {
        const auto order = compare(*gone.constant, *kept.constant);
        if (order && *order != 0) contradictory_ = true;
    }
    if (!kept.constant) kept.constant = gone.constant;
    if (gone.low) tighten(kept, gone.low->inclusive ? Op::ge : Op::gt, *gone.low);
    if (gone.high) tighten(kept, gone.high->inclusive ? Op::le : Op::lt, *gone.high);
}

bool Closure::is_consistent(const Group& group) const {
    const auto excludes = [&](LiteralId value, const Bound& bound, bool is_low) {
        const auto order = compare(value, bound.literal);
        if (!order) return false;
        return (is_low ? *order < 0 : *order > 0) || (*order == 0 && !bound.inclusive);
    };
    if (group.constant) {
        return !(group.low && excludes(*group.constant, *group.low, true)) &&
               !(group.high && excludes(*group.constant, *group.high, false));
    }
    if (!group.low || !group.high) return true;
    return !excludes(group.high->literal, *group.low, true) &&
           !excludes(group.low->literal, *group.high, false);
}

// A column whose being NULL would make a fact untrue is not NULL.
void Closure::find_non_null() {
    const ColumnSets& sets = classes_.plan_scope().column_sets;
    for (ClassId atom : std::vector<ClassId>(atoms_)) {
        const std::uint32_t read = classes_.columns(atom);
        const ColumnSets::Columns columns = sets[read];
        for (lang::ColumnId column : columns) {
            const auto cls =
                classes_.lookup(ops_[Op::column], static_cast<std::uint32_t>(column), {});
            if (!cls || group_of_.contains(egraph::raw(*cls))) continue;
            const std::uint32_t alone = classes_.plan_scope().column_sets.intern({column});
            if (!allows_where_null(atom, alone)) group(egraph::raw(*cls));
        }
    }
}

// A value between bounds that meet is the bound.
void Closure::find_constants() {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const Group& group = groups_[i];
        const bool is_open = group.members.empty() || group.constant || !group.low || !group.high ||
                             !group.low->inclusive || !group.high->inclusive;
        if (is_open || compare(group.low->literal, group.high->literal) != 0) continue;
        unite(group.members[0], group.low->cls);
    }
}

// x <=> y is x = y where one of them is not NULL; what is equal to it is not NULL either.
void Closure::find_equal() {
    const auto is_never_null = [&](std::uint32_t value) {
        return group_of_.contains(value) ||
               evaluate(ClassId{value}, null_columns_, memo_).never_null();
    };
    while (!null_safe_.empty()) {
        const auto known = std::ranges::find_if(null_safe_, [&](const NullSafe& equality) {
            return is_never_null(equality.a) || is_never_null(equality.b);
        });
        if (known == null_safe_.end()) return;
        unite(known->a, known->b);
        atom_known_[known->atom] = true;
        null_safe_.erase(known);
        memo_.clear();
    }
}

void Closure::close() {
    if (closed_) return;
    closed_ = true;
    memo_.clear();
    if (contradictory_) return;
    find_equal();
    find_constants();
    memo_.clear();
    for (const Group& group : groups_)
        contradictory_ = contradictory_ || (!group.members.empty() && !is_consistent(group));
    if (contradictory_) return;
    find_non_null();
    memo_.clear();
    find_equal();
    memo_.clear();
    for (ClassId atom : atoms_) contradictory_ = contradictory_ || !allows(atom);
    for (const Group& group : groups_) {
        for (std::uint32_t member : group.members)
            contradictory_ = contradictory_ || possible(ClassId{member}).mask == 0;
    }
    for (const auto& [value, mask] : known_)
        contradictory_ = contradictory_ || (possible(ClassId{value}).mask & mask) == 0;
}

bool Closure::is_contradictory() {
    close();
    return contradictory_;
}

bool Closure::is_in_groups(ClassId atom) const {
    const auto it = atom_known_.find(egraph::raw(classes_.find(atom)));
    return it != atom_known_.end() && it->second;
}

bool Closure::says_not_null(ClassId value) const {
    const auto truth = classes_.lookup(ops_.plan().same, 0, std::span<const ClassId>(&value, 1));
    return truth && atom_known_.contains(egraph::raw(classes_.find(*truth)));
}

const std::vector<Closure::Group>& Closure::groups() {
    close();
    return groups_;
}

const Closure::Group* Closure::group_of(ClassId value) {
    close();
    const auto it = group_of_.find(egraph::raw(classes_.find(value)));
    return it == group_of_.end() ? nullptr : &groups_[it->second];
}

Possible Closure::possible(ClassId value) {
    close();
    return evaluate(value, null_columns_, memo_);
}

Possible Closure::possible_where_null(ClassId value, std::uint32_t null_columns) {
    const std::uint32_t all = classes_.plan_scope().column_sets.unite(null_columns_, null_columns);
    if (all == null_columns_) return possible(value);
    Memo memo;
    return evaluate(value, all, memo);
}

Possible Closure::evaluate(ClassId value, std::uint32_t null_columns, Memo& memo) {
    const std::uint32_t root = egraph::raw(classes_.find(value));
    if (const auto it = memo.find(root); it != memo.end()) return it->second;
    std::unordered_map<std::uint32_t, bool> opened;
    std::vector<std::uint32_t> todo{root};
    while (!todo.empty()) {
        const std::uint32_t cls = todo.back();
        if (memo.contains(cls)) {
            todo.pop_back();
            continue;
        }
        if (opened.try_emplace(cls, true).second) {
            classes_.for_each_node(ClassId{cls}, [&](const NodeView& node) {
                if (op_of(ops_, node) == Op::opaque) return;
                for (std::uint32_t child : node.children) {
                    const std::uint32_t below = classes_.find(child);
                    if (!memo.contains(below) && !opened.contains(below)) todo.push_back(below);
                }
            });
            if (todo.back() != cls) continue;
        }
        todo.pop_back();
        memo.emplace(cls, compute(cls, null_columns, memo));
    }
    return memo.at(root);
}

Possible Closure::compute(std::uint32_t cls, std::uint32_t null_columns, const Memo& memo) {
    const ClassId id{cls};
    Possible result = classes_.possible(id);
    const lang::Type type = classes_.type(id);
    bool is_null = false;
    classes_.for_each_node(id, [&](const NodeView& node) {
        const SqlOps::Meaning& m = ops_.meaning(node.op);
        if (m.sort != Sort::value || m.is_when || m.op == Op::literal) return;
        if (m.op == Op::column) {
            is_null = is_null || classes_.plan_scope().column_sets.contains(
                                     null_columns, lang::ColumnId{node.payload});
            return;
        }
        if (m.op == Op::opaque || node.op == ops_[Op::call]) return;
        result = both(result, m.op >= Op::exists ? of_subquery(node, null_columns, memo)
                                                 : of_node(node, type, memo));
    });
    if (is_null) {
        const auto null = ops_.context().literals.intern(type, lang::Value::null());
        result = both(result, {Possible::null, null});
    }
    if (const auto it = group_of_.find(cls); it != group_of_.end()) {
        const Group& group = groups_[it->second];
        result.mask &= static_cast<std::uint8_t>(~Possible::null);
        if (group.constant && !result.constant) {
            const lang::Literal& constant = ops_.context().literals[*group.constant];
            // Equal is not the same for 1.0 and 1.00, 0.0 and -0.0.
            if (constant.type == type && has_identical_equals(type))
                result = both(result, possible_of_literal(*group.constant, ops_.context()));
        }
    }
    if (const auto it = known_.find(cls); it != known_.end()) result.mask &= it->second;
    return result;
}

// EXISTS is false where the facts of its relation's rows exclude the outer columns' values: here, that they are NULL.
// `x = ANY (…)` is not TRUE for a NULL x, whatever the rows; but it may be false, over no rows.
Possible Closure::of_subquery(const NodeView& node, std::uint32_t null_columns, const Memo& memo) {
    const lang::Subquery& subquery = classes_.plan_scope().plan->subqueries[node.payload];
    if (op_of(ops_, node) == Op::in_subquery && subquery.kind == lang::SubqueryKind::any) {
        const bool is_strict = lang::is_comparison(subquery.comparison) &&
                               subquery.comparison != Op::null_safe_eq && subquery.operands == 1;
        const auto operand = memo.find(classes_.find(node.children[0]));
        const bool is_null = operand != memo.end() && operand->second.always_null();
        if (is_strict && is_null) return {Possible::null | false_, {}};
    }
    if (op_of(ops_, node) != Op::exists || null_columns == 0) return {};
    const egraph::NodeId relation = classes_.plan_scope().subquery_relations[node.payload];
    if (egraph::raw(relation) == egraph::none) return {};
    // A column may be equal to a CASE over a query that reads it.
    const bool is_open =
        std::ranges::find(open_subqueries_, node.payload) != open_subqueries_.end();
    if (is_open || open_subqueries_.size() == subqueries_max) return {};
    Closure inside(classes_, ops_);
    inside.open_subqueries_ = open_subqueries_;
    inside.open_subqueries_.push_back(node.payload);
    Facts facts = classes_.facts(classes_.class_of(relation));
    facts.null_columns = classes_.plan_scope().column_sets.unite(
        facts.null_columns, classes_.plan_scope().column_sets.intersect(
                                null_columns, classes_.columns(classes_.class_of(node.id))));
    inside.assume(facts);
    if (!inside.is_contradictory()) return {};
    return {false_, {}};
}

Possible Closure::of_node(const NodeView& node, lang::Type type, const Memo& memo) {
    const SqlOps::Meaning& m = ops_.meaning(node.op);
    std::vector<Possible> operands;
    std::vector<lang::Type> types;
    for_each_operand(ops_, classes_, node, [&](std::uint32_t child) {
        const auto it = memo.find(classes_.find(child));
        operands.push_back(it == memo.end() ? Possible{} : it->second);
        types.push_back(classes_.type(ClassId{child}));
    });
    // An operand without a value: no such row.
    if (std::ranges::any_of(operands, [](const Possible& p) { return p.mask == 0; }))
        return {0, {}};
    if (type.kind() == lang::TypeKind::unknown) return {};
    Possible result = possible_of(m.op, type, ops_.lang_payload(node.op, node.payload), operands,
                                  types, ops_.context());
    // Of values that are not NULL <=> is =.
    const bool is_plain =
        m.op == Op::null_safe_eq && operands[0].never_null() && operands[1].never_null();
    if (lang::is_comparison(m.op)) {
        const std::uint8_t mask =
            compare_by_groups(is_plain ? Op::eq : m.op, classes_.find(node.children[0]),
                              classes_.find(node.children[1]));
        result.mask &= static_cast<std::uint8_t>(mask | (result.mask & Possible::null));
    }
    return result;
}

// What groups and bounds say of a comparison of two values that are not NULL.
std::uint8_t Closure::compare_by_groups(Op op, std::uint32_t a, std::uint32_t b) {
    const auto find = [&](std::uint32_t cls) -> const Group* {
        const auto it = group_of_.find(cls);
        return it == group_of_.end() ? nullptr : &groups_[it->second];
    };
    const Group *x = find(a), *y = find(b);
    bool may_be_less = true, may_be_equal = true, may_be_greater = true;
    if (x != nullptr && x == y) {
        if (!equals_itself(a) && !x->low && !x->high) return true_ | false_;
        may_be_less = may_be_greater = false;
    } else {
        const auto limits = [&](const Group* group, std::uint32_t cls, bool is_low) {
            std::optional<Bound> bound;
            if (const auto literal = literal_of(cls))
                return std::optional<Bound>({*literal, cls, true});
            if (group == nullptr) return bound;
            if (group->constant) return std::optional<Bound>({*group->constant, cls, true});
            return is_low ? group->low : group->high;
        };
        const lang::Type type = classes_.type(ClassId{a});
        const bool is_order_known = has_known_order(type);
        const auto a_low = limits(x, a, true), a_high = limits(x, a, false);
        const auto b_low = limits(y, b, true), b_high = limits(y, b, false);
        const auto below = [&](const std::optional<Bound>& high, const std::optional<Bound>& low,
                               bool& may_be_above, bool& may_meet) {
            if (!high || !low || !is_order_known) return;
            const auto order = compare(high->literal, low->literal);
            if (!order || *order > 0) return;
            may_be_above = false;
            if (*order < 0 || !high->inclusive || !low->inclusive) may_meet = false;
        };
        below(a_high, b_low, may_be_greater, may_be_equal);
        below(b_high, a_low, may_be_less, may_be_equal);
    }
    const auto answer = [](bool yes, bool no) {
        return static_cast<std::uint8_t>((yes ? true_ : 0) | (no ? false_ : 0));
    };
    switch (op) {
        case Op::eq:
            return answer(may_be_equal, may_be_less || may_be_greater);
        case Op::ne:
            return answer(may_be_less || may_be_greater, may_be_equal);
        case Op::lt:
            return answer(may_be_less, may_be_equal || may_be_greater);
        case Op::le:
            return answer(may_be_less || may_be_equal, may_be_greater);
        case Op::gt:
            return answer(may_be_greater, may_be_equal || may_be_less);
        case Op::ge:
            return answer(may_be_greater || may_be_equal, may_be_less);
        default:
            return true_ | false_;
    }
}

bool Closure::same_is_implied(const NodeView& node) {
    const Possible first = possible(ClassId{node.children[0]});
    if (!first.never_null()) return false;
    const Group* group = group_of(ClassId{node.children[0]});
    for (std::uint32_t child : node.children) {
        if (classes_.find(child) == classes_.find(node.children[0])) continue;
        const Possible other = possible(ClassId{child});
        const bool is_grouped = group != nullptr && group == group_of(ClassId{child});
        const bool is_constant =
            first.constant && other.constant && compare(*first.constant, *other.constant) == 0;
        if (!is_grouped && !is_constant) return false;
    }
    return true;
}

bool Closure::implies(ClassId truth) {
    close();
    if (contradictory_) return true;
    Answers answers;
    return implies(truth, answers, 0);
}

bool Closure::implies(ClassId truth, Answers& answers, int depth) {
    if (depth > depth_max) return false;
    if (atom_known_.contains(egraph::raw(classes_.find(truth)))) return true;
    const auto [at, is_new] = answers.try_emplace(egraph::raw(classes_.find(truth)), false);
    if (!is_new) return at->second;
    bool found = false;
    std::vector<NodeView> nodes;
    classes_.for_each_node(truth, [&](const NodeView& node) { nodes.push_back(node); });
    for (const NodeView& node : nodes) {
        const auto below = [&](std::uint32_t c) { return implies(ClassId{c}, answers, depth + 1); };
        if (node.op == ops_.plan().yes) found = true;
        if (node.op == ops_.plan().same) found = found || same_is_implied(node);
        if (node.op == ops_.plan().holds)
            found = found || possible(ClassId{node.children[0]}).mask == true_;
        if (node.op == ops_.plan().all) found = found || std::ranges::all_of(node.children, below);
        if (node.op == ops_.plan().any) found = found || std::ranges::any_of(node.children, below);
        if (found) break;
    }
    answers[egraph::raw(classes_.find(truth))] = found;
    return found;
}

bool Closure::allows_where_null(ClassId truth, std::uint32_t null_columns) {
    Answers answers;
    return allows(truth, null_columns, answers, 0);
}

bool Closure::allows(ClassId truth, std::uint32_t null_columns, Answers& answers, int depth) {
    if (depth > depth_max) return true;
    const auto [at, is_new] = answers.try_emplace(egraph::raw(classes_.find(truth)), true);
    if (!is_new) return at->second;
    bool can = true;
    std::vector<NodeView> nodes;
    classes_.for_each_node(truth, [&](const NodeView& node) { nodes.push_back(node); });
    for (const NodeView& node : nodes) {
        const auto below = [&](std::uint32_t c) {
            return allows(ClassId{c}, null_columns, answers, depth + 1);
        };
        const auto value = [&](std::uint32_t c) {
            return possible_where_null(ClassId{c}, null_columns);
        };
        if (node.op == ops_.plan().no) can = false;
        if (node.op == ops_.plan().holds) can = can && (value(node.children[0]).mask & true_) != 0;
        if (node.op == ops_.plan().all) can = can && std::ranges::all_of(node.children, below);
        if (node.op == ops_.plan().any) can = can && std::ranges::any_of(node.children, below);
        if (node.op == ops_.plan().same) {
            const Possible first = value(node.children[0]);
            for (std::uint32_t child : node.children) {
                const Possible p = value(child);
                can = can && (p.mask & ~Possible::null) != 0;
                if (first.constant && p.constant) {
                    const auto order = compare(*first.constant, *p.constant);
                    can = can && !(order && *order != 0);
                }
            }
        }
        if (!can) break;
    }
    answers[egraph::raw(classes_.find(truth))] = can;
    return can;
}

}  // namespace satura::rules
