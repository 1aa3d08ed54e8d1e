// Functions of texts, and operators on texts.
#include <array>
#include <string>

#include "lang/cast.hpp"
#include "lang/function_tables.hpp"
#include "lang/number.hpp"
#include "lang/outcome.hpp"

namespace satura::lang {

namespace {

using Types = Function::Types;
using Constants = Function::Constants;
using Syntax = Function::Syntax;

// --- Result types

std::optional<Type> text_of_texts(Types types, const Semantics&) {
    return are_text_like(types) ? std::optional(Type(TypeKind::text)) : std::nullopt;
}

std::optional<Type> truth_of_texts(Types types, const Semantics&) {
    return are_text_like(types) ? std::optional(Type(TypeKind::boolean)) : std::nullopt;
}

// Counts and places of characters.
std::optional<Type> count_of_texts(Types types, const Semantics& semantics) {
    if (!are_text_like(types)) return std::nullopt;
    return Type(is_duckdb(semantics) ? TypeKind::bigint : TypeKind::integer);
}

// A text and then numbers: left('abc', 2), repeat('a', 3).
std::optional<Type> text_by_count(Types types, const Semantics&) {
    const bool taken = is_text_like(types[0]) && std::ranges::all_of(types.subspan(1), is_integer);
    return taken ? std::optional(Type(TypeKind::text)) : std::nullopt;
}

// lpad('7', 3, '0'), split_part is the other way round.
std::optional<Type> padded_text(Types types, const Semantics&) {
    const bool taken = is_text_like(types[0]) && is_integer(types[1]) &&
                       (types.size() < 3 || is_text_like(types[2]));
    return taken ? std::optional(Type(TypeKind::text)) : std::nullopt;
}

std::optional<Type> part_of_text(Types types, const Semantics&) {
    const bool taken = is_text_like(types[0]) && is_text_like(types[1]) && is_integer(types[2]);
    return taken ? std::optional(Type(TypeKind::text)) : std::nullopt;
}

// By places, or by a pattern.
std::optional<Type> substring_of(Types types, const Semantics& semantics) {
    return is_integer(types[1]) ? text_by_count(types, semantics) : text_of_texts(types, semantics);
}

// Of lists, concat makes a list.
std::optional<Type> text_of_all(Types types, const Semantics&) {
    const auto is_known = [](Type type) { return type.kind() != TypeKind::opaque; };
    return std::ranges::all_of(types, is_known) ? std::optional(Type(TypeKind::text))
                                                : std::nullopt;
}

// --- Errors

// PostgreSQL raises where a length is negative.
bool places_may_raise(Types types, Constants constants, const Semantics&) {
    if (!std::ranges::all_of(types.subspan(1), is_small_integer)) return true;
    if (types.size() < 3) return false;
    const Value* length = constant_at(constants, 2);
    return length == nullptr || (!length->is_null() && Number::sign(*length) < 0);
}

// --- Values

bool is_text(const Value& v) { return v.kind() == Value::Kind::text; }

bool are_texts(const Call& call) {
    return std::ranges::all_of(call.arguments, [](const Value* v) { return is_text(*v); });
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 128; });
}

Outcome text_value(std::string text) { return value_outcome(Value::text(std::move(text))); }

template <class Change>
Outcome changed_case(const Call& call, Change change) {
    if (!is_text(call[0]) || !is_ascii(call[0].as_text()))
        return unknown_outcome();  // needs the locale
    std::string text(text_argument(call, 0));
    for (char& c : text) c = change(c);
    return text_value(std::move(text));
}

