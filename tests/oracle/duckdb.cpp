// DuckDB's C interface, of which Debian has no header: what we use of it is declared here.
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "tests/oracle/engine.hpp"

namespace satura::test {

namespace {

using Handle = void*;
using Index = std::uint64_t;
using Result = std::array<std::uint64_t, 16>;  // duckdb_result has 48 bytes; room to spare

struct Functions {
    int (*open)(const char*, Handle*);
    void (*close)(Handle*);
    int (*connect)(Handle, Handle*);
    void (*disconnect)(Handle*);
    int (*query)(Handle, const char*, Result*);
    const char* (*result_error)(Result*);
    Index (*row_count)(Result*);
    char* (*value_varchar)(Result*, Index, Index);
    void (*free)(void*);
    void (*destroy_result)(Result*);
};

// Null in some place if the library is not what we think.
template <typename Function>
bool look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Functions> functions_of(void* library) {
    Functions f{};
    const bool all = look_up(library, "duckdb_open", f.open) &&
                     look_up(library, "duckdb_close", f.close) &&
                     look_up(library, "duckdb_connect", f.connect) &&
                     look_up(library, "duckdb_disconnect", f.disconnect) &&
                     look_up(library, "duckdb_query", f.query) &&
                     look_up(library, "duckdb_result_error", f.result_error) &&
                     look_up(library, "duckdb_row_count", f.row_count) &&
                     look_up(library, "duckdb_value_varchar", f.value_varchar) &&
                     look_up(library, "duckdb_free", f.free) &&
                     look_up(library, "duckdb_destroy_result", f.destroy_result);
    return all ? std::optional(f) : std::nullopt;
}

class DuckDb final : public Engine {
  public:
    explicit DuckDb(const Functions& functions) : f_(functions) {}
    DuckDb(const DuckDb&) = delete;
    DuckDb& operator=(const DuckDb&) = delete;
    ~DuckDb() override {
        if (connection_ != nullptr) f_.disconnect(&connection_);
        if (database_ != nullptr) f_.close(&database_);
    }

    // It shall evaluate what it is given.
    bool open() {
        return f_.open(nullptr, &database_) == 0 && f_.connect(database_, &connection_) == 0 &&
               run("pragma disable_optimizer").empty() && run("set threads = 1").empty();
    }

    lang::Dialect dialect() const override { return lang::Dialect::duckdb; }

    std::string run(const std::string& statement) override {
        Result result{};
        const bool failed = f_.query(connection_, statement.c_str(), &result) != 0;
        std::string message = failed ? message_of(result) : "";
        f_.destroy_result(&result);
        return message;
    }

    std::vector<Tried> evaluate(const std::string& expression, std::size_t rows) override {
        return ask(expression, "from samples order by n", rows);
    }

    Tried evaluate_row(const std::string& expression, std::size_t row) override {
        const std::string one = "from (from samples where n = " + std::to_string(row) + ")";
        return ask(expression, one, 1).front();
    }

  private:
    // try() is NULL where its operand raises; a value is "TYPE=text" to be told from that.
    std::vector<Tried> ask(const std::string& expression, const std::string& from,
                           std::size_t rows) {
        const std::string text = "select try(coalesce(typeof(" + expression + ") || '=' || (" +
                                 expression + ")::varchar, 'NULL')) " + from;
        Result result{};
        std::vector<Tried> out;
        if (f_.query(connection_, text.c_str(), &result) != 0) {
            out.assign(rows, {Tried::State::error, message_of(result)});
        } else {
            for (Index i = 0; i < rows; ++i) out.push_back(tried(result, i));
        }
        f_.destroy_result(&result);
        return out;
    }

    std::string message_of(Result& result) const {
        const char* message = f_.result_error(&result);
        const std::string text = message != nullptr ? message : "an error without a message";
        return text.substr(0, text.find('\n'));
    }

    Tried tried(Result& result, Index row) const {
        char* text = f_.value_varchar(&result, 0, row);
        if (text == nullptr) return {Tried::State::error, "raises"};
        const std::string coded = text;
        f_.free(text);
        const std::size_t sign = coded.find('=');
        if (sign == std::string::npos) return {Tried::State::null, {}};
        std::string value = coded.substr(sign + 1);
        if (value == "-nan") value = "nan";  // SQL sees no sign of NaN
        return {Tried::State::value, std::move(value), coded.substr(0, sign)};
    }

    Functions f_;
    Handle database_ = nullptr;
    Handle connection_ = nullptr;
};

}  // namespace

Found find_duckdb() {
    const char* named = std::getenv("SATURA_DUCKDB_LIBRARY");
    // Never closed: it leaves threads behind.
    void* library = dlopen(named != nullptr ? named : "libduckdb.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, dlerror()};
    const std::optional<Functions> functions = functions_of(library);
    if (!functions) return {nullptr, "the library lacks functions of DuckDB's C interface"};
    auto engine = std::make_unique<DuckDb>(*functions);
    if (!engine->open()) return {nullptr, "no database"};
    return {std::move(engine), {}};
}

}  // namespace satura::test
