// Interned typed constants and names: the 32-bit payloads of literal, column and function nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/type.hpp"
#include "lang/value.hpp"

namespace satura::lang {

// An index into Literals. Two literals have one id exactly if their types are equal and their values identical.
enum class LiteralId : std::uint32_t {};

struct Literal {
    Type type;
    Value value;
};

class Literals {
  public:
    LiteralId intern(Type type, const Value& value);
    const Literal& operator[](LiteralId id) const {
        return entries_[static_cast<std::uint32_t>(id)];
    }
    std::size_t size() const { return entries_.size(); }

  private:
    std::vector<Literal> entries_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;
};

// Interned strings: names of functions, opaque types, collations.
class Names {
  public:
    std::uint32_t intern(std::string_view name);
    const std::string& operator[](std::uint32_t id) const { return entries_[id]; }

  private:
    std::vector<std::string> entries_;
    std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace satura::lang
