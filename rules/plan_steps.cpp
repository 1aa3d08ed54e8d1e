#include "rules/plan_steps.hpp"

#include <algorithm>
#include <unordered_set>

#include "lang/evaluate.hpp"
#include "rules/plan_items.hpp"

namespace satura::rules {

using egraph::ClassId;
using egraph::NodeView;
using lang::Op;

PlanSteps::FactsId PlanSteps::unite(FactsId a, FactsId b) {
    Facts both = *facts_[a];
    const Facts& more = *facts_[b];
    both.truths.insert(both.truths.end(), more.truths.begin(), more.truths.end());
    std::ranges::sort(both.truths);
    const auto repeated = std::ranges::unique(both.truths);
    both.truths.erase(repeated.begin(), repeated.end());
    both.null_columns = sets().unite(both.null_columns, more.null_columns);
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(both), static_cast<FactsId>(facts_.size()));
    if (fresh) facts_.push_back(&it->first);
    return it->second;
}

PlanSteps::FactsId PlanSteps::facts_of(ClassId cls) {
    Facts facts;
    const NodeView node = graph_.node(graph_.first_node(graph_.find(cls)));
    if (ops_.meaning(node.op).sort == Sort::truth) {
        facts.truths.push_back(egraph::raw(graph_.find(cls)));
    } else {
        facts = plan_.facts(graph_, cls);
        for (std::uint32_t& truth : facts.truths) truth = graph_.find(truth);
    }
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(facts), static_cast<FactsId>(facts_.size()));
    if (fresh) facts_.push_back(&it->first);
    return it->second;
}

PlanSteps::FactsId PlanSteps::nulls_of(ClassId relation) {
    Facts facts;
    facts.null_columns = columns(relation);
    const auto [it, fresh] =
        numbers_.try_emplace(std::move(facts), static_cast<FactsId>(facts_.size()));
    if (fresh) facts_.push_back(&it->first);
    return it->second;
}

bool PlanSteps::implies(FactsId facts, FactsId wanted) {
    const Facts& all = *facts_[wanted];
    if (!sets().is_subset(all.null_columns, facts_[facts]->null_columns)) return false;
    return std::ranges::all_of(
        all.truths, [&](std::uint32_t truth) { return closure(facts).implies(ClassId{truth}); });
}

void PlanSteps::reset() {
    closures_.clear();
    facts_.clear();
    numbers_.clear();
}

Closure& PlanSteps::closure(FactsId facts) {
    if (stamp_ != graph_.stamp()) closures_.clear();
    stamp_ = graph_.stamp();
    std::unique_ptr<Closure>& known = closures_[facts];
    if (known == nullptr) {
        known = std::make_unique<Closure>(classes_, ops_);
        known->assume(*facts_[facts]);
    }
    return *known;
}

ClassId PlanSteps::all_of(std::vector<ClassId> truths) {
    return graph_.add(ops_.plan().all, 0, truths);
}

ClassId PlanSteps::same_of(std::vector<std::uint32_t> values) {
    std::vector<ClassId> classes;
    for (std::uint32_t value : values) classes.push_back(ClassId{value});
    return graph_.add(ops_.plan().same, 0, classes);
}

// The same one whatever the numbers of classes.
std::uint32_t PlanSteps::first_of(const std::vector<std::uint32_t>& values) const {
    return *std::ranges::min_element(values, [&](std::uint32_t a, std::uint32_t b) {
        return a != b && graph_.structurally_before(ClassId{a}, ClassId{b});
    });
}

// Constants that are not sure to be equal: texts may be equal in one collation and not in another, so a value that equals two
// of them is no contradiction here, and both must be said.
std::vector<std::uint32_t> PlanSteps::different(std::vector<std::uint32_t> constants) const {
    std::ranges::sort(constants, [&](std::uint32_t a, std::uint32_t b) {
        return a != b && graph_.structurally_before(ClassId{a}, ClassId{b});
    });
    std::vector<std::uint32_t> out;
    const auto literal = [&](std::uint32_t cls) -> const lang::Literal& {
        return ops_.context().literals[*knowledge_.possible(graph_, ClassId{cls}).constant];
    };
    for (std::uint32_t constant : constants) {
        const lang::Literal& mine = literal(constant);
        const bool is_said = std::ranges::any_of(out, [&](std::uint32_t other) {
            const lang::Literal& its = literal(other);
            return mine.type == its.type &&
                   lang::compare(mine.value, its.value, mine.type, ops_.context().semantics) == 0;
        });
        if (!is_said) out.push_back(constant);
    }
    return out;
}

