#include "proof/written.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "lang/evaluate.hpp"
#include "lang/function.hpp"
#include "lang/sql_expr.hpp"

namespace satura::proof {

using lang::ExprId;
using lang::Op;

namespace {

constexpr std::string_view unknown_type = "unknown";

std::string type_text(lang::Type type, const lang::Context& context) {
    if (type.kind() == lang::TypeKind::unknown) return std::string(unknown_type);
    return lang::write_type(type, context);
}

std::optional<lang::Type> type_of(const std::string& text, lang::Context& context) {
    if (text == unknown_type) return lang::Type{};
    auto type = lang::parse_type(text, context);
    if (!type) return std::nullopt;
    return *type;
}

std::optional<std::uint32_t> number(const std::string& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

bool is_piece(Op op, egraph::OpId id, const rules::SqlOps& ops) {
    return op == Op::opaque || id == ops[Op::call];
}

// False where the text would not come back.
bool write_payload(const Term& term, std::span<const Piece> pieces, const rules::SqlOps& ops,
                   WrittenTerm& out) {
    const lang::Context& context = ops.context();
    const rules::SqlOps::Meaning& m = ops.meaning(term.op);
    if (m.op == Op::literal) {
        const lang::Literal& literal = context.literals[lang::LiteralId{term.payload}];
        out.type = type_text(literal.type, context);
        out.is_null = literal.value.is_null();
        if (out.is_null) return true;
        out.payload = lang::value_text(literal.value, literal.type);
        const auto again = lang::parse_value(out.payload, literal.type, context.semantics);
        return again && identical(*again, literal.value);
    }
    if (m.op == Op::cast || m.op == Op::try_cast) {
        out.type = type_text(lang::Type::from_bits(term.payload), context);
        return true;
    }
    if (is_piece(m.op, term.op, ops)) {
        const auto at = std::ranges::find(pieces, Piece{m.op, term.payload});
        if (at == pieces.end()) return false;
        out.payload = fmt::format("{}", at - pieces.begin());
        return true;
    }
    if (m.op == Op::column) out.payload = fmt::format("{}", term.payload);
    return m.op == Op::column || term.payload == 0;
}

}  // namespace

std::vector<Piece> pieces_of(const lang::Exprs& exprs, ExprId root, rules::SqlOps& ops) {
    std::vector<ExprId> below = lang::nodes_below(exprs, root);
    std::ranges::sort(below);
    std::vector<Piece> out;
    for (ExprId e : below) {
        const lang::ExprNode& node = exprs[e];
        const bool is_call = node.op == Op::call && ops.call(node.payload).op == ops[Op::call];
        const Piece piece{node.op, node.payload};
        if ((is_call || node.op == Op::opaque) && std::ranges::find(out, piece) == out.end())
            out.push_back(piece);
    }
    return out;
}

std::optional<std::vector<WrittenTerm>> write_terms(const Terms& terms,
                                                    std::span<const TermId> wanted,
                                                    std::span<const Piece> pieces,
                                                    const rules::SqlOps& ops,
                                                    std::vector<std::uint32_t>& numbers) {
    std::vector<bool> is_wanted(terms.size(), false);
    for (TermId id : wanted) is_wanted[index(id)] = true;
    for (std::uint32_t i = terms.size(); i-- > 0;) {
        if (!is_wanted[i]) continue;
        for (std::uint32_t child : terms[TermId{i}].children) is_wanted[child] = true;
    }
    numbers.assign(terms.size(), egraph::none);
    std::vector<WrittenTerm> out;
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
        if (!is_wanted[i]) continue;
        const Term term = terms[TermId{i}];
        WrittenTerm written;
        written.op = terms.signature()[term.op].name;
        if (!write_payload(term, pieces, ops, written)) return std::nullopt;
        for (std::uint32_t child : term.children) written.children.push_back(numbers[child]);
        numbers[i] = static_cast<std::uint32_t>(out.size());
        out.push_back(std::move(written));
    }
    return out;
}

std::optional<TermId> read_term(const WrittenTerm& written, std::span<const TermId> made,
                                std::span<const Piece> pieces, std::size_t columns, Known& known) {
    rules::SqlOps& ops = known.ops();
    lang::Context& context = ops.context();
    auto op = ops.signature().find(written.op);
    if (!op && lang::find_function(written.op) != nullptr)
        op = ops.call(context.names.intern(written.op)).op;
    if (!op) return std::nullopt;
    std::vector<TermId> children;
    for (std::uint32_t child : written.children) {
        if (child >= made.size()) return std::nullopt;
        children.push_back(made[child]);
    }
    const rules::SqlOps::Meaning& m = ops.meaning(*op);
    const egraph::Operator& shape = ops.signature()[*op];
    if (m.sort != rules::Sort::value) return std::nullopt;
    if (shape.shape == egraph::Shape::fixed && children.size() != shape.arity) return std::nullopt;
    egraph::Payload payload = 0;
    if (m.op == Op::literal) {
        const auto type = type_of(written.type, context);
        if (!type) return std::nullopt;
        const auto value = written.is_null
                               ? std::optional(lang::Value::null())
                               : lang::parse_value(written.payload, *type, context.semantics);
        if (!value) return std::nullopt;
        payload = static_cast<std::uint32_t>(context.literals.intern(*type, *value));
    } else if (m.op == Op::cast || m.op == Op::try_cast) {
        const auto type = type_of(written.type, context);
        if (!type) return std::nullopt;
        payload = type->bits();
    } else if (m.op == Op::column || is_piece(m.op, *op, ops)) {
        const auto at = number(written.payload);
        if (!at || *at >= (m.op == Op::column ? columns : pieces.size())) return std::nullopt;
        if (m.op != Op::column && pieces[*at].op != m.op) return std::nullopt;
        payload = m.op == Op::column ? *at : pieces[*at].payload;
    } else if (!written.payload.empty() || !written.type.empty()) {
        return std::nullopt;
    }
    return known.add(*op, payload, std::move(children));
}

}  // namespace satura::proof
