// What is printed reads back as the same tree, for the rule files and for random terms.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "rules/loader.hpp"
#include "rules/parser.hpp"
#include "rules/printer.hpp"
#include "tests/golden.hpp"

namespace satura::rules {

namespace {

// A term in prefix form with all that matters of it: spans and braces do not.
std::string shape(const SyntaxFile& file, std::uint32_t root) {
    std::string out;
    std::vector<std::pair<std::uint32_t, bool>> todo{{root, false}};
    while (!todo.empty()) {
        const auto [index, is_end] = todo.back();
        todo.pop_back();
        if (is_end) {
            out += ')';
            continue;
        }
        const Term& t = file.terms[index];
        out += " (" + std::to_string(static_cast<int>(t.kind)) + "," +
               std::to_string(static_cast<int>(t.map)) + "," + (t.operator_variable ? "v" : "") +
               (t.chained ? "c" : "") + (t.type_variable ? "t" : "") + ":" + t.text + ":" + t.type;
        todo.emplace_back(index, true);
        for (std::uint32_t i = t.count; i-- > 0;) todo.emplace_back(file.operand(t, i), false);
    }
    return out;
}

class RandomTerms {
  public:
    RandomTerms(SyntaxFile& file, std::uint32_t seed) : file_(file), random_(seed) {}

    std::uint32_t term(int depth) {
        const std::uint32_t choice = below(depth <= 0 ? 5 : 16);
        switch (choice) {
            case 0:
            case 1:
                return leaf(TermKind::variable, pick({"x", "y", "op2"}));
            case 2:
                return leaf(TermKind::literal, pick({"1", "-1", "2.5", "0"}), LiteralText::number);
            case 3:
                return leaf(TermKind::literal, pick({"true", "null"}));
            case 4:
                return leaf(TermKind::apply, pick({"a", "unknown"}));
            case 5:
                return many(pick({"and", "or"}), 2 + below(3), depth);
            case 6:
                return many("not", 1, depth);
            case 7:
                return many(pick({"is null", "is true", "is unknown"}), 1, depth);
            case 8:
                return many(pick({"=", "<", "<=>", "like"}), 2, depth);
            case 9:
                return many("in", 1 + below(4), depth);
            case 10:
                return many("between", 3, depth);
            case 11:
                return many("neg", 1, depth);
            case 12:
                return cast(depth);
            case 13:
                return many(pick({"f", "case", "when", "coalesce"}), 1 + below(3), depth);
            case 14:
                return by_variable(depth);
            default:
                return chain(depth);
        }
    }

  private:
    std::uint32_t below(std::uint32_t n) { return random_() % n; }
    std::string pick(std::initializer_list<const char*> words) {
        return *(words.begin() + below(static_cast<std::uint32_t>(words.size())));
    }

    std::uint32_t leaf(TermKind kind, std::string text, LiteralText how = LiteralText::word) {
        Term t;
        t.kind = kind;
        t.literal = how;
        t.text = std::move(text);
        return add(t, {});
    }
    std::uint32_t add(Term t, const std::vector<std::uint32_t>& operands) {
        t.first = static_cast<std::uint32_t>(file_.operands.size());
        t.count = static_cast<std::uint32_t>(operands.size());
        file_.operands.insert(file_.operands.end(), operands.begin(), operands.end());
        file_.terms.push_back(t);
        return static_cast<std::uint32_t>(file_.terms.size() - 1);
    }
    std::vector<std::uint32_t> operands(std::uint32_t count, int depth) {
        std::vector<std::uint32_t> out;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t special = below(12);
            if (special == 0) {
                out.push_back(leaf(TermKind::rest, "xs"));
            } else if (special == 1) {
                Term each;
                each.kind = TermKind::each;
                out.push_back(add(each, {term(depth - 1)}));
            } else {
                out.push_back(term(depth - 1));
            }
        }
        return out;
    }
    std::uint32_t many(const std::string& name, std::uint32_t count, int depth) {
        Term t;
        t.kind = TermKind::apply;
        t.text = name;
        t.braces = (name == "and" || name == "f") && below(4) == 0;
        return add(t, operands(count, depth));
    }
    std::uint32_t cast(int depth) {
        Term t;
        t.kind = TermKind::apply;
        t.text = pick({"cast", "try_cast"});
        t.type_variable = below(2) == 0;
        t.type =
            t.type_variable ? "T" : pick({"int", "decimal(5,2)", "timestamp(3) with time zone"});
        return add(t, {term(depth - 1)});
    }
    std::uint32_t by_variable(int depth) {
        Term t;
        t.kind = TermKind::apply;
        t.text = "op";
        t.operator_variable = true;
        t.map = static_cast<OperatorMap>(below(6));
        t.braces = below(3) == 0;
        return add(t, operands(1 + below(3), depth));
    }
    std::uint32_t chain(int depth) {
        Term t;
        t.kind = TermKind::apply;
        t.text = pick({"+", "-", "||", "*", "/", "%"});
        const std::uint32_t left = term(depth - 1);
        t.chained = file_.terms[left].kind == TermKind::apply && file_.terms[left].text == t.text &&
                    below(2) == 0;
        const std::uint32_t right = term(depth - 1);
        return add(t, {left, right});
    }

