#include "lang/sql_aggregate.hpp"

#include <algorithm>
#include <array>

#include "lang/sql_expr.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

// Sorted. Of PostgreSQL, and of most others.
constexpr std::array<std::string_view, 36> common_names{"array_agg",
                                                        "avg",
                                                        "bit_and",
                                                        "bit_or",
                                                        "bit_xor",
                                                        "bool_and",
                                                        "bool_or",
                                                        "corr",
                                                        "count",
                                                        "covar_pop",
                                                        "covar_samp",
                                                        "every",
                                                        "group_concat",
                                                        "json_agg",
                                                        "json_arrayagg",
                                                        "json_object_agg",
                                                        "json_objectagg",
                                                        "jsonb_agg",
                                                        "jsonb_object_agg",
                                                        "max",
                                                        "min",
                                                        "mode",
                                                        "percentile_cont",
                                                        "percentile_disc",
                                                        "range_agg",
                                                        "range_intersect_agg",
                                                        "stddev",
                                                        "stddev_pop",
                                                        "stddev_samp",
                                                        "string_agg",
                                                        "sum",
                                                        "total",
                                                        "var_pop",
                                                        "var_samp",
                                                        "variance",
                                                        "xmlagg"};
// Of other dialects only; in PostgreSQL a user's function may have such a name.
constexpr std::array<std::string_view, 33> other_names{"any_value",
                                                       "approx_count_distinct",
                                                       "approx_percentile",
                                                       "approx_quantile",
                                                       "arg_max",
                                                       "arg_min",
                                                       "collect_list",
                                                       "collect_set",
                                                       "count_if",
                                                       "count_star",
                                                       "entropy",
                                                       "first",
                                                       "histogram",
                                                       "json_group_array",
                                                       "json_group_object",
                                                       "kurtosis",
                                                       "last",
                                                       "list",
                                                       "listagg",
                                                       "mad",
                                                       "max_by",
                                                       "mean",
                                                       "median",
                                                       "min_by",
                                                       "product",
                                                       "quantile",
                                                       "quantile_cont",
                                                       "quantile_disc",
                                                       "skewness",
                                                       "std",
                                                       "sum_no_overflow",
                                                       "try_avg",
                                                       "try_sum"};

Type sum_type(Type type, Dialect dialect) {
    if (is_float(type) || type.kind() == TypeKind::interval) return type;
    if (!is_integer(type)) {
        const bool decimal = type.kind() == TypeKind::decimal;
        if (decimal && dialect == Dialect::duckdb) return Type::decimal(38, type.scale());
        if (decimal && dialect == Dialect::spark)
            return Type::decimal(std::min(38, type.precision() + 10), type.scale());
        return Type(TypeKind::numeric);
    }
    if (dialect == Dialect::duckdb) return Type(TypeKind::hugeint);
    if (dialect == Dialect::spark || dialect == Dialect::sqlite) return Type(TypeKind::bigint);
    return Type(integer_bits(type) <= 32 ? TypeKind::bigint : TypeKind::numeric);
}

Type average_type(Type type, Dialect dialect) {
    if (type.kind() == TypeKind::interval) return type;
    return Type(dialect == Dialect::postgres && !is_float(type) ? TypeKind::numeric
                                                                : TypeKind::double_);
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_aggregate_name(std::string_view name, Dialect dialect) {
    static_assert(std::ranges::is_sorted(common_names) && std::ranges::is_sorted(other_names));
    if (std::ranges::binary_search(common_names, name) || name.starts_with("regr_")) return true;
    return dialect != Dialect::postgres && std::ranges::binary_search(other_names, name);
}

bool is_never_null(std::string_view name) {
    return is_any(name, {"count", "count_star", "count_if", "row_number", "rank", "dense_rank",
                         "ntile", "percent_rank", "cume_dist", "grouping", "total"});
}

Type aggregate_type(std::string_view name, std::span<const Type> arguments, Context& context) {
    const Dialect dialect = context.semantics.dialect;
    const Type unknown = unknown_type(context);
    if (is_any(name, {"count", "count_star", "count_if", "row_number", "rank", "dense_rank",
                      "regr_count"})) {
        return Type(TypeKind::bigint);
    }
    if (is_any(name, {"ntile", "grouping"})) return Type(TypeKind::integer);
    if (is_any(name, {"bool_and", "bool_or", "every"})) return Type(TypeKind::boolean);
    if (is_any(name, {"percent_rank", "cume_dist", "corr", "covar_pop", "covar_samp"}) ||
        name.starts_with("regr_")) {
        return Type(TypeKind::double_);
    }
    if (is_any(name, {"string_agg", "group_concat", "listagg"})) {
        return dialect_type(Type(TypeKind::text), dialect);
    }
    if (arguments.empty() || arguments[0].kind() == TypeKind::opaque) return unknown;
    const Type first = arguments[0];
    if (is_any(name, {"min", "max"}) && is_string(first))
        return dialect_type(Type(TypeKind::text), dialect);
    if (is_any(name, {"min", "max", "any_value", "first", "last", "lag", "lead", "first_value",
                      "last_value", "nth_value", "bit_and", "bit_or", "bit_xor"})) {
        return first;
    }
    const bool summed = is_numeric(first) || first.kind() == TypeKind::interval;
    if (name == "sum" && summed) return sum_type(first, dialect);
    if (name == "avg" && summed) return average_type(first, dialect);
    if (is_any(name, {"stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"}) &&
        is_numeric(first)) {
        return average_type(first, dialect);
    }
    if (name == "array_agg")
        return Type::opaque(context.type_names.intern(write_type(first, context) + "[]"));
    return unknown;
}

}  // namespace satura::lang
