#include "rules/check_facts.hpp"

#include <algorithm>

#include "lang/evaluate.hpp"
#include "lang/function.hpp"
#include "rules/possible.hpp"

namespace satura::rules {

using egraph::ClassId;
using lang::ExprId;
using lang::ExprNode;
using lang::Exprs;
using lang::Op;
using lang::Type;
using lang::TypeKind;

namespace {

// Types whose values mean the same in every session.
bool is_settled(Type type) {
    switch (type.kind()) {
        case TypeKind::unknown:
        case TypeKind::time:
        case TypeKind::timestamptz:
        case TypeKind::interval:
        case TypeKind::opaque:
            return false;
        default:
            return true;
    }
}

bool is_boolean(Type type) { return type.kind() == TypeKind::boolean; }

// Between dates, floats and texts a session's settings have a say.
bool is_settled_cast(Type from, Type to) {
    const auto is_exact = [](Type type) {
        return is_boolean(type) || (lang::is_numeric(type) && !lang::is_float(type));
    };
    const auto is_moment = [](Type type) {
        return type.kind() == TypeKind::date || type.kind() == TypeKind::timestamp;
    };
    const bool from_text = lang::is_string(from), to_text = lang::is_string(to);
    if (from_text || to_text) return (from_text || is_exact(from)) && (to_text || is_exact(to));
    return is_moment(from) == is_moment(to);
}

// One check over the columns of one mention of its table.
class CheckFact {
  public:
    CheckFact(const lang::Plan& plan, const lang::TableInstance& instance, const lang::Table& table,
              SqlOps& ops)
        : plan_(plan), instance_(instance), checks_(table.check_exprs), ops_(ops) {}

    // The expression that is TRUE for each row, among exprs(); nothing where the check says nothing that is sure.
    std::optional<ExprId> run(ExprId root) {
        const std::vector<ExprId> nodes = lang::nodes_below(checks_, root);
        if (!is_boolean(checks_[root].type)) return std::nullopt;
        if (!std::ranges::all_of(nodes, [&](ExprId id) { return is_sure(id); }))
            return std::nullopt;
        made_.resize(checks_.size());
        for (ExprId id : nodes) made_[index(id)] = make(id);
        return made_[index(root)].not_false;
    }

    const Exprs& exprs() const { return exprs_; }

  private:
    // A condition e as it is, and as conditions that are never NULL: e is not false, e is not true.
    struct Made {
        ExprId expr{};
        ExprId not_false{};
        ExprId not_true{};
        Possible possible;
    };

    std::vector<Type> operand_types(ExprId id) const {
        std::vector<Type> types;
        for (ExprId child : checks_.children(id)) types.push_back(checks_[child].type);
        return types;
    }

    bool is_sure(ExprId id) const {
        const ExprNode& node = checks_[id];
        const std::vector<Type> types = operand_types(id);
        if (node.op >= Op::opaque || !is_settled(node.type)) return false;
        const bool is_junction = node.op == Op::and_ || node.op == Op::or_ || node.op == Op::not_;
        if (is_junction && !std::ranges::all_of(types, is_boolean)) return false;
        if (lang::is_volatile(node.op, node.payload, ops_.context())) return false;
        if (lang::may_raise(node.op, node.type, node.payload, types, ops_.context())) return false;
        if (node.op == Op::cast || node.op == Op::try_cast)
            return is_settled_cast(types[0], node.type);
        if (node.op != Op::call) return true;
        const std::string& name = ops_.context().names[node.payload];
        const lang::Function* function =
            lang::find_function(name, ops_.context().semantics.dialect);
        return function != nullptr && function->evaluate != nullptr;
    }

    ExprId boolean(Op op, std::vector<ExprId> children) {
        return exprs_.add(op, Type{TypeKind::boolean}, 0, children);
    }

