#include "egraph/pattern.hpp"

namespace satura::egraph {

std::uint32_t Pattern::slot(std::uint32_t slot) {
    nodes.push_back({PatternNode::Kind::slot, slot, {}, {}, {}, none});
    return root = static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Pattern::rest(std::uint32_t slot) {
    nodes.push_back({PatternNode::Kind::rest, slot, {}, {}, {}, none});
    return root = static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Pattern::each(std::uint32_t element, std::uint32_t over, std::uint32_t body) {
    nodes.push_back({PatternNode::Kind::each, element, {}, {}, {body}, over});
    return root = static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Pattern::node(OpId op, PayloadRef payload, std::vector<std::uint32_t> children) {
    nodes.push_back({PatternNode::Kind::node, none, op, payload, std::move(children), none});
    return root = static_cast<std::uint32_t>(nodes.size() - 1);
}

std::uint32_t Rule::add_slot(SlotKind kind, std::string_view name) {
    slots.push_back(kind);
    slot_names.emplace_back(name);
    return static_cast<std::uint32_t>(slots.size() - 1);
}

}  // namespace satura::egraph
