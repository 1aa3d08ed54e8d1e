// Satura as a library: SQL expressions with a rule of one's own, and an e-graph of one's own
// language.
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "optimizer/simplifier.hpp"
#include "rules/algebra.hpp"
#include "rules/compile.hpp"

using namespace satura;

namespace {

// The index of this database is on upper(name).
constexpr const char* my_rules = R"(
rule upper-of-lower:
    upper(lower(?x))   =>   upper(?x)
)";

void simplify() {
    Simplifier simplifier(lang::Semantics::of(lang::Dialect::postgres), {{"my.rules", my_rules}});
    for (const std::string& error : simplifier.rule_errors()) std::fputs(error.c_str(), stderr);
    const auto result = simplifier.simplify(
        {"name text, id smallint", "upper(lower(name)) = 'ADA' and cast(id as integer) < 100"});
    const auto* answer = std::get_if<SimplifyAnswer>(&result);
    if (answer != nullptr) std::puts(answer->result.c_str());
    if (const auto* error = std::get_if<RequestError>(&result)) {
        std::puts(error->diagnostic.message.c_str());
    }
}

// Turns of a square sheet: flipped twice, or turned four times, it lies as before.
constexpr const char* sheet_rules = R"(
operator flip/1
operator turn/1
operator sheet
start flip(turn(turn(flip(turn(turn(sheet))))))

rule flip-twice:
    flip(flip(?x))   =>   ?x
rule turn-four-times:
    turn(turn(turn(turn(?x))))   =>   ?x
rule flip-turn:
    flip(turn(?x))   =>   turn(turn(turn(flip(?x))))
)";

void print_term(const egraph::EGraph& graph, const egraph::Extraction& extraction,
                egraph::ClassId cls) {
    const egraph::NodeView node = graph.node(extraction.choice(cls));
    std::printf("%s", graph.signature().text(node.op, node.payload).c_str());
    for (std::uint32_t child : node.children) {
        std::printf("(");
        print_term(graph, extraction, egraph::ClassId{child});
        std::printf(")");
    }
}

void fold_sheet() {
    rules::Algebra sheet;
    const rules::Loaded loaded = rules::load({{"sheet.rules", sheet_rules}}, sheet);
    std::vector<egraph::Rule> compiled;
    for (std::size_t i = 0; i < loaded.book.rules.size(); ++i) {
        for (egraph::Rule& rule : loaded.book.compile(i, sheet)) compiled.push_back(rule);
    }
    egraph::EGraph graph(sheet.signature());
    const egraph::ClassId start = rules::add_term(graph, loaded.book.start(0, sheet));
    graph.rebuild();
    const egraph::Report report = egraph::Runner(graph, compiled).run({});
    const egraph::TermSize size;
    const egraph::Extraction extraction(graph, size);
    print_term(graph, extraction, start);
    std::printf("\n%s, %u nodes, %u classes\n", std::string(egraph::stop_name(report.stop)).c_str(),
                graph.node_count(), graph.class_count());
}

}  // namespace

int main() {
    simplify();
    fold_sheet();
}
