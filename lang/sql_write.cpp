#include "lang/sql_write.hpp"

#include <fmt/core.h>

#include <cassert>
#include <string_view>
#include <variant>

#include "lang/sql_expr.hpp"
#include "lang/sql_names.hpp"
#include "lang/sql_opaque.hpp"
#include "lang/sql_spelling.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

// What is still to be written: a text as it is, or an expression with its brackets.
struct Pending {
    std::string text;
    ExprId id{};
    bool is_expression = false;
    bool bare = false;
};

class Writer {
  public:
    Writer(const Exprs& exprs, const ColumnWriter& column_name, const Context& context)
        : exprs_(exprs), column_name_(column_name), context_(context), unknown_(find_unknown()) {}

    Written write(ExprId root) {
        const bool bare = exprs_[root].op == Op::literal && is_bare_alone(exprs_, root, context_);
        stack_.push_back({{}, root, true, bare});
        while (!stack_.empty()) {
            const Pending next = std::move(stack_.back());
            stack_.pop_back();
            if (next.is_expression) {
                expand(next);
            } else {
                written_.text += next.text;
            }
        }
        return std::move(written_);
    }

  private:
    // The type "?" where the expression has it; else a type that no node has.
    Type find_unknown() const {
        for (std::size_t i = 0; i < exprs_.size(); ++i) {
            const Type type = exprs_[ExprId{static_cast<std::uint32_t>(i)}].type;
            if (type.kind() == TypeKind::opaque && is_unknown_type(type, context_)) return type;
        }
        return Type::opaque(0xFFFFFFU);
    }

    void text(std::string piece) { pieces_.push_back({std::move(piece), {}, false, false}); }

    void operand(ExprId node, const Spelling& spelling, std::size_t i) {
        const Shown& shown = spelling.operands[i];
        const Level least = least_level(exprs_, node, i, context_);
        const bool brackets = level_of(exprs_, shown.id, shown.bare, context_) < least;
        if (brackets) text("(");
        pieces_.push_back({{}, shown.id, true, shown.bare});
        if (brackets) text(")");
    }

    void operands(ExprId node, const Spelling& spelling, std::string_view separator,
                  std::size_t first = 0) {
        for (std::size_t i = first; i < spelling.operands.size(); ++i) {
            if (i > first) text(std::string(separator));
            operand(node, spelling, i);
        }
    }

