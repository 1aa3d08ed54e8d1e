#include "lang/sql_coerce.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "lang/evaluate.hpp"
#include "lang/function.hpp"
#include "lang/sql_common_type.hpp"
#include "lang/sql_constant.hpp"
#include "lang/sql_expr.hpp"
#include "lang/sql_types.hpp"

namespace satura::lang {
namespace {

using Form = Operand::Form;

bool is_opaque(Type type) { return type.kind() == TypeKind::opaque; }
bool is_typed(const Operand& operand) { return operand.form == Form::typed; }

// One call of coerce().
class Coercion {
  public:
    using Answer = std::variant<Coerced, Misfit>;

    Coercion(Op op, std::uint32_t payload, std::span<const Operand> operands, Type unknown,
             const Context& context)
        : op_(op),
          payload_(payload),
          operands_(operands),
          unknown_(unknown),
          context_(context),
          dialect_(context.semantics.dialect) {}

    Answer run() {
        switch (op_) {
            case Op::eq:
            case Op::ne:
            case Op::lt:
            case Op::le:
            case Op::gt:
            case Op::ge:
            case Op::null_safe_eq:
                return comparison();
            case Op::and_:
            case Op::or_:
            case Op::not_:
            case Op::is_true:
            case Op::is_false:
            case Op::is_unknown:
                return truth();
            case Op::is_null:
                return Coerced{{standalone_type(operands_[0], context_)}, boolean_};
            case Op::add:
            case Op::sub:
            case Op::mul:
            case Op::div:
            case Op::mod:
                return arithmetic();
            case Op::neg:
                return negation();
            case Op::case_:
                return branches();
            case Op::coalesce:
            case Op::greatest:
            case Op::least:
                return alternatives();
            case Op::nullif:
                return nullif();
            case Op::in:
                return membership();
            case Op::between:
                return between();
            case Op::like:
                return like();
            default:
                return call();
        }
    }

  private:
    // Two targets; `common` when they are one type.
    struct Pair {
        Type a;
        Type b;
    };

    std::string name_of(const Operand& operand) const {
        const bool named = operand.form == Form::typed || operand.form == Form::number;
        return named ? write_type(operand.type, context_) : "unknown";
    }
    Misfit no_operator(std::size_t a, std::size_t b) const {
        return {fmt::format("operator does not exist: {} {} {}", name_of(operands_[a]),
                            op_name(op_), name_of(operands_[b])),
                b};
    }
    Misfit ambiguous(std::string_view what) const {
        return {fmt::format("operator is not unique: {}", what), 0};
    }

    // A text that its type cannot read is the user's mistake in PostgreSQL, which refuses it before it runs; texts of other
    // types have forms that only the engine knows ('today'), and other engines read '1.5' as an integer.
    std::optional<Misfit> unreadable(std::size_t i, Type target) const {
        if (operands_[i].form != Form::text || dialect_ != Dialect::postgres) return std::nullopt;
        if (!is_numeric(target) && target.kind() != TypeKind::boolean) return std::nullopt;
        if (constant_as(operands_[i], target, context_)) return std::nullopt;
        return Misfit{fmt::format("invalid input syntax for type {}: \"{}\"",
                                  write_type(target, context_), operands_[i].value.as_text()),
                      i};
    }

    Answer finish(std::vector<Type> targets, Type result) const {
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (auto misfit = unreadable(i, targets[i])) return *misfit;
        }
        return Coerced{std::move(targets), result};
    }

    // A type that holds the text and the column: the column's own where the text fits it.
    Type text_beside(Type type, const Operand& text) const {
        const Type wide = without_limit(type, dialect_);
        if (wide == type) return type;
        const auto value = constant_as(text, wide, context_);
        if (!value || fits_exactly(text, wide, type, context_)) return type;
        if (type.kind() != TypeKind::decimal) return wide;
        const Type exact = decimal_of_value(*value);
        return exact.kind() == TypeKind::numeric ? exact : common_decimal(type, exact, dialect_);
    }

