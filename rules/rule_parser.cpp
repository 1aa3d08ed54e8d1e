#include "rules/rule_parser.hpp"

#include <algorithm>
#include <array>

#include "rules/nearest.hpp"

namespace satura::rules {

namespace {

const std::array<std::string, 7> clause_words = {"for", "let",     "where", "when",
                                                 "may", "example", "keep"};

bool is_clause_word(std::string_view word) {
    return std::find(clause_words.begin(), clause_words.end(), word) != clause_words.end();
}

Arrow arrow_of(std::string_view text) {
    return text == "=>" ? Arrow::explore : text == "~>" ? Arrow::normalise : Arrow::both;
}

// Where the arrow is among tokens [begin, end), outside of brackets: `=>` or `~>` where there is one, else the only `<=>`.
struct ArrowPlace {
    std::uint32_t token = no_term;
    bool ambiguous = false;
};

ArrowPlace arrow_among(const TokenReader& reader, std::uint32_t begin, std::uint32_t end) {
    ArrowPlace place;
    std::uint32_t both = no_term, both_count = 0;
    int depth = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
        const Token& token = reader.token(i);
        if (token.kind != TokenKind::symbol) continue;
        const std::string_view text = reader.text_of(token);
        if (text == "(" || text == "{") ++depth;
        if (text == ")" || text == "}") --depth;
        if (depth != 0) continue;
        if (text == "=>" || text == "~>") return {i, false};
        if (text == "<=>") both = both_count++ == 0 ? i : both;
    }
    if (both_count > 0) place = {both, both_count > 1};
    return place;
}

}  // namespace

RuleSyntax RuleParser::rule() {
    rule_ = {};
    has_where_ = has_when_ = has_may_ = false;
    rule_.name = reader_.hyphenated_name("the rule's name", "write rule NAME: LEFT => RIGHT");
    if (!reader_.failed() && !reader_.is_symbol(":")) {
        if (!reader_.fail_if_invalid()) {
            reader_.fail("missing-colon", reader_.span(),
                         "expected \":\" after the rule's name, found " + reader_.found(),
                         "write rule " + rule_.name.text + ": LEFT => RIGHT");
        }
    }
    reader_.take_symbol(":");
    if (!reader_.failed()) sides();
    while (!reader_.failed() && !reader_.at_end()) clause();
    return std::move(rule_);
}

bool RuleParser::at_clause() const {
    return reader_.kind() == TokenKind::name && is_clause_word(reader_.text());
}

std::uint32_t RuleParser::find_arrow() {
    // The sides end at the first clause: a clause's word at the start of a line.
    const std::uint32_t begin = reader_.position();
    std::uint32_t end = begin;
    const std::uint32_t back = begin;
    while (!reader_.at_end()) {
        const Token& token = reader_.token(reader_.position());
        if (token.first_on_line && at_clause() && !reader_.is_symbol("(", 1)) break;
        reader_.advance();
    }
    end = reader_.position();
    reader_.rewind(back);
    const ArrowPlace place = arrow_among(reader_, begin, end);
    if (place.ambiguous) {
        reader_.fail("ambiguous-arrow",
                     {reader_.token(place.token).begin, reader_.token(place.token).end},
                     "one of these <=> is the rule's arrow, and it is not clear which",
                     "put the comparisons in parentheses");
    }
    return place.token;
}

void RuleParser::sides() {
    const std::uint32_t arrow = find_arrow();
    if (reader_.failed()) return;
    rule_.left = terms_.side(arrow);
    if (reader_.failed()) return;
    if (reader_.position() != arrow) {
        reader_.fail("missing-arrow", reader_.span(),
                     "expected an arrow after the left side, found " + reader_.found(),
                     "the arrows are => (explore), ~> (normalise) and <=> (both directions)");
        return;
    }
    rule_.arrow = arrow_of(reader_.text());
    rule_.arrow_span = reader_.span();
    reader_.advance();
    rule_.right = terms_.side();
}

void RuleParser::clause() {
    const std::uint32_t first = reader_.position();
    const std::string_view word = reader_.text();
    if (reader_.fail_if_invalid()) return;
    if (reader_.take_word("for")) {
        for_clause();
    } else if (reader_.take_word("let")) {
        let_clause();
    } else if (reader_.take_word("where")) {
        once(has_where_, "where");
        where_clause();
    } else if (reader_.take_word("when")) {
        once(has_when_, "when");
        when_clause();
    } else if (reader_.is_word("may") && reader_.is_word("raise", 1)) {
        reader_.advance(2);
        once(has_may_, "may raise");
        rule_.may_raise = true;
        if (!reader_.failed()) add_clause(ClauseSyntax::Kind::may_raise, 0, first);
        return;
    } else if (word == "example" || word == "keep") {
        reader_.advance();
        example(word == "keep");
    } else if (reader_.kind() == TokenKind::name) {
        reader_.fail("unknown-clause", reader_.span(),
                     "unknown clause \"" + std::string(word) + "\"",
                     did_you_mean(word, clause_words,
                                  "the clauses are for, let, where, when, may raise, example "
                                  "and keep"));
    } else {
        reader_.fail("expected", reader_.span(),
                     "expected a clause or the next statement, found " + reader_.found(),
                     "a statement starts in the first column");
    }
    if (reader_.failed()) return;
    switch (word[0]) {
        case 'f':
            return add_clause(ClauseSyntax::Kind::for_, rule_.fors.size() - 1, first);
        case 'l':
            return add_clause(ClauseSyntax::Kind::let, rule_.lets.size() - 1, first);
        case 'w':
            return add_clause(word == "when" ? ClauseSyntax::Kind::when : ClauseSyntax::Kind::where,
                              0, first);
        default:
            return add_clause(ClauseSyntax::Kind::example, rule_.examples.size() - 1, first);
    }
}

