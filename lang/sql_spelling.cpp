#include "lang/sql_spelling.hpp"

#include <fmt/core.h>

#include <array>

#include "lang/evaluate.hpp"
#include "lang/sql_coerce.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_expr.hpp"
#include "lang/sql_opaque.hpp"

namespace satura::lang {
namespace {

const Literal& literal_of(const Exprs& exprs, ExprId id, const Context& context) {
    return context.literals[LiteralId{exprs[id].payload}];
}

// A constant bare in its place is read again as the literal.
bool reads_back(const Operand& bare, Type type, const Value& value, const Context& context) {
    const auto read = constant_as(bare, type, context);
    return read && identical(*read, value);
}

// Dates and times keep their type in sight, and a boolean has it.
bool may_be_bare(Type type, const Value& value) {
    return value.is_null() || (!is_temporal(type) && type.kind() != TypeKind::interval &&
                               type.kind() != TypeKind::boolean);
}

// One way to write the operands of a node, and what the binder makes of it.
class Attempt {
  public:
    Attempt(const Exprs& exprs, ExprId id, Type unknown, const Context& context)
        : exprs_(exprs), id_(id), unknown_(unknown), context_(context) {}

    // Without the implicit casts (`strip`), and the other way about for the operand `but`.
    bool make(bool strip, bool bare, std::size_t but = none) {
        const auto children = exprs_.children(id_);
        shown_.clear();
        operands_.clear();
        for (const ExprId child : children) {
            ExprId id = child;
            const bool strips = strip != (shown_.size() == but);
            if (strips && exprs_[child].op == Op::cast && exprs_[child].implicit)
                id = exprs_.children(child)[0];
            shown_.push_back({id, false});
            operands_.push_back(operand_of(id, bare, shown_.back().bare));
        }
        return confirmed();
    }

    std::vector<Shown> shown() const { return shown_; }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

  private:
    Operand operand_of(ExprId id, bool bare, bool& is_bare) const {
        const ExprNode& node = exprs_[id];
        Operand operand{Operand::Form::typed, node.type, Value()};
        if (!bare || node.op != Op::literal) return operand;
        const Literal& literal = literal_of(exprs_, id, context_);
        if (!may_be_bare(literal.type, literal.value)) return operand;
        const auto constant = bare_form(literal.type, literal.value, context_);
        if (!constant) return operand;
        is_bare = true;
        return *constant;
    }

    bool confirmed() const {
        const ExprNode& node = exprs_[id_];
        auto answer = coerce(node.op, node.payload, operands_, unknown_, context_);
        const auto* coerced = std::get_if<Coerced>(&answer);
        if (coerced == nullptr || coerced->split) return false;
        const bool retyped = node.op == Op::call && coerced->result == unknown_ &&
                             node.type.kind() == TypeKind::boolean;
        if (coerced->result != node.type && !retyped) return false;
        const auto children = exprs_.children(id_);
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (!operand_reads_back(i, children[i], coerced->targets[i])) return false;
        }
        return true;
    }

    bool operand_reads_back(std::size_t i, ExprId child, Type target) const {
        const Type wanted = exprs_[child].type;
        if (shown_[i].bare) {
            const Literal& literal = literal_of(exprs_, shown_[i].id, context_);
            if (shown_[i].id == child)
                return target == wanted &&
                       reads_back(operands_[i], target, literal.value, context_);
            // A cast of a text that only the engine reads: the binder makes the same cast. DuckDB takes no bare text before
            // a minus.
            const bool duckdb = context_.semantics.dialect == Dialect::duckdb;
            if (duckdb && exprs_[id_].op == Op::sub) return false;
            return target == wanted && !constant_as(operands_[i], target, context_) &&
                   standalone_type(operands_[i], context_) == literal.type;
        }
        if (shown_[i].id == child) {
            return target == wanted || target.kind() == TypeKind::opaque ||
                   wanted.kind() == TypeKind::opaque;
        }
        return target == wanted && operands_[i].type != target &&
               operands_[i].type.kind() != TypeKind::opaque;
    }