    void expand(const Pending& next) {
        const ExprNode& node = exprs_[next.id];
        if (node.op == Op::literal) {
            written_.text += write_literal(exprs_, next.id, next.bare, context_);
            return;
        }
        if (node.op == Op::column) {
            written_.text += column_name_(node.payload);
            return;
        }
        pieces_.clear();
        const ExprId child = node.count > 0 ? exprs_.children(next.id)[0] : next.id;
        const bool negative = node.op == Op::not_ && has_negative_form(exprs_, child, context_);
        const ExprId shown = negative ? child : next.id;
        const Spelling spelling = spell(exprs_, shown, unknown_, context_);
        written_.exact = written_.exact && spelling.exact;
        spread(shown, spelling, negative);
        for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece)
            stack_.push_back(std::move(*piece));
    }

    void spread(ExprId id, const Spelling& spelling, bool negative) {
        const ExprNode& node = exprs_[id];
        switch (node.op) {
            case Op::cast:
            case Op::try_cast:
                return spread_cast(id, spelling);
            case Op::and_:
                return operands(id, spelling, " and ");
            case Op::or_:
                return operands(id, spelling, " or ");
            case Op::not_:
                text("not ");
                return operand(id, spelling, 0);
            case Op::neg:
                return spread_minus(id, spelling);
            case Op::is_null:
                return spread_test(id, spelling, negative, "null");
            case Op::is_true:
                return spread_test(id, spelling, negative, "true");
            case Op::is_false:
                return spread_test(id, spelling, negative, "false");
            case Op::is_unknown:
                return spread_test(id, spelling, negative, "unknown");
            case Op::null_safe_eq:
                return operands(id, spelling, null_safe_name(negative));
            case Op::case_:
                return spread_case(id, spelling);
            case Op::coalesce:
                return spread_call("coalesce", id, spelling);
            case Op::nullif:
                return spread_call("nullif", id, spelling);
            case Op::greatest:
                return spread_call("greatest", id, spelling);
            case Op::least:
                return spread_call("least", id, spelling);
            case Op::call:
                return spread_function(id, spelling, negative);
            case Op::opaque:
                return spread_opaque(id, spelling);
            case Op::in:
                operand(id, spelling, 0);
                text(negative ? " not in (" : " in (");
                operands(id, spelling, ", ", 1);
                return text(")");
            case Op::between:
                operand(id, spelling, 0);
                text(negative ? " not between " : " between ");
                return operands(id, spelling, " and ", 1);
            case Op::like:
                operand(id, spelling, 0);
                text(negative ? " not like " : " like ");
                return operands(id, spelling, " escape ", 1);
            default:
                return operands(id, spelling, fmt::format(" {} ", op_name(node.op)));
        }
    }

    std::string_view null_safe_name(bool negative) const {
        const Dialect dialect = context_.semantics.dialect;
        if (dialect == Dialect::mysql || dialect == Dialect::spark) return " <=> ";
        return negative ? " is distinct from " : " is not distinct from ";
    }

    void spread_test(ExprId id, const Spelling& spelling, bool negative, std::string_view word) {
        operand(id, spelling, 0);
        text(fmt::format(" is {}{}", negative ? "not " : "", word));
    }

    void spread_cast(ExprId id, const Spelling& spelling) {
        const ExprNode& node = exprs_[id];
        const Shown& shown = spelling.operands[0];
        if (node.op == Op::cast && shown.bare &&
            is_typed_text(exprs_, shown.id, node.type, context_)) {
            // interval '5 months': a text that only the engine reads as that type.
            text(write_type(node.type, context_) + ' ' +
                 write_literal(exprs_, shown.id, true, context_));
            return;
        }
        text(node.op == Op::cast ? "cast(" : "try_cast(");
        operand(id, spelling, 0);
        text(fmt::format(" as {})", write_type(Type::from_bits(node.payload), context_)));
    }

    // Two minus signs side by side begin a comment.
    void spread_minus(ExprId id, const Spelling& spelling) {
        const bool again = exprs_[spelling.operands[0].id].op == Op::neg;
        text(again ? "- " : "-");
        operand(id, spelling, 0);
    }

    void spread_case(ExprId id, const Spelling& spelling) {
        text("case");
        const std::size_t last = spelling.operands.size() - 1;
        if (last == 0) written_.exact = false;  // rules make a CASE without arms, SQL has none
        for (std::size_t i = 0; i < last; i += 2) {
            text(" when ");
            operand(id, spelling, i);
            text(" then ");
            operand(id, spelling, i + 1);
        }
        const Shown& otherwise = spelling.operands[last];
        const bool is_null =
            exprs_[otherwise.id].op == Op::literal && otherwise.bare &&
            context_.literals[LiteralId{exprs_[otherwise.id].payload}].value.is_null();
        if (!is_null) {
            text(" else ");
            operand(id, spelling, last);
        }
        text(" end");
    }

    void spread_call(std::string_view name, ExprId id, const Spelling& spelling) {
        text(fmt::format("{}(", name));
        operands(id, spelling, ", ");
        text(")");
    }

    void spread_function(ExprId id, const Spelling& spelling, bool negative) {
        const std::string_view name = context_.names[exprs_[id].payload];
        switch (syntax_of(exprs_, id, context_)) {
            case Function::Syntax::word:
                return text(std::string(name));
            case Function::Syntax::infix:
                return operands(id, spelling, fmt::format(" {}{} ", negative ? "!" : "", name));
            case Function::Syntax::like:
                operand(id, spelling, 0);
                text(fmt::format(" {}{} ", negative ? "not " : "", name));
                return operands(id, spelling, " escape ", 1);
            case Function::Syntax::extract:
                text("extract(");
                spread_field(id, spelling);
                text(" from ");
                operand(id, spelling, 1);
                return text(")");
            case Function::Syntax::position:
                text("position(");
                operand(id, spelling, 1);
                text(" in ");
                operand(id, spelling, 0);
                return text(")");
            case Function::Syntax::at_time_zone:
                operand(id, spelling, 1);
                text(" at time zone ");
                return operand(id, spelling, 0);
            case Function::Syntax::call:
                return spread_call(name.substr(0, name.find('\x01')), id, spelling);
        }
    }

    // A field is a word, or a text; EXTRACT takes nothing else.
    void spread_field(ExprId id, const Spelling& spelling) {
        const ExprNode& field = exprs_[spelling.operands[0].id];
        const bool is_text = field.op == Op::literal && is_string(field.type);
        if (!is_text) {
            written_.exact = false;
            return operand(id, spelling, 0);
        }
        const std::string word(context_.literals[LiteralId{field.payload}].value.as_text());
        text(is_plain_word(word) ? word : quoted_text(word, context_.semantics.dialect));
    }

    void spread_opaque(ExprId id, const Spelling& spelling) {
        const std::string_view shape = context_.opaques[exprs_[id].payload].text;
        std::string plain;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const char after = i + 1 < shape.size() ? shape[i + 1] : '\0';
            if (shape[i] != '$' || after < '0' || after > '9') {
                if (shape[i] == '$' && after == '$') ++i;
                plain += shape[i];
                continue;
            }
            std::size_t number = 0;
            while (i + 1 < shape.size() && shape[i + 1] >= '0' && shape[i + 1] <= '9') {
                number = number * 10 + static_cast<std::size_t>(shape[++i] - '0');
            }
            if (number == 0 || number > spelling.operands.size()) continue;
            text(std::move(plain));
            plain.clear();
            operand(id, spelling, number - 1);
        }
        text(std::move(plain));
    }

    const Exprs& exprs_;
    const ColumnWriter& column_name_;
    const Context& context_;
    Type unknown_;
    std::vector<Pending> stack_;
    std::vector<Pending> pieces_;
    Written written_;
};

