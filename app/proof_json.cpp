#include "app/proof_json.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/json_depth.hpp"
#include "app/settings.hpp"
#include "lang/sql_expr.hpp"

namespace satura::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view format_name = "satura-proof";
constexpr int format_version = 1;

struct Mistake {
    std::string message;
};

Json term_json(const proof::WrittenTerm& term) {
    Json json;
    json["op"] = term.op;
    if (term.is_null)
        json["value"] = nullptr;
    else if (!term.payload.empty())
        json["value"] = term.payload;
    if (!term.type.empty()) json["type"] = term.type;
    if (!term.children.empty()) json["of"] = term.children;
    return json;
}

Json binding_json(const proof::Binding& binding, const lang::Context& types) {
    using Kind = proof::Binding::Kind;
    Json terms = Json::array();
    for (proof::TermId term : binding.terms) terms.push_back(proof::index(term));
    switch (binding.kind) {
        case Kind::rest:
            return terms;
        case Kind::type:
            return Json{{"type", lang::write_type(binding.type, types)}};
        case Kind::literal:
            return Json{{"literal", terms[0]}};
        default:
            return terms[0];
    }
}

Json step_json(std::size_t number, const proof::Step& step, const lang::Context& types) {
    Json json;
    json["step"] = number;
    json["rule"] = step.rule;
    json["left"] = proof::index(step.left);
    json["right"] = proof::index(step.right);
    json["with"] = Json::object();
    for (const proof::Binding& binding : step.bindings)
        json["with"][binding.variable] = binding_json(binding, types);
    return json;
}

std::string text_of(const Json& json, const char* key) {
    if (!json.contains(key) || !json[key].is_string())
        throw Mistake{fmt::format("\"{}\" is a string", key)};
    return json[key].get<std::string>();
}

const Json& array_of(const Json& json, const char* key) {
    if (!json.contains(key) || !json[key].is_array())
        throw Mistake{fmt::format("\"{}\" is an array", key)};
    return json[key];
}

std::uint32_t number_of(const Json& json, const char* what) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() >= 0xFFFFFFFFU)
        throw Mistake{fmt::format("{} is a number from 0", what)};
    return json.get<std::uint32_t>();
}

proof::WrittenTerm read_written(const Json& json) {
    if (!json.is_object()) throw Mistake{"a term is an object"};
    proof::WrittenTerm term;
    term.op = text_of(json, "op");
    for (const auto& [name, value] : json.items()) {
        if (name == "value" && value.is_null())
            term.is_null = true;
        else if (name == "value")
            term.payload = text_of(json, "value");
        else if (name == "type")
            term.type = text_of(json, "type");
        else if (name == "of")
            for (const Json& child : array_of(json, "of"))
                term.children.push_back(number_of(child, "a term"));
        else if (name != "op")
            throw Mistake{fmt::format("unknown key \"{}\" in a term", name)};
    }
    return term;
}

proof::Binding read_binding(const std::string& variable, const Json& json, lang::Context& types) {
    using Kind = proof::Binding::Kind;
    proof::Binding binding;
    binding.variable = variable;
    const auto add = [&](const Json& term) {
        binding.terms.push_back(proof::TermId{number_of(term, "a term")});
    };
    if (json.is_array()) {
        binding.kind = Kind::rest;
        for (const Json& term : json) add(term);
    } else if (json.is_object() && json.size() == 1 && json.contains("literal")) {
        binding.kind = Kind::literal;
        add(json["literal"]);
    } else if (json.is_object() && json.size() == 1 && json.contains("type")) {
        binding.kind = Kind::type;
        const auto type = lang::parse_type(text_of(json, "type"), types);
        if (!type) throw Mistake{"no type: " + text_of(json, "type")};
        binding.type = *type;
    } else {
        add(json);
    }
    return binding;
}

proof::Step read_step(const Json& json, std::size_t number, lang::Context& types) {
    if (!json.is_object() || !json.contains("with") || !json["with"].is_object())
        throw Mistake{fmt::format("step {}: it is an object with \"with\"", number)};
    const bool is_next = json.contains("step") && json["step"] == number;
    if (!is_next) throw Mistake{fmt::format("step {}: it does not have this number", number)};
    for (const auto& [name, value] : json.items()) {
        if (name != "step" && name != "rule" && name != "left" && name != "right" && name != "with")
            throw Mistake{fmt::format("step {}: unknown key \"{}\"", number, name)};
    }
    proof::Step step;
    step.rule = text_of(json, "rule");
    step.left = proof::TermId{number_of(json.value("left", Json()), "\"left\"")};
    step.right = proof::TermId{number_of(json.value("right", Json()), "\"right\"")};
    for (const auto& [variable, value] : json["with"].items())
        step.bindings.push_back(read_binding(variable, value, types));
    return step;
}

