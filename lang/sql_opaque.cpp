#include "lang/sql_opaque.hpp"

#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "lang/sql_scan.hpp"
#include "lang/sql_tree.hpp"

namespace satura::lang {
namespace {

bool opens(int kind) {
    return kind == PG_QUERY__TOKEN__ASCII_40 || kind == PG_QUERY__TOKEN__ASCII_91 ||
           kind == PG_QUERY__TOKEN__CASE;
}

bool closes(int kind) {
    return kind == PG_QUERY__TOKEN__ASCII_41 || kind == PG_QUERY__TOKEN__ASCII_93 ||
           kind == PG_QUERY__TOKEN__END_P;
}

const ProtobufCMessage& message_of(const PgQuery__Node& node) { return node.base; }

}  // namespace

void Cutter::pair_brackets() {
    const auto& tokens = sql_.tokens();
    partners_.assign(tokens.size(), no_partner);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < tokens.size(); ++i) {
        if (opens(tokens[i].kind)) open.push_back(i);
        if (!closes(tokens[i].kind) || open.empty()) continue;
        partners_[i] = open.back();
        partners_[open.back()] = i;
        open.pop_back();
    }
}

void Cutter::balance(std::size_t& begin, std::size_t& end) const {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = begin; i <= end; ++i) {
            const std::uint32_t partner = partners_[i];
            if (partner == no_partner || (partner >= begin && partner <= end)) continue;
            begin = std::min<std::size_t>(begin, partner);
            end = std::max<std::size_t>(end, partner);
            changed = true;
        }
    }
}

bool Cutter::is_same(Span piece, const std::string& wanted) const {
    constexpr std::string_view before = "SELECT ";
    // The text is already in the grammar's own spelling, so no dialect's quotes are mapped again.
    const auto parsed = parse_sql(sql_.text().substr(piece.begin, piece.end - piece.begin),
                                  Dialect::postgres, before);
    if (!parsed || parsed->tree().n_stmts != 1) return false;
    const PgQuery__Node& statement = *parsed->tree().stmts[0]->stmt;
    if (statement.node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
        statement.select_stmt->n_target_list != 1) {
        return false;
    }
    const PgQuery__Node& target = *statement.select_stmt->target_list[0];
    return tree_text(message_of(*target.res_target->val)) == wanted;
}

std::optional<Span> Cutter::cut(const PgQuery__Node& node) {
    if (partners_.empty()) pair_brackets();
    const TreeFacts facts = tree_facts(message_of(node));
    if (facts.first < 0) return std::nullopt;
    const auto& tokens = sql_.tokens();
    const std::string wanted = tree_text(message_of(node));
    const auto user = [&](std::size_t i) {
        return i < tokens.size() && tokens[i].end <= sql_.user_end();
    };
    std::size_t begin = sql_.token_at(static_cast<std::uint32_t>(facts.first));
    std::size_t end = sql_.token_at(static_cast<std::uint32_t>(facts.last));
    if (!user(begin) || !user(end)) return std::nullopt;
    for (std::size_t extra = 0; extra <= extra_tokens_max; ++extra) {
        balance(begin, end);
        if (!user(end) || tokens[begin].begin < sql_.user_begin()) return std::nullopt;
        const Span piece{tokens[begin].begin, tokens[end].end};
        if (is_same(piece, wanted)) return piece;
        ++end;
        if (!user(end)) return std::nullopt;
    }
    return std::nullopt;
}

Span Cutter::name_at(const PgQuery__ColumnRef& column) const {
    const auto& tokens = sql_.tokens();
    const auto location = static_cast<std::uint32_t>(std::max(0, column.location));
    std::size_t i = sql_.token_at(location);
    if (i >= tokens.size()) return {location, location};
    for (std::size_t field = 1; field < column.n_fields && i + 2 < tokens.size(); ++field)
        i += 2;  // a dot and a name
    return {location, tokens[i].end};
}

void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        if (c == '$') out += '$';
        out += c;
    }
}

std::string fill_places(std::string_view text, const std::vector<std::string>& children) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '$' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        if (text[i + 1] == '$') {
            out += '$';
            ++i;
            continue;
        }
        std::size_t number = 0;
        while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') {
            number = number * 10 + static_cast<std::size_t>(text[++i] - '0');
        }
        if (number >= 1 && number <= children.size()) out += children[number - 1];
    }
    return out;
}

bool is_enclosed(std::string_view text) {
    const std::vector<Token> tokens = scan_tokens(std::string(text));
    if (tokens.size() == 1) return true;
    std::size_t first = 0;
    while (first < tokens.size() && tokens[first].kind != PG_QUERY__TOKEN__ASCII_40 &&
           tokens[first].kind != PG_QUERY__TOKEN__ASCII_91 &&
           tokens[first].kind != PG_QUERY__TOKEN__CASE) {
        const int kind = tokens[first].kind;
        const std::string_view word =
            text.substr(tokens[first].begin, tokens[first].end - tokens[first].begin);
        const bool name = kind == PG_QUERY__TOKEN__ASCII_46 || kind == PG_QUERY__TOKEN__ARRAY ||
                          kind == PG_QUERY__TOKEN__EXISTS || kind == PG_QUERY__TOKEN__EXTRACT ||
                          kind == PG_QUERY__TOKEN__SUBSTRING || kind == PG_QUERY__TOKEN__POSITION ||
                          kind == PG_QUERY__TOKEN__TRIM || kind == PG_QUERY__TOKEN__OVERLAY ||
                          kind == PG_QUERY__TOKEN__ROW || kind == PG_QUERY__TOKEN__IDENT;
        if (!name || word.empty()) return false;
        ++first;
    }
    std::size_t depth = 0;
    for (std::size_t i = first; i < tokens.size(); ++i) {
        if (opens(tokens[i].kind)) ++depth;
        if (closes(tokens[i].kind) && --depth == 0) return i + 1 == tokens.size();
    }
    return false;
}

}  // namespace satura::lang
