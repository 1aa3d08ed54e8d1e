#include "lang/function.hpp"

#include <unordered_map>

#include "lang/cast.hpp"
#include "lang/function_tables.hpp"
#include "lang/like.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using Table = std::unordered_map<std::string_view, const Function*>;

Table all_functions() {
    Table table;
    for (const auto part :
         {number_functions(), text_functions(), time_functions(), session_functions()}) {
        for (const Function& function : part) table.emplace(function.name, &function);
    }
    return table;
}

}  // namespace

std::string_view text_argument(const Call& call, std::size_t i) {
    const bool padded = call.types[i].kind() == TypeKind::char_ && call.semantics.chars_are_padded;
    return padded ? without_trailing_blanks(call[i].as_text()) : call[i].as_text();
}

bool pattern_may_raise(Function::Types types, Function::Constants constants,
                       const Semantics& semantics) {
    const Value* pattern = constant_at(constants, 1);
    if (pattern == nullptr) return true;
    if (pattern->is_null()) return false;
    if (types.size() > 2) return true;
    const std::string_view escape = is_duckdb(semantics) ? "" : "\\";
    return pattern->kind() != Value::Kind::text || !like_matches("", pattern->as_text(), escape);
}

const Function* find_function(std::string_view name, Dialect dialect) {
    static const Table table = all_functions();
    const auto found = table.find(name);
    const bool has = found != table.end() && (found->second->dialects & only(dialect)) != 0;
    return has ? found->second : nullptr;
}

Outcome call_function(const Function& function, const Call& call) {
    const bool known = function.evaluate != nullptr && function.takes(call.arguments.size()) &&
                       function.result_type(call.types, call.semantics);
    return known ? function.evaluate(call) : unknown_outcome();
}

}  // namespace satura::lang