bool PlanSteps::may_move(ClassId cls) const {
    return knowledge_.is_stable(graph_, cls) && knowledge_.is_total(graph_, cls);
}

ClassId PlanSteps::total(ClassId truth) {
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        if (knowledge_.is_total(graph_, atom)) out.push_back(atom);
    }
    return all_of(std::move(out));
}

ClassId PlanSteps::except(ClassId truth, ClassId other) {
    const std::vector<ClassId> left_out = conjuncts(classes_, ops_, other);
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        if (std::ranges::find(left_out, atom) == left_out.end()) out.push_back(atom);
    }
    return all_of(std::move(out));
}

bool PlanSteps::fits(ClassId cls, const Place& place) const {
    const std::uint32_t read = columns(cls);
    // Facts may be about columns that a projection hides, so what is not forbidden need not be there.
    const std::uint32_t there = sets().unite(place.wanted, plan_.scope().outer_columns);
    return sets().meets(read, place.wanted) && !sets().meets(read, place.forbidden) &&
           sets().is_subset(read, there);
}

void PlanSteps::add_bounds(const Closure::Group& group, std::uint32_t value,
                           std::vector<ClassId>& out) {
    const auto add = [&](const std::optional<Closure::Bound>& bound, Op strict, Op weak) {
        if (!bound) return;
        const lang::Type type = ops_.context().literals[bound->literal].type;
        if (knowledge_.type(graph_, ClassId{value}) != type) return;
        const Op op = bound->inclusive ? weak : strict;
        const ClassId comparison = graph_.add(ops_[op], 0, {ClassId{value}, ClassId{bound->cls}});
        out.push_back(graph_.add(ops_.plan().holds, 0, {comparison}));
    };
    add(group.low, Op::gt, Op::ge);
    add(group.high, Op::lt, Op::le);
}

void PlanSteps::add_groups(Closure& known, const Place& place, std::vector<ClassId>& out) {
    for (const Closure::Group& group : known.groups()) {
        std::vector<std::uint32_t> here, constants;
        for (std::uint32_t member : group.members) {
            const ClassId cls{graph_.find(member)};
            const bool is_constant = knowledge_.possible(graph_, cls).constant.has_value();
            if (is_constant) {
                constants.push_back(egraph::raw(cls));
            } else if (fits(cls, place) && may_move(cls)) {
                here.push_back(egraph::raw(cls));
            }
        }
        if (here.empty()) continue;
        const std::uint32_t value = first_of(here);
        // That it is not NULL follows from the predicate above in any case.
        const bool is_only_known =
            here.size() == 1 && constants.empty() && !group.low && !group.high;
        if (is_only_known && !known.says_not_null(ClassId{value}) &&
            !sets().meets(columns(ClassId{value}), place.padded))
            continue;
        const std::vector<std::uint32_t> said = different(constants);
        here.insert(here.end(), said.begin(), said.end());
        out.push_back(same_of(here));
        if (constants.empty()) add_bounds(group, value, out);
    }
}

// A member of the value's group that may stand there; a constant fits everywhere.
std::optional<std::uint32_t> PlanSteps::stand_in(Closure& known, std::uint32_t value,
                                                 const Place& place) {
    const ClassId cls{graph_.find(value)};
    const bool is_free = columns(cls) == 0;
    if ((is_free || fits(cls, place)) && may_move(cls)) return egraph::raw(cls);
    const Closure::Group* group = known.group_of(cls);
    if (group == nullptr) return std::nullopt;
    std::vector<std::uint32_t> constants, others;
    for (std::uint32_t member : group->members) {
        const ClassId other{graph_.find(member)};
        if (!may_move(other)) continue;
        if (columns(other) == 0) constants.push_back(egraph::raw(other));
        if (fits(other, place)) others.push_back(egraph::raw(other));
    }
    if (!constants.empty()) return first_of(constants);
    if (!others.empty()) return first_of(others);
    return std::nullopt;
}