    Made make(ExprId id) {
        const ExprNode& node = checks_[id];
        Made made;
        std::vector<ExprId> children;
        std::vector<Possible> operands;
        for (ExprId child : checks_.children(id)) {
            children.push_back(made_[index(child)].expr);
            operands.push_back(made_[index(child)].possible);
        }
        if (node.op == Op::column) {
            const lang::ColumnId column = instance_.columns[node.payload];
            made.expr = exprs_.add(Op::column, node.type, static_cast<std::uint32_t>(column), {});
            made.possible = possible_of_leaf(node.type, plan_[column].nullable);
        } else {
            made.expr = exprs_.add(node.op, node.type, node.payload, children);
            made.possible = node.op == Op::literal
                                ? possible_of_literal(lang::LiteralId{node.payload}, ops_.context())
                                : possible_of(node.op, node.type, node.payload, operands,
                                              operand_types(id), ops_.context());
        }
        if (is_boolean(node.type)) add_tests(id, made);
        return made;
    }

    // x between a and b is two comparisons, each of which may be NULL by itself.
    void add_tests_of_between(ExprId id, Made& made) {
        const std::span<const ExprId> parts = checks_.children(id);
        const Made &value = made_[index(parts[0])], &low = made_[index(parts[1])],
                   &high = made_[index(parts[2])];
        const auto compared = [&](Op op, const Made& bound) {
            Made side;
            side.expr = boolean(op, {value.expr, bound.expr});
            if (value.possible.never_null() && bound.possible.never_null())
                side.possible.mask = Possible::true_ | Possible::false_;
            add_tests_of_leaf(side);
            return side;
        };
        const Made above = compared(Op::ge, low), below = compared(Op::le, high);
        made.not_false = boolean(Op::and_, {above.not_false, below.not_false});
        made.not_true = boolean(Op::or_, {above.not_true, below.not_true});
    }

    void add_tests_of_leaf(Made& made) {
        made.not_false = made.expr;
        made.not_true = boolean(Op::not_, {made.expr});
        if (made.possible.never_null()) return;
        const ExprId is_null = boolean(Op::is_null, {made.expr});
        made.not_false = boolean(Op::or_, {made.not_false, is_null});
        made.not_true = boolean(Op::or_, {made.not_true, is_null});
    }

    // A conjunction is not FALSE where no part is, and not TRUE where some part is not.
    void add_tests(ExprId id, Made& made) {
        const ExprNode& node = checks_[id];
        std::vector<ExprId> not_false, not_true;
        for (ExprId child : checks_.children(id)) {
            not_false.push_back(made_[index(child)].not_false);
            not_true.push_back(made_[index(child)].not_true);
        }
        switch (node.op) {
            case Op::and_:
                made.not_false = boolean(Op::and_, not_false);
                made.not_true = boolean(Op::or_, not_true);
                return;
            case Op::or_:
                made.not_false = boolean(Op::or_, not_false);
                made.not_true = boolean(Op::and_, not_true);
                return;
            case Op::not_:
                made.not_false = not_true[0];
                made.not_true = not_false[0];
                return;
            case Op::between:
                add_tests_of_between(id, made);
                return;
            default:
                add_tests_of_leaf(made);
        }
    }

    const lang::Plan& plan_;
    const lang::TableInstance& instance_;
    const Exprs& checks_;
    SqlOps& ops_;
    Exprs exprs_;
    std::vector<Made> made_;  // by ExprId of the checks
};

}  // namespace

std::vector<ClassId> facts_of_checks(const lang::Plan& plan, const lang::TableInstance& instance,
                                     const lang::Table& table, NodeTaker& taker, SqlOps& ops,
                                     Scope& scope) {
    std::vector<ClassId> truths;
    for (const lang::Check& check : table.checks) {
        const bool holds_for_heirs = !check.no_inherit || !table.has_heirs || instance.only;
        if (!check.root || !holds_for_heirs) continue;
        CheckFact fact(plan, instance, table, ops);
        const auto root = fact.run(*check.root);
        if (!root) continue;
        const std::uint32_t value =
            encode_to(taker, fact.exprs(), {&*root, 1}, ops, scope)[lang::index(*root)];
        truths.push_back(ClassId{taker.add(ops.plan().holds, 0, {&value, 1})});
    }
    return truths;
}

}  // namespace satura::rules
