#include <algorithm>
#include <array>
#include <string_view>

#include "rules/printer.hpp"
#include "rules/term_parser.hpp"

namespace satura::rules {

namespace {

// The grammar's levels; an operand of a lower level than its place asks for stands in parentheses.
enum Level : std::uint8_t {
    or_level = 1,
    and_level,
    not_level,
    test_level,
    comparison_level,
    sum_level,
    product_level,
    factor_level,
    primary_level
};

struct Printed {
    std::string text;
    Level level = primary_level;
};

constexpr std::array<std::string_view, 7> comparisons = {"=", "<>", "<", "<=", ">", ">=", "<=>"};
constexpr std::array<std::string_view, 3> sums = {"+", "-", "||"};
constexpr std::array<std::string_view, 3> products = {"*", "/", "%"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

class TermPrinter {
  public:
    explicit TermPrinter(const SyntaxFile& file) : file_(file) {}

    // Operands have smaller indexes, so ascending order has them first.
    std::string print(std::uint32_t root) {
        std::vector<std::uint32_t> reachable{root};
        for (std::size_t i = 0; i < reachable.size(); ++i) {
            const Term& term = file_.terms[reachable[i]];
            for (std::uint32_t o = 0; o < term.count; ++o) {
                reachable.push_back(file_.operand(term, o));
            }
        }
        std::sort(reachable.begin(), reachable.end());
        base_ = reachable.front();
        done_.resize(root - base_ + 1);
        for (std::uint32_t t : reachable) done_[t - base_] = printed(file_.terms[t]);
        return done_.back().text;
    }

  private:
    const Printed& operand(const Term& term, std::uint32_t i) const {
        return done_[file_.operand(term, i) - base_];
    }
    std::string at_least(const Term& term, std::uint32_t i, Level level) const {
        const Printed& p = operand(term, i);
        return p.level < level ? "(" + p.text + ")" : p.text;
    }
    std::string list(const Term& term, std::uint32_t begin, std::string_view separator = ", ",
                     Level level = or_level) const {
        std::string out;
        for (std::uint32_t i = begin; i < term.count; ++i) {
            if (i > begin) out += separator;
            out += at_least(term, i, level);
        }
        return out;
    }

    Printed printed(const Term& term) const {
        switch (term.kind) {
            case TermKind::variable:
                return {"?" + term.text, primary_level};
            case TermKind::rest:
                return {"...?" + term.text, primary_level};
            case TermKind::each:
                if (operand(term, 0).level == not_level) {
                    return {"each " + operand(term, 0).text, not_level};
                }
                return {"each " + at_least(term, 0, primary_level), primary_level};
            case TermKind::literal:
                return {term.text, term.text.starts_with('-') ? factor_level : primary_level};
            case TermKind::apply:
                break;
        }
        if (term.text == "cast" || term.text == "try_cast") {
            if (!term.type.empty()) return cast(term);
        }
        if (term.braces) return {name(term) + "{" + list(term, 0) + "}", primary_level};
        if (term.operator_variable) return by_variable(term);
        if (term.count == 0) return {term.text + (is_plain_leaf(term.text) ? "" : "()")};
        if (term.text == "and" && term.count > 1)
            return {list(term, 0, " and ", not_level), and_level};
        if (term.text == "or" && term.count > 1)
            return {list(term, 0, " or ", and_level), or_level};
        if (term.count == 1) return unary(term);
        if (term.text == "in") return {membership(term, " in "), comparison_level};
        if (term.count == 2) return binary(term);
        if (term.text == "between" && term.count == 3) {
            return {between(term, " between "), comparison_level};
        }
        return call(term);
    }

    static bool is_plain_leaf(std::string_view name) {
        return !TermParser::is_reserved(name) && name != "true" && name != "false" &&
               name != "null";
    }

    static std::string name(const Term& term) {
        if (!term.operator_variable) return term.text;
        const std::string variable = "?" + term.text;
        if (term.map == OperatorMap::none) return variable;
        return std::string(TermParser::map_name(term.map)) + "(" + variable + ")";
    }

    Printed call(const Term& term) const {
        return {name(term) + "(" + list(term, 0) + ")", primary_level};
    }

    Printed cast(const Term& term) const {
        const std::string type = (term.type_variable ? "?" : "") + term.type;
        return {term.text + "(" + operand(term, 0).text + " as " + type + ")", primary_level};
    }

    Printed by_variable(const Term& term) const {
        if (term.count != 2) return call(term);
        return infix(term, name(term), comparison_level);
    }

    Printed infix(const Term& term, const std::string& op, Level level) const {
        const auto above = static_cast<Level>(level + 1);
        return {at_least(term, 0, above) + " " + op + " " + at_least(term, 1, above), level};
    }

    // ?x - ?y - ?z needs no parentheses, (?x - ?y) - ?z is kept apart from it.
    Printed chain(const Term& term, Level level) const {
        const Term& left = file_.terms[file_.operand(term, 0)];
        const Printed& printed_left = operand(term, 0);
        const bool is_same = left.kind == TermKind::apply && left.text == term.text &&
                             printed_left.level == level && !term.chained;
        const std::string first =
            is_same ? "(" + printed_left.text + ")" : at_least(term, 0, level);
        const auto above = static_cast<Level>(level + 1);
        return {first + " " + term.text + " " + at_least(term, 1, above), level};
    }

    Printed binary(const Term& term) const {
        if (is_one_of(comparisons, term.text)) return infix(term, term.text, comparison_level);
        if (term.text == "like") return infix(term, "like", comparison_level);
        if (is_one_of(sums, term.text)) return chain(term, sum_level);
        if (is_one_of(products, term.text)) return chain(term, product_level);
        return call(term);
    }

    std::string membership(const Term& term, std::string_view word) const {
        return at_least(term, 0, sum_level) + std::string(word) + "(" + list(term, 1) + ")";
    }
    std::string between(const Term& term, std::string_view word) const {
        return at_least(term, 0, sum_level) + std::string(word) + at_least(term, 1, sum_level) +
               " and " + at_least(term, 2, sum_level);
    }

    Printed unary(const Term& term) const {
        if (term.text.starts_with("is ")) {
            return {at_least(term, 0, factor_level) + " " + term.text, test_level};
        }
        if (term.text == "in") return {membership(term, " in "), comparison_level};
        if (term.text == "neg") {
            const Printed& p = operand(term, 0);
            const bool is_bare = p.level >= factor_level && !p.text.starts_with('-') &&
                                 (p.text[0] < '0' || p.text[0] > '9');
            return {is_bare ? "-" + p.text : "-(" + p.text + ")", factor_level};
        }
        return term.text == "not" ? negation(term) : call(term);
    }

    // not (?x is null) is written ?x is not null.
    Printed negation(const Term& term) const {
        const Term& inner = file_.terms[file_.operand(term, 0)];
        if (inner.kind == TermKind::apply && !inner.braces && !inner.operator_variable) {
            if (inner.text.starts_with("is ") && inner.count == 1) {
                return {at_least(inner, 0, factor_level) + " is not " + inner.text.substr(3),
                        test_level};
            }
            if (inner.text == "in" && inner.count > 0) {
                return {membership(inner, " not in "), comparison_level};
            }
            if (inner.text == "between" && inner.count == 3) {
                return {between(inner, " not between "), comparison_level};
            }
            if (inner.text == "like" && inner.count == 2) {
                return infix(inner, "not like", comparison_level);
            }
        }
        return {"not " + at_least(term, 0, primary_level), not_level};
    }

    const SyntaxFile& file_;
    std::uint32_t base_ = 0;
    std::vector<Printed> done_;
};

}  // namespace

std::string print_term(const SyntaxFile& file, std::uint32_t term) {
    return TermPrinter(file).print(term);
}

}  // namespace satura::rules
