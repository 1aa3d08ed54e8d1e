#include "proof/written.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "lang/evaluate.hpp"
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

// Whether the payload is a number of something in the input's plan: a table, a relation, a subquery.
enum class Numbers : std::uint8_t { none, tables, relations, subqueries };
Numbers numbers_of(egraph::OpId op, const rules::SqlOps& ops) {
    const rules::SqlOps::Meaning& m = ops.meaning(op);
    if (op == ops.plan().scan) return Numbers::tables;
    if (op == ops.plan().shape) return Numbers::relations;
    const bool is_subquery = m.sort == rules::Sort::value && m.op >= Op::exists;
    return is_subquery ? Numbers::subqueries : Numbers::none;
}

std::string columns_text(const rules::ColumnSets::Columns& columns) {
    std::string out;
    for (lang::ColumnId column : columns)
        out += fmt::format("{}{}", out.empty() ? "" : " ", static_cast<std::uint32_t>(column));
    return out;
}

std::optional<rules::ColumnSets::Columns> columns_in(const std::string& text, std::size_t count) {
    rules::ColumnSets::Columns out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const auto column = number(text.substr(at, end - at));
        if (!column || *column >= count) return std::nullopt;
        out.push_back(lang::ColumnId{*column});
        at = end + 1;
    }
    return out;
}