// The atom itself, or a comparison with equal values in place of its operands: comparisons cannot tell them apart.
std::optional<ClassId> PlanSteps::moved(Closure& known, ClassId atom, const Place& place) {
    if (!knowledge_.is_stable(graph_, atom)) return std::nullopt;
    if (fits(atom, place) && may_move(atom)) return atom;
    std::optional<ClassId> found;
    std::vector<NodeView> values;
    graph_.for_each_node(atom, [&](const NodeView& node) {
        if (node.op == ops_.plan().holds) values.push_back(node);
    });
    for (const NodeView& holds : values) {
        std::vector<NodeView> nodes;
        graph_.for_each_node(ClassId{holds.children[0]},
                             [&](const NodeView& node) { nodes.push_back(node); });
        for (const NodeView& node : nodes) {
            const Op op = ops_.meaning(node.op).op;
            const bool compares =
                lang::is_order_comparison(op) || op == Op::ne || op == Op::in || op == Op::between;
            if (found || !compares) continue;
            std::vector<ClassId> operands;
            bool reads = false;
            for (std::uint32_t child : node.children) {
                const auto other = stand_in(known, child, place);
                if (!other) break;
                reads = reads || fits(ClassId{*other}, place);
                operands.push_back(ClassId{*other});
            }
            if (!reads || operands.size() != node.children.size()) continue;
            const ClassId comparison = graph_.add(node.op, node.payload, operands);
            found = graph_.add(ops_.plan().holds, 0, {comparison});
        }
    }
    return found;
}

// Of a disjunction that reads other columns too: what each alternative says here.
std::optional<ClassId> PlanSteps::weakened(Closure& known, ClassId atom, const Place& place) {
    std::vector<ClassId> alternatives;
    graph_.for_each_node(atom, [&](const NodeView& node) {
        if (node.op != ops_.plan().any || !alternatives.empty()) return;
        for (std::uint32_t child : node.children) alternatives.push_back(ClassId{child});
    });
    if (alternatives.empty()) return std::nullopt;
    std::vector<ClassId> weaker;
    for (ClassId alternative : alternatives) {
        std::vector<ClassId> here;
        for (ClassId conjunct : conjuncts(classes_, ops_, alternative)) {
            if (const auto other = moved(known, conjunct, place))
                here.push_back(*other);
            else if (const auto some = not_all_null(known, conjunct, place))
                here.push_back(*some);
        }
        if (here.empty()) return std::nullopt;
        weaker.push_back(all_of(std::move(here)));
    }
    return graph_.add(ops_.plan().any, 0, weaker);
}

// A truth that cannot hold where all the columns that it reads here are NULL says that one of them is not.
std::optional<ClassId> PlanSteps::not_all_null(Closure& known, ClassId atom, const Place& place) {
    const std::uint32_t here = sets().intersect(columns(atom), place.wanted);
    const bool is_news = here != 0 && sets().is_subset(here, place.padded);
    if (!is_news || known.allows_where_null(atom, here)) return std::nullopt;
    std::vector<ClassId> alternatives;
    for (lang::ColumnId column : ColumnSets::Columns(sets()[here])) {
        const ClassId value = graph_.add(ops_[Op::column], static_cast<std::uint32_t>(column));
        alternatives.push_back(graph_.add(ops_.plan().same, 0, {value}));
    }
    return graph_.add(ops_.plan().any, 0, alternatives);
}

ClassId PlanSteps::within(FactsId facts, ClassId relation, std::optional<ClassId> other) {
    Closure& known = closure(facts);
    const Place place{columns(relation), other ? columns(*other) : 0,
                      plan_.padded(graph_, relation)};
    // Conjuncts first as they are written; of constants and ranges what they do not say yet.
    std::vector<ClassId> moving, grouped;
    for (ClassId atom : std::vector<ClassId>(known.atoms())) {
        if (known.is_in_groups(atom)) continue;
        if (const auto here = moved(known, atom, place))
            moving.push_back(*here);
        else if (const auto weaker = weakened(known, atom, place))
            moving.push_back(*weaker);
        else if (const auto some = not_all_null(known, atom, place))
            moving.push_back(*some);
    }
    add_groups(known, place, grouped);
    const FactsId below = facts_of(relation);
    const ClassId first = beyond_closure(moving, closure(below));
    const ClassId rest = beyond_closure(grouped, closure(unite(below, facts_of(first))));
    return all_of({first, rest});
}