    const Exprs& exprs_;
    ExprId id_;
    Type unknown_;
    const Context& context_;
    std::vector<Shown> shown_;
    std::vector<Operand> operands_;
};

// TYPE 'text' is read everywhere in PostgreSQL and DuckDB; elsewhere for dates and timestamps at most.
bool has_typed_literals(Type type, const std::string& name, Dialect dialect) {
    if (name.find('[') != std::string::npos) return false;
    if (dialect == Dialect::postgres || dialect == Dialect::duckdb) return true;
    return dialect == Dialect::spark &&
           (type.kind() == TypeKind::date || type.kind() == TypeKind::timestamp);
}

Level level_of_op(Op op, Dialect dialect) {
    switch (op) {
        case Op::or_:
            return Level::or_;
        case Op::and_:
            return Level::and_;
        case Op::not_:
            return Level::not_;
        case Op::is_null:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
            return Level::is;
        case Op::null_safe_eq:
            return dialect == Dialect::mysql || dialect == Dialect::spark ? Level::comparison
                                                                          : Level::is;
        case Op::in:
        case Op::like:
        case Op::between:
            return Level::between;
        case Op::add:
        case Op::sub:
            return Level::add;
        case Op::mul:
        case Op::div:
        case Op::mod:
            return Level::mul;
        case Op::neg:
            return Level::unary;
        default:
            return is_comparison(op) ? Level::comparison : Level::atom;
    }
}

Level above(Level level) { return static_cast<Level>(static_cast<int>(level) + 1); }

Level opaque_level(const Exprs& exprs, ExprId id, const Context& context) {
    const std::vector<std::string> names(exprs.children(id).size(), "x");
    return is_enclosed(fill_places(context.opaques[exprs[id].payload].text, names)) ? Level::atom
                                                                                    : Level::is;
}

Level level_of_call(Function::Syntax syntax, Dialect dialect) {
    switch (syntax) {
        case Function::Syntax::infix:
            return Level::other;
        case Function::Syntax::like:
            return level_of_op(Op::like, dialect);
        case Function::Syntax::at_time_zone:
            return Level::unary;
        default:
            return Level::atom;
    }
}

Level least_level_of_call(Function::Syntax syntax, std::size_t operand, Dialect dialect) {
    switch (syntax) {
        case Function::Syntax::infix:
            return operand == 0 ? Level::other : Level::add;
        case Function::Syntax::like:
            return has_own_precedences(dialect) ? Level::other
                                                : above(level_of_op(Op::like, dialect));
        case Function::Syntax::at_time_zone:
            return operand == 1 ? Level::unary : Level::atom;
        case Function::Syntax::position:
            return Level::atom;
        default:
            return Level::none;
    }
}

}  // namespace

std::string quoted_text(std::string_view text, Dialect dialect) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += '\'';
        if (c == '\\' && (dialect == Dialect::mysql || dialect == Dialect::spark)) out += '\\';
        out += c;
    }
    return out + "'";
}

Function::Syntax syntax_of(const Exprs& exprs, ExprId id, const Context& context) {
    const ExprNode& node = exprs[id];
    if (node.op != Op::call) return Function::Syntax::call;
    const Function* function =
        find_function(context.names[node.payload], context.semantics.dialect);
    const bool known = function != nullptr && function->takes(node.count);
    return known ? function->syntax : Function::Syntax::call;
}

bool has_negative_form(const Exprs& exprs, ExprId id, const Context& context) {
    const Dialect dialect = context.semantics.dialect;
    switch (exprs[id].op) {
        case Op::is_null:
        case Op::is_true:
        case Op::is_false:
        case Op::is_unknown:
        case Op::in:
        case Op::like:
        case Op::between:
            return true;
        case Op::null_safe_eq:
            return dialect != Dialect::mysql && dialect != Dialect::spark;
        case Op::call:
            return syntax_of(exprs, id, context) == Function::Syntax::like ||
                   std::string_view(context.names[exprs[id].payload]).starts_with('~');
        default:
            return false;
    }
}

Spelling spell(const Exprs& exprs, ExprId id, Type unknown, const Context& context) {
    const ExprNode& node = exprs[id];
    Attempt attempt(exprs, id, unknown, context);
    if (node.op == Op::cast || node.op == Op::try_cast) {
        const ExprId child = exprs.children(id)[0];
        bool bare = false;
        if (exprs[child].op == Op::literal) {
            // A bare constant would be folded; one that does not convert stays below its cast.
            const Literal& literal = literal_of(exprs, child, context);
            const auto constant = bare_form(literal.type, literal.value, context);
            bare = constant && !literal.value.is_null() && is_bare_alone(exprs, child, context) &&
                   !constant_as(*constant, Type::from_bits(node.payload), context);
        }
        return {{{child, bare}}, true};
    }
    if (node.op == Op::opaque) {
        Spelling spelling;
        for (const ExprId child : exprs.children(id)) spelling.operands.push_back({child, false});
        return spelling;
    }
    // A minus before a bare number is part of the number.
    const bool may_be_bare = node.op != Op::neg;
    for (const bool bare : {true, false}) {
        if (attempt.make(true, bare && may_be_bare)) return {attempt.shown(), true};
    }
    // One cast decides the type of all: the others may go, first those that raise where the engine
    // compares without casts.
    const std::size_t cast_count_max = 8;
    for (const bool raises : {false, true}) {
        for (std::size_t but = 0; but < node.count && node.count <= cast_count_max; ++but) {
            const ExprId child = exprs.children(id)[but];
            if (exprs[child].op != Op::cast) continue;
            const Type from = exprs[exprs.children(child)[0]].type;
            if (cast_may_raise(from, exprs[child].type, context.semantics) != raises) continue;
            for (const bool bare : {true, false}) {
                if (attempt.make(true, bare && may_be_bare, but)) return {attempt.shown(), true};
            }
        }
    }
    for (const bool bare : {true, false}) {
        if (attempt.make(false, bare && may_be_bare)) return {attempt.shown(), true};
    }
    return {attempt.shown(), false};
}

