// The state of one bind_expr; see sql_bind.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/function.hpp"
#include "lang/sql_bind.hpp"
#include "lang/sql_coerce.hpp"
#include "lang/sql_opaque.hpp"

struct PgQuery__AExpr;
struct PgQuery__BoolExpr;
struct PgQuery__CaseExpr;
struct PgQuery__ColumnRef;
struct PgQuery__FuncCall;
struct PgQuery__SQLValueFunction;
struct PgQuery__SubLink;
struct PgQuery__AConst;
struct PgQuery__TypeCast;

namespace satura::lang {

// An operand whose children are bound: a node, or a constant that waits for its type.
struct Bound {
    Operand operand;
    ExprId id{};                 // for Operand::Form::typed
    std::int32_t location = -1;  // of its own operator or first word
    bool is_volatile =
        false;  // some call or opaque piece below it may give another value next time
};

// Visits the tree in post-order with a stack of its own: a node is met once to push its children and once, when they are
// bound, to build what it means from the values they left.
class Binder {
  public:
    Binder(const ParsedSql& sql, const Scope& scope, Exprs& exprs, Context& context);

    Result<ExprId> run(const PgQuery__Node& root, Wanted wanted);

  private:
    struct Task {
        const PgQuery__Node* node = nullptr;
        std::uint32_t base = 0;  // of its children among values_
        bool built = false;      // its children are bound
    };

    // --- sql_bind.cpp: the walk ---
    // Leaves a value, pushes the children, or reports that the node has no operator here (false).
    bool visit(const PgQuery__Node& node);
    bool visit_call(const PgQuery__Node& node);
    bool visit_value_function(const PgQuery__SQLValueFunction& value);
    bool visit_operator(const PgQuery__Node& node);
    bool visit_case(const PgQuery__Node& node);
    bool visit_boolean(const PgQuery__Node& node);
    bool visit_cast(const PgQuery__Node& node);
    bool visit_constant(const PgQuery__AConst& constant);
    void visit_column(const PgQuery__ColumnRef& column);
    bool visit_taken(const PgQuery__Node& node);
    bool visit_query(const PgQuery__Node& node);
    void push_children(const PgQuery__Node& node, std::span<const PgQuery__Node* const> children);
    void step(const Task& task);

    // --- sql_bind_opaque.cpp ---
    // Makes the node an opaque value, or the nearest node around it that can be cut out.
    void make_opaque(const PgQuery__Node& node);
    bool try_opaque(const PgQuery__Node& node);
    std::optional<ExprId> opaque_node(const PgQuery__Node& node, Span piece);
    // The places of the opaque text: columns, and pieces that are bound on their own.
    struct Place {
        Span span;
        ExprId expr{};
        std::uint32_t column = 0xFFFFFFFFU;  // places of one column share a number
    };
    bool add_hole(const PgQuery__Node& node, std::vector<Place>& places);
    ExprId opaque_text(const PgQuery__Node& node, Span piece, std::vector<Place>& places,
                       const std::vector<ExprId>& hidden);
    Type opaque_type(const PgQuery__Node& node);
    std::optional<Result<Scope::Found>> find_column(const PgQuery__ColumnRef& column) const;

    // --- sql_bind_build.cpp: nodes from bound operands; false: make it opaque ---
    bool build(const PgQuery__Node& node, std::uint32_t base);
    bool build_operator(const PgQuery__AExpr& expr, std::uint32_t base);
    bool build_between(const PgQuery__AExpr& expr, std::uint32_t base);
    bool build_case(const PgQuery__CaseExpr& expr, std::uint32_t base);
    bool build_call(const PgQuery__FuncCall& call, std::uint32_t base);
    // The known function that the call names, or that its syntax stands for.
    const Function* known_function(const PgQuery__FuncCall& call) const;
    const Function* syntax_function(const PgQuery__FuncCall& call) const;
    bool build_cast(const PgQuery__TypeCast& cast, std::uint32_t base);
    bool build_function(std::string_view name, std::uint32_t base, std::int32_t location,
                        bool negate);
    std::string quoted_or_plain(std::string_view name) const;
    bool build_unary_plus(std::uint32_t base);
    bool build_query(const PgQuery__SubLink& link, std::uint32_t base,
                     std::string_view row_operator = {});
    // (a, b) = (SELECT …).
    bool compares_row_with_query(const PgQuery__AExpr& expr) const;
    // The node of a name that a scope has found.
    ExprId node_of(const Scope::Found& found, std::int64_t location);
    // Replaces the values from `base` on by one node of `op` over them; `negate` puts a NOT above.
    bool replace(Op op, std::uint32_t payload, std::uint32_t base, std::int32_t location,
                 bool negate);
    std::optional<Bound> combine(Op op, std::uint32_t payload, std::span<const Bound> operands,
                                 std::int32_t location);
    Bound negation_of(const Bound& operand, std::int32_t location);
    ExprId settle(const Bound& bound, Type target);
    ExprId settle_constant(const Bound& bound, Type target);
    ExprId as_condition(ExprId id);
    ExprId literal(Type type, const Value& value, std::int32_t location);
    Bound typed(ExprId id, std::int32_t location, bool is_volatile) const;
    void push_literal(Type type, const Value& value, std::int32_t location);
    bool any_volatile(std::uint32_t base) const;

    void fail(std::string code, std::int32_t location, std::string message, std::string help = {});
    void fail(const Misfit& misfit, std::span<const Bound> operands, std::int32_t location);

    const ParsedSql& sql_;
    const Scope& scope_;
    Exprs& exprs_;
    Context& context_;
    Type unknown_;
    Type boolean_{TypeKind::boolean};
    Cutter cutter_;
    std::vector<Task> tasks_;
    std::vector<Bound> values_;
    std::vector<ExprId> scratch_;
    std::optional<Diagnostic> error_;
};

}  // namespace satura::lang