void RuleParser::once(bool& seen, std::string_view clause) {
    if (seen) {
        reader_.fail("clause-twice", reader_.span_before(),
                     "the rule has a second \"" + std::string(clause) + "\"",
                     clause == "may raise" ? "leave one out"
                     : clause == "where"   ? "join the conditions with \";\""
                                           : "join the settings with \",\"");
    }
    seen = true;
}

void RuleParser::add_clause(ClauseSyntax::Kind kind, std::size_t index, std::uint32_t first_token) {
    ClauseSyntax clause;
    clause.kind = kind;
    clause.index = static_cast<std::uint32_t>(index);
    clause.span = reader_.span_from(first_token);
    rule_.clauses.push_back(std::move(clause));
}

void RuleParser::for_clause() {
    ForSyntax clause;
    const std::uint32_t first = reader_.position();
    if (reader_.kind() != TokenKind::variable) {
        reader_.fail("expected", reader_.span(),
                     "expected a variable after \"for\", found " + reader_.found(),
                     "write for ?op in < <= > >=");
        return;
    }
    clause.variable = reader_.variable_name();
    if (!reader_.take_word("in")) {
        reader_.fail("expected", reader_.span(),
                     "expected \"in\" after the variable of \"for\", found " + reader_.found(),
                     "write for ?op in < <= > >=");
        return;
    }
    while (!reader_.at_end() && !at_clause()) {
        Name name = reader_.operator_name();
        if (name.text.empty()) break;
        clause.operators.push_back(std::move(name));
    }
    if (clause.operators.empty()) {
        reader_.fail("expected", reader_.span(),
                     "expected operators after \"in\", found " + reader_.found(),
                     "write for ?op in < <= > >=");
        return;
    }
    clause.span = reader_.span_from(first);
    rule_.fors.push_back(std::move(clause));
}

void RuleParser::let_clause() {
    LetSyntax clause;
    const std::uint32_t first = reader_.position();
    if (reader_.kind() != TokenKind::variable) {
        reader_.fail("expected", reader_.span(),
                     "expected a variable after \"let\", found " + reader_.found(),
                     "write let ?d = word(?x)");
        return;
    }
    clause.variable = reader_.variable_name();
    if (!reader_.expect_symbol("=", "after the variable of \"let\"", "write let ?d = word(?x)")) {
        return;
    }
    clause.word = word();
    if (reader_.failed()) return;
    clause.span = reader_.span_from(first);
    rule_.lets.push_back(std::move(clause));
}

void RuleParser::where_clause() {
    do {
        if (reader_.failed()) return;
        rule_.conditions.push_back(condition());
    } while (reader_.take_symbol(";"));
    if (reader_.is_symbol(",")) {
        reader_.fail("expected", reader_.span(), "expected \";\" between conditions, found \",\"",
                     "write where one(?x); other(?y)");
    }
}

ConditionSyntax RuleParser::condition() {
    ConditionSyntax out;
    const std::uint32_t first = reader_.position();
    if (reader_.kind() == TokenKind::variable) {
        out.variable = reader_.variable_name();
        if (!reader_.expect_symbol(":", "after a variable in a condition",
                                   "write ?c: literal, or word(?c)")) {
            return out;
        }
        out.kind = {std::string(reader_.text()), reader_.span()};
        if (reader_.kind() != TokenKind::name) {
            reader_.fail("expected", reader_.span(),
                         "expected a kind after \":\", found " + reader_.found(),
                         "the kinds are expression, literal, type and rest");
        }
        reader_.advance();
    } else {
        do {
            out.alternatives.push_back(word());
        } while (!reader_.failed() && reader_.take_word("or"));
    }
    if (!reader_.failed()) out.span = reader_.span_from(first);
    return out;
}

WordSyntax RuleParser::word() {
    WordSyntax out;
    const std::uint32_t first = reader_.position();
    out.negated = reader_.take_word("not");
    out.word = reader_.hyphenated_name("a word", "write word(?x), or ?c: literal");
    if (reader_.failed()) return out;
    if (!reader_.expect_symbol("(", "after the word \"" + out.word.text + "\"",
                               "write " + out.word.text + "(?x)"))
        return out;
    if (!reader_.take_symbol(")")) {
        do {
            out.arguments.push_back(argument());
        } while (!reader_.failed() && reader_.take_symbol(","));
        if (!reader_.failed())
            reader_.expect_symbol(")", "or \",\" after an argument", "write word(?x, ?y)");
    }
    if (!reader_.failed()) out.span = reader_.span_from(first);
    return out;
}

