#include "optimizer/critical_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "egraph/extract.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"
#include "rules/overlap.hpp"

namespace satura {

using egraph::ClassId;
using egraph::EGraph;
using egraph::NodeView;
using lang::Op;
using lang::Type;
using lang::TypeKind;
using rules::Overlap;
using rules::OverlapNode;
using rules::Sort;

namespace {

constexpr std::uint64_t fillings_max = 512;  // of one overlap
constexpr int terms_max = 3;                 // of one overlap that both rules rewrite
constexpr std::uint32_t nodes_max = 2'000;   // of an e-graph in which two results may meet
constexpr std::uint32_t columns_each = 6;    // of one kind

// A term without variables; operands have smaller indexes.
struct Node {
    egraph::OpId op{};
    egraph::Payload payload = 0;
    std::vector<std::uint32_t> operands;
};
using Term = std::vector<Node>;

// What a variable may stand for.
enum class Role : std::uint8_t { number, boolean, truth, cast_operand, literal, type };

struct Filling {
    egraph::Payload type_bits = 0;  // of type variables
    std::uint32_t node = egraph::none;
};

class NotSubsumed : public egraph::TermSize {
  public:
    bool admits(const EGraph& graph, const NodeView& node, std::uint32_t) const override {
        return !graph.is_subsumed(node.id);
    }
};

class Search {
  public:
    explicit Search(RuleEngine& engine) : engine_(engine) {
        add_columns();
        for (const auto& [phase, added] : engine.by_phase) {
            for (std::uint32_t i : added) {
                if (phase != 0 || rules::sort_of(engine.resolved[i], engine.ops) == Sort::relation)
                    continue;
                all_.push_back(i);
                if (engine.resolved[i].normalises) normalising_.push_back(i);
            }
        }
    }

    CriticalPairs run(std::uint32_t first_source) {
        for (std::uint32_t a : normalising_) {
            for (std::uint32_t b : normalising_) {
                if (a == b || (!is_from(a, first_source) && !is_from(b, first_source))) continue;
                for (const Overlap& overlap :
                     rules::find_overlaps(engine_.resolved[a], engine_.resolved[b])) {
                    if (overlap.is_at_root && a > b) continue;  // seen from the other side
                    ++out_.overlaps;
                    try_overlap(a, b, overlap);
                }
            }
        }
        engine_.reset();
        for (auto& [names, found] : found_) out_.pairs.push_back(std::move(found.pair));
        return std::move(out_);
    }

  private:
    struct Found {
        CriticalPair pair;
        std::size_t size = 0;
    };

    bool is_from(std::uint32_t rule, std::uint32_t first_source) const {
        const auto index = engine_.book.find(engine_.resolved[rule].written_name);
        return index && engine_.book.rules[*index].source >= first_source;
    }

    // b0 …: booleans that may be NULL, t0 … that may not; x0 … and z0 … integers; n0 … smallints.
    void add_columns() {
        const auto add = [&](char name, TypeKind kind, bool nullable) {
            for (std::uint32_t i = 0; i < columns_each; ++i)
                engine_.scope.columns.push_back({name + std::to_string(i), Type{kind}, nullable});
        };
        engine_.scope.columns.clear();
        add('b', TypeKind::boolean, true);
        add('t', TypeKind::boolean, false);
        add('x', TypeKind::integer, true);
        add('z', TypeKind::integer, false);
        add('n', TypeKind::smallint, true);
    }
    enum Columns : std::uint32_t { b, t, x, z, n };

    // --- What the variables of an overlap are

    struct Shape {
        std::vector<std::uint32_t> variables;  // each once
        std::map<std::uint32_t, Role> roles;
    };

    Shape shape_of(std::uint32_t first, std::uint32_t second, const Overlap& overlap) const {
        Shape out;
        const auto meet = [&](std::uint32_t variable, Role role) {
            const auto [at, fresh] = out.roles.try_emplace(variable, role);
            if (fresh) out.variables.push_back(variable);
            // That it is boolean is said by some operators, that it is a number by none.
            if (at->second == Role::number) at->second = role;
        };
        for (const OverlapNode& node : overlap.nodes) {
            if (node.payload_variable != rules::no_term) meet(node.payload_variable, Role::type);
            for (std::size_t i = 0; i < node.operands.size(); ++i) {
                const OverlapNode& operand = overlap.nodes[node.operands[i]];
                if (!operand.is_variable) continue;
                const bool is_literal =
                    kind_of(first, second, operand.variable) == rules::VariableKind::literal;
                meet(operand.variable, is_literal ? Role::literal : role_below(node.op, i));
            }
        }
        return out;
    }

