#include "lang/sql_types.hpp"

#include <fmt/core.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "lang/sql_expr.hpp"
#include "lang/sql_names.hpp"

namespace satura::lang {
namespace {

// What may stand in parentheses after a type's name.
enum class Parameters : std::uint8_t { none, length, digits, decimal, bits };

struct TypeWord {
    std::string_view name;
    TypeKind kind;
    Parameters parameters = Parameters::none;
    std::uint8_t digits = 6;  // of the second, where not written
};

// Sorted by name. The first column holds the names of the tree: "int" is read as pg_catalog.int4.
constexpr std::array type_words{
    TypeWord{"bigint", TypeKind::bigint},
    TypeWord{"bool", TypeKind::boolean},
    TypeWord{"boolean", TypeKind::boolean},
    TypeWord{"bpchar", TypeKind::char_, Parameters::length},
    TypeWord{"byte", TypeKind::tinyint},
    TypeWord{"char", TypeKind::char_, Parameters::length},
    TypeWord{"date", TypeKind::date},
    TypeWord{"datetime", TypeKind::timestamp, Parameters::digits},
    TypeWord{"dec", TypeKind::decimal, Parameters::decimal},
    TypeWord{"decimal", TypeKind::decimal, Parameters::decimal},
    TypeWord{"double", TypeKind::double_},
    TypeWord{"float", TypeKind::real, Parameters::bits},
    TypeWord{"float4", TypeKind::real},
    TypeWord{"float8", TypeKind::double_},
    TypeWord{"hugeint", TypeKind::hugeint},
    TypeWord{"int", TypeKind::integer},
    TypeWord{"int1", TypeKind::tinyint},
    TypeWord{"int128", TypeKind::hugeint},
    TypeWord{"int16", TypeKind::smallint},
    TypeWord{"int2", TypeKind::smallint},
    TypeWord{"int32", TypeKind::integer},
    TypeWord{"int4", TypeKind::integer},
    TypeWord{"int64", TypeKind::bigint},
    TypeWord{"int8", TypeKind::bigint},
    TypeWord{"integer", TypeKind::integer},
    TypeWord{"interval", TypeKind::interval},
    TypeWord{"logical", TypeKind::boolean},
    TypeWord{"long", TypeKind::bigint},
    TypeWord{"mediumint", TypeKind::integer},
    TypeWord{"numeric", TypeKind::decimal, Parameters::decimal},
    TypeWord{"nvarchar", TypeKind::varchar, Parameters::length},
    TypeWord{"real", TypeKind::real},
    TypeWord{"short", TypeKind::smallint},
    TypeWord{"signed", TypeKind::bigint},
    TypeWord{"smallint", TypeKind::smallint},
    TypeWord{"string", TypeKind::text},
    TypeWord{"text", TypeKind::text},
    TypeWord{"time", TypeKind::time, Parameters::digits},
    TypeWord{"timestamp", TypeKind::timestamp, Parameters::digits},
    TypeWord{"timestamp_ltz", TypeKind::timestamptz},
    TypeWord{"timestamp_ms", TypeKind::timestamp, Parameters::none, 3},
    TypeWord{"timestamp_ns", TypeKind::timestamp, Parameters::none, 9},
    TypeWord{"timestamp_ntz", TypeKind::timestamp},
    TypeWord{"timestamp_s", TypeKind::timestamp, Parameters::none, 0},
    TypeWord{"timestamp_us", TypeKind::timestamp},
    TypeWord{"timestamptz", TypeKind::timestamptz, Parameters::digits},
    TypeWord{"tinyint", TypeKind::tinyint},
    TypeWord{"ubigint", TypeKind::ubigint},
    TypeWord{"uhugeint", TypeKind::uhugeint},
    TypeWord{"uint128", TypeKind::uhugeint},
    TypeWord{"uint16", TypeKind::usmallint},
    TypeWord{"uint32", TypeKind::uinteger},
    TypeWord{"uint64", TypeKind::ubigint},
    TypeWord{"uint8", TypeKind::utinyint},
    TypeWord{"uinteger", TypeKind::uinteger},
    TypeWord{"unsigned", TypeKind::ubigint},
    TypeWord{"usmallint", TypeKind::usmallint},
    TypeWord{"utinyint", TypeKind::utinyint},
    TypeWord{"varchar", TypeKind::varchar, Parameters::length},
};
static_assert(std::ranges::is_sorted(type_words, {}, &TypeWord::name));

constexpr std::string_view unknown_name = "?";
constexpr int decimal_digits_max = 1000;

const TypeWord* find_type(std::string_view name) {
    const auto* at = std::ranges::lower_bound(type_words, name, {}, &TypeWord::name);
    return at != type_words.end() && at->name == name ? at : nullptr;
}

// The numbers in parentheses; nothing when one is no plain integer.
std::optional<std::vector<int>> numbers_of(const PgQuery__TypeName& name) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < name.n_typmods; ++i) {
        const PgQuery__Node& node = *name.typmods[i];
        if (node.node_case != PG_QUERY__NODE__NODE_A_CONST ||
            node.a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL) {
            return std::nullopt;
        }
        numbers.push_back(node.a_const->ival->ival);
    }
    return numbers;
}

