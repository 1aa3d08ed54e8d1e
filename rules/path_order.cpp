#include "rules/path_order.hpp"

#include <algorithm>
#include <set>

#include "rules/sema.hpp"

namespace satura::rules {

namespace {

using Shape = egraph::Shape;

bool is_multiset(const ResolvedTerm& term) {
    return term.shape == Shape::set || term.shape == Shape::bag;
}

// Compares each term of the left side with each of the right, operands first.
class Comparison {
  public:
    Comparison(const PathOrder& order, const ResolvedRule& rule)
        : order_(order), rule_(rule), count_(rule.terms.size()) {
        find_contents();
        greater_.assign(count_ * count_, false);
        equal_.assign(count_ * count_, false);
        const std::vector<std::uint32_t> left = reachable(rule.left);
        right_ = reachable(rule.right);
        for (std::uint32_t s : left) {
            for (std::uint32_t t : right_) {
                equal_[s * count_ + t] = compare_equal(s, t);
                greater_[s * count_ + t] = compare_greater(s, t);
            }
        }
    }

    std::string refuse() const {
        if (greater(rule_.left, rule_.right)) return "";
        for (std::uint32_t t : right_) {
            if (!greater(rule_.left, t)) return reason(t);
        }
        return "no operand goes down";
    }

  private:
    const ResolvedTerm& term(std::uint32_t t) const { return rule_.terms[t]; }
    bool greater(std::uint32_t s, std::uint32_t t) const { return greater_[s * count_ + t]; }
    bool equal(std::uint32_t s, std::uint32_t t) const { return equal_[s * count_ + t]; }
    bool at_least(std::uint32_t s, std::uint32_t t) const {
        return greater(s, t) || equal(s, t) || (is_least(t) && term(s).kind != TermKind::rest);
    }

    std::vector<std::uint32_t> reachable(std::uint32_t root) const {
        std::vector<std::uint32_t> out{root};
        for (std::size_t i = 0; i < out.size(); ++i) {
            for (std::uint32_t o : term(out[i]).operands) out.push_back(o);
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
        return out;
    }

    // The variables inside of each term.
    void find_contents() {
        contents_.resize(count_);
        for (std::uint32_t t = 0; t < count_; ++t) {
            const ResolvedTerm& node = term(t);
            if (node.kind == TermKind::variable || node.kind == TermKind::rest) {
                contents_[t].insert(node.variable);
            }
            for (std::uint32_t o : node.operands) {
                contents_[t].insert(contents_[o].begin(), contents_[o].end());
            }
        }
    }

    bool is_node(std::uint32_t t) const {
        return term(t).kind == TermKind::apply && !term(t).is_literal;
    }
    bool is_least(std::uint32_t t) const {
        if (term(t).kind == TermKind::apply) return term(t).is_literal;
        return term(t).kind == TermKind::variable &&
               rule_.variables[term(t).variable].kind == VariableKind::literal;
    }
    // Whether the elements or the value of a variable of the right side are part of the left term s, which is a node.
    bool contains(std::uint32_t s, std::uint32_t variable) const {
        const Variable& v = rule_.variables[variable];
        if (v.element_of != no_term) return contains(s, v.element_of);
        if (v.computed) {
            const std::vector<std::uint32_t> sources = sources_of(variable);
            return std::all_of(sources.begin(), sources.end(),
                               [&](std::uint32_t source) { return contents_[s].contains(source); });
        }
        return contents_[s].contains(variable);
    }

    // The variables of the left side that a computed list is made of.
    std::vector<std::uint32_t> sources_of(std::uint32_t variable) const {
        std::vector<std::uint32_t> todo{variable}, out;
        while (!todo.empty()) {
            const std::uint32_t v = todo.back();
            todo.pop_back();
            const VariableKind kind = rule_.variables[v].kind;
            if (!rule_.variables[v].computed) {
                const bool is_part = kind == VariableKind::expression || kind == VariableKind::rest;
                if (is_part) out.push_back(v);
                continue;
            }
            if (kind != VariableKind::rest) continue;
            for (const ResolvedLet& let : rule_.lets) {
                if (let.variable != v) continue;
                for (const ResolvedArgument& argument : let.arguments) {
                    if (const auto* a = std::get_if<std::uint32_t>(&argument)) todo.push_back(*a);
                }
            }
        }
        return out;
    }

    // The one rest that a run of the right side is no longer than; no_term if there is none. An `each` is as long as its
    // rest, but its elements are not smaller.
    std::uint32_t bounded_by(const ResolvedTerm& run) const {
        const std::uint32_t variable = run.kind == TermKind::each ? run.over : run.variable;
        if (!rule_.variables[variable].computed) return variable;
        std::uint32_t rest = no_term;
        for (std::uint32_t source : sources_of(variable)) {
            if (rule_.variables[source].kind != VariableKind::rest) continue;
            if (rest != no_term) return no_term;
            rest = source;
        }
        return rest;
    }

    bool of_one_rank(const ResolvedTerm& a, const ResolvedTerm& b) const {
        return order_.rank(a.name) == order_.rank(b.name) && is_multiset(a) == is_multiset(b);
    }

    bool compare_equal(std::uint32_t s, std::uint32_t t) const {
        const ResolvedTerm &a = term(s), &b = term(t);
        if (is_least(s) && is_least(t)) return true;
        if (a.kind != b.kind || a.kind == TermKind::each) return false;
        if (a.kind != TermKind::apply) return a.variable == b.variable;
        if (a.is_literal || b.is_literal || !of_one_rank(a, b)) return false;
        if (a.operands.size() != b.operands.size()) return false;
        if (!is_multiset(a)) {
            return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                              [this](auto x, auto y) { return equal(x, y); });
        }
        std::vector<std::uint32_t> rest = b.operands;
        return std::all_of(a.operands.begin(), a.operands.end(), [&](std::uint32_t x) {
            const auto y = std::find_if(rest.begin(), rest.end(), [&](std::uint32_t candidate) {
                return equal(x, candidate);
            });
            if (y == rest.end()) return false;
            rest.erase(y);
            return true;
        });
    }

