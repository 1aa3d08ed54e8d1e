// Satura as a library: queries over a schema with a rule of one's own, and an e-graph of one's own
// language.
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "egraph/extract.hpp"
#include "egraph/runner.hpp"
#include "optimizer/optimizer.hpp"
#include "rules/algebra.hpp"
#include "rules/compile.hpp"

using namespace satura;

namespace {

// The index of this database is on upper(name).
constexpr const char* my_rules = R"(
rule upper-of-lower:
    upper(lower(?x))   =>   upper(?x)
)";

void optimize() {
    Optimizer optimizer(lang::Semantics::of(lang::Dialect::postgres), {{"my.rules", my_rules}});
    for (const std::string& error : optimizer.rule_errors()) std::fputs(error.c_str(), stderr);
    if (const auto error =
            optimizer.set_schema("create table users(id int primary key, name text)"))
        std::puts(error->message.c_str());
    const auto result = optimizer.optimize(
        {.sql = "select id from users where upper(lower(name)) = 'ADA' and id::bigint < 100"});
    if (const auto* answer = std::get_if<OptimizeAnswer>(&result)) {
        std::printf("%s%s\n", answer->after.tree.c_str(), answer->result.c_str());
    } else {
        std::puts(std::get<RequestError>(result).diagnostic.message.c_str());
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
    std::string term;
    for (std::vector<std::uint32_t> next{raw(start)}; !next.empty();) {
        const egraph::NodeView node = graph.node(extraction.choice(egraph::ClassId{next.back()}));
        term += (term.empty() ? "" : " of ") + graph.signature().text(node.op, node.payload);
        next.assign(node.children.begin(), node.children.end());  // one at most in this language
    }
    std::printf("%s: %s, %u nodes, %u classes\n", term.c_str(),
                std::string(egraph::stop_name(report.stop)).c_str(), graph.node_count(),
                graph.class_count());
}

}  // namespace

int main() {
    optimize();
    fold_sheet();
}