    // The type in which a typed operand and a constant are compared.
    std::optional<Type> beside(Type type, const Operand& constant) const {
        if (constant.form == Form::null) return type;
        if (constant.form == Form::text) return text_beside(type, constant);
        const bool exact = is_exact_numeric(type) && is_exact_numeric(constant.type);
        if (exact && is_integer(type) == is_integer(constant.type) &&
            fits_exactly(constant, constant.type, type, context_)) {
            return type;
        }
        if (exact && type.kind() == TypeKind::decimal) {
            if (fits_exactly(constant, constant.type, type, context_)) return type;
            const Type needed = decimal_of_value(constant.value);
            return needed.kind() == TypeKind::numeric ? needed
                                                      : common_decimal(type, needed, dialect_);
        }
        return common_type(type, constant.type, Purpose::compare, dialect_);
    }

    std::optional<Pair> compare_pair(const Operand& a, const Operand& b) const {
        if (is_typed(a) && is_typed(b)) {
            if (is_opaque(a.type) || is_opaque(b.type)) return Pair{a.type, b.type};
            const auto common = common_type(a.type, b.type, Purpose::compare, dialect_);
            return common ? std::optional(Pair{*common, *common}) : std::nullopt;
        }
        if (is_typed(a) || is_typed(b)) {
            const Operand& typed = is_typed(a) ? a : b;
            const Operand& constant = is_typed(a) ? b : a;
            if (is_opaque(typed.type)) {
                const Type other =
                    constant.form == Form::number ? constant.type : opaque_constant(typed.type);
                return is_typed(a) ? Pair{typed.type, other} : Pair{other, typed.type};
            }
            const auto common = beside(typed.type, constant);
            return common ? std::optional(Pair{*common, *common}) : std::nullopt;
        }
        Type type = standalone_type(a.form == Form::number ? a : b, context_);
        if (a.form == Form::number && b.form == Form::number) {
            type = common_type(a.type, b.type, Purpose::compare, dialect_).value_or(type);
        }
        return Pair{type, type};
    }

    // 'abc' beside an opaque type is of that type, whatever it is; beside "?" it stays a text.
    Type opaque_constant(Type type) const {
        return type == unknown_ ? dialect_type(Type(TypeKind::text), dialect_) : type;
    }

    static bool is_fraction(Type type) { return is_numeric(type) && !is_integer(type); }

    // The bound of BETWEEN that does not fit, or 0: DuckDB brings operand and bounds to one type from left to right, and
    // booleans to no fractions.
    std::size_t misfit_of_between() const {
        if (dialect_ != Dialect::duckdb) return 0;
        bool truths = true;      // all so far are booleans
        bool fractions = false;  // one is a fraction
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Operand& o = operands_[i];
            const bool known = is_typed(o) || o.form == Form::number;
            const bool truth = known && o.type == boolean_;
            const bool fraction = known && is_fraction(o.type);
            if (i > 0 && ((truth && fractions) || (fraction && truths))) return i;
            truths = truths && truth;
            fractions = fractions || fraction;
        }
        return 0;
    }

    // DuckDB orders no texts beside numbers and no booleans beside fractions; for equality it casts them.
    bool is_refused(std::size_t a, std::size_t b) const {
        if (dialect_ != Dialect::duckdb) return false;
        const auto is_known = [](const Operand& o) {
            return is_typed(o) || o.form == Form::number;
        };
        if (!is_known(operands_[a]) || !is_known(operands_[b])) return false;
        const auto differs = [this](Type x, Type y) {
            if (x == boolean_) return op_ != Op::between && is_fraction(y);
            return is_string(x) &&
                   (op_ == Op::between ? !is_string(y) && !is_opaque(y) : is_numeric(y));
        };
        return differs(operands_[a].type, operands_[b].type) ||
               differs(operands_[b].type, operands_[a].type);
    }

    Answer comparison() const {
        if (is_order_comparison(op_) && is_refused(0, 1)) return no_operator(0, 1);
        const auto pair = compare_pair(operands_[0], operands_[1]);
        if (!pair) return no_operator(0, 1);
        return finish({pair->a, pair->b}, boolean_);
    }

    std::variant<Type, Misfit> truth_of(std::size_t i, std::string_view where) const {
        const Operand& operand = operands_[i];
        const bool has_type = operand.form == Form::typed || operand.form == Form::number;
        if (!has_type || operand.type == boolean_) return boolean_;
        if (is_opaque(operand.type)) return operand.type;
        if (dialect_ != Dialect::postgres && (is_numeric(operand.type) || is_string(operand.type)))
            return boolean_;
        return Misfit{fmt::format("argument of {} must be type boolean, not type {}", where,
                                  name_of(operand)),
                      i};
    }

