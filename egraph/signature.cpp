#include "egraph/signature.hpp"

#include <cassert>

#include "egraph/hash.hpp"

namespace satura::egraph {

OpId Signature::add(std::string_view name, Shape shape, std::uint32_t arity) {
    if (auto known = find(name)) {
        assert((*this)[*known].shape == shape && (*this)[*known].arity == arity);
        return *known;
    }
    OpId id{static_cast<std::uint32_t>(operators_.size())};
    operators_.push_back({std::string(name), shape, arity, {}, {}});
    name_keys_.push_back(hash_text(name));
    by_name_.emplace(name, id);
    return id;
}

std::optional<OpId> Signature::find(std::string_view name) const {
    auto it = by_name_.find(std::string(name));
    if (it == by_name_.end()) return std::nullopt;
    return it->second;
}

std::uint64_t Signature::content_key(OpId op, Payload payload) const {
    std::uint64_t content = payload_key ? payload_key(op, payload) : payload;
    return mix(name_keys_[raw(op)], content);
}

std::string Signature::text(OpId op, Payload payload) const {
    if (payload_text) {
        if (auto text = payload_text(op, payload)) return *text;
    }
    const std::string& name = (*this)[op].name;
    return payload == 0 ? name : name + ":" + std::to_string(payload);
}

}  // namespace satura::egraph
