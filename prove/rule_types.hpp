// Which parts of a rule have one type, and what is known of those types: the binder casts the operands of a comparison, a CASE or an IN to
// one type, so an operator says of its operands' types what no condition needs to say.
#pragma once

#include <cstdint>
#include <vector>

#include "rules/sema.hpp"
#include "rules/sql_ops.hpp"

namespace satura::prove {

struct RuleType {
    bool is_boolean = false;
    bool is_integer = false;  // by a condition
    bool is_float = false;    // by a condition
    bool is_ring = false;     // by a condition: its sums and products are of the same type
    bool is_summed = false;   // it is summed or multiplied, where that is looked into: an integer
    bool has_order = false;   // no NaN that compares with nothing, by a condition
};

// How sums and products are seen.
//   opaque    the result may be anything, but is NULL just where an operand is; holds for all types
//   integers  of integers, which in total semantics know no overflow
enum class Arithmetic : std::uint8_t { opaque, integers };

class RuleTypes {
  public:
    // Cost: linear in the rule, times its casts.
    RuleTypes(const rules::ResolvedRule& rule, const rules::SqlOps& ops, Arithmetic arithmetic);

    // Equal answers: one type.
    std::uint32_t of_term(std::uint32_t term) const { return find(node_of(term)); }
    std::uint32_t of_variable(std::uint32_t variable) const { return find(variable); }
    const RuleType& operator[](std::uint32_t type) const { return types_[type]; }
    // Whether a type that must be one of integers is one of floats by a condition.
    bool is_contradictory() const;

  private:
    std::uint32_t node_of(std::uint32_t term) const;
    std::uint32_t find(std::uint32_t node) const;
    void join(std::uint32_t a, std::uint32_t b);
    void join_all(const std::vector<std::uint32_t>& nodes);
    void make_boolean(std::uint32_t node) { types_[find(node)].is_boolean = true; }
    void look_at(std::uint32_t term);
    void look_at_value(std::uint32_t term, const std::vector<std::uint32_t>& operands);
    void look_at(const rules::ResolvedLet& let);
    void look_at(const rules::ResolvedWord& word);
    void look_at_casts(const rules::ResolvedWord& word);

    const rules::ResolvedRule& rule_;
    const rules::SqlOps& ops_;
    Arithmetic arithmetic_;
    std::vector<std::uint32_t> parents_;  // variables, then terms
    std::vector<RuleType> types_;
};

// The variable that stands as the argument; no_term for one that is written out.
std::uint32_t variable_of(const rules::ResolvedArgument& argument);

}  // namespace satura::prove