bool is_bare_alone(const Exprs& exprs, ExprId literal, const Context& context) {
    const Literal& l = literal_of(exprs, literal, context);
    if (!may_be_bare(l.type, l.value)) return false;
    const auto constant = bare_form(l.type, l.value, context);
    return constant && standalone_type(*constant, context) == l.type &&
           reads_back(*constant, l.type, l.value, context);
}

bool is_typed_text(const Exprs& exprs, ExprId literal, Type type, const Context& context) {
    const bool text = exprs[literal].op == Op::literal && is_string(exprs[literal].type);
    const bool strict =
        is_numeric(type) || type.kind() == TypeKind::boolean;  // a bad text is an error there
    return text && !strict &&
           has_typed_literals(type, write_type(type, context), context.semantics.dialect);
}

std::string write_literal(const Exprs& exprs, ExprId literal, bool bare, const Context& context) {
    const Literal& l = literal_of(exprs, literal, context);
    if (l.value.is_null()) {
        return bare || l.type.kind() == TypeKind::unknown
                   ? "null"
                   : fmt::format("cast(null as {})", write_type(l.type, context));
    }
    if (l.type.kind() == TypeKind::boolean) return l.value.is_true() ? "true" : "false";
    const bool opaque = l.type.kind() == TypeKind::opaque;
    const std::string text = opaque ? std::string(l.value.as_text()) : value_text(l.value, l.type);
    if (bare && is_numeric(l.type)) return text;
    const Dialect dialect = context.semantics.dialect;
    const std::string quoted = quoted_text(text, dialect);
    if (bare) return quoted;
    const std::string type = write_type(l.type, context);
    if (has_typed_literals(l.type, type, dialect)) return fmt::format("{} {}", type, quoted);
    return fmt::format("cast({} as {})", quoted, type);
}

Level level_of(const Exprs& exprs, ExprId id, bool bare, const Context& context) {
    const ExprNode& node = exprs[id];
    const Dialect dialect = context.semantics.dialect;
    switch (node.op) {
        case Op::literal: {
            const Literal& l = literal_of(exprs, id, context);
            const bool minus = bare && is_numeric(l.type) && !l.value.is_null() &&
                               value_text(l.value, l.type)[0] == '-';
            return minus ? Level::unary : Level::atom;
        }
        case Op::not_: {
            const ExprId tested = exprs.children(id)[0];
            return has_negative_form(exprs, tested, context)
                       ? level_of(exprs, tested, false, context)
                       : Level::not_;
        }
        case Op::call:
            return level_of_call(syntax_of(exprs, id, context), dialect);
        case Op::opaque:
            return opaque_level(exprs, id, context);
        default:
            return level_of_op(node.op, dialect);
    }
}

bool has_own_precedences(Dialect dialect) {
    return dialect != Dialect::postgres && dialect != Dialect::duckdb;
}

Level least_level(const Exprs& exprs, ExprId id, std::size_t operand, const Context& context) {
    const ExprNode& node = exprs[id];
    const Dialect dialect = context.semantics.dialect;
    const Level level = level_of_op(node.op, dialect);
    if (node.op == Op::call)
        return least_level_of_call(syntax_of(exprs, id, context), operand, dialect);
    if (node.op == Op::null_safe_eq && level == Level::comparison)
        return Level::add;  // <=> is read as `other`
    switch (level) {
        case Level::or_:
        case Level::and_:
        case Level::not_:
            return level;  // a nested AND means the same as a flat one
        case Level::is:
        case Level::comparison:
        case Level::between:
            if (node.op == Op::in && operand > 0) return Level::none;
            return has_own_precedences(dialect) ? Level::other : above(level);
        case Level::add:
        case Level::mul:
            return operand == 0 ? level : above(level);
        case Level::unary:
            return Level::unary;
        default:
            return node.op == Op::opaque ? Level::atom : Level::none;
    }
}

}  // namespace satura::lang