// What the atom says that is not known: of equal values one for each group that is known already.
std::optional<ClassId> PlanSteps::trimmed(ClassId atom, Closure& known) {
    if (known.implies(atom)) return std::nullopt;
    std::vector<std::uint32_t> values;
    graph_.for_each_node(atom, [&](const NodeView& node) {
        if (node.op == ops_.plan().same && values.empty())
            for (std::uint32_t child : node.children) values.push_back(graph_.find(child));
    });
    if (values.empty()) return atom;
    std::vector<std::vector<std::uint32_t>> by_group;
    std::vector<const Closure::Group*> groups;
    std::vector<std::uint32_t> kept;
    for (std::uint32_t value : values) {
        const Closure::Group* group = known.group_of(ClassId{value});
        if (group == nullptr) {
            kept.push_back(value);
            continue;
        }
        const auto at = std::ranges::find(groups, group);
        if (at == groups.end()) {
            groups.push_back(group);
            by_group.push_back({value});
        } else {
            by_group[static_cast<std::size_t>(at - groups.begin())].push_back(value);
        }
    }
    for (const auto& group : by_group) kept.push_back(first_of(group));
    return same_of(kept);
}

ClassId PlanSteps::beyond_closure(const std::vector<ClassId>& atoms, Closure& known) {
    std::vector<ClassId> kept;
    for (ClassId atom : atoms) {
        if (const auto rest = trimmed(atom, known)) kept.push_back(*rest);
    }
    return all_of(std::move(kept));
}

ClassId PlanSteps::beyond(ClassId truth, FactsId facts) {
    return beyond_closure(conjuncts(classes_, ops_, truth), closure(facts));
}

// x <=> y is x = y where the facts say that one of them is not NULL.
ClassId PlanSteps::with_plain_equalities(ClassId truth, FactsId facts) {
    std::vector<ClassId> out;
    bool is_changed = false;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        std::vector<NodeView> equalities;
        graph_.for_each_node(atom, [&](const NodeView& holds) {
            if (holds.op != ops_.plan().holds) return;
            graph_.for_each_node(ClassId{holds.children[0]}, [&](const NodeView& value) {
                if (ops_.meaning(value.op).op == Op::null_safe_eq) equalities.push_back(value);
            });
        });
        for (const NodeView& equality : equalities) {
            const std::uint32_t a = equality.children[0], b = equality.children[1];
            const bool is_plain = closure(facts).possible(ClassId{a}).never_null() ||
                                  closure(facts).possible(ClassId{b}).never_null();
            if (!is_plain || !closure(facts).equals_itself(a)) continue;
            atom = same_of({a, b});
            is_changed = true;
            break;
        }
        out.push_back(atom);
    }
    return is_changed ? all_of(std::move(out)) : truth;
}

ClassId PlanSteps::tidied(ClassId written_truth, FactsId facts) {
    const ClassId truth = with_plain_equalities(written_truth, facts);
    Closure known(classes_, ops_);
    Facts alone;
    alone.truths.push_back(egraph::raw(graph_.find(truth)));
    known.assume(alone);
    if (known.is_contradictory()) return graph_.add(ops_.plan().no);
    std::vector<ClassId> grouped, others;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        if (!known.is_in_groups(atom)) others.push_back(atom);
    }
    // What the predicate said, and no more: a column that must be non-NULL for another conjunct is no conjunct of its own.
    std::unordered_set<std::uint32_t> written;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        if (!known.is_in_groups(atom)) continue;
        graph_.for_each_node(atom, [&](const NodeView& node) {
            if (node.op == ops_.plan().same)
                for (std::uint32_t child : node.children) written.insert(graph_.find(child));
            if (node.op != ops_.plan().holds) return;
            graph_.for_each_node(ClassId{node.children[0]}, [&](const NodeView& value) {
                if (lang::is_comparison(ops_.meaning(value.op).op))
                    for (std::uint32_t child : value.children) written.insert(graph_.find(child));
            });
        });
    }
    for (const Closure::Group& group : known.groups()) {
        std::vector<std::uint32_t> values, constants;
        for (std::uint32_t member : group.members) {
            const std::uint32_t cls = graph_.find(member);
            if (!written.contains(cls)) continue;
            const bool is_constant = knowledge_.possible(graph_, ClassId{cls}).constant.has_value();
            (is_constant ? constants : values).push_back(cls);
        }
        const std::vector<std::uint32_t> said = different(constants);
        if (values.empty()) {
            if (said.size() > 1) grouped.push_back(same_of(said));
            continue;
        }
        const std::uint32_t value = first_of(values);
        const bool has_bound = group.low || group.high;
        values.insert(values.end(), said.begin(), said.end());
        if (values.size() > 1 || !has_bound) grouped.push_back(same_of(values));
        if (constants.empty()) add_bounds(group, value, grouped);
    }
    FactsId so_far = facts;
    const ClassId first = beyond_closure(grouped, closure(facts));
    so_far = unite(so_far, facts_of(first));
    std::vector<ClassId> out{first};
    for (ClassId atom : others) {
        if (!closure(so_far).implies(atom)) out.push_back(atom);
    }
    return all_of(std::move(out));
}

