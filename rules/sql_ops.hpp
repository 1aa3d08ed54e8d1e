// The operators of SQL expressions in the e-graph: lang::Op on one side, egraph::OpId on the other.
//
// Most operators map one to one. AND and OR are sets. CASE is a sequence of `when` pairs and the ELSE. IN is a sequence, the
// operand first. A function of the registry is an operator of its own name, a sequence of its arguments; a call that nobody
// knows is `call`, with the name as payload, one payload for each occurrence.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "egraph/signature.hpp"
#include "lang/context.hpp"
#include "lang/op.hpp"

namespace satura::rules {

class SqlOps {
  public:
    // `context` must outlive this object: payloads are its literals and names.
    explicit SqlOps(lang::Context& context);

    const egraph::Signature& signature() const { return signature_; }
    egraph::Signature& signature() { return signature_; }
    lang::Context& context() { return *context_; }
    const lang::Context& context() const { return *context_; }

    egraph::OpId operator[](lang::Op op) const { return by_op_[static_cast<std::size_t>(op)]; }
    egraph::OpId when() const { return when_; }
    egraph::OpId like_escape() const { return like_escape_; }

    // The operator of a function; `payload` is what its nodes carry.
    struct Call {
        egraph::OpId op;
        egraph::Payload payload;
    };
    Call call(std::uint32_t name);

    // What an e-graph operator is in lang. `name` is the function's name id for Op::call.
    struct Meaning {
        lang::Op op = lang::Op::call;
        bool is_when = false;
        bool is_like_escape = false;
        std::uint32_t name = 0;
    };
    const Meaning& meaning(egraph::OpId op) const { return meanings_[egraph::raw(op)]; }
    // The payload that lang's properties and evaluator take for a node of that operator.
    std::uint32_t lang_payload(egraph::OpId op, egraph::Payload payload) const;

    lang::LiteralId true_literal() const { return true_; }
    lang::LiteralId false_literal() const { return false_; }
    lang::LiteralId null_literal() const { return null_; }  // NULL of type boolean

  private:
    egraph::OpId add(lang::Op op, egraph::Shape shape, std::uint32_t arity = 0);
    void remember(egraph::OpId op, Meaning meaning);

    lang::Context* context_;
    egraph::Signature signature_;
    std::array<egraph::OpId, lang::op_count> by_op_{};
    egraph::OpId when_{};
    egraph::OpId like_escape_{};
    std::vector<Meaning> meanings_;
    std::unordered_map<std::uint32_t, egraph::OpId> functions_;  // name id -> operator
    lang::LiteralId true_{}, false_{}, null_{};
};

}  // namespace satura::rules
