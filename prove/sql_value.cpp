#include "prove/sql_value.hpp"

#include <string>

namespace satura::prove {

using lang::Op;

SqlValue SqlValues::boolean(Formula null, Formula truth) {
    return {null,         true,
            truth,        f_.choose(truth, f_.number(1), f_.number(0)),
            f_.number(0), f_.boolean(false)};
}

SqlValue SqlValues::truth(Truth value) {
    return boolean(f_.boolean(value == Truth::null), f_.boolean(value == Truth::true_));
}

SqlValue SqlValues::other(Formula null, Formula number, Formula tag, Formula nan) {
    return {null, false, f_.boolean(false), number, tag, nan};
}

SqlValue SqlValues::null(bool is_boolean) {
    if (is_boolean) return truth(Truth::null);
    return other(f_.boolean(true), f_.number(0), f_.number(0), f_.boolean(false));
}

SqlValue SqlValues::unknown(std::string_view name, bool is_boolean, bool may_be_nan) {
    const std::string null = std::string(name) + ".null";
    SqlValue out = applied(name, {}, is_boolean, may_be_nan);
    out.null = f_.unknown(null, FormulaSort::boolean);
    return out;
}

// Of a NULL nothing but that: its other parts mean nothing.
std::vector<Formula> SqlValues::parts(std::span<const SqlValue> operands) {
    std::vector<Formula> out;
    for (const SqlValue& o : operands) {
        out.push_back(o.null);
        if (o.is_boolean) {
            out.push_back(f_.all({f_.not_(o.null), o.truth}));
            continue;
        }
        out.push_back(f_.choose(o.null, f_.number(0), o.number));
        out.push_back(f_.choose(o.null, f_.number(0), o.tag));
        out.push_back(f_.all({f_.not_(o.null), o.nan}));
    }
    return out;
}

SqlValue SqlValues::applied(std::string_view name, std::span<const SqlValue> operands,
                            bool is_boolean, bool may_be_nan) {
    const std::vector<Formula> all = parts(operands);
    const auto part = [&](const char* which, FormulaSort sort) {
        return f_.unknown(std::string(name) + which, sort, all);
    };
    const Formula known = f_.boolean(false);
    if (is_boolean) return boolean(known, part(".truth", FormulaSort::boolean));
    return other(known, part(".number", FormulaSort::real), part(".tag", FormulaSort::real),
                 may_be_nan ? part(".nan", FormulaSort::boolean) : f_.boolean(false));
}

Formula SqlValues::applied_null(std::string_view name, std::span<const SqlValue> operands) {
    return f_.unknown(std::string(name) + ".null", FormulaSort::boolean, parts(operands));
}

Formula SqlValues::any_null(std::span<const SqlValue> operands) {
    std::vector<Formula> nulls;
    for (const SqlValue& o : operands) nulls.push_back(o.null);
    return f_.any(nulls);
}

Formula SqlValues::identical(const SqlValue& a, const SqlValue& b) {
    const Formula same = a.is_boolean && b.is_boolean
                             ? f_.equal(a.truth, b.truth)
                             : f_.all({f_.equal(a.number, b.number), f_.equal(a.tag, b.tag),
                                       f_.equal(a.nan, b.nan)});
    return f_.all({f_.equal(a.null, b.null), f_.any({a.null, same})});
}

SqlValue SqlValues::choose(Formula condition, const SqlValue& yes, const SqlValue& no) {
    const Formula null = f_.choose(condition, yes.null, no.null);
    if (yes.is_boolean && no.is_boolean)
        return boolean(null, f_.choose(condition, yes.truth, no.truth));
    return other(null, f_.choose(condition, yes.number, no.number),
                 f_.choose(condition, yes.tag, no.tag), f_.choose(condition, yes.nan, no.nan));
}

SqlValue SqlValues::and_(std::span<const SqlValue> operands) {
    std::vector<Formula> true_, false_;
    for (const SqlValue& o : operands) {
        true_.push_back(is_true(o));
        false_.push_back(is_false(o));
    }
    const Formula holds = f_.all(true_);
    return boolean(f_.not_(f_.any({holds, f_.any(false_)})), holds);
}

SqlValue SqlValues::or_(std::span<const SqlValue> operands) {
    std::vector<Formula> true_, false_;
    for (const SqlValue& o : operands) {
        true_.push_back(is_true(o));
        false_.push_back(is_false(o));
    }
    const Formula holds = f_.any(true_);
    return boolean(f_.not_(f_.any({holds, f_.all(false_)})), holds);
}

Formula SqlValues::is_less(const SqlValue& a, const SqlValue& b) {
    return f_.all({f_.not_(a.nan), f_.not_(b.nan), f_.less(a.number, b.number)});
}

Formula SqlValues::is_equal(const SqlValue& a, const SqlValue& b) {
    return f_.all({f_.not_(a.nan), f_.not_(b.nan), f_.equal(a.number, b.number)});
}

SqlValue SqlValues::compare(Op op, const SqlValue& a, const SqlValue& b) {
    const Formula null = f_.any({a.null, b.null});
    switch (op) {
        case Op::eq:
            return boolean(null, is_equal(a, b));
        case Op::ne:
            return boolean(null, f_.not_(is_equal(a, b)));
        case Op::lt:
            return boolean(null, is_less(a, b));
        case Op::gt:
            return boolean(null, is_less(b, a));
        case Op::le:
            return boolean(null, f_.any({is_less(a, b), is_equal(a, b)}));
        case Op::ge:
            return boolean(null, f_.any({is_less(b, a), is_equal(a, b)}));
        default:  // <=>, in which every NaN is one
            return boolean(f_.any(
                {f_.all({a.null, b.null}),
                 f_.all({f_.not_(null), f_.any({f_.all({a.nan, b.nan}), is_equal(a, b)})})}));
    }
}

SqlValue SqlValues::arithmetic(Op op, std::span<const SqlValue> operands) {
    const Formula a = operands[0].number;
    Formula out = f_.minus(f_.number(0), a);  // neg
    if (op == Op::add) out = f_.plus(a, operands[1].number);
    if (op == Op::sub) out = f_.minus(a, operands[1].number);
    if (op == Op::mul) out = f_.times(a, operands[1].number);
    return other(any_null(operands), out, f_.number(0), f_.boolean(false));
}

}  // namespace satura::prove