    rules::VariableKind kind_of(std::uint32_t first, std::uint32_t second,
                                std::uint32_t variable) const {
        const auto& mine = engine_.resolved[first].variables;
        const auto& its = engine_.resolved[second].variables;
        return variable < mine.size() ? mine[variable].kind : its[variable - mine.size()].kind;
    }

    Role role_below(egraph::OpId op, std::size_t operand) const {
        const rules::PlanOps& plan = engine_.ops.plan();
        if (op == plan.all || op == plan.any) return Role::truth;
        if (op == plan.holds) return Role::boolean;
        if (op == plan.same) return Role::number;
        const rules::SqlOps::Meaning& meaning = engine_.ops.meaning(op);
        if (meaning.is_when) return operand == 0 ? Role::boolean : Role::number;
        switch (meaning.op) {
            case Op::and_:
            case Op::or_:
            case Op::not_:
            case Op::is_true:
            case Op::is_false:
                return Role::boolean;
            case Op::cast:
            case Op::try_cast:
                return Role::cast_operand;
            default:
                return Role::number;
        }
    }

    static std::uint32_t choices_of(Role role) {
        switch (role) {
            case Role::number:
            case Role::type:
                return 3;
            case Role::truth:
                return 1;
            case Role::cast_operand:
                return 2;
            default:
                return 4;
        }
    }

    // --- Terms

    std::uint32_t leaf(Term& term, Columns kind, std::uint32_t number) const {
        term.push_back({engine_.ops[Op::column], kind * columns_each + number % columns_each, {}});
        return static_cast<std::uint32_t>(term.size() - 1);
    }

    std::uint32_t constant(Term& term, Type type, const lang::Value& value) {
        const auto literal = engine_.context.literals.intern(type, value);
        term.push_back({engine_.ops[Op::literal], static_cast<std::uint32_t>(literal), {}});
        return static_cast<std::uint32_t>(term.size() - 1);
    }