#ifndef NDEBUG
// Whether the text is bound to the same expression again. The context's literals are not needed for that.
bool reads_back(std::string_view text, const Exprs& exprs, ExprId root,
                std::span<const Column> columns, const Context& context) {
    Context fresh;
    fresh.semantics = context.semantics;
    fresh.type_names = context.type_names;
    Exprs again;
    const auto id = parse_expr(text, columns, again, fresh);
    return id && same_expr(exprs, root, context, again, *id, fresh);
}
#endif

}  // namespace

Written write_expr(const Exprs& exprs, ExprId root, const ColumnWriter& column_name,
                   const Context& context) {
    return Writer(exprs, column_name, context).write(root);
}

std::string write_expr(const Exprs& exprs, ExprId root, std::span<const Column> columns,
                       const Context& context) {
    const Dialect dialect = context.semantics.dialect;
    const auto name = [&](std::uint32_t index) { return write_name(columns[index].name, dialect); };
    Written written = write_expr(exprs, root, ColumnWriter(name), context);
#ifndef NDEBUG
    // Longer chains than the reader takes, and dialects whose quotes or types are not all read, are not asked.
    constexpr std::size_t checked_bytes = 10'000;
    const bool checked =
        written.exact && !has_own_precedences(dialect) && written.text.size() <= checked_bytes;
    assert(!checked || reads_back(written.text, exprs, root, columns, context));
#endif
    return std::move(written.text);
}

}  // namespace satura::lang