Type bare_decimal(Dialect dialect) {
    switch (dialect) {
        case Dialect::duckdb:
            return Type::decimal(18, 3);
        case Dialect::spark:
        case Dialect::mysql:
            return Type::decimal(10, 0);
        default:
            return Type(TypeKind::numeric);
    }
}

std::optional<Type> decimal_type(const std::vector<int>& numbers, Dialect dialect) {
    if (numbers.empty()) return bare_decimal(dialect);
    if (numbers.size() > 2) return std::nullopt;
    const int precision = numbers[0];
    const int scale = numbers.size() == 2 ? numbers[1] : 0;
    if (precision < 1 || precision > decimal_digits_max || scale < -1000 || scale > 1000)
        return std::nullopt;
    return Type::decimal(precision, scale);
}

std::optional<Type> with_parameters(const TypeWord& word, const std::vector<int>& numbers,
                                    Dialect dialect) {
    if (word.parameters == Parameters::decimal) return decimal_type(numbers, dialect);
    if (numbers.size() > 1 || (!numbers.empty() && word.parameters == Parameters::none))
        return std::nullopt;
    switch (word.kind) {
        case TypeKind::char_:
        case TypeKind::varchar: {
            constexpr int length_max = 10'485'760;
            if (!numbers.empty() && (numbers[0] < 1 || numbers[0] > length_max))
                return std::nullopt;
            return Type::with_length(word.kind,
                                     numbers.empty() ? 0U : static_cast<std::uint32_t>(numbers[0]));
        }
        case TypeKind::time:
        case TypeKind::timestamp:
        case TypeKind::timestamptz: {
            const bool whole = word.name == "datetime" && dialect == Dialect::mysql;
            const int digits = !numbers.empty() ? numbers[0] : whole ? 0 : word.digits;
            if (digits < 0 || digits > 9) return std::nullopt;
            return Type::with_digits(word.kind, digits);
        }
        default:
            return Type(word.kind);
    }
}

