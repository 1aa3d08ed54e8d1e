#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

#include "lang/sql_binder.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

constexpr std::array<std::string_view, 9> boolean_operators{"!~", "!~*", "!~~*", "&&", "<@",
                                                            "@>", "^@",  "~",    "~*"};

bool is_boolean_operator(const PgQuery__AExpr& expr) {
    if (expr.kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP) {
        return expr.kind !=
               PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF;  // ANY, ALL, ILIKE, SIMILAR, BETWEEN SYMMETRIC, …
    }
    if (expr.n_name != 1 || expr.lexpr == nullptr ||
        expr.name[0]->node_case != PG_QUERY__NODE__NODE_STRING) {
        return false;
    }
    const std::string_view name = expr.name[0]->string->sval;
    constexpr std::array<std::string_view, 8> comparisons{"<", "<=", "<=>", "<>",
                                                          "=", "==", ">",   ">="};
    return std::ranges::binary_search(boolean_operators, name) ||
           std::ranges::binary_search(comparisons, name);
}

// Nodes that bind looser than any operator that may stand beside them.
bool needs_brackets(const PgQuery__Node& node) {
    return node.node_case == PG_QUERY__NODE__NODE_BOOL_EXPR ||
           node.node_case == PG_QUERY__NODE__NODE_NULL_TEST ||
           node.node_case == PG_QUERY__NODE__NODE_BOOLEAN_TEST;
}

}  // namespace

Type Binder::opaque_type(const PgQuery__Node& node) {
    switch (node.node_case) {
        case PG_QUERY__NODE__NODE_BOOL_EXPR:
        case PG_QUERY__NODE__NODE_NULL_TEST:
        case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
            return boolean_;
        case PG_QUERY__NODE__NODE_A_EXPR:
            return is_boolean_operator(*node.a_expr) ? boolean_ : unknown_;
        case PG_QUERY__NODE__NODE_SUB_LINK: {
            const PgQuery__SubLinkType kind = node.sub_link->sub_link_type;
            const bool test = kind == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK ||
                              kind == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK ||
                              kind == PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK;
            return test ? boolean_ : unknown_;
        }
        default:
            return unknown_;
    }
}

// A piece of the opaque text that is bound on its own.
bool Binder::add_hole(const PgQuery__Node& node, std::vector<Place>& places) {
    const auto span = cutter_.cut(node);
    if (!span) {
        fail("unsupported", -1, "this expression cannot be read");
        return false;
    }
    const auto expr = Binder(sql_, scope_, exprs_, context_).run(node, Wanted::any);
    if (!expr) {
        error_ = expr.error();
        return false;
    }
    places.push_back({*span, *expr});
    return true;
}

// The text of the piece with a place for each column, and the columns.
std::optional<ExprId> Binder::opaque_node(const PgQuery__Node& node, Span piece) {
    const TreeFacts facts = tree_facts(node.base, [&](const PgQuery__Node& below) {
        return (below.node_case == PG_QUERY__NODE__NODE_SUB_LINK && scope_.binds_queries()) ||
               scope_.takes(below);
    });
    const bool is_query = node.node_case == PG_QUERY__NODE__NODE_SUB_LINK && scope_.binds_queries();
    const bool unsupported = is_query || (facts.has_star && !scope_.is_whole_text());
    if (unsupported) fail("unsupported", -1, "this expression cannot be read");
    std::vector<Place> places;
    std::vector<ExprId> hidden;  // read by a subquery perhaps
    for (const PgQuery__Node* hole : facts.holes) {
        if (error_ || !add_hole(*hole, places)) return std::nullopt;
    }
    for (const TreeFacts::Reference& reference : facts.references) {
        if (error_) return std::nullopt;
        const auto found = find_column(*reference.column);
        if (!found) continue;  // a star
        const Span name = cutter_.name_at(*reference.column);
        if (!*found) {
            // In a subquery, or as the parameter of a lambda, it is a name of its own.
            if (reference.in_subquery || context_.semantics.dialect != Dialect::postgres) continue;
            error_ = found->error();
            error_->span = {sql_.offset(name.begin), sql_.offset(name.end)};
            return std::nullopt;
        }
        const ExprId expr = node_of(**found, reference.column->location);
        if (reference.in_subquery) {
            hidden.push_back(expr);
        } else {
            places.push_back({name, expr, (*found)->expr ? 0xFFFFFFFFU : (*found)->index});
        }
    }
    return error_ ? std::nullopt : std::optional(opaque_text(node, piece, places, hidden));
}

ExprId Binder::opaque_text(const PgQuery__Node& node, Span piece, std::vector<Place>& places,
                           const std::vector<ExprId>& hidden) {
    std::ranges::sort(places, {}, [](const Place& place) { return place.span.begin; });
    std::vector<ExprId> children;
    std::vector<std::uint32_t> columns;
    std::string text;
    std::uint32_t done = piece.begin;
    for (const Place& place : places) {
        const auto known =
            place.column == 0xFFFFFFFFU ? columns.end() : std::ranges::find(columns, place.column);
        const auto number = static_cast<std::size_t>(known - columns.begin());
        if (known == columns.end()) {
            columns.push_back(place.column);
            children.push_back(place.expr);
        }
        append_escaped(text, sql_.written().substr(done, place.span.begin - done));
        text += '$';
        text += std::to_string(number + 1);
        done = place.span.end;
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
    constexpr int attempts_max =
        8;  // then all of it: a deep tree would take as many attempts as it has levels
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
    if (!scope_.is_whole_text()) {
        if (!try_opaque(*next)) fail("unsupported", -1, "this expression cannot be read");
        return;
    }
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