std::optional<ClassId> PlanSteps::read_by(ClassId shape, ClassId input,
                                          std::span<const ClassId> items) {
    const NodeView node = graph_.node(graph_.first_node(graph_.find(shape)));
    if (node.op != ops_.plan().shape || plan_.scope().frozen[node.payload]) return std::nullopt;
    const lang::Plan& plan = *plan_.scope().plan;
    const lang::Relation& relation = plan[lang::RelationId{node.payload}];
    std::uint32_t read = 0;
    for (ClassId item : items) read = sets().unite(read, columns(item));
    if (relation.op == lang::RelOp::aggregate) {
        const auto& dependents = plan.aggregates[relation.payload].dependents;
        read = sets().unite(read, sets().intern(dependents));
    }
    return graph_.add(ops_.plan().columns, sets().intersect(read, columns(input)));
}

ClassId PlanSteps::demand(ClassId wanted, ClassId truth, ClassId relation) {
    const std::uint32_t read = sets().unite(columns(wanted), columns(truth));
    return graph_.add(ops_.plan().columns, sets().intersect(read, columns(relation)));
}

bool PlanSteps::is_less(ClassId wanted, ClassId relation) const {
    return columns(wanted) != columns(relation) && plan_.padded(graph_, relation) != 0;
}

bool PlanSteps::is_unread(ClassId wanted, ClassId relation) const {
    return !sets().meets(columns(wanted), columns(relation));
}

bool PlanSteps::has_one_partner(ClassId truth, ClassId left, ClassId right) {
    Closure& known = closure(unite(unite(facts_of(truth), facts_of(left)), facts_of(right)));
    // Not by just any column that is not the right side's own: a projection in it may hide some that each of its rows has anew.
    const std::uint32_t given = columns(left);
    const auto is_bound = [&](lang::ColumnId column) {
        const ClassId value = graph_.add(ops_[Op::column], static_cast<std::uint32_t>(column));
        const Closure::Group* group = known.group_of(value);
        if (group == nullptr) return false;
        return std::ranges::any_of(group->members, [&](std::uint32_t member) {
            return sets().is_subset(columns(ClassId{member}), given) && may_move(ClassId{member});
        });
    };
    const auto keys = plan_.keys(graph_, right);
    return std::ranges::any_of(keys, [&](std::uint32_t key) {
        return std::ranges::all_of(ColumnSets::Columns(sets()[key]), is_bound);
    });
}

std::optional<ClassId> PlanSteps::columns_of(std::span<const ClassId> relations) {
    std::uint32_t set = 0;
    for (ClassId relation : relations) set = sets().unite(set, columns(relation));
    for (lang::ColumnId column : sets()[set]) {
        const lang::PlanColumn& c = plan_.scope().plan->columns[static_cast<std::size_t>(column)];
        if (c.whole_row || c.type.kind() == lang::TypeKind::unknown) return std::nullopt;
    }
    return graph_.add(ops_.plan().columns, set);
}

// The columns that a projection or a grouping makes of expressions below it, by the shape's relation.
std::optional<PlanSteps::Replacement> PlanSteps::items_of(ClassId shape,
                                                          std::span<const ClassId> items) const {
    const NodeView node = graph_.node(graph_.first_node(graph_.find(shape)));
    if (node.op != ops_.plan().shape) return std::nullopt;
    const auto* made = items_made(*plan_.scope().plan, lang::RelationId{node.payload});
    // Volatile ones are not in the e-graph.
    if (made == nullptr || items.size() < made->size()) return std::nullopt;
    Replacement out;
    for (std::size_t i = 0; i < made->size(); ++i) out[(*made)[i].column] = graph_.find(items[i]);
    return out;
}