void read_semantics(const Json& json, ReadProof& out) {
    const std::string dialect = text_of(json, "dialect");
    const auto known = read_dialect(dialect);
    if (const auto* error = std::get_if<std::string>(&known)) throw Mistake{*error};
    out.proof.semantics = lang::Semantics::of(std::get<lang::Dialect>(known));
    out.semantics_key = dialect;
    if (!json.contains("semantics")) return;
    if (!json["semantics"].is_object()) throw Mistake{"\"semantics\" is an object"};
    for (const auto& [name, value] : json["semantics"].items()) {
        const bool is_set =
            value.is_string() && set_semantics(out.proof.semantics, name, value.get<std::string>());
        if (!is_set) throw Mistake{fmt::format("no semantics \"{}\"", name)};
    }
    out.semantics_key += json["semantics"].dump();
}

void read_expression(const Json& json, proof::Proof& proof) {
    proof.columns = text_of(json, "columns");
    const std::string context = text_of(json, "context");
    if (context != "value" && context != "filter")
        throw Mistake{"\"context\" is \"value\" or \"filter\""};
    proof.as_filter = context == "filter";
}

void read_query(const Json& json, proof::Proof& proof) {
    proof.schema = text_of(json, "schema");
    for (const Json& term : array_of(json, "result")) {
        const bool is_none = term.is_null();
        proof.results.push_back(is_none ? proof::no_term
                                        : proof::TermId{number_of(term, "a term")});
    }
}

void read_body(const Json& json, ReadProof& out) {
    if (!json.is_object() || json.value("format", "") != format_name)
        throw Mistake{"it is no proof: \"format\" is not \"satura-proof\""};
    if (json.value("version", 0) != format_version)
        throw Mistake{fmt::format("only proofs of version {} can be read", format_version)};
    read_semantics(json, out);
    lang::Context types;
    types.semantics = out.proof.semantics;
    proof::Proof& proof = out.proof;
    proof.is_query = json.contains("schema");
    if (proof.is_query)
        read_query(json, proof);
    else
        read_expression(json, proof);
    proof.before = text_of(json, "before");
    proof.after = text_of(json, "after");
    for (const Json& term : array_of(json, "terms")) proof.terms.push_back(read_written(term));
    for (const Json& step : array_of(json, "steps"))
        proof.steps.push_back(read_step(step, proof.steps.size() + 1, types));
}

}  // namespace

std::string proof_json(const proof::Proof& proof) {
    lang::Context types;
    types.semantics = proof.semantics;
    Json json;
    json["format"] = format_name;
    json["version"] = format_version;
    json["dialect"] = lang::dialect_name(proof.semantics.dialect);
    Json settings = Json::object();
    for (const auto& [name, value] : changed_semantics(proof.semantics)) settings[name] = value;
    if (!settings.empty()) json["semantics"] = settings;
    if (proof.is_query) {
        json["schema"] = proof.schema;
    } else {
        json["columns"] = proof.columns;
        json["context"] = proof.as_filter ? "filter" : "value";
    }
    json["before"] = proof.before;
    json["after"] = proof.after;
    json["terms"] = Json::array();
    for (const proof::WrittenTerm& term : proof.terms) json["terms"].push_back(term_json(term));
    json["steps"] = Json::array();
    for (std::size_t i = 0; i < proof.steps.size(); ++i)
        json["steps"].push_back(step_json(i + 1, proof.steps[i], types));
    if (proof.is_query) json["result"] = Json::array();
    for (proof::TermId result : proof.results) {
        const bool is_none = result == proof::no_term;
        json["result"].push_back(is_none ? Json() : Json(proof::index(result)));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string explanation_json(const proof::Explanation& explanation) {
    Json json = Json::array();
    for (const proof::ExplainedStep& step : explanation.steps) {
        Json one;
        one["step"] = json.size() + 1;
        one["rule"] = step.rule;
        one["left"] = step.left;
        one["right"] = step.right;
        one["with"] = Json::object();
        for (const auto& [variable, text] : step.with) one["with"][variable] = text;
        one["because"] = Json::array();
        for (const auto& [condition, terms] : step.because)
            one["because"].push_back({{"condition", condition}, {"of", terms}});
        one["after"] = step.after;
        json.push_back(std::move(one));
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::variant<ReadProof, NoProof, BadProof> read_proof(const std::string& text) {
    if (first_too_deep(text)) return BadProof{"nested too deeply"};
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::parse_error&) {
        return BadProof{"not JSON"};
    } catch (const Json::exception& error) {
        return BadProof{error.what()};
    }
    ReadProof out;
    out.id = "null";
    try {
        const bool is_answer = json.is_object() && json.contains("ok");
        if (!is_answer) {
            read_body(json, out);
            return out;
        }
        if (json.contains("id")) out.id = json["id"].dump();
        if (json["ok"] != true) return NoProof{out.id, true, "the answer is an error"};
        if (!json.contains("proof") || json["proof"].is_null())
            return NoProof{out.id, false, json.value("unproved", "the answer has no proof")};
        read_body(json["proof"], out);
        return out;
    } catch (const Mistake& mistake) {
        return BadProof{mistake.message};
    } catch (const Json::exception& error) {
        return BadProof{error.what()};
    }
}

}  // namespace satura::app
