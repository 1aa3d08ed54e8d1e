#include "app/request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/json_depth.hpp"
#include "app/settings.hpp"

namespace satura::app {

namespace {

using Json = nlohmann::ordered_json;
using Mistake = std::optional<lang::Diagnostic>;

// Escaped surrogates and the like come back as they can.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

lang::Diagnostic mistake(std::string code, std::string message) {
    return {std::move(code), {}, std::move(message), {}};
}

lang::Diagnostic bad_request(std::string message) {
    return mistake("bad-request", std::move(message));
}

// Why a line is no JSON.
lang::Diagnostic bad_json(const std::string& line) {
    std::string message = "not JSON";
    std::uint32_t at = 0;
    // A number beyond a double's range is another exception, without a place.
    try {
        const Json ignored = Json::parse(line);
    } catch (const Json::parse_error& error) {
        at = static_cast<std::uint32_t>(error.byte == 0 ? 0 : error.byte - 1);
    } catch (const Json::exception&) {
        message = "a number is out of range";
    }
    return {"bad-json", {at, at}, message, {}};
}

// A limit as a number of the engine: larger ones are as good as the largest.
template <class Number>
Number clamped(double value) {
    constexpr Number most = std::numeric_limits<Number>::max();
    return value >= static_cast<double>(most) ? most : static_cast<Number>(value);
}

// Who may have a key, and as what.
enum class Owner : std::uint8_t { both, expression, query, later };
struct Key {
    std::string_view name;
    Owner owner;
    bool is_text;
};
constexpr Key keys[] = {
    {"id", Owner::both, false},           {"dialect", Owner::both, true},
    {"semantics", Owner::both, false},    {"limits", Owner::both, false},
    {"proof", Owner::both, false},        {"expr", Owner::expression, true},
    {"columns", Owner::expression, true}, {"context", Owner::expression, true},
    {"sql", Owner::query, true},          {"schema", Owner::query, true},
    {"equal_to", Owner::both, true},      {"stats", Owner::later, false},
};

class RequestReader {
  public:
    explicit RequestReader(const Json& body) : body_(body) {}

    Mistake read(Request& out) const {
        if (!body_.is_object()) return bad_request("a request is a JSON object");
        for (const auto& [name, value] : body_.items()) {
            if (auto error = check_key(name, value)) return error;
        }
        if (auto error = check_kind()) return error;
        if (auto error = read_semantics(out)) return error;
        if (body_.contains("equal_to")) out.equal_to = body_["equal_to"];
        egraph::Limits limits;
        if (auto error = read_limits(limits)) return error;
        if (body_.contains("sql")) {
            out.task = QueryRequest{body_.value("schema", ""),
                                    {body_["sql"], limits, false, body_.value("proof", false)}};
            return std::nullopt;
        }
        return read_expression(limits, out);
    }

  private:
    static Mistake check_key(const std::string& name, const Json& value) {
        const Key* key = std::find_if(std::begin(keys), std::end(keys),
                                      [&](const Key& known) { return known.name == name; });
        if (key == std::end(keys)) return bad_request(fmt::format("unknown key \"{}\"", name));
        if (key->owner == Owner::later) {
            return mistake("not-available",
                           fmt::format("\"{}\" is not available in this version", name));
        }
        if (name == "proof" && !value.is_boolean())
            return bad_request("\"proof\" is true or false");
        if (key->is_text && !value.is_string())
            return bad_request(fmt::format("\"{}\" is a string", name));
        return std::nullopt;
    }

    // A query or an expression, and nothing that belongs to the other.
    Mistake check_kind() const {
        const bool is_query = body_.contains("sql");
        if (is_query && body_.contains("expr"))
            return bad_request("a request has \"sql\" or \"expr\", not both");
        if (!is_query && !body_.contains("expr")) {
            return bad_request(
                "a request needs \"sql\" and, for its tables, \"schema\", or \"expr\" and, for its "
                "columns, \"columns\"");
        }
        for (const Key& key : keys) {
            const Owner other = is_query ? Owner::expression : Owner::query;
            if (key.owner == other && body_.contains(key.name)) {
                return bad_request(fmt::format("\"{}\" does not go with \"{}\"", key.name,
                                               is_query ? "sql" : "expr"));
            }
        }
        return std::nullopt;
    }

    Mistake read_expression(const egraph::Limits& limits, Request& out) const {
        SimplifyRequest request;
        request.expr = body_["expr"];
        request.columns = body_.value("columns", "");
        request.limits = limits;
        request.proof = body_.value("proof", false);
        const std::string context = body_.value("context", "value");
        if (context != "value" && context != "filter")
            return bad_request("\"context\" is \"value\" or \"filter\"");
        if (context == "filter") request.context = SimplifyRequest::Context::filter;
        out.task = std::move(request);
        return std::nullopt;
    }

    Mistake read_semantics(Request& out) const {
        const std::string dialect = body_.value("dialect", "postgres");
        const auto known = read_dialect(dialect);
        if (const auto* error = std::get_if<std::string>(&known)) return bad_request(*error);
        out.semantics = lang::Semantics::of(std::get<lang::Dialect>(known));
        out.semantics_key = dialect;
        if (!body_.contains("semantics")) return std::nullopt;
        const Json& settings = body_["semantics"];
        if (!settings.is_object()) return bad_request("\"semantics\" is an object");
        for (const auto& [name, value] : settings.items()) {
            if (!value.is_string() ||
                !set_semantics(out.semantics, name, value.get<std::string>())) {
                return bad_request(fmt::format("no semantics \"{}\": {}", name, dump(value)));
            }
        }
        out.semantics_key += dump(settings);
        return std::nullopt;
    }

    Mistake read_limits(egraph::Limits& limits) const {
        if (!body_.contains("limits")) return std::nullopt;
        const Json& given = body_["limits"];
        if (!given.is_object()) return bad_request("\"limits\" is an object");
        for (const auto& [name, value] : given.items()) {
            const double number = value.is_number() ? value.get<double>() : -1;
            const double number_or_0 = std::max(number, 0.0);
            if (name == "nodes")
                limits.nodes = clamped<std::uint32_t>(number_or_0);
            else if (name == "iterations")
                limits.iterations = clamped<std::uint32_t>(number_or_0);
            else if (name == "memory")
                limits.bytes = clamped<std::size_t>(number_or_0);
            else if (name == "time")
                limits.time_ms = number_or_0;
            else
                return bad_request(fmt::format("unknown limit \"{}\"", name));
            if (number < 0)
                return bad_request(fmt::format("limit \"{}\" is a number, 0 or more", name));
        }
        return std::nullopt;
    }

    const Json& body_;
};

}  // namespace

std::variant<Request, BadRequest> read_request(const std::string& line) {
    if (auto at = first_too_deep(line))
        return BadRequest{"null", {"bad-json", {*at, *at}, "nested too deeply", {}}, true};
    const Json body = Json::parse(line, nullptr, false);
    if (body.is_discarded()) return BadRequest{"null", bad_json(line), true};
    Request request;
    request.id = body.is_object() && body.contains("id") ? dump(body["id"]) : "null";
    if (auto error = RequestReader(body).read(request))
        return BadRequest{request.id, std::move(*error), false};
    return request;
}

}  // namespace satura::app
