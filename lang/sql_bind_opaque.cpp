#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_binder.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

constexpr std::array<std::string_view, 9> boolean_operators{"!~", "!~*", "!~~*", "&&", "<@", "@>", "^@", "~", "~*"};

bool is_boolean_operator(const PgQuery__AExpr& expr) {
    if (expr.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP) {
        return expr.kind != PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF;  // ANY, ALL, ILIKE, SIMILAR, BETWEEN SYMMETRIC, …
    }
    if (expr.n_name != 1 || expr.lexpr == nullptr || expr.name[0]->node_case != PG_QUERY__NODE__NODE_STRING) {
        return false;
    }
    const std::string_view name = expr.name[0]->string->sval;
    constexpr std::array<std::string_view, 8> comparisons{"<", "<=", "<=>", "<>", "=", "==", ">", ">="};
    return std::ranges::binary_search(boolean_operators, name) || std::ranges::binary_search(comparisons, name);
}

// Nodes that bind looser than any operator that may stand beside them.
bool needs_brackets(const PgQuery__Node& node) {
    return node.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR || node.node_case == PG_QUERY__NODE__NODE_NULL_TEST ||
           node.node_case == PG_QUERY__NODE__NODE_BOOLEAN_TEST;
}

}  // namespace

Type Binder::opaque_type(const PgQuery__Node& node) {
    switch (node.node_case) {
        case PG_QUERY__NODE__NODE_BOOL_EXPR:
        case PG_QUERY__NODE__NODE_NULL_TEST:
        case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return boolean_;
        case PG_QUERY__NODE__NODE_A_EXPR: return is_boolean_operator(*node.a_expr) ? boolean_ : unknown_;
        case PG_QUERY__NODE__NODE_SUB_LINK: {
            const PgQuery__SubLinkType kind = node.sub_link->sub_link_type;
            const bool test = kind == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK ||
                              kind == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK ||
                              kind == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
            return test ? boolean_ : unknown_;
        }
        default: return unknown_;
    }
}

// The text of the piece with a place for each column, and the columns.
std::optional<ExprId> Binder::opaque_node(const PgQuery__Node& node, Span piece) {
    TreeFacts facts = tree_facts(node.base);
    std::ranges::sort(facts.references, {}, [](const auto& r) { return r.column->location; });
    std::vector<ExprId> children;
    std::vector<std::uint32_t> columns;
    std::vector<ExprId> hidden;  // read by a subquery perhaps
    std::string text;
    std::uint32_t done = piece.begin;
    for (const TreeFacts::Reference& reference : facts.references) {
        const auto found = find_column(*reference.column);
        if (!found) continue;  // a star
        if (!*found) {
            // In a subquery, or as the parameter of a lambda, it is a name of its own.
            if (reference.in_subquery || context_.semantics.dialect != Dialect::postgres) continue;
            error_ = found->error();
            const Span name = cutter_.name_at(*reference.column);
            error_->span = {sql_.offset(name.begin), sql_.offset(name.end)};
            return std::nullopt;
        }
        const Scope::Found& column = **found;
        const std::uint32_t position = sql_.offset(reference.column->location);
        if (reference.in_subquery) {
            hidden.push_back(exprs_.add(Op::column, column.type, column.index, {}, position));
            continue;
        }
        const auto known = std::ranges::find(columns, column.index);
        const auto place = static_cast<std::size_t>(known - columns.begin());
        if (known == columns.end()) {
            columns.push_back(column.index);
            children.push_back(exprs_.add(Op::column, column.type, column.index, {}, position));
        }
        const Span name = cutter_.name_at(*reference.column);
        append_escaped(text, sql_.written().substr(done, name.begin - done));
        text += '$';
        text += std::to_string(place + 1);
        done = name.end;
    }
    append_escaped(text, sql_.written().substr(done, piece.end - done));
    if (needs_brackets(node)) text = '(' + text + ')';
    children.insert(children.end(), hidden.begin(), hidden.end());
    const auto payload = static_cast<std::uint32_t>(context_.opaques.size());
    context_.opaques.push_back({std::move(text)});
    return exprs_.add(Op::opaque, opaque_type(node), payload, children, sql_.offset(piece.begin));
}

bool Binder::try_opaque(const PgQuery__Node& node) {
    const auto piece = cutter_.cut(node);
    if (!piece) return false;
    const auto id = opaque_node(node, *piece);
    if (id) values_.push_back(typed(*id, static_cast<std::int32_t>(piece->begin), true));
    return id.has_value() || error_.has_value();
}

void Binder::make_opaque(const PgQuery__Node& node) {
    constexpr int attempts_max = 8;  // then all of it: a deep tree would take as many attempts as it has levels
    const PgQuery__Node* next = &node;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        if (try_opaque(*next)) return;
        while (!tasks_.empty() && !tasks_.back().built) tasks_.pop_back();
        if (tasks_.empty()) break;
        next = tasks_.back().node;
        values_.resize(tasks_.back().base);
        tasks_.pop_back();
    }
    while (!tasks_.empty()) {
        if (tasks_.back().built) next = tasks_.back().node;
        tasks_.pop_back();
    }
    values_.clear();
    // The whole expression, as it stands.
    const auto& tokens = sql_.tokens();
    std::size_t first = sql_.token_at(sql_.user_begin());
    std::size_t last = sql_.token_at(sql_.user_end());
    const bool whole = first < last && last <= tokens.size() && sql_.tree().n_stmts == 1;
    if (!whole) return fail("unsupported", -1, "this expression cannot be read");
    const Span piece{tokens[first].begin, tokens[last - 1].end};
    if (const auto id = opaque_node(*next, piece)) {
        values_.push_back(typed(*id, static_cast<std::int32_t>(piece.begin), true));
    }
}

}  // namespace satura::lang
