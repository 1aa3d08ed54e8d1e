// The operators of a language: names, shapes, units and zeros. Operators are added at run time;
// nothing here is a template.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egraph/ids.hpp"

namespace satura::egraph {

// How an operator holds its children.
//   fixed     a fixed number, in order
//   sequence  any number, in order
//   set       any number, associative, commutative, idempotent: sorted, no repetition (AND, OR)
//   bag       any number, associative, commutative: kept sorted (exact + and *)
// A set or bag with one element is that element's class, unless it keeps single elements; with none
// it is the unit; the zero absorbs the others.
enum class Shape : std::uint8_t { fixed, sequence, set, bag };

struct Operator {
    std::string name;
    Shape shape = Shape::fixed;
    std::uint32_t arity = 0;  // of a fixed shape
    struct Leaf {
        OpId op;
        Payload payload;
    };
    std::optional<Leaf> unit;  // of a set or bag
    std::optional<Leaf> zero;
    // A set or bag of one element is a node of its own: its elements are of another sort than it is.
    bool keeps_single = false;
};

class Signature {
  public:
    // Adds an operator, or returns the one of that name. Requires the same shape and arity when it
    // exists.
    OpId add(std::string_view name, Shape shape, std::uint32_t arity = 0);
    OpId fixed(std::string_view name, std::uint32_t arity) {
        return add(name, Shape::fixed, arity);
    }
    void set_unit(OpId op, OpId leaf, Payload payload) {
        at(op).unit = Operator::Leaf{leaf, payload};
    }
    void set_zero(OpId op, OpId leaf, Payload payload) {
        at(op).zero = Operator::Leaf{leaf, payload};
    }

    void set_keeps_single(OpId op) { at(op).keeps_single = true; }

    std::optional<OpId> find(std::string_view name) const;
    const Operator& operator[](OpId op) const { return operators_[raw(op)]; }
    std::size_t size() const { return operators_.size(); }

    // A number for (operator, payload) that depends on their content alone, not on the order of
    // interning: structural order, and with it every tie, rests on it. The default hashes the
    // operator's name and the payload's number.
    std::uint64_t content_key(OpId op, Payload payload) const;
    std::function<std::uint64_t(OpId, Payload)> payload_key;

    // Text of a node's operator and payload for printing; the default is the name, then ":payload"
    // where it is not 0.
    std::string text(OpId op, Payload payload) const;
    std::function<std::optional<std::string>(OpId, Payload)> payload_text;

  private:
    Operator& at(OpId op) { return operators_[raw(op)]; }

    std::vector<Operator> operators_;
    std::vector<std::uint64_t> name_keys_;
    std::unordered_map<std::string, OpId> by_name_;
};

}  // namespace satura::egraph
