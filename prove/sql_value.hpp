// A value of SQL as formulas, and what SQL's operators make of such values, in three-valued logic.
//
// A value of any type but boolean is a place in a total preorder, `number`, with a `tag` that tells apart what compares as equal and is not
// identical (1.0 and 1.00, -0.0 and 0.0). Every value that rules can compare has such a form, so what holds of all of them holds of all
// types. Numbers are their own place. Where NaN compares with nothing, `nan` says that the value is one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "lang/op.hpp"
#include "prove/formula.hpp"

namespace satura::prove {

struct SqlValue {
    Formula null{};
    bool is_boolean = false;
    Formula truth{};                 // boolean
    Formula number{}, tag{}, nan{};  // all others; of a boolean 0 or 1, 0 and false
};

enum class Truth : std::uint8_t { false_, true_, null };

class SqlValues {
  public:
    explicit SqlValues(Formulas& formulas) : f_(formulas) {}

    SqlValue boolean(Formula null, Formula truth);
    SqlValue boolean(Formula truth) { return boolean(f_.boolean(false), truth); }
    SqlValue truth(Truth value);
    SqlValue other(Formula null, Formula number, Formula tag, Formula nan);
    SqlValue null(bool is_boolean);
    // Anything; `name` is its own.
    SqlValue unknown(std::string_view name, bool is_boolean, bool may_be_nan);
    // What an operator that is only known by its name makes of the operands, where it is not `null`.
    SqlValue applied(std::string_view name, std::span<const SqlValue> operands, bool is_boolean,
                     bool may_be_nan);
    // Whether an operator that is only known by its name is NULL.
    Formula applied_null(std::string_view name, std::span<const SqlValue> operands);

    Formula is_true(const SqlValue& a) { return f_.all({f_.not_(a.null), a.truth}); }
    Formula is_false(const SqlValue& a) { return f_.all({f_.not_(a.null), f_.not_(a.truth)}); }
    Formula identical(const SqlValue& a, const SqlValue& b);
    SqlValue choose(Formula condition, const SqlValue& yes, const SqlValue& no);

    SqlValue and_(std::span<const SqlValue> operands);
    SqlValue or_(std::span<const SqlValue> operands);
    SqlValue not_(const SqlValue& a) { return boolean(a.null, f_.not_(a.truth)); }
    SqlValue compare(lang::Op op, const SqlValue& a, const SqlValue& b);
    Formula is_less(const SqlValue& a, const SqlValue& b);
    Formula is_equal(const SqlValue& a, const SqlValue& b);  // of values that are not NULL
    // Sums, differences, products and negatives of integers.
    SqlValue arithmetic(lang::Op op, std::span<const SqlValue> operands);
    Formula any_null(std::span<const SqlValue> operands);

  private:
    std::vector<Formula> parts(std::span<const SqlValue> operands);

    Formulas& f_;
};

}  // namespace satura::prove
