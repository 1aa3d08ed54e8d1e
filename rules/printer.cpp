#include "rules/printer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "rules/term_parser.hpp"

namespace satura::rules {

namespace {

constexpr std::size_t width_max = 100;
constexpr std::array<std::string_view, 14> plain_symbols = {"=", "<>", "<", "<=", ">", ">=", "<=>",
                                                            "+", "-",  "*", "/",  "%", "||", "^"};
constexpr std::array<std::string_view, 7> clause_words = {"for", "let",     "where", "when",
                                                          "may", "example", "keep"};

std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

std::string_view arrow_text(Arrow arrow) {
    return arrow == Arrow::explore ? "=>" : arrow == Arrow::normalise ? "~>" : "<=>";
}

// Pieces side by side, on as many lines as needed; `separator` ends each piece but the last.
std::string wrap(std::string head, const std::vector<std::string>& pieces,
                 std::string_view separator, std::size_t indent) {
    std::string out = std::move(head);
    std::size_t column = width(out);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::string piece =
            pieces[i] + (i + 1 < pieces.size() ? std::string(separator) : std::string());
        if (i > 0 && column + 1 + width(piece) > width_max) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else {
            out += ' ';
            ++column;
        }
        out += piece;
        column += width(piece);
    }
    return out;
}

// In the list of a `for`, where a clause's word would end it.
std::string listed(const std::string& name) {
    const bool is_clause =
        std::find(clause_words.begin(), clause_words.end(), name) != clause_words.end();
    return is_clause ? "\"" + name + "\"" : print_name(name);
}

std::string print_argument(const ArgumentSyntax& argument) {
    if (argument.kind != ArgumentSyntax::Kind::variable) return argument.text;
    const std::string variable = (argument.dots ? "...?" : "?") + argument.text;
    if (argument.map == OperatorMap::none) return variable;
    return std::string(TermParser::map_name(argument.map)) + "(" + variable + ")";
}

bool has_outer_equivalence(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\'') i = std::min(text.find('\'', i + 1), text.size() - 1);
        depth += text[i] == '(' || text[i] == '{' ? 1 : text[i] == ')' || text[i] == '}' ? -1 : 0;
        if (depth == 0 && text.substr(i).starts_with("<=>")) return true;
    }
    return false;
}

// The words of a text, between blanks that are not in quotes. One that would begin a clause stays
// with the one before it.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    const auto end_word = [&] {
        const bool is_clause =
            std::find(clause_words.begin(), clause_words.end(), word) != clause_words.end();
        if (is_clause && !words.empty())
            words.back() += " " + word;
        else
            words.push_back(word);
        word.clear();
    };
    for (char c : text) {
        if (quote != 0)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        if (c == ' ' && quote == 0)
            end_word();
        else
            word += c;
    }
    end_word();
    return words;
}

// Text behind the head, on as many lines as it needs.
std::string wrap_text(std::string line, std::string_view text, std::size_t indent) {
    std::string out;
    bool is_first = true;
    for (const std::string& word : words_of(text)) {
        if (!is_first && width(line) + 1 + width(word) > width_max) {
            out += line + "\n";
            line = std::string(indent, ' ') + word;
        } else {
            line += (is_first ? "" : " ") + word;
        }
        is_first = false;
    }
    return out + line;
}

class FilePrinter {
  public:
    explicit FilePrinter(const SyntaxFile& file) : file_(file) {}

    std::string print() {
        const Statement* last = nullptr;
        for (const Statement& statement : file_.statements) {
            if (last != nullptr && wants_blank(*last, statement)) out_ += '\n';
            comments(statement.comments, "");
            out_ += text(statement);
            if (!statement.trailing.empty()) insert_trailing(statement.trailing);
            out_ += '\n';
            comments(statement.inner, "    ");
            last = &statement;
        }
        if (last != nullptr && !file_.end_comments.empty()) out_ += '\n';
        comments(file_.end_comments, "");
        return std::move(out_);
    }

