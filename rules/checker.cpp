#include "rules/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "lang/boundary.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"
#include "rules/check_sorts.hpp"
#include "rules/check_types.hpp"
#include "rules/possible.hpp"

namespace satura::rules {

using lang::ExprId;
using lang::LiteralId;
using lang::Op;
using lang::Type;
using lang::Value;

namespace {

constexpr std::size_t list_length_max = 2;              // elements of a rest
constexpr std::size_t constants_max = 24;               // of one literal variable and type
constexpr std::size_t expression_constants_max = 3;     // of one expression variable
constexpr std::uint64_t rows_min = 40, rows_max = 600;  // of one instance
constexpr std::uint64_t instances_tried_max =
    400'000;  // type-correct ones, conditions not asked yet

// What stands for an expression variable.
//   nullable, known  a column
//   overflowing      a cast of a wider column: its value may lie beyond its type, and then it raises
//   constant         a literal
//   predicate    what an integer column is, for rules that look at what predicates say of one operand
enum class Flavor : std::uint8_t { nullable, known, overflowing, constant, predicate };

// x a ca, not (x a ca), or x a ca and, or x b cb, where x is a column that all predicates of an instance share, one that may be NULL or one that is not.
struct Predicate {
    Op first = Op::eq;
    int first_constant = 0;
    Op junction = Op::not_;  // none
    Op second = Op::eq;
    int second_constant = 0;
    bool known = false;
    bool negated = false;
    bool of_booleans =
        false;  // the constants are numbers of boolean columns, which are joined by the junction
};
constexpr std::uint32_t shared_booleans = 3;
constexpr Predicate predicates[] = {
    {Op::gt, 1, Op::not_, Op::eq, 0, false},
    {Op::ge, 3, Op::not_, Op::eq, 0, false},
    {Op::lt, 3, Op::not_, Op::eq, 0, false},
    {Op::le, 1, Op::not_, Op::eq, 0, false},
    {Op::eq, 1, Op::not_, Op::eq, 0, false},
    {Op::ne, 1, Op::not_, Op::eq, 0, false},
    {Op::gt, 1, Op::and_, Op::gt, 3, false},
    {Op::lt, 1, Op::and_, Op::ge, 3, false},
    {Op::lt, 3, Op::or_, Op::ge, 1, false},
    {Op::ne, 1, Op::and_, Op::eq, 3, false},
    {Op::eq, 3, Op::not_, Op::eq, 0, true},
    {Op::lt, 1, Op::not_, Op::eq, 0, true},
    {Op::ge, 1, Op::not_, Op::eq, 0, true},
    {Op::lt, 1, Op::or_, Op::ge, 1, true},
    {Op::gt, 1, Op::not_, Op::eq, 0, false, true},
    {Op::ne, 3, Op::not_, Op::eq, 0, true, true},
    {Op::eq, 0, Op::and_, Op::eq, 1, false, false, true},
    {Op::eq, 0, Op::and_, Op::eq, 2, false, false, true},
    {Op::eq, 0, Op::or_, Op::eq, 1, false, false, true},
    {Op::eq, 0, Op::or_, Op::eq, 2, false, false, true},
};

// One expression that stands for a variable or for an element of a rest.
struct Stand {
    Type type;
    Flavor flavor = Flavor::nullable;
    std::uint32_t column = 0;      // its column
    LiteralId literal{};           // constant
    std::uint32_t pair = no_term;  // elements of CASE: the stand of the pair's condition
    std::size_t predicate = 0;     // predicate: index of predicates
};

struct Binding {
    std::optional<Type> type;
    Flavor flavor = Flavor::nullable;
    LiteralId literal{};
    std::size_t predicate = 0;
    std::uint32_t twin = no_term;  // expression: the variable that stands for the same
    std::vector<Stand> elements;   // rest
    Stand stand;                   // expression
    bool computed_list = false;
    // Computed rest: indexes of all stands, constants, or expressions over those.
    std::vector<std::variant<std::uint32_t, LiteralId, Made>> list;
    std::optional<Made> made;  // computed expression
};

class Checker {
  public:
    Checker(const ResolvedRule& rule, SqlOps& ops, const CheckLimits& limits)
        : rule_(rule),
          ops_(ops),
          context_(ops.context()),
          limits_(limits),
          types_(rule, ops),
          sorts_(sorts_of(rule, ops)) {}

    CheckResult run() {
        if (!sorts_.is_over_values) {
            result_.verdict = CheckResult::Verdict::not_by_values;
        } else if (!sorts_.mistake.empty()) {
            result_.verdict = CheckResult::Verdict::different;
            result_.counterexample = sorts_.mistake;
        } else {
            bindings_.resize(rule_.variables.size());
            find_order();
            check();
        }
        return result_;
    }

    CheckResult run_case(const std::vector<CaseVariable>& variables) {
        if (!sorts_.is_over_values || !sorts_.mistake.empty()) return run();
        bindings_.resize(rule_.variables.size());
        std::vector<Value> row;
        for (std::uint32_t v = 0; v < bindings_.size(); ++v) bind(v, variables[v], row);
        place_stands();
        // Nothing stands for a predicate here, so what predicates would be about is not there.
        stands_.erase(stands_.begin() + static_cast<std::ptrdiff_t>(row.size()), stands_.end());
        if (!conditions_hold(false) || !compute_lets() || !conditions_hold(true)) return result_;
        const auto left = build(rule_.left);
        const auto right = left ? build(rule_.right) : std::nullopt;
        if (!left || !right || exprs_[*left].type != exprs_[*right].type) return result_;
        ++result_.instances;
        result_.verdict = CheckResult::Verdict::sound;
        evaluate_row(*left, *right, row);
        return result_;
    }

