// Reads terms: by recursive descent over the grammar's levels, terms at most nesting_max deep.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/syntax.hpp"
#include "rules/token_reader.hpp"

namespace satura::rules {

class TermParser {
  public:
    TermParser(TokenReader& reader, SyntaxFile& file) : reader_(reader), file_(file) {}

    // Reads one side. The `<=>` at token `arrow` is not an operator. no_term after an error.
    std::uint32_t side(std::uint32_t arrow = no_term);

    // `flip` and its like; none for other names.
    static OperatorMap map_named(std::string_view name);
    static std::string_view map_name(OperatorMap map);
    // The text of a type or operator: blanks between words only.
    static std::string word_text(const TokenReader& reader, std::uint32_t begin, std::uint32_t end);
    // Words that cannot be a leaf, since they mean something else where they stand.
    static bool is_reserved(std::string_view word);

  private:
    std::uint32_t disjunction();
    std::uint32_t conjunction();
    std::uint32_t negation();
    std::uint32_t test();
    std::uint32_t comparison();
    std::uint32_t sum();
    std::uint32_t product();
    std::uint32_t factor();
    std::uint32_t primary();
    std::uint32_t chain(std::initializer_list<std::string_view> operators, bool is_product);
    std::uint32_t logic(std::string_view word, std::uint32_t (TermParser::*operand)());
    std::uint32_t in_list(std::uint32_t operand);
    std::uint32_t between(std::uint32_t low);
    std::uint32_t cast();
    std::uint32_t application();
    std::uint32_t operator_variable_application();
    bool list(std::string_view close, std::vector<std::uint32_t>& out);

    bool at_infix() const;
    Term infix();
    bool at_mapped_variable(std::uint32_t ahead = 0) const;

    std::uint32_t leaf(TermKind kind, std::string text, LiteralText how = LiteralText::word);
    std::uint32_t add(Term term, std::span<const std::uint32_t> operands);
    std::uint32_t apply(std::string_view name, std::initializer_list<std::uint32_t> operands);
    Span span_of(std::uint32_t term) const { return file_.terms[term].span; }
    bool enter();  // one level deeper; false with an error where that is too deep

    TokenReader& reader_;
    SyntaxFile& file_;
    std::uint32_t arrow_ = no_term;
    std::uint32_t level_ = 0;
    std::vector<std::uint32_t> depths_;  // by term
};

}  // namespace satura::rules
