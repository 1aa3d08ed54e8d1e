#include "rules/token_reader.hpp"

#include <algorithm>
#include <array>

namespace satura::rules {

namespace {

constexpr std::array<std::string_view, 14> operator_symbols = {
    "=", "<>", "<", "<=", ">", ">=", "<=>", "+", "-", "*", "/", "%", "||", "^"};
constexpr std::array<std::string_view, 4> tests = {"null", "true", "false", "unknown"};

}  // namespace

TokenKind TokenReader::kind(std::uint32_t ahead) const {
    return at_ + ahead < stop_ ? tokens_[at_ + ahead].kind : TokenKind::end;
}

std::string_view TokenReader::text(std::uint32_t ahead) const {
    return at_ + ahead < stop_ ? text_of(tokens_[at_ + ahead]) : std::string_view();
}

Span TokenReader::span(std::uint32_t ahead) const {
    if (at_ + ahead < stop_) return {tokens_[at_ + ahead].begin, tokens_[at_ + ahead].end};
    if (stop_ == begin_) return {};
    return {tokens_[stop_ - 1].end, tokens_[stop_ - 1].end};
}

Span TokenReader::span_from(std::uint32_t first_token) const {
    const std::uint32_t last = at_ > first_token ? at_ - 1 : first_token;
    return {tokens_[first_token].begin, tokens_[last].end};
}

bool TokenReader::touches_next(std::uint32_t ahead) const {
    return at_ + ahead + 1 < stop_ && tokens_[at_ + ahead].end == tokens_[at_ + ahead + 1].begin;
}

bool TokenReader::take_symbol(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    advance();
    return true;
}

bool TokenReader::take_word(std::string_view word) {
    if (!is_word(word)) return false;
    advance();
    return true;
}

bool TokenReader::expect_symbol(std::string_view symbol, std::string_view where,
                                std::string_view help) {
    if (take_symbol(symbol)) return true;
    if (fail_if_invalid()) return false;
    fail("expected", span(),
         "expected \"" + std::string(symbol) + "\" " + std::string(where) + ", found " + found(),
         std::string(help));
    return false;
}

void TokenReader::fail(std::string code, Span span, std::string message, std::string help) {
    if (!failed_) {
        errors_.push_back({std::move(code), span, std::move(message), std::move(help)});
    }
    failed_ = true;
    at_ = stop_;
}

std::string TokenReader::found() const {
    if (at_end()) return "the end of the statement";
    return kind() == TokenKind::quoted ? std::string(text()) : "\"" + std::string(text()) + "\"";
}

bool TokenReader::fail_if_invalid() {
    if (kind() != TokenKind::invalid) return false;
    const std::string_view what = text();
    if (what.starts_with('\'') || what.starts_with('"')) {
        fail("unclosed-string", span(), "the string has no end on its line",
             "close it with " + std::string(what.substr(0, 1)) +
                 (what[0] == '\'' ? "; a quote inside is written ''" : ""));
    } else if (what.starts_with("...")) {
        fail("lone-rest", span(), "a rest needs a variable", "write ...?rest");
    } else {
        fail("lone-question-mark", span(), "a variable needs a name", "write ?x");
    }
    return true;
}

Name TokenReader::hyphenated_name(std::string_view what, std::string_view help) {
    if (fail_if_invalid()) return {};
    if (kind() != TokenKind::name && kind() != TokenKind::number) {
        fail("missing-name", span(), "expected " + std::string(what) + ", found " + found(),
             std::string(help));
        return {};
    }
    const std::uint32_t first = at_;
    while (touches_next()) {
        const bool is_part = kind(1) == TokenKind::name || kind(1) == TokenKind::number ||
                             (is_symbol("-", 1) && touches_next(1) &&
                              (kind(2) == TokenKind::name || kind(2) == TokenKind::number));
        if (!is_part) break;
        advance(is_symbol("-", 1) ? 2 : 1);
    }
    advance();
    const Span where = span_from(first);
    return {std::string(text_.substr(where.begin, where.end - where.begin)), where};
}

Name TokenReader::variable_name() {
    Name name{std::string(text().substr(1)), span()};
    advance();
    return name;
}

Name TokenReader::operator_name() {
    Name name{std::string(text()), span()};
    if (kind() == TokenKind::quoted) {
        name.text = name.text.substr(1, name.text.size() - 2);
        advance();
        return name;
    }
    if (is_word("is") && std::find(tests.begin(), tests.end(), text(1)) != tests.end()) {
        name.text = "is " + std::string(text(1));
        name.span.end = span(1).end;
        advance(2);
        return name;
    }
    const bool is_operator =
        kind() == TokenKind::name ||
        (kind() == TokenKind::symbol && std::find(operator_symbols.begin(), operator_symbols.end(),
                                                  text()) != operator_symbols.end());
    if (!is_operator) return {};
    advance();
    return name;
}

std::string TokenReader::one_blank(std::uint32_t begin, std::uint32_t end) const {
    std::string out;
    for (std::uint32_t i = begin; i < end; ++i) {
        if (i > begin && tokens_[i - 1].end != tokens_[i].begin) out += ' ';
        out += text_of(tokens_[i]);
    }
    return out;
}

}  // namespace satura::rules
