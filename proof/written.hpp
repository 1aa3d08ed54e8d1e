// Terms as a proof writes them, and back.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lang/expr.hpp"
#include "proof/known.hpp"
#include "proof/proof.hpp"

namespace satura::proof {

// A part that rules do not look into: an opaque expression or a call of an unknown or volatile function.
struct Piece {
    lang::Op op{};
    std::uint32_t payload = 0;
    bool operator==(const Piece&) const = default;
};

// Those of some expressions, each once, in the order in which they stand.
std::vector<Piece> pieces_of(const lang::Exprs& exprs, std::span<const lang::ExprId> roots,
                             rules::SqlOps& ops);

// The terms with ids up to the last of `wanted` that these are made of; `numbers` gets the index of each, by id. Nothing where
// one cannot be written so that it comes back.
std::optional<std::vector<WrittenTerm>> write_terms(const Known& known,
                                                    std::span<const TermId> wanted,
                                                    std::span<const Piece> pieces,
                                                    std::vector<std::uint32_t>& numbers);

// Adds a written term; `made` are those before it. Nothing where it is none: an unknown operator, a child that is not before it.
std::optional<TermId> read_term(const WrittenTerm& written, std::span<const TermId> made,
                                std::span<const Piece> pieces, Known& known);

}  // namespace satura::proof
