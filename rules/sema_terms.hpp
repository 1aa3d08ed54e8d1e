// Resolves the sides of one instance of a rule: operators, leaves, types, and the kinds of variables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rules/expand.hpp"
#include "rules/sema.hpp"

namespace satura::rules {

// Errors without repetition: instances of a rule make the same ones.
class ErrorSink {
  public:
    explicit ErrorSink(std::vector<lang::Diagnostic>& errors) : errors_(errors) {}
    void add(std::string code, Span span, std::string message, std::string help = "");
    std::size_t count() const { return errors_.size(); }

  private:
    std::vector<lang::Diagnostic>& errors_;
};

enum class Side : std::uint8_t { left, right, ground };

class TermResolver {
  public:
    TermResolver(const SyntaxFile& file, const Instance& instance, Language& language,
                 ResolvedRule& out, ErrorSink& errors)
        : file_(file), instance_(instance), language_(language), out_(out), errors_(errors) {}

    // `where ?c: literal`, before the sides are resolved.
    void declare(const Name& variable, VariableKind kind) { declared_[variable.text] = kind; }
    // Appends the term's nodes to the rule and returns the root. After an error the answer has no meaning.
    std::uint32_t side(std::uint32_t term, Side side);

    // The variable of that name, or no_term.
    std::uint32_t find(std::string_view name) const;
    std::uint32_t add_variable(const Name& name, VariableKind kind, bool computed);
    // The names of variables that are bound so far, for "did you mean".
    std::vector<std::string> bound_names() const;
    std::string unbound_help(std::string_view name) const;

  private:
    void resolve(std::uint32_t index);
    void resolve_variable(std::uint32_t index);
    void resolve_literal(std::uint32_t index);
    void resolve_rest(std::uint32_t index);
    void resolve_each(std::uint32_t index);
    void resolve_apply(std::uint32_t index);
    bool check_operands(const Term& term, const ResolvedTerm& node);
    void check_left_elements(const Term& term, const ResolvedTerm& node);
    void resolve_type(const Term& term, ResolvedTerm& node);
    std::string operator_text(const Term& term);
    void find_elements(std::uint32_t each);
    // The variable at this place, made if it may be bound here; no_term after an error.
    std::uint32_t use(const Name& name, VariableKind kind);
    std::uint32_t push(std::uint32_t index, ResolvedTerm term);

    const SyntaxFile& file_;
    const Instance& instance_;
    Language& language_;
    ResolvedRule& out_;
    ErrorSink& errors_;
    Side side_ = Side::left;
    std::map<std::string, VariableKind, std::less<>> declared_;
    std::map<std::string, std::uint32_t, std::less<>> elements_;  // of `each`: name to rest
    std::vector<egraph::Shape> rest_shapes_;  // by variable: where a rest comes from
    std::uint32_t base_ = 0;
    bool in_each_ = false;                              // the term at hand is inside of an `each`
    std::vector<bool> is_in_each_;                      // by syntax term
    std::vector<std::uint32_t> resolved_;               // by syntax term: the node
    std::vector<std::vector<std::uint32_t>> absorbed_;  // operands of a chain's inner terms
    std::vector<bool> is_absorbed_;
};

const char* kind_name(VariableKind kind);

}  // namespace satura::rules