  private:
    static bool wants_blank(const Statement& last, const Statement& next) {
        return next.blank_before || last.kind == Statement::Kind::rule ||
               next.kind == Statement::Kind::rule;
    }

    void comments(const std::vector<std::string>& lines, std::string_view indent) {
        for (const std::string& line : lines) {
            if (!line.empty()) out_ += indent;
            out_ += line + "\n";
        }
    }

    void insert_trailing(const std::string& comment) { out_ += "  " + comment; }

    std::string text(const Statement& statement) {
        switch (statement.kind) {
            case Statement::Kind::ruleset:
                return "ruleset " + file_.rulesets[statement.index].text;
            case Statement::Kind::phase:
                return "phase " + std::to_string(file_.phases[statement.index].number);
            case Statement::Kind::order:
                return order(file_.orders[statement.index]);
            case Statement::Kind::operator_:
                return declaration(file_.operators[statement.index]);
            case Statement::Kind::start:
                return "start " + print_term(file_, file_.starts[statement.index]);
            case Statement::Kind::table:
                return table(file_.tables[statement.index]);
            case Statement::Kind::procedure:
                return procedure(file_.procedures[statement.index]);
            case Statement::Kind::rule:
                return rule(file_.rules[statement.index]);
        }
        return "";
    }

    static std::string order(const OrderSyntax& order) {
        std::vector<std::string> pieces;
        for (const auto& rank : order.ranks) {
            std::string piece;
            for (const Name& name : rank) {
                if (!piece.empty()) piece += ' ';
                piece += print_name(name.text);
            }
            pieces.push_back(std::move(piece));
        }
        return wrap("order", pieces, ";", 4);
    }

    static std::string declaration(const OperatorSyntax& declaration) {
        using Shape = OperatorSyntax::Shape;
        std::string out = "operator " + print_name(declaration.name.text);
        switch (declaration.shape) {
            case Shape::fixed:
                if (declaration.arity > 0) out += "/" + std::to_string(declaration.arity);
                break;
            case Shape::sequence:
                out += " sequence";
                break;
            case Shape::set:
                out += " set";
                break;
            case Shape::bag:
                out += " bag";
                break;
        }
        if (!declaration.unit.text.empty()) out += " unit " + declaration.unit.text;
        if (!declaration.zero.text.empty()) out += " zero " + declaration.zero.text;
        return out;
    }

