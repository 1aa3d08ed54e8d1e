// Rules as the engine sees them: a pattern to find, conditions, computed parts, and a template to
// build.
//
// A match gives each *slot* of a rule a 32-bit value: a class, a payload, or, for slots that the
// compiler adds, a node or an offset. A `rest` slot stands for a run of children and is worked out
// from the matched row when it is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/ids.hpp"
#include "egraph/signature.hpp"

namespace satura::egraph {

class Match;

enum class SlotKind : std::uint8_t { cls, payload, rest, node, offset };

// How a pattern or template names a payload.
struct PayloadRef {
    enum class Kind : std::uint8_t { constant, slot, any };
    Kind kind = Kind::constant;
    std::uint32_t value = 0;  // the payload, or a slot

    static PayloadRef constant(Payload p) { return {Kind::constant, p}; }
    static PayloadRef slot(std::uint32_t s) { return {Kind::slot, s}; }
};

// A tree over an array; children have smaller indexes.
//   slot   any class, the same at each occurrence
//   node   a node of `op` with these children; in a set or bag: these elements in any order,
//          distinct ones, and nothing else unless one child is a rest
//   rest   a child of a set or bag: all other elements; of a sequence: a run before or after
//   each   templates only: the body once for each element of a rest, which `slot` is bound to
struct PatternNode {
    enum class Kind : std::uint8_t { slot, node, rest, each };
    Kind kind = Kind::slot;
    std::uint32_t slot = none;  // slot, rest; each: the element's slot
    OpId op{};
    PayloadRef payload;
    std::vector<std::uint32_t> children;  // each: the body
    std::uint32_t over = none;            // each: the rest slot
};

struct Pattern {
    std::vector<PatternNode> nodes;
    std::uint32_t root = none;

    std::uint32_t slot(std::uint32_t slot);
    std::uint32_t rest(std::uint32_t slot);
    std::uint32_t each(std::uint32_t element, std::uint32_t over, std::uint32_t body);
    std::uint32_t node(OpId op, PayloadRef payload, std::vector<std::uint32_t> children);
};

// An analysis value that a condition or computation looks at: of the class in a slot, or of each
// element of a rest. The rule is tried again where it changes.
struct Read {
    AnalysisId analysis;
    std::uint32_t slot;
};

// A condition may only become true as analyses learn and classes merge; one that may also become
// false (two classes differ) is `unstable`: it is asked again when the match is applied, and `~>`
// rules must not have it.
struct Condition {
    std::string text;  // for messages
    std::function<bool(const Match&)> holds;
    std::vector<Read> reads;
    bool unstable = false;
};

// Fills slots of a match before the template is built; false: the rule does not apply here.
struct Computation {
    std::string text;
    std::function<bool(Match&)> fill;
    std::vector<Read> reads;
};

struct Rule {
    std::string name;
    std::vector<SlotKind> slots;
    std::vector<std::string> slot_names;
    Pattern left;                           // left.root is what the right side becomes equal to
    std::vector<std::uint32_t> also;        // further roots in `left` that must match too
    std::vector<Condition> conditions;      // asked when a match is found
    std::vector<Computation> computations;  // run when it is applied, in order
    Pattern right;
    bool normalises = false;  // `~>`: the matched row is subsumed

    std::uint32_t add_slot(SlotKind kind, std::string_view name);
};

}  // namespace satura::egraph
