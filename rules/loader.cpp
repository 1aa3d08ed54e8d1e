#include "rules/loader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "egraph/runner.hpp"
#include "rules/compile.hpp"
#include "rules/embedded.hpp"
#include "rules/parser.hpp"

namespace satura::rules {

namespace {

std::string stem(const std::string& name) { return std::filesystem::path(name).stem().string(); }

// The comment lines right above a statement, without their dashes.
std::string comment_above(const Statement& statement) {
    auto begin = statement.comments.end();
    while (begin != statement.comments.begin() && !std::prev(begin)->empty()) --begin;
    std::string out;
    for (auto line = begin; line != statement.comments.end(); ++line) {
        std::string_view text = *line;
        text.remove_prefix(std::min(text.find_first_not_of('-'), text.size()));
        if (text.starts_with(' ')) text.remove_prefix(1);
        if (!out.empty()) out += '\n';
        out += text;
    }
    return out;
}

}  // namespace

// Fills a book from its sources, statement by statement.
struct Loader {
    Loaded out;
    Language& language;
    bool has_order = false;
    std::set<std::string> table_names;

    RuleBook& book() { return out.book; }

    void fail(std::uint32_t source, lang::Diagnostic diagnostic) {
        out.errors.push_back({source, std::move(diagnostic)});
    }

    std::string place(std::uint32_t source, Span span) {
        const Source& s = book().sources[source];
        return s.name + ":" + std::to_string(lang::place_of(s.text, span.begin).line);
    }

    void run(std::vector<Source> sources) {
        book().sources = std::move(sources);
        for (std::uint32_t s = 0; s < book().sources.size(); ++s) {
            Parsed parsed = parse_file(book().sources[s].text);
            for (lang::Diagnostic& e : parsed.errors) fail(s, std::move(e));
            book().files.push_back(std::move(parsed.file));
        }
        for (std::uint32_t s = 0; s < book().files.size(); ++s) declare(s);
        for (std::uint32_t s = 0; s < book().files.size(); ++s) read(s);
        std::stable_sort(
            out.errors.begin(), out.errors.end(), [](const SourceError& a, const SourceError& b) {
                return a.source != b.source ? a.source < b.source
                                            : a.diagnostic.span.begin < b.diagnostic.span.begin;
            });
    }

    // What rules of all files may use: operators, the order, tables.
    void declare(std::uint32_t source) {
        const SyntaxFile& file = book().files[source];
        for (const OperatorSyntax& op : file.operators) {
            if (auto why = language.declare(op)) {
                fail(source, {"operator-refused", op.name.span, *why, ""});
            }
        }
        for (const Statement& statement : file.statements) {
            if (statement.kind == Statement::Kind::order) {
                order(source, statement, file.orders[statement.index]);
            }
        }
        for (const TableSyntax& t : file.tables) table(source, t);
    }

    void order(std::uint32_t source, const Statement& statement, const OrderSyntax& order) {
        if (has_order) {
            fail(source, {"order-twice",
                          {statement.span.begin, statement.span.begin + 5},
                          "there is an order already",
                          "the rules that are loaded together have one order"});
            return;
        }
        has_order = true;
        std::set<std::string> seen;
        for (const auto& rank : order.ranks) {
            std::vector<std::string> names;
            for (const Name& name : rank) {
                if (!seen.insert(name.text).second) {
                    fail(source,
                         {"order-repeats", name.span, "\"" + name.text + "\" has a rank already",
                          name.text == ">" ? "ranks are separated by \";\"" : "leave one out"});
                }
                names.push_back(name.text);
            }
            book().order.add_rank(names);
        }
    }

    void table(std::uint32_t source, const TableSyntax& table) {
        if (!table_names.insert(table.name.text).second) {
            fail(source, {"duplicate-table", table.name.span,
                          "there is a table \"" + table.name.text + "\" already",
                          "give it a name of its own"});
        }
    }

    void read(std::uint32_t source) {
        std::string ruleset = stem(book().sources[source].name);
        std::uint32_t phase = 0;
        const SyntaxFile& file = book().files[source];
        for (const Statement& statement : file.statements) {
            switch (statement.kind) {
                case Statement::Kind::ruleset:
                    ruleset = file.rulesets[statement.index].text;
                    break;
                case Statement::Kind::phase:
                    phase = file.phases[statement.index].number;
                    break;
                case Statement::Kind::procedure:
                    procedure(source, statement);
                    break;
                case Statement::Kind::start:
                    start(source, statement);
                    break;
                case Statement::Kind::rule:
                    rule(source, statement, ruleset, phase);
                    break;
                default:
                    break;
            }
        }
    }

    void procedure(std::uint32_t source, const Statement& statement) {
        const ProcedureSyntax& p = book().files[source].procedures[statement.index];
        const auto line = lang::place_of(book().sources[source].text, p.name.span.begin).line;
        book().procedures.push_back({p.name.text, p.reason, source, line});
    }

