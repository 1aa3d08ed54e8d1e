#include "lang/sql_names.hpp"

#include <algorithm>
#include <array>

#include "lang/sql_expr.hpp"

namespace satura::lang {
namespace {

// Keywords of PostgreSQL 15 that are not free, by kind; each list is sorted.
constexpr std::array<std::string_view, 51> column_words{
    "between",    "bigint",       "bit",       "boolean",       "char",          "character",
    "coalesce",   "dec",          "decimal",   "exists",        "extract",       "float",
    "greatest",   "grouping",     "inout",     "int",           "integer",       "interval",
    "least",      "national",     "nchar",     "none",          "normalize",     "nullif",
    "numeric",    "out",          "overlay",   "position",      "precision",     "real",
    "row",        "setof",        "smallint",  "substring",     "time",          "timestamp",
    "treat",      "trim",         "values",    "varchar",       "xmlattributes", "xmlconcat",
    "xmlelement", "xmlexists",    "xmlforest", "xmlnamespaces", "xmlparse",      "xmlpi",
    "xmlroot",    "xmlserialize", "xmltable"};
constexpr std::array<std::string_view, 23> function_words{
    "authorization", "binary", "collation", "concurrently", "cross",   "current_schema",
    "freeze",        "full",   "ilike",     "inner",        "is",      "isnull",
    "join",          "left",   "like",      "natural",      "notnull", "outer",
    "overlaps",      "right",  "similar",   "tablesample",  "verbose"};
constexpr std::array<std::string_view, 77> reserved_words{"all",          "analyse",
                                                          "analyze",      "and",
                                                          "any",          "array",
                                                          "as",           "asc",
                                                          "asymmetric",   "both",
                                                          "case",         "cast",
                                                          "check",        "collate",
                                                          "column",       "constraint",
                                                          "create",       "current_catalog",
                                                          "current_date", "current_role",
                                                          "current_time", "current_timestamp",
                                                          "current_user", "default",
                                                          "deferrable",   "desc",
                                                          "distinct",     "do",
                                                          "else",         "end",
                                                          "except",       "false",
                                                          "fetch",        "for",
                                                          "foreign",      "from",
                                                          "grant",        "group",
                                                          "having",       "in",
                                                          "initially",    "intersect",
                                                          "into",         "lateral",
                                                          "leading",      "limit",
                                                          "localtime",    "localtimestamp",
                                                          "not",          "null",
                                                          "offset",       "on",
                                                          "only",         "or",
                                                          "order",        "placing",
                                                          "primary",      "references",
                                                          "returning",    "select",
                                                          "session_user", "some",
                                                          "symmetric",    "table",
                                                          "then",         "to",
                                                          "trailing",     "true",
                                                          "union",        "unique",
                                                          "user",         "using",
                                                          "variadic",     "when",
                                                          "where",        "window",
                                                          "with"};
// Words that some other dialect keeps and PostgreSQL gives away; a name quoted without need is still the same name.
constexpr std::array<std::string_view, 103> other_words{
    "add",     "alter",     "anti",      "asof",         "before",      "bigint",     "binary",
    "blob",    "by",        "call",      "cascade",      "change",      "condition",  "continue",
    "convert", "cube",      "cursor",    "database",     "databases",   "day",        "declare",
    "delete",  "describe",  "div",       "double",       "drop",        "dual",       "each",
    "elseif",  "enclosed",  "escape",    "escaped",      "exit",        "explain",    "filter",
    "force",   "function",  "generated", "get",          "glob",        "hour",       "if",
    "ignore",  "index",     "infile",    "insert",       "int",         "iterate",    "key",
    "keys",    "kill",      "lag",       "lambda",       "lead",        "leave",      "lines",
    "load",    "lock",      "long",      "loop",         "match",       "minus",      "minute",
    "mod",     "month",     "no",        "nothing",      "of",          "option",     "out",
    "over",    "partition", "pivot",     "pivot_longer", "pivot_wider", "positional", "procedure",
    "qualify", "range",     "rank",      "read",         "recursive",   "regexp",     "release",
    "rename",  "repeat",    "replace",   "restrict",     "return",      "revoke",     "rlike",
    "rows",    "schema",    "second",    "semi",         "set",         "show",       "summarize",
    "system",  "trigger",   "unpivot",   "update",       "write"};

template <std::size_t n>
bool holds(const std::array<std::string_view, n>& words, std::string_view word) {
    return std::ranges::binary_search(words, word);
}

}  // namespace

WordKind word_kind(std::string_view word, Dialect dialect) {
    if (holds(reserved_words, word)) return WordKind::reserved;
    if (holds(function_words, word)) return WordKind::function;
    if (holds(column_words, word)) return WordKind::column;
    return dialect != Dialect::postgres && holds(other_words, word) ? WordKind::function
                                                                    : WordKind::plain;
}

bool is_plain_word(std::string_view word) {
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return false;
    return std::ranges::all_of(
        word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

std::string quoted_name(std::string_view name, Dialect dialect) {
    const char quote = dialect == Dialect::mysql || dialect == Dialect::spark ? '`' : '"';
    std::string out(1, quote);
    for (const char c : name) {
        if (c == quote) out += quote;
        out += c;
    }
    out += quote;
    return out;
}

std::string write_name(std::string_view name, Dialect dialect) {
    if (is_plain_word(name) && word_kind(name, dialect) == WordKind::plain)
        return std::string(name);
    return quoted_name(name, dialect);
}

std::string write_function_name(std::string_view name, Dialect dialect) {
    if (is_plain_word(name)) {
        const WordKind kind = word_kind(name, dialect);
        if (kind == WordKind::plain || kind == WordKind::function) return std::string(name);
    }
    return quoted_name(name, dialect);
}

}  // namespace satura::lang
