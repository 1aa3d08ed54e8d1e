// The recursive path order: why `~>` rules come to an end.
//
// Operators have ranks. left > right if (Dershowitz 1982; Baader and Nipkow, Term Rewriting and All That, section 5.4, with
// quasi-precedence and status):
//   1. some operand of left is right, or greater; or
//   2. left's operator ranks higher and left > each operand of right; or
//   3. the operators are of one rank and status, left > each operand of right, and left's operands are greater than
//      right's: for sets and bags as multisets, else by number and then from the first that differs.
// Variables are what they stand for. Constants and computed constants are least of all, and equal. A rest is a multiset, or a
// run, of unknown elements. A computed list is trusted to be made of elements of its arguments and of constants, and to be less
// than the list that it is made from: no longer, and where it is as long, less in one fixed order. So a word that computes
// lists gives nothing where the list would stay as it is.
// So is a computed predicate, against the one that its word's first argument names: the rule asks `changed`.
// Sound: what it accepts goes down whatever the variables stand for, empty rests too. Not complete.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace satura::rules {

struct ResolvedRule;

class PathOrder {
  public:
    // Names the operators of the next lower rank.
    void add_rank(const std::vector<std::string>& operators);
    bool empty() const { return ranks_.empty(); }

    // Higher is greater; operators that no rank names share the lowest.
    std::uint32_t rank(std::string_view operator_name) const;

    // Empty if the rule's left side is greater than its right; else why that cannot be shown, as a clause for a message.
    std::string refuse(const ResolvedRule& rule) const;

  private:
    std::map<std::string, std::uint32_t, std::less<>> ranks_;  // 0 is the greatest
    std::uint32_t rank_count_ = 0;
};

}  // namespace satura::rules