bool same_word(std::string_view text, std::size_t at, std::string_view lower) {
    if (at + lower.size() > text.size()) return false;
    for (std::size_t i = 0; i < lower.size(); ++i) {
        const char c = text[at + i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lower[i]) return false;
    }
    const char after = at + lower.size() < text.size() ? text[at + lower.size()] : ' ';
    return !((after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z') ||
             (after >= '0' && after <= '9') || after == '_');
}

// The grammar has read FLOAT and REAL as PostgreSQL does; other dialects differ in their width.
Type float_of_dialect(Type type, const PgQuery__TypeName& name, const ParsedSql& sql,
                      Dialect dialect) {
    if (name.location < 0) return type;
    const auto at = static_cast<std::size_t>(name.location);
    if (same_word(sql.text(), at, "float") && dialect != Dialect::postgres &&
        dialect != Dialect::sqlite) {
        return Type(TypeKind::real);
    }
    if (same_word(sql.text(), at, "real") &&
        (dialect == Dialect::mysql || dialect == Dialect::sqlite)) {
        return Type(TypeKind::double_);
    }
    return type;
}

// The spelling of a type that is none of ours, with its parameters and array bounds.
std::optional<Type> opaque_type(const PgQuery__TypeName& name, Context& context) {
    std::string text;
    for (std::size_t i = 0; i < name.n_names; ++i) {
        if (name.names[i]->node_case != PG_QUERY__NODE__NODE_STRING) return std::nullopt;
        const std::string_view part = name.names[i]->string->sval;
        if (i == 0 && name.n_names > 1 && part == "pg_catalog") continue;
        if (!text.empty()) text += '.';
        text += is_plain_word(part) && part != "char"
                    ? std::string(part)
                    : quoted_name(part, context.semantics.dialect);
    }
    const auto numbers = numbers_of(name);
    if (!numbers) return std::nullopt;
    for (std::size_t i = 0; i < numbers->size(); ++i)
        text += fmt::format("{}{}", i == 0 ? '(' : ',', (*numbers)[i]);
    if (!numbers->empty()) text += ')';
    return Type::opaque(context.type_names.intern(text));
}

std::optional<Type> element_type(const PgQuery__TypeName& name, const ParsedSql& sql,
                                 Context& context) {
    if (name.n_names == 0 || name.names[name.n_names - 1]->node_case != PG_QUERY__NODE__NODE_STRING)
        return {};
    const std::string_view last = name.names[name.n_names - 1]->string->sval;
    const bool catalog = name.n_names == 2 &&
                         name.names[0]->node_case == PG_QUERY__NODE__NODE_STRING &&
                         std::string_view(name.names[0]->string->sval) == "pg_catalog";
    const TypeWord* word = name.n_names == 1 || catalog ? find_type(last) : nullptr;
    // A bare "char" has come in quotes: PostgreSQL's one-byte type, unlike char, which is read as bpchar(1).
    if (word == nullptr || (last == "char" && !catalog)) return opaque_type(name, context);
    const auto numbers = numbers_of(name);
    if (!numbers) return std::nullopt;
    const Dialect dialect = context.semantics.dialect;
    const auto type = with_parameters(*word, *numbers, dialect);
    if (!type) return std::nullopt;
    return dialect_type(is_float(*type) ? float_of_dialect(*type, name, sql, dialect) : *type,
                        dialect);
}

std::string digits_suffix(std::string_view name, Type type) {
    return type.digits() == 6 ? std::string(name) : fmt::format("{}({})", name, type.digits());
}

std::string_view integer_name(TypeKind kind) {
    switch (kind) {
        case TypeKind::tinyint:
            return "tinyint";
        case TypeKind::smallint:
            return "smallint";
        case TypeKind::integer:
            return "integer";
        case TypeKind::bigint:
            return "bigint";
        case TypeKind::hugeint:
            return "hugeint";
        case TypeKind::utinyint:
            return "utinyint";
        case TypeKind::usmallint:
            return "usmallint";
        case TypeKind::uinteger:
            return "uinteger";
        case TypeKind::ubigint:
            return "ubigint";
        default:
            return "uhugeint";
    }
}

std::string timestamp_name(Type type, Dialect dialect) {
    if (dialect == Dialect::duckdb && type.digits() == 9) return "timestamp_ns";
    if (dialect == Dialect::mysql) {
        return type.digits() == 0 ? std::string("datetime")
                                  : fmt::format("datetime({})", type.digits());
    }
    return digits_suffix("timestamp", type);
}

std::string string_name(Type type, Dialect dialect) {
    if (type.kind() == TypeKind::text) return dialect == Dialect::spark ? "string" : "text";
    if (type.length() == 0) return type.kind() == TypeKind::char_ ? "bpchar" : "varchar";
    return fmt::format("{}({})", type.kind() == TypeKind::char_ ? "char" : "varchar",
                       type.length());
}

std::string float_name(Type type, Dialect dialect) {
    if (type.kind() == TypeKind::double_)
        return dialect == Dialect::postgres ? "double precision" : "double";
    return dialect == Dialect::mysql ? "float" : "real";
}

}  // namespace

