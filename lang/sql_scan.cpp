#include "lang/sql_scan.hpp"

#include <pg_query.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>

namespace satura::lang {
namespace {

constexpr std::string_view try_cast_word = "try_cast";

bool equals_ignoring_case(std::string_view a, std::string_view lower) {
    return std::ranges::equal(
        a, lower, [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x + 32 : x) == y; });
}

bool mentions_try_cast(std::string_view text) {
    for (std::size_t i = text.find_first_of("tT"); i != std::string_view::npos;
         i = text.find_first_of("tT", i + 1)) {
        if (equals_ignoring_case(text.substr(i, try_cast_word.size()), try_cast_word)) return true;
    }
    return false;
}

// Bytes of the UTF-8 character at `i`, 0 when it is none (RFC 3629: shortest form, no surrogates, up to U+10FFFF).
std::size_t utf8_length(std::string_view s, std::size_t i) {
    const auto byte = [&](std::size_t k) {
        return i + k < s.size() ? static_cast<unsigned char>(s[i + k])
                                : static_cast<unsigned char>(0);
    };
    const auto tail = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
    const unsigned char a = byte(0);
    const unsigned char b = byte(1);
    if (a < 0x80) return 1;
    if (a >= 0xC2 && a <= 0xDF) return tail(1) ? 2 : 0;
    if (a >= 0xE0 && a <= 0xEF) {
        const bool second = tail(1) && !(a == 0xE0 && b < 0xA0) && !(a == 0xED && b > 0x9F);
        return second && tail(2) ? 3 : 0;
    }
    if (a >= 0xF0 && a <= 0xF4) {
        const bool second = tail(1) && !(a == 0xF0 && b < 0x90) && !(a == 0xF4 && b > 0x8F);
        return second && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

// The end of a comment that starts at `i`, or `i`.
std::size_t skip_comment(std::string_view s, std::size_t i) {
    if (s.substr(i, 2) == "--") return std::min(s.find('\n', i), s.size());
    if (s.substr(i, 2) == "/*") {
        const std::size_t close = s.find("*/", i + 2);
        return close == std::string_view::npos ? s.size() : close + 2;
    }
    return i;
}

// The closing quote of the text that opens at `i`, doubled quotes skipped; npos when there is none.
std::size_t closing_quote(std::string_view s, std::size_t i) {
    const char quote = s[i];
    for (std::size_t k = i + 1; k < s.size(); ++k) {
        if (s[k] != quote) continue;
        if (k + 1 < s.size() && s[k + 1] == quote) {
            ++k;
            continue;
        }
        return k;
    }
    return std::string_view::npos;
}

Diagnostic unreadable(std::size_t begin, std::size_t end, std::string message) {
    return {"unsupported-quoting",
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)},
            std::move(message),
            ""};
}

// What a token does to the depth of the tree.
enum class Effect : std::uint8_t { none, open, close, link, join, separate };

Effect effect_of(int kind) {
    switch (kind) {
        case PG_QUERY__TOKEN__ASCII_40:
        case PG_QUERY__TOKEN__ASCII_91:
        case PG_QUERY__TOKEN__CASE:
            return Effect::open;
        case PG_QUERY__TOKEN__ASCII_41:
        case PG_QUERY__TOKEN__ASCII_93:
        case PG_QUERY__TOKEN__END_P:
            return Effect::close;
        case PG_QUERY__TOKEN__ASCII_37:
        case PG_QUERY__TOKEN__ASCII_42:
        case PG_QUERY__TOKEN__ASCII_43:
        case PG_QUERY__TOKEN__ASCII_45:
        case PG_QUERY__TOKEN__ASCII_47:
        case PG_QUERY__TOKEN__ASCII_60:
        case PG_QUERY__TOKEN__ASCII_61:
        case PG_QUERY__TOKEN__ASCII_62:
        case PG_QUERY__TOKEN__ASCII_94:
        case PG_QUERY__TOKEN__Op:
        case PG_QUERY__TOKEN__TYPECAST:
        case PG_QUERY__TOKEN__LESS_EQUALS:
        case PG_QUERY__TOKEN__GREATER_EQUALS:
        case PG_QUERY__TOKEN__NOT_EQUALS:
        case PG_QUERY__TOKEN__NOT:
        case PG_QUERY__TOKEN__IS:
        case PG_QUERY__TOKEN__ISNULL:
        case PG_QUERY__TOKEN__NOTNULL:
        case PG_QUERY__TOKEN__AT:
        case PG_QUERY__TOKEN__COLLATE:
            return Effect::link;
        case PG_QUERY__TOKEN__JOIN:
        case PG_QUERY__TOKEN__UNION:
        case PG_QUERY__TOKEN__EXCEPT:
        case PG_QUERY__TOKEN__INTERSECT:
            return Effect::join;
        case PG_QUERY__TOKEN__ASCII_44:
        case PG_QUERY__TOKEN__ASCII_59:
        case PG_QUERY__TOKEN__AND:
        case PG_QUERY__TOKEN__OR:
        case PG_QUERY__TOKEN__WHEN:
        case PG_QUERY__TOKEN__THEN:
        case PG_QUERY__TOKEN__ELSE:
        case PG_QUERY__TOKEN__SELECT:
        case PG_QUERY__TOKEN__FROM:
        case PG_QUERY__TOKEN__WHERE:
        case PG_QUERY__TOKEN__ON:
            return Effect::separate;
        default:
            return Effect::none;
    }
}

}  // namespace