    SyntaxFile& file_;
    std::mt19937 random_;
};

std::string rule_shape(const SyntaxFile& file, const RuleSyntax& rule) {
    std::string out = rule.name.text + shape(file, rule.left) + shape(file, rule.right) +
                      std::to_string(static_cast<int>(rule.arrow)) + (rule.may_raise ? "r" : "");
    for (const auto& c : rule.conditions) out += ";" + print_condition(c);
    for (const auto& l : rule.lets) out += ";" + l.variable.text + print_word(l.word);
    for (const auto& f : rule.fors) {
        out += ";" + f.variable.text;
        for (const auto& op : f.operators) out += "," + op.text;
    }
    for (const auto& e : rule.examples) {
        out += ";" + e.columns.text + "|" + e.left.text + "|" + e.right.text;
    }
    for (const auto& s : rule.settings) out += ";" + s.setting.text + " " + s.value.text;
    for (const auto& c : rule.clauses) {
        for (const auto& comment : c.comments) out += comment;
        out += c.trailing;
    }
    return out;
}

void check_round_trip(const std::string& name, const std::string& text) {
    CAPTURE(name);
    const Parsed first = parse_file(text);
    for (const auto& e : first.errors) FAIL_CHECK(lang::render(e, name, text));
    const std::string printed = print_file(first.file);
    const Parsed second = parse_file(printed);
    for (const auto& e : second.errors) FAIL_CHECK(lang::render(e, name, printed));
    CHECK(print_file(second.file) == printed);
    REQUIRE(second.file.rules.size() == first.file.rules.size());
    REQUIRE(second.file.statements.size() == first.file.statements.size());
    for (std::size_t i = 0; i < first.file.rules.size(); ++i) {
        CHECK(rule_shape(first.file, first.file.rules[i]) ==
              rule_shape(second.file, second.file.rules[i]));
    }
    for (std::size_t i = 0; i < first.file.statements.size(); ++i) {
        CHECK(first.file.statements[i].comments == second.file.statements[i].comments);
        CHECK(first.file.statements[i].trailing == second.file.statements[i].trailing);
    }
}

}  // namespace

TEST_CASE("rule files are printed and read back") {
    std::vector<std::filesystem::path> files{test::source_root() / "bench/mm.rules"};
    for (const auto& entry : std::filesystem::directory_iterator(test::source_root() / "rules")) {
        if (entry.path().extension() == ".rules") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& path : files) check_round_trip(path.filename(), test::read_file(path));
}

TEST_CASE("comments, long lines and odd names are printed and read back") {
    check_round_trip("odd.rules", R"(-- head

-- second block
ruleset one-two   -- behind

order "is" when; + "odd name"; > >=
operator "odd name"/2
operator + bag unit 0 zero 'x''y'
table t:
       left full
  left + -
    full   - +
procedure p: why
   it is so
-- above a

-- right above a
rule a: -- behind the head
    -- before the sides
    f(?x) -- behind the left
      => g(?x)   -- behind the right
    -- above where
    where w(?x, 1, 'a b', decimal( 5, 2 ), <=) or not v(...?xs);
       ?x: literal   -- behind where
    for ?op in < "when" is null
    let ?y = k(flip(?op))
    may raise
    when nan total, dialect postgres
    example x int: case when x then y end => 'a  b'
    -- last
    keep f(1)
-- at the end
)");
    std::string wide = "rule wide:\n    f(";
    for (int i = 0; i < 30; ++i) wide += "?variable" + std::to_string(i) + ", ";
    wide += "?z) => ?z\n    where a(?z)";
    for (int i = 0; i < 30; ++i) wide += "; condition" + std::to_string(i) + "(?z)";
    check_round_trip("wide.rules", wide + "\n");
    check_round_trip("both.rules", "rule a:\n    (?a <=> ?b)   <=>   f(?a <=> ?b)\n");
}

TEST_CASE("random terms are printed and read back") {
    for (std::uint32_t seed = 0; seed < 3000; ++seed) {
        SyntaxFile file;
        const std::uint32_t term = RandomTerms(file, seed).term(1 + static_cast<int>(seed % 5));
        const std::string text = print_term(file, term);
        CAPTURE(text);
        SyntaxFile again;
        const auto parsed = parse_term(text, again);
        if (!parsed) FAIL_CHECK(lang::render(parsed.error(), "term", text));
        if (!parsed) continue;
        CHECK(shape(file, term) == shape(again, *parsed));
        CHECK(print_term(again, *parsed) == text);
    }
}

TEST_CASE("terms nest to the limit and no deeper") {
    SyntaxFile file;
    auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "?x" + std::string(depth, ')');
    };
    CHECK(parse_term(nested(nesting_max - 1), file));
    const auto deep = parse_term(nested(100000), file);
    REQUIRE(!deep);
    CHECK(deep.error().code == "nested-too-deeply");
    std::string sum = "?x";
    for (int i = 0; i < 100000; ++i) sum += " - ?x";
    const auto chain = parse_term(sum, file);
    REQUIRE(!chain);
    CHECK(chain.error().code == "nested-too-deeply");
    std::string conjunction = "?x";
    for (int i = 0; i < 100000; ++i) conjunction += " and ?x";
    CHECK(parse_term(conjunction, file));
}

}  // namespace satura::rules
