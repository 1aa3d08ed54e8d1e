// satura: command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

#include "app/commands.hpp"
#include "app/settings.hpp"

namespace {

using namespace satura::app;

void add_limits(CLI::App& app, satura::egraph::Limits& limits) {
    app.add_option("--limit-iterations", limits.iterations, "stop after N iterations")->type_name("N");
    app.add_option("--limit-nodes", limits.nodes, "stop beyond N e-nodes")->type_name("N");
    app.add_option("--limit-memory", limits.bytes, "stop beyond BYTES of e-graph")->type_name("BYTES");
    app.add_option("--limit-time", limits.time_ms, "stop after MS milliseconds")->type_name("MS");
}

void add_dialect(CLI::App& app, std::string& dialect) {
    app.add_option("--dialect", dialect, "engine on which the SQL runs: postgres or duckdb")->capture_default_str();
}

// Commands and options of the contract that are not there yet say so, rather than "unknown".
constexpr const char* planned_commands[] = {"optimize", "equal", "verify", "run", "extract", "discover", "repl"};
constexpr const char* planned_options[] = {"--schema", "--stats", "--push-raising", "--canonical", "--explain",
                                           "--proof", "--emit-check", "--prove"};

template <std::size_t N>
bool is_among(const char* const (&words)[N], const std::string& word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// The first such command or option among the arguments, or null.
const char* planned(int argc, char** argv) {
    if (argc > 1 && is_among(planned_commands, argv[1])) return argv[1];
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        if (is_among(planned_options, word.substr(0, word.find('=')))) return argv[i];
    }
    return nullptr;
}

int run(int argc, char** argv) {
    CLI::App app{"Satura: an equality-saturation optimizer for SQL expressions and join plans", "satura"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "satura " SATURA_VERSION);
    app.failure_message(CLI::FailureMessage::simple);

    SimplifyOptions simplify;
    auto* simplify_command = app.add_subcommand("simplify", "simplify one SQL expression");
    simplify_command->add_option("expr", simplify.expr, "the expression, or - to read it from standard input")->required();
    simplify_command->add_option("--columns", simplify.columns, "columns that it may name: \"x smallint, y int not null\"");
    simplify_command->add_option("--context", simplify.context, "value, or filter where only true matters")
        ->check(CLI::IsMember({"value", "filter"}))->capture_default_str();
    simplify_command->add_option("--format", simplify.format, "sql or json")
        ->check(CLI::IsMember({"sql", "json"}))->capture_default_str();
    simplify_command->add_option("--rules", simplify.rules, "rule files to use beside the built-in ones")->type_name("FILE");
    add_dialect(*simplify_command, simplify.dialect);
    add_limits(*simplify_command, simplify.limits);

    BatchOptions batch;
    auto* batch_command = app.add_subcommand("batch", "JSON Lines in, JSON Lines out: one answer for each request, in order");
    batch_command->add_option("--rules", batch.rules, "rule files to use beside the built-in ones")->type_name("FILE");

    CheckOptions check;
    auto* check_command = app.add_subcommand("check", "check rules for soundness: a counterexample, or the number of cases tried");
    check_command->add_option("files", check.files, "rule files; none: the built-in rules")->type_name("FILE");
    check_command->add_option("--rule", check.rule, "only the rule of this name")->type_name("NAME");
    check_command->add_option("--dialect", check.dialect, "only in the semantics of postgres or duckdb; default both")
        ->check(CLI::IsMember({"postgres", "duckdb"}));

    RulesOptions rules;
    auto* rules_command = app.add_subcommand("rules", "list the rules");
    rules_command->add_option("pattern", rules.pattern, "only rules whose name holds this");
    rules_command->add_option("--rules", rules.files, "rule files beside the built-in ones")->type_name("FILE");
    rules_command->add_flag("--count", rules.count, "numbers of rules, procedures and computed words");
    rules_command->add_flag("--words", rules.words, "the conditions and computed parts that rules may use");
    rules_command->add_flag("--text", rules.text, "the rules' texts");

    FormatOptions format;
    auto* format_command = app.add_subcommand("fmt", "format rule files in place");
    format_command->add_option("files", format.files, "rule files")->required()->type_name("FILE");
    format_command->add_flag("--check", format.check, "change nothing; status 1 if a file would change");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const char* missing = error.get_exit_code() == 0 ? nullptr : planned(argc, argv);
        if (missing != nullptr) {
            std::cerr << "satura: " << missing << " is not available in this version\n";
            return exit_mistake;
        }
        int status = app.exit(error);
        return status == 0 ? exit_done : exit_mistake;
    }
    if (*simplify_command) return run_simplify(simplify);
    if (*batch_command) return run_batch(batch);
    if (*check_command) return run_check(check);
    if (*rules_command) return run_rules(rules);
    return run_format(format);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "satura: internal error: %s\n", error.what());
        return satura::app::exit_internal;
    }
}
