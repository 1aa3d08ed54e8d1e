// Casts as functions of which no more is known than what a rule's conditions say of them (docs/words.md): that one keeps NULL, that it loses
// nothing, where a constant lies among its images.
//
// Axioms are not quantified: they are written out for the operands that the rule casts and for the constants that its words compute, which
// is all that can matter for the sides.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "prove/rule_types.hpp"
#include "prove/sql_value.hpp"

namespace satura::prove {

class Casts {
  public:
    Casts(const rules::ResolvedRule& rule, const RuleTypes& types, Formulas& formulas,
          SqlValues& values);

    // cast(operand as …) or try_cast, as the term has it. `may_be_nan` and the like are the result's.
    SqlValue of_term(std::uint32_t term, const SqlValue& operand, bool is_try, bool may_be_nan);
    // What a word says: true where it is about casts.
    bool take(const rules::ResolvedWord& word, const std::vector<SqlValue>& variables);
    // The value whose image ?c is, or the one that it is rounded to; ?c and ?x are variables.
    SqlValue preimage(std::string_view word, std::uint32_t c, std::uint32_t x,
                      const std::vector<SqlValue>& variables);
    // What the words say of all casts so far. No cast may be made after it.
    void add_axioms(std::vector<Formula>& out);

    // Images of values of ?x's type, of such a type as `to` is; with the operands.
    struct Image {
        SqlValue operand, result;
        bool is_bounded = false;  // the operand lies within its type
    };
    std::vector<Image> images(std::uint32_t from, std::uint32_t to) const;
    // That each cast between numbers changes no number: what a plain case looks like.
    Formula changes_no_number();
    // Whether values of the type are cast, in a way that loses nothing.
    bool is_widened(std::uint32_t type) const;

  private:
    struct Function {
        std::string name;
        std::uint32_t from = 0, to = 0;  // types
        bool is_lossless = false, keeps_null = false, changes_nothing = false, never_raises = false;
        std::vector<Image> images;
    };
    // The value c among the images of a function; `v` is c's preimage, or what it is rounded to.
    struct Place {
        enum class Kind : std::uint8_t { above, below, missed, exact, up, down, max, min };
        Kind kind = Kind::exact;
        std::uint32_t from = 0, to = 0;
        SqlValue c, v;
    };

    std::uint32_t function_of(std::uint32_t term);
    SqlValue image(Function& function, const SqlValue& operand, bool is_bounded, bool is_boolean,
                   bool may_be_nan);
    void add_places(const Function& function, std::vector<Formula>& out);
    Formula at(const Place& place, const Image& image);
    Formula is_number(const SqlValue& a);
    bool is_bounded(std::uint32_t term) const;

    const rules::ResolvedRule& rule_;
    const RuleTypes& types_;
    Formulas& f_;
    SqlValues& values_;
    std::vector<Function> functions_;
    // Type variable or payload, which of the two, the operand's type: index of functions_.
    std::map<std::tuple<std::uint32_t, bool, std::uint32_t>, std::uint32_t> by_key_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::string>, SqlValue> preimages_;
    std::vector<Place> places_;
    std::vector<Formula> known_;
};

}  // namespace satura::prove