    void run_instances(std::uint64_t instances_max,
                       const std::function<void(const InstanceSides&)>& each) {
        if (!sorts_.is_over_values || !sorts_.mistake.empty()) return;
        bindings_.resize(rule_.variables.size());
        find_order();
        if (!is_left_possible()) return;
        choose(0);
        every_ = std::max<std::uint64_t>(1, result_.instances / instances_max);
        result_ = {};
        tried_ = 0;
        counting_ = false;
        each_ = &each;
        choose(0);
    }

  private:
    // Binds a variable to what stands for it, and appends the values of its columns, in the order of place_stands().
    void bind(std::uint32_t v, const CaseVariable& variable, std::vector<Value>& row) {
        const VariableKind kind = rule_.variables[v].kind;
        Binding& b = bindings_[v];
        if (rule_.variables[v].computed || rule_.variables[v].element_of != no_term) return;
        b.type = variable.type;
        if (!b.type) return;
        const bool is_literal = kind == VariableKind::literal || variable.is_constant;
        if (is_literal) b.literal = context_.literals.intern(*b.type, variable.value);
        b.flavor = variable.is_constant  ? Flavor::constant
                   : variable.never_null ? Flavor::known
                                         : Flavor::nullable;
        if (kind == VariableKind::expression) row.push_back(variable.value);
        if (kind != VariableKind::rest) return;
        const RestRole role = role_of_rest(rule_, ops_, v);
        for (std::size_t i = 0; i < variable.elements.size(); ++i) {
            const bool is_else = i + 1 == variable.elements.size() && i % 2 == 0;
            const bool is_condition = role != RestRole::list && i % 2 == 0 && !is_else;
            b.elements.push_back({is_condition ? Type{lang::TypeKind::boolean} : *b.type,
                                  is_truth(v) ? Flavor::known : b.flavor,
                                  0,
                                  {},
                                  no_term});
            row.push_back(variable.elements[i]);
        }
    }

    // Expressions and types first, then rests, then literals, whose choice depends on the types of the others.
    void find_order() {
        for (std::uint32_t kind_wanted = 0; kind_wanted < 3; ++kind_wanted) {
            for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
                const Variable& variable = rule_.variables[v];
                if (variable.computed || variable.element_of != no_term) continue;
                std::uint32_t turn = variable.kind == VariableKind::literal ? 2
                                     : variable.kind == VariableKind::rest  ? 1
                                                                            : 0;
                if (variable.kind == VariableKind::op) continue;
                if (turn == kind_wanted) order_.push_back(v);
            }
        }
    }

    void check() {
        // First count the instances, so that the rows can be spread over all of them.
        if (!is_left_possible()) return;
        choose(0);
        std::uint64_t instances = std::max<std::uint64_t>(1, result_.instances);
        result_ = {};
        tried_ = 0;
        counting_ = false;
        rows_wanted_ = std::clamp<std::uint64_t>(limits_.cases / instances, rows_min, rows_max);
        every_ = std::max<std::uint64_t>(
            1, instances * rows_min / std::max<std::uint64_t>(1, limits_.cases));
        choose(0);
        if (result_.verdict == CheckResult::Verdict::unused && result_.instances > 0) {
            result_.verdict = CheckResult::Verdict::sound;
        }
    }

    bool is_truth(std::uint32_t v) const { return sorts_.variables[v] == Sort::truth; }

    bool finished() const {
        return result_.verdict == CheckResult::Verdict::different ||
               result_.verdict == CheckResult::Verdict::raises || tried_ >= instances_tried_max;
    }

    bool is_left_possible() {
        std::vector<std::optional<Type>> chosen;
        chosen.reserve(bindings_.size());
        for (const Binding& b : bindings_) chosen.push_back(b.type);
        types_.compute(rule_.left, chosen, typed_);
        return typed_[rule_.left].state != TermTypes::State::invalid;
    }

    // NOLINTBEGIN(misc-no-recursion): as deep as the rule has variables, at most 64.

    // Chooses the variable at `at` of the order in every way, and the rest after it.
    void choose(std::size_t at) {
        if (finished()) return;
        if (at == order_.size()) {
            if (typed_[rule_.left].state == TermTypes::State::known) try_instance();
            return;
        }
        std::uint32_t v = order_[at];
        for (Type type : checked_types()) {
            bindings_[v].type = type;
            if (is_left_possible()) choose_flavor(at, v, type);
            if (finished()) break;
        }
        bindings_[v].type.reset();
    }

    void choose_flavor(std::size_t at, std::uint32_t v, Type type) {
        Binding& b = bindings_[v];
        switch (rule_.variables[v].kind) {
            case VariableKind::type:
                choose(at + 1);
                break;
            case VariableKind::literal:
                for (LiteralId literal : constants(type)) {
                    b.literal = literal;
                    choose(at + 1);
                }
                break;
            case VariableKind::rest:
                choose_list(at, v, type);
                break;
            default:
                if (wants_predicates() && type.kind() == lang::TypeKind::boolean) {
                    choose_predicates(at, v);
                    break;
                }
                for (Flavor flavor : {Flavor::nullable, Flavor::known, Flavor::overflowing}) {
                    if (flavor == Flavor::overflowing && !can_overflow(type)) continue;
                    if (flavor == Flavor::nullable && is_truth(v)) continue;
                    b.flavor = flavor;
                    choose(at + 1);
                }
                choose_constants(at, v, type);
                choose_twins(at, v, type);
        }
    }