Outcome upper_of(const Call& call) {
    return changed_case(
        call, [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
}

Outcome lower_of(const Call& call) {
    return changed_case(
        call, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
}

Outcome length_of(const Call& call) {
    // MySQL's length counts bytes.
    if (!is_text(call[0]) || call.semantics.dialect == Dialect::mysql) return unknown_outcome();
    return value_outcome(
        Value::integer(static_cast<std::int64_t>(character_count(text_argument(call, 0)))));
}

// Without the characters of the second argument, which is a blank where there is none.
Outcome trimmed(const Call& call, bool left, bool right) {
    if (!are_texts(call)) return unknown_outcome();
    const std::string_view gone = call.arguments.size() > 1 ? text_argument(call, 1) : " ";
    std::string_view text = text_argument(call, 0);
    if (!is_ascii(gone)) return unknown_outcome();
    const auto goes = [&](char c) { return gone.find(c) != std::string_view::npos; };
    while (left && !text.empty() && goes(text.front())) text.remove_prefix(1);
    while (right && !text.empty() && goes(text.back())) text.remove_suffix(1);
    return text_value(std::string(text));
}

Outcome trim_of(const Call& call) { return trimmed(call, true, true); }
Outcome ltrim_of(const Call& call) { return trimmed(call, true, false); }
Outcome rtrim_of(const Call& call) { return trimmed(call, false, true); }

Outcome concatenation_of(const Call& call) {
    if (!are_texts(call)) return unknown_outcome();
    std::string text;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) text += text_argument(call, i);
    return text_value(std::move(text));
}

// concat: a NULL is no text.
Outcome concat_of(const Call& call) {
    std::string text;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        if (call[i].is_null()) continue;
        // PostgreSQL keeps the blanks of a char here.
        if (!is_text(call[i]) || call.types[i].kind() == TypeKind::char_) return unknown_outcome();
        text += call[i].as_text();
    }
    return text_value(std::move(text));
}

Outcome replace_of(const Call& call) {
    constexpr std::size_t bytes_max = 1U << 20U;
    if (!are_texts(call)) return unknown_outcome();
    const std::string_view text = text_argument(call, 0);
    const std::string_view from = text_argument(call, 1);
    const std::string_view to = text_argument(call, 2);
    if (from.empty()) return text_value(std::string(text));
    std::string result;
    std::size_t begin = 0;
    for (std::size_t at = text.find(from); at != std::string_view::npos;
         at = text.find(from, begin)) {
        result.append(text, begin, at - begin).append(to);
        begin = at + from.size();
        if (result.size() > bytes_max) return unknown_outcome();
    }
    return text_value(result.append(text, begin));
}

Outcome starts_with_of(const Call& call) {
    if (!are_texts(call)) return unknown_outcome();
    return boolean_outcome(text_argument(call, 0).starts_with(text_argument(call, 1)));
}

// The place of the second text in the first, from 1; 0 where it is not there.
Outcome position_of(const Call& call) {
    if (!are_texts(call)) return unknown_outcome();
    const std::string_view text = text_argument(call, 0);
    const std::string_view part = text_argument(call, 1);
    if (part.empty()) return unknown_outcome();
    const std::size_t at = text.find(part);
    const std::size_t place =
        at == std::string_view::npos ? 0 : character_count(text.substr(0, at)) + 1;
    return value_outcome(Value::integer(static_cast<std::int64_t>(place)));
}

constexpr Function of_texts(std::string_view name, std::uint8_t least, std::uint8_t most,
                            Function::Evaluate evaluate, Dialects dialects = in_both) {
    return {.name = name,
            .least = least,
            .most = most,
            .dialects = dialects,
            .gives_value = true,
            .result_type = text_of_texts,
            .evaluate = evaluate};
}

constexpr Function count(std::string_view name, Dialects dialects, Function::Evaluate evaluate) {
    return {.name = name,
            .dialects = dialects,
            .gives_value = true,
            .result_type = count_of_texts,
            .evaluate = evaluate};
}

constexpr Function place(std::string_view name, Syntax syntax) {
    return {.name = name,
            .least = 2,
            .most = 2,
            .dialects = in_both,
            .gives_value = true,
            .syntax = syntax,
            .result_type = count_of_texts,
            .evaluate = position_of};
}

constexpr Function by_places(std::string_view name, std::uint8_t most,
                             Function::ResultType result_type) {
    return {.name = name,
            .least = 2,
            .most = most,
            .dialects = in_both,
            .gives_value = true,
            .result_type = result_type,
            .may_raise = places_may_raise};
}

constexpr Function match(std::string_view name, Syntax syntax, std::uint8_t most, Dialects dialects,
                         Function::MayRaise may_raise) {
    return {.name = name,
            .least = 2,
            .most = most,
            .dialects = dialects,
            .gives_value = true,
            .syntax = syntax,
            .result_type = truth_of_texts,
            .may_raise = may_raise};
}

constexpr std::uint8_t many = 255;

constexpr std::array functions = {
    of_texts("lower", 1, 1, lower_of, everywhere),
    of_texts("upper", 1, 1, upper_of, everywhere),
    of_texts("initcap", 1, 1, nullptr, in_postgres),
    of_texts("reverse", 1, 1, nullptr),
    of_texts("trim", 1, 2, trim_of, everywhere),
    of_texts("btrim", 1, 2, trim_of, in_postgres),
    of_texts("ltrim", 1, 2, ltrim_of, everywhere),
    of_texts("rtrim", 1, 2, rtrim_of, everywhere),
    of_texts("md5", 1, 1, nullptr),
    of_texts("replace", 3, 3, replace_of),
    of_texts("translate", 3, 3, nullptr),
    count("length", everywhere, length_of),
    count("char_length", everywhere, length_of),
    count("character_length", everywhere, length_of),
    count("len", in_duckdb, length_of),
    count("octet_length", in_postgres, nullptr),
    count("bit_length", in_both, nullptr),
    place("strpos", Syntax::call),
    place("position", Syntax::position),
    Function{.name = "instr",
             .least = 2,
             .most = 2,
             .dialects = in_duckdb,
             .gives_value = true,
             .result_type = count_of_texts,
             .evaluate = position_of},
    Function{.name = "starts_with",
             .least = 2,
             .most = 2,
             .dialects = in_both,
             .gives_value = true,
             .result_type = truth_of_texts,
             .evaluate = starts_with_of},
    Function{.name = "concat",
             .least = 1,
             .most = many,
             .dialects = in_both,
             .is_strict = false,
             .gives_value = true,
             .result_type = text_of_all,
             .evaluate = concat_of},
    Function{.name = "concat_ws",
             .least = 2,
             .most = many,
             .dialects = in_both,
             .is_strict = false,
             .result_type = always<TypeKind::text>},
    by_places("left", 2, text_by_count),
    by_places("right", 2, text_by_count),
    by_places("substring", 3, substring_of),
    by_places("substr", 3, substring_of),
    raising("repeat", 2, 2, text_by_count),
    raising("lpad", 2, 3, padded_text),
    raising("rpad", 2, 3, padded_text),
    raising("split_part", 3, 3, part_of_text),
    raising("ascii", 1, 1, always<TypeKind::integer>),
    raising("chr", 1, 1, always<TypeKind::text>),
    raising("regexp_replace", 3, 4, text_of_texts),
    raising("to_number", 2, 2, always<TypeKind::numeric>, in_postgres),
    Function{.name = "format",
             .least = 1,
             .most = many,
             .dialects = in_postgres,
             .is_strict = false,
             .result_type = text_of_all,
             .may_raise = may_always_raise},
    raising("quote_literal", 1, 1, always<TypeKind::text>, in_postgres),
    raising("quote_ident", 1, 1, always<TypeKind::text>, in_postgres),
    raising("to_hex", 1, 1, always<TypeKind::text>, in_postgres),
    Function{.name = "||",
             .least = 2,
             .most = 2,
             .gives_value = true,
             .syntax = Syntax::infix,
             .result_type = text_of_texts,
             .evaluate = concatenation_of},
    match("~", Syntax::infix, 2, in_both, may_always_raise),
    match("~*", Syntax::infix, 2, in_postgres, may_always_raise),
    match("ilike", Syntax::like, 3, in_both, pattern_may_raise),
    match("similar to", Syntax::like, 3, in_both, may_always_raise),
};

}  // namespace

std::span<const Function> text_functions() { return functions; }

}  // namespace satura::lang
