// Options that several commands share, and the words that they accept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "egraph/runner.hpp"
#include "lang/semantics.hpp"
#include "rules/loader.hpp"

namespace satura::app {

// Exit statuses, the same for all commands.
inline constexpr int exit_done = 0;
inline constexpr int exit_no = 1;       // the answer is no: not equal, unsound, something found
inline constexpr int exit_mistake = 2;  // of the user, in words or input
inline constexpr int exit_internal = 3;
inline constexpr int exit_interrupted = 130;  // by SIGINT: what there is by then was printed

// The dialect of that name, or what is wrong with it. Dialects whose text comparisons and
// arithmetic have no rules of their own yet are "not available".
std::variant<lang::Dialect, std::string> read_dialect(std::string_view name);

// Sets one semantics parameter ("nan", "ieee"); false if there is none of that name or value.
bool set_semantics(lang::Semantics& semantics, std::string_view name, std::string_view value);

// The parameters that differ from the dialect's own, as set_semantics takes them.
std::vector<std::pair<std::string, std::string>> changed_semantics(
    const lang::Semantics& semantics);

// Text of a file, or of standard input for "-"; nothing if it cannot be read.
std::optional<std::string> read_input(const std::string& path);
// False, with a message on standard error, where the file cannot be written.
bool write_file(const std::string& path, const std::string& text);

// Reads rule files. Of the first that cannot be read, or is no UTF-8 text, it says so on standard
// error; then false.
bool read_rule_files(const std::vector<std::string>& paths, std::vector<rules::Source>& out);

}  // namespace satura::app
