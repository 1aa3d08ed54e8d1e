// Answers and errors as JSON text, in the form of the contract (docs/batch.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/diagnostic.hpp"
#include "optimizer/optimizer.hpp"
#include "optimizer/simplifier.hpp"

namespace satura::app {

// `id` is JSON text; `is_equal` is there if a second query or expression was. One line, without its end.
std::string answer_json(std::string_view id, const Answer& answer,
                        std::optional<bool> is_equal = {});
std::string answer_json(std::string_view id, const OptimizeAnswer& answer,
                        std::optional<bool> is_equal = {});
// An error in `in`, with its place in `text`; without a place where `text` is empty.
std::string error_json(std::string_view id, std::string_view in, const lang::Diagnostic& diagnostic,
                       std::string_view text);

}  // namespace satura::app
