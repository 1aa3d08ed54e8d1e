// Strong 32-bit ids. A node's id is also the id of the class it was born in; a class is named by
// the id of one of its nodes, its representative (EGraph::find). So every id that was ever a class
// stays the name of a term: that is what explanations stand on.
#pragma once

#include <cstdint>

namespace satura::egraph {

enum class OpId : std::uint32_t {};
enum class NodeId : std::uint32_t {};
enum class ClassId : std::uint32_t {};
enum class RuleId : std::uint32_t {};
enum class AnalysisId : std::uint32_t {};

using Payload = std::uint32_t;  // interned by the user of the engine; 0 where an operator has none

inline constexpr std::uint32_t none = 0xFFFFFFFFU;

template <class Id>
constexpr std::uint32_t raw(Id id) {
    return static_cast<std::uint32_t>(id);
}
constexpr ClassId class_of_birth(NodeId node) { return static_cast<ClassId>(raw(node)); }

}  // namespace satura::egraph
