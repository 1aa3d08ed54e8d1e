#include "rules/overlap.hpp"

#include <algorithm>
#include <optional>

namespace satura::rules {

namespace {

constexpr std::size_t overlaps_max = 64;  // of two rules
constexpr std::uint64_t pairings_max = 4'096;

// The left sides' terms side by side.
struct Term {
    TermKind kind = TermKind::variable;
    std::uint32_t variable = no_term;
    const ResolvedTerm* written = nullptr;
    std::uint32_t payload_variable = no_term;
    std::vector<std::uint32_t> operands;
};

// What the variables stand for so far, and what must still become equal.
struct State {
    std::vector<std::uint32_t> bound;                   // by variable: a term
    std::vector<std::vector<std::uint32_t>> rests;      // by variable: terms
    std::vector<std::optional<egraph::Payload>> types;  // by variable
    std::vector<std::uint32_t> same_type;               // by variable: another one
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open;
};

// The operands of a set, bag or sequence, without the rests at its ends.
struct Operands {
    std::vector<std::uint32_t> fixed;
    std::uint32_t before = no_term, after = no_term;  // variables of rests
};

class Unifier {
  public:
    Unifier(const ResolvedRule& outer, const ResolvedRule& inner) : rules_{&outer, &inner} {
        add(outer, 0);
        offset_ = static_cast<std::uint32_t>(terms_.size());
        add(inner, static_cast<std::uint32_t>(outer.variables.size()));
    }

    std::vector<Overlap> run() {
        std::vector<Overlap> out;
        const std::uint32_t inner = offset_ + rules_[1]->left;
        for (std::uint32_t at : positions()) {
            const bool is_root = at == rules_[0]->left;
            if (is_root && rules_[0] == rules_[1]) continue;
            for (const State& state : unify(at, inner)) {
                auto overlap = resolved(state);
                if (!overlap || out.size() == overlaps_max) continue;
                overlap->is_at_root = is_root;
                out.push_back(std::move(*overlap));
            }
        }
        return out;
    }

  private:
    void add(const ResolvedRule& rule, std::uint32_t variables) {
        const auto terms = static_cast<std::uint32_t>(terms_.size());
        for (const ResolvedTerm& t : rule.terms) {
            Term term{t.kind, t.variable, &t, t.payload_variable, {}};
            if (term.variable != no_term) term.variable += variables;
            if (term.payload_variable != no_term) term.payload_variable += variables;
            for (std::uint32_t o : t.operands) term.operands.push_back(terms + o);
            terms_.push_back(std::move(term));
        }
        for (const Variable& v : rule.variables) kinds_.push_back(v.kind);
    }

    // The outer left side's nodes.
    std::vector<std::uint32_t> positions() const {
        std::vector<std::uint32_t> out{rules_[0]->left};
        for (std::size_t i = 0; i < out.size(); ++i) {
            for (std::uint32_t o : terms_[out[i]].operands) {
                if (is_node(o) && std::ranges::find(out, o) == out.end()) out.push_back(o);
            }
        }
        return out;
    }

    bool is_node(std::uint32_t t) const {
        return terms_[t].kind == TermKind::apply && !terms_[t].written->is_literal;
    }

    std::uint32_t deref(const State& state, std::uint32_t t) const {
        while (terms_[t].kind == TermKind::variable && state.bound[terms_[t].variable] != no_term)
            t = state.bound[terms_[t].variable];
        return t;
    }

    std::vector<State> unify(std::uint32_t a, std::uint32_t b) const {
        State first;
        first.bound.assign(kinds_.size(), no_term);
        first.same_type.assign(kinds_.size(), no_term);
        first.rests.resize(kinds_.size());
        first.types.resize(kinds_.size());
        first.open.emplace_back(a, b);
        std::vector<State> todo{std::move(first)}, done;
        while (!todo.empty() && done.size() < overlaps_max) {
            State state = std::move(todo.back());
            todo.pop_back();
            if (state.open.empty()) {
                done.push_back(std::move(state));
                continue;
            }
            const auto [x, y] = state.open.back();
            state.open.pop_back();
            step(std::move(state), x, y, todo);
        }
        return done;
    }