    std::string_view place() const {
        switch (op_) {
            case Op::and_:
                return "AND";
            case Op::or_:
                return "OR";
            case Op::not_:
                return "NOT";
            case Op::is_true:
                return "IS TRUE";
            case Op::is_false:
                return "IS FALSE";
            case Op::is_unknown:
                return "IS UNKNOWN";
            default:
                return "CASE/WHEN";
        }
    }

    Answer truth() const {
        std::vector<Type> targets;
        targets.reserve(operands_.size());
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            auto target = truth_of(i, place());
            if (auto* misfit = std::get_if<Misfit>(&target)) return *misfit;
            targets.push_back(std::get<Type>(target));
        }
        return finish(std::move(targets), boolean_);
    }

    // The common type of the typed operands among [begin, end) with a step; nothing typed leaves `type` empty.
    std::optional<Misfit> common_of_typed(std::span<const std::size_t> members, Purpose purpose,
                                          std::optional<Type>& type, bool& opaque) const {
        for (const std::size_t i : members) {
            const Operand& operand = operands_[i];
            if (!is_typed(operand)) continue;
            if (is_opaque(operand.type)) opaque = true;
            if (opaque) {
                if (!type || is_opaque(operand.type)) type = operand.type;
                continue;
            }
            const auto next =
                type ? common_type(*type, operand.type, purpose, dialect_) : operand.type;
            if (!next) {
                return Misfit{fmt::format("types {} and {} cannot be matched",
                                          write_type(*type, context_), name_of(operand)),
                              i};
            }
            type = next;
        }
        return std::nullopt;
    }

    std::optional<Type> with_constant(Type type, const Operand& constant, Purpose purpose) const {
        if (purpose == Purpose::compare) return beside(type, constant);
        switch (constant.form) {
            case Form::null:
                return type;
            case Form::text:
                return without_limit(type, dialect_);
            default:
                break;
        }
        const bool adapts =
            dialect_ == Dialect::duckdb && is_integer(type) && is_integer(constant.type);
        if (adapts && fits_exactly(constant, constant.type, type, context_)) return type;
        return common_type(type, constant.type, purpose, dialect_);
    }

    // DuckDB goes from left to right: a bare integer adapts to what stands beside it, but beside another one or NULL it has
    // its own type. So coalesce(1, 2, x) is an integer where x is a smallint, and coalesce(x, 1, 2) a smallint.
    std::optional<Type> folded(std::span<const std::size_t> members, Purpose purpose) const {
        std::optional<Type> type;
        const Operand* bare = nullptr;  // what there is so far, if that is one number
        bool is_first = true;
        for (const std::size_t i : members) {
            const Operand& operand = operands_[i];
            if (type && operand.form != Form::null) {
                type = is_typed(operand) ? common_type(*type, operand.type, purpose, dialect_)
                                         : with_constant(*type, operand, purpose);
                if (!type) return std::nullopt;
            } else if (bare != nullptr) {
                type = is_typed(operand) ? with_constant(operand.type, *bare, purpose)
                       : operand.form == Form::number
                           ? common_type(bare->type, operand.type, purpose, dialect_)
                           : bare->type;
                bare = nullptr;
                if (!type) return std::nullopt;
            } else if (operand.form == Form::number && is_first) {
                bare = &operand;
            } else if (operand.form != Form::null) {
                type = operand.type;
            }
            is_first = false;
        }
        return type;
    }

    // The one type of the members of a set, or their own types where one is opaque.
    std::optional<Misfit> unify(std::span<const std::size_t> members, Purpose purpose,
                                std::vector<Type>& targets, Type& result) const {
        std::optional<Type> type;
        bool opaque = false;
        if (auto misfit = common_of_typed(members, purpose, type, opaque)) return misfit;
        const bool typed = type.has_value();
        if (!typed) {
            for (const std::size_t i : members) {
                if (operands_[i].form != Form::number) continue;
                type = type ? common_type(*type, operands_[i].type, purpose, dialect_)
                            : operands_[i].type;
            }
            if (!type) type = dialect_type(Type(TypeKind::text), dialect_);
        }
        const bool has_text = std::ranges::any_of(
            members, [&](std::size_t i) { return operands_[i].form == Form::text; });
        const bool folds = dialect_ == Dialect::duckdb && purpose == Purpose::result && !has_text;
        const std::optional<Type> all =
            folds && typed && !opaque ? folded(members, purpose) : std::nullopt;
        if (all) type = all;
        for (const std::size_t i : members) {
            if (opaque || !typed || all || is_typed(operands_[i])) continue;
            const auto next = with_constant(*type, operands_[i], purpose);
            if (!next) {
                return Misfit{fmt::format("types {} and {} cannot be matched",
                                          write_type(*type, context_), name_of(operands_[i])),
                              i};
            }
            type = next;
        }
        for (const std::size_t i : members) {
            const Operand& operand = operands_[i];
            const bool own =
                opaque && (operand.form == Form::typed || operand.form == Form::number);
            targets[i] = own ? operand.type : opaque ? opaque_constant(*type) : *type;
        }
        result = *type;
        return std::nullopt;
    }

    std::vector<std::size_t> all() const {
        std::vector<std::size_t> members(operands_.size());
        for (std::size_t i = 0; i < members.size(); ++i) members[i] = i;
        return members;
    }

    // Where all branches are NULL DuckDB's result has the type of NULL, which fits in everywhere.
    bool has_type_of_null(std::span<const std::size_t> members) const {
        return dialect_ == Dialect::duckdb && std::ranges::all_of(members, [&](std::size_t i) {
                   return operands_[i].form == Form::null;
               });
    }

    Answer alternatives() const {
        std::vector<Type> targets(operands_.size());
        if (has_type_of_null(all())) return Coerced{std::move(targets), unknown_, true};
        Type result;
        if (auto misfit = unify(all(), Purpose::result, targets, result)) return *misfit;
        return finish(std::move(targets), result);
    }

    Answer branches() const {
        std::vector<Type> targets(operands_.size());
        std::vector<std::size_t> results;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            if (i % 2 == 1 || i + 1 == operands_.size()) {
                results.push_back(i);
                continue;
            }
            auto target = truth_of(i, place());
            if (auto* misfit = std::get_if<Misfit>(&target)) return *misfit;
            targets[i] = std::get<Type>(target);
        }
        if (has_type_of_null(results)) return Coerced{std::move(targets), unknown_, true};
        // DuckDB looks at ELSE first.
        std::ranges::rotate(results, results.end() - 1);
        Type result;
        if (auto misfit = unify(results, Purpose::result, targets, result)) return *misfit;
        return finish(std::move(targets), result);
    }

    // PostgreSQL compares with a list of several items in the type of branches (real stays real), with one item as `=`.
    Answer membership() const {
        std::vector<Type> targets(operands_.size());
        Type type;
        if (operands_.size() == 2) {
            const auto pair = compare_pair(operands_[0], operands_[1]);
            if (!pair) return no_operator(0, 1);
            return finish({pair->a, pair->b}, boolean_);
        }
        if (auto misfit = unify(all(), Purpose::compare, targets, type)) {
            return each_pair_exists() ? Answer(Coerced{std::move(targets), boolean_, true})
                                      : Answer(*misfit);
        }
        if (!is_one_comparison(type)) return Coerced{std::move(targets), boolean_, true};
        const auto is_double = [](const Operand& o) {
            return (is_typed(o) || o.form == Form::number) && o.type.kind() == TypeKind::double_;
        };
        const auto is_real = [](const Operand& o) {
            return is_typed(o) && o.type.kind() == TypeKind::real;
        };
        if (type.kind() == TypeKind::double_ && std::ranges::any_of(operands_, is_real) &&
            std::ranges::none_of(operands_, is_double)) {
            targets.assign(operands_.size(), Type(TypeKind::real));
        }
        return finish(std::move(targets), boolean_);
    }

    // PostgreSQL compares items that name a column one by one.
    bool each_pair_exists() const {
        if (dialect_ != Dialect::postgres) return false;
        for (std::size_t i = 1; i < operands_.size(); ++i) {
            if (!compare_pair(operands_[0], operands_[i])) return false;
        }
        return true;
    }

    // Whether a comparison in either type comes out the same, whatever is compared.
    bool compares_alike(Type a, Type b) const {
        if (a == b || (is_exact_numeric(a) && is_exact_numeric(b)) || (is_float(a) && is_float(b)))
            return true;
        const auto is_padded = [](Type type) { return type.kind() == TypeKind::char_; };
        if (is_string(a) && is_string(b)) return is_padded(a) == is_padded(b);
        // A text is read as the one type or the other: '2024-01-01 12:00' is the date 2024-01-01.
        const auto is_plain = [](Type t) {
            return t.kind() == TypeKind::date || t.kind() == TypeKind::timestamp;
        };
        const auto is_text = [](const Operand& operand) { return operand.form == Form::text; };
        return is_plain(a) && is_plain(b) && std::ranges::none_of(operands_, is_text);
    }

    // Whether a list of `type` says what PostgreSQL does: it compares the items that name no column in one type, that of
    // branches, and each other one as `=` would. Which is which cannot be seen here, so both have to come out the same.
    bool is_one_comparison(Type type) const {
        if (dialect_ != Dialect::postgres || is_opaque(type)) return true;
        const auto items = operands_.subspan(1);
        if (std::ranges::none_of(items, is_typed)) return true;
        if (is_float(type) && !floats_compare_alike()) return false;
        for (const Operand& item : items) {
            const auto pair = compare_pair(operands_[0], item);
            if (!pair || !compares_alike(pair->a, type)) return false;
        }
        return true;
    }

    // Floats keep their values among doubles; other numbers may round to real or to double.
    bool floats_compare_alike() const {
        const auto is_kind = [](const Operand& operand, TypeKind kind) {
            return is_typed(operand) && operand.type.kind() == kind;
        };
        if (is_kind(operands_[0], TypeKind::double_)) return true;
        const auto is_real = [&](const Operand& operand) {
            return is_kind(operand, TypeKind::real);
        };
        if (std::ranges::none_of(operands_, is_real)) return true;
        return std::ranges::all_of(operands_, [](const Operand& operand) {
            return operand.form == Form::null || (is_typed(operand) && is_float(operand.type));
        });
    }

    // PostgreSQL compares with either bound by itself.
    Answer between() const {
        const auto low = compare_pair(operands_[0], operands_[1]);
        const auto high = compare_pair(operands_[0], operands_[2]);
        if (!low || is_refused(0, 1)) return no_operator(0, 1);
        if (!high || is_refused(0, 2)) return no_operator(0, 2);
        if (const std::size_t bound = misfit_of_between()) return no_operator(0, bound);
        if (low->a == high->a) return finish({low->a, low->b, high->b}, boolean_);
        std::vector<Type> targets(3);
        Type type;
        const bool inexact = is_float(low->a) || is_float(high->a);
        if (dialect_ != Dialect::postgres || (!inexact && compares_alike(low->a, high->a))) {
            auto misfit = unify(all(), Purpose::compare, targets, type);
            if (!misfit) return finish(std::move(targets), boolean_);
            if (dialect_ != Dialect::postgres) return *misfit;
        }
        return Coerced{std::move(targets), boolean_, true};
    }

    // Whether the first operand of NULLIF is compared as it is, though it and the other meet in `common`.
    bool is_handed_on(Type type, Type common) const {
        if (type == common || (is_integer(type) && is_integer(common))) return true;
        if (is_string(type) && is_string(common)) return true;
        if (dialect_ != Dialect::postgres) return false;
        const auto is_decimal = [](Type t) { return is_exact_numeric(t) && !is_integer(t); };
        return (is_float(type) && is_float(common)) || (is_decimal(type) && is_decimal(common));
    }

    // PostgreSQL hands on the first operand as the comparison has it, without a scale that it had not: NULLIF(1, 2.2) is
    // the numeric 1, of a date beside a timestamp it is the date. Elsewhere the operand is handed on as it is.
    Answer nullif() const {
        const auto pair = compare_pair(operands_[0], operands_[1]);
        if (!pair) return no_operator(0, 1);
        const Operand& a = operands_[0];
        const bool is_named = is_typed(a) || a.form == Form::number;
        const Type own = is_named ? a.type : standalone_type(a, context_);
        const bool adapts = dialect_ == Dialect::postgres && !is_named;
        const bool is_handed = a.form != Form::null && is_handed_on(own, pair->a);
        if (adapts || is_opaque(own) || is_handed) {
            const Type target = adapts ? pair->a : own;
            return finish({target, pair->b}, target);
        }
        if (dialect_ != Dialect::postgres || is_temporal(own))
            return Coerced{{own, pair->b}, own, true};
        const Type target = is_exact_numeric(pair->a) ? Type(TypeKind::numeric) : pair->a;
        return finish({target, pair->b}, target);
    }

    Answer like() const {
        std::vector<Type> targets;
        for (std::size_t i = 0; i < operands_.size(); ++i) {
            const Operand& operand = operands_[i];
            const bool named = operand.form == Form::typed || operand.form == Form::number;
            const bool loose = dialect_ != Dialect::postgres && dialect_ != Dialect::duckdb;
            if (named && !is_string(operand.type) && !is_opaque(operand.type) && !loose)
                return no_operator(0, i);
            targets.push_back(standalone_type(operand, context_));
        }
        return finish(std::move(targets), boolean_);
    }

    Answer call() const {
        std::vector<Type> targets;
        Type null_type = dialect_type(Type(TypeKind::text), dialect_);
        bool opaque = false;
        for (const Operand& operand : operands_) {
            if (operand.form == Form::number || is_typed(operand)) null_type = operand.type;
            opaque = opaque || (is_typed(operand) && is_opaque(operand.type));
        }
        for (const Operand& operand : operands_) {
            targets.push_back(operand.form == Form::null ? null_type
                                                         : standalone_type(operand, context_));
        }
        Type result = unknown_;
        const std::string_view name = context_.names[payload_];
        const Function* function = find_function(name.substr(0, name.find('\x01')), dialect_);
        if (!opaque && function != nullptr && function->takes(targets.size())) {
            result = dialect_type(
                function->result_type(targets, context_.semantics).value_or(unknown_), dialect_);
        }
        return finish(std::move(targets), result);
    }

    Answer negation() const {
        const Operand& operand = operands_[0];
        if (operand.form == Form::null && dialect_ != Dialect::postgres) {
            return finish({Type(TypeKind::bigint)}, Type(TypeKind::bigint));
        }
        if (operand.form == Form::null || operand.form == Form::text) return ambiguous("- unknown");
        if (is_opaque(operand.type)) return finish({operand.type}, operand.type);
        if (operand.type.kind() == TypeKind::interval) return finish({operand.type}, operand.type);
        if (!is_numeric(operand.type)) {
            return Misfit{fmt::format("operator does not exist: - {}", name_of(operand)), 0};
        }
        const std::vector<Type> targets{operand.type};
        return finish(targets,
                      result_type(op_, payload_, targets, context_).value_or(operand.type));
    }

    // Exact operands keep their own types but for integers beside decimals.
    Pair numeric_pair(Type a, Type b) const {
        const bool decimals =
            is_exact_numeric(a) && is_exact_numeric(b) && !(is_integer(a) && is_integer(b));
        if (!decimals) {
            const Type common = common_type(a, b, Purpose::arithmetic, dialect_).value_or(a);
            return {common, common};
        }
        const auto one = [&](Type type) {
            if (!is_integer(type)) return type;
            if (dialect_ == Dialect::postgres) return Type(TypeKind::numeric);
            const Type decimal = decimal_of_integer(type);
            return decimal.precision() > 38 ? Type::decimal(38, 0) : decimal;
        };
        return {one(a), one(b)};
    }

    // DuckDB reads a text beside a decimal as a double, to calculate with it.
    bool is_duckdb_decimal(Type type) const {
        return dialect_ == Dialect::duckdb && type.kind() == TypeKind::decimal;
    }

    std::optional<Pair> constant_pair(Type type, const Operand& constant) const {
        if (constant.form == Form::number) {
            const bool adapts =
                dialect_ == Dialect::duckdb && is_integer(type) && is_integer(constant.type);
            if (adapts && fits_exactly(constant, constant.type, type, context_))
                return Pair{type, type};
            if (type.kind() == TypeKind::interval) return Pair{type, Type(TypeKind::double_)};
            if (!is_numeric(type)) return Pair{type, constant.type};
            Pair pair = numeric_pair(type, constant.type);
            if (dialect_ == Dialect::postgres && pair.b.kind() == TypeKind::decimal)
                pair.b = Type(TypeKind::numeric);
            return pair;
        }
        if (is_opaque(type)) return Pair{type, opaque_constant(type)};
        if (is_duckdb_decimal(type) && constant.form == Form::text)
            return Pair{Type(TypeKind::double_), Type(TypeKind::double_)};
        if (is_numeric(type)) return Pair{type, without_limit(type, dialect_)};
        if (type.kind() == TypeKind::date && op_ == Op::add) return std::nullopt;
        if (is_temporal(type))
            return op_ == Op::sub ? Pair{type, type} : Pair{type, Type(TypeKind::interval)};
        return Pair{type, type};
    }

    Answer arithmetic() const {
        const Operand& a = operands_[0];
        const Operand& b = operands_[1];
        const bool known_a = a.form == Form::typed || a.form == Form::number;
        const bool known_b = b.form == Form::typed || b.form == Form::number;
        const bool nulls = a.form == Form::null && b.form == Form::null;
        if (nulls && dialect_ != Dialect::postgres) {
            const Type bigint(TypeKind::bigint);
            const std::vector<Type> targets{bigint, bigint};
            return finish(targets, arithmetic_result(targets).value_or(bigint));
        }
        if (!known_a && !known_b) return ambiguous(fmt::format("unknown {} unknown", op_name(op_)));
        std::optional<Pair> pair;
        if (is_typed(a) && is_typed(b)) {
            const bool numbers = is_numeric(a.type) && is_numeric(b.type);
            pair = numbers ? numeric_pair(a.type, b.type) : Pair{a.type, b.type};
        } else if (a.form == Form::number && b.form == Form::number) {
            pair = numeric_pair(a.type, b.type);  // neither adapts to the other
        } else if (!is_typed(b) && known_a) {
            pair = constant_pair(a.type, b);
        } else {
            pair = constant_pair(b.type, a);
            if (pair) std::swap(pair->a, pair->b);
        }
        if (!pair) return ambiguous(fmt::format("{} {} {}", name_of(a), op_name(op_), name_of(b)));
        const std::vector<Type> targets{pair->a, pair->b};
        const auto result = arithmetic_result(targets);
        if (!result) return no_operator(0, 1);
        return finish(targets, *result);
    }

    std::optional<Type> arithmetic_result(const std::vector<Type>& targets) const {
        if (is_opaque(targets[0]) || is_opaque(targets[1])) return unknown_;
        if (auto type = result_type(op_, payload_, targets, context_)) return type;
        return calendar_result(targets[0], targets[1]);
    }

    // Sums and differences of dates, times and intervals, and intervals times numbers.
    std::optional<Type> calendar_result(Type a, Type b) const {
        const TypeKind ka = a.kind();
        const TypeKind kb = b.kind();
        const Type interval(TypeKind::interval);
        const Type timestamp = Type::with_digits(TypeKind::timestamp, 6);
        if ((op_ == Op::mul &&
             ((is_numeric(a) && b == interval) || (a == interval && is_numeric(b)))) ||
            (op_ == Op::div && a == interval && is_numeric(b))) {
            return interval;
        }
        if (op_ != Op::add && op_ != Op::sub) return std::nullopt;
        if (a == interval && b == interval) return interval;
        const bool date_a = ka == TypeKind::date;
        const bool stamp_a = ka == TypeKind::timestamp || ka == TypeKind::timestamptz;
        if (date_a && is_integer(b)) return a;
        if (b == interval && (date_a || stamp_a))
            return date_a ? timestamp : Type::with_digits(ka, 6);
        if (b == interval && ka == TypeKind::time) return Type::with_digits(ka, 6);
        if (date_a && kb == TypeKind::time) return timestamp;
        if (op_ == Op::sub) {
            if (date_a && kb == TypeKind::date) {
                return Type(dialect_ == Dialect::duckdb ? TypeKind::bigint : TypeKind::integer);
            }
            return is_temporal(a) && is_temporal(b) ? std::optional(interval) : std::nullopt;
        }
        const bool swapped = ka == TypeKind::interval || (is_integer(a) && kb == TypeKind::date) ||
                             (ka == TypeKind::time && kb == TypeKind::date);
        return swapped && (is_temporal(b)) ? calendar_result(b, a) : std::nullopt;
    }

    Op op_;
    std::uint32_t payload_;
    std::span<const Operand> operands_;
    Type unknown_;
    const Context& context_;
    Dialect dialect_;
    Type boolean_{TypeKind::boolean};
};

}  // namespace

std::variant<Coerced, Misfit> coerce(Op op, std::uint32_t payload,
                                     std::span<const Operand> operands, Type unknown,
                                     const Context& context) {
    return Coercion(op, payload, operands, unknown, context).run();
}

}  // namespace satura::lang