    static std::string table(const TableSyntax& table) {
        std::size_t first = 0;
        for (std::size_t i = 1; i < table.rows.size(); ++i) {
            first = std::max(first, width(print_name(table.rows[i][0].text)));
        }
        std::string out = "table " + table.name.text + ":";
        auto pad = [&out](std::size_t count) { out += std::string(count, ' '); };
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            out += "\n    ";
            std::string label = i == 0 ? "" : print_name(table.rows[i][0].text);
            out += label;
            pad(first - width(label));
            for (std::size_t c = 0; c < table.rows[0].size(); ++c) {
                const std::size_t wide = width(print_name(table.rows[0][c].text));
                const Name& cell = table.rows[i][c + (i == 0 ? 0 : 1)];
                const std::string shown = i == 0 ? print_name(cell.text) : cell.text;
                out += "  " + shown;
                if (c + 1 < table.rows[0].size()) pad(wide - width(shown));
            }
        }
        return out;
    }

    static std::string procedure(const ProcedureSyntax& procedure) {
        std::vector<std::string> words;
        std::string_view rest = procedure.reason;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            words.emplace_back(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return wrap("procedure " + procedure.name.text + ":", words, "", 4);
    }

    std::string rule(const RuleSyntax& rule) {
        std::string out = "rule " + rule.name.text + ":";
        for (const std::string& comment : rule.side_comments) out += "\n    " + comment;
        out += "\n" + sides("    ", side(rule, rule.left), rule.arrow, side(rule, rule.right));
        if (!rule.side_trailing.empty()) out += "  " + rule.side_trailing;
        for (const ClauseSyntax& c : rule.clauses) {
            for (const std::string& comment : c.comments) out += "\n    " + comment;
            out += "\n" + clause(rule, c);
            if (!c.trailing.empty()) out += "  " + c.trailing;
        }
        return out;
    }

    // With `<=>` as the arrow, a comparison of that name needs parentheses.
    std::string side(const RuleSyntax& rule, std::uint32_t term) const {
        std::string text = print_term(file_, term);
        if (rule.arrow != Arrow::both || !has_outer_equivalence(text)) return text;
        return "(" + text + ")";
    }

    static std::string sides(const std::string& head, const std::string& left, Arrow arrow,
                             const std::string& right) {
        const std::string sign(arrow_text(arrow));
        const std::string one_line = head + left + "   " + sign + "   " + right;
        if (width(one_line) <= width_max) return one_line;
        return head + left + "\n        " + sign + " " + right;
    }

    static std::string clause(const RuleSyntax& rule, const ClauseSyntax& clause) {
        switch (clause.kind) {
            case ClauseSyntax::Kind::for_: {
                const ForSyntax& f = rule.fors[clause.index];
                std::vector<std::string> names;
                for (const Name& name : f.operators) names.push_back(listed(name.text));
                return wrap("    for ?" + f.variable.text + " in", names, "", 8);
            }
            case ClauseSyntax::Kind::let: {
                const LetSyntax& l = rule.lets[clause.index];
                return "    let ?" + l.variable.text + " = " + print_word(l.word);
            }
            case ClauseSyntax::Kind::where: {
                std::vector<std::string> conditions;
                for (const auto& c : rule.conditions) conditions.push_back(print_condition(c));
                return wrap("    where", conditions, ";", 8);
            }
            case ClauseSyntax::Kind::when: {
                std::vector<std::string> settings;
                for (const auto& s : rule.settings) {
                    settings.push_back(s.setting.text + " " + s.value.text);
                }
                return wrap("    when", settings, ",", 8);
            }
            case ClauseSyntax::Kind::may_raise:
                return "    may raise";
            case ClauseSyntax::Kind::example:
                return example(rule.examples[clause.index]);
        }
        return "";
    }

    static std::string example(const ExampleSyntax& example) {
        std::string head = example.keep ? "    keep " : "    example ";
        if (!example.columns.text.empty()) head += example.columns.text + ": ";
        if (example.keep) return wrap_text(head, example.left.text, 8);
        const std::string sign(arrow_text(example.arrow));
        const std::string one_line =
            head + example.left.text + "   " + sign + "   " + example.right.text;
        if (width(one_line) <= width_max) return one_line;
        return wrap_text(head, example.left.text, 8) + "\n" +
               wrap_text("        " + sign + " ", example.right.text, 11);
    }

    const SyntaxFile& file_;
    std::string out_;
};

}  // namespace

std::string print_name(const std::string& name) {
    auto is_one_of = [&](const auto& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    const bool is_test =
        name == "is null" || name == "is true" || name == "is false" || name == "is unknown";
    if (is_test || is_one_of(plain_symbols)) return name;
    const bool is_word = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || static_cast<unsigned char>(c) >= 0x80U;
    });
    const bool is_plain = is_word && !name.empty() && (name[0] < '0' || name[0] > '9');
    return is_plain && name != "is" ? name : "\"" + name + "\"";
}

std::string print_word(const WordSyntax& word) {
    std::string out = (word.negated ? "not " : "") + word.word.text + "(";
    for (std::size_t i = 0; i < word.arguments.size(); ++i) {
        if (i > 0) out += ", ";
        out += print_argument(word.arguments[i]);
    }
    return out + ")";
}

std::string print_condition(const ConditionSyntax& condition) {
    if (!condition.variable.text.empty()) {
        return "?" + condition.variable.text + ": " + condition.kind.text;
    }
    std::string out;
    for (std::size_t i = 0; i < condition.alternatives.size(); ++i) {
        if (i > 0) out += " or ";
        out += print_word(condition.alternatives[i]);
    }
    return out;
}

std::string print_file(const SyntaxFile& file) { return FilePrinter(file).print(); }

}  // namespace satura::rules
