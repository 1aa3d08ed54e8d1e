// A pattern compiled to a join: atoms over the operators' tables, which share slots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egraph/pattern.hpp"

namespace satura::egraph {

// Of a rule: the matcher keeps bound slots in one word.
inline constexpr std::size_t slot_count_max = 64;

struct Atom {
    // row     a row of `op`: its node, class and payload; for a fixed shape its children too
    // member  `slots[0]` is an element of the row in `row` (set, bag)
    // run     `slots` are consecutive elements of the row in `row` (sequence), from the offset in
    //         `offset`
    enum class Kind : std::uint8_t { row, member, run };
    Kind kind = Kind::row;
    OpId op{};
    Shape shape = Shape::fixed;
    std::uint32_t row = none;  // slot of the node
    std::uint32_t cls = none;  // slot of the class
    PayloadRef payload;
    std::vector<std::uint32_t> slots;  // row, fixed shape: the children's slots
    std::vector<std::uint32_t>
        members;  // row, set or bag: slots of the elements that member atoms pick
    std::uint32_t exact_count =
        none;  // row, other shapes: the number of elements where there is no rest
    std::uint32_t offset = none;  // run: slot
    bool open_front = false;      // run: elements may stand before it
    bool open_back = false;
};

// Where the elements of a rest slot come from.
struct RestSource {
    enum class Kind : std::uint8_t { none, others, before, after };
    Kind kind = Kind::none;
    std::uint32_t row = 0;               // slot of the row's node
    std::vector<std::uint32_t> members;  // others: the picked elements' slots
    std::uint32_t offset = 0;            // before, after: slot of the run's offset
    std::uint32_t length = 0;            // of the run
};

struct Query {
    std::vector<Atom> atoms;
    std::vector<RestSource> rests;  // by slot
    std::vector<Read> reads;        // of all conditions and computations, without repetition
    std::uint32_t root_row =
        none;  // slot of the root's node; none where the pattern is a bare slot
    std::uint32_t root_class = none;
    // Left and right are the same set or bag with the same rest: disjoint matches in a row combine.
    bool joint = false;

    // Compiles the left side; adds the slots it needs to the rule. `error` says what is wrong with
    // the rule, if anything.
    static Query compile(Rule& rule, const Signature& signature, std::string& error);
};

}  // namespace satura::egraph
