// What a proof takes to follow from facts holds in every row that has them: tried on all rows of a few columns over a few values.
#include <doctest/doctest.h>

#include <array>
#include <iostream>
#include <random>
#include <string>

#include "lang/sql_select.hpp"
#include "proof/follows.hpp"
#include "proof/replay.hpp"
#include "rules/plan_encode.hpp"

using namespace satura;
using lang::Op;
using proof::TermId;

namespace {

constexpr int columns = 4, values = 4;  // columns c0 to c3; constants 0 to 3
constexpr int null = -1;                // a value of a row
using Row = std::array<int, columns>;

// A predicate as a term and as a tree to be evaluated.
struct Truth {
    enum class Kind { all, any, same, less, less_equal, unequal, null_test, identical };
    Kind kind = Kind::all;
    std::vector<int> operands;  // columns from 0; constants from `columns`
    std::vector<Truth> parts;
};

int value_of(int operand, const Row& row) {
    return operand < columns ? row[static_cast<std::size_t>(operand)] : operand - columns;
}

// Two-valued, as WHERE sees it. Recursion over a tree of a few levels.
bool holds(const Truth& truth, const Row& row) {
    using Kind = Truth::Kind;
    const auto at = [&](std::size_t i) { return value_of(truth.operands[i], row); };
    const auto part = [&](const Truth& t) { return holds(t, row); };
    switch (truth.kind) {
        case Kind::all:
            return std::ranges::all_of(truth.parts, part);
        case Kind::any:
            return std::ranges::any_of(truth.parts, part);
        case Kind::same:
            return std::ranges::all_of(truth.operands, [&](int o) {
                return value_of(o, row) != null && value_of(o, row) == at(0);
            });
        case Kind::less:
            return at(0) != null && at(1) != null && at(0) < at(1);
        case Kind::less_equal:
            return at(0) != null && at(1) != null && at(0) <= at(1);
        case Kind::unequal:
            return at(0) != null && at(1) != null && at(0) != at(1);
        case Kind::null_test:
            return at(0) == null;
        case Kind::identical:
            return at(0) == at(1);
    }
    return false;
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    Truth truth(int depth) {
        using Kind = Truth::Kind;
        Truth out;
        if (depth > 0 && below(100) < 55) {
            out.kind = below(2) == 0 ? Kind::all : Kind::any;
            for (int i = 2 + below(2); i > 0; --i) out.parts.push_back(truth(depth - 1));
            return out;
        }
        constexpr std::array kinds{Kind::same,    Kind::same,      Kind::less,     Kind::less_equal,
                                   Kind::unequal, Kind::null_test, Kind::identical};
        out.kind = kinds[static_cast<std::size_t>(below(static_cast<int>(kinds.size())))];
        out.operands.push_back(below(columns));
        const bool is_one =
            out.kind == Kind::null_test || (out.kind == Kind::same && below(3) == 0);
        if (!is_one) out.operands.push_back(below(columns + values));
        if (out.kind == Kind::same && below(4) == 0) out.operands.push_back(below(columns));
        return out;
    }
    int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }

  private:
    std::mt19937_64 engine_;
};

// Terms of one table of that many columns.
class Scene {
  public:
    Scene() : context_(with_semantics()), ops_(context_), terms_(ops_.signature()) {
        REQUIRE(catalog_.read("create table t(c0 int, c1 int, c2 int, c3 int)", context_));
        auto statements = lang::parse_statements("select * from t", catalog_, context_);
        REQUIRE(statements);
        statements_ = std::move(*statements);
        known_.emplace(terms_, ops_, scope_, &plan_scope_);
        proof::KnownTaker taker(*known_);
        rules::encode_plan_to(taker, statements_[0].plan, catalog_, ops_, scope_, plan_scope_);
    }