    Filling fill(Term& term, Role role, std::uint32_t choice, std::uint32_t number, Type type) {
        const Type boolean{TypeKind::boolean}, integer{TypeKind::integer};
        switch (role) {
            case Role::number:
                if (choice == 2) return {0, constant(term, integer, lang::Value::null())};
                return {0, leaf(term, choice == 0 ? x : z, number)};
            case Role::boolean:
                if (choice == 2) return {0, constant(term, boolean, lang::Value::null())};
                if (choice == 3) return {0, constant(term, boolean, lang::Value::boolean(true))};
                return {0, leaf(term, choice == 0 ? b : t, number)};
            case Role::truth: {
                const std::uint32_t below = leaf(term, b, number);
                term.push_back({engine_.ops.plan().holds, 0, {below}});
                return {0, static_cast<std::uint32_t>(term.size() - 1)};
            }
            case Role::cast_operand:
                return {0, leaf(term, choice == 0 ? n : x, number)};
            case Role::literal:
                if (choice == 3) return {0, constant(term, type, lang::Value::null())};
                return {0, constant(term, type,
                                    lang::Value::integer(choice == 0   ? 1
                                                         : choice == 1 ? 40'000
                                                                       : 32'767))};
            case Role::type:
                return {type_of(choice).bits(), egraph::none};
        }
        return {};
    }

    static Type type_of(std::uint32_t choice) {
        return Type{choice == 0   ? TypeKind::integer
                    : choice == 1 ? TypeKind::bigint
                                  : TypeKind::smallint};
    }

    Term filled(const Overlap& overlap, const Shape& shape,
                const std::map<std::uint32_t, std::uint32_t>& choices) {
        Term term;
        // Constants are compared with what a cast makes.
        Type constants{TypeKind::integer};
        for (const auto& [variable, role] : shape.roles) {
            if (role != Role::type) continue;
            constants = type_of(choices.at(variable));
            break;
        }
        std::map<std::uint32_t, Filling> fillings;
        for (std::uint32_t i = 0; i < shape.variables.size(); ++i) {
            const std::uint32_t v = shape.variables[i];
            fillings[v] = fill(term, shape.roles.at(v), choices.at(v), i, constants);
        }
        std::vector<std::uint32_t> made;
        for (const OverlapNode& node : overlap.nodes) {
            if (node.is_variable) {
                made.push_back(fillings.contains(node.variable) ? fillings[node.variable].node
                                                                : leaf(term, x, 0));
                continue;
            }
            Node out{node.op, node.payload, {}};
            if (node.payload_variable != rules::no_term)
                out.payload = fillings[node.payload_variable].type_bits;
            for (std::uint32_t o : node.operands) out.operands.push_back(made[o]);
            term.push_back(std::move(out));
            made.push_back(static_cast<std::uint32_t>(term.size() - 1));
        }
        return term;
    }

    ClassId add(const Term& term) {
        std::vector<ClassId> made;
        for (const Node& node : term) {
            std::vector<ClassId> operands;
            for (std::uint32_t o : node.operands) operands.push_back(made[o]);
            made.push_back(engine_.graph.add(node.op, node.payload, operands));
        }
        return made.back();
    }

    // The smallest term of the class that no rule has rewritten; nothing where there is none.
    std::optional<Term> smallest(ClassId root) const {
        const EGraph& graph = engine_.graph;
        const NotSubsumed model;
        const egraph::Extraction extraction(graph, model);
        if (!extraction.has_choice(root)) return std::nullopt;
        Term term;
        std::map<std::uint32_t, std::uint32_t> made;
        std::vector<std::uint32_t> todo{graph.find(egraph::raw(root))};
        while (!todo.empty()) {
            const std::uint32_t cls = todo.back();
            const NodeView node = graph.node(extraction.choice(ClassId{cls}));
            bool is_ready = true;
            for (std::uint32_t child : node.children) {
                if (made.contains(graph.find(child))) continue;
                todo.push_back(graph.find(child));
                is_ready = false;
            }
            if (!is_ready) continue;
            todo.pop_back();
            if (made.contains(cls)) continue;
            Node out{node.op, node.payload, {}};
            for (std::uint32_t child : node.children)
                out.operands.push_back(made[graph.find(child)]);
            made[cls] = static_cast<std::uint32_t>(term.size());
            term.push_back(std::move(out));
        }
        return term;
    }

    // Comparisons, conditions and their like have operands of one type.
    bool is_well_typed() const {
        const EGraph& graph = engine_.graph;
        bool is_good = true;
        graph.for_each_class([&](ClassId cls) {
            graph.for_each_node(cls, [&](const NodeView& node) {
                const rules::SqlOps::Meaning& meaning = engine_.ops.meaning(node.op);
                const auto type = [&](std::size_t i) {
                    return engine_.knowledge.type(graph, ClassId{node.children[i]});
                };
                if (meaning.sort == Sort::value && meaning.op != Op::column &&
                    meaning.op != Op::literal)
                    is_good =
                        is_good && engine_.knowledge.type(graph, cls).kind() != TypeKind::unknown;
                const bool is_alike = lang::is_comparison(meaning.op) || meaning.op == Op::in ||
                                      meaning.op == Op::between || meaning.op == Op::coalesce ||
                                      node.op == engine_.ops.plan().same;
                if (!is_alike || meaning.is_when) return;
                for (std::size_t i = 1; i < node.children.size(); ++i)
                    is_good = is_good && type(i) == type(0);
            });
        });
        return is_good;
    }

    // What one rule, applied wherever it can be, makes of the term; nothing where it does not apply.
    std::optional<Term> rewritten(const Term& term, std::uint32_t rule) {
        engine_.reset();
        const ClassId root = add(term);
        engine_.graph.rebuild();
        if (!is_well_typed()) return std::nullopt;
        egraph::Limits limits;
        limits.nodes = nodes_max;
        limits.iterations = 1;
        engine_.runner->run(limits, {rule});
        if (engine_.runner->statistics()[rule].applied == 0) return std::nullopt;
        return smallest(root);
    }

    // --- Pairs

    void try_overlap(std::uint32_t first, std::uint32_t second, const Overlap& overlap) {
        const Shape shape = shape_of(first, second, overlap);
        std::map<std::uint32_t, std::uint32_t> choices;
        for (std::uint32_t v : shape.variables) choices[v] = 0;
        int terms = 0;
        for (std::uint64_t i = 0; i < fillings_max && terms < terms_max; ++i) {
            const Term term = filled(overlap, shape, choices);
            const auto left = rewritten(term, first);
            const auto right = left ? rewritten(term, second) : std::nullopt;
            if (left && right) {
                out_.exercised += terms++ == 0;
                ++out_.terms;
                compare(first, second, term, *left, *right);
            }
            bool is_last = true;
            for (std::uint32_t v : shape.variables) {
                if (++choices[v] < choices_of(shape.roles.at(v))) {
                    is_last = false;
                    break;
                }
                choices[v] = 0;
            }
            if (is_last) return;
        }
    }

    void compare(std::uint32_t first, std::uint32_t second, const Term& term, const Term& left,
                 const Term& right) {
        engine_.reset();
        const ClassId a = add(left), c = add(right);
        engine_.graph.rebuild();
        egraph::Limits limits;
        limits.nodes = nodes_max;
        const auto met = [&] { return engine_.graph.find(a) == engine_.graph.find(c); };
        if (met()) return;
        bool is_done =
            engine_.runner->run(limits, normalising_).stop == egraph::StopReason::saturated;
        if (met()) return;
        const auto x_end = smallest(a), y_end = smallest(c);
        is_done =
            engine_.runner->run(limits, all_).stop == egraph::StopReason::saturated && is_done;
        if (!met() && !is_done) {
            ++out_.unknown;
            return;
        }
        Found found;
        found.size = term.size();
        found.pair = {
            engine_.resolved[first].written_name, engine_.resolved[second].written_name, text(term),
            text(x_end ? *x_end : left),          text(y_end ? *y_end : right),          met()};
        if (found.pair.first > found.pair.second) {
            std::swap(found.pair.first, found.pair.second);
            std::swap(found.pair.left, found.pair.right);
        }
        const auto [at, fresh] =
            found_.try_emplace(std::pair(found.pair.first, found.pair.second), found);
        // One that does not meet at all says more.
        const auto rank = [](const Found& f) {
            return std::tuple(f.pair.joins_by_exploring, f.size, f.pair.term);
        };
        if (!fresh && rank(found) < rank(at->second)) at->second = std::move(found);
    }

    std::string text(const Term& term) const {
        std::vector<std::string> made;
        for (const Node& node : term) {
            std::string name = engine_.ops.signature()[node.op].name;
            if (node.op == engine_.ops[Op::column]) {
                made.push_back(engine_.scope.columns[node.payload].name);
                continue;
            }
            if (node.op == engine_.ops[Op::literal]) {
                const lang::Literal& literal =
                    engine_.context.literals[lang::LiteralId{node.payload}];
                made.push_back(literal.value.is_null()
                                   ? "null"
                                   : lang::value_text(literal.value, literal.type));
                continue;
            }
            std::vector<std::string> operands;
            for (std::uint32_t o : node.operands) operands.push_back(made[o]);
            const Op op = engine_.ops.meaning(node.op).op;
            if (op == Op::cast || op == Op::try_cast)
                operands[0] +=
                    " as " + lang::write_type(Type::from_bits(node.payload), engine_.context);
            std::ranges::sort(operands.begin(),
                              is_set(node.op) ? operands.end() : operands.begin());
            made.push_back(
                operands.empty() ? name : fmt::format("{}({})", name, fmt::join(operands, ", ")));
        }
        return made.back();
    }

    bool is_set(egraph::OpId op) const {
        const egraph::Shape shape = engine_.ops.signature()[op].shape;
        return shape == egraph::Shape::set || shape == egraph::Shape::bag;
    }

    RuleEngine& engine_;
    std::vector<std::uint32_t> all_, normalising_;
    std::map<std::pair<std::string, std::string>, Found> found_;
    CriticalPairs out_;
};

}  // namespace

CriticalPairs find_critical_pairs(RuleEngine& engine, std::uint32_t first_source) {
    return Search(engine).run(first_source);
}

std::string describe(const CriticalPairs& found) {
    std::string out;
    std::size_t open = 0;
    for (const CriticalPair& pair : found.pairs) {
        open += pair.joins_by_exploring ? 0 : 1;
        out += fmt::format("{} and {}{}\n    {}\n    {}: {}\n    {}: {}\n", pair.first, pair.second,
                           pair.joins_by_exploring ? ", one by rules that explore" : "", pair.term,
                           pair.first, pair.left, pair.second, pair.right);
    }
    out += fmt::format(
        "{} overlaps, {} of them tried with {} terms: {} pairs of rules do not meet, {} only by "
        "rules that explore",
        found.overlaps, found.exercised, found.terms, open, found.pairs.size() - open);
    if (found.unknown > 0) out += fmt::format("; {} terms at a limit", found.unknown);
    return out + "\n";
}

}  // namespace satura
