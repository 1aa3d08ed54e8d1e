// satura batch, and all that reads or writes JSON.
#include <fmt/format.h>

#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "app/answer_json.hpp"
#include "app/commands.hpp"
#include "app/settings.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

using Json = nlohmann::ordered_json;

namespace {

// Invalid UTF-8 in a message (a user's identifier) must not stop the run.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The JSON library writes and frees nested values by recursion: a line that is nested deeper is
// refused before it is read.
constexpr std::uint32_t json_depth_max = 500;

// The first bracket that is nested too deeply.
std::optional<std::uint32_t> first_too_deep(std::string_view line) {
    std::uint32_t depth = 0;
    bool in_string = false;
    for (std::uint32_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > json_depth_max) return i;
        } else if (c == ']' || c == '}') {
            depth -= depth > 0;
        }
    }
    return std::nullopt;
}

// A limit as a number of the engine: larger ones are as good as the largest.
template <class Number>
Number clamped(double value) {
    constexpr Number most = std::numeric_limits<Number>::max();
    return value >= static_cast<double>(most) ? most : static_cast<Number>(value);
}

lang::Diagnostic mistake(std::string code, std::string message) {
    return {std::move(code), {}, std::move(message), {}};
}

// What a request asks for, or what is wrong with it.
struct Request {
    SimplifyRequest simplify;
    lang::Semantics semantics;
    std::string simplifier_key;  // requests of one key share a Simplifier
};

class RequestReader {
  public:
    explicit RequestReader(const Json& body) : body_(body) {}

    std::optional<lang::Diagnostic> read(Request& out) {
        if (!body_.is_object()) return mistake("bad-request", "a request is a JSON object");
        for (const auto& [key, value] : body_.items()) {
            if (auto error = check_key(key, value)) return error;
        }
        if (!body_.contains("expr"))
            return mistake("bad-request",
                           "a request needs \"expr\" and, for its columns, \"columns\"");
        out.simplify.expr = body_["expr"];
        out.simplify.columns = body_.value("columns", "");
        std::string context = body_.value("context", "value");
        if (context != "value" && context != "filter")
            return mistake("bad-request", "\"context\" is \"value\" or \"filter\"");
        out.simplify.context = context == "filter" ? SimplifyRequest::Context::filter
                                                   : SimplifyRequest::Context::value;
        if (auto error = read_semantics(out)) return error;
        return read_limits(out.simplify.limits);
    }

  private:
    static std::optional<lang::Diagnostic> check_key(const std::string& key, const Json& value) {
        for (const char* text : {"columns", "expr", "context", "dialect"}) {
            if (key == text && !value.is_string())
                return mistake("bad-request", fmt::format("\"{}\" is a string", key));
        }
        for (const char* known :
             {"id", "columns", "expr", "context", "dialect", "semantics", "limits"}) {
            if (key == known) return std::nullopt;
        }
        for (const char* planned : {"sql", "schema", "equal_to", "stats"}) {
            if (key == planned)
                return mistake("not-available",
                               fmt::format("\"{}\" is not available in this version", key));
        }
        if (key == "proof") {
            if (value == false) return std::nullopt;
            return mistake("not-available", "\"proof\" is not available in this version");
        }
        return mistake("bad-request", fmt::format("unknown key \"{}\"", key));
    }

    std::optional<lang::Diagnostic> read_semantics(Request& out) {
        std::string dialect = body_.value("dialect", "postgres");
        auto known = read_dialect(dialect);
        if (const auto* error = std::get_if<std::string>(&known))
            return mistake("bad-request", *error);
        out.semantics = lang::Semantics::of(std::get<lang::Dialect>(known));
        out.simplifier_key = dialect;
        if (!body_.contains("semantics")) return std::nullopt;
        const Json& settings = body_["semantics"];
        if (!settings.is_object()) return mistake("bad-request", "\"semantics\" is an object");
        for (const auto& [name, value] : settings.items()) {
            if (!value.is_string() ||
                !set_semantics(out.semantics, name, value.get<std::string>())) {
                return mistake("bad-request",
                               fmt::format("no semantics \"{}\": {}", name, dump(value)));
            }
        }
        out.simplifier_key += dump(settings);
        return std::nullopt;
    }

    std::optional<lang::Diagnostic> read_limits(egraph::Limits& limits) {
        if (!body_.contains("limits")) return std::nullopt;
        const Json& given = body_["limits"];
        if (!given.is_object()) return mistake("bad-request", "\"limits\" is an object");
        for (const auto& [name, value] : given.items()) {
            const double number = value.is_number() ? value.get<double>() : -1;
            if (name == "nodes")
                limits.nodes = clamped<std::uint32_t>(number);
            else if (name == "iterations")
                limits.iterations = clamped<std::uint32_t>(number);
            else if (name == "memory")
                limits.bytes = clamped<std::size_t>(number);
            else if (name == "time")
                limits.time_ms = number;
            else
                return mistake("bad-request", fmt::format("unknown limit \"{}\"", name));
            if (number < 0)
                return mistake("bad-request",
                               fmt::format("limit \"{}\" is a number, 0 or more", name));
        }
        return std::nullopt;
    }

