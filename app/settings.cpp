#include "app/settings.hpp"

#include <fstream>
#include <iostream>
#include <iterator>

namespace satura::app {

using lang::Rounding;

namespace {

std::optional<Rounding> rounding_named(std::string_view name) {
    constexpr std::pair<std::string_view, Rounding> names[] = {{"half_away", Rounding::half_away},
                                                               {"half_even", Rounding::half_even},
                                                               {"half_up", Rounding::half_up},
                                                               {"floor", Rounding::floor},
                                                               {"trunc", Rounding::trunc}};
    for (const auto& [word, rounding] : names) {
        if (word == name) return rounding;
    }
    return std::nullopt;
}

}  // namespace

std::variant<lang::Dialect, std::string> read_dialect(std::string_view name) {
    bool found = false;
    lang::Dialect dialect = lang::dialect_from_name(name, found);
    if (!found) return "unknown dialect \"" + std::string(name) + "\"; there are postgres and duckdb";
    if (dialect == lang::Dialect::postgres || dialect == lang::Dialect::duckdb) return dialect;
    return "dialect " + std::string(name) + " is not available in this version; there are postgres and duckdb";
}

bool set_semantics(lang::Semantics& semantics, std::string_view name, std::string_view value) {
    if (name == "nan" && (value == "total" || value == "ieee")) {
        semantics.nan = value == "ieee" ? lang::NanOrder::ieee : lang::NanOrder::total;
        return true;
    }
    if (name == "f32_overflow" && (value == "inf" || value == "error")) {
        semantics.float_overflow_raises = value == "error";
        return true;
    }
    if (name == "zone") {
        semantics.zone = value;
        return true;
    }
    // Nothing is decided from a zone or from how it reads a repeated hour: casts across time zones stay as they are.
    if (name == "overlap" && (value == "earlier" || value == "later")) return true;
    auto rounding = rounding_named(value);
    if (!rounding) return false;
    if (name == "int_round") semantics.int_round = *rounding;
    else if (name == "fint_round") semantics.fint_round = *rounding;
    else if (name == "dec_round") semantics.dec_round = *rounding;
    else if (name == "ts_round") semantics.ts_round = *rounding;
    else return false;
    return true;
}

std::optional<std::string> read_input(const std::string& path) {
    if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::string> read_rule_files(const std::vector<std::string>& paths, std::vector<rules::Source>& out) {
    for (const std::string& path : paths) {
        auto source = rules::read_source(path);
        if (!source) return "cannot read the rule file " + path;
        out.push_back(std::move(*source));
    }
    return std::nullopt;
}

}  // namespace satura::app
