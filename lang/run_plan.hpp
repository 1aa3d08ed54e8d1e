// The reference evaluator of plans: the meaning of every relational operator, on small tables in memory. Checkers of plan
// rules and property tests compare with it; it is made to be read, not to be fast.
//
//     RunOutcome a = run(plan, plan.root, database, context);
//     if (a.state == Outcome::State::value) … a.bag …
//
// What it cannot evaluate is "cannot say" (Outcome::State::unknown), never a guess: opaque pieces, open tables, functions
// that are not known, windows, a result that SQL leaves open (LIMIT that cuts through ties, the sum of doubles where the
// order of adding them matters, which of 1.0 and 1.00 stands for a group), a query that takes too much room.
#pragma once

#include <span>
#include <string>

#include "lang/bag.hpp"
#include "lang/evaluate.hpp"
#include "lang/plan.hpp"

namespace satura::lang {

// An intermediate relation may have this many values; more is "cannot say".
inline constexpr std::size_t run_values_max = std::size_t{1} << 23;

// The value of a column that the relation reads and does not make.
struct Binding {
    ColumnId column{};
    Value value;
};

struct RunOutcome {
    Outcome::State state = Outcome::State::value;
    Bag bag;             // over output_columns(); where state is value
    std::string reason;  // the error that is raised, or why nothing can be said
};

// The rows of a relation. Mode::total never raises (a scalar subquery with two rows, which has no total extension, is
// "cannot say"); Mode::raising raises where evaluation in the order of the plan does, AND, OR and CASE short-circuiting.
// Relations are evaluated in the order of their ids; subqueries and lateral sides once for each different row of the
// columns that they read, nested at most query_depth_max deep.
RunOutcome run(const Plan& plan, RelationId relation, const Database& database,
               const Context& context, Mode mode = Mode::total,
               std::span<const Binding> outer = {});

// The same for several relations, in their order: what they share below them is evaluated once. A relation that stops does
// not stop the others.
std::vector<RunOutcome> run_each(const Plan& plan, std::span<const RelationId> relations,
                                 const Database& database, const Context& context,
                                 Mode mode = Mode::total, std::span<const Binding> outer = {});

}  // namespace satura::lang