std::optional<Type> bind_type(const PgQuery__TypeName& name, const ParsedSql& sql,
                              Context& context) {
    if (name.setof || name.pct_type) return std::nullopt;
    auto type = element_type(name, sql, context);
    if (!type || name.n_array_bounds == 0) return type;
    std::string text = write_type(*type, context);
    for (std::size_t i = 0; i < name.n_array_bounds; ++i) text += "[]";
    return Type::opaque(context.type_names.intern(text));
}

Type unknown_type(Context& context) {
    return Type::opaque(context.type_names.intern(unknown_name));
}

bool is_unknown_type(Type type, const Context& context) {
    return type.kind() == TypeKind::opaque &&
           context.type_names[type.opaque_name()] == unknown_name;
}

Type dialect_type(Type type, Dialect dialect) {
    if (dialect == Dialect::duckdb && is_string(type))
        return Type::with_length(TypeKind::varchar, 0);
    if (dialect == Dialect::sqlite && type.kind() == TypeKind::real) return Type(TypeKind::double_);
    return type;
}

Result<Type> parse_type(std::string_view text, Context& context) {
    constexpr std::string_view before = "SELECT NULL::";
    auto sql = parse_sql(text, context.semantics.dialect, before);
    if (!sql) return sql.error();
    const Span whole{0, static_cast<std::uint32_t>(text.size())};
    const Diagnostic unreadable{"syntax-error", whole,
                                fmt::format("\"{}\" is not the name of a type", text), ""};
    const PgQuery__ParseResult& tree = sql->tree();
    if (tree.n_stmts != 1 || tree.stmts[0]->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return unreadable;
    const PgQuery__SelectStmt& select = *tree.stmts[0]->stmt->select_stmt;
    // Nothing but one cast: neither an operator after it, nor an alias, nor another clause.
    if (select.n_target_list != 1 || select.n_from_clause != 0 || select.where_clause != nullptr ||
        select.op != PG_QUERY__SET_OPERATION__SETOP_NONE) {
        return unreadable;
    }
    const PgQuery__ResTarget& target = *select.target_list[0]->res_target;
    if ((target.name != nullptr && target.name[0] != '\0') ||
        target.val->node_case != PG_QUERY__NODE__NODE_TYPE_CAST ||
        target.val->type_cast->arg->node_case != PG_QUERY__NODE__NODE_A_CONST) {
        return unreadable;
    }
    const auto type = bind_type(*target.val->type_cast->type_name, *sql, context);
    if (!type) return unreadable;
    return *type;
}

std::string write_type(Type type, const Context& context) {
    const Dialect dialect = context.semantics.dialect;
    switch (type.kind()) {
        case TypeKind::unknown:
            return "unknown";
        case TypeKind::boolean:
            return "boolean";
        case TypeKind::decimal:
            return fmt::format("decimal({},{})", type.precision(), type.scale());
        case TypeKind::numeric:
            return "numeric";
        case TypeKind::real:
        case TypeKind::double_:
            return float_name(type, dialect);
        case TypeKind::char_:
        case TypeKind::varchar:
        case TypeKind::text:
            return string_name(type, dialect);
        case TypeKind::date:
            return "date";
        case TypeKind::time:
            return digits_suffix("time", type);
        case TypeKind::timestamp:
            return timestamp_name(type, dialect);
        case TypeKind::timestamptz:
            return digits_suffix("timestamptz", type);
        case TypeKind::interval:
            return "interval";
        case TypeKind::opaque:
            return context.type_names[type.opaque_name()];
        default:
            break;
    }
    if (dialect == Dialect::mysql && type.kind() == TypeKind::bigint) return "signed";
    if (dialect == Dialect::mysql && type.kind() == TypeKind::ubigint) return "unsigned";
    return std::string(integer_name(type.kind()));
}

}  // namespace satura::lang