    void choose_constants(std::size_t at, std::uint32_t v, Type type) {
        Binding& b = bindings_[v];
        std::vector<LiteralId> values = constants_of(v, type);
        if (values.size() > expression_constants_max) values.resize(expression_constants_max);
        b.flavor = Flavor::constant;
        for (LiteralId value : values) {
            b.literal = value;
            choose(at + 1);
        }
    }

    void choose_predicates(std::size_t at, std::uint32_t v) {
        bindings_[v].flavor = Flavor::predicate;
        for (std::size_t p = 0; p < std::size(predicates) && !finished(); ++p) {
            bindings_[v].predicate = p;
            choose(at + 1);
        }
    }

    bool wants_predicates() const {
        const auto looks = [](const ResolvedCondition& condition) {
            return std::ranges::any_of(condition.alternatives, [](const ResolvedWord& w) {
                return reads_about(w.word->name);
            });
        };
        return std::ranges::any_of(rule_.conditions, looks) ||
               std::ranges::any_of(
                   rule_.lets, [](const ResolvedLet& let) { return reads_about(let.word->name); });
    }

    // Every expression variable before this one that may be the same expression, where a set makes one of the two.
    void choose_twins(std::size_t at, std::uint32_t v, Type type) {
        if (is_truth(v) || !has_same()) return;
        Binding& b = bindings_[v];
        for (std::size_t i = 0; i < at && !finished(); ++i) {
            const std::uint32_t u = order_[i];
            const Binding& other = bindings_[u];
            const bool can_be_one = rule_.variables[u].kind == VariableKind::expression &&
                                    !is_truth(u) && other.twin == no_term && other.type == type;
            if (!can_be_one) continue;
            b.twin = u;
            b.flavor = other.flavor;
            b.literal = other.literal;
            choose(at + 1);
        }
        b.twin = no_term;
    }

    bool has_same() const {
        return std::ranges::any_of(rule_.terms, [this](const ResolvedTerm& term) {
            return term.kind == TermKind::apply && term.op == ops_.plan().same;
        });
    }

    static bool can_overflow(Type type) {
        return lang::is_integer(type) && lang::integer_bits(type) <= 32;
    }

    void choose_list(std::size_t at, std::uint32_t v, Type type) {
        Binding& b = bindings_[v];
        const RestRole role = role_of_rest(rule_, ops_, v);
        if (role != RestRole::list) {
            for (std::size_t pairs = 0; pairs <= 1; ++pairs) {
                b.elements.clear();
                for (std::size_t i = 0; i < pairs; ++i) {
                    b.elements.push_back(
                        {Type{lang::TypeKind::boolean}, Flavor::nullable, 0, {}, 0});
                    b.elements.push_back({type, Flavor::nullable, 0, {}, 1});
                }
                if (role == RestRole::arms_and_else)
                    b.elements.push_back({type, Flavor::nullable, 0, {}, no_term});
                choose(at + 1);
            }
            return;
        }
        if (wants_predicates() && type.kind() == lang::TypeKind::boolean) {
            choose_predicate_list(at, v, type);
            return;
        }
        for (std::size_t length = 0; length <= list_length_max; ++length) {
            for (Flavor flavor : {Flavor::nullable, Flavor::known, Flavor::constant}) {
                if (length == 0 && flavor != Flavor::nullable) break;
                if (length > 0 && flavor == Flavor::nullable && is_truth(v)) continue;
                fill_list(at, v, type, length, flavor);
            }
        }
    }

    // None, another truth value, and two predicates beside it where a word looks at the list.
    void choose_predicate_list(std::size_t at, std::uint32_t v, Type type) {
        Binding& b = bindings_[v];
        for (std::size_t length = 0; length <= 1; ++length)
            fill_list(at, v, type, length, Flavor::nullable);
        const auto is_list = [v](const ResolvedArgument& a) {
            const auto* variable = std::get_if<std::uint32_t>(&a);
            return variable != nullptr && *variable == v;
        };
        const bool is_looked_at = std::ranges::any_of(rule_.lets, [&](const ResolvedLet& let) {
            return std::ranges::any_of(let.arguments, is_list);
        });
        if (!is_looked_at) return;
        for (std::size_t p = 0; p < std::size(predicates) && !finished(); ++p) {
            for (std::size_t step = 1; step < std::size(predicates); step += 3) {
                b.elements.assign(3, {type, Flavor::predicate, 0, {}, no_term, p});
                b.elements[1].predicate = (p + step) % std::size(predicates);
                b.elements[2] = {type, Flavor::nullable, 0, {}, no_term, 0};
                choose(at + 1);
            }
        }
    }

    void fill_list(std::size_t at, std::uint32_t v, Type type, std::size_t length, Flavor flavor) {
        Binding& b = bindings_[v];
        if (flavor != Flavor::constant) {
            b.elements.assign(length, {type, flavor, 0, {}, no_term});
            choose(at + 1);
            return;
        }
        std::vector<LiteralId> values = constants_of(v, type);
        for (std::size_t i = 0; i < values.size() && !finished(); ++i) {
            b.elements.clear();
            for (std::size_t k = 0; k < length; ++k) {
                b.elements.push_back(
                    {type, flavor, 0, values[(i + 7 * k) % values.size()], no_term});
            }
            choose(at + 1);
        }
    }

    // NOLINTEND(misc-no-recursion)

    // Constants that a variable may stand for.
    std::vector<LiteralId> constants_of(std::uint32_t v, Type type) {
        std::vector<LiteralId> out = constants(type);
        if (!is_truth(v)) return out;
        std::erase_if(out, [this](LiteralId id) { return context_.literals[id].value.is_null(); });
        return out;
    }