std::vector<Token> scan_tokens(const std::string& text) {
    std::vector<Token> tokens;
    PgQueryScanResult result = pg_query_scan(text.c_str());
    if (result.error == nullptr) {
        PgQuery__ScanResult* scan = pg_query__scan_result__unpack(
            nullptr, result.pbuf.len, reinterpret_cast<const std::uint8_t*>(result.pbuf.data));
        for (std::size_t i = 0; scan != nullptr && i < scan->n_tokens; ++i) {
            const PgQuery__ScanToken& t = *scan->tokens[i];
            if (t.token == PG_QUERY__TOKEN__SQL_COMMENT || t.token == PG_QUERY__TOKEN__C_COMMENT)
                continue;
            tokens.push_back({static_cast<std::uint32_t>(t.start),
                              static_cast<std::uint32_t>(t.end), static_cast<int>(t.token)});
        }
        if (scan != nullptr) pg_query__scan_result__free_unpacked(scan, nullptr);
    }
    pg_query_free_scan_result(result);
    return tokens;
}

std::optional<std::uint32_t> first_bad_byte(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = text[i] == '\0' ? 0 : utf8_length(text, i);
        if (length == 0) return static_cast<std::uint32_t>(i);
        i += length;
    }
    return std::nullopt;
}

void hide_try_casts(std::string& text, std::vector<std::uint32_t>& offsets) {
    if (!mentions_try_cast(text)) return;
    const std::vector<Token> tokens = scan_tokens(text);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (tokens[i + 1].kind != PG_QUERY__TOKEN__ASCII_40) continue;
        if (!equals_ignoring_case(std::string_view(text).substr(t.begin, t.end - t.begin),
                                  try_cast_word))
            continue;
        if (i > 0 && tokens[i - 1].kind == PG_QUERY__TOKEN__ASCII_46)
            continue;  // a function of a schema
        text.replace(t.begin, t.end - t.begin, "cast    ");
        offsets.push_back(t.begin);
    }
}

std::optional<Diagnostic> map_quotes(std::string& text, Dialect dialect) {
    const bool backticks =
        dialect == Dialect::mysql || dialect == Dialect::spark || dialect == Dialect::sqlite;
    const bool texts = dialect == Dialect::mysql || dialect == Dialect::spark;
    if (!backticks) return std::nullopt;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c != '\'' && c != '"' && c != '`') {
            const std::size_t after = skip_comment(text, i);
            i = after > i ? after : i + 1;
            continue;
        }
        const std::size_t close = closing_quote(text, i);
        if (close == std::string::npos) return std::nullopt;  // the grammar reports it
        const std::string_view inner = std::string_view(text).substr(i + 1, close - i - 1);
        if (texts && c != '`' && inner.find('\\') != std::string_view::npos) {
            return unreadable(i, close + 1, "backslash escapes are not read in this dialect");
        }
        const char grammar_quote = c == '`' ? '"' : texts ? '\'' : c;
        if (grammar_quote != c) {
            if (inner.find_first_of(std::array<char, 3>{c, grammar_quote, '\0'}.data()) !=
                std::string_view::npos) {
                return unreadable(i, close + 1, "quotes within this kind of quotes are not read");
            }
            text[i] = text[close] = grammar_quote;
        }
        i = close + 1;
    }
    return std::nullopt;
}

std::optional<Token> first_too_deep(const std::vector<Token>& tokens, std::uint32_t limit) {
    struct Level {
        std::uint32_t links = 0;  // since the last separator
        std::uint32_t joins = 0;
    };
    std::vector<Level> levels(1);
    std::uint32_t depth = 0;
    for (const Token& t : tokens) {
        Level& top = levels.back();
        switch (effect_of(t.kind)) {
            case Effect::none:
                break;
            case Effect::open:
                levels.emplace_back();
                ++depth;
                break;
            case Effect::close:
                depth -= top.links + top.joins;
                if (levels.size() > 1) {
                    levels.pop_back();
                    --depth;
                } else {
                    top = {};
                }
                break;
            case Effect::link:
                ++top.links;
                ++depth;
                break;
            case Effect::join:
                ++top.joins;
                ++depth;
                break;
            case Effect::separate:
                depth -= top.links;
                top.links = 0;
                break;
        }
        if (depth > limit) return t;
    }
    return std::nullopt;
}

std::uint32_t byte_of_character(std::string_view text, std::uint32_t position) {
    std::uint32_t byte = 0;
    for (std::uint32_t character = 1; character < position && byte < text.size(); ++character) {
        ++byte;
        while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0U) == 0x80U)
            ++byte;
    }
    return byte;
}

}  // namespace satura::lang
