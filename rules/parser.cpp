#include "rules/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "rules/comments.hpp"
#include "rules/lexer.hpp"
#include "rules/nearest.hpp"
#include "rules/rule_parser.hpp"
#include "rules/term_parser.hpp"
#include "rules/token_reader.hpp"

namespace satura::rules {

namespace {

const std::array<std::string, 8> statement_words = {"ruleset", "phase", "order",     "operator",
                                                    "start",   "table", "procedure", "rule"};
constexpr std::uint32_t phase_max = 99;
constexpr std::uint32_t arity_max = 64;

class FileParser {
  public:
    FileParser(std::string_view text, Parsed& out)
        : tokens_(tokenize(text)),
          out_(out),
          file_(out.file),
          reader_(text, tokens_, out.errors),
          terms_(reader_, out.file),
          rules_(reader_, out.file) {}

    void run() {
        const auto count = static_cast<std::uint32_t>(tokens_.tokens.size() - 1);
        for (std::uint32_t begin = 0, end = 0; begin < count; begin = end) {
            end = begin + 1;
            while (end < count && !tokens_.tokens[end].first_column) ++end;
            statement(begin, end);
        }
        attach_comments(reader_.source(), tokens_, file_);
    }

  private:
    void statement(std::uint32_t begin, std::uint32_t end) {
        reader_.enter(begin, end);
        Statement statement;
        statement.span = {tokens_.tokens[begin].begin, tokens_.tokens[end - 1].end};
        const std::size_t terms = file_.terms.size(), operands = file_.operands.size();
        if (!tokens_.tokens[begin].first_column) {
            reader_.fail("statement-column", reader_.span(),
                         "nothing stands above that this line belongs to",
                         "a statement starts in the first column");
        } else {
            read(statement);
        }
        if (!reader_.failed() && !reader_.at_end() && !reader_.fail_if_invalid()) {
            reader_.fail("expected", reader_.span(),
                         "expected the end of the statement, found " + reader_.found(),
                         "the next statement starts in the first column");
        }
        if (!reader_.failed()) {
            file_.statements.push_back(std::move(statement));
            return;
        }
        file_.terms.resize(terms);
        file_.operands.resize(operands);
    }

    // Appends to the vector of the statement's kind, if the reading did not fail.
    template <class T>
    void keep(Statement& statement, Statement::Kind kind, std::vector<T>& list, T value) {
        if (reader_.failed()) return;
        if (!reader_.at_end()) return;  // statement() says so
        statement.kind = kind;
        statement.index = static_cast<std::uint32_t>(list.size());
        list.push_back(std::move(value));
    }

    void read(Statement& out) {
        using Kind = Statement::Kind;
        if (reader_.take_word("rule")) {
            keep(out, Kind::rule, file_.rules, rules_.rule());
            if (!reader_.failed()) file_.rules.back().span = out.span;
        } else if (reader_.take_word("ruleset")) {
            keep(out, Kind::ruleset, file_.rulesets,
                 reader_.hyphenated_name("the ruleset's name", "write ruleset NAME"));
        } else if (reader_.take_word("phase")) {
            keep(out, Kind::phase, file_.phases,
                 PhaseSyntax{number("a phase", phase_max, "write phase 1")});
        } else if (reader_.take_word("order")) {
            keep(out, Kind::order, file_.orders, order());
        } else if (reader_.take_word("operator")) {
            keep(out, Kind::operator_, file_.operators, declaration());
        } else if (reader_.take_word("start")) {
            keep(out, Kind::start, file_.starts, terms_.side());
        } else if (reader_.take_word("table")) {
            keep(out, Kind::table, file_.tables, table());
        } else if (reader_.take_word("procedure")) {
            keep(out, Kind::procedure, file_.procedures, procedure());
        } else if (!reader_.fail_if_invalid()) {
            reader_.fail("unknown-statement", reader_.span(),
                         "unknown statement " + reader_.found(),
                         did_you_mean(reader_.text(), statement_words,
                                      "statements are " + enumerate(statement_words) +
                                          "; lines that go on are indented"));
        }
    }

    std::uint32_t number(std::string_view what, std::uint32_t max, std::string_view help) {
        std::uint32_t value = 0;
        const std::string_view text = reader_.text();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool fits = error == std::errc() && end == text.data() + text.size() && value <= max;
        if (reader_.kind() != TokenKind::number || !fits) {
            reader_.fail("expected", reader_.span(),
                         "expected " + std::string(what) + ", a number from 0 to " +
                             std::to_string(max) + ", found " + reader_.found(),
                         std::string(help));
        }
        reader_.advance();
        return value;
    }

    OrderSyntax order() {
        OrderSyntax out;
        do {
            std::vector<Name>& rank = out.ranks.emplace_back();
            while (!reader_.at_end() && !reader_.is_symbol(";")) {
                Name name = reader_.operator_name();
                if (name.text.empty()) break;
                rank.push_back(std::move(name));
            }
            if (rank.empty() && !reader_.fail_if_invalid()) {
                reader_.fail("empty-rank", reader_.span(),
                             "expected an operator of the order, found " + reader_.found(),
                             "write order f g; h, the greatest rank first");
            }
        } while (!reader_.failed() && reader_.take_symbol(";"));
        return out;
    }

