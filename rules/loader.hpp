// Rule files loaded and checked: the RuleBook.
//
//   Loaded loaded = load({{"mine.rules", text}}, language);
//   for (const SourceError& e : loaded.errors) std::cerr << loaded.book.render(e);
//   std::vector<egraph::Rule> rules = loaded.book.compile(0, language);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/pattern.hpp"
#include "rules/language.hpp"
#include "rules/path_order.hpp"
#include "rules/sema.hpp"
#include "rules/syntax.hpp"

namespace satura::rules {

struct Source {
    std::string name;  // as messages show it
    std::string text;
};

struct SourceError {
    std::uint32_t source = 0;
    lang::Diagnostic diagnostic;
};

// A rule as it is written.
struct BookRule {
    std::string name;
    std::string
        ruleset;  // the source's name without folder and extension where no `ruleset` stands above
    std::uint32_t phase = 0;
    std::uint32_t source = 0;
    std::uint32_t line = 0;  // 1-based
    std::string text;        // from `rule` to the end of the last clause
    std::string comment;     // the comment lines right above, without dashes
    Arrow arrow = Arrow::explore;
    std::vector<SettingSyntax> settings;
    bool may_raise = false;
    std::vector<ExampleSyntax> examples;  // keeps too
    std::uint32_t syntax = 0;             // index into the source's SyntaxFile::rules
};

struct BookProcedure {
    std::string name;
    std::string reason;
    std::uint32_t source = 0;
    std::uint32_t line = 0;
};

struct BookStart {
    std::uint32_t source = 0;
    std::uint32_t term = 0;
    std::string text;
};

struct BookCounts {
    std::size_t rules = 0;
    std::size_t instances = 0;  // after `for` and `<=>`
    std::size_t procedures = 0;
    std::size_t computed_words = 0;  // different ones that `let` uses
};

class RuleBook {
  public:
    std::vector<Source> sources;
    std::vector<SyntaxFile> files;  // one for each source
    std::vector<BookRule> rules;    // in order of the sources
    std::vector<BookProcedure> procedures;
    std::vector<BookStart> starts;
    std::set<std::string> computed_words;
    std::size_t instances = 0;
    PathOrder order;

    // A rule's instances, resolved and compiled for a language that knows the same operators as the one it was checked with.
    std::vector<ResolvedRule> resolve(std::size_t rule, Language& language) const;
    std::vector<egraph::Rule> compile(std::size_t rule, Language& language) const;
    // A start term, for add_term.
    std::vector<ResolvedTerm> start(std::size_t index, Language& language) const;
    // The index of a rule by name.
    std::optional<std::size_t> find(std::string_view name) const;
    BookCounts counts() const;

    std::string render(const SourceError& error) const;

  private:
    std::vector<const TableSyntax*> tables() const;
    friend struct Loader;
};

struct Loaded {
    RuleBook book;                    // the rules without errors
    std::vector<SourceError> errors;  // by source and place
};

// Loads and checks all sources together: one order for `~>`, one space of rule names. `operator` declarations are given to
// the language.
Loaded load(std::vector<Source> sources, Language& language);

// The built-in rule files.
std::vector<Source> built_in_sources();

// Reads a file; nothing if it cannot be read.
std::optional<Source> read_source(const std::string& path);

}  // namespace satura::rules
