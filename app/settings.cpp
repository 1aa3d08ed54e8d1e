#include "app/settings.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "lang/diagnostic.hpp"
#include "lang/sql_scan.hpp"

namespace satura::app {

using lang::Rounding;

namespace {

constexpr std::pair<std::string_view, Rounding> roundings[] = {{"half_away", Rounding::half_away},
                                                               {"half_even", Rounding::half_even},
                                                               {"half_up", Rounding::half_up},
                                                               {"floor", Rounding::floor},
                                                               {"trunc", Rounding::trunc}};

std::optional<Rounding> rounding_named(std::string_view name) {
    for (const auto& [word, rounding] : roundings) {
        if (word == name) return rounding;
    }
    return std::nullopt;
}

std::string name_of(Rounding rounding) {
    for (const auto& [word, known] : roundings) {
        if (known == rounding) return std::string(word);
    }
    return {};
}

}  // namespace

std::variant<lang::Dialect, std::string> read_dialect(std::string_view name) {
    bool found = false;
    lang::Dialect dialect = lang::dialect_from_name(name, found);
    if (!found)
        return "unknown dialect \"" + std::string(name) + "\"; there are postgres and duckdb";
    if (dialect == lang::Dialect::postgres || dialect == lang::Dialect::duckdb) return dialect;
    return "dialect " + std::string(name) +
           " is not available in this version; there are postgres and duckdb";
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
    if (name == "int_round")
        semantics.int_round = *rounding;
    else if (name == "fint_round")
        semantics.fint_round = *rounding;
    else if (name == "dec_round")
        semantics.dec_round = *rounding;
    else if (name == "ts_round")
        semantics.ts_round = *rounding;
    else
        return false;
    return true;
}

std::vector<std::pair<std::string, std::string>> changed_semantics(
    const lang::Semantics& semantics) {
    const lang::Semantics own = lang::Semantics::of(semantics.dialect);
    std::vector<std::pair<std::string, std::string>> out;
    if (semantics.nan != own.nan)
        out.emplace_back("nan", semantics.nan == lang::NanOrder::ieee ? "ieee" : "total");
    if (semantics.float_overflow_raises != own.float_overflow_raises)
        out.emplace_back("f32_overflow", semantics.float_overflow_raises ? "error" : "inf");
    if (semantics.zone != own.zone) out.emplace_back("zone", semantics.zone);
    const auto add = [&](const char* name, Rounding set, Rounding usual) {
        if (set != usual) out.emplace_back(name, name_of(set));
    };
    add("int_round", semantics.int_round, own.int_round);
    add("fint_round", semantics.fint_round, own.fint_round);
    add("dec_round", semantics.dec_round, own.dec_round);
    add("ts_round", semantics.ts_round, own.ts_round);
    return out;
}

std::optional<std::string> read_input(const std::string& path) {
    if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
    // A folder can be opened, and reads as an empty file.
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) std::cerr << "satura: cannot write " << path << "\n";
    return static_cast<bool>(file);
}

bool read_rule_files(const std::vector<std::string>& paths, std::vector<rules::Source>& out) {
    for (const std::string& path : paths) {
        auto text = read_input(path);
        if (!text) {
            std::cerr << "satura: cannot read the rule file " << path << "\n";
            return false;
        }
        if (auto bad = lang::first_bad_byte(*text)) {
            auto at = static_cast<std::uint32_t>(*bad);
            const char* what =
                (*text)[at] == '\0' ? "the text holds a NUL byte" : "the text is not valid UTF-8";
            std::cerr << lang::render({"bad-text", {at, at + 1}, what, {}}, path, *text);
            return false;
        }
        out.push_back({path, std::move(*text)});
    }
    return true;
}

}  // namespace satura::app
