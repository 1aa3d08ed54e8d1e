#include "tests/oracle/samples.hpp"

#include <fmt/format.h>

#include <array>

#include "lang/boundary.hpp"
#include "lang/sql_expr.hpp"

namespace satura::test {

namespace {

std::string literal_text(const lang::Value& value, lang::Type type, lang::Context& context) {
    lang::Exprs exprs;
    const auto id = static_cast<std::uint32_t>(context.literals.intern(type, value));
    return lang::write_expr(exprs, exprs.add(lang::Op::literal, type, id, {}), {}, context);
}

// DuckDB 1.5 casts 2147483647.5 to the least integer instead of raising: `2147483647 between 1 and cast(g as integer)` is
// false there, and true as `g >= 2147483646.5`.
bool is_left_out(const lang::Value& value, lang::Dialect dialect) {
    return dialect == lang::Dialect::duckdb && value.kind() == lang::Value::Kind::double_ &&
           value.as_double() == 2147483647.5;
}

}  // namespace

Samples::Samples(Engine& engine, const std::vector<lang::Column>& columns, lang::Context& context)
    : engine_(engine) {
    std::string declared = "n integer";
    for (const lang::Column& c : columns)
        declared += fmt::format(", {} {}", c.name, lang::write_type(c.type, context));
    run("create table samples (" + declared + ")");
    for (const lang::Column& c : columns) {
        names_.push_back(c.name);
        std::vector<std::string>& texts = values_.emplace_back();
        for (const lang::Value& value : lang::boundary_values(c.type, context.semantics)) {
            if (value.is_null() && !c.nullable) continue;
            if (is_left_out(value, context.semantics.dialect)) continue;
            std::string text = literal_text(value, c.type, context);
            const std::string insert =
                fmt::format("insert into samples (n, {}) values (0, {})", c.name, text);
            if (engine_.run(insert).empty()) {
                texts.push_back(std::move(text));
            } else {
                ++refused_;
            }
        }
    }
}

void Samples::run(const std::string& statement) {
    std::string error = engine_.run(statement);
    if (error_.empty() && !error.empty()) error_ = statement + ": " + error;
}

// In every other row a value is the shortest of three: small numbers, with which arithmetic raises less.
void Samples::fill(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    table_.assign(rows, {});
    std::string values;
    for (std::size_t n = 0; n < rows; ++n) {
        values += fmt::format("{}({}", n == 0 ? "" : ", ", n);
        for (const std::vector<std::string>& texts : values_) {
            const std::string* text = &texts[random() % texts.size()];
            for (std::size_t i = 0; i < 2 && n % 2 == 1; ++i) {
                const std::string& other = texts[random() % texts.size()];
                if (other.size() < text->size()) text = &other;
            }
            table_[n].push_back(*text);
            values += ", " + *text;
        }
        values += ")";
    }
    run("delete from samples");
    run("insert into samples values " + values);
}

std::string Samples::describe(std::size_t row) const {
    std::string out;
    for (std::size_t i = 0; i < names_.size(); ++i)
        out += fmt::format(" {}={}", names_[i], table_[row][i]);
    return out;
}

}  // namespace satura::test
