#include "prove/formula.hpp"

#include <algorithm>

namespace satura::prove {

std::optional<bool> Formulas::constant(Formula f) const {
    const Node& node = (*this)[f];
    if (node.kind != Kind::constant || node.sort != FormulaSort::boolean) return std::nullopt;
    return node.number != 0;
}

Formula Formulas::add(Kind kind, FormulaSort sort, std::int64_t number, std::string_view name,
                      std::span<const Formula> operands) {
    Key key{kind, sort, number, std::string(name),
            std::vector<Formula>(operands.begin(), operands.end())};
    const auto [at, is_new] = known_.try_emplace(key, Formula{});
    if (is_new) {
        at->second = Formula{static_cast<std::uint32_t>(nodes_.size())};
        nodes_.push_back({kind, sort, number, std::string(name), std::get<4>(key)});
    }
    return at->second;
}

Formula Formulas::unknown(std::string_view name, FormulaSort sort,
                          std::span<const Formula> operands) {
    return add(Kind::unknown, sort, 0, name, operands);
}

Formula Formulas::junction(Kind kind, std::span<const Formula> operands) {
    const bool unit = kind == Kind::and_;
    std::vector<Formula> kept;
    for (Formula operand : operands) {
        const auto value = constant(operand);
        if (value && *value != unit) return boolean(!unit);
        if (!value && std::ranges::find(kept, operand) == kept.end()) kept.push_back(operand);
    }
    if (kept.empty()) return boolean(unit);
    return kept.size() == 1 ? kept[0] : add(kind, FormulaSort::boolean, 0, {}, kept);
}

Formula Formulas::not_(Formula a) {
    if (const auto value = constant(a)) return boolean(!*value);
    if ((*this)[a].kind == Kind::not_) return (*this)[a].operands[0];
    return add(Kind::not_, FormulaSort::boolean, 0, {}, std::span(&a, 1));
}

Formula Formulas::choose(Formula condition, Formula yes, Formula no) {
    if (const auto value = constant(condition)) return *value ? yes : no;
    if (yes == no) return yes;
    const Formula operands[] = {condition, yes, no};
    return add(Kind::choose, (*this)[yes].sort, 0, {}, operands);
}

Formula Formulas::equal(Formula a, Formula b) {
    if (a == b) return boolean(true);
    if (const auto value = constant(a)) return *value ? b : not_(b);
    if (const auto value = constant(b)) return *value ? a : not_(a);
    if (is_number(a) && is_number(b)) return boolean(false);  // the same number is one node
    const Formula operands[] = {std::min(a, b), std::max(a, b)};
    return add(Kind::equal, FormulaSort::boolean, 0, {}, operands);
}

Formula Formulas::less(Formula a, Formula b) {
    if (a == b) return boolean(false);
    if (is_number(a) && is_number(b)) return boolean((*this)[a].number < (*this)[b].number);
    const Formula operands[] = {a, b};
    return add(Kind::less, FormulaSort::boolean, 0, {}, operands);
}

Formula Formulas::arithmetic(Kind kind, Formula a, Formula b) {
    const Formula operands[] = {a, b};
    return add(kind, FormulaSort::real, 0, {}, operands);
}

}  // namespace satura::prove