    void step(State state, std::uint32_t x, std::uint32_t y, std::vector<State>& out) const {
        x = deref(state, x);
        y = deref(state, y);
        const Term *a = &terms_[x], *b = &terms_[y];
        if (x == y || (a->kind == TermKind::variable && b->kind == TermKind::variable &&
                       a->variable == b->variable)) {
            out.push_back(std::move(state));
            return;
        }
        const auto is_free = [&](const Term& t) {
            return t.kind == TermKind::variable && kinds_[t.variable] == VariableKind::expression;
        };
        if (a->kind == TermKind::variable && !is_free(*a) && is_free(*b)) {
            std::swap(x, y);
            std::swap(a, b);
        }
        if (a->kind != TermKind::variable && b->kind == TermKind::variable) {
            std::swap(x, y);
            std::swap(a, b);
        }
        if (a->kind == TermKind::variable) {
            const bool is_constant = b->kind == TermKind::variable || b->written->is_literal;
            if (!is_free(*a) && !is_constant) return;
            state.bound[a->variable] = y;
            out.push_back(std::move(state));
            return;
        }
        if (a->kind != TermKind::apply || b->kind != TermKind::apply) return;
        if (a->written->op != b->written->op || !same_payload(state, *a, *b)) return;
        const egraph::Shape shape = a->written->shape;
        if (shape == egraph::Shape::fixed) {
            if (a->operands.size() != b->operands.size()) return;
            for (std::size_t i = 0; i < a->operands.size(); ++i)
                state.open.emplace_back(a->operands[i], b->operands[i]);
            out.push_back(std::move(state));
        } else if (shape == egraph::Shape::sequence) {
            shift(state, *a, *b, out);
        } else {
            pair_up(state, *a, *b, out);
        }
    }

    bool same_payload(State& state, const Term& a, const Term& b) const {
        const auto type_of = [&](const Term& t) {
            std::uint32_t v = t.payload_variable;
            while (v != no_term && state.same_type[v] != no_term) v = state.same_type[v];
            return v;
        };
        const std::uint32_t v = type_of(a), w = type_of(b);
        const auto value_of = [&](const Term& t, std::uint32_t variable) {
            return variable == no_term ? std::optional(t.written->payload) : state.types[variable];
        };
        const auto x = value_of(a, v), y = value_of(b, w);
        if (x && y) return *x == *y;
        if (!x && !y) {
            if (v != w) state.same_type[v] = w;
        } else {
            state.types[x ? w : v] = x ? x : y;
        }
        return true;
    }

    Operands operands_of(const Term& term) const {
        Operands out;
        for (std::uint32_t o : term.operands) {
            if (terms_[o].kind != TermKind::rest) {
                out.fixed.push_back(o);
            } else {
                (out.fixed.empty() && term.written->shape == egraph::Shape::sequence &&
                         o != term.operands.back()
                     ? out.before
                     : out.after) = terms_[o].variable;
            }
        }
        return out;
    }

    // Sets and bags: operand i of the one is operand digit[i] - 1 of the other, or, for 0, in its rest.
    void pair_up(const State& state, const Term& a, const Term& b, std::vector<State>& out) const {
        const Operands x = operands_of(a), y = operands_of(b);
        const std::size_t base = y.fixed.size() + 1;
        std::uint64_t ways = 1;
        for (std::size_t i = 0; i < x.fixed.size(); ++i) ways *= base;
        for (std::uint64_t way = 1; way < std::min(ways, pairings_max); ++way) {
            std::vector<bool> taken(y.fixed.size(), false);
            State next = state;
            bool fits = true, meets = false;
            std::uint64_t digits = way;
            for (std::uint32_t operand : x.fixed) {
                const std::size_t digit = digits % base;
                digits /= base;
                if (digit == 0) {
                    fits = fits && y.after != no_term;
                    if (fits) next.rests[y.after].push_back(operand);
                    continue;
                }
                fits = fits && !taken[digit - 1];
                taken[digit - 1] = meets = true;
                next.open.emplace_back(operand, y.fixed[digit - 1]);
            }
            for (std::size_t i = 0; i < y.fixed.size(); ++i) {
                if (taken[i]) continue;
                fits = fits && x.after != no_term;
                if (fits) next.rests[x.after].push_back(y.fixed[i]);
            }
            if (fits && meets) out.push_back(std::move(next));
        }
    }