std::optional<ClassId> PlanSteps::substitute(ClassId root, const Replacement& items) {
    std::unordered_map<std::uint32_t, ClassId> done;
    const auto is_touched = [&](std::uint32_t cls) {
        return std::ranges::any_of(sets()[columns(ClassId{cls})],
                                   [&](lang::ColumnId c) { return items.contains(c); });
    };
    std::vector<std::uint32_t> todo{egraph::raw(graph_.find(root))};
    while (!todo.empty()) {
        const std::uint32_t cls = todo.back();
        if (done.contains(cls)) {
            todo.pop_back();
            continue;
        }
        if (!is_touched(cls)) {
            done.emplace(cls, ClassId{cls});
            continue;
        }
        const NodeView node = graph_.node(graph_.witness(ClassId{cls}));
        const SqlOps::Meaning& m = ops_.meaning(node.op);
        if (m.op == Op::column && m.sort == Sort::value) {
            const ClassId item = items.at(lang::ColumnId{node.payload});
            done.emplace(cls, item);
            continue;
        }
        if (m.sort == Sort::value && m.op >= Op::opaque) return std::nullopt;
        const std::size_t before = todo.size();
        for (std::uint32_t child : node.children) {
            if (!done.contains(graph_.find(child))) todo.push_back(graph_.find(child));
        }
        if (todo.size() > before) continue;
        std::vector<ClassId> children;
        for (std::uint32_t child : node.children) children.push_back(done.at(graph_.find(child)));
        done.emplace(cls, graph_.add(node.op, node.payload, children));
    }
    return done.at(egraph::raw(graph_.find(root)));
}

std::optional<ClassId> PlanSteps::replaced(ClassId truth, const Replacement& items) {
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        const auto other = may_move(atom) ? substitute(atom, items) : std::nullopt;
        if (!other || !may_move(*other)) return std::nullopt;
        out.push_back(*other);
    }
    return all_of(std::move(out));
}

std::optional<ClassId> PlanSteps::below(ClassId truth, ClassId shape,
                                        std::span<const ClassId> items) {
    const auto made = items_of(shape, items);
    if (!made) return std::nullopt;
    return replaced(truth, *made);
}

std::optional<ClassId> PlanSteps::seen_below(ClassId truth, ClassId shape,
                                             std::span<const ClassId> items) {
    const auto made = items_of(shape, items);
    if (!made) return std::nullopt;
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        const auto other =
            knowledge_.is_stable(graph_, atom) ? substitute(atom, *made) : std::nullopt;
        if (other && knowledge_.is_stable(graph_, *other)) out.push_back(*other);
    }
    return all_of(std::move(out));
}

std::optional<ClassId> PlanSteps::under_nulls(ClassId truth, ClassId columns_leaf) {
    Replacement nulls;
    for (lang::ColumnId column : ColumnSets::Columns(sets()[columns(columns_leaf)])) {
        const lang::Type type = plan_.scope().plan->columns[static_cast<std::size_t>(column)].type;
        const auto null = ops_.context().literals.intern(type, lang::Value::null());
        nulls[column] = graph_.add(ops_[Op::literal], static_cast<std::uint32_t>(null));
    }
    return replaced(truth, nulls);
}

std::optional<ClassId> PlanSteps::key_conjunct(ClassId atom, const Replacement& keys) {
    const auto is_key = [&](lang::ColumnId column) { return keys.contains(column); };
    if (!may_move(atom) || !is_about_groups(classes_, ops_, atom, is_key)) return std::nullopt;
    const auto other = substitute(atom, keys);
    return other && may_move(*other) ? other : std::nullopt;
}

std::optional<ClassId> PlanSteps::below_groups(ClassId truth, ClassId shape,
                                               std::span<const ClassId> items) {
    const auto keys = items_of(shape, items);
    if (!keys) return std::nullopt;
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        if (const auto other = key_conjunct(atom, *keys)) out.push_back(*other);
    }
    if (out.empty()) return std::nullopt;
    return all_of(std::move(out));
}

ClassId PlanSteps::above_groups(ClassId truth, ClassId below, ClassId shape,
                                std::span<const ClassId> items) {
    const auto keys = items_of(shape, items);
    const std::vector<ClassId> asked = conjuncts(classes_, ops_, below);
    std::vector<ClassId> out;
    for (ClassId atom : conjuncts(classes_, ops_, truth)) {
        const auto other = keys ? key_conjunct(atom, *keys) : std::nullopt;
        const auto is_asked = [&](ClassId part) {
            return std::ranges::find(asked, part) != asked.end() || is_yes(part);
        };
        const bool is_below =
            other && std::ranges::all_of(conjuncts(classes_, ops_, *other), is_asked);
        if (!is_below) out.push_back(atom);
    }
    return all_of(std::move(out));
}

}  // namespace satura::rules