    const Json& body_;
};

class Batch {
  public:
    explicit Batch(std::vector<rules::Source> more) : more_(std::move(more)) {}

    std::string answer(const std::string& line) {
        if (auto at = first_too_deep(line)) {
            return error_json("null", "request", {"bad-json", {*at, *at}, "nested too deeply", {}},
                              line);
        }
        Json body = Json::parse(line, nullptr, false);
        if (body.is_discarded()) return bad_json(line);
        std::string id = body.is_object() && body.contains("id") ? dump(body["id"]) : "null";
        Request request;
        if (auto error = RequestReader(body).read(request))
            return error_json(id, "request", *error, "");
        return simplify(id, request);
    }

  private:
    std::string simplify(const std::string& id, const Request& request) try {
        auto result = simplifier(request).simplify(request.simplify);
        if (auto* answer = std::get_if<SimplifyAnswer>(&result)) return answer_json(id, *answer);
        const RequestError& error = std::get<RequestError>(result);
        const std::string& text =
            error.in == "columns" ? request.simplify.columns : request.simplify.expr;
        return error_json(id, error.in, error.diagnostic, text);
    } catch (const std::exception& error) {
        // A bug of ours costs this request, not the run; what the Simplifier holds is in doubt.
        simplifiers_.erase(request.simplifier_key);
        return error_json(
            id, "request",
            mistake("internal-error", fmt::format("internal error: {}", error.what())), "");
    }

    static std::string bad_json(const std::string& line) {
        std::string message = "not JSON";
        std::uint32_t at = 0;
        // A number beyond a double's range is another exception, without a place.
        try {
            Json ignored = Json::parse(line);
        } catch (const Json::parse_error& error) {
            at = static_cast<std::uint32_t>(error.byte == 0 ? 0 : error.byte - 1);
        } catch (const Json::exception&) {
            message = "a number is out of range";
        }
        lang::Diagnostic diagnostic{"bad-json", {at, at}, message, {}};
        return error_json("null", "request", diagnostic, line);
    }

    Simplifier& simplifier(const Request& request) {
        auto it = simplifiers_.find(request.simplifier_key);
        if (it != simplifiers_.end()) return *it->second;
        if (simplifiers_.size() >= simplifiers_max) simplifiers_.clear();
        auto made = std::make_unique<Simplifier>(request.semantics, more_);
        return *simplifiers_.emplace(request.simplifier_key, std::move(made)).first->second;
    }

    static constexpr std::size_t simplifiers_max = 32;
    std::vector<rules::Source> more_;
    std::map<std::string, std::unique_ptr<Simplifier>> simplifiers_;
};

}  // namespace

std::string answer_json(std::string_view id, const SimplifyAnswer& answer) {
    Json json;
    json["id"] = Json::parse(id);
    json["ok"] = true;
    json["result"] = answer.result;
    json["cost_before"] = answer.cost_before;
    json["cost_after"] = answer.cost_after;
    json["opaque"] = answer.opaque;
    json["stop"] = egraph::stop_name(answer.stop);
    json["iterations"] = answer.iterations;
    json["nodes"] = answer.nodes;
    json["classes"] = answer.classes;
    json["rules"] = Json::object();
    for (const auto& [name, times] : answer.rules) json["rules"][name] = times;
    json["time_us"] = answer.time_us;
    json["warnings"] = answer.warnings;
    return dump(json);
}

std::string error_json(std::string_view id, std::string_view in, const lang::Diagnostic& diagnostic,
                       std::string_view text) {
    Json json;
    json["id"] = Json::parse(id);
    json["ok"] = false;
    Json& error = json["error"];
    error["message"] = diagnostic.message;
    error["in"] = in;
    if (in != "request" || !text.empty()) {
        lang::Place place = lang::place_of(text, diagnostic.span.begin);
        error["line"] = place.line;
        error["column"] = place.column;
    }
    if (!diagnostic.help.empty()) error["help"] = diagnostic.help;
    return dump(json);
}

int run_batch(const BatchOptions& options) {
    std::vector<rules::Source> more;
    if (!read_rule_files(options.rules, more)) return exit_mistake;
    if (!more.empty()) {
        Simplifier probe(lang::Semantics::of(lang::Dialect::postgres), more);
        for (const std::string& error : probe.rule_errors()) std::cerr << error;
        if (!probe.rule_errors().empty()) return exit_mistake;
    }
    std::ios::sync_with_stdio(false);
    Batch batch(std::move(more));
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::cout << batch.answer(line) << '\n';
        if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
    }
    std::cout.flush();
    return std::cout ? exit_done : exit_internal;
}

}  // namespace satura::app
