// Formulas of first-order logic over booleans and reals, with uninterpreted functions: what a rule says, before a solver sees it.
//
// Nodes are shared and lie in one table; operands have smaller indexes, so passes are loops. Constants fold as formulas are made, so a
// formula over constants alone is one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace satura::prove {

enum class Formula : std::uint32_t {};
inline std::uint32_t raw(Formula f) { return static_cast<std::uint32_t>(f); }

enum class FormulaSort : std::uint8_t { boolean, real };

class Formulas {
  public:
    //   constant  `number`; of a boolean 0 or 1
    //   unknown   a variable called `name`, or an uninterpreted function of that name, applied
    enum class Kind : std::uint8_t {
        constant,
        unknown,
        and_,
        or_,
        not_,
        choose,  // operand 0 ? operand 1 : operand 2
        equal,   // of two booleans or two reals
        less,
        add,
        sub,
        mul
    };
    struct Node {
        Kind kind = Kind::constant;
        FormulaSort sort = FormulaSort::boolean;
        std::int64_t number = 0;
        std::string name;
        std::vector<Formula> operands;
    };

    std::size_t size() const { return nodes_.size(); }
    const Node& operator[](Formula f) const { return nodes_[raw(f)]; }
    // The value of a boolean constant; nothing for all else.
    std::optional<bool> constant(Formula f) const;

    Formula boolean(bool value) { return add(Kind::constant, FormulaSort::boolean, value ? 1 : 0); }
    Formula number(std::int64_t value) { return add(Kind::constant, FormulaSort::real, value); }
    Formula unknown(std::string_view name, FormulaSort sort,
                    std::span<const Formula> operands = {});
    Formula all(std::span<const Formula> operands) { return junction(Kind::and_, operands); }
    Formula any(std::span<const Formula> operands) { return junction(Kind::or_, operands); }
    Formula all(std::initializer_list<Formula> o) { return all(std::span(o.begin(), o.size())); }
    Formula any(std::initializer_list<Formula> o) { return any(std::span(o.begin(), o.size())); }
    Formula not_(Formula a);
    Formula implies(Formula a, Formula b) { return any({not_(a), b}); }
    Formula choose(Formula condition, Formula yes, Formula no);
    Formula equal(Formula a, Formula b);
    Formula less(Formula a, Formula b);
    Formula at_most(Formula a, Formula b) { return not_(less(b, a)); }
    Formula plus(Formula a, Formula b) { return arithmetic(Kind::add, a, b); }
    Formula minus(Formula a, Formula b) { return arithmetic(Kind::sub, a, b); }
    Formula times(Formula a, Formula b) { return arithmetic(Kind::mul, a, b); }

  private:
    Formula add(Kind kind, FormulaSort sort, std::int64_t number, std::string_view name = {},
                std::span<const Formula> operands = {});
    Formula junction(Kind kind, std::span<const Formula> operands);
    Formula arithmetic(Kind kind, Formula a, Formula b);
    bool is_number(Formula f) const { return (*this)[f].kind == Kind::constant; }

    using Key = std::tuple<Kind, FormulaSort, std::int64_t, std::string, std::vector<Formula>>;
    std::vector<Node> nodes_;
    std::map<Key, Formula> known_;
};

}  // namespace satura::prove
