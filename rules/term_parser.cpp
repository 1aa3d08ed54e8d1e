#include "rules/term_parser.hpp"

#include <algorithm>
#include <array>

#include "rules/parser.hpp"

namespace satura::rules {

namespace {

constexpr std::array<std::string_view, 7> comparisons = {"=", "<>", "<", "<=", ">", ">=", "<=>"};
constexpr std::array<std::string_view, 6> map_names = {"",       "flip",       "negate",
                                                       "weaken", "strengthen", "swap"};
constexpr std::array<std::string_view, 15> reserved = {"and",     "or",   "not", "is",      "in",
                                                       "between", "like", "as",  "for",     "let",
                                                       "where",   "each", "may", "example", "keep"};
constexpr std::array<std::string_view, 4> tests = {"null", "true", "false", "unknown"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

OperatorMap TermParser::map_named(std::string_view name) {
    for (std::size_t i = 1; i < map_names.size(); ++i) {
        if (map_names[i] == name) return static_cast<OperatorMap>(i);
    }
    return OperatorMap::none;
}

std::string_view TermParser::map_name(OperatorMap map) {
    return map_names[static_cast<std::size_t>(map)];
}

bool TermParser::is_reserved(std::string_view word) { return is_one_of(reserved, word); }

std::string TermParser::word_text(const TokenReader& reader, std::uint32_t begin,
                                  std::uint32_t end) {
    std::string out;
    auto is_word = [&](std::uint32_t i) {
        const TokenKind kind = reader.token(i).kind;
        return kind == TokenKind::name || kind == TokenKind::number;
    };
    for (std::uint32_t i = begin; i < end; ++i) {
        const bool after_word =
            i > begin && (is_word(i - 1) || reader.text_of(reader.token(i - 1)) == ")");
        if (after_word && is_word(i)) out += ' ';
        out += reader.text_of(reader.token(i));
    }
    return out;
}

// The grammar's levels call each other; enter() bounds how deep.
// NOLINTBEGIN(misc-no-recursion)

std::uint32_t TermParser::side(std::uint32_t arrow) {
    arrow_ = arrow;
    level_ = 0;
    depths_.resize(file_.terms.size(), 0);
    const std::uint32_t term = disjunction();
    return reader_.failed() ? no_term : term;
}

bool TermParser::enter() {
    if (++level_ <= nesting_max) return true;
    reader_.fail("nested-too-deeply", reader_.span(),
                 "the term is nested more than " + std::to_string(nesting_max) + " levels deep",
                 "write it with fewer parentheses, or as several rules");
    return false;
}

std::uint32_t TermParser::disjunction() {
    if (!enter()) return no_term;
    const std::uint32_t term = logic("or", &TermParser::conjunction);
    --level_;
    return term;
}

std::uint32_t TermParser::conjunction() { return logic("and", &TermParser::negation); }

// a and b and c: one node.
std::uint32_t TermParser::logic(std::string_view word, std::uint32_t (TermParser::*operand)()) {
    std::vector<std::uint32_t> operands{(this->*operand)()};
    while (!reader_.failed() && reader_.take_word(word)) operands.push_back((this->*operand)());
    if (reader_.failed()) return no_term;
    if (operands.size() == 1) return operands[0];
    Term term;
    term.kind = TermKind::apply;
    term.text = word;
    return add(std::move(term), operands);
}

std::uint32_t TermParser::negation() {
    if (!reader_.is_word("not")) return test();
    const Span span = reader_.span();
    reader_.advance();
    if (!enter()) return no_term;
    const std::uint32_t operand = negation();
    --level_;
    if (reader_.failed()) return no_term;
    const std::uint32_t term = apply("not", {operand});
    if (term != no_term) file_.terms[term].span.begin = span.begin;
    return term;
}

std::uint32_t TermParser::test() {
    const std::uint32_t operand = comparison();
    if (reader_.failed() || !reader_.take_word("is")) return operand;
    const bool negated = reader_.take_word("not");
    if (!is_one_of(tests, reader_.text())) {
        reader_.fail("expected", reader_.span(),
                     "expected null, true, false or unknown after \"is\", found " + reader_.found(),
                     "\"is not distinct from\" is written <=>");
        return no_term;
    }
    const Span word = reader_.span();
    const std::string name = "is " + std::string(reader_.text());
    reader_.advance();
    std::uint32_t term = apply(name, {operand});
    if (term != no_term) file_.terms[term].span.end = word.end;
    return negated && term != no_term ? apply("not", {term}) : term;
}

std::uint32_t TermParser::comparison() {
    const std::uint32_t left = sum();
    if (reader_.failed()) return no_term;
    if (at_infix()) {
        Term term = infix();
        const std::uint32_t right = sum();
        if (reader_.failed()) return no_term;
        if (at_infix()) {
            reader_.fail("comparison-chain", reader_.span(), "comparisons do not chain",
                         "put one of them in parentheses");
            return no_term;
        }
        const std::array operands{left, right};
        return add(std::move(term), operands);
    }
    const bool negated =
        reader_.is_word("not") &&
        (reader_.is_word("in", 1) || reader_.is_word("between", 1) || reader_.is_word("like", 1));
    if (negated) reader_.advance();
    std::uint32_t term = left;
    if (reader_.take_word("in")) {
        term = in_list(left);
    } else if (reader_.take_word("between")) {
        term = between(left);
    } else if (reader_.take_word("like")) {
        const std::uint32_t pattern = sum();
        term = reader_.failed() ? no_term : apply("like", {left, pattern});
    }
    return negated && !reader_.failed() ? apply("not", {term}) : term;
}

std::uint32_t TermParser::in_list(std::uint32_t operand) {
    std::vector<std::uint32_t> operands{operand};
    if (!reader_.expect_symbol("(", "after \"in\"", "write ?x in (?a, ...?rest)")) return no_term;
    if (!list(")", operands)) return no_term;
    Term term;
    term.kind = TermKind::apply;
    term.text = "in";
    term.span.end = reader_.span_from(reader_.position() - 1).end;
    return add(std::move(term), operands);
}

std::uint32_t TermParser::between(std::uint32_t operand) {
    const std::uint32_t low = sum();
    if (reader_.failed()) return no_term;
    if (!reader_.take_word("and")) {
        reader_.fail("expected", reader_.span(),
                     "expected \"and\" after the lower end of between, found " + reader_.found(),
                     "write ?x between ?a and ?b");
        return no_term;
    }
    const std::uint32_t high = sum();
    return reader_.failed() ? no_term : apply("between", {operand, low, high});
}

bool TermParser::at_mapped_variable(std::uint32_t ahead) const {
    return reader_.kind(ahead) == TokenKind::name &&
           map_named(reader_.text(ahead)) != OperatorMap::none &&
           reader_.is_symbol("(", ahead + 1) && reader_.kind(ahead + 2) == TokenKind::variable &&
           reader_.is_symbol(")", ahead + 3);
}

bool TermParser::at_infix() const {
    if (reader_.position() == arrow_) return false;
    if (reader_.kind() == TokenKind::symbol) return is_one_of(comparisons, reader_.text());
    return reader_.kind() == TokenKind::variable || at_mapped_variable();
}

// Takes an infix operator; the term has no operands yet.
Term TermParser::infix() {
    Term term;
    term.kind = TermKind::apply;
    if (reader_.kind() == TokenKind::symbol) {
        term.text = reader_.text();
        reader_.advance();
        return term;
    }
    term.operator_variable = true;
    if (reader_.kind() != TokenKind::variable) {
        term.map = map_named(reader_.text());
        reader_.advance(2);
    }
    term.text = reader_.variable_name().text;
    if (term.map != OperatorMap::none) reader_.advance();
    return term;
}

std::uint32_t TermParser::sum() { return chain({"+", "-", "||"}, false); }
std::uint32_t TermParser::product() { return chain({"*", "/", "%"}, true); }

// a + b - c, from the left.
std::uint32_t TermParser::chain(std::initializer_list<std::string_view> operators,
                                bool is_product) {
    std::uint32_t left = is_product ? factor() : product();
    std::string_view last;
    while (!reader_.failed() && reader_.kind() == TokenKind::symbol) {
        const auto* op = std::find(operators.begin(), operators.end(), reader_.text());
        if (op == operators.end()) break;
        reader_.advance();
        const std::uint32_t right = is_product ? factor() : product();
        if (reader_.failed()) break;
        Term term;
        term.kind = TermKind::apply;
        term.text = *op;
        term.chained = last == *op;
        const std::array operands{left, right};
        left = add(std::move(term), operands);
        last = *op;
    }
    return reader_.failed() ? no_term : left;
}

std::uint32_t TermParser::factor() {
    if (!reader_.is_symbol("-")) return primary();
    const Span span = reader_.span();
    if (reader_.touches_next() && reader_.kind(1) == TokenKind::number) {
        const std::string number = "-" + std::string(reader_.text(1));
        reader_.advance();
        const std::uint32_t term = leaf(TermKind::literal, number, LiteralText::number);
        if (term != no_term) file_.terms[term].span.begin = span.begin;
        return term;
    }
    reader_.advance();
    if (!enter()) return no_term;
    const std::uint32_t operand = factor();
    --level_;
    if (reader_.failed()) return no_term;
    const std::uint32_t term = apply("neg", {operand});
    if (term != no_term) file_.terms[term].span.begin = span.begin;
    return term;
}

std::uint32_t TermParser::primary() {
    const std::string_view text = reader_.text();
    switch (reader_.kind()) {
        case TokenKind::variable:
            if (reader_.is_symbol("(", 1) || reader_.is_symbol("{", 1)) {
                return operator_variable_application();
            }
            return leaf(TermKind::variable, std::string(text.substr(1)));
        case TokenKind::rest:
            return leaf(TermKind::rest, std::string(text.substr(4)));
        case TokenKind::number:
            return leaf(TermKind::literal, std::string(text), LiteralText::number);
        case TokenKind::string:
            return leaf(TermKind::literal, std::string(text), LiteralText::string);
        default:
            break;
    }
    if (reader_.take_symbol("(")) {
        const std::uint32_t term = disjunction();
        if (reader_.failed() || !reader_.expect_symbol(")", "to close the parenthesis",
                                                       "add it, or leave out the \"(\"")) {
            return no_term;
        }
        return term;
    }
    if (reader_.is_word("each")) {
        const Span span = reader_.span();
        reader_.advance();
        if (!enter()) return no_term;
        const std::array operands{reader_.is_word("not") ? negation() : primary()};
        --level_;
        if (reader_.failed()) return no_term;
        Term term;
        term.kind = TermKind::each;
        term.span = span;
        return add(std::move(term), operands);
    }
    if (at_mapped_variable() && (reader_.is_symbol("(", 4) || reader_.is_symbol("{", 4))) {
        return operator_variable_application();
    }
    return application();
}

// `true`, a leaf, `f(…)`, `f{…}`, a cast.
std::uint32_t TermParser::application() {
    if (reader_.fail_if_invalid()) return no_term;
    const std::string name(reader_.text());
    const bool has_braces = reader_.is_symbol("{", 1);
    const bool has_list =
        has_braces || (reader_.kind() == TokenKind::name && reader_.is_symbol("(", 1));
    if (!has_list && (name == "true" || name == "false" || name == "null")) {
        return leaf(TermKind::literal, name, LiteralText::word);
    }
    if ((name == "cast" || name == "try_cast") && has_list) return cast();
    const bool is_name = reader_.kind() == TokenKind::name && (has_list || !is_reserved(name));
    const bool is_symbol = reader_.kind() == TokenKind::symbol && has_braces;
    if (!is_name && !is_symbol) {
        reader_.fail("expected", reader_.span(), "expected a term, found " + reader_.found(),
                     is_reserved(name) ? "\"" + name + "\" is a word of the rule language"
                                       : "a term is a variable, a constant, or an operator with "
                                         "its operands");
        return no_term;
    }
    const std::uint32_t first = reader_.position();
    reader_.advance();
    Term term;
    term.kind = TermKind::apply;
    term.text = name;
    term.braces = has_braces;
    std::vector<std::uint32_t> operands;
    if (has_list) {
        reader_.advance();
        if (!list(has_braces ? "}" : ")", operands)) return no_term;
    }
    term.span = reader_.span_from(first);
    return add(std::move(term), operands);
}

std::uint32_t TermParser::operator_variable_application() {
    const std::uint32_t first = reader_.position();
    Term term = infix();
    term.braces = reader_.is_symbol("{");
    reader_.advance();
    std::vector<std::uint32_t> operands;
    if (!list(term.braces ? "}" : ")", operands)) return no_term;
    term.span = reader_.span_from(first);
    return add(std::move(term), operands);
}

// The operands up to the closing bracket, which is taken.
bool TermParser::list(std::string_view close, std::vector<std::uint32_t>& out) {
    if (reader_.take_symbol(close)) return true;
    do {
        out.push_back(disjunction());
        if (reader_.failed()) return false;
    } while (reader_.take_symbol(","));
    return reader_.expect_symbol(close, "or \",\" after an operand",
                                 "close the list, or go on with \",\"");
}

std::uint32_t TermParser::cast() {
    const std::uint32_t first = reader_.position();
    Term term;
    term.kind = TermKind::apply;
    term.text = reader_.text();
    reader_.advance(2);
    const std::array operands{disjunction()};
    if (reader_.failed()) return no_term;
    if (!reader_.take_word("as")) {
        reader_.fail("expected", reader_.span(),
                     "expected \"as\" and a type in the cast, found " + reader_.found(),
                     "write cast(?x as int), or cast(?x as ?T) for any type");
        return no_term;
    }
    const std::uint32_t type = reader_.position();
    if (reader_.kind() == TokenKind::variable) {
        term.type_variable = true;
        const Name name = reader_.variable_name();
        term.type = name.text;
        term.type_span = name.span;
    } else {
        for (int depth = 0; !reader_.at_end() && (depth > 0 || !reader_.is_symbol(")"));) {
            depth += reader_.is_symbol("(") ? 1 : reader_.is_symbol(")") ? -1 : 0;
            reader_.advance();
        }
        term.type = word_text(reader_, type, reader_.position());
        term.type_span = reader_.span_from(type);
    }
    if (!reader_.failed() && term.type.empty()) {
        reader_.fail("expected", reader_.span(), "expected a type, found " + reader_.found(),
                     "write cast(?x as int), or cast(?x as ?T) for any type");
    }
    if (!reader_.expect_symbol(")", "after the type")) return no_term;
    term.span = reader_.span_from(first);
    return add(std::move(term), operands);
}

// NOLINTEND(misc-no-recursion)

std::uint32_t TermParser::leaf(TermKind kind, std::string text, LiteralText how) {
    Term term;
    term.kind = kind;
    term.literal = how;
    term.text = std::move(text);
    term.span = reader_.span();
    reader_.advance();
    return add(std::move(term), {});
}

std::uint32_t TermParser::apply(std::string_view name,
                                std::initializer_list<std::uint32_t> operands) {
    Term term;
    term.kind = TermKind::apply;
    term.text = name;
    return add(std::move(term), {operands.begin(), operands.size()});
}

// A span that is not set yet, or in part, grows over the operands.
std::uint32_t TermParser::add(Term term, std::span<const std::uint32_t> operands) {
    if (reader_.failed()) return no_term;
    std::uint32_t depth = 0;
    for (std::uint32_t o : operands) {
        const Span span = span_of(o);
        if (term.span.end == 0 && term.span.begin == 0) term.span = span;
        term.span.begin = std::min(term.span.begin == 0 ? span.begin : term.span.begin, span.begin);
        term.span.end = std::max(term.span.end, span.end);
        depth = std::max(depth, depths_[o] + 1);
    }
    if (depth > nesting_max) {
        level_ = nesting_max;
        enter();
        return no_term;
    }
    term.first = static_cast<std::uint32_t>(file_.operands.size());
    term.count = static_cast<std::uint32_t>(operands.size());
    file_.operands.insert(file_.operands.end(), operands.begin(), operands.end());
    file_.terms.push_back(std::move(term));
    depths_.push_back(depth);
    return static_cast<std::uint32_t>(file_.terms.size() - 1);
}

}  // namespace satura::rules