    // Constants of a type: boundary values, and images of the boundary values of the expression variables' types with their
    // neighbours, where rounding changes its mind.
    std::vector<LiteralId> constants(Type type) {
        std::vector<LiteralId> out;
        auto add = [&](const Value& value) {
            LiteralId id = context_.literals.intern(type, value);
            if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
        };
        for (std::uint32_t v = 0; v < bindings_.size(); ++v) {
            const Binding& b = bindings_[v];
            if (rule_.variables[v].kind != VariableKind::expression || !b.type || *b.type == type ||
                !lang::has_domain(*b.type))
                continue;
            for (const Value& end : {lang::domain_min(*b.type, context_.semantics),
                                     lang::domain_max(*b.type, context_.semantics)}) {
                lang::Outcome image =
                    lang::cast_value(end, *b.type, type, context_.semantics, lang::Mode::raising);
                if (image.state != lang::Outcome::State::value || image.value.is_null()) continue;
                add(image.value);
                if (!lang::has_domain(type)) continue;
                if (auto next = lang::successor(type, image.value, context_.semantics)) add(*next);
                if (auto before = lang::predecessor(type, image.value, context_.semantics))
                    add(*before);
            }
        }
        for (const Value& value : lang::boundary_values(type, context_.semantics)) add(value);
        if (out.size() > constants_max) out.resize(constants_max);
        return out;
    }

    // --- one instance -------------------------------------------------------------------------------------------------

    Operand operand_of(std::uint32_t id, const Stand& stand) {
        Operand o;
        o.id = id;
        o.type = stand.type;
        o.stable = true;
        o.bounded = stand.flavor != Flavor::overflowing;
        if (stand.flavor == Flavor::predicate) {
            const Predicate& p = predicates[stand.predicate];
            o.possible = possible_of_leaf(stand.type, !p.known);
            o.subject = shared_ + (p.known ? 1 : 0);
            o.subject_never_null = p.known;
            o.about = about(p, o.subject);
            return o;
        }
        if (stand.flavor == Flavor::constant) {
            o.literal = stand.literal;
            o.possible = possible_of_literal(stand.literal, context_);
        } else {
            o.possible = possible_of_leaf(stand.type, stand.flavor != Flavor::known);
        }
        return o;
    }

    std::uint32_t boolean_column(int n) const {
        return shared_ + 2 + static_cast<std::uint32_t>(n);
    }

    // What is known of a predicate about the column.
    const About* about(const Predicate& p, std::uint32_t column) {
        if (p.of_booleans) {
            About out;
            out.junction = p.junction;
            out.parts = {boolean_column(p.first_constant), boolean_column(p.second_constant)};
            abouts_.push_back(std::move(out));
            return &abouts_.back();
        }
        const Type integer{lang::TypeKind::integer}, boolean{lang::TypeKind::boolean};
        const auto literal = [&](int n) {
            return Subject{0x40000000U, integer, true,
                           context_.literals.intern(integer, Value::integer(n)), nullptr};
        };
        const Subject x{column, integer, true, {}, nullptr};
        const auto subject = [&](std::uint32_t) { return x; };
        const auto made = [&](Op op, std::initializer_list<Subject> operands) {
            auto out = about_of(op, boolean, std::span(operands.begin(), operands.size()), subject,
                                context_);
            abouts_.push_back(out.value_or(About{}));
            abouts_.back().parts.clear();  // no stands of their own
            return &abouts_.back();
        };
        const About* first = made(p.first, {x, literal(p.first_constant)});
        if (p.negated) return made(Op::not_, {Subject{0x50000000U, boolean, true, {}, first}});
        if (p.junction == Op::not_) return first;
        const About* second = made(p.second, {x, literal(p.second_constant)});
        return made(p.junction, {Subject{0x50000000U, boolean, true, {}, first},
                                 Subject{0x50000001U, boolean, true, {}, second}});
    }

    void place_stands() {
        abouts_.clear();
        stands_.clear();
        auto place = [&](Stand& stand) {
            stand.column = static_cast<std::uint32_t>(stands_.size());
            stands_.push_back(stand);
        };
        for (std::uint32_t v = 0; v < bindings_.size(); ++v) {
            Binding& b = bindings_[v];
            if (rule_.variables[v].kind == VariableKind::expression &&
                !rule_.variables[v].computed && b.type) {
                b.stand = {*b.type, b.flavor, 0, b.literal, no_term, b.predicate};
                if (b.twin != no_term) {
                    b.stand = bindings_[b.twin].stand;  // the twin has a smaller index
                } else {
                    place(b.stand);
                }
            }
            for (Stand& element : b.elements) place(element);
        }
        shared_ = static_cast<std::uint32_t>(stands_.size());
        if (!wants_predicates()) return;
        Stand nullable{Type{lang::TypeKind::integer}, Flavor::nullable, 0, {}, no_term};
        Stand known{Type{lang::TypeKind::integer}, Flavor::known, 0, {}, no_term};
        place(nullable);
        place(known);
        Stand truth{Type{lang::TypeKind::boolean}, Flavor::nullable, 0, {}, no_term};
        for (std::uint32_t i = 0; i < shared_booleans; ++i) place(truth);
    }

