// Which expressions of one Exprs are written alike: GROUP BY keys are found again in the select
// list by it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/context.hpp"
#include "lang/expr.hpp"

namespace satura::lang {

// Two expressions have one number exactly if they are the same operators over the same columns and
// literals. As in a GROUP BY, occurrences of a volatile call and opaque pieces of the same text
// count as the same.
class ExprNumbers {
  public:
    ExprNumbers(const Exprs& exprs, const Context& context) : exprs_(exprs), context_(context) {}

    // Linear in the nodes added since the last call.
    std::uint32_t operator()(ExprId id);
    // Whether another occurrence may have another value: a volatile call, an opaque piece, a
    // subquery is below.
    bool is_volatile(ExprId id);

  private:
    void extend();
    std::string key_of(ExprId id) const;

    const Exprs& exprs_;
    const Context& context_;
    std::vector<std::uint32_t> numbers_;  // by ExprId
    std::vector<bool> volatile_;
    std::unordered_map<std::string, std::uint32_t> by_key_;
};

}  // namespace satura::lang
