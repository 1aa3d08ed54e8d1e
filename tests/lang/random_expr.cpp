#include "tests/lang/random_expr.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"
#include "lang/sql_types.hpp"

namespace satura::test {

using namespace lang;

namespace {

// Texts tried as literals of any type; those that a type does not read are passed over.
constexpr std::array<std::string_view, 34> texts{"0",
                                                 "1",
                                                 "-1",
                                                 "5",
                                                 "100",
                                                 "127",
                                                 "-128",
                                                 "128",
                                                 "32767",
                                                 "-32768",
                                                 "40000",
                                                 "2147483647",
                                                 "-2147483648",
                                                 "9223372036854775807",
                                                 "0.5",
                                                 "1.00",
                                                 "-99.99",
                                                 "100.55",
                                                 "1e10",
                                                 "1e-7",
                                                 "NaN",
                                                 "Infinity",
                                                 "-0.0",
                                                 "3.1399999",
                                                 "abc",
                                                 "",
                                                 "it's",
                                                 "a%b_",
                                                 "2024-02-29",
                                                 "1999-12-31 23:59:59.999999",
                                                 "2024-01-01 00:00:00",
                                                 "12:30:00",
                                                 "true",
                                                 "false"};

}  // namespace

std::vector<Column> sample_columns(Dialect dialect) {
    const auto simple = [](TypeKind kind) { return Type(kind); };
    std::vector<Column> columns{{"a", simple(TypeKind::smallint), true},
                                {"b", simple(TypeKind::integer), true},
                                {"c", simple(TypeKind::bigint), false},
                                {"d", Type::decimal(5, 2), true},
                                {"e", Type::decimal(10, 4), true},
                                {"f", simple(TypeKind::real), true},
                                {"g", simple(TypeKind::double_), true},
                                {"s", simple(TypeKind::text), true},
                                {"v", Type::with_length(TypeKind::varchar, 3), true},
                                {"h", simple(TypeKind::date), true},
                                {"i", Type::with_digits(TypeKind::timestamp, 6), true},
                                {"p", simple(TypeKind::boolean), true},
                                {"q", simple(TypeKind::boolean), false}};
    for (Column& column : columns) column.type = dialect_type(column.type, dialect);
    return columns;
}

Type RandomExpr::some_type() {
    return columns_[below(static_cast<std::uint32_t>(columns_.size()))].type;
}

ExprId RandomExpr::add(Op op, Type type, std::vector<ExprId> children) {
    return exprs_.add(op, type, 0, children);
}

ExprId RandomExpr::cast(ExprId child, Type type) {
    return exprs_.add(Op::cast, type, type.bits(), std::array{child});
}

ExprId RandomExpr::literal(Type type) {
    Value value;
    for (int attempt = 0; attempt < 40 && below(12) != 0; ++attempt) {
        const auto parsed = parse_value(texts[below(texts.size())], type, context_.semantics);
        if (!parsed) continue;
        value = *parsed;
        break;
    }
    const LiteralId id = context_.literals.intern(type, value);
    return exprs_.add(Op::literal, type, static_cast<std::uint32_t>(id), {});
}

ExprId RandomExpr::column_or_literal(Type type) {
    std::vector<std::uint32_t> fitting;
    for (std::uint32_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].type == type) fitting.push_back(i);
    }
    if (fitting.empty() || below(3) == 0) return literal(type);
    return exprs_.add(Op::column, type, fitting[below(static_cast<std::uint32_t>(fitting.size()))],
                      {});
}

ExprId RandomExpr::branches(Type type, int depth) {
    switch (below(5)) {
        case 0:
            return add(Op::coalesce, type, {value(type, depth), value(type, depth)});
        case 1:
            return add(Op::greatest, type,
                       {value(type, depth), value(type, depth), value(type, depth)});
        case 2:
            return add(Op::least, type, {value(type, depth), value(type, depth)});
        case 3:
            return add(Op::nullif, type, {value(type, depth), value(type, depth)});
        default:
            return add(Op::case_, type, {boolean(depth), value(type, depth), value(type, depth)});
    }
}

ExprId RandomExpr::value(Type type, int depth) {
    if (type.kind() == TypeKind::boolean) return boolean(depth);
    if (depth <= 0 || below(4) == 0) return column_or_literal(type);
    --depth;
    if (below(3) == 0) return branches(type, depth);
    constexpr std::array operators{Op::add, Op::sub, Op::mul, Op::div, Op::mod};
    const Op op = operators[below(operators.size())];
    const std::array arguments{type, type};
    const auto result = is_numeric(type) ? result_type(op, 0, arguments, context_) : std::nullopt;
    if (result == type) {
        if (below(5) == 0) return add(Op::neg, type, {value(type, depth)});
        return add(op, type, {value(type, depth), value(type, depth)});
    }
    const Type from = some_type();
    if (from == type || !is_numeric(from) || !is_numeric(type)) return branches(type, depth);
    return cast(value(from, depth), type);
}

ExprId RandomExpr::comparison(int depth) {
    const Type boolean_type(TypeKind::boolean);
    const Type type = some_type();
    constexpr std::array operators{Op::eq, Op::ne, Op::lt,          Op::le,
                                   Op::gt, Op::ge, Op::null_safe_eq};
    switch (below(6)) {
        case 0:
            return add(Op::is_null, boolean_type, {value(type, depth)});
        case 1: {
            std::vector<ExprId> children{value(type, depth)};
            for (std::uint32_t i = 0, n = 1 + below(4); i < n; ++i)
                children.push_back(value(type, depth - 1));
            return add(Op::in, boolean_type, std::move(children));
        }
        case 2:
            return add(Op::between, boolean_type,
                       {value(type, depth), value(type, depth), value(type, depth)});
        case 3: {
            const Type text = dialect_type(Type(TypeKind::text), context_.semantics.dialect);
            if (below(2) == 0)
                return add(Op::like, boolean_type, {value(text, depth), value(text, depth)});
            [[fallthrough]];
        }
        default:
            return add(operators[below(operators.size())], boolean_type,
                       {value(type, depth), value(type, depth)});
    }
}

ExprId RandomExpr::boolean(int depth) {
    const Type type(TypeKind::boolean);
    if (depth <= 0) return column_or_literal(type);
    --depth;
    constexpr std::array tests{Op::is_true, Op::is_false, Op::is_unknown, Op::is_null};
    switch (below(8)) {
        case 0:
        case 1: {
            std::vector<ExprId> children;
            for (std::uint32_t i = 0, n = 2 + below(2); i < n; ++i)
                children.push_back(boolean(depth));
            return add(below(2) == 0 ? Op::and_ : Op::or_, type, std::move(children));
        }
        case 2:
            return add(Op::not_, type, {boolean(depth)});
        case 3:
            return add(tests[below(tests.size())], type, {boolean(depth)});
        case 4:
            return column_or_literal(type);
        default:
            return comparison(depth);
    }
}

std::string columns_text(std::span<const lang::Column> columns, const lang::Context& context) {
    std::string out;
    for (const lang::Column& c : columns) {
        out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", c.name,
                           lang::write_type(c.type, context), c.nullable ? "" : " not null");
    }
    return out;
}

}  // namespace satura::test