    Argument argument(const ResolvedArgument& resolved, ParameterKind kind) {
        if (const auto* constant = std::get_if<Argument>(&resolved)) return *constant;
        std::uint32_t v = std::get<std::uint32_t>(resolved);
        const Binding& b = bindings_[v];
        Argument a;
        a.kind = kind;
        switch (rule_.variables[v].kind) {
            case VariableKind::type:
                a.type = *b.type;
                break;
            case VariableKind::literal:
                a.operand = operand_of(0x40000000U + static_cast<std::uint32_t>(b.literal),
                                       {*b.type, Flavor::constant, 0, b.literal, no_term});
                break;
            case VariableKind::rest:
                for (const Stand& s : b.elements) a.elements.push_back(operand_of(s.column, s));
                break;
            default:
                a.operand = operand_of(b.stand.column, b.stand);
        }
        return a;
    }

    bool word_holds(const ResolvedWord& word) {
        std::vector<Argument> arguments;
        arguments.reserve(word.arguments.size());
        for (std::size_t i = 0; i < word.arguments.size(); ++i) {
            arguments.push_back(argument(word.arguments[i], word.word->parameters[i]));
        }
        if (!word.over_elements) return word.word->holds(context_, arguments) != word.negated;
        for (const Operand& element : arguments[0].elements) {
            Argument one;
            one.operand = element;
            if (word.word->holds(context_, std::span(&one, 1)) == word.negated) return false;
        }
        return true;
    }

    bool conditions_hold(bool computed) {
        for (const ResolvedCondition& condition : rule_.conditions) {
            if (condition.computed != computed) continue;
            bool any = std::any_of(condition.alternatives.begin(), condition.alternatives.end(),
                                   [this](const ResolvedWord& w) { return word_holds(w); });
            if (!any) return false;
        }
        return true;
    }

    bool compute_lets() {
        for (const ResolvedLet& let : rule_.lets) {
            std::vector<Argument> arguments;
            arguments.reserve(let.arguments.size());
            for (std::size_t i = 0; i < let.arguments.size(); ++i) {
                arguments.push_back(argument(let.arguments[i], let.word->parameters[i]));
            }
            auto value = let.word->compute(context_, arguments);
            if (!value) return false;
            Binding& b = bindings_[let.variable];
            if (const auto* literal = std::get_if<LiteralId>(&*value)) {
                b.literal = *literal;
                b.type = context_.literals[*literal].type;
            } else if (const auto* type = std::get_if<Type>(&*value)) {
                b.type = *type;
            } else if (auto* made = std::get_if<Made>(&*value)) {
                b.type = type_of(*made);
                b.made = std::move(*made);
            } else {
                b.computed_list = true;
                b.list.clear();
                for (const Element& e : std::get<std::vector<Element>>(*value))
                    b.list.push_back(e.value);
            }
        }
        return true;
    }

    void try_instance() {
        ++tried_;
        place_stands();
        bool applies = conditions_hold(false) && compute_lets() && conditions_hold(true);
        if (applies) evaluate_sides();
        for (const ResolvedLet& let : rule_.lets) {
            bindings_[let.variable].type.reset();
            bindings_[let.variable].made.reset();
        }
    }

    // --- expressions --------------------------------------------------------------------------------------------------

    ExprId literal_expr(LiteralId id) {
        return exprs_.add(Op::literal, context_.literals[id].type, static_cast<std::uint32_t>(id),
                          {});
    }
    ExprId predicate_expr(const Predicate& p) {
        if (p.of_booleans) {
            return boolean(p.junction, {operand_expr(boolean_column(p.first_constant)),
                                        operand_expr(boolean_column(p.second_constant))});
        }
        const Type integer{lang::TypeKind::integer};
        const auto compared = [&](Op op, int n) {
            const ExprId x = stand_expr(stands_[shared_ + (p.known ? 1 : 0)]);
            return boolean(op,
                           {x, literal_expr(context_.literals.intern(integer, Value::integer(n)))});
        };
        const ExprId first = compared(p.first, p.first_constant);
        if (p.negated) return boolean(Op::not_, {first});
        if (p.junction == Op::not_) return first;
        return boolean(p.junction, {first, compared(p.second, p.second_constant)});
    }
    ExprId stand_expr(const Stand& stand) {
        if (stand.flavor == Flavor::constant) return literal_expr(stand.literal);
        if (stand.flavor == Flavor::predicate) return predicate_expr(predicates[stand.predicate]);
        if (stand.flavor != Flavor::overflowing)
            return exprs_.add(Op::column, stand.type, stand.column, {});
        ExprId wide = exprs_.add(Op::column, Type{lang::TypeKind::bigint}, stand.column, {});
        return exprs_.add(Op::cast, stand.type, stand.type.bits(), std::span(&wide, 1));
    }

    ExprId operand_expr(std::uint32_t id) { return stand_expr(stands_[id]); }
    ExprId made_expr(const Made& made) {
        std::vector<ExprId> ids;
        for (const Made::Node& node : made.nodes) {
            if (node.kind == Made::Node::Kind::operand) {
                ids.push_back(operand_expr(node.value));
            } else if (node.kind == Made::Node::Kind::constant) {
                ids.push_back(literal_expr(LiteralId{node.value}));
            } else {
                std::vector<ExprId> children;
                for (std::uint32_t child : node.children) children.push_back(ids[child]);
                ids.push_back(exprs_.add(node.op, node.type, 0, children));
            }
        }
        return ids.back();
    }
    Type type_of(const Made& made) const {
        const Made::Node& last = made.nodes.back();
        if (last.kind == Made::Node::Kind::apply) return last.type;
        if (last.kind == Made::Node::Kind::operand) return stands_[last.value].type;
        return context_.literals[LiteralId{last.value}].type;
    }