ArgumentSyntax RuleParser::argument() {
    ArgumentSyntax out;
    const std::uint32_t first = reader_.position();
    if (reader_.fail_if_invalid()) return out;
    const OperatorMap map = TermParser::map_named(reader_.text());
    const bool is_mapped = map != OperatorMap::none && reader_.is_symbol("(", 1) &&
                           reader_.kind(2) == TokenKind::variable && reader_.is_symbol(")", 3);
    if (reader_.kind() == TokenKind::variable || is_mapped) {
        if (is_mapped) reader_.advance(2);
        out.map = is_mapped ? map : OperatorMap::none;
        out.text = reader_.variable_name().text;
        if (is_mapped) reader_.advance();
    } else if (reader_.kind() == TokenKind::rest) {
        out.dots = true;
        out.text = reader_.text().substr(4);
        reader_.advance();
    } else if (reader_.kind() == TokenKind::number || reader_.kind() == TokenKind::string ||
               (reader_.is_symbol("-") && reader_.kind(1) == TokenKind::number)) {
        out.kind = reader_.kind() == TokenKind::string ? ArgumentSyntax::Kind::string
                                                       : ArgumentSyntax::Kind::number;
        if (reader_.is_symbol("-")) reader_.advance();
        reader_.advance();
        out.text = TermParser::word_text(reader_, first, reader_.position());
    } else {
        out.kind = ArgumentSyntax::Kind::words;
        for (int depth = 0; !reader_.at_end() &&
                            (depth > 0 || (!reader_.is_symbol(")") && !reader_.is_symbol(",")));) {
            depth += reader_.is_symbol("(") ? 1 : reader_.is_symbol(")") ? -1 : 0;
            reader_.advance();
        }
        out.text = TermParser::word_text(reader_, first, reader_.position());
        if (out.text.empty()) {
            reader_.fail("expected", reader_.span(),
                         "expected an argument, found " + reader_.found());
        }
    }
    if (!reader_.failed()) out.span = reader_.span_from(first);
    return out;
}

void RuleParser::when_clause() {
    do {
        SettingSyntax setting;
        for (Name* name : {&setting.setting, &setting.value}) {
            if (reader_.kind() != TokenKind::name) {
                reader_.fail(
                    "expected", reader_.span(),
                    "expected a setting and its value after \"when\", found " + reader_.found(),
                    "write when nan total");
                return;
            }
            *name = {std::string(reader_.text()), reader_.span()};
            reader_.advance();
        }
        rule_.settings.push_back(std::move(setting));
    } while (reader_.take_symbol(","));
}

void RuleParser::example(bool keep) {
    ExampleSyntax out;
    out.keep = keep;
    const std::uint32_t begin = reader_.position();
    std::uint32_t colon = no_term;
    int depth = 0;
    while (!reader_.at_end() && !reader_.failed()) {
        if (reader_.token(reader_.position()).first_on_line && at_clause()) break;
        if (reader_.fail_if_invalid()) return;
        depth += reader_.is_symbol("(") ? 1 : reader_.is_symbol(")") ? -1 : 0;
        if (colon == no_term && depth == 0 && reader_.is_symbol(":")) colon = reader_.position();
        reader_.advance();
    }
    const std::uint32_t end = reader_.position();
    if (colon != no_term) out.columns = raw(begin, colon, "columns before \":\"");
    const std::uint32_t left = colon == no_term ? begin : colon + 1;
    if (keep) {
        out.left = raw(left, end, "a term after \"keep\"");
    } else {
        const ArrowPlace arrow = arrow_among(reader_, left, end);
        if (arrow.token == no_term || arrow.ambiguous) {
            const Span span = reader_.span_from(begin == end ? begin - 1 : begin);
            reader_.fail(arrow.ambiguous ? "ambiguous-arrow" : "missing-arrow", span,
                         arrow.ambiguous ? "it is not clear which <=> is the example's arrow"
                                         : "the example has no arrow",
                         arrow.ambiguous ? "put the comparisons in parentheses"
                                         : "write example x int: TERM => TERM; a term that must "
                                           "stay as it is follows \"keep\"");
            return;
        }
        out.arrow = arrow_of(reader_.text_of(reader_.token(arrow.token)));
        out.left = raw(left, arrow.token, "a term before the arrow");
        out.right = raw(arrow.token + 1, end, "a term after the arrow");
    }
    if (reader_.failed()) return;
    out.span = reader_.span_from(begin);
    rule_.examples.push_back(std::move(out));
}

Name RuleParser::raw(std::uint32_t begin, std::uint32_t end, std::string_view what) {
    if (reader_.failed()) return {};
    if (begin >= end) {
        const std::uint32_t before = begin - 1;
        reader_.fail("expected", {reader_.token(before).begin, reader_.token(before).end},
                     "expected " + std::string(what),
                     "write example x int: TERM => TERM, or keep x int: TERM");
        return {};
    }
    return {reader_.one_blank(begin, end),
            {reader_.token(begin).begin, reader_.token(end - 1).end}};
}

}  // namespace satura::rules
