// satura fmt
#include <algorithm>
#include <fstream>
#include <iostream>

#include "app/commands.hpp"
#include "app/settings.hpp"
#include "rules/parser.hpp"
#include "rules/printer.hpp"

namespace satura::app {

namespace {

// The file in the canonical layout, or a status.
int format_file(const std::string& path, bool check, bool& would_change) {
    std::vector<rules::Source> sources;
    if (!read_rule_files({path}, sources)) return exit_mistake;
    const std::string& text = sources.front().text;
    rules::Parsed parsed = rules::parse_file(text);
    for (const lang::Diagnostic& error : parsed.errors)
        std::cerr << lang::render(error, path, text);
    if (!parsed.errors.empty()) return exit_mistake;
    std::string formatted = rules::print_file(parsed.file);
    if (path == "-" && !check) {
        std::cout << formatted;
        return exit_done;
    }
    if (formatted == text) return exit_done;
    would_change = true;
    if (check) {
        std::cout << path << "\n";
        return exit_done;
    }
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << formatted;
    out.close();
    if (out) return exit_done;
    std::cerr << "satura: cannot write " << path << "\n";
    return exit_mistake;
}

}  // namespace

int run_format(const FormatOptions& options) {
    int status = exit_done;
    bool would_change = false;
    for (const std::string& path : options.files) {
        status = std::max(status, format_file(path, options.check, would_change));
    }
    return status == exit_done && options.check && would_change ? exit_no : status;
}

}  // namespace satura::app