    void start(std::uint32_t source, const Statement& statement) {
        const std::uint32_t term = book().files[source].starts[statement.index];
        std::vector<lang::Diagnostic> errors;
        resolve_ground(book().files[source], term, language, errors);
        for (lang::Diagnostic& e : errors) fail(source, std::move(e));
        const std::string& text = book().sources[source].text;
        const Span span = book().files[source].terms[term].span;
        if (errors.empty()) {
            book().starts.push_back({source, term, text.substr(span.begin, span.end - span.begin)});
        }
    }

    void rule(std::uint32_t source, const Statement& statement, const std::string& ruleset,
              std::uint32_t phase) {
        const SyntaxFile& file = book().files[source];
        const RuleSyntax& syntax = file.rules[statement.index];
        if (const auto other = book().find(syntax.name.text)) {
            const BookRule& first = book().rules[*other];
            fail(source, {"duplicate-rule", syntax.name.span,
                          "there is a rule \"" + syntax.name.text + "\" already, at " +
                              book().sources[first.source].name + ":" + std::to_string(first.line),
                          "give it a name of its own"});
            return;
        }
        std::vector<lang::Diagnostic> errors;
        std::vector<ResolvedRule> resolved;
        resolve_rule(file, syntax, book().tables(), language, &book().order, resolved, errors);
        if (errors.empty()) check_with_engine(syntax, resolved, errors);
        if (!errors.empty()) {
            for (lang::Diagnostic& e : errors) fail(source, std::move(e));
            return;
        }
        for (const ResolvedRule& r : resolved) {
            for (const ResolvedLet& let : r.lets) book().computed_words.emplace(let.word->name);
        }
        book().instances += resolved.size();
        const std::string& text = book().sources[source].text;
        book().rules.push_back(
            {syntax.name.text, ruleset, phase, source,
             lang::place_of(text, statement.span.begin).line,
             text.substr(statement.span.begin, statement.span.end - statement.span.begin),
             comment_above(statement), syntax.arrow, syntax.settings, syntax.may_raise,
             syntax.examples, statement.index});
    }

    void check_with_engine(const RuleSyntax& syntax, const std::vector<ResolvedRule>& resolved,
                           std::vector<lang::Diagnostic>& errors) {
        for (const ResolvedRule& r : resolved) {
            const std::string why =
                egraph::Runner::check(compile_rule(r, language), language.signature());
            if (why.empty()) continue;
            errors.push_back({"engine-limit", syntax.name.span,
                              "the engine cannot run the rule: " + why, "make it smaller"});
            return;
        }
    }
};

std::vector<const TableSyntax*> RuleBook::tables() const {
    std::vector<const TableSyntax*> out;
    for (const SyntaxFile& file : files) {
        for (const TableSyntax& table : file.tables) out.push_back(&table);
    }
    return out;
}

std::vector<ResolvedRule> RuleBook::resolve(std::size_t rule, Language& language) const {
    const SyntaxFile& file = files[rules[rule].source];
    std::vector<ResolvedRule> out;
    std::vector<lang::Diagnostic> errors;
    resolve_rule(file, file.rules[rules[rule].syntax], tables(), language, nullptr, out, errors);
    return out;
}

std::vector<egraph::Rule> RuleBook::compile(std::size_t rule, Language& language) const {
    std::vector<egraph::Rule> out;
    for (const ResolvedRule& r : resolve(rule, language)) out.push_back(compile_rule(r, language));
    return out;
}

std::vector<ResolvedTerm> RuleBook::start(std::size_t index, Language& language) const {
    std::vector<lang::Diagnostic> errors;
    return resolve_ground(files[starts[index].source], starts[index].term, language, errors);
}

std::optional<std::size_t> RuleBook::find(std::string_view name) const {
    const auto at = std::find_if(rules.begin(), rules.end(),
                                 [&](const BookRule& rule) { return rule.name == name; });
    if (at == rules.end()) return std::nullopt;
    return static_cast<std::size_t>(at - rules.begin());
}

BookCounts RuleBook::counts() const {
    return {rules.size(), instances, procedures.size(), computed_words.size()};
}

std::string RuleBook::render(const SourceError& error) const {
    const Source& source = sources[error.source];
    return lang::render(error.diagnostic, source.name, source.text);
}

Loaded load(std::vector<Source> sources, Language& language) {
    Loader loader{{}, language, false, {}};
    loader.run(std::move(sources));
    return std::move(loader.out);
}

std::vector<Source> built_in_sources() {
    std::vector<Source> out;
    for (const EmbeddedFile& file : embedded_rules()) {
        out.push_back({std::string(file.name), std::string(file.text)});
    }
    return out;
}

std::optional<Source> read_source(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return std::nullopt;
    return Source{path, text.str()};
}

}  // namespace satura::rules