// False where the text would not come back.
bool write_payload(const Term& term, std::span<const Piece> pieces, const Known& known,
                   WrittenTerm& out) {
    const rules::SqlOps& ops = known.ops();
    const lang::Context& context = ops.context();
    const rules::SqlOps::Meaning& m = ops.meaning(term.op);
    if (m.sort != rules::Sort::value) {
        if (term.op == ops.plan().columns)
            out.payload = columns_text(known.plan_scope().column_sets[term.payload]);
        if (numbers_of(term.op, ops) == Numbers::none)
            return term.op == ops.plan().columns || term.payload == 0;
        out.payload = fmt::format("{}", term.payload);
        return true;
    }
    if (numbers_of(term.op, ops) == Numbers::subqueries) {
        out.payload = fmt::format("{}", term.payload);
        return true;
    }
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

std::vector<Piece> pieces_of(const lang::Exprs& exprs, std::span<const ExprId> roots,
                             rules::SqlOps& ops) {
    std::vector<ExprId> below;
    for (ExprId root : roots) {
        const std::vector<ExprId> more = lang::nodes_below(exprs, root);
        below.insert(below.end(), more.begin(), more.end());
    }
    std::ranges::sort(below);
    const auto repeated = std::ranges::unique(below);
    below.erase(repeated.begin(), repeated.end());
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

std::optional<std::vector<WrittenTerm>> write_terms(const Known& known,
                                                    std::span<const TermId> wanted,
                                                    std::span<const Piece> pieces,
                                                    std::vector<std::uint32_t>& numbers) {
    const Terms& terms = known.terms();
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
        if (!write_payload(term, pieces, known, written)) return std::nullopt;
        for (std::uint32_t child : term.children) written.children.push_back(numbers[child]);
        numbers[i] = static_cast<std::uint32_t>(out.size());
        out.push_back(std::move(written));
    }
    return out;
}

namespace {

// Of a column, a piece, or what a plan has.
std::optional<std::uint32_t> read_number(const WrittenTerm& written, egraph::OpId op,
                                         std::span<const Piece> pieces, const Known& known) {
    const rules::SqlOps& ops = known.ops();
    const Op meaning = ops.meaning(op).op;
    const lang::Plan* plan = known.plan() == nullptr ? nullptr : known.plan()->plan;
    std::size_t count = pieces.size();
    switch (numbers_of(op, ops)) {
        case Numbers::tables:
            count = plan->instances.size();
            break;
        case Numbers::relations:
            count = plan->size();
            break;
        case Numbers::subqueries:
            count = plan == nullptr ? 0 : plan->subqueries.size();
            break;
        case Numbers::none:
            if (meaning == Op::column) count = known.scope().columns.size();
    }
    const auto at = number(written.payload);
    if (!at || *at >= count) return std::nullopt;
    if (!is_piece(meaning, op, ops)) return *at;
    if (pieces[*at].op != meaning) return std::nullopt;
    return pieces[*at].payload;
}

std::optional<egraph::Payload> read_payload(const WrittenTerm& written, egraph::OpId op,
                                            std::span<const Piece> pieces, Known& known) {
    rules::SqlOps& ops = known.ops();
    lang::Context& context = ops.context();
    const rules::SqlOps::Meaning& m = ops.meaning(op);
    const bool is_value = m.sort == rules::Sort::value;
    if (op == ops.plan().columns) {
        auto columns = columns_in(written.payload, known.scope().columns.size());
        if (!columns) return std::nullopt;
        return known.plan_scope().column_sets.intern(std::move(*columns));
    }
    if (is_value && m.op == Op::literal) {
        const auto type = type_of(written.type, context);
        if (!type) return std::nullopt;
        const auto value = written.is_null
                               ? std::optional(lang::Value::null())
                               : lang::parse_value(written.payload, *type, context.semantics);
        if (!value) return std::nullopt;
        return static_cast<std::uint32_t>(context.literals.intern(*type, *value));
    }
    if (is_value && (m.op == Op::cast || m.op == Op::try_cast)) {
        const auto type = type_of(written.type, context);
        if (!type) return std::nullopt;
        return type->bits();
    }
    const bool is_number = numbers_of(op, ops) != Numbers::none ||
                           (is_value && (m.op == Op::column || is_piece(m.op, op, ops)));
    if (is_number) return read_number(written, op, pieces, known);
    if (!written.payload.empty() || !written.type.empty()) return std::nullopt;
    return 0;
}

// Operands of the sorts that the operator takes, and a shape of the plan with as many inputs as it has there.
bool are_operands(egraph::OpId op, std::span<const TermId> children, const Known& known) {
    using rules::Sort;
    const rules::SqlOps& ops = known.ops();
    const rules::PlanOps& plan = ops.plan();
    const auto is = [&](std::size_t i, Sort sort) {
        return ops.meaning(known.terms()[children[i]].op).sort == sort;
    };
    const auto are_all = [&](std::size_t from, std::size_t to, Sort sort) {
        for (std::size_t i = from; i < to; ++i) {
            if (!is(i, sort)) return false;
        }
        return true;
    };
    const std::size_t count = children.size();
    const Sort sort = ops.meaning(op).sort;
    if (sort == Sort::value) return are_all(0, count, Sort::value);
    if (sort == Sort::truth) {
        const bool is_of_values = op == plan.same || op == plan.holds;
        return are_all(0, count, is_of_values ? Sort::value : Sort::truth);
    }
    if (sort == Sort::columns || count == 0) return true;
    if (op == plan.filter || ops.join_kind(op))
        return is(0, Sort::truth) && are_all(1, count, Sort::relation);
    const auto shaped = ops.shaped(op);
    if (!shaped) return is(0, Sort::columns) && are_all(1, count, Sort::relation);
    const Term shape = known.terms()[children[0]];
    if (shape.op != plan.shape) return false;
    const lang::Relation& relation = (*known.plan()->plan)[lang::RelationId{shape.payload}];
    return relation.op == *shaped && count > relation.count &&
           are_all(1, 1 + relation.count, Sort::relation) &&
           are_all(1 + relation.count, count, Sort::value);
}

}  // namespace

std::optional<TermId> read_term(const WrittenTerm& written, std::span<const TermId> made,
                                std::span<const Piece> pieces, Known& known) {
    rules::SqlOps& ops = known.ops();
    auto op = ops.signature().find(written.op);
    if (!op) {
        const auto call = ops.function_named(written.op);
        if (!call) return std::nullopt;
        op = call->op;
    }
    std::vector<TermId> children;
    for (std::uint32_t child : written.children) {
        if (child >= made.size()) return std::nullopt;
        children.push_back(made[child]);
    }
    const egraph::Operator& shape = ops.signature()[*op];
    if (ops.meaning(*op).sort != rules::Sort::value && known.plan() == nullptr) return std::nullopt;
    if (shape.shape == egraph::Shape::fixed && children.size() != shape.arity) return std::nullopt;
    if (!are_operands(*op, children, known)) return std::nullopt;
    const auto payload = read_payload(written, *op, pieces, known);
    if (!payload) return std::nullopt;
    return known.add(*op, *payload, std::move(children));
}

}  // namespace satura::proof
