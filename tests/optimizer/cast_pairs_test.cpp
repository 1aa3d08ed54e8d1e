// Every lossless cast between number types, every comparison, constants at, beside, between and beyond the images of the
// type's bounds: the cast goes away, and the value is the same for every boundary value of the column.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "lang/boundary.hpp"
#include "lang/domain.hpp"
#include "lang/evaluate.hpp"
#include "lang/sql_expr.hpp"
#include "optimizer/simplifier.hpp"

using namespace satura;
using lang::Type;
using lang::TypeKind;
using lang::Value;

namespace {

std::vector<Type> number_types() {
    std::vector<Type> types{Type::decimal(3, 1), Type::decimal(5, 2), Type::decimal(10, 4),
                            Type::decimal(20, 0), Type::decimal(38, 2)};
    for (TypeKind kind :
         {TypeKind::boolean, TypeKind::tinyint, TypeKind::smallint, TypeKind::integer,
          TypeKind::bigint, TypeKind::hugeint, TypeKind::utinyint, TypeKind::usmallint,
          TypeKind::uinteger, TypeKind::ubigint, TypeKind::real, TypeKind::double_}) {
        types.emplace_back(kind);
    }
    return types;
}

// Images of the type's bounds and of zero, with their neighbours in the target type, and the target's own boundary values.
std::vector<Value> constants(Type from, Type to, const lang::Semantics& semantics) {
    std::vector<Value> out = lang::boundary_values(to, semantics);
    for (const Value& value :
         {lang::domain_min(from, semantics), lang::domain_max(from, semantics)}) {
        lang::Outcome image = lang::cast_value(value, from, to, semantics, lang::Mode::raising);
        if (image.state != lang::Outcome::State::value || image.value.is_null() ||
            !lang::has_domain(to))
            continue;
        out.push_back(image.value);
        if (auto next = lang::successor(to, image.value, semantics)) out.push_back(*next);
        if (auto before = lang::predecessor(to, image.value, semantics)) out.push_back(*before);
    }
    return out;
}

constexpr const char* comparisons[] = {
    "=", "<>", "<", "<=", ">", ">=", "is not distinct from", "is distinct from"};

class Pairs {
  public:
    Pairs(lang::Dialect dialect, lang::NanOrder nan) {
        context_.semantics = lang::Semantics::of(dialect);
        context_.semantics.nan = nan;
        simplifier_ = std::make_unique<Simplifier>(context_.semantics);
    }

    void run() {
        for (Type from : number_types()) {
            for (Type to : number_types()) {
                if (from == to || !lang::cast_is_lossless(from, to, context_.semantics)) continue;
                ++pairs;
                for (const Value& c : constants(from, to, context_.semantics)) {
                    for (const char* op : comparisons) {
                        check(from, to, c, op, cases % 2 == 0);
                    }
                }
            }
        }
    }

    std::size_t pairs = 0, cases = 0;

  private:
    void check(Type from, Type to, const Value& c, const char* op, bool nullable) {
        ++cases;
        SimplifyRequest request;
        request.columns =
            fmt::format("x {}{}", lang::write_type(from, context_), nullable ? "" : " not null");
        std::string type = lang::write_type(to, context_);
        std::string constant = c.is_null()
                                   ? fmt::format("cast(null as {})", type)
                                   : fmt::format("cast('{}' as {})", lang::value_text(c, to), type);
        request.expr = fmt::format("cast(x as {}) {} {}", type, op, constant);
        auto result = simplifier_->simplify(request);
        if (const auto* error = std::get_if<RequestError>(&result)) {
            FAIL(request.columns << ": " << request.expr << ": " << error->diagnostic.message);
        }
        const std::string& answer = std::get<Answer>(result).result;
        CHECK_MESSAGE(answer.find("cast(x") == std::string::npos,
                      request.columns << ": " << request.expr << " gives " << answer);
        compare(request.expr, answer, {"x", from, nullable});
    }

    void compare(const std::string& input, const std::string& answer, const lang::Column& column) {
        lang::Exprs exprs;
        std::span<const lang::Column> columns(&column, 1);
        auto a = lang::parse_expr(input, columns, exprs, context_),
             b = lang::parse_expr(answer, columns, exprs, context_);
        REQUIRE(a);
        REQUIRE_MESSAGE(b, answer);
        for (const Value& value : lang::boundary_values(column.type, context_.semantics)) {
            if (value.is_null() && !column.nullable) continue;
            std::span<const Value> row(&value, 1);
            lang::Outcome x = lang::evaluate(exprs, *a, row, context_, lang::Mode::raising);
            lang::Outcome y = lang::evaluate(exprs, *b, row, context_, lang::Mode::raising);
            bool same = x.state == y.state && identical(x.value, y.value);
            if (!same) {
                CHECK_MESSAGE(
                    same,
                    input << " and " << answer << " differ at "
                          << (value.is_null() ? "NULL" : lang::value_text(value, column.type)));
            }
        }
    }

    lang::Context context_;
    std::unique_ptr<Simplifier> simplifier_;
};

}  // namespace

TEST_CASE("every lossless cast goes away from every comparison with a constant") {
    for (lang::Dialect dialect : {lang::Dialect::postgres, lang::Dialect::duckdb}) {
        Pairs pairs(dialect, lang::NanOrder::total);
        pairs.run();
        std::cout << fmt::format("lossless pairs, {}: {}, {} comparisons\n",
                                 lang::dialect_name(dialect), pairs.pairs, pairs.cases);
        CHECK(pairs.pairs > 60);
    }
}
