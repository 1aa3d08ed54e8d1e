// What `satura check` and `satura check --prove` have in common, and the second.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "lang/semantics.hpp"
#include "rules/loader.hpp"

namespace satura::app {

// Those of one dialect, or of all that rules are checked under.
std::vector<lang::Semantics> checked_semantics(const std::string& dialect);
std::string place_text(const lang::Semantics& semantics);
std::string indented(const std::string& text);
// "1.2 seconds", since then.
std::string time_text(std::chrono::steady_clock::time_point start);

// Prints for each rule of the sources whether it is proved, and returns the exit status.
int prove_rules(const std::vector<rules::Source>& sources, const rules::RuleBook& book,
                const CheckOptions& options);

}  // namespace satura::app
