#include <fmt/format.h>
#include <libpq-fe.h>

#include "tests/oracle/engine.hpp"
#include "tests/oracle/postgres_server.hpp"

namespace satura::test {

namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

class Postgres final : public Engine {
  public:
    explicit Postgres(std::unique_ptr<PostgresServer> server)
        : server_(std::move(server)),
          connection_(PQconnectdb(server_->connection_string().c_str()), &PQfinish) {
        // A prepared expression is planned once, not anew for each row.
        if (is_open()) ask("set plan_cache_mode = force_generic_plan");
        if (is_open()) ask("set client_min_messages = error");
    }

    bool is_open() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
    std::string message() const { return PQerrorMessage(connection_.get()); }

    lang::Dialect dialect() const override { return lang::Dialect::postgres; }

    std::string run(const std::string& statement) override {
        const Result result = ask(statement);
        return has_failed(result) ? first_line(result) : "";
    }

    std::vector<Tried> evaluate(const std::string& expression, std::size_t rows) override {
        const Result all = ask("select (" + expression + ") from samples order by n");
        if (has_failed(all)) return row_by_row(expression, rows);
        std::vector<Tried> out;
        for (std::size_t i = 0; i < rows; ++i) out.push_back(tried(all, static_cast<int>(i)));
        return out;
    }

    Tried evaluate_row(const std::string& expression, std::size_t row) override {
        return tried(ask(fmt::format("select ({}) from samples where n = {}", expression, row)), 0);
    }

  private:
    Result ask(const std::string& statement) {
        return {PQexec(connection_.get(), statement.c_str()), &PQclear};
    }

    static bool has_failed(const Result& result) {
        const ExecStatusType status = PQresultStatus(result.get());
        return status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;
    }

    // "ERROR:  division by zero" without what follows it.
    static std::string first_line(const Result& result) {
        const std::string text = PQresultErrorMessage(result.get());
        return text.substr(0, text.find('\n'));
    }

    static Tried tried(const Result& result, int row) {
        if (has_failed(result)) return {Tried::State::error, first_line(result)};
        if (PQgetisnull(result.get(), row, 0) != 0) return {Tried::State::null, {}};
        // Of varchar and text PostgreSQL takes now the one, now the other: NULLIF of two varchars is a text.
        constexpr Oid text_type = 25, varchar_type = 1043;
        const Oid type = PQftype(result.get(), 0);
        return {Tried::State::value, PQgetvalue(result.get(), row, 0),
                std::to_string(type == varchar_type ? text_type : type)};
    }

    // An error ends a statement, so each row needs its own. What is constant is computed when the statement is planned: it
    // may raise for all rows.
    std::vector<Tried> row_by_row(const std::string& expression, std::size_t rows) {
        const std::string text = "select (" + expression + ") from samples where n = $1";
        const Result prepared{PQprepare(connection_.get(), "", text.c_str(), 1, nullptr), &PQclear};
        if (has_failed(prepared)) {
            return std::vector<Tried>(rows, {Tried::State::error, first_line(prepared)});
        }
        std::vector<Tried> out;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::string n = std::to_string(i);
            const char* argument = n.c_str();
            const Result one{
                PQexecPrepared(connection_.get(), "", 1, &argument, nullptr, nullptr, 0), &PQclear};
            out.push_back(tried(one, 0));
        }
        return out;
    }

    std::unique_ptr<PostgresServer> server_;  // outlives the connection
    std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace

Found find_postgres() {
    auto server = std::make_unique<PostgresServer>(SATURA_POSTGRES_PROGRAMS);
    if (!server->why_not().empty()) return {nullptr, server->why_not()};
    auto engine = std::make_unique<Postgres>(std::move(server));
    if (!engine->is_open()) return {nullptr, engine->message()};
    return {std::move(engine), {}};
}

}  // namespace satura::test
