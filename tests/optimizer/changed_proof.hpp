// Proofs with something changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "proof/proof.hpp"

namespace satura::test {

// One change for each field of a step; in place of its rule each of `rules`.
std::vector<proof::Proof> changed_proofs(const proof::Proof& proof, std::size_t at,
                                         const std::vector<std::string>& rules);

}  // namespace satura::test