    TermId term(const Truth& truth) {
        using Kind = Truth::Kind;
        const rules::PlanOps& plan = ops_.plan();
        std::vector<TermId> children;
        for (const Truth& part : truth.parts) children.push_back(term(part));
        for (int operand : truth.operands) children.push_back(value(operand));
        const auto test = [&](Op op) {
            return known_->add(plan.holds, 0, {known_->add(ops_[op], 0, children)});
        };
        switch (truth.kind) {
            case Kind::all:
                return known_->add(plan.all, 0, children);
            case Kind::any:
                return known_->add(plan.any, 0, children);
            case Kind::same:
                return known_->add(plan.same, 0, children);
            case Kind::less:
                return test(Op::lt);
            case Kind::less_equal:
                return test(Op::le);
            case Kind::unequal:
                return test(Op::ne);
            case Kind::null_test:
                return test(Op::is_null);
            case Kind::identical:
                return test(Op::null_safe_eq);
        }
        return {};
    }

    proof::Known& known() { return *known_; }
    rules::PlanScope& plan_scope() { return plan_scope_; }

  private:
    static lang::Context with_semantics() {
        lang::Context context;
        context.semantics = lang::Semantics::of(lang::Dialect::postgres);
        return context;
    }
    TermId value(int operand) {
        if (operand < columns)
            return known_->add(ops_[Op::column], static_cast<std::uint32_t>(operand), {});
        const auto literal = context_.literals.intern(lang::Type{lang::TypeKind::integer},
                                                      lang::Value::integer(operand - columns));
        return known_->add(ops_[Op::literal], static_cast<std::uint32_t>(literal), {});
    }

    lang::Context context_;
    rules::SqlOps ops_;
    rules::Scope scope_;
    rules::PlanScope plan_scope_;
    lang::Catalog catalog_;
    lang::Statements statements_;
    proof::Terms terms_;
    std::optional<proof::Known> known_;
};

// Whether each row with the facts, and NULL in the columns of `nulls`, fulfils the goal; no goal: whether there is none.
bool is_so(const Truth& facts, unsigned nulls, const Truth* goal) {
    Row row;
    row.fill(null);
    for (;;) {
        bool has_facts = holds(facts, row);
        for (unsigned c = 0; c < columns; ++c)
            has_facts = has_facts && ((nulls >> c & 1U) == 0 || row[c] == null);
        if (has_facts && (goal == nullptr || !holds(*goal, row))) return false;
        std::size_t c = 0;
        while (c < columns && ++row[c] == values) row[c++] = null;
        if (c == columns) return true;
    }
}

}  // namespace

TEST_CASE("what follows from facts holds in every row that has them") {
    constexpr std::uint64_t cases = 6'000;
    std::size_t followed = 0, follows = 0, excluded = 0, is_excluded = 0;
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        Random random(seed);
        Scene scene;
        Truth facts;
        for (int i = 1 + random.below(3); i > 0; --i) facts.parts.push_back(random.truth(2));
        const Truth goal = random.truth(2);
        const unsigned nulls = random.below(4) == 0 ? 1U << random.below(columns) : 0;
        rules::Facts known;
        known.truths.push_back(proof::index(scene.term(facts)));
        const TermId wanted = scene.term(goal);
        for (unsigned c = 0; c < columns; ++c) {
            rules::ColumnSets& sets = scene.plan_scope().column_sets;
            if ((nulls >> c & 1U) != 0)
                known.null_columns =
                    sets.unite(known.null_columns, sets.intern({lang::ColumnId{c}}));
        }
        proof::Follows shown(scene.known());
        const bool is_true = is_so(facts, nulls, &goal), is_none = is_so(facts, nulls, nullptr);
        const bool says = shown.holds(known, wanted), excludes = shown.is_contradictory(known);
        CHECK_MESSAGE((!says || is_true), "seed " << seed);
        CHECK_MESSAGE((!excludes || is_none), "seed " << seed);
        followed += says && !is_none;
        follows += is_true && !is_none;
        excluded += excludes;
        is_excluded += is_none;
    }
    std::cout << "follows: " << followed << " shown of " << follows
              << ", contradictions: " << excluded << " of " << is_excluded << ", of " << cases
              << "\n";
    CHECK(followed > 100);
    CHECK(excluded > 100);
}