    // Sequences: the other's first operand is at place `shift` of this one's.
    void shift(const State& state, const Term& a, const Term& b, std::vector<State>& out) const {
        const Operands x = operands_of(a), y = operands_of(b);
        const auto m = static_cast<std::ptrdiff_t>(x.fixed.size()),
                   n = static_cast<std::ptrdiff_t>(y.fixed.size());
        for (std::ptrdiff_t by = 1 - n; by < m; ++by) {
            State next = state;
            bool fits = true;
            const auto take = [&](std::uint32_t rest, std::uint32_t operand) {
                fits = fits && rest != no_term;
                if (fits) next.rests[rest].push_back(operand);
            };
            for (std::ptrdiff_t i = std::min<std::ptrdiff_t>(0, by); i < std::max(m, by + n); ++i) {
                const bool in_x = i >= 0 && i < m, in_y = i >= by && i < by + n;
                if (in_x && in_y)
                    next.open.emplace_back(x.fixed[static_cast<std::size_t>(i)],
                                           y.fixed[static_cast<std::size_t>(i - by)]);
                else if (in_x)
                    take(i < by ? y.before : y.after, x.fixed[static_cast<std::size_t>(i)]);
                else if (in_y)
                    take(i < 0 ? x.before : x.after, y.fixed[static_cast<std::size_t>(i - by)]);
            }
            if (fits) out.push_back(std::move(next));
        }
    }

    // The outer left side with everything in its place; nothing where a variable would hold itself.
    std::optional<Overlap> resolved(const State& state) const {
        Overlap out;
        std::vector<std::uint32_t> made(terms_.size(), no_term);
        std::vector<bool> is_open(terms_.size(), false);
        std::vector<std::uint32_t> todo{deref(state, rules_[0]->left)};
        while (!todo.empty()) {
            const std::uint32_t t = todo.back();
            const std::vector<std::uint32_t> operands = below(state, t);
            bool is_ready = true;
            for (std::uint32_t o : operands) {
                if (made[o] != no_term) continue;
                if (is_open[o]) return std::nullopt;
                if (is_ready) is_open[t] = true;
                is_ready = false;
                todo.push_back(o);
            }
            if (!is_ready) continue;
            todo.pop_back();
            is_open[t] = false;
            if (made[t] != no_term) continue;
            made[t] = static_cast<std::uint32_t>(out.nodes.size());
            out.nodes.push_back(node(state, t, operands, made));
        }
        return out;
    }

    std::vector<std::uint32_t> below(const State& state, std::uint32_t t) const {
        std::vector<std::uint32_t> out;
        if (terms_[t].kind != TermKind::apply) return out;
        for (std::uint32_t o : terms_[t].operands) {
            if (terms_[o].kind != TermKind::rest) {
                out.push_back(deref(state, o));
                continue;
            }
            for (std::uint32_t element : state.rests[terms_[o].variable])
                out.push_back(deref(state, element));
        }
        return out;
    }

    OverlapNode node(const State& state, std::uint32_t t,
                     const std::vector<std::uint32_t>& operands,
                     const std::vector<std::uint32_t>& made) const {
        const Term& term = terms_[t];
        OverlapNode out;
        if (term.kind == TermKind::variable) {
            out.is_variable = true;
            out.variable = term.variable;
            return out;
        }
        out.op = term.written->op;
        out.payload = term.written->payload;
        out.is_literal = term.written->is_literal;
        std::uint32_t v = term.payload_variable;
        while (v != no_term && state.same_type[v] != no_term) v = state.same_type[v];
        if (v != no_term && state.types[v]) {
            out.payload = *state.types[v];
            v = no_term;
        }
        out.payload_variable = v;
        for (std::uint32_t o : operands) out.operands.push_back(made[o]);
        return out;
    }

    const ResolvedRule* rules_[2];
    std::vector<Term> terms_;
    std::vector<VariableKind> kinds_;
    std::uint32_t offset_ = 0;
};

}  // namespace

std::vector<Overlap> find_overlaps(const ResolvedRule& outer, const ResolvedRule& inner) {
    return Unifier(outer, inner).run();
}

}  // namespace satura::rules