    void rest_exprs(std::uint32_t v, std::vector<ExprId>& out) {
        const Binding& b = bindings_[v];
        if (b.computed_list) {
            for (const auto& e : b.list) {
                if (const auto* stand = std::get_if<std::uint32_t>(&e))
                    out.push_back(operand_expr(*stand));
                else if (const auto* made = std::get_if<Made>(&e))
                    out.push_back(made_expr(*made));
                else
                    out.push_back(literal_expr(std::get<LiteralId>(e)));
            }
            return;
        }
        for (const Stand& s : b.elements) out.push_back(stand_expr(s));
    }

    // NOLINTBEGIN(misc-no-recursion): as deep as the rule's text, which the parser bounds.

    // The expression of a term; nothing where it is not well typed.
    std::optional<ExprId> build(std::uint32_t index) {
        const ResolvedTerm& term = rule_.terms[index];
        if (term.kind == TermKind::variable) {
            if (element_)
                return term.variable == element_variable_ ? element_
                                                          : build_variable(term.variable);
            return build_variable(term.variable);
        }
        if (term.is_literal) return literal_expr(LiteralId{term.payload});
        std::vector<ExprId> operands;
        for (std::uint32_t o : term.operands) {
            if (!build_operand(o, operands)) return std::nullopt;
        }
        return make(term, operands);
    }

    std::optional<ExprId> build_variable(std::uint32_t v) {
        const Binding& b = bindings_[v];
        if (rule_.variables[v].kind == VariableKind::literal) return literal_expr(b.literal);
        if (b.made) return made_expr(*b.made);
        if (rule_.variables[v].computed) return literal_expr(b.literal);
        return stand_expr(b.stand);
    }

    bool build_operand(std::uint32_t index, std::vector<ExprId>& out) {
        const ResolvedTerm& term = rule_.terms[index];
        if (term.kind == TermKind::rest) {
            rest_exprs(term.variable, out);
            return true;
        }
        if (term.kind == TermKind::each) {
            std::vector<ExprId> elements;
            rest_exprs(term.over, elements);
            for (ExprId e : elements) {
                element_ = e;
                element_variable_ = term.variable;
                auto made = build(term.operands[0]);
                element_.reset();
                if (!made) return false;
                out.push_back(*made);
            }
            return true;
        }
        if (term.kind == TermKind::apply && ops_.meaning(term.op).is_when) {
            return build_operand(term.operands[0], out) && build_operand(term.operands[1], out);
        }
        auto made = build(index);
        if (made) out.push_back(*made);
        return made.has_value();
    }

    // NOLINTEND(misc-no-recursion)

    std::optional<ExprId> make(const ResolvedTerm& term, std::vector<ExprId>& operands) {
        const SqlOps::Meaning& m = ops_.meaning(term.op);
        if (m.sort == Sort::truth) return make_truth(term.op, operands);
        const bool is_junction = m.op == Op::and_ || m.op == Op::or_;
        if (is_junction && operands.size() < 2) return junction(m.op, operands);
        if (m.op == Op::in && operands.size() < 2) return std::nullopt;
        if ((m.op == Op::coalesce || m.op == Op::case_) && operands.empty()) return std::nullopt;
        const std::vector<Type> types = types_of(operands);
        if (m.op == Op::case_) return make_case(operands, types);
        std::uint32_t payload = ops_.lang_payload(term.op, term.payload);
        Op op = m.is_like_escape ? Op::like : m.op;
        if (op == Op::cast || op == Op::try_cast) {
            Type target = term.payload_variable == no_term ? Type::from_bits(term.payload)
                                                           : *bindings_[term.payload_variable].type;
            return exprs_.add(op, target, target.bits(), operands);
        }
        if (!is_well_typed(op, types)) return std::nullopt;
        auto type = lang::result_type(op, payload, types, context_);
        if (!type) return std::nullopt;
        return exprs_.add(op, *type, payload, operands);
    }

    std::vector<Type> types_of(const std::vector<ExprId>& operands) const {
        std::vector<Type> types;
        types.reserve(operands.size());
        for (ExprId o : operands) types.push_back(exprs_[o].type);
        return types;
    }

    ExprId boolean(Op op, std::span<const ExprId> operands) {
        return exprs_.add(op, Type{lang::TypeKind::boolean}, 0, operands);
    }
    ExprId boolean(Op op, std::initializer_list<ExprId> operands) {
        return boolean(op, std::span(operands.begin(), operands.size()));
    }

    // AND or OR of any number of operands.
    ExprId junction(Op op, std::span<const ExprId> operands) {
        if (operands.empty())
            return literal_expr(op == Op::and_ ? ops_.true_literal() : ops_.false_literal());
        return operands.size() == 1 ? operands[0] : boolean(op, operands);
    }

    std::optional<ExprId> make_truth(egraph::OpId op, const std::vector<ExprId>& operands) {
        const PlanOps& plan = ops_.plan();
        if (!is_well_typed_truth(op, types_of(operands), ops_)) return std::nullopt;
        if (op == plan.yes) return literal_expr(ops_.true_literal());
        if (op == plan.no) return literal_expr(ops_.false_literal());
        if (op == plan.same) return make_same(operands);
        if (op == plan.holds) return boolean(Op::is_true, operands);
        return junction(op == plan.all ? Op::and_ : Op::or_, operands);
    }

    // A set: operands that are the same expression are one.
    std::optional<ExprId> make_same(const std::vector<ExprId>& operands) {
        std::vector<ExprId> members;
        for (ExprId o : operands) {
            const bool is_known =
                std::ranges::any_of(members, [&](ExprId m) { return is_one(m, o); });
            if (!is_known) members.push_back(o);
        }
        if (members.empty()) return std::nullopt;
        if (members.size() == 1) return boolean(Op::not_, {boolean(Op::is_null, members)});
        std::vector<ExprId> equalities;
        for (std::size_t i = 1; i < members.size(); ++i) {
            const ExprId equal = boolean(Op::eq, {members[0], members[i]});
            equalities.push_back(boolean(Op::is_true, {equal}));
        }
        return junction(Op::and_, equalities);
    }

