// Proofs as JSON, in the form of docs/proofs.md, and back.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proof/explanation.hpp"
#include "proof/proof.hpp"

namespace satura::app {

// One object, without a line's end. Cost: linear.
std::string proof_json(const proof::Proof& proof);

// Its steps, an object each; without a line's end.
std::string explanation_json(const proof::Explanation& explanation);

// A proof, or an answer of `batch` that holds one; an answer without one, which needs none where it is an error; or what is wrong.
struct NoProof {
    std::string id;  // of the answer, JSON text
    bool is_error = false;
    std::string why;
};
struct ReadProof {
    std::string id;  // "null" for a proof by itself
    proof::Proof proof;
    std::string semantics_key;  // the same for proofs under the same semantics
};
struct BadProof {
    std::string message;
};
std::variant<ReadProof, NoProof, BadProof> read_proof(const std::string& text);

}  // namespace satura::app
