// A line of `satura batch` (docs/batch.md), read.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "lang/diagnostic.hpp"
#include "lang/semantics.hpp"
#include "optimizer/optimizer.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

// A query, with the schema that it stands in.
struct QueryRequest {
    std::string schema;
    OptimizeRequest optimize;
};

struct Request {
    std::string id;  // JSON text
    lang::Semantics semantics;
    std::string semantics_key;  // the same for all requests of the same semantics
    std::variant<SimplifyRequest, QueryRequest> task;
    std::optional<std::string> equal_to;  // a second query or expression
};

// A line that is no request.
struct BadRequest {
    std::string id;  // JSON text; "null" where there is none to be read
    lang::Diagnostic diagnostic;
    bool has_place = false;  // in the line
};

std::variant<Request, BadRequest> read_request(const std::string& line);

}  // namespace satura::app