    bool is_one(ExprId a, ExprId b) const {
        std::vector<std::pair<ExprId, ExprId>> todo{{a, b}};
        while (!todo.empty()) {
            const auto [x, y] = todo.back();
            todo.pop_back();
            const auto &m = exprs_[x], &n = exprs_[y];
            if (m.op != n.op || m.type != n.type || m.payload != n.payload || m.count != n.count)
                return false;
            for (std::size_t i = 0; i < m.count; ++i)
                todo.emplace_back(exprs_.children(x)[i], exprs_.children(y)[i]);
        }
        return true;
    }

    std::optional<ExprId> make_case(const std::vector<ExprId>& operands,
                                    const std::vector<Type>& types) {
        if (operands.size() % 2 == 0) return std::nullopt;
        for (std::size_t i = 0; i + 1 < types.size(); i += 2) {
            if (types[i].kind() != lang::TypeKind::boolean || types[i + 1] != types.back())
                return std::nullopt;
        }
        return exprs_.add(Op::case_, types.back(), 0, operands);
    }

    // --- evaluation ---------------------------------------------------------------------------------------------------

    std::vector<Value> values_of(const Stand& stand) {
        if (stand.flavor == Flavor::constant || stand.flavor == Flavor::predicate)
            return {Value::null()};
        Type type = stand.flavor == Flavor::overflowing ? Type{lang::TypeKind::bigint} : stand.type;
        std::vector<Value> values = lang::boundary_values(stand.type, context_.semantics);
        auto add = [&](const Value& v) {
            bool known = std::any_of(values.begin(), values.end(),
                                     [&](const Value& w) { return identical(v, w); });
            if (!known) values.push_back(v);
        };
        if (stand.flavor == Flavor::overflowing) {
            for (const Value& v : lang::boundary_values(type, context_.semantics)) add(v);
            for (std::int64_t n : {40000, -40000, 300, -300}) add(Value::integer(n));
        }
        const auto column = static_cast<std::size_t>(&stand - stands_.data());
        if (wants_predicates() && (column == shared_ || column == shared_ + 1)) {
            values = {Value::null()};
            for (int n = -1; n <= 5; ++n) values.push_back(Value::integer(n));
        }
        for (const Binding& b : bindings_) {  // around the constants of the instance
            if (!b.type || *b.type != stand.type || stand.flavor == Flavor::overflowing) continue;
            const lang::Literal literal = context_.literals[b.literal];
            if (literal.type != stand.type || literal.value.is_null() ||
                !lang::has_domain(stand.type))
                continue;
            add(literal.value);
            if (auto next = lang::successor(stand.type, literal.value, context_.semantics))
                add(*next);
            if (auto before = lang::predecessor(stand.type, literal.value, context_.semantics))
                add(*before);
        }
        if (stand.flavor == Flavor::known)
            std::erase_if(values, [](const Value& v) { return v.is_null(); });
        return values;
    }

    // Instances to give away are scattered: those at equal distances may all have the same kind of column for a variable.
    bool is_chosen(std::uint64_t instance) const {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ULL;
        return (each_ == nullptr ? instance : (instance * golden) >> 32U) % every_ == 0;
    }

    void evaluate_sides() {
        exprs_.clear();
        auto left = build(rule_.left);
        auto right = left ? build(rule_.right) : std::nullopt;
        if (!left || !right) return;
        ++result_.instances;
        if (counting_ || !is_chosen(result_.instances)) return;
        if (exprs_[*left].type != exprs_[*right].type) {
            fail(CheckResult::Verdict::different, *left, *right, {},
                 "the sides have different types");
            return;
        }
        if (each_ != nullptr) {
            give(*left, *right);
            return;
        }
        std::vector<std::vector<Value>> choices;
        std::uint64_t total = 1;
        for (const Stand& stand : stands_) {
            choices.push_back(values_of(stand));
            total = std::min<std::uint64_t>(total * choices.back().size(), 1'000'000'000'000ULL);
        }
        // All rows where they are few; else rows at a stride that is prime to most list lengths.
        std::uint64_t stride = std::max<std::uint64_t>(1, total / rows_wanted_) | 1U;
        std::vector<Value> row(stands_.size());
        for (std::uint64_t n = 0; n < total && !finished(); n += stride) {
            std::uint64_t rest = n;
            for (std::size_t i = 0; i < stands_.size(); ++i) {
                row[i] = choices[i][rest % choices[i].size()];
                rest /= choices[i].size();
            }
            evaluate_row(*left, *right, row);
        }
    }

    void evaluate_row(ExprId left, ExprId right, const std::vector<Value>& row) {
        using State = lang::Outcome::State;
        ++result_.cases;
        lang::Outcome a = lang::evaluate(exprs_, left, row, context_, lang::Mode::total);
        lang::Outcome b = lang::evaluate(exprs_, right, row, context_, lang::Mode::total);
        if (a.state == State::unknown || b.state == State::unknown) return;
        if (!identical(a.value, b.value)) {
            fail(CheckResult::Verdict::different, left, right, row, {});
            return;
        }
        lang::Outcome x = lang::evaluate(exprs_, left, row, context_, lang::Mode::raising);
        if (x.state != State::value || rule_.may_raise) return;
        lang::Outcome y = lang::evaluate(exprs_, right, row, context_, lang::Mode::raising);
        if (y.state == State::error) fail(CheckResult::Verdict::raises, left, right, row, {});
        if (y.state == State::value && !identical(x.value, y.value))
            fail(CheckResult::Verdict::different, left, right, row, {});
    }

