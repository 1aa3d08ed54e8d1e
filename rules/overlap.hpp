// Where the left sides of two rules overlap: the least terms that both rewrite, the one at the root and the other there or below.
//
// Of sets and bags each way to let some operands of the one be operands of the other, the rests taking what is left over, no
// more; of sequences each shift. So what it finds are overlaps, and some of them: those for which a rest must hold an element
// of neither rule, or only operands of different depth meet by flattening, are left out.
// Source: Knuth and Bendix, "Simple word problems in universal algebras", 1970; for sets Peterson and Stickel, JACM 1981.
#pragma once

#include <vector>

#include "rules/sema.hpp"

namespace satura::rules {

// A node of an overlap; operands have smaller indexes.
struct OverlapNode {
    bool is_variable = false;
    std::uint32_t variable = no_term;  // of both rules, the inner one's behind the outer one's
    egraph::OpId op{};
    egraph::Payload payload = 0;
    std::uint32_t payload_variable = no_term;
    bool is_literal = false;
    std::vector<std::uint32_t> operands;
};

struct Overlap {
    std::vector<OverlapNode> nodes;  // the last one is the root
    bool is_at_root = false;
};

// Overlaps of two rules that normalise. `outer` and `inner` may be one rule; at the root that says nothing and is left out.
std::vector<Overlap> find_overlaps(const ResolvedRule& outer, const ResolvedRule& inner);

}  // namespace satura::rules