    // Whether t is a predicate that a word made of the variable s, which is its first argument, maybe by way of facts.
    bool is_made_of(std::uint32_t s, std::uint32_t t) const {
        if (term(s).kind != TermKind::variable || term(t).kind != TermKind::variable) return false;
        std::uint32_t made = term(t).variable;
        while (made != term(s).variable) {
            const auto let = std::find_if(rule_.lets.begin(), rule_.lets.end(),
                                          [&](const ResolvedLet& l) { return l.variable == made; });
            if (let == rule_.lets.end() || let->arguments.empty()) return false;
            const auto* first = std::get_if<std::uint32_t>(&let->arguments[0]);
            if (first == nullptr) return false;
            made = *first;
        }
        return made != term(t).variable;
    }

    bool compare_greater(std::uint32_t s, std::uint32_t t) const {
        if (is_made_of(s, t)) return true;
        if (!is_node(s)) return false;
        const ResolvedTerm &a = term(s), &b = term(t);
        if (b.kind == TermKind::each) return greater(s, b.operands[0]);
        if (is_least(t)) return true;
        if (b.kind != TermKind::apply) return contains(s, b.variable);
        const bool is_inside =
            std::any_of(a.operands.begin(), a.operands.end(),
                        [&](std::uint32_t o) { return greater(o, t) || equal(o, t); });
        if (is_inside) return true;
        const bool above_all = std::all_of(b.operands.begin(), b.operands.end(),
                                           [&](std::uint32_t o) { return greater(s, o); });
        if (!above_all) return false;
        if (order_.rank(a.name) > order_.rank(b.name)) return true;
        if (!of_one_rank(a, b)) return false;
        return is_multiset(a) ? multiset_greater(a, b) : sequence_greater(a, b);
    }

    bool is_run(std::uint32_t t) const {
        return term(t).kind == TermKind::rest || term(t).kind == TermKind::each;
    }

