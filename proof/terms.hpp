// The terms of proofs.
#pragma once

#include "egraph/terms.hpp"

namespace satura::proof {

using egraph::Term;
using egraph::TermId;
using egraph::Terms;

constexpr std::uint32_t index(TermId id) { return egraph::raw(id); }

}  // namespace satura::proof