    std::string shown(const lang::Outcome& outcome, Type type) const {
        if (outcome.state == lang::Outcome::State::error) return "error: " + outcome.error;
        if (outcome.state == lang::Outcome::State::unknown) return "unknown";
        return outcome.value.is_null() ? "NULL" : lang::value_text(outcome.value, type);
    }

    void give(ExprId left, ExprId right) {
        const std::vector<lang::Column> columns = columns_of_stands();
        std::vector<std::vector<ExprId>> variables(bindings_.size());
        std::vector<std::optional<Type>> types;
        for (std::uint32_t v = 0; v < bindings_.size(); ++v) {
            types.push_back(bindings_[v].type);
            const Variable& variable = rule_.variables[v];
            if (variable.element_of != no_term) continue;
            if (variable.kind == VariableKind::rest) {
                rest_exprs(v, variables[v]);
            } else if (variable.kind == VariableKind::expression ||
                       variable.kind == VariableKind::literal) {
                if (const auto expr = build_variable(v)) variables[v].push_back(*expr);
            }
        }
        (*each_)({exprs_, left, right, columns, variables, types});
    }

    std::vector<lang::Column> columns_of_stands() const {
        std::vector<lang::Column> columns;
        for (std::size_t i = 0; i < stands_.size(); ++i) {
            const Type type = stands_[i].flavor == Flavor::overflowing
                                  ? Type{lang::TypeKind::bigint}
                                  : stands_[i].type;
            columns.push_back(
                {fmt::format("x{}", i + 1), type, stands_[i].flavor != Flavor::known});
        }
        return columns;
    }

    void fail(CheckResult::Verdict verdict, ExprId left, ExprId right,
              const std::vector<Value>& row, const std::string& why) {
        result_.verdict = verdict;
        const std::vector<lang::Column> columns = columns_of_stands();
        std::string values;
        for (std::size_t i = 0; i < stands_.size(); ++i) {
            const Type type = columns[i].type;
            if (row.empty() || stands_[i].flavor == Flavor::constant) continue;
            values += fmt::format("{}{} {} = {}", values.empty() ? "" : ", ", columns[i].name,
                                  lang::write_type(type, context_),
                                  row[i].is_null() ? "NULL" : lang::value_text(row[i], type));
        }
        std::string text =
            fmt::format("left:  {}\nright: {}\n", lang::write_expr(exprs_, left, columns, context_),
                        lang::write_expr(exprs_, right, columns, context_));
        if (!why.empty()) {
            result_.counterexample = text + why;
            return;
        }
        lang::Mode mode =
            verdict == CheckResult::Verdict::raises ? lang::Mode::raising : lang::Mode::total;
        result_.counterexample =
            text +
            fmt::format(
                "{}: left is {}, right is {}", values.empty() ? "always" : "where " + values,
                shown(lang::evaluate(exprs_, left, row, context_, mode), exprs_[left].type),
                shown(lang::evaluate(exprs_, right, row, context_, mode), exprs_[right].type));
    }

    const ResolvedRule& rule_;
    SqlOps& ops_;
    lang::Context& context_;
    CheckLimits limits_;
    TermTypes types_;
    RuleSorts sorts_;
    std::vector<Binding> bindings_;  // by variable
    std::vector<std::uint32_t> order_;
    std::vector<TermTypes::Typed> typed_;
    std::vector<Stand> stands_;
    std::uint32_t shared_ = 0;  // the column that predicates are about; the next is never NULL
    std::deque<About> abouts_;
    lang::Exprs exprs_;
    std::optional<ExprId> element_;
    std::uint32_t element_variable_ = no_term;
    std::uint64_t tried_ = 0;
    bool counting_ = true;
    std::uint64_t rows_wanted_ = rows_max;
    std::uint64_t every_ = 1;  // only each such instance is evaluated
    const std::function<void(const InstanceSides&)>* each_ =
        nullptr;  // takes them in place of that
    CheckResult result_;
};

}  // namespace

CheckResult check_case(const ResolvedRule& rule, SqlOps& ops,
                       const std::vector<CaseVariable>& variables) {
    return Checker(rule, ops, {}).run_case(variables);
}

void for_each_instance(const ResolvedRule& rule, SqlOps& ops, std::uint64_t instances_max,
                       const std::function<void(const InstanceSides&)>& each) {
    Checker(rule, ops, {}).run_instances(instances_max, each);
}

RestRole role_of_rest(const ResolvedRule& rule, const SqlOps& ops, std::uint32_t variable) {
    const auto is_rest = [&](std::uint32_t term) {
        return rule.terms[term].kind == TermKind::rest && rule.terms[term].variable == variable;
    };
    for (std::uint32_t i = 0; i <= rule.left; ++i) {
        const ResolvedTerm& term = rule.terms[i];
        if (term.kind != TermKind::apply || ops.meaning(term.op).op != Op::case_ ||
            ops.meaning(term.op).is_when || std::ranges::none_of(term.operands, is_rest))
            continue;
        return is_rest(term.operands.back()) ? RestRole::arms_and_else : RestRole::arms;
    }
    return RestRole::list;
}

CheckResult check_rule(const ResolvedRule& rule, SqlOps& ops, const CheckLimits& limits) {
    return Checker(rule, ops, limits).run();
}

}  // namespace satura::rules