    bool multiset_greater(const ResolvedTerm& a, const ResolvedTerm& b) const {
        std::vector<std::uint32_t> left = a.operands, right;
        bool is_less = false;  // a computed list stands for a rest
        auto remove = [&](auto matches) {
            const auto at = std::find_if(left.begin(), left.end(), matches);
            if (at == left.end()) return false;
            left.erase(at);
            return true;
        };
        for (std::uint32_t t : b.operands) {
            const bool is_rest = term(t).kind == TermKind::rest;
            const std::uint32_t bound = is_rest ? bounded_by(term(t)) : no_term;
            const bool is_removed = remove([&](std::uint32_t s) {
                if (!is_rest) return equal(s, t);
                return term(s).kind == TermKind::rest && term(s).variable == bound;
            });
            if (!is_removed) right.push_back(t);
            is_less =
                is_less || (is_removed && is_rest && rule_.variables[term(t).variable].computed);
        }
        // Rests may be empty: only operands that are there are greater than others.
        std::erase_if(left, [this](std::uint32_t s) { return is_run(s); });
        if (left.empty()) return is_less && right.empty();
        return std::all_of(right.begin(), right.end(), [&](std::uint32_t t) {
            return std::any_of(left.begin(), left.end(),
                               [&](std::uint32_t s) { return greater(s, t); });
        });
    }

    // By length, then from the first operands that differ.
    bool sequence_greater(const ResolvedTerm& a, const ResolvedTerm& b) const {
        std::vector<std::uint32_t>
            spare;  // rests of the left that nothing on the right is bounded by
        std::size_t left_count = 0, right_count = 0;
        for (std::uint32_t s : a.operands) {
            if (is_run(s))
                spare.push_back(term(s).variable);
            else
                ++left_count;
        }
        for (std::uint32_t t : b.operands) {
            if (!is_run(t)) {
                ++right_count;
                continue;
            }
            const auto at = std::find(spare.begin(), spare.end(), bounded_by(term(t)));
            if (at == spare.end()) return false;
            spare.erase(at);
        }
        if (left_count != right_count) return left_count > right_count;
        // Where the lengths are equal, the spare rests are empty.
        std::vector<std::uint32_t> left;
        for (std::uint32_t s : a.operands) {
            const bool is_spare =
                is_run(s) && std::count(spare.begin(), spare.end(), term(s).variable) != 0;
            if (!is_spare) left.push_back(s);
        }
        for (std::size_t i = 0; i < left.size() && i < b.operands.size(); ++i) {
            const std::uint32_t s = left[i], t = b.operands[i];
            if (is_run(s) != is_run(t)) return false;
            if (!is_run(s)) {
                if (greater(s, t)) return true;
                if (!at_least(s, t)) return false;
            } else if (term(t).kind == TermKind::each || bounded_by(term(t)) != term(s).variable) {
                return false;
            } else if (rule_.variables[term(t).variable].computed) {
                return true;
            }
        }
        return false;
    }

    std::string reason(std::uint32_t t) const {
        const ResolvedTerm &a = term(rule_.left), &b = term(t);
        if (b.kind != TermKind::apply) {
            const std::uint32_t v = b.kind == TermKind::each ? b.over : b.variable;
            return "?" + rule_.variables[v].name + " is not inside of the left side";
        }
        if (!is_node(rule_.left)) return "the left side is a constant";
        const std::string above = "\"" + b.name + "\"", below = "\"" + a.name + "\"";
        if (order_.rank(a.name) < order_.rank(b.name)) return above + " ranks above " + below;
        if (order_.rank(a.name) > order_.rank(b.name)) return "no operand goes down";
        if (is_multiset(a) != is_multiset(b)) {
            return above + " and " + below + " have one rank, and only one of them is a set or bag";
        }
        if (a.name != b.name) {
            return above + " ranks as high as " + below + ", and the operands do not go down";
        }
        return "the operands of " + above + " do not go down";
    }

    const PathOrder& order_;
    const ResolvedRule& rule_;
    std::size_t count_;
    std::vector<std::set<std::uint32_t>> contents_;
    std::vector<std::uint32_t> right_;
    std::vector<bool> greater_, equal_;  // by left term and right term
};

}  // namespace

void PathOrder::add_rank(const std::vector<std::string>& operators) {
    for (const std::string& op : operators) ranks_.emplace(op, rank_count_);
    ++rank_count_;
}

std::uint32_t PathOrder::rank(std::string_view operator_name) const {
    const auto at = ranks_.find(operator_name);
    return at == ranks_.end() ? 0 : rank_count_ - at->second;
}

std::string PathOrder::refuse(const ResolvedRule& rule) const {
    return Comparison(*this, rule).refuse();
}

}  // namespace satura::rules
