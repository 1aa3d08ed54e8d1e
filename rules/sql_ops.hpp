// The operators of SQL in the e-graph: lang::Op on one side, egraph::OpId on the other; and those of truths and relations.
//
// Most operators map one to one. AND and OR are sets. CASE is a sequence of `when` pairs and the ELSE. IN is a sequence, the
// operand first. A function of the registry is an operator of its own name, a sequence of its arguments; a call that nobody
// knows is `call`, with the name as payload, one payload for each occurrence.
//
// A *truth* says of a row whether it is kept, so it has two values: `holds(p)` is p as WHERE, ON and HAVING see it, `all` and
// `any` are its conjunction and disjunction, `same{a, b, c}` says that all are equal and none is NULL (`same{a}`: a is not
// NULL), `yes` and `no` are the constants.
//
// A *relation* is a bag of rows over a set of columns. Joins are fixed operators of (truth, left, right). What rules do not take
// apart has a `shape` as its first operand, a leaf that names the relation of the plan it came from, then its input relations
// and its expressions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "egraph/signature.hpp"
#include "lang/context.hpp"
#include "lang/op.hpp"
#include "lang/plan.hpp"

namespace satura::rules {

enum class Sort : std::uint8_t { value, truth, relation, columns };

// The operators of truths and relations.
struct PlanOps {
    egraph::OpId holds, all, any, same, yes, no;
    egraph::OpId columns;  // a set of columns: payload is an index into PlanScope::column_sets
    egraph::OpId shape;    // payload: lang::RelationId
    egraph::OpId scan, one_row;  // scan's payload: lang::InstanceId
    egraph::OpId empty, pad;     // empty(C): no rows; pad(C, r): r's rows, the columns C NULL
    egraph::OpId
        narrow;  // narrow(C, r): r for a consumer that reads no columns but C; see narrow.rules
    egraph::OpId
        dedup;  // dedup(C, r): and that does not care how often a row is there; see dedup.rules
    egraph::OpId filter;    // (truth, relation)
    egraph::OpId joins[6];  // (truth, left, right), by lang::JoinKind
    // With a shape. Filters and joins that nothing may pass (volatile calls, LATERAL) are
    // `barrier_filter` and `barrier_join`; scan and one_row have none.
    std::array<egraph::OpId, static_cast<std::size_t>(lang::RelOp::opaque) + 1> by_rel_op;
};

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
    const PlanOps& plan() const { return plan_; }
    // The kind of a join operator; nothing for any other.
    std::optional<lang::JoinKind> join_kind(egraph::OpId op) const;
    // What a relation operator with a shape is in the plan; nothing for any other.
    std::optional<lang::RelOp> shaped(egraph::OpId op) const;

    // The operator of a function; `payload` is what its nodes carry.
    struct Call {
        egraph::OpId op;
        egraph::Payload payload;
    };
    Call call(std::uint32_t name);
    // That of a known function, by the name of its operator: the function's own, with "()" behind it where the language
    // has an operator of that name (left is a kind of join).
    std::optional<Call> function_named(std::string_view operator_name);

    // What an e-graph operator is in lang. `name` is the function's name id for Op::call.
    struct Meaning {
        lang::Op op = lang::Op::call;
        bool is_when = false;
        bool is_like_escape = false;
        std::uint32_t name = 0;
        Sort sort = Sort::value;
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
    egraph::OpId add(std::string_view name, Sort sort, egraph::Shape shape,
                     std::uint32_t arity = 0);
    void add_plan_operators();

    lang::Context* context_;
    egraph::Signature signature_;
    std::array<egraph::OpId, lang::op_count> by_op_{};
    egraph::OpId when_{};
    egraph::OpId like_escape_{};
    PlanOps plan_{};
    std::vector<Meaning> meanings_;
    std::unordered_map<std::uint32_t, egraph::OpId> functions_;  // name id -> operator
    lang::LiteralId true_{}, false_{}, null_{};
};

}  // namespace satura::rules
