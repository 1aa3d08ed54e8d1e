// Terms with others in place of columns.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "proof/known.hpp"

namespace satura::proof {

class Substitution {
  public:
    Substitution(Known& known, std::map<lang::ColumnId, TermId> columns)
        : known_(known), columns_(std::move(columns)) {}

    // Whether the second term is what the first becomes. Equal terms become equal ones, so any form of a part will do; what
    // reads columns in a subquery or an opaque piece has none. Cost: about linear in what is known.
    bool leads_to(TermId from, TermId to);

  private:
    using Images = std::unordered_map<std::uint32_t, TermId>;  // by class

    bool is_touched(std::uint32_t cls) const;
    std::vector<std::uint32_t> forms_below(TermId root) const;
    std::optional<TermId> image_of(std::uint32_t term, const Images& images, Known& inside) const;

    Known& known_;
    std::map<lang::ColumnId, TermId> columns_;
};

}  // namespace satura::proof
