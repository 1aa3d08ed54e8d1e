#include "app/answer_json.hpp"

#include <nlohmann/json.hpp>

#include "app/plan_json.hpp"
#include "app/proof_json.hpp"

namespace satura::app {

namespace {

using Json = nlohmann::ordered_json;

// Invalid UTF-8 in a message (a user's identifier) must not stop the run.
std::string dump(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json head(std::string_view id, const std::string& result, std::optional<bool> is_equal) {
    Json json;
    json["id"] = Json::parse(id);
    json["ok"] = true;
    json["result"] = result;
    if (is_equal) json["equal"] = *is_equal;
    return json;
}

// What answers of both kinds have.
void add_run(Json& json, const Answer& answer) {
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
    if (!answer.unproved.empty()) json["unproved"] = answer.unproved;
}

std::string with_proof(std::string json, const Answer& answer) {
    if (!answer.proof) return json;
    json.back() = ',';
    return json + "\"proof\":" + proof_json(*answer.proof) + "}";
}

}  // namespace

std::string answer_json(std::string_view id, const Answer& answer, std::optional<bool> is_equal) {
    Json json = head(id, answer.result, is_equal);
    add_run(json, answer);
    return with_proof(dump(json), answer);
}

std::string answer_json(std::string_view id, const OptimizeAnswer& answer,
                        std::optional<bool> is_equal) {
    // The plan stands between two objects, as text: the library would write it by recursion.
    std::string text = dump(head(id, answer.result, is_equal));
    text.back() = ',';
    text += "\"plan\":" + plan_json(answer.after) + ',';
    Json tail;
    tail["joins"] = answer.joins;
    add_run(tail, answer);
    tail["explanation"] = Json::array();
    for (const AppliedRule& applied : answer.explanation) {
        tail["explanation"].push_back(
            {{"rule", applied.rule}, {"where", applied.where}, {"reason", applied.reason}});
    }
    return with_proof(text.append(dump(tail), 1), answer);
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
        const lang::Place place = lang::place_of(text, diagnostic.span.begin);
        error["line"] = place.line;
        error["column"] = place.column;
    }
    if (!diagnostic.help.empty()) error["help"] = diagnostic.help;
    return dump(json);
}

}  // namespace satura::app
