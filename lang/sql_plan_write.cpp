#include "lang/sql_plan_write.hpp"

#include <cassert>

#include "lang/sql_plan_writer.hpp"

namespace satura::lang {
namespace {

Written write_once(const Plan& plan, const std::vector<ResultColumn>& result,
                   const Context& context) {
    PlanWriter writer(plan, context);
    Written written;
    written.text = writer.statement(result);
    written.exact = writer.exact();
    return written;
}

#ifndef NDEBUG
// The text that binding this one again gives; empty where it does not bind to a result of the same names and types.
std::string written_again(const std::string& text, const Plan& plan,
                          const std::vector<ResultColumn>& result, const Catalog& catalog,
                          const Context& context) {
    Context fresh = context;
    const auto again = parse_statements(text, catalog, fresh);
    if (!again || again->size() != 1 || again->front().result.size() != result.size()) return {};
    const Statement& statement = again->front();
    for (std::size_t i = 0; i < result.size(); ++i) {
        const bool same =
            statement.result[i].name == result[i].name &&
            statement.plan[statement.result[i].column].type == plan[result[i].column].type;
        if (!same) return {};
    }
    return write_once(statement.plan, statement.result, fresh).text;
}

// Whether the text is bound again, to a result of the same names and types, and settles: a plan of the optimizer may have
// shapes that no text is bound to (a cast that only a constant needs, one column under two names), so the second text may
// differ from the first, but not from the third.
bool reads_back(const Written& written, const Plan& plan, const std::vector<ResultColumn>& result,
                const Catalog& catalog, const Context& context) {
    const std::string second = written_again(written.text, plan, result, catalog, context);
    if (second.empty() || second == written.text) return !second.empty();
    return written_again(second, plan, result, catalog, context) == second;
}
#endif

}  // namespace

Written write_query(const Plan& plan, const std::vector<ResultColumn>& result,
                    [[maybe_unused]] const Catalog& catalog, const Context& context) {
    Written written = write_once(plan, result, context);
#ifndef NDEBUG
    // Long texts would take long, and other dialects' quotes and types are not all read.
    constexpr std::size_t checked_bytes = 10'000;
    const Dialect dialect = context.semantics.dialect;
    const bool checked = written.exact &&
                         (dialect == Dialect::postgres || dialect == Dialect::duckdb) &&
                         written.text.size() <= checked_bytes;
    assert(!checked || reads_back(written, plan, result, catalog, context));
#endif
    return written;
}

Written write_statement(const Statement& statement, const Catalog& catalog,
                        const Context& context) {
    if (statement.kind == Statement::Kind::other) return {statement.text, true};
    return write_query(statement.plan, statement.result, catalog, context);
}

}  // namespace satura::lang
