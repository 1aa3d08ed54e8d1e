// Random expressions are written and read again: the same tree must come back.
#include <doctest/doctest.h>

#include "lang/sql_expr.hpp"
#include "lang/sql_write.hpp"
#include "tests/lang/dump_expr.hpp"
#include "tests/lang/random_expr.hpp"

using namespace satura;
using namespace satura::lang;
using namespace satura::test;

namespace {

void round_trips(Dialect dialect, std::uint64_t seeds, int depth) {
    const std::vector<Column> columns = sample_columns(dialect);
    std::size_t exact = 0;
    std::size_t all = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Context context;
        context.semantics = Semantics::of(dialect);
        Exprs exprs;
        RandomExpr random(seed, columns, exprs, context);
        const ExprId root = random.boolean(depth);
        const auto name = [&](std::uint32_t index) { return columns[index].name; };
        const Written written = write_expr(exprs, root, ColumnWriter(name), context);
        CAPTURE(seed);
        CAPTURE(written.text);
        const auto again = parse_expr(written.text, columns, exprs, context);
        CHECK_MESSAGE(again, again.error().message);
        if (!again) continue;
        ++all;
        exact += written.exact ? 1 : 0;
        const std::string trees = dump_expr(exprs, root, columns, context) + "\n" +
                                  dump_expr(exprs, *again, columns, context);
        if (written.exact)
            CHECK_MESSAGE(same_expr(exprs, root, context, exprs, *again, context), trees);
        const Written twice = write_expr(exprs, *again, ColumnWriter(name), context);
        if (written.exact) CHECK(twice.text == written.text);
    }
    CHECK(all == seeds);
    CHECK(exact >= all * 9 / 10);
}

}  // namespace

TEST_CASE("random expressions survive writing and reading in PostgreSQL's dialect") {
    round_trips(Dialect::postgres, 3'000, 4);
    round_trips(Dialect::postgres, 100, 7);
}

TEST_CASE("random expressions survive writing and reading in DuckDB's dialect") {
    round_trips(Dialect::duckdb, 3'000, 4);
}

TEST_CASE("random expressions survive writing and reading in the other dialects") {
    for (const Dialect dialect : {Dialect::spark, Dialect::mysql, Dialect::sqlite})
        round_trips(dialect, 300, 3);
}