    OperatorSyntax declaration() {
        OperatorSyntax out;
        out.name = reader_.operator_name();
        if (out.name.text.empty() && !reader_.fail_if_invalid()) {
            reader_.fail("missing-name", reader_.span(),
                         "expected the operator's name, found " + reader_.found(),
                         "write operator f/2, or operator plus bag unit 0");
        }
        if (reader_.take_symbol("/")) {
            out.arity = number("the number of operands", arity_max, "write operator f/2");
        } else if (reader_.take_word("set")) {
            out.shape = OperatorSyntax::Shape::set;
        } else if (reader_.take_word("bag")) {
            out.shape = OperatorSyntax::Shape::bag;
        } else if (reader_.take_word("sequence")) {
            out.shape = OperatorSyntax::Shape::sequence;
        }
        if (reader_.take_word("unit")) out.unit = leaf();
        if (reader_.take_word("zero")) out.zero = leaf();
        return out;
    }

    Name leaf() {
        const std::uint32_t first = reader_.position();
        if (reader_.is_symbol("-") && reader_.kind(1) == TokenKind::number) reader_.advance();
        const TokenKind kind = reader_.kind();
        if (kind != TokenKind::name && kind != TokenKind::number && kind != TokenKind::string) {
            if (!reader_.fail_if_invalid()) {
                reader_.fail("expected", reader_.span(),
                             "expected a leaf, found " + reader_.found(),
                             "write unit 0, or the name of an operator without operands");
            }
            return {};
        }
        reader_.advance();
        return {TermParser::word_text(reader_, first, reader_.position()),
                reader_.span_from(first)};
    }

    TableSyntax table() {
        TableSyntax out;
        out.name = reader_.hyphenated_name("the table's name", "write table NAME: and its lines");
        if (reader_.failed()) return out;
        if (!reader_.expect_symbol(":", "after the table's name",
                                   "write table NAME: and its lines"))
            return out;
        std::uint32_t line = 0;
        while (!reader_.at_end()) {
            const std::uint32_t at = reader_.token(reader_.position()).line;
            if (at != line) out.rows.emplace_back();
            line = at;
            Name cell = reader_.is_symbol("+") || reader_.is_symbol("-") ? reader_.operator_name()
                                                                         : table_label();
            if (reader_.failed()) return out;
            out.rows.back().push_back(std::move(cell));
        }
        check(out);
        return out;
    }

    Name table_label() {
        Name name = reader_.operator_name();
        if (name.text.empty() && !reader_.fail_if_invalid()) {
            reader_.fail("bad-table", reader_.span(),
                         "expected a label, + or - in the table, found " + reader_.found());
        }
        return name;
    }

    void check(const TableSyntax& table) {
        const std::string help =
            "the first line names the columns; each later line is a row's name and a + or - for "
            "each column";
        if (table.rows.size() < 2) {
            reader_.fail("bad-table", table.name.span, "the table has no rows", help);
        }
        for (std::size_t i = 1; i < table.rows.size(); ++i) {
            const std::vector<Name>& row = table.rows[i];
            const auto is_cell = [](const Name& n) { return n.text == "+" || n.text == "-"; };
            const bool fits = row.size() == table.rows[0].size() + 1 &&
                              std::all_of(row.begin() + 1, row.end(), is_cell);
            if (!fits) {
                reader_.fail("bad-table", {row.front().span.begin, row.back().span.end},
                             "the row has not a + or - for each column", help);
            }
        }
    }

    ProcedureSyntax procedure() {
        ProcedureSyntax out;
        out.name = reader_.hyphenated_name("the procedure's name",
                                           "write procedure NAME: why it is no rule");
        if (reader_.failed()) return out;
        if (!reader_.expect_symbol(":", "after the procedure's name",
                                   "write procedure NAME: why it is no rule"))
            return out;
        const std::uint32_t first = reader_.position();
        if (reader_.at_end()) {
            reader_.fail("expected", reader_.span(), "expected the procedure's reason",
                         "write procedure NAME: why it is no rule");
            return out;
        }
        while (!reader_.at_end()) reader_.advance();
        out.reason = reader_.one_blank(first, reader_.position());
        return out;
    }

    Tokens tokens_;
    Parsed& out_;
    SyntaxFile& file_;
    TokenReader reader_;
    TermParser terms_;
    RuleParser rules_;
};

}  // namespace

Parsed parse_file(std::string_view text) {
    Parsed out;
    FileParser(text, out).run();
    return out;
}

lang::Result<std::uint32_t> parse_term(std::string_view text, SyntaxFile& file) {
    const Tokens tokens = tokenize(text);
    std::vector<lang::Diagnostic> errors;
    TokenReader reader(text, tokens, errors);
    reader.enter(0, static_cast<std::uint32_t>(tokens.tokens.size() - 1));
    const std::size_t terms = file.terms.size(), operands = file.operands.size();
    const std::uint32_t term = TermParser(reader, file).side();
    if (!reader.failed() && !reader.at_end()) {
        reader.fail("expected", reader.span(),
                    "expected the end of the term, found " + reader.found());
    }
    if (!reader.failed()) return term;
    file.terms.resize(terms);
    file.operands.resize(operands);
    return errors.front();
}

}  // namespace satura::rules
