// satura: command line.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/settings.hpp"

namespace {

using namespace satura::app;

void add_limits(CLI::App& app, satura::egraph::Limits& limits) {
    app.add_option("--limit-iterations", limits.iterations, "stop after N iterations")
        ->type_name("N");
    app.add_option("--limit-nodes", limits.nodes, "stop beyond N e-nodes")->type_name("N");
    app.add_option("--limit-memory", limits.bytes, "stop beyond BYTES of e-graph")
        ->type_name("BYTES");
    app.add_option("--limit-time", limits.time_ms, "stop after MS milliseconds")->type_name("MS");
}

void add_dialect(CLI::App& app, std::string& dialect) {
    app.add_option("--dialect", dialect, "engine on which the SQL runs: postgres or duckdb")
        ->capture_default_str();
}

// Commands and options of the contract that are not there yet say so, rather than "unknown".
constexpr std::string_view planned_commands[] = {"run", "extract", "discover", "repl"};
constexpr std::string_view planned_options[] = {"--stats",      "--push-raising", "--canonical",
                                                "--proof",      "--emit-check",   "--algorithm",
                                                "--time-limit", "--prove"};

template <std::size_t n>
bool holds(const std::string_view (&words)[n], std::string_view word) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// A better message than the library's for the first word; empty where it has nothing to say.
std::string first_word_mistake(const CLI::App& app, int argc, char** argv) {
    if (argc < 2) return "a command is needed; satura --help lists them";
    const std::string word = argv[1];
    if (holds(planned_commands, word)) return word + " is not available in this version";
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == word; };
    if (word == "-h" || word == "--help" || word == "--version") return {};
    if (word.starts_with("-")) return "a command comes first; satura --help lists them";
    if (!app.get_subcommands(is_named).empty()) return {};
    return "there is no command " + word + "; satura --help lists them";
}

// The planned option among the words that nobody took.
std::string planned_option(const CLI::App& app) {
    for (const std::string& word : app.remaining(true)) {
        std::string name = word.substr(0, word.find('='));
        if (holds(planned_options, name)) return name;
    }
    return {};
}

CLI::App* add_optimize(CLI::App& app, OptimizeOptions& optimize) {
    auto* command = app.add_subcommand(
        "optimize", "optimize SQL queries: each plan before and after, and the SQL after");
    command
        ->add_option("file", optimize.file,
                     "DDL statements and queries, or - for standard input, which is the default")
        ->type_name("FILE");
    command->add_option("--schema", optimize.schema, "more DDL, read before that of FILE")
        ->type_name("FILE");
    command
        ->add_option("--rules", optimize.rules,
                     "rule files to use beside the built-in ones; FILE goes before them, or is a "
                     ".sql file")
        ->type_name("FILE");
    command->add_option("--format", optimize.format, "text, sql, json, or dot for the join graph")
        ->capture_default_str();
    command
        ->add_option("--proof", optimize.proof,
                     "write proofs for `satura verify` into this file, one a query")
        ->type_name("FILE");
    command->add_flag("--explain", optimize.explain,
                      "say which rules led to the result, where and why");
    add_dialect(*command, optimize.dialect);
    add_limits(*command, optimize.limits);
    return command;
}

CLI::App* add_equal(CLI::App& app, EqualOptions& equal) {
    auto* command = app.add_subcommand(
        "equal", "prove two queries, or two expressions, equal: status 0, or 1 if not proved");
    command
        ->add_option("file", equal.file,
                     "DDL statements and two queries, or with --columns two expressions, with a "
                     "semicolon between them; - for standard input, which is the default")
        ->type_name("FILE");
    command->add_option("--columns", equal.columns,
                        "columns that expressions may name: \"x smallint, y int not null\"");
    command
        ->add_option("--context", equal.context,
                     "of expressions: value, or filter where only true matters")
        ->check(CLI::IsMember({"value", "filter"}))
        ->capture_default_str();
    command->add_option("--schema", equal.schema, "more DDL, read before that of FILE")
        ->type_name("FILE");
    command
        ->add_option("--rules", equal.rules,
                     "rule files to use beside the built-in ones; FILE goes before them, or is a "
                     ".sql file")
        ->type_name("FILE");
    add_dialect(*command, equal.dialect);
    add_limits(*command, equal.limits);
    return command;
}

// --rules takes all words behind it, so that FILE may have gone to it.
template <class Options>
void give_back_file(const CLI::App& command, Options& options) {
    if (command.count("file") > 0 || options.rules.empty()) return;
    const std::string last = options.rules.back();
    if (last != "-" && !last.ends_with(".sql")) return;
    options.file = last;
    options.rules.pop_back();
}

int run(int argc, char** argv) {
    CLI::App app{"Satura: an equality-saturation optimizer for SQL expressions and join plans",
                 "satura"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "satura " SATURA_VERSION);
    app.failure_message([](const CLI::App*, const CLI::Error& error) {
        return "satura: " + std::string(error.what()) +
               "\nsatura COMMAND --help lists what a command takes\n";
    });

    OptimizeOptions optimize;
    const CLI::App* optimize_command = add_optimize(app, optimize);

    SimplifyOptions simplify;
    auto* simplify_command = app.add_subcommand("simplify", "simplify one SQL expression");
    simplify_command
        ->add_option(
            "expr", simplify.expr,
            "the expression, or - for standard input; -- goes before one that begins with a minus")
        ->required();
    simplify_command->add_option("--columns", simplify.columns,
                                 "columns that it may name: \"x smallint, y int not null\"");
    simplify_command
        ->add_option("--context", simplify.context, "value, or filter where only true matters")
        ->check(CLI::IsMember({"value", "filter"}))
        ->capture_default_str();
    simplify_command->add_option("--format", simplify.format, "sql or json")
        ->check(CLI::IsMember({"sql", "json"}))
        ->capture_default_str();
    simplify_command
        ->add_option("--rules", simplify.rules, "rule files to use beside the built-in ones")
        ->type_name("FILE");
    simplify_command
        ->add_option("--proof", simplify.proof, "write a proof for `satura verify` into this file")
        ->type_name("FILE");
    add_dialect(*simplify_command, simplify.dialect);
    add_limits(*simplify_command, simplify.limits);

    EqualOptions equal;
    const CLI::App* equal_command = add_equal(app, equal);

    BatchOptions batch;
    auto* batch_command = app.add_subcommand(
        "batch", "JSON Lines in, JSON Lines out: one answer for each request, in order");
    batch_command->add_option("--rules", batch.rules, "rule files to use beside the built-in ones")
        ->type_name("FILE");

    VerifyOptions verify;
    auto* verify_command = app.add_subcommand(
        "verify", "replay proofs by the rules and the evaluator, without the e-graph");
    verify_command
        ->add_option("file", verify.file,
                     "a proof, or JSON Lines of proofs or of answers of batch; - is standard input")
        ->capture_default_str()
        ->type_name("FILE");
    verify_command->add_flag("--quiet", verify.quiet, "only what is refused, and the count");
    verify_command
        ->add_option("--explain", verify.explain,
                     "the steps, and why each holds: flat, as a tree, or as json")
        ->check(CLI::IsMember({"flat", "tree", "json"}));
    verify_command
        ->add_option("--rules", verify.rules, "rule files that proofs use beside the built-in ones")
        ->type_name("FILE");

    CheckOptions check;
    auto* check_command = app.add_subcommand(
        "check", "check rules for soundness: a counterexample, or the number of cases tried");
    check_command->add_option("files", check.files, "rule files; none: the built-in rules")
        ->type_name("FILE");
    check_command->add_option("--rule", check.rule, "only the rule of this name")
        ->type_name("NAME");
    check_command
        ->add_option("--dialect", check.dialect,
                     "only in the semantics of postgres or duckdb; default both")
        ->check(CLI::IsMember({"postgres", "duckdb"}));
    auto* prove_flag = check_command->add_flag(
        "--prove", check.prove,
        "in place of that, a proof for all values by Z3, or a counterexample");
    auto* review_flag =
        check_command->add_flag("--review", check.review,
                                "in place of that, right sides that grow, and rules that follow "
                                "from others");
    auto* pairs_flag =
        check_command->add_flag("--pairs", check.pairs,
                                "in place of that, terms that two `~>` rules rewrite to different "
                                "ones which do not meet again");
    prove_flag->excludes(review_flag, pairs_flag);
    review_flag->excludes(pairs_flag);

    RulesOptions rules;
    auto* rules_command = app.add_subcommand("rules", "list the rules");
    rules_command->add_option("pattern", rules.pattern, "only rules whose name holds this");
    rules_command->add_option("--rules", rules.files, "rule files beside the built-in ones")
        ->type_name("FILE");
    rules_command->add_flag("--count", rules.count,
                            "numbers of rules, procedures and computed words");
    rules_command->add_flag("--words", rules.words,
                            "the conditions and computed parts that rules may use");
    rules_command->add_flag("--text", rules.text, "the rules' texts");

    FormatOptions format;
    auto* format_command = app.add_subcommand("fmt", "format rule files in place");
    format_command
        ->add_option("files", format.files,
                     "rule files, or - for standard input to standard output")
        ->required()
        ->type_name("FILE");
    format_command->add_flag("--check", format.check,
                             "change nothing; status 1 if a file would change");

    if (std::string mistake = first_word_mistake(app, argc, argv); !mistake.empty()) {
        std::cerr << "satura: " << mistake << "\n";
        return exit_mistake;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (std::string option = planned_option(app); !option.empty()) {
            std::cerr << "satura: " << option << " is not available in this version\n";
            return exit_mistake;
        }
        int status = app.exit(error);
        return status == 0 ? exit_done : exit_mistake;
    }
    if (*optimize_command) {
        give_back_file(*optimize_command, optimize);
        return run_optimize(optimize);
    }
    if (*simplify_command) return run_simplify(simplify);
    if (*equal_command) {
        give_back_file(*equal_command, equal);
        return run_equal(equal);
    }
    if (*batch_command) return run_batch(batch);
    if (*verify_command) return run_verify(verify);
    if (*check_command) return run_check(check);
    if (*rules_command) return run_rules(rules);
    return run_format(format);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        int status = run(argc, argv);
        std::cout.flush();
        if (std::cout) {
            const bool is_answer = status == exit_done || status == exit_no;
            return is_answer && is_interrupted() ? exit_interrupted : status;
        }
        std::fputs("satura: cannot write to standard output\n", stderr);
        return satura::app::exit_internal;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "satura: internal error: %s\n", error.what());
        return satura::app::exit_internal;
    }
}
